import ObjectGraph
import Foundation
import ManagedObjectModel

/// Writes the objects of a store into another one of another model, some hundred at a time: first all rows, then the
/// links outside of rows.
package struct MigrationCopy: ~Copyable {
    private let old: StoreSnapshot
    private let new: any SQLStore
    private let plan: MigrationPlan
    private let save: SQLSave
    /// Reads a file of external data of the old store.
    private let externalData: (String) throws -> Data
    private var builder = RowBuilder()

    /// - Parameters:
    ///   - connection: that of the new store, inside of a transaction.
    ///   - externalData: reads a file of external data of the old store, by its name.
    package init(
        _ old: StoreSnapshot, _ new: any SQLStore, _ connection: any SQLConnection, _ plan: MigrationPlan,
        externalData: @escaping (String) throws -> Data
    ) {
        self.old = old
        self.new = new
        self.plan = plan
        self.externalData = externalData
        save = SQLSave(new, connection)
    }

    package mutating func run() throws {
        for step in plan.steps { try reserve(step) }
        for step in plan.steps {
            let times = step.destination.storedEntity.layout.timeSlots.filter {
                step.origins[$0.rowSlot] != nil
            }
            // Lent to the closure, which may not change `self`.
            var builder = RowBuilder()
            swap(&builder, &self.builder)
            try old.forEachBatch(of: step.source) { rows in
                var unit = UnitOfWork()
                for row in rows {
                    unit.inserts.append(
                        .init(
                            storedEntity: step.destination.storedEntity,
                            row: try migrated(row, step, &builder)))
                }
                try run(unit)
                for insert in unit.inserts { try save.keepTimes(times, of: insert.row, step.destination) }
            }
            swap(&builder, &self.builder)
        }
        for step in plan.steps {
            let slots = linkSlots(step)
            guard !slots.isEmpty else { continue }
            try old.forEachBatch(of: step.source) { rows in
                var unit = UnitOfWork()
                for slot in slots { try addLinks(slot, rows, step, &unit) }
                try run(unit)
            }
        }
    }

    private func run(_ unit: UnitOfWork) throws {
        new.derivedValues.removeAll()
        if !unit.isEmpty { _ = try save.run(unit) }
    }

    /// Counts the keys that are given out, and those that the old store has given out and taken back.
    private func reserve(_ step: MigrationPlan.Step) throws {
        let root = step.source.storedEntity.entity.rootEntity.name ?? ""
        let counted: SQLStatement = "(SELECT Z_MAX FROM Z_PRIMARYKEY WHERE Z_NAME = \(value: .text(root)))"
        let stored: SQLStatement = "(SELECT MAX(Z_PK) FROM \(name: step.source.table))"
        let given = try old.connection.integer(
            "SELECT \(.greatest("\(.coalesce(counted, "0"))", "\(.coalesce(stored, "0"))"))")
        let storedEntity = step.destination.storedEntity
        let missing = try step.reference(given) - (try save.reserve(storedEntity, count: 0) - 1)
        if missing > 0 { _ = try save.reserve(storedEntity, count: Int(missing)) }
    }

    // MARK: Rows

    private func migrated(_ row: Row, _ step: MigrationPlan.Step, _ builder: inout RowBuilder) throws -> Row {
        let layout = step.destination.storedEntity.layout
        builder.begin(slotCount: layout.rowSlotCount)
        for (index, slot) in layout.slots.enumerated() where slot.isStored && slot.kind != .toMany {
            if let origin = step.origins[index] {
                let isSet =
                    try slot.kind == .toOne
                    ? link(row, origin, slot, &builder) : value(row, origin, slot, &builder)
                // No value stays none, unless there must be one now.
                if isSet || slot.property.isOptional { continue }
            }
            if slot.attribute != nil { try builder.set(layout.initialValues[index], slot) }
            try checkMayBeMissing(slot, layout.initialValues[index], row, step)
        }
        return try builder.finish(
            reference: try step.reference(row.reference), version: row.version,
            entityNumber: step.destination.number, timestamp: row.timestamp)
    }

    /// Copies the value of an attribute; false when it has none.
    private func value(
        _ row: Row, _ origin: PropertySlot, _ slot: PropertySlot, _ builder: inout RowBuilder
    ) throws -> Bool {
        if slot.kind == .composite {
            var hasValue = false
            for element in slot.elements {
                guard let old = origin.elements.first(where: { $0.name == element.name }) else { continue }
                if try value(row, old, element, &builder) { hasValue = true }
            }
            return hasValue
        }
        guard !row.isNull(origin.rowSlot) else { return false }
        if slot.isExternal != origin.isExternal {
            let column = row.data(origin.rowSlot)
            builder.set(
                slot.rowSlot,
                data: slot.isExternal
                    ? ExternalData.column(column) : try ExternalData.data(column, reading: externalData))
        } else {
            builder.copy(origin.rowSlot, from: row, to: slot.rowSlot, hasBytes: slot.kind.hasBytes)
        }
        return true
    }

    /// Copies where a to-one relationship leads; false when that is nowhere, or to an entity that is gone.
    private func link(
        _ row: Row, _ origin: PropertySlot, _ slot: PropertySlot, _ builder: inout RowBuilder
    ) throws -> Bool {
        guard origin.kind == .toOne, !row.isNull(origin.rowSlot),
            let storedEntity = row.destinationStoredEntity(origin, old.store),
            let step = plan.step(ofSource: storedEntity.entityNumber)
        else { return false }
        builder.set(slot.rowSlot, integer: try step.reference(row.integer(origin.rowSlot)))
        if slot.entitySlot >= 0 {
            builder.set(slot.entitySlot, integer: Int64(step.destination.number))
        }
        return true
    }

    private func checkMayBeMissing(
        _ slot: PropertySlot, _ initial: SlotValue, _ row: Row, _ step: MigrationPlan.Step
    ) throws {
        guard !slot.isDerived, !slot.property.isOptional, slot.kind != .composite else { return }
        if slot.attribute != nil, case .null = initial {} else if slot.attribute != nil { return }
        let id = NSManagedObjectID(storedEntity: step.source.storedEntity, reference: row.reference)
        let cause = NSError.coreData(
            .validationMissingMandatoryProperty,
            """
            '\(slot.name)' of entity '\(step.destination.storedEntity.entity.name ?? "")' must have a value, and \
            \(id.uriRepresentation().absoluteString) has none for it.
            """, [NSValidationKeyErrorKey: slot.name])
        throw NSError.migration(cause.localizedDescription, cause)
    }

    // MARK: Links

    /// The relationships of an entity whose links, or their order, are outside of its rows and of its destinations'.
    private func linkSlots(_ step: MigrationPlan.Step) -> [Int] {
        let layout = step.destination.storedEntity.layout
        return layout.toManyIndexes.filter { slot in
            guard step.origins[slot] != nil, let relationship = layout.slots[slot].relationship else {
                return false
            }
            return relationship.keepsOwnLinks || layout.slots[slot].isOrdered
        }
    }

    private func addLinks(_ slot: Int, _ rows: [Row], _ step: MigrationPlan.Step, _ unit: inout UnitOfWork)
        throws
    {
        let info = step.destination.storedEntity.layout.slots[slot]
        guard let relationship = info.relationship, let origin = step.origins[slot] else { return }
        let found = try destinations(origin, rows)
        for row in rows {
            let owner = ObjectKey(
                table: step.destination.storedEntity.table, reference: try step.reference(row.reference))
            let destinations = try found[row.reference, default: []].compactMap { key -> ObjectKey? in
                guard let other = plan.step(ofSource: key.entityNumber) else { return nil }
                return ObjectKey(
                    table: other.destination.storedEntity.table, reference: try other.reference(key.reference)
                )
            }
            if relationship.keepsOwnLinks {
                unit.addedLinks += destinations.map {
                    .init(relationship: relationship, owner: owner, destination: $0)
                }
            }
            if info.isOrdered, !destinations.isEmpty {
                unit.orders.append(
                    .init(relationship: relationship, owner: owner, destinations: destinations))
            }
        }
    }

    /// Where a relationship of the old model leads.
    private func destinations(
        _ origin: PropertySlot, _ rows: [Row]
    ) throws -> [Int64: [(entityNumber: Int32, reference: Int64)]] {
        guard let relationship = origin.relationship else { return [:] }
        if origin.kind == .toMany {
            return try old.destinations(of: relationship, owners: rows.map(\.reference))
        }
        var found: [Int64: [(entityNumber: Int32, reference: Int64)]] = [:]
        for row in rows where !row.isNull(origin.rowSlot) {
            guard let storedEntity = row.destinationStoredEntity(origin, old.store) else { continue }
            found[row.reference] = [(storedEntity.entityNumber, row.integer(origin.rowSlot))]
        }
        return found
    }
}
