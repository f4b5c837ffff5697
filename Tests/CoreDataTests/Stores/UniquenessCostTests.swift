import CoreData
import GRDB
import Testing

/// What uniqueness constraints cost: statements that do not grow with the number of objects, or by one for each.
@Suite struct UniquenessCostTests {
    private static let model: NSManagedObjectModel = {
        let book = NSEntityDescription(
            "Book", attribute("isbn", .string), attribute("title", .string), attribute("shelf", .integer32))
        book.uniquenessConstraints = [["isbn"], ["shelf", "title"]]
        return NSManagedObjectModel(of: book)
    }()

    private static let policies: [NSMergePolicy] = [
        .mergeByPropertyObjectTrump, .mergeByPropertyStoreTrump, .overwrite, .rollback, .error,
    ]

    /// The queries of a save to the store, and how many rows there are after it.
    private struct Cost: Equatable {
        var reads: Int
        var rows: Int
    }

    private func insert(
        _ range: Range<Int>, _ title: String, _ context: NSManagedObjectContext
    ) throws -> [NSManagedObject] {
        try range.map {
            try context.insert("Book", ["isbn": "\($0)", "title": "\(title) \($0)", "shelf": $0])
        }
    }

    /// - Parameter prepare: makes what the save is to write, in a store that has books of numbers up to `count`.
    private func cost(
        _ count: Int, _ policy: NSMergePolicy, _ prepare: (NSManagedObjectContext) throws -> Void
    ) throws -> Cost {
        let folder = try StoreFolder()
        let coordinator = try folder.open(Self.model)
        try coordinator.inContext { context in
            _ = try insert(0..<count, "old", context)
            try context.save()
        }
        let reads = try coordinator.inContext { context in
            context.mergePolicy = policy
            try prepare(context)
            return try coordinator.reads {
                do { try context.save() } catch let error as NSError where error.code == 133021 {}
            }
        }
        return Cost(reads: reads, rows: try coordinator.inContext { try $0.all("Book").count })
    }

    private func costs(
        _ policy: NSMergePolicy, _ prepare: (Int, NSManagedObjectContext) throws -> Void
    ) throws -> (few: Cost, many: Cost) {
        (try cost(25, policy) { try prepare(25, $0) }, try cost(100, policy) { try prepare(100, $0) })
    }

    @Test("Without a violation uniqueness costs no reads")
    func withoutAViolation() throws {
        let (few, many) = try costs(.mergeByPropertyObjectTrump) { count, context in
            _ = try insert(count..<2 * count, "new", context)
        }
        #expect(few == Cost(reads: 0, rows: 50) && many == Cost(reads: 0, rows: 200))
    }

    /// One question finds the rows that have the values of any number of objects.
    @Test("Violations of stored rows cost a bounded number of reads", arguments: policies)
    func valuesOfStoredRows(_ policy: NSMergePolicy) throws {
        let (few, many) = try costs(policy) { count, context in _ = try insert(0..<count, "new", context) }
        #expect(few.rows == 25 && many.rows == 100)
        #expect(few.reads > 0)
        #expect(many.reads <= 4 * few.reads, "\(few.reads), \(many.reads)")
    }

    @Test("Violations among new objects cost a bounded number of reads", arguments: policies)
    func valuesSharedInOneContext(_ policy: NSMergePolicy) throws {
        let (few, many) = try costs(policy) { count, context in
            for title in ["new", "newer", "newest"] { _ = try insert(count..<2 * count, title, context) }
        }
        #expect(few.rows == (policy === NSMergePolicy.error ? 25 : 50))
        #expect(many.rows == (policy === NSMergePolicy.error ? 100 : 200))
        #expect(many.reads <= 4 * max(few.reads, 1), "\(few.reads), \(many.reads)")
    }

    /// Objects that change places are written in an order that no row is in the way of.
    @Test("Rotating unique values costs one write for each row")
    func rotatedValues() throws {
        let (few, many) = try costs(.error) { _, context in
            let books = try context.all("Book", by: "shelf")
            let numbers = books.map { $0.value(forKey: "isbn") }
            for (book, number) in zip(books, numbers.dropFirst() + numbers.prefix(1)) {
                book.setValue(number, forKey: "isbn")
            }
        }
        #expect(few.rows == 25 && many.rows == 100)
        #expect(many.reads <= 4 * max(few.reads, 1), "\(few.reads), \(many.reads)")
    }
}
