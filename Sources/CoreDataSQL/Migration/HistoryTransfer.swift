import ObjectGraph
import Foundation
import ManagedObjectModel

/// Takes the history of a store over into a store of another model, which has none yet: transactions and changes keep their
/// numbers, so that tokens stay good, and changes name what became of the objects.
///
/// Changes of entities that are gone are left out; their transactions stay.
package struct HistoryTransfer {
    package typealias ObjectMapping = HistoryKeeping.ObjectMapping

    private let source: StoreSnapshot
    private let history: StoreHistory
    private let new: any SQLStore
    private let target: any SQLConnection

    /// Nil when the store has no history.
    ///
    /// - Parameters:
    ///   - source: the store.
    ///   - new: the store that is to have the history.
    ///   - target: its connection, inside of a transaction.
    package init?(_ source: StoreSnapshot, to new: any SQLStore, _ target: any SQLConnection) {
        guard let history = source.tables.history else { return nil }
        self.source = source
        self.history = history
        self.new = new
        self.target = target
    }

    /// - Parameters:
    ///   - mapping: what becomes of the objects of an entity; nil when they are gone.
    ///   - reference: the key that an object has now.
    /// - Returns: the history of the new store.
    /// - Throws: an error of the database; 134020 for values of deleted objects that cannot be kept.
    @discardableResult
    package func run(
        mapping: (StoredEntity) -> ObjectMapping?,
        reference: (StoredEntity, Int64, ObjectMapping) throws -> Int64
    ) throws -> StoreHistory {
        let tables = HistoryTables.new(tombstoneCount: try StoreHistory.tombstoneCount(new.storedEntities))
        for statement in tables.creation { try target.execute(statement) }
        let made = StoreHistory(tables, isTracking: true, target.dialect)
        if history.tables.hasStrings { try copyRows(of: HistoryTables.strings) }
        try copyRows(of: HistoryTables.transaction)
        try copyChanges(made, mapping, reference)
        try copyNumbers()
        return made
    }

    /// Numbers are not given out again, those of deleted transactions included.
    private func copyNumbers() throws {
        let numbers: SQLStatement = """
            SELECT Z_ENT, Z_MAX FROM Z_PRIMARYKEY WHERE Z_ENT BETWEEN \(value: .integer(HistoryTables.changeNumber)) \
            AND \(value: .integer(HistoryTables.stringNumber))
            """
        try source.connection.forEachRow(of: numbers) { row in
            try target.run(
                "UPDATE Z_PRIMARYKEY SET Z_MAX = \(.parameter) WHERE Z_ENT = \(.parameter)",
                [row.value(1), row.value(0)])
        }
    }

    private func copyRows(of table: String) throws {
        let known = Set(try target.columnNames(of: table))
        let names = try source.connection.columnNames(of: table).filter(known.contains)
        let insert = try target.prepare(
            "INSERT INTO \(name: table) (\(names: names)) VALUES (\(parameters: names.count))")
        try source.connection.forEachRow(of: "SELECT \(names: names) FROM \(name: table)") { row in
            try insert.run(names.indices.map(row.value))
        }
    }

    // MARK: Changes

    /// How the changes of one entity are written.
    private struct EntityTransfer {
        let source: StoredEntity
        let way: ObjectMapping
        let oldColumns: HistoryColumns
        let newColumns: HistoryColumns
        /// For each value that the new store keeps of a deleted object, the column of the old store that has it.
        let tombstones: [Int?]
        /// The bitmaps, of which there are few, by those of the old store.
        var bitmaps: [Data: Data] = [:]

        init(_ source: StoredEntity, _ way: ObjectMapping, _ old: HistoryColumns, _ new: HistoryColumns) {
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
        _ made: StoreHistory, _ mapping: (StoredEntity) -> ObjectMapping?,
        _ reference: (StoredEntity, Int64, ObjectMapping) throws -> Int64
    ) throws {
        let insert = try target.prepare(made.tables.insertChange)
        var transfers: [Int32: EntityTransfer?] = [:]
        try source.connection.forEachRow(of: history.tables.changesByKey) { row in
            let number = row.value(2).wholeNumber.flatMap(Int32.init(exactly:)) ?? 0
            if transfers[number] == nil {
                transfers[number] = .some(
                    source.store.storedEntity(number: number).flatMap { storedEntity in
                        mapping(storedEntity).map {
                            EntityTransfer(
                                storedEntity, $0, history.columns(of: storedEntity),
                                made.columns(of: $0.destination))
                        }
                    })
            }
            guard var transfer = transfers[number] ?? nil, let key = row.value(3).wholeNumber else { return }
            var values: [SQLValue] = [
                row.value(0), row.value(1), .integer(Int64(transfer.way.destination.entityNumber)),
                .integer(try reference(transfer.source, key, transfer.way)), row.value(4),
            ]
            if [.blob, .text].contains(row.type(5)) {
                values.append(.blob(transfer.bitmap(row.data(5))))
                transfers[number] = transfer
            } else {
                values.append(.null)
            }
            for index in 0..<made.tables.tombstoneCount {
                let column = index < transfer.tombstones.count ? transfer.tombstones[index] : nil
                let isThere = column.map { $0 < history.tables.tombstoneCount } ?? false
                values.append(isThere ? row.value(6 + (column ?? 0)) : .null)
            }
            try insert.run(values)
        }
    }
}

extension SQLValue {
    /// The whole number that a value is.
    fileprivate var wholeNumber: Int64? {
        switch self {
        case .integer(let value): value
        case .double(let value): Int64(exactly: value)
        case .null, .text, .blob: nil
        }
    }
}
