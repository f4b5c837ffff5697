import GRDB
import Synchronization
import Testing

import CoreData
@testable import CoreDataSQLite
@testable import ObjectGraph

/// One identity has one object, also where a store has it twice; an object that another one displaces has no context any more.
@Suite struct OneObjectForEachIdentityTests {
    private static let model: NSManagedObjectModel = {
        let sub = NSEntityDescription("Sub", attribute("more", .integer64))
        let item = NSEntityDescription(
            "Item", attribute("name", .string), attribute("number", .integer64), subentities: [sub])
        return NSManagedObjectModel(of: item, sub)
    }()

    private let folder: StoreFolder

    /// A store with two objects.
    init() throws {
        folder = try StoreFolder()
        let coordinator = try folder.open(Self.model)
        try coordinator.inContext { context in
            for name in ["one", "two"] {
                try context.insert("Item", ["name": name, "number": 1])
                try context.save()
            }
        }
        try coordinator.close()
    }

    /// Gives the table no primary key, and each row a double of another version.
    private func doubleRows(entityOfDoubles: String = "Z_ENT") throws {
        let columns = "Z_PK, Z_ENT, Z_OPT, ZNUMBER, ZMORE, ZNAME"
        try folder.execute(
            """
            CREATE TABLE other AS SELECT \(columns) FROM ZITEM;
            DROP TABLE ZITEM;
            CREATE TABLE ZITEM (Z_PK INTEGER, Z_ENT INTEGER, Z_OPT INTEGER, ZNUMBER INTEGER, ZMORE INTEGER, ZNAME VARCHAR);
            INSERT INTO ZITEM (\(columns)) SELECT \(columns) FROM other;
            INSERT INTO ZITEM (\(columns)) SELECT Z_PK, \(entityOfDoubles), Z_OPT + 1, ZNUMBER, ZMORE, 'double' FROM other;
            DROP TABLE other;
            """)
    }

    enum Form: CaseIterable, Sendable { case rows, faults, parts, known, batches }

    @Test("A row that a table has twice is one object in every form of a fetch", arguments: Form.allCases)
    func doubledRows(_ form: Form) throws {
        try doubleRows()
        let coordinator = try folder.open(Self.model)
        var kept: [NSManagedObject] = []
        try coordinator.inContext { context in
            let request = NSFetchRequest<NSManagedObject>(entityName: "Item")
            request.sortDescriptors = [NSSortDescriptor(key: "number", ascending: true)]
            switch form {
            case .rows: break
            case .faults: request.includesPropertyValues = false
            case .parts: request.propertiesToFetch = ["number"]
            case .known: _ = try context.all("Item", where: NSPredicate(format: "name = 'one'"))
            case .batches: request.fetchBatchSize = 1
            }
            kept = Array(try context.fetch(request))
            #expect(kept.count == 4)
            for object in kept {
                #expect(object.managedObjectContext === context)
                #expect(context.registeredObject(for: object.objectID) === object)
                #expect(kept.filter { $0.objectID == object.objectID }.allSatisfy { $0 === object })
                #expect(object.value(forKey: "number") as? Int == 1)
            }
            #expect(Set(kept).count == 2 && context.registeredObjects.count == 2)
        }
        // The context is gone: nothing leads to it any more.
        for object in kept { #expect(object.managedObjectContext == nil) }
        #expect(kept.map { $0.value(forKey: "number") as? Int }.count == 4)
    }

    @Test("Two rows with one key and different entities are one object", arguments: [true, false])
    func doubledRowsOfTwoEntities(_ asFaults: Bool) throws {
        try doubleRows(entityOfDoubles: "(SELECT Z_ENT FROM Z_PRIMARYKEY WHERE Z_NAME = 'Sub')")
        let coordinator = try folder.open(Self.model)
        var kept: [NSManagedObject] = []
        try coordinator.inContext { context in
            kept += try context.all("Item", where: NSPredicate(format: "name = 'one'"))
            let request = NSFetchRequest<NSManagedObject>(entityName: "Item")
            request.includesPropertyValues = !asFaults
            kept += try context.fetch(request)
            #expect(kept.count == 5 && context.registeredObjects.count == 2)
            for object in kept.dropFirst() {
                #expect(context.registeredObject(for: object.objectID) === object)
            }
        }
        for object in kept { #expect(object.managedObjectContext == nil) }
    }

    // MARK: Keys that are given out twice

    private func lowerHighestKey() throws {
        try folder.execute(
            """
            CREATE TRIGGER low AFTER UPDATE ON Z_PRIMARYKEY WHEN NEW.Z_MAX > 1
            BEGIN UPDATE Z_PRIMARYKEY SET Z_MAX = 1 WHERE Z_ENT = NEW.Z_ENT; END
            """)
    }

    @Test(
        "A store that assigns the key of an existing row is refused, and nothing changes",
        arguments: [true, false])
    func keysOfRows(_ asksForIDs: Bool) throws {
        try lowerHighestKey()
        try folder.open(Self.model).inContext { context in
            let known = try context.all("Item")
            let new = try context.insert("Item", ["name": "new"])
            let refusal = try error {
                if asksForIDs { try context.obtainPermanentIDs(for: [new]) } else { try context.save() }
            }
            #expect(refusal.localizedDescription.contains("Z_PRIMARYKEY has no number left"))
            #expect(new.objectID.isTemporaryID && new.isInserted && new.managedObjectContext === context)
            #expect(known.allSatisfy { $0.managedObjectContext === context && !$0.isDeleted })
        }
        #expect(try folder.value("SELECT COUNT(*) FROM ZITEM") == 2.databaseValue)
    }

    @Test("A store that assigns one key to two new objects is refused, and no ID changes")
    func keysOfNewObjects() throws {
        try folder.execute("DELETE FROM ZITEM; UPDATE Z_PRIMARYKEY SET Z_MAX = 0")
        try lowerHighestKey()
        try folder.open(Self.model).inContext { context in
            let one = try context.insert("Item", ["name": "one"])
            let two = try context.insert("Item", ["name": "two"])
            try context.obtainPermanentIDs(for: [one])
            let refusal = try error { try context.obtainPermanentIDs(for: [two]) }
            #expect(refusal.localizedDescription.contains("the ID of another object"))
            #expect(!one.objectID.isTemporaryID && two.objectID.isTemporaryID)
            #expect(one.managedObjectContext === context && two.managedObjectContext === context)
        }
    }

    @Test("An incremental store that repeats an ID has one object for it")
    func incrementalStores() throws {
        let type = NSPersistentStore.StoreType(rawValue: "Repeating")
        NSPersistentStoreCoordinator.registerStoreClass(RepeatingStore.self, type: type)
        defer { NSPersistentStoreCoordinator.registerStoreClass(nil, forStoreType: type.rawValue) }
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: Self.model)
        try coordinator.addPersistentStore(type: type, at: folder.url.appendingPathComponent("Repeating"))
        let store = try #require(coordinator.persistentStores.first as? RepeatingStore)
        var kept: [NSManagedObject] = []
        try coordinator.inContext { context in
            kept = try context.all("Item")
            #expect(kept.count == 3 && Set(kept).count == 1 && context.registeredObjects.count == 1)
            #expect(kept[0].value(forKey: "name") as? String == "repeated")
            let one = try context.insert("Item")
            let two = try context.insert("Item")
            let refusal = try error { try context.obtainPermanentIDs(for: [one, two]) }
            #expect(refusal.localizedDescription.contains("the ID of another object"))
            #expect(one.objectID.isTemporaryID && two.objectID.isTemporaryID)
            context.delete(one)
            context.delete(two)
        }
        #expect(kept.allSatisfy { $0.managedObjectContext == nil })
        kept = []
        #expect(store.registered.withLock { $0.values.allSatisfy { $0 == 0 } })
    }

    // MARK: The map itself

    @Test("The identity map exchanges identities and returns displaced objects")
    func identityMap() throws {
        let coordinator = try folder.open(Self.model)
        let store = try #require(coordinator.persistentStores.first as? SQLiteStore)
        let item = try #require(Self.model.entitiesByName["Item"])
        let storedEntity = try #require(store.storedEntity(of: item))
        let map = IdentityMap()
        let objects = (1...4).map { reference -> NSManagedObject in
            let object = NSManagedObject(entity: item, insertInto: nil)
            object.storedEntity = storedEntity
            object.reference = Int64(reference)
            return object
        }
        for object in objects { #expect(map.register(object) == nil) }
        #expect(map.register(objects[0]) == nil)
        #expect(map.rename([(objects[0], storedEntity, 2), (objects[1], storedEntity, 1)]).isEmpty)
        #expect(map.object(objects[0].key) === objects[0] && map.object(objects[1].key) === objects[1])
        #expect(map.rename([(objects[0], storedEntity, 3)]) == [objects[2]])
        #expect(map.object(ObjectKey(table: storedEntity.table, reference: 3)) === objects[0])
        #expect(
            map.rename([
                (objects[0], storedEntity, 8), (objects[1], storedEntity, 8), (objects[3], storedEntity, 9),
            ]) == [objects[0]])
        #expect(map.object(ObjectKey(table: storedEntity.table, reference: 8)) === objects[1])
        // One that lost its identity takes nothing with it.
        map.forget(objects[0])
        #expect(map.object(ObjectKey(table: storedEntity.table, reference: 8)) === objects[1])
        #expect(map.register([objects[0], objects[2]], table: storedEntity.table) == [objects[1]])
        for object in objects { map.forget(object) }
        #expect(map.all.isEmpty)
    }
}

/// A store that names its only object three times, and gives all new objects one ID.
private final class RepeatingStore: NSIncrementalStore, @unchecked Sendable {
    let registered = Mutex<[NSManagedObjectID: Int]>([:])

    override var type: String { "Repeating" }

    override func loadMetadata() throws {
        metadata = [NSStoreTypeKey: type, NSStoreUUIDKey: UUID().uuidString]
    }

    private func id(_ entity: NSEntityDescription, _ name: String) -> NSManagedObjectID {
        newObjectID(for: entity, referenceObject: name)
    }

    override func execute(_ request: NSPersistentStoreRequest, with context: NSManagedObjectContext?) throws
        -> Any
    {
        guard let fetch = request as? NSFetchRequest<any NSFetchRequestResult>, let context,
            let entity = persistentStoreCoordinator?.managedObjectModel.entitiesByName["Item"]
        else { return [Any]() }
        let ids = (0..<3).map { _ in id(entity, "same") }
        return fetch.resultType == .managedObjectIDResultType ? ids : ids.map(context.object)
    }

    override func newValuesForObject(
        with objectID: NSManagedObjectID, with context: NSManagedObjectContext
    ) throws -> NSIncrementalStoreNode {
        NSIncrementalStoreNode(objectID: objectID, withValues: ["name": "repeated"], version: 1)
    }

    override func obtainPermanentIDs(for array: [NSManagedObject]) throws -> [NSManagedObjectID] {
        array.map { id($0.entity, "new") }
    }

    override func managedObjectContextDidRegisterObjects(with objectIDs: [NSManagedObjectID]) {
        registered.withLock { for id in objectIDs { $0[id, default: 0] += 1 } }
    }

    override func managedObjectContextDidUnregisterObjects(with objectIDs: [NSManagedObjectID]) {
        registered.withLock { for id in objectIDs { $0[id, default: 0] -= 1 } }
    }
}
