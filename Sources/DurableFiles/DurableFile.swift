import Foundation

/// Files that are there completely or stay as they were, also when the power fails, and keep their modes and owners.
///
/// Only regular files are written, replaced and removed. Of a symbolic link to one, the link stays.
package enum DurableFile {
    /// Puts bytes into a file, which need not be there. When this returns, they outlive a power cut.
    ///
    /// - Parameters:
    ///   - attributes: those of a file that was not there; nil for those of any new file. One that was keeps its mode, its
    ///     group and its owner, as far as the process may set them.
    ///   - requiresOwner: whether it is an error when owner and group of a file that was there cannot be kept.
    ///   - check: called right before the file is replaced; nothing is if it throws.
    /// - Throws: a `FileError`, or what `check` throws; the file is as it was then, or, when only the folder could not be
    ///   synced, as it was to be.
    package static func write(
        _ data: Data, to url: URL, attributes: FileAttributes? = nil, requiresOwner: Bool = false,
        check: () throws -> Void = {}
    ) throws {
        let draft = try FileDraft(for: url)
        let old = try FileAttributes(of: draft.target)
        // Users who may not read the file must not read the draft.
        let file = try OpenFile.making(draft.url, mode: old ?? attributes == nil ? 0o666 : 0o600)
        try file.write(data)
        if let old {
            try file.set(old, requiresOwner: requiresOwner)
        } else if let attributes {
            try file.set(attributes)
        }
        try file.sync()
        file.close()
        try check()
        try draft.replaceTarget()
    }

    /// Makes a new file of bytes, all or nothing. When this returns, it outlives a power cut.
    ///
    /// - Parameter attributes: its mode and owner; nil for those of any new file.
    /// - Returns: false when there is something already, which stays.
    /// - Throws: a `FileError`; nothing is left then.
    package static func create(_ data: Data, at url: URL, attributes: FileAttributes? = nil) throws -> Bool {
        let draft = try FileDraft(for: url)
        let file = try OpenFile.making(draft.url, mode: attributes == nil ? 0o666 : 0o600)
        try file.write(data)
        if let attributes { try file.set(attributes) }
        try file.sync()
        file.close()
        do {
            return try draft.placeIfMissing()
        } catch {
            draft.removePlaced()
            throw error
        }
    }

    /// Copies a regular file to a path where nothing is. The copy survives a power cut once its folder is synced.
    ///
    /// - Returns: false when there is something already.
    /// - Throws: a `FileError`, `ENOENT` when the source is gone; nothing is left then.
    package static func copy(
        _ source: URL, to url: URL, attributes: FileAttributes?
    ) throws -> Bool {
        let calls = FileSystem.calls
        guard try FileKind(at: source.path) != .missing else {
            throw FileError(call: "open", path: source.path, code: ENOENT)
        }
        let descriptor = try calls.openFile(source.path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0)
        defer { calls.closeFile(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            throw FileError(
                call: "open", path: source.path, code: EINVAL, reason: "it is not a regular file")
        }
        let file: OpenFile
        do {
            file = try .making(url)
        } catch let error as FileError where error.code == EEXIST {
            return false
        }
        do {
            try file.copy(from: descriptor)
            if let attributes { try file.set(attributes) }
            try file.sync()
        } catch {
            try? calls.unlinkFile(url.path)
            throw error
        }
        return true
    }

    /// Makes a new file of bytes, which outlives a power cut once its folder is synced.
    ///
    /// - Parameters:
    ///   - attributes: its mode and owner; nil for the process's.
    ///   - mode: without attributes, its mode, without what the process's mask removes.
    /// - Throws: a `FileError`, `EEXIST` when there is something already; nothing is left then.
    package static func make(
        _ url: URL, _ data: Data, attributes: FileAttributes? = nil, mode: mode_t = 0o600
    ) throws {
        let file = try OpenFile.making(url, mode: attributes == nil ? mode : 0o600)
        do {
            try file.write(data)
            if let attributes { try file.set(attributes) }
            try file.sync()
        } catch {
            try? FileSystem.calls.unlinkFile(url.path)
            throw error
        }
    }

    /// Makes a folder, and those on the way to it, that outlive a power cut.
    ///
    /// - Parameter attributes: what each new folder gets; nil for those of any new one.
    package static func makeFolder(_ url: URL, attributes: FileAttributes? = nil) throws {
        var status = stat()
        if stat(url.path, &status) == 0 {
            guard status.st_mode & S_IFMT == S_IFDIR else {
                throw FileError(call: "mkdir", path: url.path, code: ENOTDIR, reason: "it is not a folder")
            }
            return
        }
        let parent = url.deletingLastPathComponent()
        guard parent.path != url.path else { throw FileError(call: "mkdir", path: url.path, code: ENOENT) }
        try makeFolder(parent, attributes: attributes)
        do {
            try FileSystem.calls.makeFolder(url.path, attributes == nil ? 0o777 : 0o700)
        } catch let error as FileError where error.code == EEXIST {
            return try makeFolder(url, attributes: attributes)
        }
        if let attributes {
            try OpenFile(url.path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW).set(attributes)
        }
        try syncFolder(parent)
    }

    /// Removes a regular file, or the one that a symbolic link leads to.
    ///
    /// - Returns: false when it is missing.
    /// - Throws: `EINVAL` for what is not a regular file, which stays; else an error of the system.
    @discardableResult
    package static func remove(_ url: URL) throws -> Bool {
        let file = try url.regularFile()
        guard try FileKind(at: file.path) == .regular else { return false }
        do {
            try FileSystem.calls.unlinkFile(file.path)
        } catch let error as FileError where error.isMissing {
            return false
        }
        return true
    }

    /// Gives a file another name, which nothing has that is to stay. The folders are not synced.
    package static func move(_ old: String, to new: String) throws {
        try FileSystem.calls.renameFile(old, new)
    }

    /// Removes a folder with nothing in it.
    ///
    /// - Returns: false when there is something in it, or none.
    @discardableResult
    package static func removeEmptyFolder(_ url: URL) throws -> Bool {
        do {
            try FileSystem.calls.removeFolder(url.path)
        } catch let error as FileError
            where error.isMissing || [ENOTEMPTY, EEXIST].contains(error.code)
        {
            return false
        }
        return true
    }

    /// Removes a folder with the regular files and folders in it. What else is in it stays, and so does the folder then.
    ///
    /// - Returns: whether the folder is gone.
    @discardableResult
    package static func removeFolder(_ url: URL, depth: Int = 16) throws -> Bool {
        guard depth > 0, try FileKind(at: url.path) == .folder else { return false }
        for name in try names(in: url) {
            let entry = url.appendingPathComponent(name)
            switch try FileKind(at: entry.path) {
            case .regular: try FileSystem.calls.unlinkFile(entry.path)
            case .folder: try removeFolder(entry, depth: depth - 1)
            default: continue
            }
        }
        return try removeEmptyFolder(url)
    }

    /// What is in a folder, sorted.
    package static func names(in folder: URL) throws -> [String] {
        guard let stream = opendir(folder.path) else {
            throw FileError(call: "opendir", path: folder.path, code: errno)
        }
        defer { closedir(stream) }
        var names: [String] = []
        while true {
            errno = 0
            guard let entry = readdir(stream) else {
                let code = errno
                guard code == 0 else { throw FileError(call: "readdir", path: folder.path, code: code) }
                return names.sorted()
            }
            let name = withUnsafePointer(to: &entry.pointee.d_name) {
                $0.withMemoryRebound(to: CChar.self, capacity: Int(NAME_MAX) + 1) { String(cString: $0) }
            }
            if name != ".", name != ".." { names.append(name) }
        }
    }

    /// Runs a block while no other thread or process runs one for the same folder.
    package static func locking<Value>(_ folder: URL, _ body: () throws -> Value) throws -> Value {
        let descriptor = try FileSystem.calls.openFile(folder.path, O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0)
        defer { FileSystem.calls.closeFile(descriptor) }
        try FileSystem.calls.lockFile(descriptor, LOCK_EX)
        return try body()
    }

    /// Runs a block as `locking(_:_:)` does, unless another one has the lock.
    ///
    /// - Returns: nil when another one has it, and what the block returns.
    package static func lockingUnlessLocked<Value>(_ folder: URL, _ body: () throws -> Value?) throws
        -> Value?
    {
        let descriptor = try FileSystem.calls.openFile(folder.path, O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0)
        defer { FileSystem.calls.closeFile(descriptor) }
        do {
            try FileSystem.calls.lockFile(descriptor, LOCK_EX | LOCK_NB)
        } catch let error as FileError where error.code == EWOULDBLOCK {
            return nil
        }
        return try body()
    }

    /// Sees to it that what a folder has, and has no more, outlives a power cut.
    package static func syncFolder(_ url: URL) throws { try sync(openFolder(url)) }

    /// A folder, to be synced later; nil for one that cannot be: one may write to a folder that one may not list.
    static func openFolder(_ url: URL) throws -> OpenFile? {
        do {
            return try OpenFile(url.path, O_RDONLY | O_DIRECTORY)
        } catch let error as FileError where error.code == EACCES {
            return nil
        }
    }

    static func sync(_ folder: OpenFile?) throws {
        do {
            try folder?.sync()
        } catch let error as FileError where [EINVAL, ENOTSUP, EROFS].contains(error.code) {
            // A file system that has nothing to sync.
        }
    }

    /// Syncs a folder with all that is in it.
    static func syncTree(_ url: URL) throws {
        for name in try names(in: url) {
            let entry = url.appendingPathComponent(name)
            switch try FileKind(at: entry.path) {
            case .folder: try syncTree(entry)
            case .regular: try OpenFile(entry.path, O_RDONLY | O_NOFOLLOW).sync()
            default: continue
            }
        }
        try syncFolder(url)
    }
}
