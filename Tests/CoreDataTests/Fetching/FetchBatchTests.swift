import CoreData
import Foundation
import Testing

/// What `fetchBatchSize` reads, and when.
@Suite struct FetchBatchTests {
    private func request(_ size: Int) -> NSFetchRequest<Book> {
        let request = NSFetchRequest<Book>.books(by: "pages")
        request.fetchBatchSize = size
        return request
    }

    @Test(
        "Reading all objects of a batched fetch costs one read for each batch",
        arguments: [(100, 10, 11), (100, 7, 16), (95, 100, 2), (200, 80, 4), (3, 1, 4)])
    func oneReadForEachBatch(_ count: Int, _ size: Int, _ reads: Int) throws {
        let stack = try TestStack.books(count)
        try stack.inContext { context throws in
            var titles: [String?] = []
            let found = try stack.coordinator.reads {
                let books = try context.fetch(request(size))
                #expect(books.allSatisfy { $0.isFault })
                titles = books.map(\.title)
            }
            #expect(titles == (0..<count).map { "b\($0)" })
            #expect(found == reads)
        }
    }

    @Test("Reading one object caches the rows of its own batch only")
    func firstReadLoadsItsBatch() throws {
        let stack = try TestStack.books(30)
        try stack.inContext { context throws in
            let books = try context.fetch(request(10))
            stack.coordinator.expectReads(1) { #expect(books[14].title == "b14") }
            #expect(books.allSatisfy { $0.isFault == ($0 !== books[14]) })
            // The others have their rows, whatever becomes of the store.
            try stack.inContext { other throws in
                for book in try other.fetch(.books()) { book.title = "new" }
                try other.save()
            }
            let reads = stack.coordinator.reads {
                #expect(books[10..<20].map(\.title) == (10..<20).map { "b\($0)" })
            }
            #expect(reads == 0)
            #expect(books[9].title == "new" && books[20].title == "new")
        }
    }

    @Test("A batch leaves loaded and changed objects as they are")
    func loadedObjectsAreKept() throws {
        let stack = try TestStack.books(10)
        try stack.inContext { context throws in
            let fifth = try context.book("b5")
            fifth.title = "mine"
            let second = try context.book("b2")
            #expect(second.pages == 2)
            let request = request(10)
            request.includesPendingChanges = false
            let books = try context.fetch(request)
            #expect(books[5] === fifth && books[2] === second && !second.isFault)
            stack.coordinator.expectReads(1) { #expect(books.map(\.pages) == Array(0..<10)) }
            #expect(fifth.title == "mine")
        }
    }

    @Test("An object deleted elsewhere is inaccessible, and its batch can still be read")
    func deletedObjectInABatch() throws {
        let stack = try TestStack.books(10)
        try stack.inContext { context throws in
            let books = try context.fetch(request(5))
            try stack.inContext { other throws in
                other.delete(try other.book("b1"))
                try other.save()
            }
            #expect(books[0].title == "b0")
            #expect(books[1].title == nil)
            #expect(books[1].isDeleted)
            #expect(books[2].title == "b2")
        }
    }

    /// What a merge deletes shows what an earlier fetch brought, as without batches.
    @Test(
        "An object deleted by a merge has the values that an earlier fetch read", arguments: [0, 4], [1, 2])
    func mergedDeletionShowsFetchedValues(_ size: Int, _ times: Int) throws {
        let stack = try TestStack.books(8)
        try stack.inContext { context throws in
            let books = try context.fetch(.books(by: "pages"))
            for _ in 0..<times { _ = try context.fetch(request(size)) }
            #expect(books.allSatisfy { $0.isFault })
            let saved = try stack.saved { other in
                other.delete(try other.book("b1"))
                try other.book("b2").title = "new"
            }
            context.mergeChanges(fromContextDidSave: saved)
            #expect(books[1].isDeleted && books[1].title == "b1" && books[1].pages == 1)
            #expect(books[2].title == "new" && books[0].title == "b0")
            try context.save()
            #expect(!context.hasChanges)
        }
    }

    @Test("A batch does not instantiate objects that were released")
    func releasedNeighboursAreNotRead() throws {
        let stack = try TestStack.books(40)
        try stack.inContext { context throws in
            let kept = try context.fetch(request(20))[3]
            #expect(kept.title == "b3")
            #expect(context.registeredObjects == [kept])
        }
    }

    @Test("Relationships are prefetched batch by batch")
    func relationshipsArePrefetchedByBatch() throws {
        let stack = try TestStack.books(40)
        try stack.inContext { context throws in
            let request = request(10)
            request.relationshipKeyPathsForPrefetching = ["author"]
            let books = try context.fetch(request)
            let reads = stack.coordinator.reads {
                for (number, book) in books.prefix(20).enumerated() {
                    #expect(book.author?.name == (number % 2 == 0 ? "a\(number)" : nil))
                }
            }
            // Rows and authors of two batches.
            #expect(reads == 4)
        }
    }

    @Test("A batched fetch with an invalid prefetch path throws")
    func wrongPrefetchIsFoundByTheFetch() throws {
        let stack = try TestStack.books(4)
        try stack.inContext { context throws in
            let request = request(2)
            request.relationshipKeyPathsForPrefetching = ["title"]
            #expect(try error { _ = try context.fetch(request) }.localizedDescription.contains("title"))
        }
    }

    @Test("A batched fetch of loaded objects or of identities costs one read")
    func loadedObjectsAndIdentities() throws {
        let stack = try TestStack.books(20)
        try stack.inContext { context throws in
            let loaded = request(5)
            loaded.returnsObjectsAsFaults = false
            try stack.coordinator.expectReads(1) { _ = try context.fetch(loaded) }
            let identities = request(5)
            identities.includesPropertyValues = false
            context.reset()
            var books: [Book] = []
            try stack.coordinator.expectReads(1) { books = try context.fetch(identities) }
            #expect(books.allSatisfy(\.isFault) && books.map(\.pages) == Array(0..<20))
        }
    }

    @Test("Objects of subentities are read in batches")
    func entitiesWithSubentities() throws {
        let stack = try TestStack(Graph.model())
        try stack.inContext { context throws in
            for number in 0..<30 {
                try context.insert(number % 3 == 0 ? "Leaf" : "Node", ["uid": number, "name": "n\(number)"])
            }
            try context.save()
        }
        try stack.inContext { context throws in
            let request = NSFetchRequest<NSManagedObject>(entityName: "Node")
            request.sortDescriptors = [NSSortDescriptor(key: "uid", ascending: false)]
            request.fetchBatchSize = 10
            let reads = try stack.coordinator.reads {
                let nodes = try context.fetch(request)
                #expect(nodes.map(\.entity.name).prefix(3) == ["Node", "Node", "Leaf"])
                #expect(
                    nodes.map { $0.value(forKey: "name") as? String }
                        == (0..<30).reversed().map { "n\($0)" })
            }
            #expect(reads == 4)
        }
    }

    @Test("A child context reads its parent batch by batch and sees both contexts' changes")
    func childReadsOneBatchAtATime() throws {
        let stack = try TestStack.books(30)
        let root = stack.context()
        let child = ContextFamily.child(of: root)
        try root.event { root throws in
            root.insertBook("new").pages = 12
            try root.book("b20").title = "changed"
        }
        try child.event { child throws in
            try child.book("b3").title = "mine"
            let reads = try stack.coordinator.reads {
                let books = try child.fetch(request(10))
                let expected = (0..<30).map { $0 == 3 ? "mine" : $0 == 20 ? "changed" : "b\($0)" }
                #expect(books.map(\.title) == Array(expected[...12]) + ["new"] + Array(expected[13...]))
            }
            // Identities; at most three batches of the root and four of the child.
            #expect(reads <= 8)
        }
    }

    @Test("A negative batch size is an error that names fetchBatchSize")
    func negativeSizeIsRefused() throws {
        let stack = try TestStack.books(1)
        try stack.inContext { context throws in
            #expect(
                try error { _ = try context.fetch(request(-1)) }.localizedDescription.contains(
                    "fetchBatchSize"))
        }
    }

    @Test("Every store type returns the same objects with every batch size", arguments: StoreKind.allCases)
    func everyStoreGivesTheSameInBatches(_ kind: StoreKind) throws {
        let store = try ConformanceStore(kind)
        let coordinator = try store.open()
        try coordinator.inContext { context throws in
            try ConformanceModel.fill(context)
            try context.save()
        }
        try coordinator.inContext { context throws in
            for size in [0, 1, 2, 50] {
                let request = NSFetchRequest<NSManagedObject>(entityName: "Person")
                request.sortDescriptors = [NSSortDescriptor(key: "age", ascending: false)]
                request.fetchBatchSize = size
                let names = try context.fetch(request).map { $0.value(forKey: "name") as? String }
                #expect(names == ["Grace", "Alan", "Ada"])
                let lazy = try context.lazyResults(of: request).map { $0.value(forKey: "name") as? String }
                #expect(lazy == names)
                context.reset()
            }
        }
    }

    /// A deleted object affects only the code that reads it.
    @Test("Reading a batch does not mark a neighbour that another context deleted", arguments: [false, true])
    func deletedNeighbourIsLeftAlone(_ lazily: Bool) throws {
        let stack = try TestStack.books(10)
        try stack.inContext { context throws in
            let request = request(10)
            request.relationshipKeyPathsForPrefetching = ["author"]
            let (books, lazyBooks) = (try context.fetch(request), try context.lazyResults(of: request))
            try stack.inContext { other throws in
                other.delete(try other.book("b1"))
                try other.save()
            }
            let first = try #require(lazily ? lazyBooks.first : books.first)
            #expect(first.title == "b0" && first.author?.name == "a0")
            #expect(!context.hasChanges && context.deletedObjects.isEmpty)
        }
    }

    /// All books lead to one author, who leads to all books: each is read once.
    @Test("A prefetch path that leads back to the fetched objects reads each of them once")
    func pathBackToManyIsReadOnce() throws {
        let stack = try TestStack()
        try stack.inContext { context in
            let author = Author(context: context)
            for number in 0..<50 { context.insertBook("b\(number)").author = author }
            try context.save()
        }
        try stack.inContext { context throws in
            let request = NSFetchRequest<Book>.books()
            request.relationshipKeyPathsForPrefetching = ["author.books"]
            let books = try stack.coordinator.expectReads(3) { try context.fetch(request) }
            let reads = stack.coordinator.reads { #expect(books.first?.author?.books == Set(books)) }
            #expect(reads == 0)
        }
    }
}
