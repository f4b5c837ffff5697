import Foundation

/// What is to replace a file, or a folder, once it is complete.
///
/// It is made in a folder beside its target, which only its owner can read, and which is held until the draft is in place. What
/// a process leaves there that was killed, `removeLeftovers(of:)` removes.
///
/// Not thread-safe. A draft that goes without being moved into place is removed.
package final class FileDraft {
    /// The target: links to it are followed.
    package let target: URL
    /// Where the draft is made: nothing is there at first. Whatever is beside it goes with it.
    package let url: URL
    private let folder: HeldPath
    /// Whether the draft is in place, even if an error was thrown after that.
    package private(set) var isPlaced = false
    /// What identifies the file of the draft; nil until it is about to be moved into place.
    private var identity: Identity?

    private struct Identity: Equatable {
        let device: dev_t
        let number: ino_t

        /// Nil when nothing is there; a link is not followed.
        init?(_ path: String) {
            var status = stat()
            guard lstat(path, &status) == 0 else { return nil }
            (device, number) = (status.st_dev, status.st_ino)
        }
    }

    /// - Throws: `EINVAL` when there is something at the target that is not a regular file, or when `isFolder`, not a
    ///   folder; an error of the system.
    package init(for location: URL, isFolder: Bool = false) throws {
        target = try isFolder ? location.followingLinks() : location.regularFile()
        if isFolder {
            let kind = try FileKind(at: target.path)
            guard kind == .folder || kind == .missing else {
                throw FileError(
                    call: "mkdir", path: location.path, code: ENOTDIR,
                    reason: "it is \(kind.name), not a folder"
                )
            }
        }
        let (parent, name) = (target.deletingLastPathComponent(), target.lastPathComponent)
        folder = try HeldPath.makeFolder { parent.appendingPathComponent(".\(name).\($0)").path }
        url = URL(fileURLWithPath: folder.path).appendingPathComponent(name)
    }

    deinit { discard() }

    /// Sees to it that the draft, a regular file that nothing has open, is on the disk.
    ///
    /// - Parameter attributes: whose it is to be; nil to leave that.
    package func complete(_ attributes: FileAttributes? = nil) throws {
        let file = try OpenFile(url.path, O_RDWR | O_NOFOLLOW)
        if let attributes { try file.set(attributes) }
        try file.sync()
        file.close()
    }

    /// Replaces the target in one step. The draft must be on the disk.
    ///
    /// - Throws: `EINVAL` when what is there now is not a regular file; an error of the system. When only the folder could not
    ///   be synced, the target is the new one already.
    package func replaceTarget() throws {
        guard try target.regularFile().path == target.path else {
            throw FileError(call: "rename", path: target.path, code: EINVAL, reason: "it is a symbolic link")
        }
        let parent = try openParent()
        try FileSystem.calls.renameFile(url.path, target.path)
        try finish(parent)
    }

    /// Opened before anything has changed: there may be no descriptor later.
    private func openParent() throws -> OpenFile? {
        try DurableFile.openFolder(target.deletingLastPathComponent())
    }

    /// Replaces the target if nothing is there.
    ///
    /// - Returns: false when something is there.
    package func placeIfMissing() throws -> Bool {
        let calls = FileSystem.calls
        let parent = try openParent()
        identity = Identity(url.path)
        do {
            // Other than a rename, a link does not replace what another process has just put there.
            try calls.linkFile(url.path, target.path)
        } catch let error as FileError where error.code == EEXIST {
            return false
        } catch let error as FileError
            where [EPERM, EOPNOTSUPP, ENOSYS, EMLINK, EACCES].contains(error.code)
        {
            // A file system without links.
            guard try FileKind(at: target.path) == .missing else { return false }
            try calls.renameFile(url.path, target.path)
            try finish(parent)
            return true
        }
        try? calls.unlinkFile(url.path)
        try finish(parent)
        return true
    }

    /// Removes what `placeIfMissing()` has put into place; what others have put there meanwhile stays.
    ///
    /// - Returns: whether the draft is not in place any more.
    @discardableResult
    package func removePlaced() -> Bool {
        guard isPlaced, let identity, identity == Identity(target.path) else { return true }
        do {
            try FileSystem.calls.unlinkFile(target.path)
        } catch {
            return false
        }
        try? DurableFile.syncFolder(target.deletingLastPathComponent())
        return true
    }

    /// Replaces a folder, which may be missing: all of the draft, a folder, is synced first.
    ///
    /// Folders are replaced in two steps, so that for a moment nothing is there; the old one is in the draft's folder then.
    package func placeFolder(replacing: Bool) throws {
        try DurableFile.syncTree(url)
        let calls = FileSystem.calls
        let parent = try openParent()
        guard try FileKind(at: target.path) != .missing else {
            try calls.renameFile(url.path, target.path)
            return try finish(parent)
        }
        guard replacing else {
            throw FileError(call: "rename", path: target.path, code: EEXIST)
        }
        let former = folder.path + "/.former"
        try calls.renameFile(target.path, former)
        do {
            try calls.renameFile(url.path, target.path)
        } catch {
            try? calls.renameFile(former, target.path)
            throw error
        }
        try finish(parent)
    }

    private func finish(_ parent: OpenFile?) throws {
        isPlaced = true
        // Before anything goes that the old file needs, or that says that this is a draft.
        defer { discard() }
        try DurableFile.sync(parent)
    }

    /// Removes the draft and all beside it.
    package func discard() {
        guard folder.descriptor >= 0 else { return }
        let calls = FileSystem.calls
        // What is mostly there goes without a free descriptor.
        for suffix in ["", "-wal", "-shm", "-journal"]
        where (try? FileKind(at: url.path + suffix)) == .regular {
            try? calls.unlinkFile(url.path + suffix)
        }
        do {
            try calls.removeFolder(folder.path)
        } catch {
            // What cannot be removed now is a leftover.
            _ = try? DurableFile.removeFolder(URL(fileURLWithPath: folder.path))
        }
        folder.release()
    }

    // MARK: Leftovers

    /// Removes the drafts of a file or folder whose makers are dead.
    ///
    /// - Returns: what kept those that stay from being removed.
    package static func removeLeftovers(of location: URL) -> [any Error] {
        var errors: [any Error] = []
        do {
            let target = try location.followingLinks()
            let parent = target.deletingLastPathComponent()
            let beginning = ".\(target.lastPathComponent)."
            for name in try DurableFile.names(in: parent)
            where name.hasPrefix(beginning)
                && UUID(uuidString: String(name.dropFirst(beginning.count))) != nil
            {
                do {
                    let folder = parent.appendingPathComponent(name)
                    guard let leftover = try HeldPath.takeLeftover(folder.path, isFolder: true) else {
                        continue
                    }
                    try restoreFormer(leftover, target)
                    try DurableFile.removeFolder(folder)
                    leftover.release()
                } catch {
                    errors.append(error)
                }
            }
        } catch let error as FileError where error.isMissing || error.isRefusal {
            return []
        } catch {
            errors.append(error)
        }
        return errors
    }

    /// Puts back a folder that was to be replaced when the process was killed.
    private static func restoreFormer(_ leftover: HeldPath, _ target: URL) throws {
        let former = leftover.path + "/.former"
        guard try FileKind(at: former) == .folder, try FileKind(at: target.path) == .missing else { return }
        try FileSystem.calls.renameFile(former, target.path)
        try DurableFile.syncFolder(target.deletingLastPathComponent())
    }
}
