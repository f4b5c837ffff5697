import CoreData
import StoreTools
import Synchronization

/// What a table shows, all pages of it, for other programs, part by part. What is not saved plays no part.
///
/// A store is exported once at a time, for as long as one of these is kept.
struct PageExport: Sendable {
    enum Format: String, Sendable {
        case csv, json
    }

    private static let batchSize = 200

    private let query: ObjectQuery
    private let order: ObjectPage.Order
    private let format: Format
    private let store: BrowsedStore
    private let turn: ExportTurn
    private let fields: [String]
    /// The key of the object that was the last; nil at first.
    private var last: Int64?
    private var hasBegun = false
    private var hasObjects = false
    private var hasEnded = false
    /// What was executed so far.
    private var executed = ExecutedStatements()

    var statements: [ShownStatement] { executed.statements }

    /// - Throws: `BrowsingError` for an entity that is not there, or when the store is being exported already.
    init(_ query: ObjectQuery, _ order: ObjectPage.Order, as format: Format, of store: BrowsedStore) throws {
        self.query = query
        self.order = order
        self.format = format
        self.store = store
        turn = try ExportTurn(store.isExporting)
        fields = try StoreQuery(store.source, entity: query.entity).fields
        last = order.after
    }

    /// The next part of the text; nil at the end.
    ///
    /// - Throws: `PredicateFormatError`, `BrowsingError`, an error of the store.
    mutating func next() async throws -> String? {
        guard !hasEnded else { return nil }
        let (query, order, after, store) = (query, order, last, store)
        let page = try await store.reading { context, cancellation in
            let request = try query.request(NSManagedObject.self, of: store, in: context)
            return try FetchInspection(request, in: context).page(
                sortedBy: order.key, ascending: order.isAscending, after: after, limit: Self.batchSize,
                cancellation)
        }
        let (format, fields) = (format, fields)
        let (lines, executions) = try await store.reading { _, cancellation in
            let (found, executions) = try Self.values(
                page.keys, of: query.entity, in: store, cancellation)
            let lines = found.map { reference, values in
                format == .csv
                    ? CSVText.line(["\(reference)"] + fields.map { values[$0]?.field })
                    : StoreDump.line(reference, fields, values)
            }
            return (lines, executions)
        }
        executed.add(page.executions, "Keys of the export")
        executed.add(executions, "Values of the export")
        var text = ""
        if !hasBegun { text += format == .csv ? CSVText.line([ObjectValues.objectID] + fields) : "[" }
        hasBegun = true
        for line in lines {
            if format == .json { text += hasObjects ? ",\n" : "\n" }
            hasObjects = true
            text += line
        }
        if let key = page.keys.last, page.hasMore {
            last = key
        } else {
            hasEnded = true
            if format == .json { text += "\n]\n" }
        }
        return text
    }

    private static func values(
        _ keys: [Int64], of name: String, in store: BrowsedStore, _ cancellation: FetchCancellation
    ) throws -> (value: [StoreQuery.Match], executions: [FetchInspection.Execution]) {
        let entity = try store.source.entity(named: name)
        return try store.source.store.withContents(until: cancellation) { contents in
            try contents.traced {
                let reader = ObjectValues(contents.snapshot, isBrief: false)
                let rows = Dictionary(
                    try contents.snapshot.rows(of: entity, references: keys).map { ($0.reference, $0) },
                    uniquingKeysWith: { a, _ in a })
                var matches: [StoreQuery.Match] = []
                try reader.forEach(keys.compactMap { rows[$0] }, of: entity, reader.fields(of: entity)) {
                    row, values in
                    matches.append((reader.reference(row, entity), values))
                }
                return matches
            }
        }
    }
}

/// Statements that are executed over and over, each reported once.
private struct ExecutedStatements: Sendable {
    /// Strings differ by the number of rows, and by a few more.
    private static let most = 50

    private var found: [(title: String, execution: FetchInspection.Execution)] = []

    var statements: [ShownStatement] { found.map { ShownStatement($0.execution, of: $0.title) } }

    mutating func add(_ executions: [FetchInspection.Execution], _ title: String) {
        for execution in executions {
            let position = found.firstIndex {
                $0.execution.statement == execution.statement && $0.title == title
            }
            if let position {
                found[position].execution.add(count: execution.count, seconds: execution.seconds)
            } else if found.count < Self.most {
                found.append((title, execution))
            }
        }
    }
}

/// Whether a store is being exported.
final class ExportFlag: Sendable {
    fileprivate let isTaken = Mutex(false)
}

/// Leave to export a store, for as long as it is kept.
private final class ExportTurn: Sendable {
    private let flag: ExportFlag

    init(_ flag: ExportFlag) throws {
        let isFree = flag.isTaken.withLock { isTaken in
            defer { isTaken = true }
            return !isTaken
        }
        guard isFree else {
            throw BrowsingError("Another table is being exported; wait until that is finished.", code: "busy")
        }
        self.flag = flag
    }

    deinit { flag.isTaken.withLock { $0 = false } }
}
