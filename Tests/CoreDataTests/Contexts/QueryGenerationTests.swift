import CoreData
import Foundation
import Testing

/// Contexts that read one state of their stores, whatever is saved meanwhile.
@Suite struct QueryGenerationTests {
    private let stack: TestStack

    init() throws { stack = try TestStack.books(4) }

    /// Changes `b1`, deletes `b2` and inserts `new` in a context of its own.
    private func changeElsewhere() throws {
        try stack.inContext { other throws in
            try other.book("b1").title = "changed"
            other.delete(try other.book("b2"))
            other.insertBook("new").pages = 9
            try other.save()
        }
    }

    private func titles(_ context: NSManagedObjectContext) throws -> [String] {
        try context.titles(.books(by: "pages"))
    }

    private let before = ["b0", "b1", "b2", "b3"]
    private let after = ["b0", "changed", "b3", "new"]

    @Test("A context is pinned by its first read after the generation is set")
    func pinnedByTheNextRead() throws {
        try stack.inContext { context throws in
            #expect(context.queryGenerationToken == nil)
            try context.setQueryGenerationFrom(.current)
            #expect(context.queryGenerationToken == .current)
            try changeElsewhere()
            #expect(try titles(context) == after)
            let token = try #require(context.queryGenerationToken)
            #expect(token != .current)
            #expect(context.queryGenerationToken == token)
        }
    }

    @Test("A pinned context fetches, counts and refreshes the state of its generation")
    func pinnedContextReadsOldState() throws {
        try stack.inContext { context throws in
            try context.setQueryGenerationFrom(.current)
            #expect(try context.count(for: .books()) == 4)
            try changeElsewhere()
            #expect(try titles(context) == before)
            context.refreshAllObjects()
            #expect(try titles(context) == before)
            #expect(try context.count(for: .books("title == 'changed'")) == 0)
            let ids = NSFetchRequest<NSManagedObjectID>(entityName: "Book")
            ids.resultType = .managedObjectIDResultType
            #expect(try context.fetch(ids).count == 4)
            let columns = NSFetchRequest<NSDictionary>(entityName: "Book")
            columns.resultType = .dictionaryResultType
            columns.propertiesToFetch = ["title"]
            let found = try context.fetch(columns).compactMap { $0["title"] as? String }
            #expect(found.sorted() == before)
            #expect(try context.lazyResults(of: .books(by: "pages")).map { $0.title ?? "" } == before)
        }
    }

    @Test("Faults and relationships are read from the pinned generation")
    func faultsAndRelationshipsOfTheGeneration() throws {
        try stack.inContext { context throws in
            try context.setQueryGenerationFrom(.current)
            let id = try context.book("b2").objectID
            let authorID = try #require(try context.book("b2").author).objectID
            context.reset()
            try context.setQueryGenerationFrom(.current)
            _ = try context.count(for: .books())
            try changeElsewhere()
            let book = try #require(context.object(with: id) as? Book)
            #expect(book.title == "b2")
            let author = try #require(context.object(with: authorID) as? Author)
            #expect(author.books == [book])
            context.refresh(book, mergeChanges: false)
            #expect(try context.existingObject(with: id) === book)
            // The row cache that contexts share has no part in it.
            try stack.inContext { other throws in
                #expect(try error { _ = try other.existingObject(with: id) }.code == 133000)
            }
        }
    }

    @Test("A context set to another's token reads the same generation")
    func tokenOfAnotherContext() throws {
        try stack.inContext { context throws in
            try context.setQueryGenerationFrom(.current)
            #expect(try titles(context) == before)
            try changeElsewhere()
            let token = context.queryGenerationToken
            try stack.inContext { other throws in
                #expect(try titles(other) == after)
                other.reset()
                try other.setQueryGenerationFrom(token)
                #expect(try titles(other) == before)
                #expect(other.queryGenerationToken == token)
                try other.setQueryGenerationFrom(nil)
                other.refreshAllObjects()
                #expect(try titles(other) == after)
            }
        }
    }

    @Test("A token keeps its generation after its context is released")
    func tokenOutlivesItsContext() throws {
        var token: NSQueryGenerationToken?
        try stack.inContext { context throws in
            try context.setQueryGenerationFrom(.current)
            _ = try context.count(for: .books())
            token = context.queryGenerationToken
        }
        try changeElsewhere()
        try stack.inContext { context throws in
            try context.setQueryGenerationFrom(token)
            #expect(try titles(context) == before)
        }
    }

    @Test("A save moves a pinned context to a new generation")
    func saveMovesToANewGeneration() throws {
        try stack.inContext { context throws in
            try context.setQueryGenerationFrom(.current)
            let third = try context.book("b3")
            let token = context.queryGenerationToken
            try changeElsewhere()
            third.title = "mine"
            try context.save()
            #expect(context.queryGenerationToken != token)
            #expect(context.queryGenerationToken != .current)
            context.refreshAllObjects()
            #expect(try titles(context) == ["b0", "changed", "mine", "new"])
        }
    }

    @Test("A save in a pinned context detects conflicts with later saves")
    func saveDetectsConflicts() throws {
        try stack.inContext { context throws in
            try context.setQueryGenerationFrom(.current)
            let first = try context.book("b1")
            try changeElsewhere()
            first.title = "mine"
            #expect(try error { try context.save() }.code == 133020)
            context.mergePolicy = NSMergePolicy.mergeByPropertyObjectTrump
            try context.save()
            try stack.inContext { other throws in #expect(try other.book("mine").pages == 1) }
        }
    }

    @Test("Merging a save moves a pinned context to a new generation")
    func mergeMovesToANewGeneration() throws {
        try stack.inContext { context throws in
            try context.setQueryGenerationFrom(.current)
            let books = try context.fetch(.books(by: "pages"))
            #expect(books[1].title == "b1")
            let saver = stack.context()
            let log = NotificationLog(.NSManagedObjectContextDidSave, from: saver)
            try saver.event { other throws in
                try other.book("b1").title = "changed"
                try other.save()
            }
            #expect(try titles(context) == before)
            for saved in log.all { context.mergeChanges(fromContextDidSave: saved) }
            #expect(books[1].title == "changed")
        }
    }

    @Test("A reset moves a pinned context to a new generation")
    func resetMovesToANewGeneration() throws {
        try stack.inContext { context throws in
            try context.setQueryGenerationFrom(.current)
            #expect(try titles(context) == before)
            try changeElsewhere()
            context.reset()
            #expect(try titles(context) == after)
            #expect(context.queryGenerationToken != nil)
        }
    }

    @Test("A batch request leaves the context at its generation")
    func batchRequestsKeepTheGeneration() throws {
        try stack.inContext { context throws in
            try context.setQueryGenerationFrom(.current)
            #expect(try titles(context) == before)
            let update = NSBatchUpdateRequest(entityName: "Book")
            update.propertiesToUpdate = ["title": "all"]
            try context.execute(update)
            context.refreshAllObjects()
            #expect(try titles(context) == before)
        }
    }

    @Test("A save notification has the context's generation token")
    func notificationHasTheToken() throws {
        try stack.inContext { context throws in
            try context.setQueryGenerationFrom(.current)
            let book = try context.book("b0")
            let log = NotificationLog(.NSManagedObjectContextDidSave, from: context)
            book.title = "mine"
            try context.save()
            let token =
                log.all.first?.userInfo?[NSManagedObjectContextQueryGenerationKey] as? NSQueryGenerationToken
            #expect(token != nil && token == context.queryGenerationToken)
            #expect(
                NSManagedObjectContext.NotificationKey.queryGeneration.rawValue
                    == NSManagedObjectContextQueryGenerationKey)
        }
    }

    @Test("A child of a pinned context reads its parent's generation")
    func childReadsItsParentsGeneration() throws {
        let root = stack.context()
        let child = ContextFamily.child(of: root)
        try root.event { try $0.setQueryGenerationFrom(.current) }
        try child.event { child throws in #expect(try titles(child) == before) }
        try changeElsewhere()
        try child.event { child throws in
            child.reset()
            #expect(try titles(child) == before)
            #expect(child.queryGenerationToken == nil)
            #expect(try error { try child.setQueryGenerationFrom(.current) }.code == 134060)
        }
        try root.event { #expect($0.queryGenerationToken != .current) }
    }

    @Test(
        "A context on a store without generations reads current values",
        arguments: StoreKind.without(.hasGenerations))
    func otherStoresHaveNoGenerations(_ kind: StoreKind)
        throws
    {
        let store = try ConformanceStore(kind)
        let coordinator = try store.open()
        try coordinator.inContext { context throws in
            try context.setQueryGenerationFrom(.current)
            #expect(try context.people() == [])
            try coordinator.inContext { other throws in
                try ConformanceModel.fill(other)
                try other.save()
            }
            #expect(try context.people(by: "name") == ["Ada", "Alan", "Grace"])
        }
    }

    @Test("A context on a store in another journal mode reads current values")
    func otherJournalModesHaveNoGenerations() throws {
        let folder = try StoreFolder()
        let coordinator = try folder.open(
            Library.model(), [NSSQLitePragmasOption: ["journal_mode": "DELETE"]])
        try coordinator.inContext { context throws in
            try context.setQueryGenerationFrom(.current)
            #expect(try context.count(for: .books()) == 0)
            try coordinator.inContext { other throws in
                other.insertBook("new")
                try other.save()
            }
            #expect(try context.count(for: .books()) == 1)
        }
    }

    @Test("Removing a store ends its generations")
    func removedStoreEndsItsGenerations() throws {
        let context = stack.context()
        try context.event { context throws in
            try context.setQueryGenerationFrom(.current)
            #expect(try titles(context) == before)
        }
        let token = try context.event { $0.queryGenerationToken }
        let store = try #require(stack.coordinator.persistentStores.first)
        try stack.coordinator.remove(store)
        // The connection that writes was the last one, and has moved the log into the file.
        #expect(!FileManager.default.fileExists(atPath: stack.file.path + "-wal"))
        let reopened = try stack.reopened()
        try reopened.inContext { other throws in
            #expect(try titles(other) == before)
            // It is a token of the stores of another coordinator.
            #expect(try error { try other.setQueryGenerationFrom(token) }.code == 134060)
        }
        try context.event { context throws in
            #expect(try context.fetch(.books()).isEmpty)
        }
    }

    @Test("An archived token finds its generation while a context keeps it")
    func archivedToken() throws {
        func copy(_ token: NSQueryGenerationToken) throws -> NSQueryGenerationToken? {
            let archive = try NSKeyedArchiver.archivedData(withRootObject: token, requiringSecureCoding: true)
            return try NSKeyedUnarchiver.unarchivedObject(ofClass: NSQueryGenerationToken.self, from: archive)
        }
        #expect(try copy(.current) == .current)
        try stack.inContext { context throws in
            try context.setQueryGenerationFrom(.current)
            #expect(try titles(context) == before)
            let token = try #require(context.queryGenerationToken)
            let archived = try copy(token)
            #expect(archived == token)
            try changeElsewhere()
            try stack.inContext { other throws in
                try other.setQueryGenerationFrom(archived)
                #expect(try titles(other) == before)
            }
        }
    }

    @Test("An archived token of a released generation is refused")
    func archivedTokenOfReleasedGeneration() throws {
        var archive = Data()
        try stack.inContext { context throws in
            try context.setQueryGenerationFrom(.current)
            _ = try context.count(for: .books())
            let token = try #require(context.queryGenerationToken)
            archive = try NSKeyedArchiver.archivedData(withRootObject: token, requiringSecureCoding: true)
        }
        let token = try NSKeyedUnarchiver.unarchivedObject(
            ofClass: NSQueryGenerationToken.self, from: archive)
        try stack.inContext { context throws in
            #expect(try error { try context.setQueryGenerationFrom(token) }.code == 134060)
        }
    }
}
