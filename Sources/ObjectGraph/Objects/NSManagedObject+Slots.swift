import CocoaFoundation
import Foundation
import ManagedObjectModel

// Reading slots: the value set or decoded last, else the row's.
extension NSManagedObject {
    /// Reads an integer or Boolean; nil for no value. The object is not a fault.
    @inline(__always)
    final func integer(at slot: Int) -> Int64? {
        if slot < values.count {
            switch values[slot] {
            case .integer(let value): return value
            case .unloaded: break
            default: return nil
            }
        }
        return rowPointer.flatMap { $0.isNull(slot) ? nil : $0.integer(slot) }
    }

    /// The same with 0 for no value, which a row's slot then has.
    @inline(__always)
    final func integerOrZero(at slot: Int) -> Int64 {
        if slot < values.count {
            switch values[slot] {
            case .integer(let value): return value
            case .unloaded: break
            default: return 0
            }
        }
        return rowPointer.map { Int64(bitPattern: $0.numberOrZero(slot)) } ?? 0
    }

    /// Reads a double, float or date.
    @inline(__always)
    final func double(at slot: Int) -> Double? {
        if slot < values.count {
            switch values[slot] {
            case .double(let value): return value
            case .unloaded: break
            default: return nil
            }
        }
        return rowPointer.flatMap { $0.isNull(slot) ? nil : $0.double(slot) }
    }

    /// The same with 0 for no value, which a row's slot then has.
    @inline(__always)
    final func doubleOrZero(at slot: Int) -> Double {
        if slot < values.count {
            switch values[slot] {
            case .double(let value): return value
            case .unloaded: break
            default: return 0
            }
        }
        return rowPointer.map { Double(bitPattern: $0.numberOrZero(slot)) } ?? 0
    }

    /// Reads a UUID; nil for no value, and for one that is not a UUID.
    @inline(__always)
    final func uuid(at slot: Int) -> UUID? {
        if slot < values.count {
            switch values[slot] {
            case .uuid(let value): return value
            case .unloaded: break
            default: return nil
            }
        }
        let traits = traits(at: slot)
        guard traits.kind == .uuid, traits.isStored else { return nil }
        return rowPointer.flatMap { $0.isNull(slot) ? nil : $0.uuid(slot) }
    }

    /// Reads a string; nil for no value, and for one that is not a string.
    @inline(__always)
    final func string(at slot: Int) -> String? {
        if slot < values.count, case .string(let value) = values[slot] { return value }
        return decodedString(at: slot)
    }

    private final func decodedString(at slot: Int) -> String? {
        if let string = firstReadString(at: slot) { return string }
        return switch value(at: slot) {
        case .string(let value): value
        case .boxed(let box): box.value as? String
        default: nil
        }
    }

    /// A string that is read for the first time; nil for any other value.
    ///
    /// It is kept when it is read again. Most are read once, and the array of kept values takes more memory than the object.
    private final func firstReadString(at slot: Int) -> String? {
        guard values.isEmpty, slot < UInt32.bitWidth, let rowPointer else { return nil }
        let bit = UInt32(1) << UInt32(slot)
        let traits = traits(at: slot)
        guard stringsRead & bit == 0, traits.kind == .string, traits.isStored else { return nil }
        stringsRead |= bit
        return rowPointer.isNull(slot) ? nil : rowPointer.string(slot)
    }

    /// Reads any slot, and keeps values that are expensive to decode. The object is not a fault.
    final func value(at slot: Int) -> SlotValue {
        if slot < values.count {
            let value = values[slot]
            if !value.isUnloaded { return value }
        }
        let info = layout.slots[slot]
        switch info.kind {
        case .toOne:
            // A fault that could not be loaded has no values.
            return row == nil && state.contains(.fault) ? .null : keep(loadToOne(slot), at: slot)
        case .toMany: return .toMany(toMany(at: slot))
        case .fetched:
            let found = loadFetchedProperty(slot).map { keep($0, at: slot) }
            return found ?? .boxed(ValueBox([NSManagedObject]()))
        default: break
        }
        guard let row, info.isStored else { return .null }
        if info.kind == .composite { return keep(row.composite(info), at: slot) }
        guard !row.isNull(slot) else { return .null }
        switch info.kind {
        case .integer16, .integer32, .integer64, .boolean: return .integer(row.integer(slot))
        case .double, .float, .date: return .double(row.double(slot))
        case .uuid: return .uuid(row.uuid(slot))
        case .decimal: return .decimal(row.decimal(slot))
        case .string: return keep(.string(row.string(slot)), at: slot)
        default: return stored(row, slot, info).map { keep($0, at: slot) } ?? .null
        }
    }

    private func keep(_ value: SlotValue, at slot: Int) -> SlotValue {
        ensureValues()
        values[slot] = value
        return value
    }

    /// Makes room for set and decoded values.
    final func ensureValues() {
        if values.isEmpty { values = ContiguousArray(repeating: .unloaded, count: layout.slots.count) }
    }

    /// The contents of a to-many relationship, loaded or not.
    final func toMany(at slot: Int) -> ToManyContents {
        if slot < values.count, case .toMany(let contents) = values[slot] { return contents }
        // A new object, or one without a context, has no stored destinations.
        let contents = ToManyContents(
            isOrdered: layout.slots[slot].isOrdered,
            isLoaded: isUnknownBelow || layout.slots[slot].isTransient)
        ensureValues()
        values[slot] = .toMany(contents)
        return contents
    }

    /// The contents of a to-many relationship with its members; without them if the store cannot be read.
    final func loadedToMany(at slot: Int) -> ToManyContents {
        let contents = toMany(at: slot)
        guard !contents.isLoaded else { return contents }
        if let context {
            context.storedDestinations(of: self, slot).map(contents.load)
        } else {
            contents.load([])
        }
        return contents
    }

    private func loadToOne(_ slot: Int) -> SlotValue {
        guard let row, !row.isNull(slot), let context, layout.slots[slot].isStored else { return .null }
        return context.destination(of: self, slot, row).map(SlotValue.object) ?? .null
    }

    /// Nil when it cannot be fetched.
    private func loadFetchedProperty(_ slot: Int) -> SlotValue? {
        guard let context else { return .boxed(ValueBox([NSManagedObject]())) }
        return context.fetchedPropertyValue(of: self, slot).map { .boxed(ValueBox($0)) }
    }
}

extension Row {
    /// Decodes a slot; one of a composite has its elements elsewhere.
    func value(_ slot: Int, _ info: PropertySlot) -> SlotValue {
        if info.kind == .composite { return composite(info) }
        guard !isNull(slot) else { return .null }
        switch info.kind {
        case .integer16, .integer32, .integer64, .boolean: return .integer(integer(slot))
        case .double, .float, .date: return .double(double(slot))
        case .decimal: return .decimal(decimal(slot))
        case .string: return .string(string(slot))
        case .uri: return URL(string: string(slot)).map(SlotValue.url) ?? .null
        case .uuid: return .uuid(uuid(slot))
        case .binary: return .data(data(slot))
        case .transformable: return TransformableValue.decode(data(slot), info)
        case .composite, .undefined, .toOne, .toMany, .fetched: return .null
        }
    }

    /// The dictionary of a composite attribute: its elements that have a value, by name; null when none has.
    func composite(_ info: PropertySlot) -> SlotValue {
        var dictionary: [String: Any] = [:]
        for element in info.elements {
            if let any = value(element.rowSlot, element).anyValue(element.kind) {
                dictionary[element.name] = any
            }
        }
        return dictionary.isEmpty ? .null : .boxed(ValueBox(dictionary))
    }
}
