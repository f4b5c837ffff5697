import CoreData
import Foundation
import Testing

/// Deletions that go up.
@Suite(.onEveryStore) struct ChildDeletionTests {
    let family: ContextFamily
    private var root: NSManagedObjectContext { family.root }
    private var child: NSManagedObjectContext { family.child }

    init() throws {
        family = try ContextFamily()
        try family.root.event { root throws in
            let author = Author(context: root)
            author.name = "author"
            author.books = [root.insertBook("A"), root.insertBook("B")]
            try root.save()
        }
    }

    private func writer(_ context: NSManagedObjectContext) throws -> Author {
        try #require(try context.fetch(NSFetchRequest<Author>(entityName: "Author")).first)
    }

    @Test("A child applies delete rules and passes all deletions to its parent")
    func deleteRulesRunInTheChild() throws {
        try child.event { child throws in
            child.delete(try writer(child))
            child.processPendingChanges()
            #expect(child.deletedObjects.count == 3)
            try child.save()
            #expect(try ContextFamily.titles(child) == [] && !child.hasChanges)
        }
        try root.event { root throws in
            #expect(root.deletedObjects.count == 3)
            #expect(try ContextFamily.titles(root) == [])
            try root.save()
        }
        #expect(try family.storedTitles() == [])
    }

    @Test("The parent's relationships drop an object that the child deleted")
    func relationshipsDropDeletedObjects() throws {
        let author = try root.event { root throws in
            let author = try writer(root)
            #expect(author.books.count == 2)
            return author
        }
        try child.event { child throws in
            child.delete(try child.book("A"))
            try child.save()
        }
        try root.event { root throws in
            #expect(author.books.first?.title == "B" && author.books.count == 1)
            try root.save()
        }
        #expect(try family.storedTitles() == ["B"])
    }

    @Test("A deletion saved by a child cascades to objects that only the parent has")
    func parentCascadesToItsOwnObjects() throws {
        let added = try root.event { root throws in
            let book = root.insertBook("C")
            book.author = try writer(root)
            return book
        }
        try child.event { child throws in
            let author = try writer(child)
            #expect(author.books.count == 3)
        }
        let late = try root.event { root throws in
            let book = root.insertBook("D")
            book.author = try writer(root)
            return book
        }
        try child.event { child throws in
            child.delete(try writer(child))
            try child.save()
        }
        try root.event { root throws in
            #expect(added.managedObjectContext == nil && late.managedObjectContext == nil)
            try root.save()
        }
        #expect(try family.storedTitles() == [])
    }

    @Test("A child's deletion of an object that the parent inserted leaves no change")
    func deletingAParentsInsertionLeavesNoChange() throws {
        let book = try root.event { $0.insertBook("C") }
        try child.event { child throws in
            child.delete(try child.book("C"))
            try child.save()
        }
        try root.event { root throws in
            #expect(book.managedObjectContext == nil && !root.hasChanges)
        }
    }

    @Test("An object that a child inserts and deletes does not reach the parent")
    func insertedAndDeletedInTheChild() throws {
        try child.event { child throws in
            let book = child.insertBook("C")
            child.processPendingChanges()
            child.delete(book)
            try child.save()
        }
        try root.event { root throws in #expect(!root.hasChanges) }
    }

    @Test("A saved deletion removes the object from the child")
    func deletedObjectsLeaveTheChild() throws {
        try child.event { child throws in
            let book = try child.book("A")
            child.delete(book)
            #expect(book.isDeleted)
            try child.save()
            #expect(!book.isDeleted && book.managedObjectContext == nil)
        }
    }

    @Test("An object deleted by child and parent is deleted once")
    func deletionInBothContexts() throws {
        let book = try child.event { child throws in
            let book = try child.book("A")
            #expect(book.title == "A")
            return book
        }
        try root.event { root throws in root.delete(try root.book("A")) }
        try child.event { child throws in
            child.delete(book)
            try child.save()
        }
        try root.saveAndWait()
        #expect(try family.storedTitles() == ["B"])
    }

    @Test("A deny rule fails the child's save")
    func denyRuleInTheChild() throws {
        let owner = NSEntityDescription("Owner", attribute("name", .string))
        let thing = NSEntityDescription("Thing", attribute("name", .string))
        pair(
            owner.relate("things", to: thing, many: true, rule: .denyDeleteRule),
            thing.relate("owner", to: owner))
        let family = try ContextFamily(NSManagedObjectModel(of: owner, thing))
        try family.child.event { child throws in
            let owner = try child.insert("Owner")
            let thing = try child.insert("Thing")
            thing.setValue(owner, forKey: "owner")
            try child.save()
            child.delete(owner)
            let refusal = try error { try child.save() }
            #expect(refusal.code == 1600 && owner.isDeleted)
            child.delete(thing)
            try child.save()
        }
        try family.root.event { root throws in #expect(!root.hasChanges) }
    }
}
