import CoreData
import Foundation
import Testing

/// The IDs of objects that a child has inserted, until the root saves and after it.
@Suite struct ChildTemporaryIDTests {
    let family: ContextFamily
    private var root: NSManagedObjectContext { family.root }
    private var child: NSManagedObjectContext { family.child }
    private var leaf: NSManagedObjectContext { family.grandchild }

    init() throws { family = try ContextFamily() }

    private func saveAll() throws {
        for context in [leaf, child, root] { try context.saveAndWait() }
    }

    @Test("An inserted object keeps its temporary ID until the root saves")
    func idsStayTemporaryUntilTheRootSaves() throws {
        let (book, id) = try leaf.event { leaf throws in
            let book = leaf.insertBook("new")
            let id = book.objectID
            try leaf.save()
            #expect(book.objectID == id && id.isTemporaryID)
            return (book, id)
        }
        try child.event { child throws in
            #expect(try child.book("new").objectID == id)
            try child.save()
            #expect(try child.book("new").objectID == id)
        }
        let saved = try root.event { root throws in
            let book = try root.book("new")
            #expect(book.objectID == id)
            try root.save()
            #expect(!book.objectID.isTemporaryID)
            return book.objectID
        }
        try leaf.event { leaf throws in
            #expect(book.objectID == saved && id != saved)
            // Both lead to the one object.
            #expect(leaf.object(with: id) === book && leaf.object(with: saved) === book)
            #expect(leaf.registeredObject(for: id) === book)
            #expect(try leaf.book("new") === book)
        }
    }

    @Test("An object can be read, changed and deleted after its ID changed")
    func objectIsUsableAfterItsIDChanged() throws {
        let (book, author) = try leaf.event { leaf throws in
            let book = leaf.insertBook("new")
            let author = Author(context: leaf)
            author.name = "author"
            book.author = author
            return (book, author)
        }
        try saveAll()
        try leaf.event { leaf throws in
            #expect(!leaf.hasChanges && book.changedValues().isEmpty)
            leaf.refresh(book, mergeChanges: false)
            leaf.refresh(author, mergeChanges: false)
            #expect(book.title == "new" && book.author === author && author.books == [book])
            book.pages = 12
            book.author = nil
        }
        try saveAll()
        try family.stack.inContext { context throws in
            let stored = try context.book("new")
            #expect(stored.pages == 12 && stored.author == nil)
        }
        try leaf.event { $0.delete(book) }
        try saveAll()
        #expect(try family.storedTitles() == [])
    }

    @Test("Setting the same destination after its ID changed is not a change")
    func sameDestinationIsNotAChange() throws {
        let (book, author) = try leaf.event { leaf throws in
            let book = leaf.insertBook("new")
            let author = Author(context: leaf)
            book.author = author
            try leaf.save()
            return (book, author)
        }
        try child.saveAndWait()
        try root.saveAndWait()
        try leaf.event { _ throws in
            book.author = nil
            book.author = author
            #expect(!book.hasPersistentChangedValues)
        }
    }

    @Test("A temporary ID finds its object in every context after the save")
    func temporaryIDsStayValid() throws {
        let id = try leaf.event { leaf throws in
            let id = leaf.insertBook("new").objectID
            try leaf.save()
            return id
        }
        try child.saveAndWait()
        try root.saveAndWait()
        for context in [leaf, child, root, ContextFamily.child(of: leaf)] {
            try context.event { context throws in
                #expect((try context.existingObject(with: id) as? Book)?.title == "new")
                #expect((context.object(with: id) as? Book)?.objectID.isTemporaryID == false)
            }
        }
    }

    @Test("Permanent IDs obtained before a save stay the objects' IDs")
    func permanentIDsBeforeASave() throws {
        let (book, id) = try leaf.event { leaf throws in
            let book = leaf.insertBook("new")
            try leaf.obtainPermanentIDs(for: [book])
            #expect(!book.objectID.isTemporaryID && book.isInserted)
            return (book, book.objectID)
        }
        try saveAll()
        try leaf.event { leaf throws in
            #expect(book.objectID == id)
            leaf.refresh(book, mergeChanges: false)
            #expect(book.title == "new")
        }
        try family.stack.inContext { context throws in
            #expect(try context.book("new").objectID.uriRepresentation() == id.uriRepresentation())
        }
    }

    @Test("A parent's fault for a child's new object becomes the inserted object", arguments: [false, true])
    func faultsOfUnsavedIDsAreInserted(_ isPermanent: Bool) throws {
        let ids = try child.event { child throws in
            let (book, author) = (child.insertBook("new"), Author(context: child))
            author.name = "author"
            book.author = author
            if isPermanent { try child.obtainPermanentIDs(for: [book, author]) }
            return [book.objectID, author.objectID]
        }
        let faults = try root.event { root in ids.map(root.object(with:)) }
        try child.saveAndWait()
        try root.event { root throws in
            let (book, author) = (
                try #require(faults[0] as? Book), try #require(faults[1] as? Author)
            )
            #expect(root.insertedObjects == [book, author] && root.updatedObjects.isEmpty)
            #expect(!book.isFault && book.title == "new" && book.author === author)
            #expect(book.objectID == ids[0] && author.books == [book])
            try root.save()
            #expect(!book.objectID.isTemporaryID && !root.hasChanges)
            #expect((book.objectID == ids[0]) == isPermanent)
        }
        try family.stack.inContext { context throws in
            #expect(try context.book("new").author?.name == "author")
        }
    }

    @Test("A permanent ID obtained in a child is the parent object's ID too")
    func permanentIDIsSharedWithTheParent() throws {
        let book = try leaf.event { leaf throws in
            let book = leaf.insertBook("new")
            try leaf.save()
            return book
        }
        let above = try child.event { try $0.book("new") }
        let id = try leaf.event { leaf throws in
            try leaf.obtainPermanentIDs(for: [book])
            #expect(!book.objectID.isTemporaryID)
            return book.objectID
        }
        try child.event { child throws in
            #expect(above.objectID == id && above.isInserted)
            try child.save()
        }
        try root.event { root throws in
            #expect(try root.book("new").objectID == id)
            try root.save()
            #expect(try root.book("new").objectID == id)
        }
        #expect(try family.storedTitles() == ["new"])
    }

    @Test("Relationships between new objects with permanent IDs are saved")
    func relationshipsOfPermanentIDs() throws {
        let family = try ContextFamily(Graph.model())
        try family.child.event { child throws in
            let (node, tag) = (try child.insert("Node", ["uid": 1]), try child.insert("Tag", ["uid": 2]))
            try child.obtainPermanentIDs(for: [node, tag])
            node.mutableSetValue(forKey: "tags").add(tag)
            node.mutableOrderedSetValue(forKey: "ranking").add(tag)
            node.mutableSetValue(forKey: "bookmarks").add(node)
            try child.save()
        }
        try family.root.saveAndWait()
        try family.stack.inContext { context throws in
            let (node, tag) = (try context.only("Node"), try context.only("Tag"))
            #expect(node.value(forKey: "tags") as? Set<NSManagedObject> == [tag])
            #expect((node.value(forKey: "ranking") as? NSOrderedSet)?.array as? [NSManagedObject] == [tag])
            #expect(node.value(forKey: "bookmarks") as? Set<NSManagedObject> == [node])
        }
    }

    @Test("Siblings obtain the same permanent ID")
    func siblingsGetTheSameID() throws {
        let sibling = ContextFamily.child(of: child)
        let mine = try leaf.event { leaf throws in
            let book = leaf.insertBook("new")
            try leaf.save()
            return book
        }
        let theirs = try sibling.event { try $0.book("new") }
        try leaf.event { try $0.obtainPermanentIDs(for: [mine]) }
        try sibling.event { sibling throws in
            let id = theirs.objectID
            try sibling.obtainPermanentIDs(for: [theirs])
            #expect(theirs.objectID == id && !id.isTemporaryID)
            #expect(try sibling.book("new") === theirs)
        }
    }
}
