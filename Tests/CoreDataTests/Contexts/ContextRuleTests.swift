import CoreData
import GRDB
import Testing

/// What Apple's headers and documentation say of contexts beside the greater subjects.
@Suite struct ContextRuleTests {
    /// NSManagedObjectContext.h: confinement is of the past.
    @Test("A context of confinement type stops the process")
    func confinementStops() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let none = try #require(NSManagedObjectContextConcurrencyType(rawValue: 0))
            _ = NSManagedObjectContext(concurrencyType: none)
        }
        let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        #expect(text.contains("Confinement contexts are not supported"))
    }

    /// `rollback()` does not fetch: what it shows is what was read last.
    @Test("A rollback shows the values that were read last, without a fetch")
    func rollbackShowsWhatWasReadLast() throws {
        let stack = try TestStack.books(4)
        try stack.inContext { context in
            let books = try context.fetch(.books(by: "pages"))
            let author = try #require(books[0].author)
            #expect(author.books == [books[0]])
            try stack.inContext { other in
                try other.book("b0").title = "theirs"
                try other.save()
            }
            books[0].title = "mine"
            books[1].author = author
            context.delete(books[2])
            SampleBooks.book("new", 1, nil, author, context)
            context.processPendingChanges()
            context.rollback()
            #expect(!context.hasChanges)
            #expect(books.map(\.title) == ["b0", "b1", "b2", "b3"])
            #expect(author.books == [books[0]] && books[1].author == nil)
        }
    }

    /// NSManagedObjectContext.h, `obtainPermanentIDsForObjects:error:`: all objects have their IDs or none has.
    @Test("Either all objects obtain permanent IDs or none")
    func permanentIDsAreAtomic() throws {
        let folder = try StoreFolder()
        let coordinator = try folder.open(Library.model(), [NSPersistentStoreTimeoutOption: 0])
        var configuration = Configuration()
        configuration.allowsUnsafeTransactions = true
        let holder = try DatabaseQueue(path: folder.file.path, configuration: configuration)
        try coordinator.inContext { context in
            let (book, author) = (Book(context: context), Author(context: context))
            book.title = "b"
            let temporary = [book.objectID, author.objectID]
            try holder.writeWithoutTransaction { try $0.execute(sql: "BEGIN IMMEDIATE") }
            #expect(throws: NSError.self) { try context.obtainPermanentIDs(for: [book, author]) }
            #expect([book.objectID, author.objectID] == temporary)
            #expect(context.registeredObject(for: temporary[0]) === book)
            try holder.writeWithoutTransaction { try $0.execute(sql: "ROLLBACK") }
            try context.obtainPermanentIDs(for: [book, author])
            #expect(!book.objectID.isTemporaryID && !author.objectID.isTemporaryID)
            #expect(book.isInserted && author.isInserted)
            // A set of the IDs that were does not have those that are.
            #expect(Set(temporary).isDisjoint(with: [book.objectID, author.objectID]))
            try context.save()
        }
    }

    /// An object that others deleted stays registered and readable after the merge, and counts as deleted.
    @Test("An object deleted by a merge stays registered and readable")
    func mergedDeletionKeepsTheObject() throws {
        let stack = try TestStack.books(2)
        try stack.inContext { context in
            let book = try context.book("b1")
            let id = book.objectID
            context.mergeChanges(fromContextDidSave: try stack.saved { $0.delete(try $0.book("b1")) })
            #expect(book.isDeleted && book.title == "b1" && book.pages == 1)
            #expect(context.registeredObject(for: id) === book && context.deletedObjects == [book])
            #expect(book.managedObjectContext === context)
        }
    }

    /// A fault without a row counts as deleted until the context is reset, too.
    @Test("A reset clears the deleted state of a fault without a row")
    func resetForgetsMissingRows() throws {
        let stack = try TestStack.books(2)
        try stack.inContext { context in
            let id = try context.book("b1").objectID
            _ = try stack.saved { $0.delete(try $0.book("b1")) }
            let fault = context.object(with: id)
            #expect(fault.value(forKey: "title") == nil && context.deletedObjects == [fault])
            context.reset()
            #expect(context.deletedObjects.isEmpty && !context.hasChanges)
            #expect(fault.managedObjectContext == nil)
        }
    }

    /// `stalenessInterval` is for faults and refreshes: an object that is loaded keeps its values.
    @Test("The staleness interval does not change loaded objects")
    func stalenessLeavesLoadedObjectsAlone() throws {
        let stack = try TestStack.books(2)
        let other = NSPersistentStoreCoordinator(managedObjectModel: Library.model())
        try other.addPersistentStore(type: .sqlite, at: stack.file)
        try stack.inContext { context in
            context.stalenessInterval = 0
            let book = try context.book("b1")
            #expect(book.pages == 1)
            try other.inContext { theirs in
                try theirs.book("b1").pages = 10
                try theirs.save()
            }
            #expect(book.pages == 1)
            context.refresh(book, mergeChanges: false)
            #expect(book.pages == 10)
        }
    }

    /// The child's object has a temporary ID after the child's save, and a permanent one when it requests
    /// it.
    @Test("A child obtains permanent IDs of objects that it saved to its parent")
    func childObtainsPermanentIDsAfterItsSave() throws {
        let family = try ContextFamily()
        let id = try family.child.event { child throws in
            let book = child.insertBook("new")
            try child.save()
            #expect(book.objectID.isTemporaryID && !book.hasChanges)
            try child.obtainPermanentIDs(for: [book])
            #expect(!book.objectID.isTemporaryID)
            return book.objectID
        }
        try family.root.event { root throws in
            #expect(root.insertedObjects.map(\.objectID) == [id])
            try root.save()
        }
        try family.stack.inContext { context throws in #expect(try context.book("new").objectID == id) }
    }
}
