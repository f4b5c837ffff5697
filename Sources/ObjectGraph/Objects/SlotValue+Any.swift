import CocoaFoundation
import Foundation
import ManagedObjectModel

// Between slots and the values of key-value coding, whose types are Apple's: NSNumber for numbers and Booleans,
// String, Date, Data, UUID, URL, NSDecimalNumber, NSSet, NSOrderedSet, NSManagedObject. Swift casts an NSNumber to
// every number type that holds its value, so `value(forKey:) as? Int32` works.

extension SlotValue {
    /// The value as key-value coding returns it; nil for none.
    package func anyValue(_ kind: SlotKind) -> Any? {
        switch self {
        case .unloaded, .null: return nil
        case .integer(let value):
            switch kind {
            case .boolean: return NSNumber(value: value != 0)
            case .integer16: return NSNumber(value: Int16(truncatingIfNeeded: value))
            case .integer32: return NSNumber(value: Int32(truncatingIfNeeded: value))
            default: return NSNumber(value: value)
            }
        case .double(let value):
            switch kind {
            case .date: return Date(timeIntervalSinceReferenceDate: value)
            case .float: return NSNumber(value: Float(value))
            default: return NSNumber(value: value)
            }
        case .string(let value): return value
        case .data(let value): return value
        case .uuid(let value): return value
        case .url(let value): return value
        case .decimal(let value): return NSDecimalNumber(decimal: value)
        case .object(let value): return value
        case .toMany(let contents):
            return contents.isOrdered
                ? NSOrderedSet(array: contents.order) as Any : NSSet.distinct(contents.ordered) as Any
        case .boxed(let box): return box.value
        }
    }

    /// Converts a value of key-value coding for an attribute.
    ///
    /// - Parameter object: the object that gets the value, for the error.
    /// - Throws: 1550 (`NSManagedObjectValidationError`) when the type does not fit the attribute.
    package init(_ any: Any, for slot: PropertySlot, of object: NSManagedObject? = nil) throws {
        if CocoaFoundation.isNull(any) {
            self = .null
            return
        }
        guard let value = SlotValue(matching: any, slot) else {
            var details: [String: Any] = [NSValidationKeyErrorKey: slot.name, NSValidationValueErrorKey: any]
            details[NSValidationObjectErrorKey] = object
            throw NSError.coreData(
                .managedObjectValidation,
                """
                Unacceptable type of value for attribute: property = "\(slot.name)"; desired type = \
                \(slot.attribute?.attributeValueClassName ?? "\(slot.kind)"); given type = \(type(of: any)); \
                value = \(any).
                """, details)
        }
        self = value
    }

    private init?(matching any: Any, _ slot: PropertySlot) {
        switch slot.kind {
        case .integer16, .integer32, .integer64:
            guard let value = wholeNumber(any), slot.kind.integerRange.contains(value) else { return nil }
            self = .integer(value)
        case .boolean:
            if let value = any as? Bool {
                self = .integer(value ? 1 : 0)
            } else if let value = wholeNumber(any) {
                self = .integer(value == 0 ? 0 : 1)
            } else {
                return nil
            }
        case .double:
            guard let value = realNumber(any) else { return nil }
            self = .double(value)
        case .float:
            guard let value = realNumber(any) else { return nil }
            self = .double(Double(Float(value)))
        case .date:
            guard let value = any as? Date else { return nil }
            self = .double(value.timeIntervalSinceReferenceDate)
        case .decimal:
            guard let value = decimalNumber(any) else { return nil }
            self = .decimal(value)
        case .string:
            guard let value = any as? String else { return nil }
            self = .string(value)
        case .uri:
            guard let value = any as? URL else { return nil }
            self = .url(value)
        case .uuid:
            guard let value = any as? UUID else { return nil }
            self = .uuid(value)
        case .binary:
            guard let value = any as? Data else { return nil }
            self = .data(value)
        case .composite:
            guard let value = any as? [String: Any] else { return nil }
            var elements: [String: Any] = [:]
            for (key, value) in value where !(value is NSNull) {
                guard let element = slot.elements.first(where: { $0.name == key }),
                    let held = SlotValue(matching: value, element)
                else { return nil }
                elements[key] = held.anyValue(element.kind)
            }
            self = elements.isEmpty ? .null : .boxed(ValueBox(elements))
        case .transformable, .undefined:
            self = .boxed(ValueBox(any))
        case .toOne, .toMany, .fetched:
            return nil
        }
    }
}

extension SlotKind {
    /// The values an integer attribute can hold.
    package var integerRange: ClosedRange<Int64> {
        switch self {
        case .integer16: Int64(Int16.min)...Int64(Int16.max)
        case .integer32: Int64(Int32.min)...Int64(Int32.max)
        default: Int64.min...Int64.max
        }
    }
}

private func wholeNumber(_ any: Any) -> Int64? {
    switch any {
    case let value as Int: return Int64(value)
    case let value as any BinaryInteger: return Int64(exactly: value)
    case let value as Bool: return value ? 1 : 0
    case let value as NSNumber: return Int64(exactly: value.doubleValue) == nil ? nil : value.int64Value
    case let value as Double: return Int64(exactly: value)
    default: return nil
    }
}

private func realNumber(_ any: Any) -> Double? {
    switch any {
    case let value as Double: value
    case let value as Float: Double(value)
    case let value as any BinaryInteger: Double(value)
    case let value as NSNumber: value.doubleValue
    case let value as Decimal: NSDecimalNumber(decimal: value).doubleValue
    default: nil
    }
}

private func decimalNumber(_ any: Any) -> Decimal? {
    switch any {
    case let value as Decimal: value
    case let value as NSDecimalNumber: value.decimalValue
    case let value as any BinaryInteger: Decimal(string: "\(value)")
    case let value as Double: value.isFinite ? Decimal(string: "\(value)") : nil
    case let value as NSNumber: value.decimalValue
    default: nil
    }
}

extension NSSet {
    /// A set of objects, each of which is given once. A set made of a Swift set or array would put each object into a box first,
    /// and hash it twice.
    static func distinct(_ objects: [NSManagedObject]) -> NSSet {
        objects.withUnsafeBufferPointer { objects in
            guard let first = objects.baseAddress else { return NSSet() }
            // A reference to an object of a class is one to an object of any class.
            return first.withMemoryRebound(to: AnyObject.self, capacity: objects.count) {
                NSSet(objects: $0, count: objects.count)
            }
        }
    }
}
