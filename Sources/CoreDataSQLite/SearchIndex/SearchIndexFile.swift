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

    /// What a file begins with.
    private enum Start {
        /// No bytes, as an index before it gets its mark.
        case empty
        case index
        /// A SQLite database without the mark: another program's, or a store.
        case foreignDatabase
        /// Another file, or a database whose first bytes are damaged.
        case other

        init(of url: URL) throws {
            // It may be a database that this process has open, whose locks stay only this way.
            let header = try StoreFileReader(url.path, followsLinks: false).read(at: 0, count: 100)
            guard !header.isEmpty else {
                self = .empty
                return
            }
            guard header.starts(with: SQLiteHeader.magic) else {
                self = .other
                return
            }
            // See "The Database Header" of SQLite's file format.
            let id = header.dropFirst(68).prefix(4).reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
            let isMarked = header.count == 100 && id == UInt32(bitPattern: SearchTables.applicationID)
            self = isMarked ? .index : .foreignDatabase
        }
    }

    /// Whether a file is a SQLite database with the mark of an index.
    ///
    /// - Parameter orEmpty: whether it may be without any bytes.
    private static func isIndex(_ url: URL, orEmpty: Bool) throws -> Bool {
        guard try FileKind(at: url.path) == .regular else { return false }
        let start = try Start(of: url)
        return switch start {
        case .index: true
        case .empty: orEmpty
        case .foreignDatabase, .other: false
        }
    }

    /// Opens the index, or makes an empty one. A damaged index is replaced, and so is a file that is not a database.
    ///
    /// - Throws: 134080 when a database of another kind, a folder, a link or a device has the name; an error of SQLite or of the file
    ///   system.
    func open() throws -> SQLiteSearchIndex {
        // Who makes the file must not meet one who removes the old one's log.
        try DurableFile.locking(url.deletingLastPathComponent()) {
            try prepare()
            do {
                return try openDatabase()
            } catch let damage as SearchIndexDamage {
                Log.store.warning("The search index at \(url.path) is rebuilt: \(damage).")
                try Self.removeFiles(at: url)
                try prepare()
                return try openDatabase()
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
            let index = try openDatabase()
            // Indexing goes on with what is open. A user who may not change the files only reads them, and leaves that to the next one.
            if let attributes = try FileAttributes(of: store)?.ofData { try? set(attributes) }
            return index
        }
    }

    /// Opens the database while this process has the folder's lock.
    private func openDatabase() throws -> SQLiteSearchIndex {
        let index = try SQLiteSearchIndex(at: url, of: form)
        // SQLite has played back a journal that has something to be played back. One without is left by a power cut, and stays in the
        // folder otherwise: an index with a write-ahead log gets another one only under the folder's lock.
        do {
            try Self.removeFile(at: url.path + "-journal")
        } catch let error as FileError where error.isRefusal {
            // It does no harm: a user who may remove it does.
        }
        return index
    }

    /// Removes the index; nothing is lost with it. A database of another kind is left alone.
    func remove() throws {
        try DurableFile.locking(url.deletingLastPathComponent()) {
            if try FileKind(at: url.path) == .regular, case .foreignDatabase = try Start(of: url) { return }
            try Self.removeFiles(at: url)
        }
    }

    private static func removeFiles(at url: URL) throws {
        for suffix in ["", "-wal", "-shm", "-journal"] { try removeFile(at: url.path + suffix) }
    }

    private static func removeFile(at path: String) throws {
        // What is not a file is another one's.
        guard try FileKind(at: path) == .regular else { return }
        try DurableFile.remove(URL(fileURLWithPath: path))
    }

    /// Sees to it that there is a file, with the mode and the owner of the store, and with the mark of an index.
    private func prepare() throws {
        let attributes = try FileAttributes(of: store)?.ofData
        switch try FileKind(at: url.path) {
        case .regular:
            if case .foreignDatabase = try Start(of: url) {
                throw refusal("is a SQLite database of another kind")
            }
            if let attributes { try set(attributes) }
        case .missing:
            do {
                let file = try OpenFile.making(url)
                defer { file.close() }
                if let attributes { try file.set(attributes) }
            } catch let error as FileError where error.code == EEXIST {
                // Another process was quicker.
            }
        case .folder, .link, .special: throw refusal("is not a file")
        }
        if url.isEmptyFile { try SQLiteSearchIndex.mark(url) }
    }

    /// Gives the index the mode and the owner of the store, which may have other ones by now. Its logs have words, too.
    private func set(_ attributes: FileAttributes) throws {
        for suffix in ["", "-wal", "-shm", "-journal"] {
            let path = url.path + suffix
            guard try FileKind(at: path) == .regular,
                try FileAttributes(of: URL(fileURLWithPath: path)) != attributes
            else { continue }
            do {
                try attributes.set(atPath: path)
            } catch let error as FileError where error.isMissing && !suffix.isEmpty {
                // A program that closed the index has removed its log.
            }
        }
    }

    private func refusal(_ reason: String) -> NSError {
        .coreData(
            .persistentStoreOpen,
            "There is no room for a search index: what is at \(url.path) \(reason). It is left alone.",
            [NSFilePathErrorKey: url.path])
    }
}
