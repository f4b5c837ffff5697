import CoreData
import Foundation
import Testing

/// Results whose objects are made when they are first read.
@Suite struct LazyResultsTests {
    private func request(_ size: Int) -> NSFetchRequest<Book> {
        let request = NSFetchRequest<Book>.books(by: "pages")
        request.fetchBatchSize = size
        return request
    }

    @Test("Iterating lazy results reads batch by batch and releases earlier objects")
    func oneReadForEachBatch() throws {
        let stack = try TestStack.books(100)
        try stack.inContext { context throws in
            var most = 0
            var titles: [String?] = []
            let reads = try stack.coordinator.reads {
                for book in try context.lazyResults(of: request(10)) {
                    titles.append(book.title)
                    most = max(most, context.registeredObjects.count)
                }
            }
            #expect(titles == (0..<100).map { "b\($0)" })
            #expect(reads == 11)
            #expect(most == 20)
        }
    }

    @Test("Lazy results read the batch of any index directly")
    func anyIndexIsReached() throws {
        let stack = try TestStack.books(100)
        try stack.inContext { context throws in
            let books = try context.lazyResults(of: request(10))
            #expect(books.count == 100 && context.registeredObjects.isEmpty)
            let reads = stack.coordinator.reads {
                #expect(books[73].title == "b73")
                #expect(books[5].title == "b5")
                #expect(books[79].title == "b79")
            }
            #expect(reads == 2)
            #expect(books.last?.title == "b99")
            #expect(books[20..<23].map(\.pages) == [20, 21, 22])
        }
    }

    /// Keys that follow each other, that are near, and that are far apart, of one entity and of two.
    @Test("Lazy results keep 30000 identities in any order", arguments: [1, 2])
    func manyIdentitiesInAnyOrder(_ entities: Int) throws {
        let thing = NSEntityDescription("Thing", attribute("place", .integer64))
        let part = NSEntityDescription("Part")
        thing.subentities = [part]
        let folder = try StoreFolder()
        let count = 30_000
        let model = NSManagedObjectModel(of: thing, part)
        try folder.make(model)
        try folder.execute(
            """
            INSERT INTO ZTHING (Z_PK, Z_ENT, Z_OPT, ZPLACE)
            WITH RECURSIVE n (i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i + 1 < \(count))
            SELECT CASE WHEN i < 9000 THEN i + 1 WHEN i < 18000 THEN 30000 - i ELSE i + 100000 + (i % 2) * 1099511627776 END,
                (SELECT Z_ENT FROM Z_PRIMARYKEY WHERE Z_NAME = iif(i < 12000 OR i % \(entities) = 0, 'Thing', 'Part')), 1, i FROM n
            """)
        try folder.open(model).inContext { context throws in
            let request = NSFetchRequest<NSManagedObject>(entityName: "Thing")
            request.sortDescriptors = [NSSortDescriptor(key: "place", ascending: true)]
            let things = try context.lazyResults(of: request)
            #expect(things.count == count)
            for position in [
                0, 8191, 8192, 9000, 11_999, 12_001, 16_383, 16_384, 18_000, 24_575, 24_576, 29_999,
            ] {
                #expect(things[position].value(forKey: "place") as? Int64 == Int64(position))
            }
        }
    }

    @Test("Lazy results without objects are of any class, as those of a fetch")
    func noObjectsOfAnotherClass() throws {
        let stack = try TestStack.books(0)
        try stack.inContext { context throws in
            let request = NSFetchRequest<Author>(entityName: "Book")
            #expect(try context.lazyResults(of: request).isEmpty && context.fetch(request).isEmpty)
            context.insertBook("one")
            try context.save()
            #expect(throws: NSError.self) { try context.lazyResults(of: request) }
        }
    }

    /// Keys that follow each other, with gaps and at both ends of what a key can be; a row of the fifth batch goes before it is read.
    @Test(
        "Lazy results without an order are in that of their keys, and each batch is one request",
        arguments: [1, 2])
    func keysWithoutAnOrder(_ entities: Int) throws {
        let thing = NSEntityDescription("Thing", attribute("place", .integer64))
        let part = NSEntityDescription("Part")
        if entities == 2 { thing.subentities = [part] }
        let folder = try StoreFolder()
        let count = 10_000
        let model = entities == 2 ? NSManagedObjectModel(of: thing, part) : NSManagedObjectModel(of: thing)
        try folder.make(model)
        try folder.execute(
            """
            INSERT INTO ZTHING (Z_PK, Z_ENT, Z_OPT, ZPLACE)
            WITH RECURSIVE n (i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i + 1 < \(count))
            SELECT CASE i WHEN 0 THEN -9223372036854775807 WHEN \(count - 1) THEN 9223372036854775806
                    ELSE i + (i / 5000) * i END,
                (SELECT Z_ENT FROM Z_PRIMARYKEY WHERE Z_NAME = iif(i % \(entities) = 0, 'Thing', 'Part')), 1, i FROM n
            """)
        let coordinator = try folder.open(model)
        try coordinator.inContext { context throws in
            let request = NSFetchRequest<NSManagedObject>(entityName: "Thing")
            let things = try context.lazyResults(of: request)
            try folder.execute("DELETE FROM ZTHING WHERE ZPLACE = 450")
            #expect(things.count == count)
            for first in [0, 100, 400, 2300, 4900, 5000, 7700, 9900] {
                let reads = coordinator.reads {
                    for position in first..<first + 100 where position != 450 {
                        #expect(things[position].value(forKey: "place") as? Int64 == Int64(position))
                    }
                }
                #expect(reads == 1)
            }
            let places = things.lazy.filter { !$0.isFault }.map { $0.value(forKey: "place") as? Int64 }
            #expect(things[450].isFault && places.count <= 100)
        }
    }

    @Test("Lazy results return the same object while it is retained")
    func heldObjectsAreTheSame() throws {
        let stack = try TestStack.books(50)
        try stack.inContext { context throws in
            let books = try context.lazyResults(of: request(5))
            let first = books[0]
            first.title = "mine"
            #expect(books[49].title == "b49" && books[30].title == "b30")
            #expect(books[0] === first && books[0].title == "mine")
        }
    }

    /// An ID can be made of a text, with any entity of the table.
    @Test("An object made by URI for another entity of the table is not a lazy result")
    func objectOfAnotherEntityIsNotReturned() throws {
        let work = NSEntityDescription("Work", attribute("title", .string))
        let novel = NSEntityDescription("Novel")
        let poem = NSEntityDescription("Poem")
        work.subentities = [novel, poem]
        let folder = try StoreFolder()
        let coordinator = try folder.open(NSManagedObjectModel(of: work, novel, poem))
        try coordinator.inContext { context in
            try context.insert("Novel", ["title": "Emma"])
            try context.save()
        }
        try coordinator.inContext { context throws in
            let request = NSFetchRequest<NSManagedObject>(entityName: "Novel")
            let id = try #require(try context.fetch(request).first).objectID
            let uri = id.uriRepresentation().absoluteString.replacingOccurrences(
                of: "/Novel/", with: "/Poem/")
            context.reset()
            let url = try #require(URL(string: uri))
            let wrong = try #require(coordinator.managedObjectID(forURIRepresentation: url))
            let fault = context.object(with: wrong)
            let found = try context.lazyResults(of: request)
            #expect(fault.entity.name == "Poem" && found[0].entity.name == "Novel")
            #expect(found[0].value(forKey: "title") as? String == "Emma")
        }
    }

    @Test("Lazy results read batches of a hundred when the request sets no batch size")
    func defaultBatchSizeIsAHundred() throws {
        let stack = try TestStack.books(150)
        try stack.inContext { context throws in
            let reads = try stack.coordinator.reads { () throws in
                #expect(try context.lazyResults(of: request(0)).map(\.pages) == Array(0..<150))
            }
            #expect(reads == 3)
        }
    }

    @Test("Lazy results equal a fetch with limits, offsets and unsaved changes")
    func windowsAndUnsavedChanges() throws {
        let stack = try TestStack.books(30)
        try stack.inContext { context throws in
            context.insertBook("new").pages = 12
            try context.book("b3").pages = 40
            context.delete(try context.book("b10"))
            for (limit, offset) in [(0, 0), (5, 0), (4, 9), (0, 20), (100, 29), (3, 40)] {
                let request = request(4)
                request.fetchLimit = limit
                request.fetchOffset = offset
                let all = try context.fetch(request)
                #expect(try Array(context.lazyResults(of: request)) == all)
            }
        }
    }

    @Test("Lazy results prefetch relationships batch by batch")
    func relationshipsArePrefetchedByBatch() throws {
        let stack = try TestStack.books(20)
        try stack.inContext { context throws in
            let request = request(10)
            request.relationshipKeyPathsForPrefetching = ["author"]
            let reads = try stack.coordinator.reads {
                for book in try context.lazyResults(of: request) { _ = book.author?.name }
            }
            #expect(reads == 5)
        }
    }

    @Test("Lazy results refuse other result types and classes")
    func onlyObjectsAreLazy() throws {
        let stack = try TestStack.books(1)
        try stack.inContext { context throws in
            let request = NSFetchRequest<NSManagedObject>(entityName: "Book")
            request.resultType = .countResultType
            #expect(try error { _ = try context.lazyResults(of: request) }.code == 134060)
            let authors = NSFetchRequest<Author>(entityName: "Book")
            #expect(
                try error { _ = try context.lazyResults(of: authors) }.localizedDescription.contains("Book"))
        }
    }

    @Test("A lazy result that another context deleted has nil values")
    func deletedObjectIsInaccessible() throws {
        let stack = try TestStack.books(10)
        try stack.inContext { context throws in
            let books = try context.lazyResults(of: request(5))
            try stack.inContext { other throws in
                other.delete(try other.book("b1"))
                try other.save()
            }
            #expect(books.map(\.title) == ["b0", nil] + (2..<10).map { "b\($0)" })
        }
    }
}
