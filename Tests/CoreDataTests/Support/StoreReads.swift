import CoreData
import Testing

extension NSPersistentStoreCoordinator {
    /// How often a block reads the SQLite stores.
    func reads(_ body: () throws -> Void) rethrows -> Int {
        let before = readCount
        try body()
        return readCount - before
    }

    /// Expects a block to read the SQLite stores so often, and returns its result.
    @discardableResult
    func expectReads<Value>(
        _ count: Int, sourceLocation: SourceLocation = #_sourceLocation, _ body: () throws -> Value
    ) rethrows -> Value {
        let before = readCount
        let value = try body()
        #expect(readCount - before == count, sourceLocation: sourceLocation)
        return value
    }

    private var readCount: Int { persistentStores.reduce(0) { $0 + (($1 as? SQLiteStore)?.readCount ?? 0) } }
}

extension TestStack {
    /// A library of books `b0`, `b1` …, each with as many pages as its number, the even ones by `a0`, `a1` ….
    static func books(_ count: Int) throws -> TestStack {
        let stack = try TestStack()
        try stack.inContext { context in
            for number in 0..<count {
                let book = context.insertBook("b\(number)")
                book.pages = Int32(number)
                guard number % 2 == 0 else { continue }
                book.author = Author(context: context)
                book.author?.name = "a\(number)"
            }
            try context.save()
        }
        return stack
    }
}
