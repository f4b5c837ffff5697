import CoreData
import GRDB
import Testing

/// Rows of history that no program of Apple's or ours writes.
@Suite struct HistoryHostileTests {
    private let folder: StoreFolder

    init() throws {
        folder = try StoreFolder()
        try folder.open(HistoryModel.model(), HistoryModel.tracking).inContext { context in
            let book = try context.insert("Book", ["title": "One"])
            try context.save()
            book.setValue("Two", forKey: "title")
            try context.save()
            context.delete(book)
            try context.save()
        }
    }

    private func changes() throws -> [NSPersistentHistoryChange] {
        try folder.open(HistoryModel.model(), HistoryModel.tracking).inContext { context in
            try context.transactions().flatMap { $0.changes ?? [] }
        }
    }

    @Test(
        "Invalid rows of changes are left out",
        arguments: [
            "ZENTITY = 999", "ZENTITY = -1", "ZENTITY = 9223372036854775807", "ZENTITY = NULL",
            "ZENTITYPK = NULL",
            "ZENTITYPK = -4", "ZENTITYPK = 'text'", "ZCHANGETYPE = 7", "ZCHANGETYPE = NULL",
            "ZCHANGETYPE = 9223372036854775807", "ZTRANSACTIONID = 77", "ZTRANSACTIONID = NULL",
            "ZTRANSACTIONID = 9223372036854775807",
        ])
    func invalidChangesAreLeftOut(_ damage: String) throws {
        try folder.execute("UPDATE ACHANGE SET \(damage) WHERE Z_PK = 2")
        #expect(try changes().map(\.changeID) == [1, 3])
    }

    @Test(
        "Bitmaps of changed properties are read whatever their length",
        arguments: [
            ("NULL", []), ("x''", []), ("x'08'", ["title"]), ("zeroblob(100000000)", []),
            ("x'FFFFFFFFFF'", ["author", "isbn", "note", "pages", "reviews", "tags", "title"]),
            // A value that is not a blob is read as its bytes: 0x54 is a letter.
            ("'T'", ["isbn", "pages", "reviews"]),
        ] as [(String, [String])])
    func bitmaps(_ value: String, _ names: [String]) throws {
        try folder.execute("UPDATE ACHANGE SET ZCOLUMNS = \(value) WHERE Z_PK = 2")
        let found = try changes()
        try #require(found.count == 3)
        #expect(found[1].updatedNames == names)
    }

    @Test("Tombstone values of a wrong type are left out")
    func invalidTombstones() throws {
        try folder.execute(
            "UPDATE ACHANGE SET ZTOMBSTONE0 = x'0102', ZTOMBSTONE1 = 'many', ZTOMBSTONE2 = 9 WHERE Z_PK = 3")
        #expect(try changes().last?.tombstone?.isEmpty == true)
    }

    @Test(
        "Invalid timestamps and strings are read as empty values",
        arguments: ["NULL", "'text'", "9e999", "x'00'"])
    func invalidTimestamps(_ value: String) throws {
        try folder.execute(
            "UPDATE ATRANSACTION SET ZTIMESTAMP = \(value), ZBUNDLEIDTS = 99, ZPROCESSIDTS = NULL")
        try folder.open(HistoryModel.model(), HistoryModel.tracking).inContext { context in
            let found = try context.transactions()
            #expect(found.map(\.timestamp.timeIntervalSinceReferenceDate) == [0, 0, 0])
            #expect(found.allSatisfy { $0.bundleID == "" && $0.processID == "" })
        }
    }

    /// Keys that are behind what the tables have are put right; without room there is an error.
    @Test("Counted keys that are behind are corrected, and a save without a free key fails")
    func countedKeys() throws {
        try folder.execute("UPDATE Z_PRIMARYKEY SET Z_MAX = NULL WHERE Z_ENT = 16002")
        try folder.execute("UPDATE Z_PRIMARYKEY SET Z_MAX = 1 WHERE Z_ENT = 16001")
        try folder.execute("DELETE FROM Z_PRIMARYKEY WHERE Z_ENT = 16003")
        let coordinator = try folder.open(HistoryModel.model(), HistoryModel.tracking)
        try coordinator.inContext { context in
            context.transactionAuthor = "new"
            try context.insert("Tag")
            try context.save()
            #expect(try context.transactions().map(\.transactionNumber) == [1, 2, 3, 4])
            #expect(try context.transactions().last?.changes?.map(\.changeID) == [4])
            try folder.execute("UPDATE Z_PRIMARYKEY SET Z_MAX = 9223372036854775807 WHERE Z_ENT = 16001")
            try context.insert("Tag")
            #expect(throws: (any Error).self) { try context.save() }
            #expect(context.hasChanges)
        }
        #expect(try folder.value("SELECT COUNT(*) FROM ZTAG") == 1.databaseValue)
    }
}
