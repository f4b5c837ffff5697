import CoreData
import GRDB
import Testing

/// What a save writes into the tables of history, read with plain SQL.
@Suite struct HistoryWritingTests {
    private let folder: StoreFolder
    private let coordinator: NSPersistentStoreCoordinator

    init() throws {
        folder = try StoreFolder()
        coordinator = try folder.open(HistoryModel.model(), HistoryModel.tracking)
    }

    /// The rows of a query as texts.
    private func texts(_ sql: String) throws -> [[String]] {
        try folder.rows(sql).map { row in
            row.map { $0.isNull ? "NULL" : String.fromDatabaseValue($0) ?? "\($0.storage.value ?? "")" }
        }
    }

    /// Type, entity, bitmap of each change of the last transaction.
    private func lastChanges() throws -> [String] {
        try texts(
            """
            SELECT ZCHANGETYPE || ' ' || (SELECT Z_NAME FROM Z_PRIMARYKEY k WHERE k.Z_ENT = ZENTITY) || ' '
                || CASE WHEN ZCOLUMNS IS NULL THEN 'none' ELSE hex(ZCOLUMNS) END
            FROM ACHANGE WHERE ZTRANSACTIONID = (SELECT MAX(Z_PK) FROM ATRANSACTION) ORDER BY Z_PK
            """
        ).map { $0[0] }
    }

    @Test("A save writes one transaction with its author, name and process")
    func transaction() throws {
        let before = Date().timeIntervalSinceReferenceDate
        try coordinator.inContext { context in
            context.name = "desk"
            context.transactionAuthor = "reader"
            try context.insert("Author", ["name": "Ada"])
            try context.save()
        }
        let row = try folder.rows("SELECT * FROM ATRANSACTION")
        try #require(row.count == 1 && row[0].count == 13)
        #expect(row[0][0] == 1.databaseValue && row[0][1] == 16002.databaseValue && row[0][2].isNull)
        let time = try #require(Double.fromDatabaseValue(row[0][7]))
        #expect(time >= before && time <= Date().timeIntervalSinceReferenceDate)
        #expect(row[0][8...].allSatisfy { $0.isNull })
        let strings = try texts(
            """
            SELECT s.Z_ENT, ifnull(s.Z_OPT, 'NULL'), s.ZNAME FROM ATRANSACTION t, ATRANSACTIONSTRING s
            WHERE s.Z_PK IN (t.ZAUTHORTS, t.ZBUNDLEIDTS, t.ZCONTEXTNAMETS, t.ZPROCESSIDTS) ORDER BY s.Z_PK
            """)
        let process = ProcessInfo.processInfo.processName
        let names = ["reader", Bundle.main.bundleIdentifier ?? process, "desk", process]
        #expect(Set(strings.map { $0[2] }) == Set(names))
        #expect(strings.allSatisfy { $0[0] == "16003" && $0[1] == "NULL" })
        let author = try folder.value(
            "SELECT ZNAME FROM ATRANSACTION t, ATRANSACTIONSTRING s WHERE s.Z_PK = t.ZAUTHORTS")
        #expect(author == "reader".databaseValue)
        let change = try texts("SELECT * FROM ACHANGE")
        #expect(
            change == [["1", "16001", "NULL", "0", "1", "1", "1", "NULL", "NULL", "NULL", "NULL"]])
    }

    @Test("Transactions share strings and count keys, and an empty save writes none")
    func keysAndStringsAreShared() throws {
        try coordinator.inContext { context in
            for name in ["a", "b", "c"] {
                context.transactionAuthor = name == "c" ? nil : "same"
                try context.insert("Tag", ["name": name])
                try context.insert("Tag", ["name": name])
                try context.save()
                try context.save()
            }
        }
        #expect(try folder.value("SELECT COUNT(*) FROM ATRANSACTION") == 3.databaseValue)
        #expect(try folder.value("SELECT COUNT(*) FROM ACHANGE") == 6.databaseValue)
        #expect(
            try folder.value("SELECT COUNT(*) FROM ATRANSACTION WHERE ZAUTHORTS IS NULL") == 1.databaseValue)
        #expect(try folder.value("SELECT COUNT(DISTINCT ZAUTHORTS) FROM ATRANSACTION") == 1.databaseValue)
        for (table, number) in [("ACHANGE", 16001), ("ATRANSACTION", 16002), ("ATRANSACTIONSTRING", 16003)] {
            #expect(
                try folder.value("SELECT MAX(Z_PK) FROM \(table)")
                    == folder.value("SELECT Z_MAX FROM Z_PRIMARYKEY WHERE Z_ENT = \(number)"))
        }
    }

    @Test("A failed save writes no history")
    func failedSaveWritesNothing() throws {
        try coordinator.inContext { context in
            let tag = try context.insert("Tag", ["name": "a"])
            try context.save()
            try folder.execute("UPDATE ZTAG SET Z_OPT = 7")
            tag.setValue("b", forKey: "name")
            #expect(throws: (any Error).self) { try context.save() }
        }
        #expect(try folder.value("SELECT COUNT(*) FROM ATRANSACTION") == 1.databaseValue)
        #expect(try folder.value("SELECT Z_MAX FROM Z_PRIMARYKEY WHERE Z_ENT = 16002") == 1.databaseValue)
    }

    /// The order of the bits is the one that Apple's stores show.
    @Test("The bitmaps of changes have the bits of Apple's stores")
    func bitmaps() throws {
        try coordinator.inContext { context in
            let ada = try context.insert("Author", ["name": "Ada"])
            let book = try context.insert("Book", ["title": "One"])
            let other = try context.insert("Book", ["title": "Two"])
            let novel = try context.insert("Novel", ["title": "Three"])
            let tag = try context.insert("Tag", ["name": "t"])
            let review = try context.insert("Review", ["stars": 5])
            try context.save()
            #expect(try lastChanges().allSatisfy { $0.hasPrefix("0 ") && $0.hasSuffix(" none") })

            func changes(_ body: () -> Void) throws -> Set<String> {
                body()
                try context.save()
                return Set(try lastChanges())
            }
            // author, isbn, note, pages, title, reviews, tags
            #expect(try changes { book.setValue("x", forKey: "title") } == ["1 Book 08"])
            #expect(try changes { book.setValue(UUID(), forKey: "isbn") } == ["1 Book 40"])
            #expect(
                try changes {
                    book.setValue("n", forKey: "note")
                    book.setValue(3, forKey: "pages")
                } == ["1 Book 30"])
            // name, books
            #expect(
                try changes { book.setValue(ada, forKey: "author") } == ["1 Book 80", "1 Author 40"])
            #expect(
                try changes { book.setValue(NSSet(object: tag), forKey: "tags") }
                    == ["1 Book 02", "1 Tag 40"])
            // author, isbn, note, pages, title, genre, reviews, tags
            #expect(try changes { novel.setValue("g", forKey: "genre") } == ["1 Novel 04"])
            #expect(try changes { novel.setValue("t", forKey: "title") } == ["1 Novel 08"])
            // book, its entity, its place, stars, text
            #expect(try changes { review.setValue(1, forKey: "stars") } == ["1 Review 10"])
            #expect(
                try changes { review.setValue(book, forKey: "book") } == ["1 Review E0", "1 Book 04"])
            #expect(
                try changes { review.setValue(other, forKey: "book") } == ["1 Review A0", "1 Book 04"])
            #expect(
                try changes { review.setValue(novel, forKey: "book") }
                    == ["1 Review E0", "1 Book 04", "1 Novel 02"])
        }
    }

    @Test("Changes are written as insertions, updates and deletions")
    func orderOfChanges() throws {
        try coordinator.inContext { context in
            let first = try context.insert("Tag", ["name": "first"])
            let second = try context.insert("Tag", ["name": "second"])
            try context.save()
            context.delete(first)
            second.setValue("changed", forKey: "name")
            try context.insert("Author", ["name": "Ada"])
            try context.save()
        }
        #expect(try lastChanges() == ["0 Author none", "1 Tag 80", "2 Tag none"])
    }

    @Test("A deletion keeps the values that the model preserves")
    func tombstones() throws {
        let isbn = UUID()
        try coordinator.inContext { context in
            let book = try context.insert(
                "Book", ["title": "One", "isbn": isbn, "pages": 7, "note": "not kept"])
            let novel = try context.insert("Novel", ["title": "Two"])
            let tag = try context.insert("Tag", ["name": "t"])
            try context.save()
            for object in [book, novel, tag] { context.delete(object) }
            try context.save()
        }
        let rows = try folder.rows(
            """
            SELECT ZENTITY, ZTOMBSTONE0, ZTOMBSTONE1, ZTOMBSTONE2 FROM ACHANGE WHERE ZCHANGETYPE = 2 ORDER BY ZENTITY
            """)
        try #require(rows.count == 3)
        #expect(Data.fromDatabaseValue(rows[0][1]) == withUnsafeBytes(of: isbn.uuid) { Data($0) })
        #expect(rows[0][2] == 7.databaseValue && rows[0][3] == "One".databaseValue)
        #expect(rows[1][1].isNull && rows[1][2].isNull && rows[1][3] == "Two".databaseValue)
        #expect(rows[2][1...].allSatisfy { $0.isNull })
    }

    /// To-many relationships have the order of the keys in a dictionary of Apple's Foundation.
    @Test("The bits of to-many relationships are in the order of Apple's dictionaries")
    func bitsOfToManyRelationships() throws {
        let hub = NSEntityDescription("Hub")
        let spoke = NSEntityDescription("Spoke")
        let names = ["alpha", "beta", "delta", "epsilon", "gamma"]
        for name in names {
            pair(hub.relate(name, to: spoke, many: true), spoke.relate("of_" + name, to: hub))
        }
        let folder = try StoreFolder()
        let coordinator = try folder.open(NSManagedObjectModel(of: hub, spoke), HistoryModel.tracking)
        var bitmaps: [String: String] = [:]
        try coordinator.inContext { context in
            let hub = try context.insert("Hub")
            try context.save()
            for name in names {
                try context.insert("Spoke").setValue(hub, forKey: "of_" + name)
                try context.save()
                let bitmap = try folder.value(
                    "SELECT hex(ZCOLUMNS) FROM ACHANGE WHERE ZCHANGETYPE = 1 ORDER BY Z_PK DESC LIMIT 1")
                bitmaps[name] = String.fromDatabaseValue(bitmap)
            }
        }
        #expect(bitmaps == ["alpha": "80", "gamma": "40", "epsilon": "20", "delta": "10", "beta": "08"])
    }

    @Test("An object that was already deleted has no change")
    func objectDeletedElsewhere() throws {
        try coordinator.inContext { context in
            let gone = try context.insert("Tag", ["name": "gone"])
            let there = try context.insert("Tag", ["name": "there"])
            try context.save()
            try folder.execute("DELETE FROM ZTAG WHERE ZNAME = 'gone'")
            context.delete(gone)
            context.delete(there)
            try context.save()
        }
        #expect(try lastChanges() == ["2 Tag none"])
    }

    @Test("A store without tracking has no history tables")
    func withoutTheOption() throws {
        let folder = try StoreFolder()
        try folder.make(HistoryModel.model())
        #expect(try folder.schema().keys.contains { $0.hasPrefix("A") } == false)
        #expect(
            try folder.value("SELECT COUNT(*) FROM Z_PRIMARYKEY WHERE Z_ENT > 16000") == 0.databaseValue)
    }
}
