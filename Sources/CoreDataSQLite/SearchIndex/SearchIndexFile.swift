import DurableFiles
import FullTextSearch
import Foundation
import GRDB
import ObjectGraph

/// The file of the index beside a store: its words are the store's, so that who may read the one may read the other.
struct SearchIndexFile {
    /// What is appended to the name of the store.
    static let suffix = "-search"

    let url: URL
    private let store: URL

    /// The file beside that of a store, which is not a link.
    init(of store: URL, named name: String? = nil) {
        self.store = store
        url = URL(fileURLWithPath: store.path + Self.suffix + Self.part(name))
    }

    /// What a name adds to that of the file: letters and digits, and other bytes as two digits.
    private static func part(_ name: String?) -> String {
        guard let name else { return "" }
        return "-"
            + name.utf8.prefix(64).map { byte in
                let isPlain = 0x30...0x39 ~= byte || 0x41...0x5A ~= byte || 0x61...0x7A ~= byte
                return isPlain ? String(UnicodeScalar(byte)) : String(format: "_%02x", byte)
            }.joined()
    }

    /// Removes all indexes of the store at a URL.
    static func remove(beside store: URL) throws {
        guard store.isFileURL, !store.isNullDevice else { return }
        let store = try store.followingLinks()
        let folder = store.deletingLastPathComponent()
        guard try FileKind(at: folder.path) == .folder else { return }
        let start = store.lastPathComponent + suffix
        // Of a folder that cannot be listed the names of one index are known.
        let known =
            (try? DurableFile.names(in: folder)) ?? ["", "-wal", "-shm", "-journal"].map { start + $0 }
        // What is not a file is another one's.
        let paths = try known.filter { $0 == start || $0.hasPrefix(start + "-") }
            .map { folder.appendingPathComponent($0).path }.filter { try FileKind(at: $0) == .regular }
        guard !paths.isEmpty else { return }
        try DurableFile.locking(folder) {
            for path in paths { try DurableFile.remove(URL(fileURLWithPath: path)) }
        }
    }

    /// Opens the index, or makes an empty one. What is not an index is removed.
    ///
    /// - Throws: 134080 when a folder, a link or a device has the name; an error of SQLite or of the file system.
    func open() throws -> SQLiteSearchIndex {
        // Who makes the file must not meet one who removes the old one's log.
        try DurableFile.locking(url.deletingLastPathComponent()) {
            try prepare()
            do {
                return try SQLiteSearchIndex(at: url)
            } catch let damage as SearchIndexDamage {
                Log.store.warning("The search index at \(url.path) is built anew: \(damage).")
                try removeFiles()
                try prepare()
                return try SQLiteSearchIndex(at: url)
            }
        }
    }

    /// Removes the index; nothing is lost with it.
    func remove() throws {
        try DurableFile.locking(url.deletingLastPathComponent()) { try removeFiles() }
    }

    private func removeFiles() throws {
        for suffix in ["", "-wal", "-shm", "-journal"] {
            let path = url.path + suffix
            // What is not a file is another one's.
            guard try FileKind(at: path) == .regular else { continue }
            try DurableFile.remove(URL(fileURLWithPath: path))
        }
    }

    /// Sees to it that there is a file, with the mode and the owner of the store.
    private func prepare() throws {
        let attributes = try FileAttributes(of: store)?.ofData
        switch try FileKind(at: url.path) {
        case .regular:
            if let attributes, try FileAttributes(of: url) != attributes {
                try attributes.set(atPath: url.path)
            }
        case .missing:
            do {
                let file = try OpenFile.making(url)
                defer { file.close() }
                if let attributes { try file.set(attributes) }
            } catch let error as FileError where error.code == EEXIST {
                // Another process was quicker.
            }
        case .folder, .link, .special: throw refusal(url.path)
        }
    }

    private func refusal(_ path: String) -> NSError {
        .coreData(
            .persistentStoreOpen, "There is no room for a search index: what is at \(path) is not a file.",
            [NSFilePathErrorKey: path])
    }
}
