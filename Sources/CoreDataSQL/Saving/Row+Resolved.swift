import ObjectGraph
import CocoaFoundation
import Foundation
import ManagedObjectModel

extension Row {
    /// The row as its columns will keep it: with the references in it replaced by those that a save assigned, decimals cut to
    /// what a column keeps of them, and no value for NaN. A row without any of these is returned itself.
    ///
    /// - Throws: 134060 when the row is not of the entity.
    func resolved(_ references: AssignedReferences, _ entity: SQLEntity) throws -> Row {
        guard entityNumber == entity.number else { throw otherEntity(entity.storedEntity) }
        let changes = entity.resolvedColumns.contains { column in
            guard !isNull(column.rowSlot) else { return false }
            switch column.kind {
            case .toOne: return integer(column.rowSlot) < 0
            case .decimal: return true
            default: return column.kind.isReal && double(column.rowSlot).isNaN
            }
        }
        guard changes else { return self }
        return try copy(entity.columns) { builder, column in
            if column.kind == .toOne, self.integer(column.rowSlot) < 0 {
                builder.set(column.rowSlot, integer: references.permanent(self.integer(column.rowSlot)))
                return true
            }
            if column.kind == .decimal {
                if let kept = StoredValue.kept(self.decimal(column.rowSlot)) {
                    builder.set(column.rowSlot, decimal: kept)
                }
                return true
            }
            return column.kind.isReal && self.double(column.rowSlot).isNaN
        }
    }

    private func copy(
        _ columns: [SQLColumn], _ replace: (inout RowBuilder, SQLColumn) -> Bool
    ) throws -> Row {
        var builder = RowBuilder()
        builder.begin(slotCount: slotCount)
        for column in columns where !isNull(column.rowSlot) && !replace(&builder, column) {
            builder.copy(column.rowSlot, from: self, hasBytes: column.kind.hasBytes)
        }
        return try builder.finish(
            reference: reference, version: version, entityNumber: entityNumber, timestamp: timestamp)
    }
}
