import ObjectGraph
import Foundation
import ManagedObjectModel

/// A row of a batch before it is written, and which of its values were given.
struct BatchRow {
    var row: Row
    var given: PropertySet
}

/// Packs values that belong to no object of a context into rows of one entity.
struct BatchRowEncoder: ~Copyable {
    private let storedEntity: StoredEntity
    private var builder = RowBuilder()
    private var layout: EntityLayout { storedEntity.layout }

    init(_ storedEntity: StoredEntity) { self.storedEntity = storedEntity }

    /// The row of a new object with default values where none are given.
    ///
    /// - Throws: 134060 for a name that is not a property, or a property that a batch cannot set; 1550 for a value of another
    ///   type; 1570 for a missing one.
    mutating func row(_ given: some Sequence<(key: String, value: Any)>) throws -> BatchRow {
        try row(given, over: layout.initialValues) { _, _ in true }
    }

    /// A row with the given values alone.
    ///
    /// - Throws: as `row(_:)`.
    mutating func row(setting given: some Sequence<(key: String, value: Any)>) throws -> BatchRow {
        let none = ContiguousArray(repeating: SlotValue.null, count: layout.slots.count)
        return try row(given, over: none) { $0.contains($1) }
    }

    private mutating func row(
        _ given: some Sequence<(key: String, value: Any)>, over initialValues: ContiguousArray<SlotValue>,
        checking isChecked: (PropertySet, Int) -> Bool
    ) throws -> BatchRow {
        var values = initialValues
        var set = PropertySet()
        var links: [(slot: Int, destination: NSManagedObjectID)] = []
        for (name, value) in given {
            guard let slot = layout.index(of: name) else {
                throw refusal(name, "is not a property of the entity")
            }
            let info = layout.slots[slot]
            try checkIsSettable(info)
            set.insert(slot)
            if info.kind == .toOne {
                if let destination = try destination(value, info) { links.append((slot, destination)) }
            } else {
                values[slot] = try SlotValue(value, for: info)
            }
        }
        try checkIsComplete(values) { isChecked(set, $0) }
        return BatchRow(row: try pack(values, links), given: set)
    }

    /// The row of an object that a handler filled in.
    ///
    /// - Throws: as `row(_:)`.
    mutating func row(_ object: NSManagedObject) throws -> BatchRow {
        for slot in object.touched where layout.slots[slot].isStored {
            try checkIsSettable(layout.slots[slot])
        }
        try checkIsComplete(object.values) { _ in true }
        return BatchRow(row: try pack(object.values, []), given: object.touched)
    }

    /// One row of the entity overlaid with the given values of another.
    ///
    /// - Throws: 1550 when the values take more bytes than a row can have.
    mutating func merge(_ new: BatchRow, over old: Row) throws -> Row {
        builder.begin(slotCount: layout.rowSlotCount)
        for slot in layout.slots.indices {
            let info = layout.slots[slot]
            guard info.isStored, info.kind != .toMany else { continue }
            builder.copy(info, from: new.given.contains(slot) ? new.row : old)
        }
        return try finish(
            reference: old.reference, version: old.version &+ 1, entityNumber: old.entityNumber,
            timestamp: Date.timeIntervalSinceReferenceDate)
    }

    /// The ID that a value of a to-one relationship stands for; nil for none.
    ///
    /// - Throws: 134060 for anything but an object, or its ID, of the relationship's entity in the same store.
    private func destination(_ value: Any, _ info: PropertySlot) throws -> NSManagedObjectID? {
        if value is NSNull { return nil }
        let id = value as? NSManagedObjectID ?? (value as? NSManagedObject)?.objectID
        guard let id, !id.storedEntity.isTemporary, id.storedEntity.store === storedEntity.store,
            let entity = info.relationship?.destinationEntity, id.entity.isKindOf(entity: entity)
        else {
            throw refusal(
                info.name,
                "takes a saved object of entity '\(info.relationship?.destinationEntity?.name ?? "")' in the same store, or its ID, not \(value)"
            )
        }
        return id
    }

    private func checkIsSettable(_ info: PropertySlot) throws {
        if info.kind == .toMany { throw refusal(info.name, "is a to-many relationship") }
        if let inverse = info.relationship?.inverseRelationship, !inverse.isToMany || inverse.isOrdered {
            throw refusal(info.name, "has an inverse, '\(inverse.name)', that is stored in other rows")
        }
        if info.isDerived { throw refusal(info.name, "is derived") }
        if !info.isStored { throw refusal(info.name, "is transient") }
    }

    private func checkIsComplete(
        _ values: ContiguousArray<SlotValue>, _ isChecked: (Int) -> Bool
    ) throws {
        for slot in layout.slots.indices where isChecked(slot) {
            let info = layout.slots[slot]
            guard info.isStored, !info.isDerived, let attribute = info.attribute, !attribute.isOptional,
                case .null = values[slot]
            else { continue }
            throw NSError.coreData(
                .validationMissingMandatoryProperty,
                "A batch cannot leave '\(info.name)' of entity '\(storedEntity.entity.name ?? "")' without a value.",
                [NSValidationKeyErrorKey: info.name])
        }
    }

    private func refusal(_ name: String, _ what: String) -> NSError {
        .coreData(
            .coreData,
            "A batch cannot set '\(name)' of entity '\(storedEntity.entity.name ?? "")': it \(what).",
            [NSValidationKeyErrorKey: name])
    }

    private mutating func pack(
        _ values: ContiguousArray<SlotValue>, _ links: [(slot: Int, destination: NSManagedObjectID)]
    ) throws -> Row {
        builder.begin(slotCount: layout.rowSlotCount)
        for slot in layout.slots.indices {
            let info = layout.slots[slot]
            if info.isStored, info.attribute != nil { try builder.set(values[slot], info) }
        }
        for (slot, destination) in links {
            let info = layout.slots[slot]
            builder.set(info.rowSlot, integer: destination.reference)
            if info.entitySlot >= 0 {
                builder.set(info.entitySlot, integer: Int64(destination.storedEntity.entityNumber))
            }
        }
        return try finish(
            reference: StoredEntity.newTemporaryReference(), version: 1,
            entityNumber: storedEntity.entityNumber,
            timestamp: Date.timeIntervalSinceReferenceDate)
    }

    private mutating func finish(
        reference: Int64, version: Int64, entityNumber: Int32, timestamp: Double
    ) throws -> Row {
        do throws(RowTooLarge) {
            return try builder.finish(
                reference: reference, version: version, entityNumber: entityNumber, timestamp: timestamp)
        } catch {
            throw error.error(layout)
        }
    }
}
