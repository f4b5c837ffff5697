import Foundation

/// Where a long text goes: standard output, or a file that is there when it is complete.
final class OutputFile {
    private let url: URL?
    private let draft: URL?
    private let handle: FileHandle?

    /// - Parameter path: a file, which is replaced; nil for standard output.
    init(_ path: String?) throws {
        guard let path else {
            (url, draft, handle) = (nil, nil, nil)
            return
        }
        let url = URL(fileURLWithPath: path)
        let draft = url.deletingLastPathComponent()
            .appendingPathComponent(".\(url.lastPathComponent).\(UUID().uuidString)")
        guard FileManager.default.createFile(atPath: draft.path, contents: nil),
            let handle = FileHandle(forWritingAtPath: draft.path)
        else { throw CommandFailure("\(path) cannot be written.") }
        (self.url, self.draft, self.handle) = (url, draft, handle)
    }

    deinit { if let draft { try? FileManager.default.removeItem(at: draft) } }

    func write(_ text: String) throws {
        guard let handle else { return try Output.standard.write(piece: text) }
        try handle.write(contentsOf: Data(text.utf8))
    }

    /// Puts the file into its place.
    func finish() throws {
        guard let url, let draft, let handle else { return }
        try handle.close()
        guard rename(draft.path, url.path) == 0 else {
            throw CommandFailure("\(url.path) cannot be written: \(String(cString: strerror(errno))).")
        }
    }
}
