import ObjectGraph
import Foundation
import GRDB
import ManagedObjectModel

/// Takes the history of a store over into a store of another model, which has none yet: transactions and changes keep their
/// numbers, so that tokens stay good, and changes name what became of the objects.
///
/// Changes of entities that are gone are left out; their transactions stay.
struct HistoryTransfer {
    typealias Way = HistoryKeeping.Way

    private let source: StoreSnapshot
    private let history: StoreHistory
    private let new: SQLiteStore
    private let target: Database

    /// Nil when the store has no history.
    ///
    /// - Parameters:
    ///   - source: the store.
    ///   - new: the store that is to have the history.
    ///   - target: its connection, inside of a transaction.
    init?(_ source: StoreSnapshot, to new: SQLiteStore, _ target: Database) {
        guard let history = source.store.history else { return nil }
        self.source = source
        self.history = history
        self.new = new
        self.target = target
    }

    /// - Parameters:
    ///   - way: what becomes of the objects of an entity; nil when they are gone.
    ///   - reference: the key that an object has now.
    /// - Returns: the history of the new store.
    /// - Throws: an error of SQLite; 134020 for values of deleted objects that cannot be kept.
    @discardableResult
    func run(
        way: (StoredEntity) -> Way?, reference: (StoredEntity, Int64, Way) throws -> Int64
    ) throws -> StoreHistory {
        let tables = HistoryTables.new(tombstoneCount: try StoreHistory.tombstoneCount(new.homes))
        for statement in tables.creation { try target.execute(sql: statement) }
        let made = StoreHistory(tables, isTracking: true)
        if history.tables.hasStrings { try copyRows(of: HistoryTables.strings) }
        try copyRows(of: HistoryTables.transaction)
        try copyChanges(made, way, reference)
        try copyNumbers()
        return made
    }

    /// Numbers are not given out again, those of deleted transactions included.
    private func copyNumbers() throws {
        let rows = try GRDB.Row.fetchAll(
            source.database, sql: "SELECT Z_ENT, Z_MAX FROM Z_PRIMARYKEY WHERE Z_ENT BETWEEN ? AND ?",
            arguments: [HistoryTables.changeNumber, HistoryTables.stringNumber])
        for row in rows {
            try target.execute(
                sql: "UPDATE Z_PRIMARYKEY SET Z_MAX = ? WHERE Z_ENT = ?",
                arguments: StatementArguments([row[1] as DatabaseValue, row[0] as DatabaseValue]))
        }
    }

    private func copyRows(of table: String) throws {
        func columns(_ database: Database) throws -> [String] {
            try String.fetchAll(database, sql: "SELECT name FROM pragma_table_info(?)", arguments: [table])
        }
        let known = Set(try columns(target))
        let names = try columns(source.database).filter(known.contains)
        let list = names.joined(separator: ", ")
        let parameters = Array(repeating: "?", count: names.count).joined(separator: ", ")
        let insert = try target.makeStatement(
            sql: "INSERT INTO \(table) (\(list)) VALUES (\(parameters))")
        let rows = try GRDB.Row.fetchCursor(source.database, sql: "SELECT \(list) FROM \(table)")
        while let row = try rows.next() {
            try insert.execute(arguments: StatementArguments(Array(row.databaseValues)))
        }
    }

    // MARK: Changes

    /// How the changes of one entity are written.
    private struct EntityTransfer {
        let source: StoredEntity
        let way: Way
        let oldColumns: HistoryColumns
        let newColumns: HistoryColumns
        /// For each value that the new store keeps of a deleted object, the column of the old store that has it.
        let tombstones: [Int?]
        /// The bitmaps, of which there are few, by those of the old store.
        var bitmaps: [Data: Data] = [:]

        init(_ source: StoredEntity, _ way: Way, _ old: HistoryColumns, _ new: HistoryColumns) {
            self.source = source
            self.way = way
            oldColumns = old
            newColumns = new
            let slots = way.destination.layout.slots
            tombstones = new.tombstones.map { slot in
                let origin = slots.firstIndex { $0.rowSlot == slot.rowSlot }.flatMap { way.origins[$0] }
                return origin.flatMap { origin in
                    old.tombstones.firstIndex { $0.rowSlot == origin.rowSlot && $0.kind == slot.kind }
                }
            }
        }

        mutating func bitmap(_ old: Data) -> Data {
            if let known = bitmaps[old] { return known }
            let changed = Set(oldColumns.properties(in: [UInt8](old)).map(ObjectIdentifier.init))
            var set = PropertySet()
            for (slot, origin) in way.origins.enumerated() {
                if let origin, changed.contains(ObjectIdentifier(origin.property)) { set.insert(slot) }
            }
            var bytes = [UInt8](repeating: 0, count: newColumns.byteCount)
            bytes.withUnsafeMutableBufferPointer { newColumns.mark(set, in: $0) }
            let made = Data(bytes)
            bitmaps[old] = made
            return made
        }
    }

    private func copyChanges(
        _ made: StoreHistory, _ way: (StoredEntity) -> Way?,
        _ reference: (StoredEntity, Int64, Way) throws -> Int64
    ) throws {
        let kept = (0..<history.tables.tombstoneCount).map { ", ZTOMBSTONE\($0)" }.joined()
        let rows = try GRDB.Row.fetchCursor(
            source.database,
            sql: """
                SELECT Z_PK, ZCHANGETYPE, ZENTITY, ZENTITYPK, ZTRANSACTIONID, ZCOLUMNS\(kept) FROM ACHANGE ORDER BY Z_PK
                """)
        let insert = try target.makeStatement(sql: made.tables.insertChange)
        var transfers: [Int32: EntityTransfer?] = [:]
        while let row = try rows.next() {
            let number = Int32.fromDatabaseValue(row[2]) ?? 0
            if transfers[number] == nil {
                transfers[number] = .some(
                    source.store.home(number: number).flatMap { home in
                        way(home).map {
                            EntityTransfer(
                                home, $0, history.columns(of: home), made.columns(of: $0.destination))
                        }
                    })
            }
            guard var transfer = transfers[number] ?? nil, let key = Int64.fromDatabaseValue(row[3]) else {
                continue
            }
            var values: [DatabaseValue] = [
                row[0], row[1], transfer.way.destination.entityNumber.databaseValue,
                try reference(transfer.source, key, transfer.way).databaseValue, row[4],
            ]
            if let bitmap = Data.fromDatabaseValue(row[5]) {
                values.append(transfer.bitmap(bitmap).databaseValue)
                transfers[number] = transfer
            } else {
                values.append(.null)
            }
            for index in 0..<made.tables.tombstoneCount {
                let column = index < transfer.tombstones.count ? transfer.tombstones[index] : nil
                let isThere = column.map { $0 < history.tables.tombstoneCount } ?? false
                values.append(isThere ? row[6 + (column ?? 0)] : .null)
            }
            try insert.execute(arguments: StatementArguments(values))
        }
    }
}
