import CoreData
import CoreDataSQL
import Testing

/// The statements by which tools find faults, on a store that has them.
@Suite struct StoreFaultTests {
    /// An owner has items in an order, tags that others may have too, and a badge.
    private static func model() -> NSManagedObjectModel {
        let owner = NSEntityDescription.make("Owner", [])
        let item = NSEntityDescription.make("Item", [])
        let tag = NSEntityDescription.make("Tag", [])
        let badge = NSEntityDescription.make("Badge", [])
        let items = NSRelationshipDescription.toMany("items", ordered: true)
        let itemOwner = NSRelationshipDescription.toOne("owner")
        items.joined(from: owner, to: item, inverse: itemOwner)
        let tags = NSRelationshipDescription.toMany("tags")
        let tagOwners = NSRelationshipDescription.toMany("owners")
        tags.joined(from: owner, to: tag, inverse: tagOwners)
        let ownBadge = NSRelationshipDescription.toOne("badge")
        let holder = NSRelationshipDescription.toOne("holder")
        ownBadge.joined(from: owner, to: badge, inverse: holder)
        owner.properties = [Library.attribute("name", .string, optional: false), items, tags, ownBadge]
        item.properties = [Library.attribute("name", .string), itemOwner]
        tag.properties = [Library.attribute("name", .string), tagOwners]
        badge.properties = [Library.attribute("name", .string), holder]
        return .of(owner, item, tag, badge)
    }

    /// Makes a store of an owner with two items, two tags and a badge, changes its file, and opens it again.
    private func withStore(
        changedBy sql: String, readOnly: Bool = true, _ body: (any InspectedStore) throws -> Void
    ) throws {
        let folder = try StoreFolder()
        let coordinator = try folder.open(Self.model())
        let context = NSManagedObjectContext(.privateQueue)
        context.persistentStoreCoordinator = coordinator
        try context.performAndWait {
            func insert(_ entity: String) -> NSManagedObject {
                NSEntityDescription.insertNewObject(forEntityName: entity, into: context)
            }
            let owner = insert("Owner")
            owner.setValue("Ada", forKey: "name")
            owner.setValue(NSOrderedSet(array: [insert("Item"), insert("Item")]), forKey: "items")
            owner.setValue(Set([insert("Tag"), insert("Tag")]), forKey: "tags")
            owner.setValue(insert("Badge"), forKey: "badge")
            try context.save()
        }
        try coordinator.close()
        if !sql.isEmpty { try folder.execute(sql) }
        let opened = try folder.open(Self.model(), [NSReadOnlyPersistentStoreOption: readOnly])
        try body(try #require(opened.persistentStores.first as? any InspectedStore))
        try opened.close()
    }

    private func entity(_ name: String, _ schema: SQLSchema) throws -> SQLEntity {
        try #require(schema.entities.first { $0.name == name })
    }

    /// All faults of a store as `Entity fault count`, those that it does not have left out.
    private func faults(_ contents: any StoreContents) throws -> [String] {
        let (schema, connection) = (contents.schema, contents.connection)
        var found: [String] = []
        func note(_ entity: SQLEntity, _ fault: String, _ statement: SQLStatement) throws {
            let rows = try connection.found(statement)
            if !rows.isEmpty { found.append("\(entity.name) \(fault) \(rows.count)") }
        }
        for entity in schema.entities {
            for query in ReferenceFaults(schema).dangling(of: entity) {
                try note(entity, "dangling \(query.property)", query.all)
            }
            for query in ReferenceFaults(schema).wrongEntities(of: entity) {
                try note(entity, "wrong entity \(query.property)", query.all)
            }
            for query in ReferenceFaults(schema).oneSided(of: entity) {
                try note(entity, "one-sided \(query.property)", query.all)
            }
            let rows = RowFaults(schema)
            try note(entity, "unknown entity", rows.unknownEntities(of: entity))
            #expect(
                try connection.integer(rows.countOfUnknownEntities(of: entity))
                    == connection.found(rows.unknownEntities(of: entity)).count)
            for column in entity.columns
            where !entity.storedEntity.layout.slots[column.slot].property.isOptional {
                try note(entity, "missing value", rows.missingValues(column, of: entity))
            }
            for slot in entity.storedEntity.layout.slots where slot.kind == .toMany {
                guard let links = slot.relationship.flatMap(schema.links(of:)) else { continue }
                if let order = links.order {
                    try note(entity, "missing position", rows.missingPositions(links, order))
                    try note(entity, "shared position", rows.sharedPositions(links, order))
                }
                try note(entity, "dangling link \(slot.name)", rows.danglingLinks(links, links.owner, entity))
                if links.kind == .joinTable { try note(entity, "double link", rows.duplicateLinks(links)) }
            }
            try note(entity, "invalid key", TableFaults.invalidKeys(in: entity.table))
        }
        return found
    }

    @Test(
        "Each fault is found with its entity and key, and a sound store has none",
        arguments: [
            ("", []),
            (
                "UPDATE ZITEM SET ZOWNER = 99 WHERE Z_PK = 1",
                ["Owner dangling link items 1", "Item dangling owner 1"]
            ),
            ("UPDATE ZBADGE SET ZHOLDER = NULL", ["Owner one-sided badge 1"]),
            ("UPDATE ZITEM SET Z_ENT = 77 WHERE Z_PK = 1", ["Item unknown entity 1"]),
            ("UPDATE ZITEM SET Z_ENT = NULL", ["Item unknown entity 2"]),
            // In a table of one entity the number is not read.
            ("UPDATE ZBADGE SET Z_ENT = 77", ["Badge unknown entity 1"]),
            ("UPDATE ZOWNER SET ZNAME = NULL", ["Owner missing value 1"]),
            ("UPDATE ZITEM SET Z_FOK_OWNER = NULL", ["Owner missing position 2"]),
            ("UPDATE ZITEM SET Z_FOK_OWNER = 7", ["Owner shared position 1"]),
            ("DELETE FROM ZTAG WHERE Z_PK = 2", ["Tag dangling link owners 1"]),
            ("INSERT INTO ZTAG (Z_PK, Z_ENT, Z_OPT) VALUES (-1, 4, 1)", ["Tag invalid key 1"]),
        ] as [(String, [String])])
    func faultsAreFound(change: String, expected: [String]) throws {
        try withStore(changedBy: change) { store in
            let found = try store.withContents { try faults($0) }
            #expect(found.sorted() == expected.sorted())
        }
    }

    @Test("Found rows are counted, and the first five keys are kept, each once")
    func foundRows() {
        var rows = FoundRows()
        #expect(rows.isEmpty)
        for key in [3, 3, nil, 1, 2, 4, 5, 6] as [Int64?] { rows.add(key) }
        #expect(rows.count == 8)
        #expect(rows.keys == [3, 1, 2, 4, 5])
    }

    @Test("Dangling references are found in batches by key, and removed")
    func referencesAreRemoved() throws {
        try withStore(changedBy: "UPDATE ZITEM SET ZOWNER = 99", readOnly: false) { store in
            let query = try #require(
                try ReferenceFaults(store.schema).dangling(of: entity("Item", store.schema)).first)
            try store.importing { target in
                let connection = target.snapshot.connection
                #expect(try connection.found(query.next(1, above: 0)).keys == [1])
                #expect(try connection.found(query.next(5, above: 1)).keys == [2])
                for key in [1, 2] as [Int64] { try target.update(query.removal(from: key)) }
                #expect(try connection.found(query.all).isEmpty)
            }
        }
    }

    @Test("Rows are looked up by key, by values and by table")
    func lookups() throws {
        try withStore(changedBy: "") { store in
            try store.withContents { contents in
                let connection = contents.connection
                let owner = try entity("Owner", contents.schema)
                let item = try entity("Item", contents.schema)
                var numbers: [Int64?] = []
                try connection.forEachRow(of: RowFaults(contents.schema).numbers(of: item)) {
                    numbers += [$0.wholeNumber(0), $0.wholeNumber(1)]
                }
                #expect(numbers == [Int64(item.number), 0])
                #expect(try connection.integer(RowLookup.count(of: item)) == 2)
                #expect(try connection.integer(RowLookup.count(in: item.table)) == 2)
                #expect(try connection.value(RowLookup.firstRow(in: item.table)) == .integer(1))
                #expect(try connection.value(RowLookup.firstValue(in: item.table, "ZNAME")) == nil)
                #expect(
                    try connection.firstInteger(
                        connection.dialect.render(RowLookup.entityNumber(in: item)).binding([.integer(1)]))
                        == Int64(item.number))
                #expect(try connection.firstInteger(RowLookup.key(2, of: item)) == 2)
                #expect(try connection.firstInteger(RowLookup.key(3, of: item)) == nil)
                #expect(try connection.value(RowLookup.values(1, of: owner, ["ZNAME"])) == .text("Ada"))
                let ada = RowLookup.key(of: owner, where: [("ZNAME", .text("Ada"))])
                #expect(try connection.firstInteger(ada) == 1)
                #expect(try connection.firstInteger(TableFaults.highestKey(in: item.table)) == 2)
                var counts: [[Int64]] = []
                try connection.forEachRow(of: RowLookup.counts(in: item.table)) {
                    counts.append([$0.integer(0), $0.integer(1)])
                }
                #expect(counts == [[Int64(item.number), 2]])
            }
        }
    }

    @Test("Entities are listed with the tables of their rows, without a model")
    func entityNumbers() throws {
        try withStore(changedBy: "") { store in
            let url = try #require(store.url)
            try SQLiteStoreTables(url).inspect { connection, tables in
                let numbers = try #require(try EntityNumbers(connection, tables))
                #expect(numbers.all.map(\.name) == ["Badge", "Item", "Owner", "Tag"])
                #expect(numbers.all.map(\.highestKey) == [1, 2, 1, 2])
                #expect(numbers.all.compactMap(numbers.table) == ["ZBADGE", "ZITEM", "ZOWNER", "ZTAG"])
                #expect(try EntityNumbers(connection, ExistingTables([:])) == nil)
            }
        }
    }

    @Test("History changes without their transaction, entity or author are found")
    func historyFaults() throws {
        let folder = try StoreFolder()
        let coordinator = try folder.open(Self.model(), [NSPersistentHistoryTrackingKey: true])
        let context = NSManagedObjectContext(.privateQueue)
        context.persistentStoreCoordinator = coordinator
        try context.performAndWait {
            _ = NSEntityDescription.insertNewObject(forEntityName: "Tag", into: context)
            context.transactionAuthor = "test"
            try context.save()
        }
        try coordinator.close()
        let statements = [
            TableFaults.changesWithoutTransaction(hasTransactions: true), TableFaults.changesWithoutEntity,
            TableFaults.transactionsWithoutString("ZAUTHORTS", hasStrings: true),
            TableFaults.changesWithoutTransaction(hasTransactions: false),
            TableFaults.transactionsWithoutString("ZAUTHORTS", hasStrings: false),
        ]
        func counts() throws -> [Int] {
            try SQLiteStoreTables(folder.file).inspect { connection, _ in
                try statements.map { try connection.found($0).count }
            }
        }
        #expect(try counts() == [0, 0, 0, 1, 1])
        try folder.execute(
            "UPDATE ACHANGE SET ZTRANSACTIONID = 9, ZENTITY = 77; UPDATE ATRANSACTION SET ZAUTHORTS = 9")
        #expect(try counts() == [1, 1, 1, 1, 1])
    }
}
