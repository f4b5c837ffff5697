import CoreData
import Foundation
import GRDB
import Testing

/// Every code of contexts, saves, stores, requests and migrations, its cause, and the contents of its
/// `userInfo`.
@Suite struct StoreErrorTableTests {
    private let folder: StoreFolder
    private let other: StoreFolder

    init() throws {
        folder = try StoreFolder()
        other = try StoreFolder()
    }

    private static func model(_ more: NSAttributeDescription...) -> NSManagedObjectModel {
        let item = NSEntityDescription("Item", attribute("name", .string), attribute("code", .string))
        item.uniquenessConstraints = [["code"]]
        for attribute in more { item.add(attribute) }
        let box = NSEntityDescription("Box")
        pair(item.relate("box", to: box), box.relate("items", to: item, many: true))
        return NSManagedObjectModel(of: item, box)
    }

    private func open(_ options: [AnyHashable: Any]? = nil) throws -> NSPersistentStoreCoordinator {
        try folder.open(Self.model(), options)
    }

    /// What opening the store again says.
    private func refusal(
        _ model: NSManagedObjectModel = model(), _ options: [AnyHashable: Any]? = nil
    ) throws -> NSError {
        let refusal = try error { _ = try folder.open(model, options) }
        #expect(refusal.domain == NSCocoaErrorDomain && !refusal.localizedDescription.isEmpty)
        return refusal
    }

    /// A connection that may keep a transaction open.
    private func holder(_ file: URL) throws -> DatabaseQueue {
        var configuration = Configuration()
        configuration.allowsUnsafeTransactions = true
        return try DatabaseQueue(path: file.path, configuration: configuration)
    }

    // MARK: Objects

    @Test("Reading an object that does not exist is error 133000")
    func referentialIntegrity133000() throws {
        try open().inContext { context in
            let item = try context.insert("Item")
            try context.save()
            let id = item.objectID
            context.delete(item)
            try context.save()
            let refusal = try error { _ = try context.existingObject(with: id) }
            #expect(refusal.domain == NSCocoaErrorDomain && refusal.code == 133000)
            #expect(refusal.userInfo[NSAffectedObjectsErrorKey] as? [NSManagedObjectID] == [id])
        }
    }

    @Test("A relationship between stores is error 133010")
    func externalRelationship133010() throws {
        let coordinator = try open()
        let second = try coordinator.addPersistentStore(type: .sqlite, at: other.file)
        try coordinator.inContext { context in
            let box = try context.insert("Box")
            let item = try context.insert("Item", ["box": box])
            context.assign(item, to: second)
            let refusal = try error { try context.save() }
            #expect(refusal.domain == NSCocoaErrorDomain && refusal.code == 133010)
            #expect((refusal as? CocoaError)?.affectedObjects?.count == 1)
            #expect(context.insertedObjects == [item, box])
        }
    }

    @Test("A conflict of versions is error 133020")
    func merge133020() throws {
        let coordinator = try open()
        try coordinator.inContext { context in
            let item = try context.insert("Item", ["name": "old"])
            try context.save()
            try coordinator.inContext { context in
                try context.only("Item").setValue("theirs", forKey: "name")
                try context.save()
            }
            item.setValue("mine", forKey: "name")
            let refusal = try error { try context.save() }
            #expect(refusal.domain == NSCocoaErrorDomain && refusal.code == 133020)
            let conflicts = refusal.userInfo[NSPersistentStoreSaveConflictsErrorKey] as? [NSMergeConflict]
            #expect(conflicts?.map(\.sourceObject) == [item])
            #expect((refusal as? CocoaError)?.persistentStoreSaveConflicts?.count == 1)
            #expect(NSPersistentStoreSaveConflictsErrorKey == "conflictList")
        }
    }

    @Test("A conflict of unique values is error 133021")
    func constraintMerge133021() throws {
        try open().inContext { context in
            for _ in 0..<2 { try context.insert("Item", ["code": "1"]) }
            let refusal = try error { try context.save() }
            #expect(refusal.domain == NSCocoaErrorDomain && refusal.code == 133021)
            let conflicts = refusal.userInfo["conflictList"] as? [NSConstraintConflict]
            #expect(conflicts?.map(\.constraint) == [["code"]])
        }
    }

    // MARK: Stores

    @Test("An unknown store type is error 134000")
    func invalidType134000() throws {
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: Self.model())
        let refusal = try error {
            try coordinator.addPersistentStore(ofType: "Nothing", configurationName: nil, at: folder.file)
        }
        #expect(refusal.domain == NSCocoaErrorDomain && refusal.code == 134000)
        #expect(refusal.localizedDescription.contains("Nothing"))
    }

    @Test("A file of another type is error 134010")
    func typeMismatch134010() throws {
        try folder.execute("CREATE TABLE diary (day)")
        #expect(try refusal().code == 134010)
    }

    @Test("A store without a column of the model is error 134020")
    func incompatibleSchema134020() throws {
        try open().close()
        try folder.execute("ALTER TABLE ZITEM RENAME COLUMN ZNAME TO ZOTHER")
        #expect(try refusal().code == 134020)
    }

    @Test("A save without a store is error 134030")
    func save134030() throws {
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: Self.model())
        try coordinator.inContext { context in
            try context.insert("Item")
            let refusal = try error { try context.save() }
            #expect(refusal.domain == NSCocoaErrorDomain && refusal.code == 134030)
        }
    }

    @Test("A save that only some stores carried out is error 134040")
    func incompleteSave134040() throws {
        let model = Self.model()
        let note = NSEntityDescription("Note", attribute("text", .string))
        model.entities.append(note)
        model.setEntities([note], forConfigurationName: "Second")
        model.setEntities(model.entities.filter { $0 !== note }, forConfigurationName: "First")
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        try coordinator.addPersistentStore(type: .sqlite, configuration: "First", at: folder.file)
        let second = try coordinator.addPersistentStore(
            type: .sqlite, configuration: "Second", at: other.file,
            options: [NSPersistentStoreTimeoutOption: 0])
        let holder = try holder(other.file)
        try holder.writeWithoutTransaction { try $0.execute(sql: "BEGIN IMMEDIATE") }
        try coordinator.inContext { context in
            try context.insert("Item")
            nonisolated(unsafe) let note = try context.insert("Note", ["text": "kept"])
            let token = NotificationCenter.default.addObserver(
                forName: .NSManagedObjectContextDidSave, object: context, queue: nil
            ) { _ in #expect(note.value(forKey: "text") as? String == "kept") }
            defer { NotificationCenter.default.removeObserver(token) }
            let refusal = try error { try context.save() }
            #expect(refusal.domain == NSCocoaErrorDomain && refusal.code == 134040)
            #expect(refusal.userInfo[NSAffectedStoresErrorKey] as? [NSPersistentStore] == [second])
            #expect((refusal as? CocoaError)?.affectedStores?.count == 1)
            #expect((refusal.userInfo[NSUnderlyingErrorKey] as? NSError)?.code == 134090)
            #expect(context.insertedObjects == [note] && note.value(forKey: "text") as? String == "kept")
        }
        try holder.writeWithoutTransaction { try $0.execute(sql: "ROLLBACK") }
        try holder.close()
    }

    @Test("A merge policy that resolves nothing is error 134050")
    func saveConflicts134050() throws {
        /// Says that it resolves conflicts, and does not.
        final class Idle: NSMergePolicy, @unchecked Sendable {
            override func resolve(optimisticLockingConflicts list: [NSMergeConflict]) throws {}
        }
        let coordinator = try open()
        try coordinator.inContext { context in
            let item = try context.insert("Item", ["name": "old"])
            try context.save()
            try coordinator.inContext { context in
                try context.only("Item").setValue("theirs", forKey: "name")
                try context.save()
            }
            context.mergePolicy = Idle(merge: .errorMergePolicyType)
            item.setValue("mine", forKey: "name")
            #expect(try error { try context.save() }.code == 134050)
            #expect(item.value(forKey: "name") as? String == "mine")
        }
    }

    @Test("A fetch of an unknown entity or key is error 134060")
    func coreData134060() throws {
        try open().inContext { context in
            let requests = [
                NSFetchRequest<NSManagedObject>(entityName: "Nothing"),
                NSFetchRequest<NSManagedObject>(entityName: "Item"),
            ]
            requests[1].predicate = NSPredicate(format: "nothing == 1")
            for request in requests {
                let refusal = try error { _ = try context.fetch(request) }
                #expect(refusal.domain == NSCocoaErrorDomain && refusal.code == 134060)
                #expect(refusal.localizedDescription.localizedCaseInsensitiveContains("nothing"))
            }
        }
    }

    @Test("Removing a store of another coordinator is error 134070")
    func storeOperation134070() throws {
        let coordinator = try open()
        let foreign = try other.open(Self.model())
        let refusal = try error { try coordinator.remove(try #require(foreign.persistentStores.first)) }
        #expect(refusal.domain == NSCocoaErrorDomain && refusal.code == 134070)
    }

    @Test("A store in a missing folder is error 134080")
    func open134080() throws {
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: Self.model())
        let missing = folder.url.appendingPathComponent("missing/Store.sqlite")
        let refusal = try error { try coordinator.addPersistentStore(type: .sqlite, at: missing) }
        #expect(refusal.domain == NSCocoaErrorDomain && refusal.code == 134080)
        #expect(refusal.localizedDescription.contains(missing.path))
    }

    @Test("A save in a locked store is error 134090")
    func timeout134090() throws {
        let coordinator = try open([NSPersistentStoreTimeoutOption: 0])
        let holder = try holder(folder.file)
        try holder.writeWithoutTransaction { try $0.execute(sql: "BEGIN IMMEDIATE") }
        try coordinator.inContext { context in
            try context.insert("Item")
            let refusal = try error { try context.save() }
            #expect(refusal.domain == NSCocoaErrorDomain && refusal.code == 134090)
            #expect((refusal.userInfo[NSSQLiteErrorDomain] as? NSNumber).map { $0.intValue & 0xFF } == 5)
            #expect((refusal.userInfo[NSUnderlyingErrorKey] as? NSError)?.domain == NSSQLiteErrorDomain)
            #expect(refusal.userInfo[NSFilePathErrorKey] as? String == folder.file.path)
        }
        try holder.writeWithoutTransaction { try $0.execute(sql: "ROLLBACK") }
        try holder.close()
    }

    @Test("An unsupported request is error 134091")
    func unsupportedRequest134091() throws {
        try open().inContext { context in
            let request = NSSaveChangesRequest(
                inserted: nil, updated: nil, deleted: nil, locked: nil)
            let refusal = try error { _ = try context.execute(request) }
            #expect(refusal.domain == NSCocoaErrorDomain && refusal.code == 134091)
        }
    }

    @Test("A refusal by a trigger is error 134180 with SQLite's error")
    func sqlite134180() throws {
        let coordinator = try open()
        try folder.execute(
            "CREATE TRIGGER no BEFORE INSERT ON ZITEM BEGIN SELECT RAISE(FAIL, 'not today'); END")
        try coordinator.inContext { context in
            try context.insert("Item")
            let refusal = try error { try context.save() }
            #expect(refusal.domain == NSCocoaErrorDomain && refusal.code == 134180)
            let cause = refusal.userInfo[NSUnderlyingErrorKey] as? NSError
            #expect(cause?.domain == NSSQLiteErrorDomain && cause.map { $0.code & 0xFF } == 19)
            #expect(cause?.localizedDescription.contains("not today") == true)
            #expect(refusal.userInfo[NSSQLiteErrorDomain] is NSNumber)
        }
    }

    // MARK: Models

    @Test("A store of another model version is error 134100")
    func incompatibleVersionHash134100() throws {
        try open().close()
        let refusal = try refusal(Self.model(attribute("more", .string)))
        #expect(refusal.code == 134100)
        #expect(
            (refusal.userInfo["metadata"] as? [String: Any])?[NSStoreTypeKey] as? String == NSSQLiteStoreType)
        #expect(refusal.userInfo["reason"] is String)
    }

    private let automatic: [AnyHashable: Any] = [NSMigratePersistentStoresAutomaticallyOption: true]
    private let inferred: [AnyHashable: Any] = [
        NSMigratePersistentStoresAutomaticallyOption: true, NSInferMappingModelAutomaticallyOption: true,
    ]

    @Test("Failed migrations have the errors 134110, 134130, 134140 and 134190")
    func migrations() throws {
        try open().inContext { context in
            try context.insert("Item")
            try context.save()
        }
        let needing = Self.model(attribute("more", .string, optional: false))
        let failed = try refusal(needing, inferred)
        #expect(failed.code == 134110)
        #expect((failed.userInfo[NSUnderlyingErrorKey] as? NSError)?.code == 1570)
        #expect(try refusal(Self.model(attribute("more", .string)), automatic).code == 134140)
        let changed = Self.model()
        changed.entitiesByName["Item"]?.attributesByName["name"]?.type = .date
        let unlike = try refusal(changed, inferred)
        #expect(unlike.code == 134140)
        #expect((unlike.userInfo[NSUnderlyingErrorKey] as? NSError)?.code == 134190)
        try folder.execute("DROP TABLE Z_MODELCACHE")
        #expect(try refusal(Self.model(attribute("more", .string)), inferred).code == 134130)
    }

    // MARK: History

    @Test("A history token of another store is error 134301")
    func expiredToken134301() throws {
        let options: [AnyHashable: Any] = [NSPersistentHistoryTrackingKey: true]
        let foreign = try other.open(Self.model(), options)
        try foreign.inContext { context in
            try context.insert("Item")
            try context.save()
        }
        let token = foreign.currentPersistentHistoryToken(fromStores: nil)
        try open(options).inContext { context in
            let request = NSPersistentHistoryChangeRequest.fetchHistory(after: token)
            let refusal = try error { _ = try context.execute(request) }
            #expect(refusal.domain == NSCocoaErrorDomain && refusal.code == 134301)
        }
    }
}
