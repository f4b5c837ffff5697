import DurableFiles
import ModelTools

/// One version of a model in the editor: its name and tree as they are edited, and as the file has them.
struct DocumentVersion: Sendable, Identifiable {
    /// What stays the same when the version gets another name.
    let id = UUID()
    /// The name as it is edited. The folder gets it with the next save.
    var name: String
    /// The name that the folder has.
    private(set) var savedName: String
    /// The folder `.xcdatamodel`.
    private(set) var url: URL
    /// Whether the folder is there, as far as the editor knows.
    private(set) var isOnDisk = true
    /// The tree as it is edited.
    var tree: ModelElement
    /// The tree of the file as it was read or written last.
    var saved: ModelElement
    /// The bytes of that file; `nil` if it was not there.
    private(set) var savedBytes: Data?
    private var stamp: FileStamp?
    /// What else was in the folder when it was removed, to be there again if the version comes back.
    private var others = FolderFiles()
    /// The folder that was opened.
    private let folder: URL
    /// Why the version cannot be read, if it cannot.
    let problem: String?

    /// Whether the next save writes the version even if it was not edited: over a file that cannot be read.
    private(set) var isReplacing = false

    var isEdited: Bool { name != savedName || hasEditedContents }

    /// Whether there is a folder, unless another program has removed it since the version was last read, written or kept.
    var hasFolder: Bool {
        isOnDisk && !(isReplacing && !FileManager.default.fileExists(atPath: url.path))
    }

    /// Whether the next save writes the file.
    var hasEditedContents: Bool { problem == nil && (isReplacing || !tree.isIdentical(to: saved)) }

    /// Reads a version. One that cannot be read, or that a link leads out of the folder for, is one with a problem.
    ///
    /// - Parameter folder: the folder that was opened.
    init(_ version: XcodeModelFile.Version, below folder: URL) {
        (name, savedName) = (version.name, version.name)
        url = version.url
        self.folder = folder
        stamp = Self.stamp(of: url)
        do {
            let bytes = try Self.bytes(of: url, below: folder)
            saved = try XcodeModelFile.tree(of: bytes, in: XcodeModelFile.file(of: url))
            guard saved.name == "model" else {
                throw ModelFileError(.malformed, "the file holds a <\(saved.name)> and no <model>")
            }
            savedBytes = bytes
            problem = nil
        } catch {
            saved = ModelElement("model")
            problem = (error as? any LocalizedError)?.errorDescription ?? "\(error)"
        }
        tree = saved
    }

    /// A version that has just been made.
    init(_ version: XcodeModelFile.Version, _ tree: ModelElement, below folder: URL) throws {
        (name, savedName) = (version.name, version.name)
        url = version.url
        self.folder = folder
        self.tree = tree
        saved = tree
        problem = nil
        setSaved(tree, bytes: try tree.xml())
    }

    /// The bytes of the file as it is now.
    ///
    /// - Throws: `ModelFileError` if it is not there, too large, or a link.
    func bytesOnDisk() throws -> Data { try Self.bytes(of: url, below: folder) }

    static func bytes(of version: URL, below folder: URL) throws -> Data {
        try refuseLinks(to: version, below: folder)
        return try XcodeModelFile.data(of: version)
    }

    /// A link would lead what is read or written to another location. The folder that was opened may be one itself.
    private static func refuseLinks(to version: URL, below folder: URL) throws {
        if version.path != folder.path { try refuseLink(version) }
        for name in ["contents", XcodeModelFile.archiveName] {
            try refuseLink(version.appendingPathComponent(name))
        }
    }

    /// - Throws: `ModelFileError` if a file is a symbolic link.
    static func refuseLink(_ file: URL) throws {
        let attributes = try? FileManager.default.attributesOfItem(atPath: file.path)
        guard attributes?[.type] as? FileAttributeType != .typeSymbolicLink else {
            throw ModelFileError(
                .unreadable, "it is a symbolic link; links inside the folder of a model are not followed",
                file: file)
        }
    }

    /// Makes a state of the file the one that changes are counted from.
    mutating func setSaved(_ tree: ModelElement, bytes: Data?) {
        saved = tree
        savedBytes = bytes
        isReplacing = false
        // The stamp is that of the bytes only if they are there after it was taken.
        let now = Self.stamp(of: url)
        stamp = (try? bytesOnDisk()) == bytes ? now : nil
    }

    /// Lets the next save write the version over what has been seen of the file: other bytes, or none.
    mutating func replace(_ seen: Data?) {
        setSaved(saved, bytes: seen)
        isReplacing = true
    }

    /// Gives the folder another name.
    ///
    /// - Throws: `ModelFileError` if there is something of the name, or if it cannot be done.
    mutating func moveFolder(to name: String) throws {
        if isOnDisk, FileManager.default.fileExists(atPath: url.path) {
            let destination = try unusedURL(name)
            try changing("renamed") { try FileManager.default.moveItem(at: url, to: destination) }
        }
        setFolder(name)
    }

    /// Gives the folder another name by way of a copy, so that there is a folder of the old or of the new name at all times.
    ///
    /// - Parameter mark: called when both are there; the copy goes if it throws.
    /// - Throws: what `mark` throws; `ModelFileError` if there is something of the name, or if it cannot be done.
    mutating func replaceFolder(named name: String, mark: () throws -> Void) throws {
        let (old, copy) = (url, try unusedURL(name))
        try changing("renamed") {
            // An incomplete copy is not a version.
            let draft = try FileDraft(for: copy, isFolder: true)
            defer { draft.discard() }
            try FileManager.default.copyItem(at: old, to: draft.url)
            try draft.placeFolder(replacing: false)
        }
        do {
            try mark()
        } catch {
            try? FileManager.default.removeItem(at: copy)
            throw error
        }
        setFolder(name)
        // The copy is another file with the same bytes.
        let now = Self.stamp(of: url)
        stamp = (try? bytesOnDisk()) == savedBytes ? now : nil
        try changing("removed", old) { try FileManager.default.removeItem(at: old) }
    }

    /// The location of a folder of another name.
    ///
    /// - Throws: `ModelFileError` if there is something, or if the folder is a link.
    private func unusedURL(_ name: String) throws -> URL {
        try Self.refuseLinks(to: url, below: folder)
        let destination = folder.appendingPathComponent("\(name).xcdatamodel", isDirectory: true)
        guard !FileManager.default.fileExists(atPath: destination.path) else {
            throw ModelFileError(
                .duplicateName, "a file or folder of this name exists already", file: destination)
        }
        return destination
    }

    private func changing(_ what: String, _ location: URL? = nil, _ body: () throws -> Void) throws {
        do {
            try body()
        } catch {
            throw ModelFileError(
                .unwritable, "it cannot be \(what): \(error.localizedDescription)", file: location ?? url)
        }
    }

    /// Takes back a new name. A version without a folder gets another one.
    mutating func releaseName() {
        if !isOnDisk { setFolder("\(name) \(id.uuidString.prefix(8))") }
        name = savedName
    }

    /// Says which folder the version will have when it is written: of one that has none.
    mutating func setFolder(_ name: String) {
        url = folder.appendingPathComponent("\(name).xcdatamodel", isDirectory: true)
        savedName = name
    }

    /// Removes the folder. If the version comes back, the next save writes it anew.
    ///
    /// - Throws: `ModelFileError` if it cannot be removed.
    mutating func removeFolder() throws {
        try Self.refuseLinks(to: url, below: folder)
        let files = FolderFiles(in: url, without: "contents")
        try changing("removed") { try FileManager.default.removeItem(at: url) }
        others = files
        isOnDisk = false
        replace(nil)
    }

    /// Writes the tree as it is edited, unless the file has other bytes than those that were read or written last.
    ///
    /// - Throws: `ModelDocument.DiskChanged`, or `ModelFileError` if it cannot be written.
    mutating func save() throws {
        let file = url.appendingPathComponent("contents")
        try Self.refuseLinks(to: url, below: folder)
        let bytes: Data
        do {
            bytes = try tree.xml()
        } catch let error as ModelFileError {
            throw error.inFile(file)
        }
        if isReplacing {
            do {
                try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
                try others.write(to: url)
            } catch {
                throw ModelFileError(
                    .unwritable, "it cannot be made: \(error.localizedDescription)", file: url)
            }
        }
        try XcodeModelFile.write(bytes, to: url) {
            try Self.refuseLinks(to: url, below: folder)
            guard !isChangedOnDisk(isThorough: true) else {
                throw ModelDocument.DiskChanged(names: [name])
            }
        }
        setSaved(tree, bytes: bytes)
        isOnDisk = true
        others = FolderFiles()
    }

    /// Whether the file has other bytes than those that were read or written last.
    ///
    /// - Parameter isThorough: whether its bytes are compared even if it is the same file of the same time and size.
    func isChangedOnDisk(isThorough: Bool) -> Bool {
        guard problem == nil, isOnDisk else { return false }
        if !isThorough, let stamp, stamp == Self.stamp(of: url) { return false }
        return (try? bytesOnDisk()) != savedBytes
    }

    private static func stamp(of version: URL) -> FileStamp? {
        FileStamp(XcodeModelFile.file(of: version))
    }
}

/// What distinguishes states of a file in most cases.
private struct FileStamp: Equatable, Sendable {
    private let date: Date?
    private let size: UInt64?
    private let number: UInt64?

    /// The stamp of a file; `nil` if it is not there.
    init?(_ file: URL) {
        guard let attributes = try? FileManager.default.attributesOfItem(atPath: file.path) else {
            return nil
        }
        date = attributes[.modificationDate] as? Date
        size = (attributes[.size] as? NSNumber)?.uint64Value
        number = (attributes[.systemFileNumber] as? NSNumber)?.uint64Value
    }
}
