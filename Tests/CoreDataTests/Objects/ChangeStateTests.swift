import CoreData
import Foundation
import Testing

/// The flags and dictionaries that say what was changed, in every phase of an object's life.
@Suite(.onEveryStore) struct ChangeStateTests {
    let diary: HookStack

    init() throws { diary = try HookStack() }

    /// The flags that are set, as letters.
    private func flags(_ entry: Entry) -> String {
        (entry.isInserted ? "I" : "") + (entry.isUpdated ? "U" : "") + (entry.isDeleted ? "D" : "")
            + (entry.hasChanges ? "c" : "") + (entry.hasPersistentChangedValues ? "p" : "")
            + (entry.isFault ? "f" : "")
    }

    // MARK: Flags

    @Test("The change flags follow an object from insertion to deletion")
    func flagsOfAnObjectsLife() throws {
        try diary.event { context in
            let entry = Entry(context: context)
            #expect(flags(entry) == "Ic")
            entry.title = "a"
            #expect(flags(entry) == "Icp")
            context.processPendingChanges()
            #expect(flags(entry) == "Icp")
            try context.save()
            #expect(flags(entry) == "")
            entry.number = 8
            #expect(flags(entry) == "Ucp")
            entry.number = 3
            #expect(flags(entry) == "Uc")
            try context.save()
            #expect(flags(entry) == "")
            context.refresh(entry, mergeChanges: false)
            #expect(flags(entry) == "f")
            entry.number = 8
            context.delete(entry)
            #expect(entry.isDeleted && entry.hasChanges && !entry.isInserted && !entry.isUpdated)
            try context.save()
            #expect(!entry.isDeleted && !entry.hasChanges && entry.managedObjectContext == nil)
        }
    }

    @Test("Setting an equal value marks the object as updated without changed values")
    func equalValueMarksTheObject() throws {
        let entry = try diary.savedEntry("a")
        diary.event { context in
            entry.title = "a"
            #expect(flags(entry) == "Uc")
            #expect(context.hasChanges && context.updatedObjects == [entry])
            #expect(entry.changedValues().isEmpty)
        }
    }

    @Test("A transient change marks the object without persistent changes")
    func transientChanges() throws {
        let entry = try diary.savedEntry("a")
        try diary.event { context in
            entry.mark = "m"
            #expect(flags(entry) == "Uc")
            #expect(context.hasChanges)
            #expect(entry.changedValues().isEmpty && entry.changedValuesForCurrentEvent().isEmpty)
            #expect(entry.committedValues(forKeys: ["mark"]).isEmpty)
            try context.save()
            #expect(flags(entry) == "" && entry.mark == "m" && !context.hasChanges)
        }
    }

    @Test("A context lists its inserted, updated, deleted and registered objects")
    func contextListsItsObjects() throws {
        let updated = try diary.savedEntry("updated")
        let deleted = try diary.savedEntry("deleted")
        let both = try diary.savedEntry("both")
        try diary.event { context in
            #expect(!context.hasChanges)
            let inserted = Entry(context: context)
            inserted.number = 4
            updated.number = 5
            both.number = 6
            context.delete(both)
            context.delete(deleted)
            #expect(context.insertedObjects == [inserted])
            #expect(context.updatedObjects == [updated])
            #expect(context.deletedObjects == [deleted, both])
            #expect(context.registeredObjects == [inserted, updated, deleted, both])
            try context.save()
            #expect(context.insertedObjects.isEmpty && context.updatedObjects.isEmpty)
            #expect(context.deletedObjects.isEmpty && !context.hasChanges)
            #expect(context.registeredObjects == [inserted, updated])
        }
    }

    // MARK: Inserting and deleting

    @Test("An object inserted and deleted in one event leaves the context unchanged")
    func insertedAndDeletedInOneEvent() throws {
        let log = NotificationLog(.NSManagedObjectContextObjectsDidChange, from: diary.context)
        try diary.event { context in
            let entry = Entry(context: context)
            entry.title = "short"
            context.delete(entry)
            #expect(entry.isDeleted && !entry.isInserted)
            context.processPendingChanges()
            #expect(!entry.isDeleted && entry.managedObjectContext == nil)
            #expect(!context.hasChanges && context.registeredObjects.isEmpty)
            try context.save()
        }
        #expect(log.all.isEmpty)
    }

    @Test("An inserted object that is deleted later leaves without a save")
    func insertedObjectDeletedLater() throws {
        let entry = diary.event { Entry(context: $0) }
        diary.event { context in
            context.delete(entry)
            #expect(context.insertedObjects.isEmpty && context.deletedObjects.isEmpty)
        }
        diary.event { context in
            #expect(!context.hasChanges && entry.managedObjectContext == nil)
        }
    }

    @Test("An object inserted and deleted in one event leaves its relationships")
    func relationshipOfABriefObject() throws {
        let parent = try diary.savedEntry("parent")
        try diary.event { context in
            let child = Entry(context: context)
            child.parent = parent
            #expect(parent.children == [child])
            context.delete(child)
            context.processPendingChanges()
            #expect(parent.children.isEmpty && !parent.hasPersistentChangedValues)
            try context.save()
        }
        let count = try diary.stored("parent", \.children.count)
        #expect(count == 0)
    }

    @Test("Inserting a deleted object cancels its deletion")
    func insertRestoresADeletedObject() throws {
        let entry = try diary.savedEntry("a")
        diary.event { _ in entry.number = 8 }
        let id = entry.objectID
        try diary.event { context in
            context.delete(entry)
            context.insert(entry)
            #expect(flags(entry) == "Ucp")
            #expect(context.deletedObjects.isEmpty && context.updatedObjects == [entry])
            try context.save()
        }
        #expect(try diary.stored("a", \.number) == 8)
        try diary.event { context in
            entry.number = 9
            context.delete(entry)
            context.processPendingChanges()
            context.insert(entry)
            #expect(!entry.isDeleted && entry.objectID == id)
            try context.save()
        }
        #expect(try diary.stored("a", \.number) == 9)
    }

    @Test("An unsaved object that is deleted and inserted again is inserted")
    func unsavedObjectDeletedAndInserted() throws {
        try diary.event { context in
            let entry = Entry(context: context)
            entry.title = "a"
            context.delete(entry)
            context.insert(entry)
            #expect(flags(entry) == "Icp")
            context.processPendingChanges()
            context.delete(entry)
            context.insert(entry)
            context.processPendingChanges()
            #expect(flags(entry) == "Icp" && context.insertedObjects == [entry])
            try context.save()
        }
        #expect(try diary.stored("a", \.number) == 3)
    }

    @Test("An unsaved object that left its context can be inserted anew")
    func unsavedObjectInsertedAnew() throws {
        let entry = diary.event { context in
            let entry = Entry(context: context)
            entry.title = "again"
            context.delete(entry)
            return entry
        }
        try diary.event { context in
            #expect(entry.managedObjectContext == nil)
            context.insert(entry)
            #expect(entry.managedObjectContext === context && entry.isInserted && entry.title == "again")
            try context.save()
        }
        #expect(try diary.stored("again", \.number) == 3)
    }

    @Test("Deleting an object twice deletes it once")
    func deletingTwice() throws {
        let entry = try diary.savedEntry("a")
        try diary.event { context in
            context.delete(entry)
            context.delete(entry)
            #expect(context.deletedObjects == [entry])
            try context.save()
            context.delete(entry)
            #expect(!context.hasChanges)
        }
    }

    // MARK: What changed

    @Test("changedValues() has the new persistent values since the last save")
    func changedValues() throws {
        let parent = try diary.savedEntry("parent")
        let entry = try diary.savedEntry("a")
        try diary.event { context in
            #expect(entry.changedValues().isEmpty)
            entry.title = nil
            entry.number = 5
            entry.number = 6
            entry.parent = parent
            entry.mark = "m"
            let changed = entry.changedValues()
            #expect(Set(changed.keys) == ["title", "number", "parent"])
            #expect(changed["title"] is NSNull)
            #expect(changed["number"] as? Int == 6)
            #expect(changed["parent"] as? Entry === parent)
            #expect(Set(parent.changedValues().keys) == ["children"])
            context.processPendingChanges()
            #expect(entry.changedValues().count == 3)
            try context.save()
            #expect(entry.changedValues().isEmpty && parent.changedValues().isEmpty)
        }
    }

    @Test("changedValues() of an inserted object has the values that were set")
    func changedValuesOfAnInsertedObject() {
        diary.event { context in
            let entry = Entry(context: context)
            #expect(entry.changedValues().isEmpty)
            entry.title = "a"
            #expect(entry.changedValues()["title"] as? String == "a")
            #expect(entry.changedValues().count == 1)
        }
    }

    @Test("changedValuesForCurrentEvent() has the values before the event")
    func changedValuesForCurrentEvent() throws {
        let entry = try diary.savedEntry("a")
        diary.event { context in
            entry.title = "b"
            entry.title = "c"
            entry.mark = "m"
            let event = entry.changedValuesForCurrentEvent()
            #expect(event.count == 1 && event["title"] as? String == "a")
            context.processPendingChanges()
            #expect(entry.changedValuesForCurrentEvent().isEmpty)
            #expect(entry.changedValues()["title"] as? String == "c")
            entry.title = nil
            #expect(entry.changedValuesForCurrentEvent()["title"] as? String == "c")
        }
    }

    @Test("committedValues(forKeys:) has the stored values")
    func committedValues() throws {
        let parent = try diary.savedEntry("parent")
        let entry = try diary.savedEntry("a", parent: parent)
        try diary.event { context in
            entry.title = "b"
            entry.parent = nil
            #expect(entry.committedValues(forKeys: ["title"])["title"] as? String == "a")
            #expect(entry.committedValues(forKeys: ["parent"])["parent"] as? Entry === parent)
            let all = entry.committedValues(forKeys: nil)
            #expect(Set(all.keys) == ["title", "number", "parent", "children"])
            #expect(all["number"] as? Int == 3)
            #expect(parent.committedValues(forKeys: ["children"])["children"] as? Set<Entry> == [entry])
            try context.save()
            #expect(entry.committedValues(forKeys: nil)["title"] as? String == "b")
            #expect(entry.committedValues(forKeys: ["parent"])["parent"] is NSNull)
        }
    }

    @Test("Committed values leave out relationships that are not loaded unless named")
    func committedValuesOfRelationships() throws {
        let parent = try diary.savedEntry("parent")
        _ = try diary.savedEntry("child", parent: parent)
        diary.event { context in
            context.refresh(parent, mergeChanges: false)
            #expect(Set(parent.committedValues(forKeys: nil).keys) == ["title", "number", "parent"])
            #expect(parent.hasFault(forRelationshipNamed: "children"))
            let named = parent.committedValues(forKeys: ["children", "title"])
            #expect((named["children"] as? Set<Entry>)?.count == 1 && named["title"] as? String == "parent")
            #expect(!parent.hasFault(forRelationshipNamed: "children"))
        }
    }

    @Test("An object that was never saved has no committed values")
    func committedValuesOfAnInsertedObject() {
        diary.event { context in
            let entry = Entry(context: context)
            entry.title = "a"
            #expect(entry.committedValues(forKeys: ["title"]).isEmpty)
        }
    }

    @Test("Reading the change state loads no relationships")
    func changeStateLoadsNothing() throws {
        let parent = try diary.savedEntry("parent")
        _ = try diary.savedEntry("child", parent: parent)
        diary.event { context in
            context.refresh(parent, mergeChanges: false)
            Entry(context: context).parent = parent
            #expect(parent.hasPersistentChangedValues)
            #expect(parent.hasFault(forRelationshipNamed: "children"))
        }
    }
}
