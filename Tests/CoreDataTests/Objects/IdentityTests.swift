import CoreData
import Foundation
import Testing

/// One object for each row, who keeps it, and its ID.
@Suite(.onEveryStore) struct IdentityTests {
    let diary: HookStack
    var context: NSManagedObjectContext { diary.context }

    init() throws { diary = try HookStack() }

    private func request() -> NSFetchRequest<Entry> { NSFetchRequest<Entry>(entityName: "Entry") }

    // MARK: Identity

    @Test("A context has one object for each row")
    func oneObjectForEachRow() throws {
        let entry = try diary.savedEntry("a")
        try diary.event { context in
            #expect(try context.fetch(request()).first === entry)
            #expect(context.object(with: entry.objectID) === entry)
            #expect(try context.existingObject(with: entry.objectID) === entry)
            #expect(context.registeredObject(for: entry.objectID) === entry)
            let uri = entry.objectID.uriRepresentation()
            let id = try #require(diary.stack.coordinator.managedObjectID(forURIRepresentation: uri))
            #expect(context.object(with: id) === entry)
            #expect(id == entry.objectID && id.hash == entry.objectID.hash)
        }
    }

    @Test("Each context has its own object for a row")
    func eachContextHasItsOwnObject() throws {
        let entry = try diary.savedEntry("a")
        try diary.stack.inContext { other in
            let found = try #require(try other.fetch(request()).first)
            #expect(found !== entry)
            #expect(found.objectID == entry.objectID)
            #expect(found != entry)
        }
    }

    @Test("Relationships and fetches return the same objects")
    func relationshipsLeadToTheSameObjects() throws {
        let parent = try diary.savedEntry("parent")
        _ = try diary.savedEntry("child", parent: parent)
        let other = diary.stack.context()
        try other.performAndWait {
            let entries = try other.fetch(request())
            let child = try #require(entries.first { $0.title == "child" })
            let parent = try #require(entries.first { $0.title == "parent" })
            #expect(child.parent === parent)
            #expect(parent.children == [child])
        }
    }

    // MARK: Who keeps an object

    @Test("A context holds an unchanged object weakly")
    func cleanObjectIsWeak() throws {
        weak var weakEntry: Entry?
        var entry: Entry? = try diary.savedEntry("a")
        weakEntry = entry
        let id = try #require(entry).objectID
        let count = diary.event { $0.registeredObjects.count }
        #expect(count == 1)
        entry = nil
        #expect(weakEntry == nil)
        diary.event { context in
            #expect(context.registeredObjects.isEmpty)
            #expect(context.registeredObject(for: id) == nil)
            // It is found again when it is requested.
            #expect((context.object(with: id) as? Entry)?.title == "a")
        }
    }

    @Test("A context retains a changed object until it is saved")
    func changedObjectIsRetained() throws {
        var entry: Entry? = try diary.savedEntry("a")
        weak let weakEntry = entry
        diary.event { _ in entry?.number = 7 }
        entry = nil
        #expect(weakEntry?.objectID.isTemporaryID == false)
        try diary.event { context in
            #expect(try context.fetch(request()).first?.number == 7)
            try context.save()
        }
        // Saved, it is free to go.
        #expect(weakEntry == nil)
    }

    @Test("A context retains inserted and deleted objects until they are saved")
    func insertedAndDeletedObjectsAreRetained() throws {
        weak var inserted: Entry?
        weak var deleted: Entry?
        _ = try diary.savedEntry("old")
        try diary.event { context in
            let old = try #require(try context.fetch(request()).first)
            context.delete(old)
            deleted = old
            let new = Entry(context: context)
            inserted = new
        }
        #expect(inserted != nil && deleted != nil)
        try diary.event { try $0.save() }
        #expect(inserted == nil && deleted == nil)
    }

    @Test("A context with retainsRegisteredObjects retains its objects until it is turned off")
    func retainsRegisteredObjects() throws {
        weak var weakEntry: Entry?
        do {
            let entry = try diary.savedEntry("a")
            diary.event { $0.retainsRegisteredObjects = true }
            weakEntry = entry
        }
        #expect(weakEntry != nil)
        weak var later: Entry?
        try diary.event { context in
            let entry = Entry(context: context)
            later = entry
            try context.save()
        }
        #expect(later != nil)
        diary.event { $0.retainsRegisteredObjects = false }
        #expect(weakEntry == nil && later == nil)
    }

    @Test("A reset releases retained objects")
    func resetReleasesRetainedObjects() throws {
        weak var weakEntry: Entry?
        do {
            let entry = try diary.savedEntry("a")
            weakEntry = entry
            diary.event { $0.retainsRegisteredObjects = true }
        }
        diary.event { $0.reset() }
        #expect(weakEntry == nil)
    }

    @Test("Loaded relationships in both directions retain objects until a refresh")
    func relationshipCyclesLastUntilARefresh() throws {
        weak var weakParent: Entry?
        do {
            let parent = try diary.savedEntry("parent")
            let child = try diary.savedEntry("child", parent: parent)
            diary.event { _ in #expect(parent.children == [child] && child.parent == parent) }
            weakParent = parent
        }
        #expect(weakParent != nil)
        diary.event { context in
            if let parent = weakParent { context.refresh(parent, mergeChanges: false) }
        }
        #expect(weakParent == nil)
    }

    // MARK: The context goes first

    @Test("Objects that outlive their context are faults that do not retain each other")
    func objectsOutliveTheirContext() throws {
        let stack = try TestStack(HookModel.model())
        var context: NSManagedObjectContext? = stack.context()
        weak let weakContext = context
        let hooks = Hooks()
        var objects: [Entry] = []
        try context?.performAndWait {
            let context = try #require(context)
            context.userInfo["hooks"] = hooks
            let parent = Entry(context: context)
            parent.title = "parent"
            let child = Entry(context: context)
            child.parent = parent
            try context.save()
            objects = [parent, child, Entry(context: context)]
        }
        context = nil
        #expect(weakContext == nil)
        for object in objects {
            #expect(object.managedObjectContext == nil)
            #expect(object.isFault)
        }
        weak let parent = objects.first
        objects = []
        // Nothing of what they were holds them together.
        #expect(parent == nil)
    }

    @Test("A released context releases its unsaved objects")
    func contextIsReleasedWithItsObjects() throws {
        let stack = try TestStack(HookModel.model())
        weak var weakContext: NSManagedObjectContext?
        weak var weakEntry: Entry?
        do {
            let context = stack.context()
            weakContext = context
            context.performAndWait {
                let entry = Entry(context: context)
                entry.title = "never saved"
                weakEntry = entry
            }
            #expect(weakEntry != nil)
        }
        #expect(weakContext == nil && weakEntry == nil)
    }

    // MARK: IDs

    @Test("An inserted object has a temporary ID until it is saved")
    func insertedObjectHasATemporaryID() throws {
        try diary.event { context in
            let entry = Entry(context: context)
            let temporary = entry.objectID
            #expect(temporary.isTemporaryID && temporary.persistentStore == nil)
            #expect(temporary.entity.name == "Entry")
            let text = temporary.uriRepresentation().absoluteString
            #expect(text.hasPrefix("x-coredata:///Entry/t"))
            #expect(context.registeredObject(for: temporary) === entry)
            try context.save()
            let permanent = entry.objectID
            #expect(!permanent.isTemporaryID && permanent != temporary)
            #expect(permanent.persistentStore === diary.stack.coordinator.persistentStores.first)
            let uuid = try #require(permanent.persistentStore?.identifier)
            let uri = permanent.uriRepresentation().absoluteString
            #expect(uri.hasPrefix("x-coredata://\(uuid)/Entry/p"))
            // Documents number the objects of all entities together.
            if StoreKind.current == .sqlite { #expect(uri.hasSuffix("/p1")) }
        }
    }

    @Test("Temporary IDs are unique")
    func temporaryIDsDiffer() {
        diary.event { context in
            let ids = Set((0..<50).map { _ in Entry(context: context).objectID })
            #expect(ids.count == 50)
            #expect(Set(ids.map { $0.uriRepresentation() }).count == 50)
        }
    }

    @Test("Permanent IDs obtained before the save stay the objects' IDs")
    func permanentIDsBeforeTheSave() throws {
        let ids = try diary.event { context in
            let entries = [Entry(context: context), Entry(context: context)]
            entries[0].title = "first"
            try context.obtainPermanentIDs(for: entries)
            let ids = entries.map(\.objectID)
            #expect(ids.allSatisfy { !$0.isTemporaryID } && ids[0] != ids[1])
            #expect(entries[0].isInserted && entries[1].isInserted)
            #expect(context.registeredObject(for: ids[0]) === entries[0])
            #expect(context.object(with: ids[0]) === entries[0])
            try context.obtainPermanentIDs(for: entries)
            #expect(entries.map(\.objectID) == ids)
            #expect(try context.fetch(request()).count == 2)
            try context.save()
            #expect(entries.map(\.objectID) == ids)
            return ids
        }
        try diary.stack.inContext { other in
            let entry = try #require(try other.existingObject(with: ids[0]) as? Entry)
            #expect(entry.title == "first")
        }
    }

    @Test("A context refuses to obtain IDs for objects that are not its own")
    func otherContextCannotObtainIDs() throws {
        let (mine, theirs) = (diary.stack.context(), diary.stack.context())
        let description = try #require(diary.stack.coordinator.managedObjectModel.entitiesByName["Entry"])
        let entry = mine.performAndWait { Entry(context: mine) }
        let alone = NSManagedObject(entity: description, insertInto: nil)
        for object in [entry, alone] {
            let refusal = try theirs.performAndWait {
                try error { try theirs.obtainPermanentIDs(for: [object]) }
            }
            #expect(refusal.code == 134060)
            #expect(refusal.userInfo[NSAffectedObjectsErrorKey] as? [NSManagedObject] == [object])
        }
        mine.performAndWait {
            #expect(entry.objectID.isTemporaryID && mine.registeredObject(for: entry.objectID) === entry)
        }
    }

    @Test("An object with a permanent ID that is never saved does not exist")
    func unsavedPermanentID() throws {
        let id = try diary.event { context in
            let entry = Entry(context: context)
            try context.obtainPermanentIDs(for: [entry])
            let id = entry.objectID
            context.rollback()
            #expect(context.registeredObject(for: id) == nil)
            return id
        }
        diary.event { context in
            let error = #expect(throws: NSError.self) { try context.existingObject(with: id) }
            #expect(error?.code == NSManagedObjectReferentialIntegrityError)
        }
    }

    @Test("Invalid or unknown URIs give no ID")
    func invalidURIs() throws {
        let entry = try diary.savedEntry("a")
        let coordinator = diary.stack.coordinator
        let uuid = try #require(entry.objectID.persistentStore?.identifier)
        for text in [
            "x-coredata://\(UUID().uuidString)/Entry/p1", "x-coredata://\(uuid)/Nothing/p1",
            "x-coredata://\(uuid)/Entry", "x-coredata://\(uuid)/Entry/px", "http://\(uuid)/Entry/p1",
            "x-coredata:///Entry/t\(UUID().uuidString)1",
        ] {
            let url = try #require(URL(string: text))
            #expect(coordinator.managedObjectID(forURIRepresentation: url) == nil, "\(text)")
        }
        let text = entry.objectID.uriRepresentation().absoluteString
        #expect(coordinator.managedObjectID(for: text) == entry.objectID)
    }
}
