import ObjectGraph
import CocoaFoundation
import Foundation
import ManagedObjectModel

extension Row {
    /// The row as its columns will keep it: with its own reference, and those in it, replaced by the ones that a
    /// save assigned, decimals cut to what a column keeps of them, and no value for NaN.
    ///
    /// - Throws: 134060 when the row is not of the entity.
    func resolved(_ references: ReferenceMap<Int64>, _ entity: SQLEntity) throws -> Row {
        guard entityNumber == entity.number else { throw otherEntity(entity.storedEntity) }
        let changes = entity.resolvedColumns.contains { column in
            guard !isNull(column.rowSlot) else { return false }
            switch column.kind {
            case .toOne: return integer(column.rowSlot) < 0
            case .decimal: return true
            default: return column.kind.isReal && double(column.rowSlot).isNaN
            }
        }
        guard changes else {
            return reference < 0 ? copy(reference: references.value(reference) ?? reference) : self
        }
        return try copy(entity.columns) { builder, column in
            if column.kind == .toOne, self.integer(column.rowSlot) < 0 {
                let temporary = self.integer(column.rowSlot)
                builder.set(column.rowSlot, integer: references.value(temporary) ?? temporary)
                return true
            }
            if column.kind == .decimal {
                if let kept = StoredValue.kept(self.decimal(column.rowSlot)) {
                    builder.set(column.rowSlot, decimal: kept)
                }
                return true
            }
            return column.kind.isReal && self.double(column.rowSlot).isNaN
        } reference: {
            references.value($0) ?? $0
        }
    }

    private func copy(
        _ columns: [SQLColumn], _ replace: (inout RowBuilder, SQLColumn) -> Bool, reference: (Int64) -> Int64
    ) throws -> Row {
        var builder = RowBuilder()
        builder.begin(slotCount: slotCount)
        for column in columns where !isNull(column.rowSlot) && !replace(&builder, column) {
            builder.copy(column.rowSlot, from: self, hasBytes: column.kind.hasBytes)
        }
        return try builder.finish(
            reference: reference(self.reference), version: version, entityNumber: entityNumber,
            timestamp: timestamp)
    }
}
