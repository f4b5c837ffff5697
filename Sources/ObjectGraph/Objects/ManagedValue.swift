import CocoaFoundation
import Foundation
import ManagedObjectModel

/// A type that a property of a managed object can have in Swift: the `Value` of a `ManagedKey`.
///
/// Numbers, strings, dates, data, UUIDs, URLs, managed objects and collections of them conform, as do optionals of them. Enumerations with
/// such a raw value conform by a declaration alone. The requirements are for the framework: do not implement them.
public protocol ManagedValue {
    /// Reads the property; the object is loaded.
    static func _read(_ object: NSManagedObject, _ slot: Int) -> Self
    /// Sets the property as an accessor does.
    static func _write(_ value: Self, _ object: NSManagedObject, _ slot: Int)
    /// The value to keep for a primitive accessor.
    static func _writePrimitive(_ value: Self, _ object: NSManagedObject, _ slot: Int)
}

/// A `ManagedValue` that is not optional. A property of such a type reads a placeholder while it is unset, such as 0 or an empty string,
/// and stops the program where the type has none. The requirements are for the framework: do not implement them.
public protocol ManagedComponent: ManagedValue {
    /// The property's value; nil for none.
    static func _component(_ object: NSManagedObject, _ slot: Int) -> Self?
    /// The value that a non-optional property reads as while it is unset; nil when the type has none.
    static var _placeholder: Self? { get }
    /// The value as the object keeps it.
    func _slotValue(_ slot: Int, _ object: NSManagedObject) -> _SlotValue
}

/// A value on its way into an object; for the framework.
public struct _SlotValue {
    package let value: SlotValue
}

extension ManagedComponent {
    /// The value of the property.
    public static func _read(_ object: NSManagedObject, _ slot: Int) -> Self {
        if let value = _component(object, slot) ?? _placeholder { return value }
        fatalError(
            """
            Property '\(object.layout.slots[slot].name)' of \(object.objectID) has no value, and its accessor's type \
            \(Self.self) cannot represent that; make the accessor optional.
            """)
    }

    /// Sets the property.
    public static func _write(_ value: Self, _ object: NSManagedObject, _ slot: Int) {
        object.setFromAccessor(value._slotValue(slot, object).value, at: slot)
    }

    /// Sets the property without notifications.
    public static func _writePrimitive(_ value: Self, _ object: NSManagedObject, _ slot: Int) {
        object.setPrimitiveFromAccessor(value._slotValue(slot, object).value, at: slot)
    }
}

extension Optional: ManagedValue where Wrapped: ManagedComponent {
    /// The value of the property.
    public static func _read(_ object: NSManagedObject, _ slot: Int) -> Wrapped? {
        Wrapped._component(object, slot)
    }

    /// Sets the property.
    public static func _write(_ value: Wrapped?, _ object: NSManagedObject, _ slot: Int) {
        object.setFromAccessor(value?._slotValue(slot, object).value ?? .null, at: slot)
    }

    /// Sets the property without notifications.
    public static func _writePrimitive(_ value: Wrapped?, _ object: NSManagedObject, _ slot: Int) {
        object.setPrimitiveFromAccessor(value?._slotValue(slot, object).value ?? .null, at: slot)
    }
}

extension NSManagedObject {
    /// The value of a property, as an accessor reads and writes it: reading loads the object; writing marks it as
    /// changed, keeps inverse relationships and notifies observers.
    public final subscript<Value: ManagedValue>(key: ManagedKey<Value>) -> Value {
        get { read(key) }
        set { Value._write(newValue, self, key.index(in: layout)) }
    }

    @inline(__always)
    final func read<Value: ManagedValue>(_ key: ManagedKey<Value>) -> Value {
        let slot = slot(key)
        beginAccess(slot)
        return Value._read(self, slot)
    }

    /// The value of a property as it is kept: for custom accessors, between `willChangeValue(forKey:)` and
    /// `didChangeValue(forKey:)`, and for `awakeFromInsert()` and its like. The context does not note the change.
    public final subscript<Value: ManagedValue>(primitive key: ManagedKey<Value>) -> Value {
        get {
            let slot = key.index(in: layout)
            fireFault()
            return Value._read(self, slot)
        }
        set {
            fireFault()
            Value._writePrimitive(newValue, self, key.index(in: layout))
        }
    }

    final func setFromAccessor(_ value: SlotValue, at slot: Int) {
        let traits = traits(at: slot)
        require(
            !traits.isDerived,
            "Derived attribute '\(layout.slots[slot].name)' cannot be set: the store computes it at save.")
        if case .toMany(let contents) = value {
            setToMany(contents.ordered, at: slot)
        } else if traits.kind == .toMany {
            // Nil from an optional accessor: no destinations.
            setToMany([], at: slot)
        } else {
            set(value, at: slot)
        }
    }

    final func setPrimitiveFromAccessor(_ value: SlotValue, at slot: Int) {
        if case .toMany(let contents) = value {
            setMembers(contents.ordered, at: slot)
        } else if layout.slots[slot].kind == .toMany {
            setMembers([], at: slot)
        } else {
            setSlotUnnoticed(slot, value)
        }
    }
}
