import CoreData
import Foundation
import Testing

/// How often the store is read when objects are found, loaded and refreshed.
@Suite struct StoreReadTests {
    private let stack: TestStack
    private let ids: [NSManagedObjectID]

    init() throws {
        stack = try TestStack.books(6)
        ids = try stack.inContext { context throws in try context.fetch(.books(by: "pages")).map(\.objectID) }
    }

    /// Another coordinator's row cache has nothing.
    private func coordinator() throws -> NSPersistentStoreCoordinator {
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: Library.model())
        try coordinator.addPersistentStore(type: .sqlite, at: stack.file)
        return coordinator
    }

    private func ids(_ coordinator: NSPersistentStoreCoordinator) -> [NSManagedObjectID] {
        ids.compactMap { coordinator.managedObjectID(forURIRepresentation: $0.uriRepresentation()) }
    }

    @Test("Finding an object by ID reads the store only when the row is not cached")
    func findingByID() throws {
        let coordinator = try coordinator()
        let ids = ids(coordinator)
        #expect(ids.count == 6)
        try coordinator.inContext { context throws in
            coordinator.expectReads(0) { #expect(context.registeredObject(for: ids[0]) == nil) }
            coordinator.expectReads(0) { #expect(context.object(with: ids[0]).isFault) }
            let read = try coordinator.reads { _ = try context.existingObject(with: ids[1]) }
            #expect(read == 1)
            let kept = try context.existingObject(with: ids[1])
            try coordinator.expectReads(0) { () throws in
                #expect(try context.existingObject(with: ids[1]) === kept)
            }
            #expect(context.registeredObject(for: ids[1]) === kept)
            // From the row cache, which contexts share.
            let again = try coordinator.reads {
                try coordinator.inContext { other throws in
                    #expect(try other.existingObject(with: ids[1]).value(forKey: "title") as? String == "b1")
                }
            }
            #expect(again == 0)
        }
        try coordinator.close()
    }

    @Test("Faults made by ID cost one read each")
    func faultsAreLoadedOneByOne() throws {
        let coordinator = try coordinator()
        try coordinator.inContext { context throws in
            let books = ids(coordinator).map(context.object)
            let reads = coordinator.reads {
                #expect(books.map { $0.value(forKey: "pages") as? Int } == [0, 1, 2, 3, 4, 5])
            }
            #expect(reads == 6)
        }
        try coordinator.close()
    }

    @Test("Firing fetched faults needs no further read")
    func fetchedFaultsHaveTheirRows() throws {
        let coordinator = try coordinator()
        try coordinator.inContext { context throws in
            let reads = try coordinator.reads { () throws in
                #expect(
                    try context.fetch(NSFetchRequest<Book>.books(by: "pages")).map(\.pages) == Array(0..<6))
            }
            #expect(reads == 1)
        }
        try coordinator.close()
    }

    @Test("Faults fetched without property values cost one read each")
    func identitiesAreLoadedOneByOne() throws {
        let coordinator = try coordinator()
        try coordinator.inContext { context throws in
            let request = NSFetchRequest<Book>.books(by: "pages")
            request.includesPropertyValues = false
            let reads = try coordinator.reads { () throws in
                #expect(try context.fetch(request).map(\.pages) == Array(0..<6))
            }
            #expect(reads == 7)
        }
        try coordinator.close()
    }

    @Test("Each prefetched relationship costs one read", arguments: ["author", "author.books"])
    func relationshipIsPrefetchedByOneRead(_ path: String)
        throws
    {
        let coordinator = try coordinator()
        try coordinator.inContext { context throws in
            let request = NSFetchRequest<Book>.books(by: "pages")
            request.relationshipKeyPathsForPrefetching = [path]
            var books: [Book] = []
            let fetching = try coordinator.reads { books = try context.fetch(request) }
            // Books and authors; for `books` of these their links, whose rows are there.
            #expect(fetching == (path == "author" ? 2 : 3))
            let reading = coordinator.reads {
                #expect(books.map { $0.author?.name } == ["a0", nil, "a2", nil, "a4", nil])
                if path != "author" { #expect(books[2].author?.books == [books[2]]) }
            }
            #expect(reading == 0)
        }
        try coordinator.close()
    }

    /// Nodes may be leaves; which they are stands beside their key. What one path has loaded the others do not ask for again.
    @Test("Prefetch paths with a common prefix read it once")
    func pathsWithACommonPrefix() throws {
        let folder = try StoreFolder()
        try folder.open(Graph.model()).inContext { context in
            for number in 0..<4 {
                let node = try context.insert("Node", ["uid": number])
                let badge = try context.insert("Badge", ["uid": 10 + number, "node": node])
                try context.insert("Step", ["uid": 20 + number, "node": node])
                node.setValue(Set([try context.insert("Tag", ["uid": 30 + number])]), forKey: "tags")
                #expect(badge.one("node") === node)
            }
            try context.save()
        }
        func reads(_ paths: [String]) throws -> Int {
            let coordinator = try folder.open(Graph.model())
            defer { try? coordinator.close() }
            return try coordinator.inContext { context in
                let request = NSFetchRequest<NSManagedObject>(entityName: "Badge")
                request.relationshipKeyPathsForPrefetching = paths
                return try coordinator.reads { _ = try context.fetch(request) }
            }
        }
        // The badges themselves; then one for each relationship, and two where the links are in a table or an order.
        let counts = try [
            ["node"], ["node.tags"], ["node.tags.nodes"],
            ["node", "node.tags", "node.tags.nodes", "node.steps.node"],
        ].map(reads)
        #expect(counts == [2, 4, 5, 7])
    }

    @Test("A refreshing refetch costs one read")
    func refetchRefreshesInOneRead() throws {
        try stack.inContext { context throws in
            let books = try context.fetch(.books(by: "pages"))
            #expect(books.map(\.title).count == 6)
            let request = NSFetchRequest<Book>.books(by: "pages")
            request.shouldRefreshRefetchedObjects = true
            try stack.coordinator.expectReads(1) { _ = try context.fetch(request) }
        }
    }

    @Test("refreshAllObjects() reads changed objects at once and others when they are read")
    func refreshAllReadsLazily() throws {
        try stack.inContext { context throws in
            let books = try context.fetch(.books(by: "pages"))
            #expect(books.map(\.pages) == Array(0..<6))
            books[1].title = "mine"
            try stack.inContext { other throws in
                for book in try other.fetch(.books()) { book.pages += 10 }
                try other.save()
            }
            // The object with changes is merged with its present row.
            stack.coordinator.expectReads(1) { context.refreshAllObjects() }
            #expect(books.map(\.isFault) == [true, false, true, true, true, true])
            #expect(books.map(\.pages) == Array(10..<16))
            #expect(books[1].title == "mine")
        }
    }

    @Test("The staleness interval decides whether a cached row is used")
    func stalenessInterval() throws {
        try stack.inContext { context throws in
            #expect(context.stalenessInterval < 0)
            let books = try context.fetch(.books(by: "pages"))
            stack.coordinator.expectReads(0) { _ = books[0].title }
            context.refresh(books[0], mergeChanges: false)
            stack.coordinator.expectReads(0) { _ = books[0].title }
            context.stalenessInterval = 0
            context.refresh(books[0], mergeChanges: false)
            stack.coordinator.expectReads(1) { _ = books[0].title }
            // A row that came with the fetch is as old.
            stack.coordinator.expectReads(1) { _ = books[1].title }
            // A live object is not read again.
            stack.coordinator.expectReads(0) { _ = books[0].title }
            context.stalenessInterval = 3600
            context.refresh(books[0], mergeChanges: false)
            stack.coordinator.expectReads(0) { _ = books[0].title }
        }
    }

    @Test("Fetched objects stay registered while retainsRegisteredObjects is on")
    func retainedObjects() throws {
        try stack.inContext { context throws in
            _ = try context.fetch(.books())
            #expect(context.registeredObjects.isEmpty)
            context.retainsRegisteredObjects = true
            _ = try context.fetch(.books())
            #expect(context.registeredObjects.count == 6)
            let request = NSFetchRequest<Book>.books(by: "pages")
            request.fetchBatchSize = 2
            _ = try context.fetch(request)
            context.retainsRegisteredObjects = false
            #expect(context.registeredObjects.isEmpty)
        }
    }

    @Test("An inaccessible fault becomes a deleted object with nil values", arguments: [true, false])
    func inaccessibleFault(_ isBatched: Bool) throws {
        try stack.inContext { context throws in
            let request = NSFetchRequest<Book>.books(by: "pages")
            request.includesPropertyValues = isBatched
            request.fetchBatchSize = isBatched ? 3 : 0
            let books = try context.fetch(request)
            try stack.inContext { other throws in
                other.delete(try other.book("b2"))
                try other.save()
            }
            #expect(books[1].title == "b1")
            #expect(books[2].title == nil && books[2].pages == 0 && books[2].author == nil)
            #expect(books[2].isDeleted && context.deletedObjects == [books[2]])
            try context.save()
            #expect(books[2].managedObjectContext == nil)
        }
    }
}
