import CoreDataSQL
import GRDBSQLite
import ObjectGraph

// Rows of snapshots, packed column by column, straight from SQLite's memory.

extension RowDecoder {
    /// Packs the statement's present row, which is of an entity, and has its key and the selected columns.
    ///
    /// - Throws: 134060 for a value that is not of its column's type, with the position.
    @inline(__always)
    func addRow(
        _ statement: OpaquePointer, to builder: inout SnapshotRowBuilder, _ entity: RowSelection.Entity
    ) throws {
        builder.begin(reference: sqlite3_column_int64(statement, 0))
        if entity.hasOnlyIntegers {
            builder.setNumbers(count: entity.slotCount) { slots in
                var nulls = UInt64.max
                for column in entity.columns {
                    // Null reads as zero: only the type of a zero has to be checked.
                    let number = sqlite3_column_int64(statement, column.index)
                    slots[column.rowSlot] = UInt64(bitPattern: number)
                    if number != 0 || sqlite3_column_type(statement, column.index) != SQLITE_NULL {
                        nulls &= ~(1 << UInt64(truncatingIfNeeded: column.rowSlot))
                    }
                }
                return nulls
            }
            return
        }
        for column in entity.columns {
            if column.kind.isWholeNumber || column.kind == .toOne {
                // Null reads as zero: only the type of a zero has to be checked.
                let number = sqlite3_column_int64(statement, column.index)
                if number != 0 || sqlite3_column_type(statement, column.index) != SQLITE_NULL {
                    builder.set(column.rowSlot, integer: number)
                }
            } else if column.kind.isReal {
                if sqlite3_column_type(statement, column.index) != SQLITE_NULL {
                    builder.set(column.rowSlot, double: sqlite3_column_double(statement, column.index))
                }
            } else {
                try addBytes(column, statement, to: &builder, entity)
            }
        }
    }

    private func addBytes(
        _ column: RowSelection.Column, _ statement: OpaquePointer, to builder: inout SnapshotRowBuilder,
        _ entity: RowSelection.Entity
    ) throws {
        let type = sqlite3_column_type(statement, column.index)
        if type == SQLITE_NULL { return }
        func damaged(_ what: String) -> any Error {
            self.damaged(column, entity, sqlite3_column_int64(statement, 0), what)
        }
        switch column.kind {
        case .string, .uri:
            let text = sqlite3_column_text(statement, column.index)
            let count = Int(sqlite3_column_bytes(statement, column.index))
            try builder.set(
                column.rowSlot, bytes: UnsafeRawBufferPointer(start: text, count: text == nil ? 0 : count))
        case .binary, .transformable:
            try builder.set(column.rowSlot, bytes: Self.blob(statement, column.index))
        case .uuid:
            let bytes = Self.blob(statement, column.index)
            guard bytes.count == 16 else { throw damaged("is not a UUID of 16 bytes") }
            try builder.set(column.rowSlot, bytes: bytes)
        case .decimal:
            guard let value = Self.decimal(statement, column.index, type) else {
                throw damaged("is not a number")
            }
            try builder.set(column.rowSlot, decimal: value)
        case .composite, .undefined, .toMany, .fetched, .integer16, .integer32, .integer64, .boolean, .toOne,
            .double, .float, .date:
            break
        }
    }
}
