import CoreData
import Foundation
import GRDB
import TestSupport
import Testing

/// New stores have the schema that Apple's framework gave to the stores of the corpus, letter by letter but for white
/// space, from the copies of the models in those.
///
/// Where the framework has changed its ways, ours are those of the newest. What remains is listed here.
@Suite(.enabled(if: Corpus.isPresent, "\(Corpus.missing)"), .serialized)
struct SchemaTextTests {
    private static let oldIndexes =
        "before version 800, indexes of attributes were called ZTABLE_ZCOLUMN_INDEX, and uniqueness was a table's"
    private static let migrated =
        "migrated in place: columns at the end, quoted names, indexes with the numbers of earlier models left behind"
    private static let photos = """
        \(migrated); indexes RADAR_… are the application's own; the indexes that the application's model file implies are \
        not in the copy of the model
        """

    /// How many statements differ, and why.
    private static let differences: [String: (count: Int, reason: String)] = [
        "Moody 2.moody": (10, oldIndexes), "Moody 3.moody": (10, oldIndexes),
        "Moody 4.moody": (14, oldIndexes), "Moody 5.moody": (10, oldIndexes),
        "Moody.moody": (10, oldIndexes), "XCServerCoreData_1.2.0.sqlite": (14, oldIndexes),
        "XCServerCoreData_1.2.0_empty.sqlite": (14, oldIndexes), "store1-24.wiredatabase": (14, oldIndexes),
        "store2-30-0.wiredatabase": (25, "\(oldIndexes); order columns stand in no order that is known"),
        "store2-82-0.wiredatabase": (18, migrated), "store2-99-0.wiredatabase": (36, migrated),
        "store2-105-0.wiredatabase": (41, migrated),
        "Test-10.15.1.photoslibrary": (84, photos), "Test-13.0.0.photoslibrary": (140, photos),
        "Test-15.4.1.photoslibrary": (129, photos),
    ]

    /// Join tables whose name or clashing columns depend, in Apple's framework, on the order of a dictionary.
    private static let unordered = [
        "Z_25TRUSTEDCLIENTS", "Z_24TRUSTEDCLIENTS", "Z_3SUGGESTIONSBEINGREPRESENTATIVEASSETS",
        "Z_3MEMORIESBEINGREPRESENTATIVEASSETS",
    ]

    @Test("New stores have the schema of Apple's stores, except for listed differences")
    func schemasMatchApple() throws {
        var (compared, equal, statements, equalStatements) = (0, 0, 0, 0)
        for store in CorpusStore.all {
            let folder = try store.copy()
            guard try folder.hasTable("Z_MODELCACHE") else { continue }
            let theirs = try SchemaTexts(folder)
            let ours = try newStore(of: folder)
            let differing = Set(theirs.texts.keys).union(ours.texts.keys)
                .filter { theirs.texts[$0] != ours.texts[$0] }
            let expected = Self.differences.first {
                store.name.hasSuffix("/\($0.key)") || store.name.contains("/\($0.key)/")
            }
            #expect(differing.count == expected?.value.count ?? 0, "\(store.name): \(differing.sorted())")
            // What differs in words says the same.
            for (table, columns) in ours.columns where !Self.unordered.contains(table) {
                #expect(theirs.columns[table] == columns, "\(store.name): \(table)")
            }
            #expect(
                ours.indexes.subtracting(theirs.indexes).filter { index in
                    !Self.unordered.contains { index.contains(" \($0) ") }
                } == [], "\(store.name)")
            if let expected, !differing.isEmpty {
                print("schema: \(store.name): \(differing.count) statements: \(expected.value.reason)")
            }
            compared += 1
            equal += differing.isEmpty ? 1 : 0
            statements += ours.texts.count
            equalStatements += ours.texts.keys.count { !differing.contains($0) }
        }
        print(
            """
            schema: \(equal) of \(compared) stores have the same text; \(equalStatements) of \(statements) statements \
            of ours are theirs
            """)
        #expect(compared == 41)
        #expect(equal == 26)
    }

    /// The schema of a new store with the model that a store holds.
    private func newStore(of folder: StoreFolder) throws -> SchemaTexts {
        let model = try NSPersistentStoreCoordinator.cachedModelForPersistentStore(
            ofType: NSSQLiteStoreType, at: folder.file)
        let own = try StoreFolder()
        let tracksHistory = try folder.hasTable("ACHANGE")
        try own.open(model, [NSPersistentHistoryTrackingKey: tracksHistory]).close()
        return try SchemaTexts(own)
    }
}

/// The statements that made the tables, indexes and triggers of a file.
private struct SchemaTexts {
    /// By type and name. Tables that SQLite makes itself are left out.
    let texts: [String: String]
    /// The columns of each table, with their types, by name.
    let columns: [String: [String]]
    /// What is indexed: whether it is unique, table and columns.
    let indexes: Set<String>

    init(_ folder: StoreFolder) throws {
        let rows = try folder.rows(
            """
            SELECT type || ' ' || name, sql FROM sqlite_master WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite_%'
            """)
        texts = Dictionary(
            uniqueKeysWithValues: rows.map {
                (String.fromDatabaseValue($0[0]) ?? "", Self.compacted(String.fromDatabaseValue($0[1]) ?? ""))
            })
        let columns = try folder.rows(
            """
            SELECT t.name, c.name || ' ' || c.type FROM sqlite_master t JOIN pragma_table_info(t.name) c
            WHERE t.type = 'table' AND t.rootpage > 0 ORDER BY 1, 2
            """)
        self.columns = Dictionary(grouping: columns) { String.fromDatabaseValue($0[0]) ?? "" }
            .mapValues { $0.map { String.fromDatabaseValue($0[1]) ?? "" } }
        let indexes = try folder.rows(
            """
            SELECT iif(i."unique", 'unique ', 'plain ') || t.name || ' ' || group_concat(
                CASE c.cid WHEN -1 THEN 'Z_PK' ELSE c.name END || iif(c.desc, ' DESC', ''), ',')
            FROM sqlite_master t JOIN pragma_index_list(t.name) i JOIN pragma_index_xinfo(i.name) c
            WHERE t.type = 'table' AND c.key GROUP BY t.name, i.name
            """)
        self.indexes = Set(indexes.compactMap { String.fromDatabaseValue($0[0]) })
    }

    /// A text without white space that means nothing.
    private static func compacted(_ text: String) -> String {
        let words = text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
        return words.replacing(" (", with: "(").replacing("( ", with: "(").replacing(" )", with: ")")
            .replacing(" ,", with: ",").replacing(", ", with: ",").replacing(" ;", with: ";")
    }
}
