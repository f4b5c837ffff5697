import CoreDataSQL
import ObjectGraph
import CocoaFoundation
import Foundation
import GRDB
import ManagedObjectModel

/// What a fetch request finds in a SQLite store, for tools that show much of it and keep little: pages by key, counts,
/// groups. Each query can be cancelled, and reports its SQL.
///
/// Unsaved changes play no part.
package struct FetchInspection {
    package typealias Execution = StatementExecution

    /// Some primary keys, in order.
    package struct Page: Sendable {
        package let keys: [Int64]
        /// Whether others come after them.
        package let hasMore: Bool
        package let executions: [Execution]
    }

    /// What dates are grouped by, in UTC.
    package enum DateUnit: String, CaseIterable, Sendable {
        case day, month, year

        fileprivate var format: String {
            switch self {
            case .day: "%Y-%m-%d"
            case .month: "%Y-%m"
            case .year: "%Y"
            }
        }
    }

    package struct Group: Sendable {
        /// The value as text, or the beginning of a long one; nil for none.
        package let value: String?
        package let count: Int
    }

    package struct Groups: Sendable {
        package let groups: [Group]
        package let hasMore: Bool
        package let executions: [Execution]
    }

    let store: SQLiteStore
    let query: FetchQuery

    /// - Throws: as `NSManagedObjectContext.fetch(_:)`; an error for an entity that no SQLite store holds.
    package init<T>(_ request: NSFetchRequest<T>, in context: NSManagedObjectContext) throws {
        let fetch = try ResolvedFetch(request, context)
        guard let store = fetch.stores.lazy.compactMap({ $0 as? SQLiteStore }).first else {
            throw Self.noStore
        }
        self.store = store
        query = fetch.query(store)
    }

    static var noStore: NSError {
        .coreData(.coreData, "No SQLite store holds the entity of the request.")
    }

    private var compiler: FetchCompiler { FetchCompiler(schema: store.schema) }

    /// A statement with the key `k` of each row that a query finds, and `v0`, the value of a key path.
    func keys(_ query: FetchQuery, _ key: String?) throws -> RenderedSQL {
        try store.schema.dialect.render(
            compiler.keys(query, computing: key.map { [NSExpression(forKeyPath: $0)] } ?? []) { _, _ in })
    }

    /// How many objects the request finds.
    ///
    /// - Throws: an error of SQLite; `NSUserCancelledError`.
    package func count(_ cancellation: FetchCancellation) throws -> (count: Int, execution: Execution) {
        let statement = try compiler.count(query)
        return try store.read("count", cancellation, at: query.pinned) { database in
            var count = 0
            let execution = try Self.execute(statement, database) {
                count = Int(SQLValue($0, 0).integer ?? 0)
            }
            return (count, execution)
        }
    }

    /// How many characters of a value a group shows at the most.
    package static let shownLength = 1_000

    /// How many objects have each value of an attribute or to-one relationship. Dates come in their order, other values
    /// the most frequent first.
    ///
    /// - Throws: an error of SQLite; `NSUserCancelledError`.
    package func groups(
        by key: String, unit: DateUnit?, limit: Int, _ cancellation: FetchCancellation
    ) throws -> Groups {
        let rows = try keys(query, key)
        // Dates are seconds since 2001; SQLite counts from 1970.
        let value = unit.map { "strftime('\($0.format)', v0 + 978307200, 'unixepoch')" } ?? "v0"
        let order = unit == nil ? "c DESC, g" : "g"
        // Whole values are compared, and their beginnings shown: a string or a blob may have a gigabyte.
        let statement = RenderedSQL(
            """
            SELECT CASE typeof(g) WHEN 'blob' THEN lower(hex(substr(g, 1, \(Self.shownLength / 2)))) \
            WHEN 'text' THEN substr(g, 1, \(Self.shownLength)) ELSE g END, c \
            FROM (SELECT \(value) AS g, COUNT(*) AS c FROM (\(rows.text)) GROUP BY g) \
            ORDER BY \(order) LIMIT \(limit + 1)
            """, rows.arguments)
        return try store.read("group", cancellation, at: query.pinned) { database in
            var groups: [Group] = []
            let execution = try Self.execute(statement, database) { row in
                groups.append(
                    Group(value: SQLValue(row, 0).shownText, count: Int(SQLValue(row, 1).integer ?? 0)))
            }
            return Groups(
                groups: Array(groups.prefix(limit)), hasMore: groups.count > limit, executions: [execution])
        }
    }

    /// What SQLite says of its way to the rows of a statement.
    static func plan(_ statement: RenderedSQL, _ database: Database) throws -> [String] {
        var plan: [String] = []
        let explained = RenderedSQL("EXPLAIN QUERY PLAN \(statement.text)", statement.arguments)
        try SQLiteReader(database).step(explained) { plan.append(SQLiteReader.text($0, 3)) }
        return plan
    }

    static func execute(
        _ statement: RenderedSQL, _ database: Database, _ body: (OpaquePointer) throws -> Void
    ) throws -> Execution {
        let reader = SQLiteReader(database)
        let plan = try plan(statement, database)
        let start = ContinuousClock.now
        try reader.step(statement, body)
        let duration = ContinuousClock.now - start
        return Execution(statement: statement.text, plan: plan, seconds: duration / .seconds(1))
    }
}

extension SQLValue {
    var integer: Int64? {
        if case .integer(let value) = self { value } else { nil }
    }

    /// The value in a line; nil for NULL.
    fileprivate var shownText: String? {
        switch self {
        case .null: nil
        case .integer(let value): String(value)
        case .double(let value): String(value)
        case .text(let value): value
        // The statement shows bytes as text.
        case .blob: nil
        }
    }
}
