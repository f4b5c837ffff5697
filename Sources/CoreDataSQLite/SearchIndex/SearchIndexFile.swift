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
    private let form: SQLiteIndexForm

    /// The file beside that of a store, which is not a link.
    init(of store: URL, named name: String? = nil) {
        self.store = store
        form = SQLiteIndexForm(ofIndexNamed: name)
        url = URL(fileURLWithPath: store.path + Self.suffix + Self.part(name))
    }

    /// What a name adds to that of the file: letters and digits, and other bytes as two digits. No name of a client's adds what the
    /// trigrams' does.
    private static func part(_ name: String?) -> String {
        guard let name else { return "" }
        guard name != SubstringSchema.indexName else { return "-_trigrams" }
        return "-"
            + name.utf8.prefix(64).map { byte in
                isPlain(byte) ? String(UnicodeScalar(byte)) : String(format: "_%02x", byte)
            }.joined()
    }

    /// Removes all indexes of the store at a URL, and nothing else: other stores and files may have names that begin alike.
    static func remove(beside store: URL) throws {
        guard store.isFileURL, !store.isNullDevice else { return }
        let store = try store.followingLinks()
        let folder = store.deletingLastPathComponent()
        guard try FileKind(at: folder.path) == .folder else { return }
        let start = store.lastPathComponent + suffix
        // Of a folder that cannot be listed the name of one index is known.
        let names = ((try? DurableFile.names(in: folder)) ?? [start]).filter { isName($0, start) }
        guard !names.isEmpty else { return }
        try DurableFile.locking(folder) {
            for name in names {
                let url = folder.appendingPathComponent(name)
                if try isIndex(url, orEmpty: name == start) { try removeFiles(at: url) }
            }
        }
    }

    /// Whether a file has the name of an index: the start alone, or with what `part(_:)` makes of a name.
    private static func isName(_ name: String, _ start: String) -> Bool {
        guard name.hasPrefix(start + "-") else { return name == start }
        let part = name.utf8.dropFirst(start.utf8.count + 1)
        return !part.isEmpty && part.allSatisfy { isPlain($0) || $0 == 0x5F }
    }

    private static func isPlain(_ byte: UInt8) -> Bool {
        0x30...0x39 ~= byte || 0x41...0x5A ~= byte || 0x61...0x7A ~= byte
    }

    /// Whether a file is a SQLite database with the mark of an index.
    ///
    /// - Parameter orEmpty: whether it may be without any bytes, as an index is before it gets the mark.
    private static func isIndex(_ url: URL, orEmpty: Bool) throws -> Bool {
        guard try FileKind(at: url.path) == .regular else { return false }
        // It may be a database that this process has open, whose locks stay only this way.
        let header = try StoreFileReader(url.path, followsLinks: false).read(at: 0, count: 100)
        guard !header.isEmpty else { return orEmpty }
        guard header.count == 100, header.starts(with: SQLiteHeader.magic) else { return false }
        // See "The Database Header" of SQLite's file format.
        let id = header.dropFirst(68).prefix(4).reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
        return id == UInt32(bitPattern: SearchTables.applicationID)
    }

    /// Opens the index, or makes an empty one. What is not an index is removed.
    ///
    /// - Throws: 134080 when a folder, a link or a device has the name; an error of SQLite or of the file system.
    func open() throws -> SQLiteSearchIndex {
        // Who makes the file must not meet one who removes the old one's log.
        try DurableFile.locking(url.deletingLastPathComponent()) {
            try prepare()
            do {
                return try SQLiteSearchIndex(at: url, of: form)
            } catch let damage as SearchIndexDamage {
                Log.store.warning("The search index at \(url.path) is rebuilt: \(damage).")
                try Self.removeFiles(at: url)
                try prepare()
                return try SQLiteSearchIndex(at: url, of: form)
            }
        }
    }

    /// Opens the index if there is one. What is not an index stays, and another one who is about to open or remove it is not waited for.
    ///
    /// - Returns: nil where there is none, or it is not to be had now.
    /// - Throws: `SearchIndexDamage`; an error of SQLite or of the file system.
    func openPresent() throws -> SQLiteSearchIndex? {
        guard try Self.isIndex(url, orEmpty: false) else { return nil }
        return try DurableFile.lockingUnlessLocked(url.deletingLastPathComponent()) {
            guard try Self.isIndex(url, orEmpty: false) else { return nil }
            return try SQLiteSearchIndex(at: url, of: form)
        }
    }

    /// Removes the index; nothing is lost with it.
    func remove() throws {
        try DurableFile.locking(url.deletingLastPathComponent()) { try Self.removeFiles(at: url) }
    }

    private static func removeFiles(at url: URL) throws {
        for suffix in ["", "-wal", "-shm", "-journal"] {
            let path = url.path + suffix
            // What is not a file is another one's.
            guard try FileKind(at: path) == .regular else { continue }
            try DurableFile.remove(URL(fileURLWithPath: path))
        }
    }

    /// Sees to it that there is a file, with the mode and the owner of the store, and with the mark of an index.
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
        if url.isEmptyFile { try SQLiteSearchIndex.mark(url) }
    }

    private func refusal(_ path: String) -> NSError {
        .coreData(
            .persistentStoreOpen, "A search index cannot be made: what is at \(path) is not a file.",
            [NSFilePathErrorKey: path])
    }
}
