import CoreData
import GRDB
import Testing

/// Stores with and without history, opened with and without the option.
@Suite struct HistoryOpeningTests {
    private let folder: StoreFolder

    init() throws { folder = try StoreFolder() }

    /// The text of the tables and indexes of history, by name.
    private func historySchema() throws -> [String: String] {
        try folder.schema().filter { $0.value.contains(" ACHANGE ") || $0.value.contains(" ATRANSACTION") }
    }

    @Test("Turning tracking on adds the history tables to an existing store")
    func historyForAnExistingStore() throws {
        try folder.open(HistoryModel.model()).inContext { context in
            try context.insert("Tag", ["name": "before"])
            try context.save()
        }
        let coordinator = try folder.open(HistoryModel.model(), HistoryModel.tracking)
        try coordinator.inContext { context in
            #expect(try context.transactions().isEmpty)
            try context.only("Tag").setValue("after", forKey: "name")
            try context.save()
            #expect(try context.transactions().count == 1)
        }
        let added = try historySchema()
        let new = try StoreFolder()
        _ = try new.open(HistoryModel.model(), HistoryModel.tracking)
        #expect(added.count == 11)
        #expect(try new.schema().filter { added[$0.key] != nil } == added)
    }

    @Test("A store with history is read-only without the tracking option")
    func withoutTheOption() throws {
        let first = try folder.open(HistoryModel.model(), HistoryModel.tracking)
        try first.inContext { context in
            try context.insert("Tag", ["name": "kept"])
            try context.save()
        }
        try first.close()
        let before = try Data(contentsOf: folder.file)
        for options in [nil, [NSPersistentHistoryTrackingKey: false] as [AnyHashable: Any]] {
            let coordinator = try folder.open(HistoryModel.model(), options)
            #expect(coordinator.persistentStores[0].isReadOnly)
            try coordinator.inContext { context in
                let tag = try context.only("Tag")
                tag.setValue("changed", forKey: "name")
                let refusal = try error { try context.save() }
                #expect(refusal.localizedDescription.contains(NSPersistentHistoryTrackingKey))
                context.rollback()
                try context.insert("Tag")
                let second = try error { try context.save() }
                #expect(second.localizedDescription.contains(NSPersistentHistoryTrackingKey))
                // What was written down can be read.
                #expect(try context.transactions().count == 1)
                let deletion = NSPersistentHistoryChangeRequest.deleteHistory(before: Date.distantFuture)
                let third = try error { _ = try context.execute(deletion) }
                #expect(third.localizedDescription.contains("read-only"))
            }
            try coordinator.close()
        }
        #expect(try Data(contentsOf: folder.file) == before)
        try folder.open(HistoryModel.model(), HistoryModel.tracking).inContext { context in
            try context.only("Tag").setValue("changed", forKey: "name")
            try context.save()
            #expect(try context.transactions().count == 2)
        }
    }

    @Test("Missing tombstone columns are added")
    func missingTombstoneColumns() throws {
        try folder.open(HistoryModel.model(), HistoryModel.tracking).close()
        try folder.execute(
            "ALTER TABLE ACHANGE DROP COLUMN ZTOMBSTONE2; ALTER TABLE ACHANGE DROP COLUMN ZTOMBSTONE1")
        let coordinator = try folder.open(HistoryModel.model(), HistoryModel.tracking)
        try coordinator.inContext { context in
            let book = try context.insert("Book", ["title": "One"])
            try context.save()
            context.delete(book)
            try context.save()
            #expect(
                try context.transactions().last?.changes?.first?.tombstone?["title"] as? String == "One")
        }
    }

    /// The tables of the first versions have the texts themselves.
    @Test("History without a table of strings is written in its own format")
    func tablesWithoutStrings() throws {
        try folder.open(HistoryModel.model(), HistoryModel.tracking).close()
        try folder.execute(
            """
            DROP TABLE ATRANSACTIONSTRING; DROP TABLE ATRANSACTION;
            CREATE TABLE ATRANSACTION ( Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZTIMESTAMP FLOAT, ZAUTHOR \
            VARCHAR, ZBUNDLEID VARCHAR, ZCONTEXTNAME VARCHAR, ZPROCESSID VARCHAR, ZQUERYGEN BLOB )
            """)
        let coordinator = try folder.open(HistoryModel.model(), HistoryModel.tracking)
        try coordinator.inContext { context in
            context.transactionAuthor = "reader"
            try context.insert("Tag")
            try context.save()
            #expect(try context.transactions().map(\.author) == ["reader"])
        }
        #expect(try folder.value("SELECT ZAUTHOR FROM ATRANSACTION") == "reader".databaseValue)
    }

    @Test(
        "Damaged history tables are refused with tracking and read-only without it",
        arguments: [
            "DROP TABLE ATRANSACTION", "DROP TABLE ATRANSACTIONSTRING", "DROP TABLE ACHANGE",
            "DROP TABLE ACHANGE; CREATE VIEW ACHANGE AS SELECT 1",
            "ALTER TABLE ACHANGE DROP COLUMN ZCOLUMNS",
        ])
    func damagedTables(_ damage: String) throws {
        try folder.open(HistoryModel.model(), HistoryModel.tracking).close()
        try folder.execute(damage)
        let refusal = try error { _ = try folder.open(HistoryModel.model(), HistoryModel.tracking) }
        #expect(refusal.code == NSPersistentStoreIncompatibleSchemaError)
        #expect(refusal.localizedDescription.contains("history"))
        let coordinator = try folder.open(HistoryModel.model())
        #expect(coordinator.persistentStores[0].isReadOnly)
    }

    @Test("A dictionary as the tracking option turns tracking off only by its own key")
    func dictionaryAsTheOption() throws {
        for (option, hasHistory) in [([NSPersistentHistoryTrackingKey: false], false), (["a": false], true)] {
            let coordinator = try folder.open(
                HistoryModel.model(), [NSPersistentHistoryTrackingKey: option])
            try coordinator.close()
            #expect(try (folder.schema()["ATRANSACTION"] != nil) == hasHistory)
        }
    }
}
