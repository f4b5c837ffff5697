import CoreData
import Testing

/// The column that keeps the order of a relationship: what moves is written, and nothing else.
@Suite struct OrderColumnTests {
    private let folder: StoreFolder

    /// A book with pages `0`, `1` … in this order.
    private init(pages count: Int) throws {
        folder = try StoreFolder()
        try edit { context, _ in
            let pages = try (0..<count).map { try context.insert("Page", ["name": "\($0)"]) }
            try context.insert("Book", ["pages": NSOrderedSet(array: pages)])
        }
        try folder.execute(
            """
            CREATE TABLE written (page INTEGER);
            CREATE TRIGGER note_written AFTER UPDATE OF Z_FOK_BOOK ON ZPAGE BEGIN INSERT INTO written VALUES (NEW.Z_PK); END;
            """)
    }

    init() throws { try self.init(pages: 100) }

    private static func model() -> NSManagedObjectModel {
        let page = NSEntityDescription("Page", attribute("name", .string))
        let book = NSEntityDescription("Book")
        pair(book.relate("pages", to: page, many: true, ordered: true), page.relate("book", to: book))
        return NSManagedObjectModel(of: book, page)
    }

    /// Edits the pages in a new context and saves.
    private func edit(_ body: (NSManagedObjectContext, NSMutableOrderedSet?) throws -> Void) throws {
        try folder.open(Self.model()).inContext { context in
            let book = try context.all("Book").first
            try body(context, book?.mutableOrderedSetValue(forKey: "pages"))
            try context.save()
        }
    }

    /// How many rows were written since the last time.
    private func written() throws -> Int {
        defer { try? folder.execute("DELETE FROM written") }
        return Int.fromDatabaseValue(try folder.value("SELECT COUNT(*) FROM written")) ?? -1
    }

    private func names() throws -> [String] {
        var names: [String] = []
        try edit { _, pages in
            names = (pages?.array as? [NSManagedObject] ?? []).map {
                $0.value(forKey: "name") as? String ?? "-"
            }
        }
        return names
    }

    private let numbers = (0..<100).map(String.init)

    @Test("Appending a member writes one order")
    func appendedMember() throws {
        try edit { context, pages in pages?.add(try context.insert("Page", ["name": "new"])) }
        #expect(try written() == 1)
        #expect(try names() == numbers + ["new"])
    }

    @Test("Inserting a member writes one order")
    func insertedMember() throws {
        try edit { context, pages in pages?.insert(try context.insert("Page", ["name": "new"]), at: 50) }
        #expect(try written() == 1)
        #expect(try names() == numbers[..<50] + ["new"] + numbers[50...])
    }

    @Test("Moving a member writes one order", arguments: [(0, 99), (99, 0), (70, 20)])
    func movedMember(_ from: Int, _ to: Int) throws {
        try edit { _, pages in pages?.moveObjects(at: IndexSet(integer: from), to: to) }
        #expect(try written() == 1)
        var wanted = numbers
        wanted.insert(wanted.remove(at: from), at: to)
        #expect(try names() == wanted)
    }

    @Test("Removing a member writes no order")
    func removalWritesNoOrder() throws {
        try edit { _, pages in pages?.removeObject(at: 10) }
        #expect(try written() == 0)
        #expect(try names() == numbers.filter { $0 != "10" })
    }

    /// The room in front of the first page is used up now and then; all get new numbers then.
    @Test("Members inserted in front keep their order and seldom renumber all")
    func membersInFront() throws {
        var counts: [Int] = []
        for number in 0..<15 {
            try edit { context, pages in
                pages?.insert(try context.insert("Page", ["name": "f\(number)"]), at: 0)
            }
            counts.append(try written())
        }
        #expect(counts.filter { $0 == 1 }.count == 14 && (counts.max() ?? 0) > 100)
        #expect(try names() == (0..<15).reversed().map { "f\($0)" } + numbers)
    }

    @Test("A reversed order is stored")
    func reversedOrder() throws {
        try edit { _, pages in
            let reversed = Array((pages?.array ?? []).reversed())
            pages?.removeAllObjects()
            pages?.addObjects(from: reversed)
        }
        #expect(try names() == numbers.reversed())
    }

    /// Numbers that others have written: equal, missing, negative, as great as can be.
    @Test(
        "Any stored orders are accepted and renumbered as needed",
        arguments: ["7", "NULL", "-Z_PK", "9223372036854775807", "9223372036854775807 - Z_PK", "Z_PK"])
    func anyStoredOrders(_ number: String) throws {
        try folder.execute("UPDATE ZPAGE SET Z_FOK_BOOK = \(number)")
        let before = try names()
        #expect(before.sorted() == numbers.sorted())
        try edit { context, pages in
            pages?.insert(try context.insert("Page", ["name": "new"]), at: 1)
            pages?.add(try context.insert("Page", ["name": "last"]))
        }
        #expect(try names() == [before[0], "new"] + before[1...] + ["last"])
    }
}
