import CoreData
import Foundation
import GRDB
import GRDBSQLite

/// Rows of ten columns of the types that an application has: three texts, a date, an identifier, numbers.
enum Mixed {
    static let attributes: [(name: String, type: NSAttributeDescription.AttributeType)] = [
        ("title", .string), ("author", .string), ("note", .string), ("date", .date), ("uuid", .uuid),
        ("pages", .integer64), ("rating", .double), ("isRead", .boolean), ("year", .integer16),
        ("price", .double),
    ]

    final class Volume: NSManagedObject {
        static let title = ManagedKey<String?>("title")
        static let author = ManagedKey<String?>("author")
        static let note = ManagedKey<String?>("note")
        static let date = ManagedKey<Date?>("date")
        static let uuid = ManagedKey<UUID?>("uuid")
        static let pages = ManagedKey<Int64>("pages")
        static let rating = ManagedKey<Double>("rating")
        static let isRead = ManagedKey<Bool>("isRead")
        static let year = ManagedKey<Int16>("year")
        static let price = ManagedKey<Double>("price")

        func fill(_ index: Int) {
            self[Self.title] = "A title of some length, number \(index)"
            self[Self.author] = "Author \(index % 1000)"
            self[Self.note] =
                index % 3 == 0 ? "short" : "a note that says a little more about volume \(index)"
            self[Self.date] = Date(timeIntervalSinceReferenceDate: Double(index) * 1000)
            self[Self.uuid] = UUID(
                uuid: (
                    1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, UInt8(index & 255), UInt8(index >> 8 & 255)
                ))
            self[Self.pages] = Int64(index % 900)
            self[Self.rating] = Double(index % 50) / 10
            self[Self.isRead] = index % 2 == 0
            self[Self.year] = Int16(1900 + index % 120)
            self[Self.price] = Double(index % 3000) / 100
        }

        var check: Int {
            Mixed.check(
                self[Self.title] ?? "", self[Self.author] ?? "", self[Self.note] ?? "",
                self[Self.date]?.timeIntervalSinceReferenceDate ?? 0, self[Self.uuid]?.uuid.15 ?? 0,
                self[Self.pages], self[Self.rating], self[Self.isRead], self[Self.year], self[Self.price])
        }
    }

    static func check(
        _ title: String, _ author: String, _ note: String, _ date: Double, _ byte: UInt8, _ pages: Int64,
        _ rating: Double, _ isRead: Bool, _ year: Int16, _ price: Double
    ) -> Int {
        title.utf8.count &+ author.utf8.count &+ note.utf8.count &+ Int(date) &+ Int(byte) &+ Int(pages)
            &+ Int(rating * 10) &+ (isRead ? 1 : 0) &+ Int(year) &+ Int(price)
    }

    struct Plain {
        var title, author, note: String
        var date: Double
        var uuid: UUID
        var pages: Int64
        var rating: Double
        var isRead: Bool
        var year: Int16
        var price: Double
    }

    struct Record: FetchableRecord {
        var plain: Plain
        init(row: GRDB.Row) {
            plain = Plain(
                title: row[0], author: row[1], note: row[2], date: row[3], uuid: row[4], pages: row[5],
                rating: row[6], isRead: row[7], year: row[8], price: row[9])
        }
    }

    static func sum(_ rows: [Plain]) -> Int {
        rows.reduce(0) {
            $0
                &+ check(
                    $1.title, $1.author, $1.note, $1.date, $1.uuid.uuid.15, $1.pages, $1.rating, $1.isRead,
                    $1.year, $1.price)
        }
    }

    static func fetching(_ count: Int, _ folder: Folder) throws -> Workload {
        let file = folder.file("mixed.sqlite")
        let (model, _) = model("Volume", attributes, class: Volume.self)
        let coordinator = try NSPersistentStoreCoordinator.opening(file, model)
        try coordinator.inContext { context in
            for index in 0..<count { Volume(context: context).fill(index) }
            try context.save()
        }
        let raw = try Raw(file.path)
        let sql =
            "SELECT ZTITLE, ZAUTHOR, ZNOTE, ZDATE, ZUUID, ZPAGES, ZRATING, ZISREAD, ZYEAR, ZPRICE FROM ZVOLUME"
        return Workload(
            name: "fetch \(count) × 10 mixed values, read all",
            contestants: [
                .init(name: "SQLite C calls into structs") {
                    try raw.with(sql) { statement in
                        var rows: [Plain] = []
                        while sqlite3_step(statement) == SQLITE_ROW {
                            guard let bytes = sqlite3_column_blob(statement, 4) else { continue }
                            rows.append(
                                Plain(
                                    title: Raw.text(statement, 0), author: Raw.text(statement, 1),
                                    note: Raw.text(statement, 2), date: sqlite3_column_double(statement, 3),
                                    uuid: UUID(uuid: bytes.loadUnaligned(as: uuid_t.self)),
                                    pages: sqlite3_column_int64(statement, 5),
                                    rating: sqlite3_column_double(statement, 6),
                                    isRead: sqlite3_column_int(statement, 7) != 0,
                                    year: Int16(truncatingIfNeeded: sqlite3_column_int(statement, 8)),
                                    price: sqlite3_column_double(statement, 9)))
                        }
                        return sum(rows)
                    }
                },
                .init(name: "GRDB records") {
                    try raw.queue.read { sum(try Record.fetchAll($0, sql: sql).map(\.plain)) }
                },
                .init(name: "CoreData objects") {
                    try coordinator.inContext { context in
                        try context.fetch(NSFetchRequest<Volume>(entityName: "Volume"))
                            .reduce(0) { $0 &+ $1.check }
                    }
                },
            ],
            goals: [
                .ratio("CoreData objects", to: "SQLite C calls into structs", 1.5),
                .ratio("CoreData objects", to: "GRDB records", 1),
            ])
    }
}
