import CoreData
import Foundation
import Testing

/// Faults: what fires them, what they find, and how objects become faults again.
@Suite(.onEveryStore) struct FaultTests {
    let diary: HookStack

    init() throws { diary = try HookStack() }

    private func request() -> NSFetchRequest<Entry> { NSFetchRequest<Entry>(entityName: "Entry") }

    /// Changes an entry behind the context's back.
    private func changeElsewhere(_ id: NSManagedObjectID, _ body: (Entry) -> Void) throws {
        try diary.stack.inContext { other in
            body(try #require(try other.existingObject(with: id) as? Entry))
            try other.save()
        }
    }

    private func deleteElsewhere(_ id: NSManagedObjectID) throws {
        try diary.stack.inContext { other in
            other.delete(try other.existingObject(with: id))
            try other.save()
        }
    }

    // MARK: Finding objects

    @Test("object(with:) returns a fault that fires when read")
    func objectWithIDReadsNothing() throws {
        let id = try diary.savedEntry("a").objectID
        diary.event { context in
            let entry = context.object(with: id) as? Entry
            #expect(entry?.isFault == true && entry?.faultingState != 0)
            #expect(entry?.title == "a")
            #expect(entry?.isFault == false && entry?.faultingState == 0)
        }
    }

    @Test("A fetch caches rows unless property values are excluded", arguments: [(true, "a"), (false, "b")])
    func fetchCachesRows(_ includes: Bool, _ title: String) throws {
        let id = try diary.savedEntry("a").objectID
        try diary.event { context in
            context.reset()
            let request = request()
            request.includesPropertyValues = includes
            let entry = try #require(try context.fetch(request).first)
            #expect(entry.isFault && entry.objectID == id)
            try changeElsewhere(id) { $0.title = "b" }
            #expect(entry.title == title)
        }
    }

    @Test("existingObject(with:) returns a loaded object")
    func existingObjectIsLoaded() throws {
        let id = try diary.savedEntry("a").objectID
        try diary.event { context in
            let entry = try context.existingObject(with: id)
            #expect(!entry.isFault && entry.value(forKey: "title") as? String == "a")
        }
    }

    @Test("existingObject(with:) fires an existing fault")
    func existingObjectFiresAFault() throws {
        let id = try diary.savedEntry("a").objectID
        try diary.event { context in
            let fault = context.object(with: id)
            #expect(fault.isFault)
            let existing = try context.existingObject(with: id)
            #expect(existing === fault && !fault.isFault)
        }
    }

    @Test("existingObject(with:) throws for a row that was deleted")
    func existingObjectOfAMissingRow() throws {
        let id = try diary.savedEntry("a").objectID
        try deleteElsewhere(id)
        diary.event { context in
            let error = #expect(throws: NSError.self) { try context.existingObject(with: id) }
            #expect(error?.domain == NSCocoaErrorDomain)
            #expect(error?.code == NSManagedObjectReferentialIntegrityError)
            #expect(error?.localizedDescription.contains(id.uriRepresentation().absoluteString) ?? false)
            // Nothing was registered for it.
            #expect(context.registeredObject(for: id) == nil)
        }
    }

    @Test("registeredObject(for:) returns only objects that the context has")
    func registeredObject() throws {
        let id = try diary.savedEntry("a").objectID
        diary.event { context in
            #expect(context.registeredObject(for: id) == nil)
            let entry = context.object(with: id)
            #expect(context.registeredObject(for: id) === entry)
        }
    }

    // MARK: Firing

    @Test("Identity, flags and descriptions do not fire a fault")
    func propertiesThatFireNoFault() throws {
        let id = try diary.savedEntry("a").objectID
        diary.event { context in
            let entry = context.object(with: id)
            _ = (entry.objectID, entry.entity, entry.managedObjectContext, entry.hash, entry.description)
            _ = (entry.isInserted, entry.isUpdated, entry.isDeleted, entry.hasChanges, entry.isFault)
            _ = (entry.hasPersistentChangedValues, entry.changedValues(), entry.faultingState)
            _ = (entry == context.object(with: id), entry.isEqual(nil))
            _ = entry.hasFault(forRelationshipNamed: "parent")
            #expect(entry.isFault)
            #expect(entry.description.contains("<fault>"))
            #expect(entry.description.contains(id.uriRepresentation().absoluteString))
        }
    }

    @Test("Setting a property fires a fault")
    func settingFires() throws {
        let id = try diary.savedEntry("a").objectID
        try diary.event { context in
            let entry = try #require(context.object(with: id) as? Entry)
            entry.number = 5
            #expect(!entry.isFault && entry.title == "a")
            try context.save()
        }
        let title = try diary.stored("a", \.number)
        #expect(title == 5)
    }

    @Test("willAccessValue(forKey:) fires a fault")
    func willAccessValueFires() throws {
        let id = try diary.savedEntry("a").objectID
        diary.event { context in
            let entry = context.object(with: id)
            entry.willAccessValue(forKey: nil)
            entry.didAccessValue(forKey: nil)
            #expect(!entry.isFault)
        }
    }

    @Test("Destinations of to-one relationships are faults")
    func toOneDestinationsAreFaults() throws {
        let parent = try diary.savedEntry("parent")
        let child = try diary.savedEntry("child", parent: parent)
        diary.event { context in
            context.refreshAllObjects()
            #expect(child.hasFault(forRelationshipNamed: "parent"))
            #expect(child.parent === parent)
            #expect(!child.hasFault(forRelationshipNamed: "parent"))
            #expect(parent.isFault)
            #expect(child.objectIDs(forRelationshipNamed: "parent") == [parent.objectID])
        }
    }

    @Test("Destinations of to-many relationships are loaded when read")
    func toManyDestinationsAreLoadedOnRead() throws {
        let parent = try diary.savedEntry("parent")
        let child = try diary.savedEntry("child", parent: parent)
        diary.event { context in
            context.refreshAllObjects()
            #expect(parent.title == "parent" && parent.hasFault(forRelationshipNamed: "children"))
            #expect(parent.objectIDs(forRelationshipNamed: "children") == [child.objectID])
            #expect(!parent.hasFault(forRelationshipNamed: "children"))
            #expect(child.isFault)
        }
    }

    // MARK: Refreshing

    @Test("A refresh without merging discards changes and transient values")
    func refreshDiscardsChanges() throws {
        let entry = try diary.savedEntry("a")
        try changeElsewhere(entry.objectID) { $0.number = 77 }
        try diary.event { context in
            entry.title = "changed"
            entry.mark = "m"
            context.refresh(entry, mergeChanges: false)
            #expect(entry.isFault && !entry.hasChanges && !context.hasChanges)
            #expect(entry.title == "a" && entry.mark == nil && entry.level == 9 && entry.number == 77)
            try context.save()
        }
        #expect(try diary.stored("a", \.number) == 77)
    }

    @Test("A refresh with merging keeps changes over the new values")
    func refreshMergesChanges() throws {
        let entry = try diary.savedEntry("a")
        try changeElsewhere(entry.objectID) {
            $0.number = 77
            $0.title = "other"
        }
        try diary.event { context in
            entry.title = "mine"
            entry.mark = "m"
            #expect(entry.number == 3)
            context.refresh(entry, mergeChanges: true)
            #expect(!entry.isFault && entry.isUpdated)
            #expect(entry.title == "mine" && entry.number == 77 && entry.mark == "m")
            #expect(entry.changedValues().count == 1)
            // The row is the present one: there is no conflict.
            try context.save()
        }
        #expect(try diary.stored("mine", \.number) == 77)
    }

    @Test("A refresh with merging keeps changes of relationships")
    func refreshMergesRelationships() throws {
        let parent = try diary.savedEntry("parent")
        let stays = try diary.savedEntry("stays", parent: parent)
        let goes = try diary.savedEntry("goes", parent: parent)
        let comes = try diary.savedEntry("comes")
        try diary.event { context in
            goes.parent = nil
            comes.parent = parent
            context.refresh(parent, mergeChanges: true)
            #expect(parent.children == [stays, comes])
            try context.save()
        }
        let titles = try diary.stored("parent") { Set($0.children.compactMap(\.title)) }
        #expect(titles == ["stays", "comes"])
    }

    @Test("A refresh with merging leaves a fault a fault")
    func refreshOfAFault() throws {
        let id = try diary.savedEntry("a").objectID
        diary.event { context in
            let entry = context.object(with: id)
            context.refresh(entry, mergeChanges: true)
            #expect(entry.isFault && entry.value(forKey: "title") as? String == "a")
        }
    }

    @Test("refreshAllObjects() keeps unsaved changes and insertions")
    func refreshAllKeepsChanges() throws {
        let changed = try diary.savedEntry("changed")
        let clean = try diary.savedEntry("clean")
        let marked = try diary.savedEntry("marked")
        for entry in [changed, clean] { try changeElsewhere(entry.objectID) { $0.number = 50 } }
        try diary.event { context in
            let inserted = Entry(context: context)
            inserted.mark = "kept"
            changed.title = "mine"
            changed.mark = "m"
            marked.mark = "m"
            context.refreshAllObjects()
            #expect(clean.isFault && marked.isFault)
            #expect(clean.number == 50 && marked.mark == nil && !marked.hasChanges)
            #expect(changed.title == "mine" && changed.number == 50 && changed.mark == nil)
            #expect(inserted.isInserted && inserted.mark == "kept")
            inserted.title = "inserted"
            try context.save()
        }
        #expect(try diary.stored("mine", \.number) == 50)
    }

    @Test("A refreshed object is posted as refreshed")
    func refreshIsPosted() throws {
        let entry = try diary.savedEntry("a")
        let log = NotificationLog(.NSManagedObjectContextObjectsDidChange, from: diary.context)
        diary.event { $0.refresh(entry, mergeChanges: false) }
        diary.event { _ in
            let contents = log.contents(of: .NSManagedObjectContextObjectsDidChange, by: "title")
            #expect(contents == [["refreshed": ["a"]]])
        }
    }

    @Test("The staleness interval decides whether cached values are used")
    func stalenessInterval() throws {
        // Other stores are read as a whole when they are opened.
        guard StoreKind.current == .sqlite else { return }
        let entry = try diary.savedEntry("a")
        let second = NSPersistentStoreCoordinator(managedObjectModel: HookModel.model())
        try second.addPersistentStore(type: .sqlite, at: diary.stack.file)
        let context = NSManagedObjectContext(.privateQueue)
        context.persistentStoreCoordinator = second
        try context.performAndWait {
            let copy = try #require(try context.fetch(request()).first)
            copy.number = 20
            try context.save()
        }
        try second.remove(try #require(second.persistentStores.first))
        diary.event { context in
            context.refresh(entry, mergeChanges: false)
            #expect(entry.number == 3)
            context.stalenessInterval = 0
            context.refresh(entry, mergeChanges: false)
            #expect(entry.number == 20)
        }
    }

    // MARK: Rows that are gone

    @Test("A fault without a row becomes a deleted object")
    func faultWithoutARow() throws {
        let id = try diary.savedEntry("a").objectID
        try deleteElsewhere(id)
        try diary.event { context in
            let entry = try #require(context.object(with: id) as? Entry)
            #expect(entry.isFault && !entry.isDeleted)
            #expect(entry.title == nil && entry.number == 0 && entry.children.isEmpty && entry.parent == nil)
            #expect(entry.isDeleted && context.deletedObjects == [entry])
            // It is exempt from validation, and gone with the save.
            try context.save()
            #expect(context.deletedObjects.isEmpty && entry.managedObjectContext == nil)
        }
    }

    @Test("A rollback clears the deleted state of a fault without a row")
    func rollbackForgetsMissingRows() throws {
        let id = try diary.savedEntry("a").objectID
        try deleteElsewhere(id)
        diary.event { context in
            let entry = context.object(with: id)
            #expect(entry.value(forKey: "title") == nil && entry.isDeleted)
            context.rollback()
            #expect(!context.hasChanges && !entry.isDeleted)
            // A second access misses it again.
            #expect(entry.value(forKey: "title") == nil && entry.isDeleted)
        }
    }

    @Test("A loaded object whose row was deleted keeps its values until a refresh")
    func loadedObjectWithoutARow() throws {
        let entry = try diary.savedEntry("a")
        try deleteElsewhere(entry.objectID)
        diary.event { context in
            #expect(entry.title == "a" && !entry.isDeleted)
            context.refresh(entry, mergeChanges: false)
            #expect(entry.title == nil && entry.isDeleted)
        }
    }

    @Test("A fault without a row stops the process unless the context handles it")
    func unhandledFaultStops() async {
        // The process that stops makes a store of the usual type.
        guard StoreKind.current == .sqlite else { return }
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let diary = try HookStack()
            let id = try diary.savedEntry("a").objectID
            try diary.stack.inContext { other in
                other.delete(try other.existingObject(with: id))
                try other.save()
            }
            diary.event { context in
                context.shouldDeleteInaccessibleFaults = false
                _ = context.object(with: id).value(forKey: "title")
            }
        }
        let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        #expect(text.contains("CoreData could not fulfill a fault for"))
        #expect(text.contains("x-coredata://"))
    }

    @Test("An override of shouldHandleInaccessibleFault decides about missing rows")
    func overrideHandlesMissingRows() throws {
        final class Careful: NSManagedObjectContext, @unchecked Sendable {
            var asked: [NSManagedObjectID] = []
            override func shouldHandleInaccessibleFault(
                _ fault: NSManagedObject, for oid: NSManagedObjectID,
                triggeredByProperty property: NSPropertyDescription?
            ) -> Bool {
                asked.append(oid)
                return true
            }
        }
        let id = try diary.savedEntry("a").objectID
        try deleteElsewhere(id)
        let context = Careful(concurrencyType: .privateQueueConcurrencyType)
        context.persistentStoreCoordinator = diary.stack.coordinator
        context.performAndWait {
            context.shouldDeleteInaccessibleFaults = false
            let entry = context.object(with: id)
            #expect(entry.value(forKey: "title") == nil && entry.isDeleted)
            #expect(context.asked == [id])
            // Calls that can throw do not ask.
            #expect(throws: NSError.self) { try context.existingObject(with: id) }
            #expect(context.asked == [id])
        }
    }

    /// A fault that no store can have leaves with the next save, which writes the rest.
    @Test("A fault that no store can have does not prevent a save")
    func faultOfNoStore() throws {
        let other = diary.stack.context()
        let foreign = other.performAndWait { Entry(context: other).objectID }
        try diary.event { context in
            let fault = context.object(with: foreign)
            #expect(fault.value(forKey: "title") == nil && fault.isDeleted)
            Entry(context: context).title = "kept"
            try context.save()
            #expect(!context.hasChanges && fault.managedObjectContext == nil)
        }
        #expect(try diary.stored("kept", \.number) == 3)
    }

    @Test("shouldHandleInaccessibleFault receives the property that was read")
    func overrideReceivesTheProperty() throws {
        final class Told: NSManagedObjectContext, @unchecked Sendable {
            var properties: [String?] = []
            override func shouldHandleInaccessibleFault(
                _ fault: NSManagedObject, for oid: NSManagedObjectID,
                triggeredByProperty property: NSPropertyDescription?
            ) -> Bool {
                properties.append(property?.name)
                return true
            }
        }
        let (a, b) = (try diary.savedEntry("a").objectID, try diary.savedEntry("b").objectID)
        try deleteElsewhere(a)
        try deleteElsewhere(b)
        let context = Told(concurrencyType: .privateQueueConcurrencyType)
        context.persistentStoreCoordinator = diary.stack.coordinator
        context.performAndWait {
            _ = context.object(with: a).value(forKey: "number")
            context.delete(context.object(with: b))
            #expect(context.properties == ["number", nil])
        }
    }

    @Test("Objects of a removed store are inaccessible")
    func objectsOfARemovedStore() throws {
        let entry = try diary.savedEntry("a")
        diary.event { $0.refresh(entry, mergeChanges: false) }
        for store in diary.stack.coordinator.persistentStores { try diary.stack.coordinator.remove(store) }
        diary.event { context in
            #expect(entry.title == nil)
            #expect(entry.objectID.persistentStore == nil)
            #expect(throws: NSError.self) { try context.existingObject(with: entry.objectID) }
        }
    }
}
