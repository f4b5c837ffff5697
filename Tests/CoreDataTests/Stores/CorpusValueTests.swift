import CoreDataSQL
import CoreData
import Foundation
import GRDB
import TestSupport
import Testing

/// Every store of the corpus is read, changed and read again: one after the other, because some are large.
@Suite(.enabled(if: Corpus.isPresent, "\(Corpus.missing)"), .serialized)
struct CorpusValueTests {
    private struct Counts {
        var opened = 0
        var readOnly = 0
        var rows = 0
        var values = 0
        var links = 0
        var opaque = 0
        var updated = 0
        var inserted = 0
        var deleted = 0
        var refused: [String] = []
    }

    private func open(_ folder: StoreFolder, isReadOnly: Bool = false) throws -> NSPersistentContainer {
        let container = try NSPersistentContainer(storeAt: folder.file, isReadOnly: isReadOnly)
        if try folder.hasTable("ACHANGE") {
            container.persistentStoreDescriptions[0].setOption(
                NSNumber(value: true), forKey: NSPersistentHistoryTrackingKey)
        }
        var failure: (any Error)?
        container.loadPersistentStores { failure = $1 }
        if let failure { throw failure }
        return container
    }

    private func compare(
        _ container: NSPersistentContainer, _ folder: StoreFolder, _ what: String
    ) throws -> StoredValues {
        let store = try #require(
            container.persistentStoreCoordinator.persistentStores.first as? SQLiteStore)
        var values = StoredValues(store, folder)
        let context = container.newBackgroundContext()
        try context.performAndWait { try values.compare(in: context) }
        for difference in values.differences { Issue.record("\(what): \(difference)") }
        return values
    }

    @Test("Every store of the corpus is read, changed and read again")
    func allStoresAreReadAndChanged() throws {
        var counts = Counts()
        for store in CorpusStore.all {
            let folder = try store.copy()
            do {
                try readAndChange(folder, store.name, &counts)
            } catch {
                Issue.record("\(store.name): \(error)")
            }
        }
        for refusal in counts.refused { print("values: refused: \(refusal)") }
        print(
            """
            values: \(counts.opened) of \(CorpusStore.all.count) stores opened, \(counts.rows) rows, \(counts.values) \
            values and \(counts.links) links as in SQL, \(counts.opaque) opaque archives; \(counts.updated) changed, \
            \(counts.inserted) inserted, \(counts.deleted) deleted, \(counts.refused.count) refused
            """)
        #expect(counts.opened == 53 && CorpusStore.all.count == 53)
        #expect(counts.readOnly == 12)
        #expect(counts.rows > 45_000 && counts.values > 230_000 && counts.links > 20_000)
        #expect(counts.updated > 100 && counts.inserted > 200 && counts.deleted > 50)
    }

    private func readAndChange(_ folder: StoreFolder, _ name: String, _ counts: inout Counts) throws {
        let before = try Untouched(folder)
        let container = try open(folder)
        counts.opened += 1
        let values = try compare(container, folder, name)
        counts.rows += values.rows
        counts.values += values.values
        counts.links += values.linkCount
        counts.opaque += values.opaque
        let store = try #require(
            container.persistentStoreCoordinator.persistentStores.first as? SQLiteStore)
        var changes = StoreChanges(store, name)
        let context = container.newBackgroundContext()
        try context.performAndWait { try changes.run(in: context) }
        counts.updated += changes.updated.count
        counts.inserted += changes.inserted.count
        counts.deleted += changes.deleted.count
        counts.refused += changes.refused.map(\.text)
        // Without a copy of its model, a store opens with one that was made from its tables, and takes no changes. Of
        // the others, some changes break rules of the model: mandatory relationships, uniqueness.
        let isReadOnly = try !folder.hasTable("Z_MODELCACHE")
        counts.readOnly += isReadOnly ? 1 : 0
        for refusal in changes.refused {
            let isExpected =
                isReadOnly
                ? refusal.code == 134030 : (1550...1680).contains(refusal.code) || refusal.code == 133021
            #expect(isExpected, "\(refusal)")
        }
        #expect(isReadOnly == !store.unsupportedFeatures.isEmpty, "\(name): \(store.unsupportedFeatures)")
        try container.persistentStoreCoordinator.close()

        #expect(try folder.value("PRAGMA integrity_check") == "ok".databaseValue, "\(name)")
        let again = try open(folder, isReadOnly: true)
        _ = try compare(again, folder, "\(name), changed")
        try changes.check(folder)
        let after = try Untouched(folder)
        #expect(after.schema == before.schema, "\(name)")
        #expect(
            NSDictionary(dictionary: after.metadata) == NSDictionary(dictionary: before.metadata), "\(name)")
        #expect(after.otherTables == before.otherTables, "\(name)")
        #expect(after.dangling <= before.dangling, "\(name)")
        try again.persistentStoreCoordinator.close()
    }
}

/// What saving must not touch.
private struct Untouched {
    let schema: [String: String]
    let metadata: [String: Any]
    /// The numbers of rows in tables that are no entity's, no relationship's and no history's.
    let otherTables: [String: DatabaseValue]
    /// How many foreign keys lead nowhere, by table and column.
    let dangling: Int

    init(_ folder: StoreFolder) throws {
        schema = try folder.schema()
        metadata = try folder.metadata()
        otherTables = [
            "Z_MODELCACHE": try folder.hasTable("Z_MODELCACHE")
                ? try folder.value("SELECT hex(Z_CONTENT) FROM Z_MODELCACHE") : .null
        ]
        dangling = try folder.rows("PRAGMA foreign_key_check").count
    }
}

/// One change, one insertion and one deletion in each entity, each saved on its own.
private struct StoreChanges {
    let store: SQLiteStore
    let name: String
    private(set) var updated: [(table: String, column: String, key: Int64, value: DatabaseValue)] = []
    private(set) var inserted: [(table: String, key: Int64, number: Int32)] = []
    private(set) var deleted: [(table: String, key: Int64)] = []
    /// What the store or its model forbids, with the reason.
    private(set) var refused: [(code: Int, text: String)] = []

    init(_ store: SQLiteStore, _ name: String) {
        self.store = store
        self.name = name
    }

    mutating func run(in context: NSManagedObjectContext) throws {
        for entity in store.schema.entities where !entity.storedEntity.entity.isAbstract {
            try change(entity, context)
            try insert(entity, context)
            try delete(entity, context)
            context.reset()
        }
    }

    private mutating func save(_ context: NSManagedObjectContext, _ what: String) -> Bool {
        do {
            try context.save()
            return true
        } catch {
            context.rollback()
            let code = (error as NSError).code
            refused.append((code, "\(name): \(what): \(code) \(error.localizedDescription.prefix(160))"))
            return false
        }
    }

    private func first(_ entity: SQLEntity, _ context: NSManagedObjectContext) throws -> NSManagedObject? {
        let request = NSFetchRequest<NSManagedObject>(entityName: entity.storedEntity.entity.name ?? "")
        request.includesSubentities = false
        request.fetchLimit = 1
        return try context.fetch(request).first
    }

    private mutating func change(_ entity: SQLEntity, _ context: NSManagedObjectContext) throws {
        let description = entity.storedEntity.entity
        let constrained = Set(description.uniquenessConstraintNames.flatMap(\.self))
        let attributes = description.attributesByName.values.filter {
            !$0.isTransient && !($0 is NSDerivedAttributeDescription) && $0.validationPredicates.isEmpty
                && !constrained.contains($0.name)
        }.sorted { $0.name < $1.name }
        guard let object = try first(entity, context),
            let attribute = attributes.first(where: { $0.type == .string })
                ?? attributes.first(where: { [.integer64, .integer32, .date].contains($0.type) }),
            let slot = entity.storedEntity.layout.index(of: attribute.name),
            let column = entity.column(slot: slot)
        else { return }
        let stored: DatabaseValue
        switch attribute.type {
        case .string:
            object.setValue("changed here", forKey: attribute.name)
            stored = "changed here".databaseValue
        case .date:
            object.setValue(Date(timeIntervalSinceReferenceDate: 1234.5), forKey: attribute.name)
            stored = 1234.5.databaseValue
        default:
            object.setValue(4321, forKey: attribute.name)
            stored = 4321.databaseValue
        }
        let key = object.objectID.reference
        if save(context, "change of \(description.name ?? "")") {
            updated.append((entity.table, column.name, key, stored))
        }
    }

    private mutating func insert(_ entity: SQLEntity, _ context: NSManagedObjectContext) throws {
        let description = entity.storedEntity.entity
        let object = NSEntityDescription.insertNewObject(
            forEntityName: description.name ?? "", into: context)
        for attribute in description.attributesByName.values
        where !attribute.isOptional && !attribute.isTransient && object.value(forKey: attribute.name) == nil {
            object.setValue(Self.sample(of: attribute), forKey: attribute.name)
        }
        if save(context, "insertion of \(description.name ?? "")") {
            inserted.append((entity.table, object.objectID.reference, entity.number))
        }
    }

    /// Some value of an attribute's type.
    private static func sample(of attribute: NSAttributeDescription) -> Any {
        switch attribute.type {
        case .string: return "new"
        case .date: return Date(timeIntervalSinceReferenceDate: 1)
        case .uuid: return UUID()
        case .uri: return URL(fileURLWithPath: "/")
        case .binaryData: return Data([1, 2, 3])
        case .composite:
            let elements = (attribute as? NSCompositeAttributeDescription)?.elements ?? []
            return Dictionary(elements.map { ($0.name, sample(of: $0)) }, uniquingKeysWith: { a, _ in a })
        case .transformable:
            switch attribute.attributeValueClassName {
            case "NSDictionary": return ["a": 1] as NSDictionary
            case "NSSet": return NSSet(object: "a")
            default: return ["a"] as NSArray
            }
        default: return 1
        }
    }

    private mutating func delete(_ entity: SQLEntity, _ context: NSManagedObjectContext) throws {
        let request = NSFetchRequest<NSManagedObject>(entityName: entity.storedEntity.entity.name ?? "")
        request.includesSubentities = false
        // Neither the changed object nor the new one.
        let objects = try context.fetch(request)
        guard objects.count > 2 else { return }
        let object = objects[objects.count - 2]
        let key = object.objectID.reference
        context.delete(object)
        context.processPendingChanges()
        let gone = context.deletedObjects.map {
            ($0.objectID.storedEntity.entityNumber, $0.objectID.reference)
        }
        guard save(context, "deletion of \(entity.storedEntity.entity.name ?? "")") else { return }
        deleted.append((entity.table, key))
        for (number, key) in gone {
            guard let table = store.schema.entity(number)?.table else { continue }
            updated.removeAll { $0.table == table && $0.key == key }
            inserted.removeAll { $0.table == table && $0.key == key }
        }
    }

    /// Compares the file with what was done.
    func check(_ folder: StoreFolder) throws {
        for (table, column, key, value) in updated {
            let found = try folder.rows("SELECT \"\(column)\" FROM \"\(table)\" WHERE Z_PK = ?", [key])
            #expect(found == [[value]], "\(name): \(table).\(column) of \(key)")
        }
        for (table, key, number) in inserted {
            let found = try folder.rows("SELECT Z_ENT, Z_OPT FROM \"\(table)\" WHERE Z_PK = ?", [key])
            #expect(found.first?.first == number.databaseValue, "\(name): \(table) \(key)")
        }
        for (table, key) in deleted {
            #expect(
                try folder.rows("SELECT 1 FROM \"\(table)\" WHERE Z_PK = ?", [key]) == [], "\(name): \(table)"
            )
        }
        for entity in store.schema.entities
        where entity.storedEntity.entity.superentity == nil && store.unsupportedFeatures.isEmpty {
            let highest = try folder.rows(
                """
                SELECT 1 FROM Z_PRIMARYKEY WHERE Z_ENT = \(entity.number)
                AND Z_MAX < (SELECT MAX(Z_PK) FROM "\(entity.table)")
                """)
            #expect(highest == [], "\(name): Z_MAX of \(entity.table)")
        }
    }
}
