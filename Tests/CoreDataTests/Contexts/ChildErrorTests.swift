import CoreData
import Foundation
import Testing

/// Saves of a child that fail, and conflicts with its parent.
@Suite struct ChildErrorTests {
    let family: ContextFamily
    private var root: NSManagedObjectContext { family.root }
    private var child: NSManagedObjectContext { family.child }

    init() throws {
        family = try ContextFamily()
        try family.root.event { root throws in
            root.insertBook("A").pages = 1
            try root.save()
        }
    }

    @Test("A child's save that fails validation changes nothing in the parent")
    func childValidates() throws {
        let log = NotificationLog(.NSManagedObjectContextObjectsDidChange, from: root)
        try child.event { child throws in
            let (a, new) = (try child.book("A"), Book(context: child))
            a.pages = 2
            let refusal = try error { try child.save() }
            #expect(refusal.code == 1570 && refusal.userInfo[NSValidationKeyErrorKey] as? String == "title")
            #expect(new.isInserted && a.isUpdated && a.changedValues().keys.sorted() == ["pages"])
        }
        try root.event { root throws in #expect(!root.hasChanges) }
        #expect(log.all.isEmpty)
        try child.event { child throws in
            child.insertedObjects.first?.setValue("B", forKey: "title")
            try child.save()
        }
        try root.event { root throws in #expect(try ContextFamily.titles(root) == ["A", "B"]) }
    }

    @Test("The root validates a child's object that it changed afterwards")
    func rootValidatesOwnChanges() throws {
        try child.event { child throws in
            child.insertBook("B")
            try child.save()
        }
        try root.event { root throws in
            try root.book("B").title = nil
            #expect(try error { try root.save() }.code == 1570)
            root.insertedObjects.first?.setValue("C", forKey: "title")
            try root.save()
        }
        #expect(try family.storedTitles() == ["A", "C"])
    }

    /// A book that the child has changed and the parent has deleted.
    private func conflict() throws -> Book {
        let book = try child.event { child throws in
            let book = try child.book("A")
            book.pages = 5
            return book
        }
        try root.event { $0.delete(try $0.book("A")) }
        return book
    }

    @Test("A change of an object that the parent deleted is a conflict")
    func objectDeletedByTheParentIsAConflict() throws {
        let book = try conflict()
        try child.event { child throws in
            child.insertBook("B")
            let refusal = try error { try child.save() }
            #expect(refusal.code == 133020)
            let conflicts = refusal.userInfo[NSPersistentStoreSaveConflictsErrorKey] as? [NSMergeConflict]
            #expect(conflicts?.map(\.sourceObject) == [book])
            #expect(conflicts?.first?.newVersionNumber == 0)
            #expect(book.pages == 5 && book.isUpdated && child.insertedObjects.count == 1)
        }
        try root.event { root throws in
            #expect(root.insertedObjects.isEmpty && root.deletedObjects.count == 1)
        }
    }

    @Test(
        "Store-trump and rollback policies drop an object that the parent deleted",
        arguments: [NSMergePolicy.rollback, .mergeByPropertyStoreTrump])
    func policyDropsTheObject(_ policy: NSMergePolicy) throws {
        let book = try conflict()
        try child.event { child throws in
            child.mergePolicy = policy
            try child.save()
            #expect(book.managedObjectContext == nil && !child.hasChanges)
        }
        try root.saveAndWait()
        #expect(try family.storedTitles() == [])
    }

    @Test(
        "Object-trump and overwrite policies restore an object that the parent deleted",
        arguments: [NSMergePolicy.overwrite, .mergeByPropertyObjectTrump])
    func policyKeepsTheObject(_ policy: NSMergePolicy) throws {
        let book = try conflict()
        try child.event { child throws in
            child.mergePolicy = policy
            try child.save()
            #expect(book.managedObjectContext === child && !child.hasChanges)
        }
        try root.saveAndWait()
        try family.stack.inContext { context throws in #expect(try context.book("A").pages == 5) }
    }

    @Test("detectConflicts(for:) compares an object with the parent's values")
    func detectedConflictsCompareWithTheParent() throws {
        let book = try child.event { child throws in
            let book = try child.book("A")
            #expect(book.pages == 1)
            return book
        }
        try child.event { child throws in
            child.detectConflicts(for: book)
            child.insertBook("B")
            try child.save()
        }
        try root.event { root throws in try root.book("A").pages = 9 }
        try child.event { child throws in
            child.insertBook("C")
            child.detectConflicts(for: book)
            let refusal = try error { try child.save() }
            let conflicts = refusal.userInfo[NSPersistentStoreSaveConflictsErrorKey] as? [NSMergeConflict]
            #expect(refusal.code == 133020 && conflicts?.map(\.sourceObject) == [book])
            #expect(conflicts?.first?.cachedSnapshot?["pages"] as? Int == 9)
            child.mergePolicy = NSMergePolicy.mergeByPropertyObjectTrump
            try child.save()
            #expect(book.pages == 9 && !child.hasChanges)
        }
        try root.event { root throws in #expect(try ContextFamily.titles(root) == ["A", "B", "C"]) }
    }

    @Test("A conflict with the store fails the root's save and not the child's")
    func storeConflictBelongsToTheRoot() throws {
        try root.event { root throws in #expect(try root.book("A").pages == 1) }
        let mine = try child.event { child throws in
            let book = try child.book("A")
            book.pages = 5
            return book
        }
        let kept = try root.event { try $0.book("A") }
        try family.stack.inContext { other throws in
            try other.book("A").pages = 7
            try other.save()
        }
        try child.saveAndWait()
        try root.event { root throws in
            #expect(try error { try root.save() }.code == 133020)
            #expect(kept.pages == 5 && kept.isUpdated)
            root.mergePolicy = NSMergePolicy.mergeByPropertyObjectTrump
            try root.save()
        }
        try family.stack.inContext { context throws in #expect(try context.book("A").pages == 5) }
        try child.event { _ throws in #expect(mine.pages == 5) }
    }

    @Test("A uniqueness conflict of a child's object fails the root's save")
    func uniquenessIsCheckedByTheRoot() throws {
        let thing = NSEntityDescription("Thing", attribute("code", .string))
        thing.uniquenessConstraints = [["code"]]
        let family = try ContextFamily(NSManagedObjectModel(of: thing))
        try family.root.event { root throws in
            _ = try root.insert("Thing", ["code": "x"])
            try root.save()
        }
        let mine = try family.child.event { child throws in
            let mine = try child.insert("Thing", ["code": "x"])
            try child.save()
            return mine
        }
        try family.root.event { root throws in
            #expect(try error { try root.save() }.code == 133021)
            #expect(root.insertedObjects.count == 1)
            root.mergePolicy = NSMergePolicy.mergeByPropertyStoreTrump
            try root.save()
        }
        try family.child.event { child throws in
            child.refresh(mine, mergeChanges: false)
            #expect(mine.value(forKey: "code") == nil && mine.isDeleted)
        }
    }

    @Test("A value that cannot be transformed fails the child's save")
    func valueThatCannotBeArchived() throws {
        let thing = NSEntityDescription("Thing", transformable("value", "NobodyKnows"))
        let family = try ContextFamily(NSManagedObjectModel(of: thing))
        try family.child.event { child throws in
            let object = try child.insert("Thing", ["value": NSObject()])
            let refusal = try error { try child.save() }
            #expect(refusal.code == 134060 && refusal.localizedDescription.contains("value"))
            #expect(object.isInserted)
        }
        try family.root.event { root throws in #expect(!root.hasChanges) }
    }

    @Test("A root without a store receives its child's save and fails its own")
    func rootWithoutAStore() throws {
        let root = NSManagedObjectContext(.privateQueue)
        root.persistentStoreCoordinator = NSPersistentStoreCoordinator(managedObjectModel: Library.model())
        let child = ContextFamily.child(of: root)
        try child.event { child throws in
            child.insertBook("A")
            try child.save()
        }
        try root.event { root throws in
            #expect(root.insertedObjects.count == 1)
            #expect(try error { try root.save() }.code == 134030)
        }
    }
}
