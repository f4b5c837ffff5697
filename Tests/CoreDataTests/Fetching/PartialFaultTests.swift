import CoreData
import Foundation
import Testing

/// Objects of which some properties were fetched.
@Suite struct PartialFaultTests {
    private let stack: TestStack

    init() throws { stack = try TestStack.books(4) }

    private func request(_ properties: Any...) -> NSFetchRequest<Book> {
        let request = NSFetchRequest<Book>.books(by: "pages")
        request.propertiesToFetch = properties
        return request
    }

    private func setTitleElsewhere(_ old: String, _ new: String) throws {
        try stack.inContext { other throws in
            try other.book(old).title = new
            try other.save()
        }
    }

    @Test("Reading a fetched property of a partial fault does not fire it")
    func fetchedPropertyIsReadWithoutFiring() throws {
        try stack.inContext { context throws in
            let books = try context.fetch(request("title", "author"))
            let reads = stack.coordinator.reads {
                #expect(books.map(\.title) == ["b0", "b1", "b2", "b3"])
                #expect(books.map { $0.value(forKey: "title") as? String } == ["b0", "b1", "b2", "b3"])
                #expect(books.map { $0.author == nil } == [false, true, false, true])
            }
            #expect(reads == 0)
            #expect(books.allSatisfy { $0.isFault })
        }
    }

    @Test("Reading another property of a partial fault fires it")
    func otherPropertyFires() throws {
        try stack.inContext { context throws in
            let books = try context.fetch(request("title"))
            stack.coordinator.expectReads(1) { #expect(books[2].pages == 2) }
            #expect(!books[2].isFault && books[1].isFault)
            let reads = stack.coordinator.reads {
                #expect(books[2].title == "b2")
                #expect(books[2].author != nil)
            }
            #expect(reads == 0)
        }
    }

    @Test("Setting a property of a partial fault fires it")
    func settingFires() throws {
        try stack.inContext { context throws in
            let book = try #require(try context.fetch(request("title")).first)
            book.title = "new"
            #expect(!book.isFault && book.pages == 0)
            #expect(book.committedValues(forKeys: ["title"])["title"] as? String == "b0")
            try context.save()
        }
        try stack.inContext { context throws in
            #expect(try context.titles(.books(by: "pages")) == ["new", "b1", "b2", "b3"])
        }
    }

    @Test("Firing a partial fault does not restore an older row of the cache")
    func restIsNotOlderThanThePart() throws {
        try stack.inContext { context throws in
            // In the row cache.
            let first = try stack.inContext { other throws in try other.book("b0").objectID }
            try sqlRename("b0", "fresh")
            let book = try #require(try context.fetch(request("title")).first)
            #expect(book.objectID == first && book.title == "fresh")
            #expect(book.pages == 0)
            #expect(book.title == "fresh")
        }
    }

    /// Changes a title as another process would.
    private func sqlRename(_ old: String, _ new: String) throws {
        let other = NSPersistentStoreCoordinator(managedObjectModel: Library.model())
        try other.addPersistentStore(type: .sqlite, at: stack.file)
        try other.inContext { context throws in
            try context.book(old).title = new
            try context.save()
        }
        try other.close()
    }

    @Test("A refresh drops the values of a partial fault")
    func refreshDropsThePart() throws {
        try stack.inContext { context throws in
            let book = try #require(try context.fetch(request("title")).first)
            #expect(book.title == "b0")
            try setTitleElsewhere("b0", "changed")
            #expect(book.title == "b0" && book.isFault)
            context.refresh(book, mergeChanges: true)
            #expect(book.title == "changed")
        }
    }

    @Test("A merge drops the values of a partial fault")
    func mergeDropsThePart() throws {
        try stack.inContext { context throws in
            let book = try #require(try context.fetch(request("title")).first)
            #expect(book.title == "b0")
            let saver = stack.context()
            let log = NotificationLog(.NSManagedObjectContextDidSave, from: saver)
            try saver.event { other throws in
                try other.book("b0").title = "changed"
                try other.save()
            }
            for saved in log.all { context.mergeChanges(fromContextDidSave: saved) }
            #expect(book.title == "changed")
        }
    }

    @Test("A fetch of some properties leaves loaded and changed objects as they are")
    func loadedObjectsAreKept() throws {
        try stack.inContext { context throws in
            let book = try context.book("b1")
            book.title = "mine"
            let books = try context.fetch(request("title"))
            #expect(books.map(\.title) == ["b0", "mine", "b2", "b3"])
            let whole = try context.fetch(.books(by: "pages"))
            stack.coordinator.expectReads(0) { #expect(whole.map(\.pages) == [0, 1, 2, 3]) }
        }
    }

    @Test("A later fetch of whole rows replaces the values of a partial fault")
    func wholeRowReplacesThePart() throws {
        try stack.inContext { context throws in
            let parts = try context.fetch(request("title"))
            #expect(parts[0].title == "b0")
            try setTitleElsewhere("b0", "changed")
            _ = try context.fetch(.books(by: "pages"))
            stack.coordinator.expectReads(0) { #expect(parts[0].title == "changed") }
            #expect(parts[0].pages == 0)
        }
    }

    @Test("A fetch that returns loaded objects loads all of their properties")
    func loadedResultsAreWhole() throws {
        try stack.inContext { context throws in
            let request = request("title")
            request.returnsObjectsAsFaults = false
            let books = try context.fetch(request)
            stack.coordinator.expectReads(0) { #expect(books.map(\.pages) == [0, 1, 2, 3]) }
            #expect(books.allSatisfy { !$0.isFault })
        }
    }

    @Test("awakeFromFetch is called when a partial fault fires, not before")
    func awakeFromFetchComesWithTheRest() throws {
        let diary = try HookStack()
        _ = try diary.savedEntry("a")
        try diary.event { context in
            context.reset()
            _ = diary.hooks.take()
            let request = NSFetchRequest<Entry>(entityName: "Entry")
            request.propertiesToFetch = ["title"]
            let entry = try #require(try context.fetch(request).first)
            #expect(entry.title == "a" && diary.hooks.take() == [])
            #expect(entry.number == 3 && diary.hooks.take() == ["awakeFromFetch a"])
            #expect(entry.level == 9)
        }
    }

    @Test("A partial fault has values of every attribute type")
    func everyTypeIsReadFromAPart() throws {
        let stack = try SampleBooks.stack()
        try stack.inContext { context throws in
            let names = [
                "title", "price", "rating", "isRead", "publishDate", "uuid", "url", "cover", "authorName",
            ]
            let request = NSFetchRequest<Book>.books("title == 'Emma'")
            request.propertiesToFetch = names
            let book = try #require(try context.fetch(request).first)
            let parts = names.map { "\(book.value(forKey: $0) ?? "nil")" }
            #expect(book.isFault)
            #expect(book.pages == 474)
            #expect(names.map { "\(book.value(forKey: $0) ?? "nil")" } == parts)
            #expect(parts.first == "Emma" && !parts.contains("nil"))
        }
    }

    @Test("Partial faults of subentities have their entity and fire their own attributes")
    func subentitiesHaveTheirOwnColumns() throws {
        let stack = try TestStack(Graph.model())
        try stack.inContext { context throws in
            try context.insert("Leaf", ["uid": 1, "name": "leaf", "weight": 2.5])
            try context.insert("Node", ["uid": 2, "name": "node"])
            try context.save()
        }
        try stack.inContext { context throws in
            let request = NSFetchRequest<NSManagedObject>(entityName: "Node")
            request.sortDescriptors = [NSSortDescriptor(key: "uid", ascending: true)]
            request.propertiesToFetch = ["name"]
            let nodes = try context.fetch(request)
            let reads = stack.coordinator.reads {
                #expect(nodes.map { $0.value(forKey: "name") as? String } == ["leaf", "node"])
            }
            #expect(reads == 0 && nodes.map(\.entity.name) == ["Leaf", "Node"])
            #expect(nodes[0].value(forKey: "weight") as? Double == 2.5)
        }
    }

    @Test("A computed column in a fetch of objects is an error that names it")
    func computedColumnsAreForDictionaries() throws {
        try stack.inContext { context throws in
            let column = NSExpressionDescription()
            column.name = "shouted"
            column.expression = NSExpression(format: "uppercase:(title)")
            column.expressionResultType = .stringAttributeType
            let failure = try error { _ = try context.fetch(request(column)) }
            #expect(failure.code == 134060 && failure.localizedDescription.contains("shouted"))
        }
    }

    @Test("A fetch of some properties works in a child context")
    func childContext() throws {
        let root = stack.context()
        let child = ContextFamily.child(of: root)
        try root.event { try $0.book("b3").title = "changed" }
        try child.event { child throws in
            let books = try child.fetch(request("title"))
            #expect(books.map(\.title) == ["b0", "b1", "b2", "changed"])
            #expect(books.map(\.pages) == [0, 1, 2, 3])
        }
    }

    /// Reading the fetched values of an object shows that it has changed.
    @Test("A merge notifies an observer of a partial fault's property")
    func mergeNotifiesObserverOfPart() throws {
        try stack.inContext { context throws in
            let book = try #require(try context.fetch(request("title")).first)
            let note = ObservationCounter { #expect(book.title == "b0") }
            let notification = try stack.saved { try $0.book("b0").title = "new" }
            context.mergeChanges(fromContextDidSave: notification)
            #expect(note.count == 1 && book.title == "new")
        }
    }
}
