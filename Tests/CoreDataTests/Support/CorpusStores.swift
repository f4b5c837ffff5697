import CoreData
import Foundation
import GRDB
import TestSupport

/// A SQLite store of the corpus.
struct CorpusStore: Sendable {
    /// Relative to the corpus.
    let path: String

    /// All of them, by path. One is known by the first bytes of its file.
    static let all: [CorpusStore] = Corpus.files(under: "stores").filter { path in
        guard let file = try? FileHandle(forReadingFrom: Corpus.url(path)) else { return false }
        defer { try? file.close() }
        return (try? file.read(upToCount: 15)) == Data("SQLite format 3".utf8)
    }.map(CorpusStore.init)

    /// The last parts of the path, which distinguish the stores.
    var name: String { path.split(separator: "/").dropFirst().joined(separator: "/") }

    /// A folder with a copy of the store.
    func copy() throws -> StoreFolder { try StoreFolder(copying: Corpus.url(path)) }
}

extension StoreFolder {
    /// Whether the file has a table.
    func hasTable(_ name: String) throws -> Bool {
        try !rows("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = ?", [name]).isEmpty
    }

    /// What the file says of itself.
    func metadata() throws -> [String: Any] {
        try NSPersistentStoreCoordinator.metadataForPersistentStore(ofType: NSSQLiteStoreType, at: file)
    }
}
