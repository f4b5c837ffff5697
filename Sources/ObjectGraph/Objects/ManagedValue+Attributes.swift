import CocoaFoundation
import Foundation
import ManagedObjectModel

// The Swift types of attributes. Reading a number that does not fit the accessor's type returns its low bits, as NSNumber does;
// setting one that does not fit the attribute stops with a message.

extension ManagedComponent where Self: FixedWidthInteger {
    /// The value of the property; nil for none.
    public static func _component(_ object: NSManagedObject, _ slot: Int) -> Self? {
        object.integer(at: slot).map { Self(truncatingIfNeeded: $0) }
    }

    /// The value that the property reads as while it is unset.
    public static var _placeholder: Self? { 0 }

    /// The value as the object keeps it.
    public func _slotValue(_ slot: Int, _ object: NSManagedObject) -> _SlotValue {
        object.checkedSlot(.integer(Int64(truncatingIfNeeded: self)), NSNumber(value: Int64(self)), slot) {
            $0.isWholeNumber && $0.integerRange.contains(Int64(self))
        }
    }
}

extension Int: ManagedComponent {}
extension Int16: ManagedComponent {}
extension Int32: ManagedComponent {}
extension Int64: ManagedComponent {}

extension Bool: ManagedComponent {
    /// The value of the property; nil for none.
    public static func _component(_ object: NSManagedObject, _ slot: Int) -> Bool? {
        object.integer(at: slot).map { $0 != 0 }
    }

    /// The value that the property reads as while it is unset.
    public static var _placeholder: Bool? { false }

    /// The value as the object keeps it.
    public func _slotValue(_ slot: Int, _ object: NSManagedObject) -> _SlotValue {
        object.checkedSlot(.integer(self ? 1 : 0), self, slot, \.isWholeNumber)
    }
}

extension Double: ManagedComponent {
    /// The value of the property; nil for none.
    public static func _component(_ object: NSManagedObject, _ slot: Int) -> Double? {
        object.double(at: slot)
    }

    /// The value that the property reads as while it is unset.
    public static var _placeholder: Double? { 0 }

    /// The value as the object keeps it.
    public func _slotValue(_ slot: Int, _ object: NSManagedObject) -> _SlotValue {
        let kept = object.layout.slots[slot].kind == .float ? Double(Float(self)) : self
        // The scalar form of a date: seconds since 2001, as Apple's accessors of the type TimeInterval have it.
        return object.checkedSlot(.double(kept), self, slot) { $0.isRealNumber || $0 == .date }
    }
}

extension Float: ManagedComponent {
    /// The value of the property; nil for none.
    public static func _component(_ object: NSManagedObject, _ slot: Int) -> Float? {
        object.double(at: slot).map { Float($0) }
    }

    /// The value that the property reads as while it is unset.
    public static var _placeholder: Float? { 0 }

    /// The value as the object keeps it.
    public func _slotValue(_ slot: Int, _ object: NSManagedObject) -> _SlotValue {
        object.checkedSlot(.double(Double(self)), self, slot, \.isRealNumber)
    }
}

extension Date: ManagedComponent {
    /// The value of the property; nil for none.
    public static func _component(_ object: NSManagedObject, _ slot: Int) -> Date? {
        object.double(at: slot).map { Date(timeIntervalSinceReferenceDate: $0) }
    }

    /// The value that the property reads as while it is unset.
    public static var _placeholder: Date? { nil }

    /// The value as the object keeps it.
    public func _slotValue(_ slot: Int, _ object: NSManagedObject) -> _SlotValue {
        object.checkedSlot(.double(timeIntervalSinceReferenceDate), self, slot) { $0 == .date }
    }
}

extension String: ManagedComponent {
    /// The value of the property; nil for none.
    public static func _component(_ object: NSManagedObject, _ slot: Int) -> String? {
        object.string(at: slot)
    }

    /// The value that the property reads as while it is unset.
    public static var _placeholder: String? { "" }

    /// The value as the object keeps it.
    public func _slotValue(_ slot: Int, _ object: NSManagedObject) -> _SlotValue {
        object.checkedSlot(.string(self), self, slot) { $0 == .string }
    }
}

extension Data: ManagedComponent {
    /// The value of the property; nil for none.
    public static func _component(_ object: NSManagedObject, _ slot: Int) -> Data? {
        switch object.value(at: slot) {
        case .data(let value): value
        case .boxed(let box): box.value as? Data
        default: nil
        }
    }

    /// The value that the property reads as while it is unset.
    public static var _placeholder: Data? { Data() }

    /// The value as the object keeps it.
    public func _slotValue(_ slot: Int, _ object: NSManagedObject) -> _SlotValue {
        object.checkedSlot(.data(self), self, slot) { $0 == .binary }
    }
}

extension UUID: ManagedComponent {
    /// The value of the property; nil for none.
    public static func _component(_ object: NSManagedObject, _ slot: Int) -> UUID? {
        if case .uuid(let value) = object.value(at: slot) { return value }
        return nil
    }

    /// The value that the property reads as while it is unset.
    public static var _placeholder: UUID? { nil }

    /// The value as the object keeps it.
    public func _slotValue(_ slot: Int, _ object: NSManagedObject) -> _SlotValue {
        object.checkedSlot(.uuid(self), self, slot) { $0 == .uuid }
    }
}

extension URL: ManagedComponent {
    /// The value of the property; nil for none.
    public static func _component(_ object: NSManagedObject, _ slot: Int) -> URL? {
        if case .url(let value) = object.value(at: slot) { return value }
        return nil
    }

    /// The value that the property reads as while it is unset.
    public static var _placeholder: URL? { nil }

    /// The value as the object keeps it.
    public func _slotValue(_ slot: Int, _ object: NSManagedObject) -> _SlotValue {
        object.checkedSlot(.url(self), self, slot) { $0 == .uri }
    }
}

extension Decimal: ManagedComponent {
    /// The value of the property; nil for none.
    public static func _component(_ object: NSManagedObject, _ slot: Int) -> Decimal? {
        if case .decimal(let value) = object.value(at: slot) { return value }
        return nil
    }

    /// The value that the property reads as while it is unset.
    public static var _placeholder: Decimal? { 0 }

    /// The value as the object keeps it.
    public func _slotValue(_ slot: Int, _ object: NSManagedObject) -> _SlotValue {
        object.checkedSlot(.decimal(self), self, slot) { $0 == .decimal }
    }
}

/// Values that Swift has as classes or dictionaries: numbers as `NSNumber`, decimals as `NSDecimalNumber`,
/// transformed objects, composites. They go through key-value coding's types.
extension ManagedComponent where Self: NSObject {
    /// The value of the property; nil for none.
    public static func _component(_ object: NSManagedObject, _ slot: Int) -> Self? {
        object.anyValue(at: slot) as? Self
    }

    /// The value that the property reads as while it is unset.
    public static var _placeholder: Self? { nil }

    /// The value as the object keeps it.
    public func _slotValue(_ slot: Int, _ object: NSManagedObject) -> _SlotValue {
        object.slotFromAny(self, slot)
    }
}

extension NSNumber: ManagedComponent {}
extension NSString: ManagedComponent {}
extension NSData: ManagedComponent {}
extension NSDate: ManagedComponent {}
extension NSArray: ManagedComponent {}
extension NSDictionary: ManagedComponent {}

extension Dictionary: ManagedValue where Key == String {}

extension Dictionary: ManagedComponent where Key == String {
    /// The value of the property; nil for none.
    public static func _component(_ object: NSManagedObject, _ slot: Int) -> [String: Value]? {
        object.anyValue(at: slot) as? [String: Value]
    }

    /// The value that the property reads as while it is unset.
    public static var _placeholder: [String: Value]? { [:] }

    /// The value as the object keeps it.
    public func _slotValue(_ slot: Int, _ object: NSManagedObject) -> _SlotValue {
        object.slotFromAny(self, slot)
    }
}

extension Array: ManagedValue {}

extension Array: ManagedComponent {
    /// The value of the property; nil for none.
    public static func _component(_ object: NSManagedObject, _ slot: Int) -> [Element]? {
        object.anyValue(at: slot) as? [Element]
    }

    /// The value that the property reads as while it is unset.
    public static var _placeholder: [Element]? { [] }

    /// The value as the object keeps it.
    public func _slotValue(_ slot: Int, _ object: NSManagedObject) -> _SlotValue {
        object.slotFromAny(self, slot)
    }
}

/// Enumerations over an attribute's type: declare `enum Kind: Int16, ManagedComponent`.
extension ManagedComponent where Self: RawRepresentable, RawValue: ManagedComponent {
    /// The value of the property; nil for none.
    public static func _component(_ object: NSManagedObject, _ slot: Int) -> Self? {
        RawValue._component(object, slot).flatMap(Self.init(rawValue:))
    }

    /// The value that the property reads as while it is unset.
    public static var _placeholder: Self? { RawValue._placeholder.flatMap(Self.init(rawValue:)) }

    /// The value as the object keeps it.
    public func _slotValue(_ slot: Int, _ object: NSManagedObject) -> _SlotValue {
        rawValue._slotValue(slot, object)
    }
}

// Any other type: the values of transformable and undefined attributes. Such accessors are optional.
extension NSManagedObject {
    /// The value of a transformable or undefined attribute, as an accessor reads and writes it.
    @_disfavoredOverload
    public final subscript<Value>(key: ManagedKey<Value?>) -> Value? {
        get {
            let slot = key.index(in: layout)
            beginAccess(slot)
            // Not a cast of the optional itself, which as `Any` would always be a value.
            return anyValue(at: slot).flatMap { $0 as? Value }
        }
        set {
            let slot = key.index(in: layout)
            setFromAccessor(newValue.map { slotFromAny($0, slot).value } ?? .null, at: slot)
        }
    }

    /// The value of a transformable or undefined attribute as it is kept, for custom accessors.
    @_disfavoredOverload
    public final subscript<Value>(primitive key: ManagedKey<Value?>) -> Value? {
        get {
            fireFault()
            return anyValue(at: key.index(in: layout)).flatMap { $0 as? Value }
        }
        set {
            fireFault()
            let slot = key.index(in: layout)
            setPrimitiveFromAccessor(newValue.map { slotFromAny($0, slot).value } ?? .null, at: slot)
        }
    }
}

extension SlotKind {
    fileprivate var isRealNumber: Bool { self == .double || self == .float }
}

extension NSManagedObject {
    /// The value when it is of the slot's own kind, else what key-value coding makes of it.
    fileprivate final func checkedSlot(
        _ value: SlotValue, _ any: @autoclosure () -> Any, _ slot: Int, _ fits: (SlotKind) -> Bool
    ) -> _SlotValue {
        fits(layout.slots[slot].kind) ? _SlotValue(value: value) : slotFromAny(any(), slot)
    }

    fileprivate final func slotFromAny(_ any: Any, _ slot: Int) -> _SlotValue {
        do {
            return _SlotValue(value: try SlotValue(any, for: layout.slots[slot]))
        } catch {
            fatalError(error.localizedDescription)
        }
    }
}
