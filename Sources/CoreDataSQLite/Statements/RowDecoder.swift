import CoreDataSQL
import ObjectGraph
import CocoaFoundation
import Foundation
import GRDBSQLite
import ManagedObjectModel

/// Packs the rows of a statement, column by column, straight from SQLite's memory.
struct RowDecoder: Sendable {
    let selection: RowSelection

    init(_ selection: RowSelection) { self.selection = selection }

    /// The statement's present row.
    ///
    /// - Throws: 134060 for an entity number that the model does not have, or a value that is not of its column's
    ///   type, with the position.
    func row(_ statement: OpaquePointer, _ builder: inout RowBuilder, timestamp: Double) throws -> Row {
        let reference = sqlite3_column_int64(statement, 0)
        let stored = sqlite3_column_int64(statement, 1)
        guard let entity = selection.entity(stored) else {
            throw NSError.coreData(
                .coreData, "Row \(reference) is of entity number \(stored), which the model does not have.")
        }
        return try row(statement, &builder, entity, reference, timestamp: timestamp)
    }

    /// The statement's present row, which is of an entity.
    @inline(__always)
    func row(
        _ statement: OpaquePointer, _ builder: inout RowBuilder, _ entity: RowSelection.Entity,
        _ reference: Int64, timestamp: Double
    ) throws -> Row {
        if entity.hasOnlyNumbers {
            return Row.ofNumbers(
                reference: reference, version: sqlite3_column_int64(statement, 2),
                entityNumber: entity.number,
                timestamp: timestamp, slotCount: entity.slotCount
            ) { slots in
                for column in entity.columns { Self.decodeNumber(column, statement, slots) }
            }
        }
        builder.begin(slotCount: entity.slotCount)
        for column in entity.columns {
            try decode(column, statement, &builder, entity, reference)
        }
        return try builder.finish(
            reference: reference, version: sqlite3_column_int64(statement, 2), entityNumber: entity.number,
            timestamp: timestamp)
    }

    @inline(__always)
    private static func decodeNumber(
        _ column: RowSelection.Column, _ statement: OpaquePointer, _ slots: Row.NumberSlots
    ) {
        if column.kind.isReal {
            guard sqlite3_column_type(statement, column.index) != SQLITE_NULL else { return }
            slots.set(column.rowSlot, double: sqlite3_column_double(statement, column.index))
        } else {
            // Null reads as zero: only the type of a zero has to be checked.
            let number = sqlite3_column_int64(statement, column.index)
            if number != 0 || sqlite3_column_type(statement, column.index) != SQLITE_NULL {
                slots.set(column.rowSlot, integer: number)
            }
        }
    }

    @inline(__always)
    private func decode(
        _ column: RowSelection.Column, _ statement: OpaquePointer, _ builder: inout RowBuilder,
        _ entity: RowSelection.Entity,
        _ reference: Int64
    ) throws {
        if column.kind.isWholeNumber || column.kind == .toOne {
            // Null reads as zero: only the type of a zero has to be checked.
            let number = sqlite3_column_int64(statement, column.index)
            if number != 0 || sqlite3_column_type(statement, column.index) != SQLITE_NULL {
                builder.set(column.rowSlot, integer: number)
            }
            return
        }
        let type = sqlite3_column_type(statement, column.index)
        if type == SQLITE_NULL { return }
        switch column.kind {
        case .double, .float, .date:
            builder.set(column.rowSlot, double: sqlite3_column_double(statement, column.index))
        case .string, .uri:
            let text = sqlite3_column_text(statement, column.index)
            let count = Int(sqlite3_column_bytes(statement, column.index))
            builder.set(
                column.rowSlot, bytes: UnsafeRawBufferPointer(start: text, count: text == nil ? 0 : count))
        case .binary, .transformable:
            builder.set(column.rowSlot, bytes: Self.blob(statement, column.index))
        case .uuid:
            let bytes = Self.blob(statement, column.index)
            guard bytes.count == 16 else {
                throw damaged(column, entity, reference, "is not a UUID of 16 bytes")
            }
            builder.set(column.rowSlot, bytes: bytes)
        case .decimal:
            guard let value = Self.decimal(statement, column.index, type) else {
                throw damaged(column, entity, reference, "is not a number")
            }
            builder.set(column.rowSlot, decimal: value)
        case .composite, .undefined, .toMany, .fetched, .integer16, .integer32, .integer64, .boolean, .toOne:
            break
        }
    }

    static func blob(_ statement: OpaquePointer, _ index: Int32) -> UnsafeRawBufferPointer {
        let start = sqlite3_column_blob(statement, index)
        let count = Int(sqlite3_column_bytes(statement, index))
        return UnsafeRawBufferPointer(start: start, count: start == nil ? 0 : count)
    }

    /// A number of a column with numeric affinity: to 15 digits, which is what SQLite keeps of a decimal.
    static func decimal(_ statement: OpaquePointer, _ index: Int32, _ type: Int32) -> Decimal? {
        switch type {
        case SQLITE_INTEGER: return Decimal(sqlite3_column_int64(statement, index))
        case SQLITE_FLOAT: return StoredValue.decimal(of: sqlite3_column_double(statement, index))
        default:
            guard let text = sqlite3_column_text(statement, index) else { return nil }
            return StoredValue.decimal(of: String(cString: text))
        }
    }

    func damaged(
        _ column: RowSelection.Column, _ entity: RowSelection.Entity, _ reference: Int64, _ what: String
    ) -> NSError {
        .coreData(
            .coreData,
            "The store is damaged: column \(selection.columnNames[Int(column.index - selection.headCount)]) of row \(reference) of entity \(entity.name) \(what)."
        )
    }
}
