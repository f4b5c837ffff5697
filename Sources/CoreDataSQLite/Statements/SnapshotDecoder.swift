import CoreDataSQL
import GRDBSQLite
import ObjectGraph

/// The arguments of a function of SQL.
struct ArgumentValues: ColumnValues {
    private let values: UnsafeMutablePointer<OpaquePointer?>

    init(_ values: UnsafeMutablePointer<OpaquePointer?>) { self.values = values }

    @inline(__always)
    func value(_ index: Int32) -> OpaquePointer? { values[Int(index)] }
}

// Rows of snapshots, packed value by value, straight from SQLite's memory.

extension RowDecoder {
    /// Packs a row of an entity, which has its key and the selected columns.
    ///
    /// - Throws: 134060 for a value that is not of its column's type, with the position.
    @inline(__always)
    func addRow(
        _ row: some ColumnValues, to builder: inout SnapshotRowBuilder, _ entity: RowSelection.Entity
    ) throws {
        builder.begin(reference: row.integer(0))
        if entity.hasFewNumbers {
            builder.setNumbers(count: entity.slotCount) { Self.setFewNumbers($0, row, entity) }
            return
        }
        for column in entity.columns {
            if column.kind.isWholeNumber || column.kind == .toOne {
                let number = row.integer(column.index)
                if number != 0 || row.type(column.index) != SQLITE_NULL {
                    builder.set(column.rowSlot, integer: number)
                }
            } else if column.kind.isReal {
                if row.type(column.index) != SQLITE_NULL {
                    builder.set(column.rowSlot, double: row.double(column.index))
                }
            } else {
                try addBytes(column, row, to: &builder, entity)
            }
        }
    }

    private func addBytes(
        _ column: RowSelection.Column, _ row: some ColumnValues, to builder: inout SnapshotRowBuilder,
        _ entity: RowSelection.Entity
    ) throws {
        let type = row.type(column.index)
        if type == SQLITE_NULL { return }
        switch column.kind {
        case .string, .uri: try builder.set(column.rowSlot, bytes: row.text(column.index))
        case .binary, .transformable: try builder.set(column.rowSlot, bytes: row.bytes(column.index))
        case .uuid:
            let bytes = row.bytes(column.index)
            guard bytes.count == 16 else {
                throw damaged(column, entity, row.integer(0), "is not a UUID of 16 bytes")
            }
            try builder.set(column.rowSlot, bytes: bytes)
        case .decimal:
            guard let value = Self.decimal(row.value(column.index)) else {
                throw damaged(column, entity, row.integer(0), "is not a number")
            }
            try builder.set(column.rowSlot, decimal: value)
        case .composite, .undefined, .toMany, .fetched, .integer16, .integer32, .integer64, .boolean, .toOne,
            .double, .float, .date:
            break
        }
    }
}
