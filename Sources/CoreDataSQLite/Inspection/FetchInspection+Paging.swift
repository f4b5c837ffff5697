import CoreDataSQL
import ObjectGraph
import Dispatch
import Foundation
import GRDB

extension FetchInspection {
    /// A way to the rows of a page.
    private struct PagePlan {
        let rows: RenderedSQL
        /// What keeps SQLite from taking an index for the order: a `+` before each column.
        var plus = ""
    }

    /// How many seconds each way is tried that is short only for some values; those of 0 are not. Together they are less than
    /// a person notices.
    package struct IdleTimeout: Sendable {
        /// SQLite's own way.
        package var own = 0.05
        /// By an index to all rows that meet the predicate, which are sorted then: for few.
        package var few = 0.06
        /// Through all rows in the order that is wanted, until enough meet the predicate: for many.
        package var many = 0.08

        package init(own: Double = 0.05, few: Double = 0.06, many: Double = 0.08) {
            (self.own, self.few, self.many) = (own, few, many)
        }
    }

    /// A page in the order of an attribute, equal ones and those of no attribute in that of their primary keys.
    ///
    /// What was shown before is not read again: the page begins after the value and key of the last object, so that
    /// with an index each page takes as long as the first one.
    ///
    /// Where there is a predicate, SQLite has to guess how many rows meet it, and may take the way through a whole table
    /// for a few rows at its end, or sort a million rows for the first hundred. What takes long is tried another way.
    ///
    /// - Parameters:
    ///   - last: the primary key of the last object of the page before; nil for the first page.
    ///   - timeLimit: how long each plan is tried; SQLite's own runs without a limit when none of them led to the page.
    /// - Throws: an error of SQLite; `NSUserCancelledError`; an error when the last object does not match any more.
    package func page(
        sortedBy key: String?, ascending: Bool, after last: Int64?, limit: Int,
        timeLimit: IdleTimeout = IdleTimeout(), _ cancellation: FetchCancellation
    ) throws -> Page {
        let rows = try keys(query, key)
        return try store.read("fetch", cancellation, at: query.pinned) { database in
            let end = try last.map { ($0, try value(of: $0, rows, key, database)) }
            func find(_ way: PagePlan) throws -> Page {
                try page(way, key != nil, ascending, after: end, limit: limit, database)
            }
            func find(_ way: PagePlan, within seconds: Double) throws -> Page? {
                try Self.within(seconds, database, cancellation) { try find(way) }
            }
            let plain = PagePlan(rows: rows)
            guard query.predicate != nil else { return try find(plain) }
            if let page = try find(plain, within: timeLimit.own) { return page }
            let few = PagePlan(rows: rows, plus: "+")
            if try isIndexed(few, key != nil, ascending, after: end, database) {
                if let page = try find(few, within: timeLimit.few) { return page }
                if let many = try wayByOrder(rows, key, ascending, database),
                    let page = try find(many, within: timeLimit.many)
                {
                    return page
                }
            }
            return try find(plain)
        }
    }

    private func page(
        _ way: PagePlan, _ isSorted: Bool, _ ascending: Bool, after end: (Int64, SQLValue?)?, limit: Int,
        _ database: Database
    ) throws -> Page {
        var found: [Int64] = []
        var executions: [Execution] = []
        for segment in Self.segments(way.plus, isSorted, ascending, after: end) {
            guard found.count <= limit else { break }
            let statement = Self.statement(way, segment, isSorted, ascending, limit: limit + 1 - found.count)
            executions.append(
                try Self.execute(statement, database) { row in
                    if let key = SQLValue(row, 0).integer { found.append(key) }
                })
        }
        return Page(
            keys: Array(found.prefix(limit)), hasMore: found.count > limit, executions: executions)
    }

    private static func statement(
        _ way: PagePlan, _ segment: RenderedSQL?, _ isSorted: Bool, _ ascending: Bool, limit: Int
    ) -> RenderedSQL {
        var text = "SELECT k FROM (\(way.rows.text))"
        if let segment { text += " WHERE \(segment.text)" }
        text += " ORDER BY "
        if isSorted { text += "\(way.plus)v0\(ascending ? "" : " DESC"), " }
        text += "\(way.plus)k LIMIT \(limit)"
        return RenderedSQL(text, way.rows.arguments + (segment?.arguments ?? []))
    }

    /// The value of the last object of the page before; nil in the order of the keys.
    private func value(
        of last: Int64, _ rows: RenderedSQL, _ key: String?, _ database: Database
    ) throws -> SQLValue? {
        guard key != nil else { return nil }
        var value: SQLValue?
        let statement = RenderedSQL(
            "SELECT v0 FROM (\(rows.text)) WHERE k = ?", rows.arguments + [.integer(last)])
        try SQLiteReader(database).step(statement) { value = SQLValue($0, 0) }
        guard let value else {
            throw NSError.coreData(
                .managedObjectReferentialIntegrity,
                "The last object of the previous page has been deleted or does not match any more.")
        }
        return value
    }

    /// The conditions on what comes after an object, each of which an index can answer by itself; one that is always
    /// met, nil, at the beginning. NULL comes before all values, as SQLite orders it.
    private static func segments(
        _ plus: String, _ isSorted: Bool, _ ascending: Bool, after end: (key: Int64, value: SQLValue?)?
    ) -> [RenderedSQL?] {
        guard let (last, value) = end else { return [nil] }
        guard isSorted, let value else { return [RenderedSQL("\(plus)k > ?", [.integer(last)])] }
        let (column, key) = ("\(plus)v0", "\(plus)k")
        if case .null = value {
            let equal = RenderedSQL("\(column) IS NULL AND \(key) > ?", [.integer(last)])
            return ascending ? [equal, RenderedSQL("\(column) IS NOT NULL")] : [equal]
        }
        let equal = RenderedSQL("\(column) = ? AND \(key) > ?", [value, .integer(last)])
        return ascending
            ? [equal, RenderedSQL("\(column) > ?", [value])]
            : [equal, RenderedSQL("\(column) < ?", [value]), RenderedSQL("\(column) IS NULL")]
    }

    // MARK: Ways

    /// Whether an index leads to the rows that meet the predicate.
    private func isIndexed(
        _ way: PagePlan, _ isSorted: Bool, _ ascending: Bool, after end: (Int64, SQLValue?)?,
        _ database: Database
    ) throws -> Bool {
        let segment = Self.segments(way.plus, isSorted, ascending, after: end).first ?? nil
        let plan = try Self.plan(Self.statement(way, segment, isSorted, ascending, limit: 1), database)
        return plan.contains { $0.hasPrefix("SEARCH \(QuerySource.base) ") }
            && !plan.contains { $0.hasPrefix("SCAN \(QuerySource.base)") }
    }

    /// The way through all objects in the order that is wanted, which ends soon where many meet the predicate; nil when
    /// no index has the order.
    private func wayByOrder(
        _ rows: RenderedSQL, _ key: String?, _ ascending: Bool, _ database: Database
    ) throws -> PagePlan? {
        let table = store.schema.quoted(store.schema.entity(query.storedEntity).table)
        // The first FROM is that of the objects themselves: what is selected before it are columns.
        guard let match = rows.text.range(of: "FROM \(table) \(QuerySource.base)") else { return nil }
        var hint = "NOT INDEXED"
        if key != nil {
            var all = query
            all.predicate = nil
            let way = PagePlan(rows: try keys(all, key))
            let plan = try Self.plan(Self.statement(way, nil, true, ascending, limit: 1), database)
            let found = plan.lazy.compactMap { $0.wholeMatch(of: /SCAN \w+ USING (?:COVERING )?INDEX (.+)/) }
                .first
            guard let found else { return nil }
            hint = "INDEXED BY \(store.schema.quoted(String(found.1)))"
        }
        var text = rows.text
        text.insert(contentsOf: " \(hint)", at: match.upperBound)
        let way = PagePlan(rows: RenderedSQL(text, rows.arguments))
        // SQLite refuses an index that does not serve.
        let plan = try? Self.plan(Self.statement(way, nil, key != nil, ascending, limit: 1), database)
        return plan == nil ? nil : way
    }

    /// Reads for a time; nil when that was not enough.
    private static func within<Value>(
        _ seconds: Double, _ database: Database, _ cancellation: FetchCancellation,
        _ body: () throws -> Value
    ) throws -> Value? {
        guard seconds > 0 else { return nil }
        let deadline = FetchCancellation()
        let end = DispatchWorkItem { deadline.cancel() }
        DispatchQueue.global().asyncAfter(deadline: .now() + seconds, execute: end)
        defer { end.cancel() }
        do {
            return try deadline.reading(on: database.sqliteConnection, body)
        } catch  where deadline.isCancelled && !cancellation.isCancelled {
            return nil
        }
    }
}
