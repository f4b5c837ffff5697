import CoreData
import Testing

/// Deletions whose rules meet something unusual.
@Suite struct DeletionTests {
    private static let model: NSManagedObjectModel = {
        let owner = NSEntityDescription("Owner", attribute("name", .string))
        let item = NSEntityDescription("Item", attribute("name", .string))
        pair(
            owner.relate("items", to: item, many: true, rule: .cascadeDeleteRule),
            item.relate("owner", to: owner))
        return NSManagedObjectModel(of: owner, item)
    }()

    private let folder: StoreFolder
    private let coordinator: NSPersistentStoreCoordinator

    init() throws {
        folder = try StoreFolder()
        coordinator = try folder.open(Self.model)
    }

    @Test("Delete rules of an object that was never saved are applied at the save")
    func rulesOfAnUnsavedObject() throws {
        try coordinator.inContext { context in
            let item = try context.insert("Item", ["name": "item"])
            try context.save()
            context.propagatesDeletesAtEndOfEvent = false
            let owner = try context.insert("Owner", ["name": "brief"])
            item.setValue(owner, forKey: "owner")
            context.processPendingChanges()
            context.delete(owner)
            context.processPendingChanges()
            try context.save()
            #expect(item.managedObjectContext == nil && !context.hasChanges)
            #expect(try folder.value("SELECT COUNT(*) FROM ZITEM") == 0.databaseValue)
            #expect(try folder.value("SELECT COUNT(*) FROM ZOWNER") == 0.databaseValue)
        }
    }

    @Test("A save fails while a deleted object's destinations cannot be read")
    func unreadableDestinationsStopTheSave() throws {
        try coordinator.inContext { context in
            let owner = try context.insert("Owner", ["name": "owner"])
            try context.insert("Item", ["name": "item", "owner": owner])
            try context.save()
        }
        try coordinator.inContext { context in
            let owner = try context.only("Owner")
            #expect(owner.value(forKey: "name") as? String == "owner")
            try folder.execute("ALTER TABLE ZITEM RENAME TO ZELSEWHERE")
            context.delete(owner)
            #expect(throws: (any Error).self) { try context.save() }
            #expect(try folder.value("SELECT COUNT(*) FROM ZOWNER") == 1.databaseValue)
            try folder.execute("ALTER TABLE ZELSEWHERE RENAME TO ZITEM")
            try context.save()
            #expect(try folder.value("SELECT COUNT(*) FROM ZOWNER") == 0.databaseValue)
            #expect(try folder.value("SELECT COUNT(*) FROM ZITEM") == 0.databaseValue)
        }
    }

    @Test("Destinations that could not be read are read later")
    func unreadableDestinationsAreReadLater() throws {
        try coordinator.inContext { context in
            let owner = try context.insert("Owner", ["name": "owner"])
            try context.insert("Item", ["name": "item", "owner": owner])
            try context.save()
        }
        try coordinator.inContext { context in
            let owner = try context.only("Owner")
            try folder.execute("ALTER TABLE ZITEM RENAME TO ZELSEWHERE")
            #expect((owner.value(forKey: "items") as? NSSet)?.count == 0)
            #expect(throws: (any Error).self) { try context.save() }
            try folder.execute("ALTER TABLE ZELSEWHERE RENAME TO ZITEM")
            #expect((owner.value(forKey: "items") as? NSSet)?.count == 1)
        }
    }

    @Test("A fault whose deletion is merged has no values and cannot be undone", arguments: [true, false])
    func mergedDeletionOfAFault(_ deletesInaccessible: Bool) throws {
        try coordinator.inContext { context in
            try context.insert("Item", ["name": "item"])
            try context.save()
        }
        let context = coordinator.context()
        let fault = try context.performAndWait {
            context.undoManager = UndoManager()
            context.shouldDeleteInaccessibleFaults = deletesInaccessible
            let item = try context.only("Item")
            context.refresh(item, mergeChanges: false)
            context.processPendingChanges()
            return Carried(item)
        }
        try coordinator.inContext { context in
            context.delete(try context.only("Item"))
            try context.save()
        }
        context.performAndWait {
            let ids: Set<NSManagedObjectID> = [fault.value.objectID]
            context.mergeChanges(
                fromContextDidSave: Notification(
                    name: .NSManagedObjectContextDidSaveObjectIDs, object: nil,
                    userInfo: [NSDeletedObjectIDsKey: ids]))
            #expect(fault.value.isDeleted && !fault.value.isFault)
            #expect(fault.value.value(forKey: "name") == nil)
            #expect(context.undoManager?.canUndo == false)
        }
    }

    @Test("A deleted destination leaves no row in a join table")
    func deletedDestinationLeavesNoJoinRow() throws {
        let note = NSEntityDescription("Note", attribute("name", .string))
        let tag = NSEntityDescription("Tag", attribute("name", .string))
        pair(
            note.relate("tags", to: tag, many: true),
            tag.relate("notes", to: note, many: true, rule: .noActionDeleteRule))
        let folder = try StoreFolder()
        try folder.open(NSManagedObjectModel(of: note, tag)).inContext { context in
            let tag = try context.insert("Tag", ["name": "tag"])
            try context.save()
            try context.insert("Note", ["name": "note", "tags": NSSet(object: tag)])
            context.delete(tag)
            try context.save()
            #expect(try folder.value("SELECT COUNT(*) FROM ZNOTE") == 1.databaseValue)
            #expect(try folder.value("SELECT COUNT(*) FROM ZTAG") == 0.databaseValue)
            #expect(try folder.value("SELECT COUNT(*) FROM Z_1TAGS") == 0.databaseValue)
        }
    }

    private struct Carried: @unchecked Sendable {
        let value: NSManagedObject
        init(_ value: NSManagedObject) { self.value = value }
    }
}
