import Foundation
import ManagedObjectModel

extension Row {
    /// The row of the next version, with these to-one relationships set to null.
    ///
    /// - Throws: 134060 when the row is not of the entity.
    package func withoutLinks(_ slots: PropertySet, _ storedEntity: StoredEntity) throws -> Row {
        guard entityNumber == storedEntity.entityNumber else { throw otherEntity(storedEntity) }
        let layout = storedEntity.layout
        var builder = RowBuilder()
        builder.begin(slotCount: slotCount)
        for slot in layout.slots.indices where layout.slots[slot].isStored && !slots.contains(slot) {
            builder.copy(layout.slots[slot], from: self)
        }
        return try builder.finish(
            reference: reference, version: version &+ 1, entityNumber: entityNumber,
            timestamp: Date.timeIntervalSinceReferenceDate)
    }

    /// The row with values as triggers of the store computed them: those of derived attributes, and of attributes that
    /// Apple's own applications keep by triggers.
    ///
    /// - Parameter storedEntity: the reported entity of the values.
    /// - Throws: 134060 when the row is of another entity: a trigger can report anything. `RowTooLarge`.
    package func replacing(_ changes: [DerivedValue], _ storedEntity: StoredEntity) throws -> Row {
        guard entityNumber == storedEntity.entityNumber else { throw otherEntity(storedEntity) }
        var builder = RowBuilder()
        builder.begin(slotCount: slotCount)
        for slot in storedEntity.layout.slots where slot.isStored {
            if slot.attribute != nil, let change = changes.first(where: { $0.attribute == slot.name }) {
                builder.set(slot, change.value)
            } else {
                builder.copy(slot, from: self)
            }
        }
        return try builder.finish(
            reference: reference, version: version, entityNumber: entityNumber, timestamp: timestamp)
    }

    /// The error for a row that is combined with another entity's layout.
    package func otherEntity(_ storedEntity: StoredEntity) -> NSError {
        .coreData(
            .coreData,
            """
            Row \(reference) is of entity number \(entityNumber), not of '\(storedEntity.entity.name ?? "")', which has number \
            \(storedEntity.entityNumber).
            """)
    }
}

extension RowBuilder {
    /// Sets a slot to a value of the database, in the form of the slot's kind.
    fileprivate mutating func set(_ slot: PropertySlot, _ value: SQLValue) {
        switch (slot.kind, value) {
        case (.integer16, .integer(let value)), (.integer32, .integer(let value)),
            (.integer64, .integer(let value)), (.boolean, .integer(let value)):
            set(slot.rowSlot, integer: value)
        case (.integer16, .double(let value)), (.integer32, .double(let value)),
            (.integer64, .double(let value)):
            if let value = Int64(exactly: value.rounded(.towardZero)) { set(slot.rowSlot, integer: value) }
        case (.double, .double(let value)), (.float, .double(let value)), (.date, .double(let value)):
            set(slot.rowSlot, double: value)
        case (.double, .integer(let value)), (.float, .integer(let value)), (.date, .integer(let value)):
            set(slot.rowSlot, double: Double(value))
        case (.string, .text(let value)), (.uri, .text(let value)):
            set(slot.rowSlot, string: value)
        case (.binary, .blob(let value)), (.transformable, .blob(let value)), (.uuid, .blob(let value)):
            set(slot.rowSlot, data: value)
        case (.decimal, .integer(let value)):
            set(slot.rowSlot, decimal: Decimal(value))
        case (.decimal, .double(let value)):
            if let decimal = StoredValue.decimal(of: value) { set(slot.rowSlot, decimal: decimal) }
        case (.decimal, .text(let value)):
            if let decimal = StoredValue.decimal(of: value) { set(slot.rowSlot, decimal: decimal) }
        default:
            break
        }
    }
}
