import CoreData
import Foundation
import Testing

/// What contexts of a family adopt of each other's saves.
@Suite(.onEveryStore) struct ChildMergeTests {
    let family: ContextFamily
    private var root: NSManagedObjectContext { family.root }
    private let mine: NSManagedObjectContext
    private let sibling: NSManagedObjectContext

    init() throws {
        family = try ContextFamily()
        mine = ContextFamily.child(of: family.root)
        sibling = ContextFamily.child(of: family.root)
        try family.root.event { root throws in
            root.insertBook("A").pages = 1
            root.insertBook("B").pages = 2
            try root.save()
        }
    }

    private func changeInSibling() throws {
        try sibling.event { sibling throws in
            try sibling.book("A").pages = 10
            sibling.delete(try sibling.book("B"))
            sibling.insertBook("C")
            try sibling.save()
        }
    }

    private func books() throws -> (Book, Book) {
        try mine.event { mine throws in
            let books = (try mine.book("A"), try mine.book("B"))
            #expect(books.0.pages == 1 && books.1.pages == 2)
            return books
        }
    }

    @Test("A child merges a sibling's save and keeps its own changes")
    func siblingSaveIsMerged() throws {
        let (a, b) = try books()
        try mine.event { _ throws in a.title = "mine" }
        let log = NotificationLog(.NSManagedObjectContextDidSave, from: sibling)
        try changeInSibling()
        let notification = try #require(log.all.first)
        try mine.event { mine throws in
            #expect(a.pages == 1 && !b.isDeleted)
            mine.mergeChanges(fromContextDidSave: notification)
            #expect(a.pages == 10 && a.title == "mine" && b.isDeleted && b.pages == 2)
            #expect(try ContextFamily.titles(mine) == ["C", "mine"])
            try mine.save()
            #expect(!mine.hasChanges)
        }
        try root.saveAndWait()
        #expect(try family.storedTitles() == ["C", "mine"])
    }

    @Test("A child merges the object IDs of a sibling's save")
    func siblingIDsAreMerged() throws {
        let (a, b) = try books()
        let log = NotificationLog(.NSManagedObjectContextDidSaveObjectIDs, from: sibling)
        let changes = NotificationLog(.NSManagedObjectContextObjectsDidChange, from: mine)
        try changeInSibling()
        let notification = try #require(log.all.first)
        try mine.event { mine throws in
            mine.mergeChanges(fromContextDidSave: notification)
            #expect(a.pages == 10 && b.isDeleted)
            #expect(
                changes.contents(of: .NSManagedObjectContextObjectsDidChange, by: "title")
                    == [["inserted": ["C"], "refreshed": ["A"], "deleted": ["B"]]])
        }
    }

    @Test("A child merges its parent's saves while automatic merging is on")
    func childMergesParentSaves() throws {
        let (a, b) = try books()
        try mine.event { mine throws in
            mine.automaticallyMergesChangesFromParent = true
            a.title = "mine"
        }
        try root.event { root throws in
            root.insertBook("D")
            try root.book("A").pages = 11
            root.delete(try root.book("B"))
        }
        // The parent has not saved it.
        try mine.event { _ throws in #expect(a.pages == 1 && !b.isDeleted) }
        try root.saveAndWait()
        try mine.event { mine throws in
            #expect(a.pages == 11 && a.title == "mine" && b.isDeleted)
            #expect(try ContextFamily.titles(mine) == ["D", "mine"])
            mine.automaticallyMergesChangesFromParent = false
        }
        try root.event { root throws in
            try root.book("A").pages = 12
            try root.save()
        }
        try mine.event { _ throws in #expect(a.pages == 11) }
    }

    @Test("A child with automatic merging merges a sibling's save")
    func childMergesSiblingSavesAutomatically() throws {
        let (a, b) = try books()
        let log = NotificationLog(.NSManagedObjectContextObjectsDidChange, from: mine)
        try mine.event { mine throws in mine.automaticallyMergesChangesFromParent = true }
        try changeInSibling()
        try mine.event { mine throws in
            #expect(a.pages == 10 && b.isDeleted)
            #expect(
                log.contents(of: .NSManagedObjectContextObjectsDidChange, by: "title")
                    == [["inserted": ["C"], "refreshed": ["A"], "deleted": ["B"]]])
            #expect(try ContextFamily.titles(mine) == ["A", "C"])
        }
    }

    @Test("A child that merges its own save keeps its object without changes")
    func childMergesItsOwnSave() throws {
        let book = try mine.event { mine throws in
            mine.automaticallyMergesChangesFromParent = true
            let book = mine.insertBook("new")
            try mine.save()
            return book
        }
        try root.saveAndWait()
        try mine.event { mine throws in
            #expect(!book.objectID.isTemporaryID && book.title == "new" && !mine.hasChanges)
            #expect(try mine.book("new") === book)
        }
    }

    @Test("A grandchild with automatic merging merges its parent's save")
    func grandchildMergesAChildSave() throws {
        let leaf = ContextFamily.child(of: mine)
        let a = try leaf.event { leaf throws in
            leaf.automaticallyMergesChangesFromParent = true
            let a = try leaf.book("A")
            #expect(a.pages == 1)
            return a
        }
        let log = NotificationLog(.NSManagedObjectContextObjectsDidChange, from: leaf)
        try mine.event { mine throws in
            try mine.book("A").pages = 20
            mine.insertBook("C")
            try mine.save()
        }
        try leaf.event { leaf throws in
            #expect(a.pages == 20)
            #expect(
                log.contents(of: .NSManagedObjectContextObjectsDidChange, by: "title")
                    == [["inserted": ["C"], "refreshed": ["A"]]])
        }
    }

    @Test("A parent that merges its child's save keeps the changes it received")
    func parentIgnoresItsChildsNotification() throws {
        let log = NotificationLog(.NSManagedObjectContextDidSave, from: mine)
        try mine.event { mine throws in
            mine.delete(try mine.book("A"))
            try mine.book("B").pages = 20
            try mine.save()
        }
        let notification = try #require(log.all.first)
        try root.event { root throws in
            root.mergeChanges(fromContextDidSave: notification)
            #expect(root.deletedObjects.count == 1 && root.updatedObjects.count == 1)
            try root.save()
        }
        #expect(try family.storedTitles() == ["B"])
    }

    @Test("A context outside of the family merges a deletion only after the root saved")
    func unsavedDeletionIsNotMerged() throws {
        let other = family.stack.context()
        let b = try other.event { other throws in
            let b = try other.book("B")
            #expect(b.pages == 2)
            return b
        }
        let log = NotificationLog(.NSManagedObjectContextDidSave, from: sibling)
        try changeInSibling()
        let notification = try #require(log.all.first)
        try other.event { other throws in
            other.mergeChanges(fromContextDidSave: notification)
            #expect(!b.isDeleted && !other.hasChanges)
        }
        try root.saveAndWait()
        try other.event { other throws in
            other.mergeChanges(fromContextDidSave: notification)
            #expect(b.isDeleted)
        }
    }

    @Test("A child merges another coordinator context's save after its root did")
    func rootMergesForItsChildren() throws {
        let a = try mine.event { mine throws in
            let a = try mine.book("A")
            #expect(a.pages == 1)
            return a
        }
        let notification = try family.stack.saved { try $0.book("A").pages = 30 }
        try root.event { $0.mergeChanges(fromContextDidSave: notification) }
        try mine.event { mine throws in
            mine.mergeChanges(fromContextDidSave: notification)
            #expect(a.pages == 30)
        }
    }
}
