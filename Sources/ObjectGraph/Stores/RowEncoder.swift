import Foundation
import ManagedObjectModel

/// Finds the stores of the destinations of links: what a save writes to one store.
protocol LinkDestinations: AnyObject {
    /// The entity binding of a destination, which a new object gets from the save.
    ///
    /// - Throws: 133010 when that is another store; 1550 when the deletion of the destination was saved.
    func destinationStoredEntity(
        of object: NSManagedObject, _ relationship: NSRelationshipDescription
    ) throws -> StoredEntity
}

/// Packs the values of objects into the rows that a save writes.
struct RowEncoder: ~Copyable {
    private var builder: RowBuilder

    /// - Parameters:
    ///   - byteLimit: the bytes that the strings and data of one object may take together.
    ///   - sharingBlocks: whether the rows are those of one save.
    init(byteLimit: Int = RowBuilder.maxBytes, sharingBlocks: Bool = false) {
        builder = RowBuilder(byteLimit: byteLimit, sharingBlocks: sharingBlocks)
    }

    /// Makes the blocks of the next rows so small that an allocator finds room for them where others have left so many bytes.
    mutating func fitBlocks(into bytes: Int) { builder.fitBlocks(into: bytes) }

    /// The row of an object as it is now. To-one references below zero stand for objects of the same save.
    ///
    /// - Parameter links: the save; nil for a row that is not written but passed to other contexts.
    /// - Throws: 134060 when a transformer refuses a value; 133010 for a destination in another store; 1550 when the values
    ///   take more bytes than a row can have.
    mutating func row(
        _ object: NSManagedObject, _ storedEntity: StoredEntity, _ links: (any LinkDestinations)?,
        timestamp: Double,
        version: Int64
    ) throws -> Row {
        if object.rowPointer == nil, let row = rowOfNumbers(object, storedEntity, timestamp, version) {
            return row
        }
        let layout = storedEntity.layout
        let (old, touched) = (object.row, object.touched)
        if let old, old.entityNumber == storedEntity.entityNumber, old.reference == object.reference,
            old.slotCount == layout.rowSlotCount, hasPlainChanges(object, touched)
        {
            return builder.copy(old, version: version, timestamp: timestamp) { row in
                for slot in touched {
                    let traits = object.traits(at: slot)
                    guard traits.isStored, slot < object.values.count else { continue }
                    switch object.values[slot] {
                    case .integer(let number): row.set(traits.rowSlot, UInt64(bitPattern: number))
                    case .double(let number): row.set(traits.rowSlot, number.bitPattern)
                    case .null: row.setNull(traits.rowSlot)
                    default: break
                    }
                }
            }
        }
        builder.begin(slotCount: layout.rowSlotCount)
        // A transformer can run code that sets values of the object: it would not change this list.
        let values = object.values
        try values.withUnsafeBufferPointer { values in
            try layout.traits.withUnsafeBufferPointer { traits in
                for slot in traits.indices {
                    let traits = traits[slot]
                    guard traits.isStored, traits.kind != .toMany else { continue }
                    let isSet = slot < values.count && !values[slot].isUnloaded
                    if let old, !(isSet && touched.contains(slot)) {
                        // An unset value keeps its bytes, also those of an archive that was refused.
                        if traits.kind == .composite || traits.kind == .toOne {
                            builder.copy(layout.slots[slot], from: old)
                        } else {
                            builder.copy(traits.rowSlot, from: old, hasBytes: traits.kind.hasBytes)
                        }
                    } else if isSet {
                        switch values[slot] {
                        case .integer(let number): builder.set(traits.rowSlot, integer: number)
                        case .double(let number): builder.set(traits.rowSlot, double: number)
                        case .string(let text): builder.set(traits.rowSlot, string: text)
                        case .null: break
                        case let value: try set(value, layout.slots[slot], links)
                        }
                    }
                }
            }
        }
        do throws(RowTooLarge) {
            return try builder.finish(
                reference: object.reference, version: version, entityNumber: storedEntity.entityNumber,
                timestamp: timestamp)
        } catch {
            throw error.error(layout, object)
        }
    }

    /// The row of a new object whose values are numbers, set in place; nil if there are others.
    @inline(__always)
    private mutating func rowOfNumbers(
        _ object: NSManagedObject, _ storedEntity: StoredEntity, _ timestamp: Double, _ version: Int64
    ) -> Row? {
        storedEntity.layoutPointer._withUnsafeGuaranteedRef { layout in
            guard layout.hasNumbersAlone else { return nil }
            return object.values.withUnsafeBufferPointer { values in
                guard values.allSatisfy({ $0.isNumberOrNone }) else { return nil }
                let place = builder.putNumbers(
                    reference: object.reference, version: version, entityNumber: storedEntity.entityNumber,
                    timestamp: timestamp, slotCount: layout.rowSlotCount
                ) { row in
                    layout.traits.withUnsafeBufferPointer { traits in
                        for slot in 0..<min(values.count, traits.count) {
                            switch values[slot] {
                            case .integer(let number): row.set(traits[slot].rowSlot, integer: number)
                            case .double(let number): row.set(traits[slot].rowSlot, double: number)
                            default: break
                            }
                        }
                    }
                }
                return builder.row(at: place)
            }
        }
    }

    /// Whether all stored values that were set are numbers, which a row has in place: the bytes of the others stay as they are.
    private func hasPlainChanges(_ object: NSManagedObject, _ touched: PropertySet) -> Bool {
        for slot in touched where slot < object.values.count {
            let traits = object.traits(at: slot)
            guard traits.isStored, traits.kind != .toMany else { continue }
            switch object.values[slot] {
            case .unloaded: continue
            case .integer: guard traits.kind.isWholeNumber else { return false }
            case .double: guard traits.kind.isReal else { return false }
            case .null: guard traits.kind.isWholeNumber || traits.kind.isReal else { return false }
            default: return false
            }
        }
        return true
    }

    private mutating func set(_ value: SlotValue, _ info: PropertySlot, _ links: (any LinkDestinations)?)
        throws
    {
        let slot = info.rowSlot
        switch value {
        case .object(let destination):
            guard let relationship = info.relationship, !destination.isDeleted else { break }
            let storedEntity =
                try links?.destinationStoredEntity(of: destination, relationship) ?? destination.storedEntity
            builder.set(slot, integer: destination.reference)
            if info.entitySlot >= 0 {
                builder.set(info.entitySlot, integer: Int64(storedEntity.entityNumber))
            }
        default: try builder.set(value, info)
        }
    }
}

extension RowBuilder {
    /// Copies a row's value of a property unchanged.
    package mutating func copy(_ info: PropertySlot, from old: Row) {
        for element in info.elements { copy(element, from: old) }
        copy(info.rowSlot, from: old, hasBytes: info.kind.hasBytes)
        if info.entitySlot >= 0 { copy(info.entitySlot, from: old, hasBytes: false) }
    }

    /// Sets the value of an attribute.
    ///
    /// - Throws: 134060 when a transformer refuses a value.
    package mutating func set(_ value: SlotValue, _ info: PropertySlot) throws {
        let slot = info.rowSlot
        switch value {
        case .unloaded, .null, .toMany, .object: break
        case .integer(let value): set(slot, integer: value)
        case .double(let value): set(slot, double: value)
        case .string(let value): set(slot, string: value)
        case .data(let value): set(slot, data: info.isExternal ? ExternalData.column(value) : value)
        case .uuid(let value): set(slot, uuid: value)
        case .url(let value): set(slot, string: value.absoluteString)
        case .decimal(let value): set(slot, decimal: value)
        case .boxed(let box):
            if info.kind == .composite {
                try set(composite: box.value, info)
            } else if info.kind == .transformable {
                set(slot, data: try TransformableValue.encode(box.value, info))
            }
        }
    }

    private mutating func set(composite: Any, _ info: PropertySlot) throws {
        guard let dictionary = composite as? [String: Any] else { return }
        for element in info.elements {
            guard let value = dictionary[element.name] else { continue }
            try set(try SlotValue(value, for: element), element)
        }
    }
}

extension SlotValue {
    /// Whether this is a number, or none that was set.
    @inline(__always)
    fileprivate var isNumberOrNone: Bool {
        switch self {
        case .integer, .double, .null, .unloaded: true
        default: false
        }
    }
}
