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
        var changesReferences = false
        var changesValues = false
        for column in entity.resolvedColumns where !isNull(column.rowSlot) {
            switch column.kind {
            case .toOne: if integer(column.rowSlot) < 0 { changesReferences = true }
            case .decimal: changesValues = true
            default: if column.kind.isReal, double(column.rowSlot).isNaN { changesValues = true }
            }
        }
        guard changesReferences || changesValues else { return self }
        if !changesValues {
            // References are numbers, which a copy gets in place.
            return copy(version: version, timestamp: timestamp) { row in
                for column in entity.resolvedColumns
                where column.kind == .toOne && !isNull(column.rowSlot) && integer(column.rowSlot) < 0 {
                    row.set(column.rowSlot, integer: references.permanent(integer(column.rowSlot)))
                }
            }
        }
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
