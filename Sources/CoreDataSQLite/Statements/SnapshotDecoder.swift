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
        _ values: RowValues, to builder: inout SnapshotRowBuilder, _ entity: RowSelection.Entity
    ) throws {
        builder.begin(reference: values.integer(0))
        for column in entity.columns {
            if column.kind.isWholeNumber || column.kind == .toOne {
                // Null reads as zero: only the type of a zero has to be checked.
                let number = values.integer(column.index)
                if number != 0 || values.type(column.index) != SQLITE_NULL {
                    builder.set(column.rowSlot, integer: number)
                }
            } else if column.kind.isReal {
                if values.type(column.index) != SQLITE_NULL {
                    builder.set(column.rowSlot, double: values.double(column.index))
                }
            } else {
                try addBytes(column, values, to: &builder, entity)
            }
        }
    }

    private func addBytes(
        _ column: RowSelection.Column, _ values: RowValues, to builder: inout SnapshotRowBuilder,
        _ entity: RowSelection.Entity
    ) throws {
        let type = values.type(column.index)
        if type == SQLITE_NULL { return }
        func damaged(_ what: String) -> any Error {
            self.damaged(column, entity, values.integer(0), what)
        }
        switch column.kind {
        case .string, .uri:
            try builder.set(column.rowSlot, bytes: values.text(column.index))
        case .binary, .transformable:
            try builder.set(column.rowSlot, bytes: values.bytes(column.index))
        case .uuid:
            let bytes = values.bytes(column.index)
            guard bytes.count == 16 else { throw damaged("is not a UUID of 16 bytes") }
            try builder.set(column.rowSlot, bytes: bytes)
        case .decimal:
            guard let value = Self.decimal(values, column.index, type) else {
                throw damaged("is not a number")
            }
            try builder.set(column.rowSlot, decimal: value)
        case .composite, .undefined, .toMany, .fetched, .integer16, .integer32, .integer64, .boolean, .toOne,
            .double, .float, .date:
            break
        }
    }
}
