import CoreDataSQL
import ObjectGraph
import CocoaFoundation
import Foundation
import GRDBSQLite
import ManagedObjectModel

/// Packs the rows of a statement, column by column, straight from SQLite's memory.
struct RowDecoder: @unchecked Sendable {
    let selection: RowSelection
    /// The entity of all rows of the table, if there is only one; the selection has it.
    private let ofTable: Unmanaged<RowSelection.Entity>?
    /// The entity of all rows, if there is only one, whether or not the table may have others.
    private let only: Unmanaged<RowSelection.Entity>?

    init(_ selection: RowSelection) {
        self.selection = selection
        ofTable = selection.tableEntity.map(Unmanaged.passUnretained)
        only = selection.only.map(Unmanaged.passUnretained)
    }

    /// Puts a row, the statement's present one or that of a collector, into the builder's memory.
    ///
    /// - Throws: 134060 for an entity number that the model does not have, or a value that is not of its column's
    ///   type, with the position.
    @inline(__always)
    func put(
        _ values: some ColumnValues, _ builder: inout RowBuilder, timestamp: Double
    ) throws -> RowPointer {
        let reference = values.integer(0)
        let (entity, version) =
            if let ofTable { (ofTable, values.integer(1)) } else {
                (try self.entity(values.integer(1), reference), values.integer(2))
            }
        // The selection has its entities: no references are counted.
        return try entity._withUnsafeGuaranteedRef {
            try put(values, &builder, $0, reference, version, timestamp: timestamp)
        }
    }

    /// The entity whose number a row has.
    @inline(__always)
    private func entity(_ number: Int64, _ reference: Int64) throws -> Unmanaged<RowSelection.Entity> {
        if let only, only._withUnsafeGuaranteedRef({ Int64($0.number) }) == number { return only }
        guard let entity = selection.member(number) else {
            throw NSError.coreData(
                .coreData, "Row \(reference) is of entity number \(number), which the model does not have.")
        }
        return .passUnretained(entity)
    }

    @inline(__always)
    private func put(
        _ values: some ColumnValues, _ builder: inout RowBuilder, _ entity: RowSelection.Entity,
        _ reference: Int64, _ version: Int64, timestamp: Double
    ) throws -> RowPointer {
        if entity.hasFewNumbers {
            return builder.putFewNumbers(
                reference: reference, version: version, entityNumber: entity.number, timestamp: timestamp,
                slotCount: entity.slotCount
            ) { slots in
                for slot in entity.emptySlots { slots[slot] = 0 }
                return Self.setFewNumbers(slots, values, entity)
            }
        }
        if entity.hasOnlyNumbers {
            return builder.putNumbers(
                reference: reference, version: version, entityNumber: entity.number, timestamp: timestamp,
                slotCount: entity.slotCount
            ) { slots in
                for column in entity.columns {
                    if let word = Self.number(column.kind, values.value(column.index)) {
                        slots.set(column.rowSlot, integer: Int64(bitPattern: word))
                    }
                }
            }
        }
        builder.begin(slotCount: entity.slotCount)
        try entity.columns.withUnsafeBufferPointer { columns in
            for column in columns { try decode(column, values, &builder, entity, reference) }
        }
        return try builder.put(
            reference: reference, version: version, entityNumber: entity.number, timestamp: timestamp)
    }

    /// Sets the slots of the selected columns, for an entity that has few numbers; those with NULL become zero.
    ///
    /// - Returns: the null bits of the row.
    @inline(__always)
    static func setFewNumbers(
        _ slots: UnsafeMutablePointer<UInt64>, _ values: some ColumnValues, _ entity: RowSelection.Entity
    ) -> UInt64 {
        assert(entity.hasFewNumbers, "What is written below is inside of the row.")
        var nulls = entity.emptyBits
        entity.columns.withUnsafeBufferPointer { columns in
            values.withValues { value in
                if entity.hasFewIntegers {
                    for column in columns {
                        let value = value(column.index)
                        // NULL reads as zero: only the type of a zero has to be checked.
                        let number = sqlite3_value_int64(value)
                        slots[column.rowSlot] = UInt64(bitPattern: number)
                        if number == 0, sqlite3_value_type(value) == SQLITE_NULL {
                            nulls |= 1 &<< UInt64(truncatingIfNeeded: column.rowSlot)
                        }
                    }
                } else {
                    for column in columns {
                        let word = number(column.kind, value(column.index))
                        slots[column.rowSlot] = word ?? 0
                        if word == nil { nulls |= 1 &<< UInt64(truncatingIfNeeded: column.rowSlot) }
                    }
                }
            }
        }
        return nulls
    }

    /// A number as a slot keeps it; nil for NULL.
    @inline(__always)
    private static func number(_ kind: SlotKind, _ value: OpaquePointer?) -> UInt64? {
        // NULL reads as zero: only the type of a zero has to be checked.
        if kind.isReal {
            let number = sqlite3_value_double(value)
            return number == 0 && sqlite3_value_type(value) == SQLITE_NULL ? nil : number.bitPattern
        }
        let number = sqlite3_value_int64(value)
        if number == 0, sqlite3_value_type(value) == SQLITE_NULL { return nil }
        return UInt64(bitPattern: number)
    }

    @inline(__always)
    private func decode(
        _ column: RowSelection.Column, _ values: some ColumnValues, _ builder: inout RowBuilder,
        _ entity: RowSelection.Entity,
        _ reference: Int64
    ) throws {
        // Null reads as zero, or as no bytes: only the type of these has to be checked.
        func isNull() -> Bool { values.type(column.index) == SQLITE_NULL }
        if column.kind.isWholeNumber || column.kind == .toOne {
            let number = values.integer(column.index)
            if number != 0 || !isNull() { builder.set(column.rowSlot, integer: number) }
            return
        }
        switch column.kind {
        case .double, .float, .date:
            let number = values.double(column.index)
            if number != 0 || !isNull() { builder.set(column.rowSlot, double: number) }
        case .string, .uri:
            let text = values.text(column.index)
            if !text.isEmpty || !isNull() { builder.set(column.rowSlot, bytes: text) }
        case .binary, .transformable:
            let bytes = values.bytes(column.index)
            if !bytes.isEmpty || !isNull() { builder.set(column.rowSlot, bytes: bytes) }
        case .uuid:
            let bytes = values.bytes(column.index)
            guard bytes.count == 16 else {
                if isNull() { return }
                throw damaged(column, entity, reference, "is not a UUID of 16 bytes")
            }
            builder.set(column.rowSlot, bytes: bytes)
        case .decimal:
            if isNull() { return }
            guard let value = Self.decimal(values.value(column.index)) else {
                throw damaged(column, entity, reference, "is not a number")
            }
            builder.set(column.rowSlot, decimal: value)
        case .composite, .undefined, .toMany, .fetched, .integer16, .integer32, .integer64, .boolean, .toOne:
            break
        }
    }

    /// A number of a column with numeric affinity: to 15 digits, which is what SQLite keeps of a decimal; nil for none.
    static func decimal(_ value: OpaquePointer?) -> Decimal? {
        switch sqlite3_value_type(value) {
        case SQLITE_INTEGER: return Decimal(sqlite3_value_int64(value))
        case SQLITE_FLOAT: return StoredValue.decimal(of: sqlite3_value_double(value))
        default:
            guard let text = sqlite3_value_text(value) else { return nil }
            return StoredValue.decimal(of: String(cString: text))
        }
    }

    func damaged(
        _ column: RowSelection.Column, _ entity: RowSelection.Entity, _ reference: Int64, _ what: String
    ) -> NSError {
        .coreData(
            .coreData,
            "The store is damaged: column \(selection.columnNames[Int(column.index) - selection.headNames.count]) of row \(reference) of entity \(entity.name) \(what)."
        )
    }
}
