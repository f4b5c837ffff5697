import CoreData
import Testing

/// What a fetch loads, and what it does to objects that are loaded already.
@Suite struct FetchLoadingTests {
    private let stack: TestStack

    init() throws { stack = try SampleBooks.stack() }

    private func setPagesElsewhere(_ pages: Int32) throws {
        try stack.inContext { other in
            try other.book("Emma").pages = pages
            try other.save()
        }
    }

    @Test("A fetch returns faults unless returnsObjectsAsFaults is false")
    func faultsOrLoadedObjects() throws {
        try stack.inContext { context throws in
            let request = NSFetchRequest<Book>.books("title == 'Emma'")
            #expect(request.returnsObjectsAsFaults)
            #expect(try context.fetch(request).allSatisfy(\.isFault))
            request.returnsObjectsAsFaults = false
            #expect(try context.fetch(request).allSatisfy { !$0.isFault })
        }
    }

    @Test("A fetch without property values returns faults that fire when read")
    func withoutPropertyValues() throws {
        try stack.inContext { context in
            let request = NSFetchRequest<Book>.books(by: "pages")
            request.includesPropertyValues = false
            let found = try context.fetch(request)
            #expect(found.count == 6 && found.allSatisfy(\.isFault))
            #expect(found.first?.title == "Été")
        }
    }

    @Test("A fetch in batches of any size returns all objects in order", arguments: [1, 4, 100])
    func inBatches(_ size: Int) throws {
        try stack.inContext { context in
            let request = NSFetchRequest<Book>.books(by: "pages")
            request.fetchBatchSize = size
            let found = try context.fetch(request)
            #expect(found.count == 6)
            #expect(found.map(\.pages) == [-1, 0, 10, 249, 474, 591])
            #expect(found.last?.title == "Germinal")
        }
    }

    @Test("Prefetched destinations can be read after they were deleted from the store")
    func prefetchedDestinationsNeedNoStore() throws {
        try stack.inContext { context in
            let request = NSFetchRequest<Author>(entityName: "Author")
            request.sortDescriptors = [NSSortDescriptor(key: "name", ascending: true)]
            request.relationshipKeyPathsForPrefetching = ["books", "books.author"]
            let authors = try context.fetch(request)
            try stack.inContext { other in
                for book in try other.fetch(.books()) { other.delete(book) }
                try other.save()
            }
            #expect(
                authors.map { $0.books.compactMap(\.title).sorted() } == [
                    ["Été"], ["Emma", "Persuasion"], ["Germinal", "L'Œuvre"],
                ])
        }
    }

    @Test("A fetch that prefetches a to-one relationship returns the right destinations")
    func toOneRelationshipIsPrefetched() throws {
        try stack.inContext { context in
            let request = NSFetchRequest<Book>.books(by: "pages")
            request.relationshipKeyPathsForPrefetching = ["author"]
            let books = try context.fetch(request)
            #expect(
                books.map { $0.author?.name } == [
                    nil, "Émile Zola", nil, "Jane Austen", "Jane Austen", "Émile Zola",
                ])
        }
    }

    @Test(
        "A prefetch path that is not a relationship is an error that names it",
        arguments: ["title", "nothing", "author.nothing"])
    func onlyRelationshipsArePrefetched(_ path: String) throws {
        try stack.inContext { context in
            let request = NSFetchRequest<Book>.books()
            request.relationshipKeyPathsForPrefetching = [path]
            let failure = try error { _ = try context.fetch(request) }
            #expect(failure.code == 134060)
            #expect(failure.localizedDescription.contains(path))
        }
    }

    @Test("A fetch keeps the values of loaded objects unless it refreshes them")
    func loadedObjectsKeepTheirValues() throws {
        try stack.inContext { context in
            let emma = try context.book("Emma")
            #expect(emma.pages == 474)
            try setPagesElsewhere(1)
            let request = NSFetchRequest<Book>.books("title == 'Emma'")
            #expect(try context.fetch(request).first === emma)
            #expect(emma.pages == 474)
            request.shouldRefreshRefetchedObjects = true
            #expect(try context.fetch(request).first === emma)
            #expect(emma.pages == 1)
            #expect(!context.hasChanges)
        }
    }

    @Test("A fetch that refreshes objects keeps their unsaved changes")
    func refreshingKeepsUnsavedChanges() throws {
        try stack.inContext { context in
            let emma = try context.book("Emma")
            emma.setValue(1.0, forKey: "rating")
            try setPagesElsewhere(1)
            let request = NSFetchRequest<Book>.books()
            request.shouldRefreshRefetchedObjects = true
            _ = try context.fetch(request)
            #expect(emma.value(forKey: "rating") as? Double == 1)
            #expect(emma.changedValues().keys.sorted() == ["rating"])
        }
    }
}
