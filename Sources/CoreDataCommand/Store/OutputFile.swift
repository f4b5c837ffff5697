import Foundation

/// Where a long text goes: standard output, a file that is there when it is complete, or what a path leads to that is no
/// file, such as a pipe or a device.
final class OutputFile {
    private let url: URL?
    /// What takes the place of the file at the end; nil where the text is written straight to its place.
    private let draft: URL?
    private let handle: FileHandle?

    /// - Parameters:
    ///   - path: a file, which is replaced and keeps its mode; links are followed. nil for standard output.
    ///   - store: a store that is read meanwhile, and whose files are not to be replaced.
    init(_ path: String?, reading store: URL) throws {
        guard let path else {
            (url, draft, handle) = (nil, nil, nil)
            return
        }
        var status = stat()
        let exists = stat(path, &status) == 0
        if exists { try Self.requireOther(status, path, store) }
        switch status.st_mode & S_IFMT {
        case S_IFREG where exists: break
        case S_IFDIR where exists: throw CommandFailure("\(path) is a folder.")
        case _ where exists:
            guard let handle = FileHandle(forWritingAtPath: path) else {
                throw CommandFailure("\(path) cannot be written.")
            }
            (url, draft, self.handle) = (nil, nil, handle)
            return
        default:
            var link = stat()
            guard lstat(path, &link) != 0 else {
                throw CommandFailure("\(path) is a link that leads nowhere.")
            }
        }
        let url = URL(fileURLWithPath: path).resolvingSymlinksInPath()
        let draft = url.deletingLastPathComponent()
            .appendingPathComponent(".\(url.lastPathComponent).\(UUID().uuidString)")
        guard FileManager.default.createFile(atPath: draft.path, contents: nil),
            let handle = FileHandle(forWritingAtPath: draft.path)
        else { throw CommandFailure("\(path) cannot be written.") }
        (self.url, self.draft, self.handle) = (url, draft, handle)
        if exists { fchmod(handle.fileDescriptor, status.st_mode & 0o7777) }
    }

    deinit { if let draft { try? FileManager.default.removeItem(at: draft) } }

    private static func requireOther(_ status: stat, _ path: String, _ store: URL) throws {
        for name in ["", "-wal", "-shm", "-journal"].map({ store.path + $0 }) {
            var own = stat()
            guard stat(name, &own) == 0, own.st_dev == status.st_dev, own.st_ino == status.st_ino else {
                continue
            }
            throw CommandFailure("\(path) is a file of the store that is read; write to another one.")
        }
    }

    func write(_ text: String) throws {
        guard let handle else { return try Output.standard.write(piece: text) }
        try handle.write(contentsOf: Data(text.utf8))
    }

    /// Puts the file into its place.
    func finish() throws {
        try handle?.close()
        guard let url, let draft else { return }
        guard rename(draft.path, url.path) == 0 else {
            throw CommandFailure("\(url.path) cannot be written: \(String(cString: strerror(errno))).")
        }
    }
}
