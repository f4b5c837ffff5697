import CocoaFoundation
import Foundation
import Synchronization

/// The name of a property with its type; finds the property's slot in an object without hashing the name.
///
/// Keep one as a constant for each property, as the class macro and the generated code do:
///
/// ```swift
/// static let titleKey = ManagedKey<String?>("title")
/// var title: String? {
///     get { self[Self.titleKey] }
///     set { self[Self.titleKey] = newValue }
/// }
/// ```
public final class ManagedKey<Value>: Sendable {
    /// The name of the property in the model.
    public let name: String
    /// The slot found last (low half), and the number of the layout that declared it (high half).
    private let found = Atomic<UInt64>(0)

    /// A key for the property `name` whose values are read and written as `Value`.
    public init(_ name: String) { self.name = name }

    /// The slot in objects of `layout`. O(1); one load and two comparisons when the entity, or another subentity of the one
    /// that declares the property, was the last one looked up.
    @inline(__always)
    package func index(in layout: EntityLayout) -> Int {
        indexIfKnown(layout.declarations) ?? find(in: layout)
    }

    /// As `index(in:)`; nil when the entity does not have the property.
    @inline(__always)
    func indexIfFound(in layout: EntityLayout) -> Int? {
        indexIfKnown(layout.declarations) ?? look(in: layout)
    }

    /// The slot that was found last, if it is one of a layout with these declarations.
    @inline(__always)
    func indexIfKnown(_ declarations: Declarations) -> Int? {
        let cached = found.load(ordering: .relaxed)
        let slot = UInt32(truncatingIfNeeded: cached)
        return declarations.has(slot, from: UInt32(truncatingIfNeeded: cached >> 32)) ? Int(slot) : nil
    }

    func find(in layout: EntityLayout) -> Int {
        guard let index = look(in: layout) else {
            fatalError(
                "Entity '\(layout.entity.name ?? "")' has no property '\(name)'; the class and the model differ."
            )
        }
        return index
    }

    /// The same key, for code that reads integers of all types. A key has no part that depends on the type of its values.
    @inlinable @inline(__always)
    var ofIntegers: ManagedKey<Int64> { reinterpreted(self) }

    private func look(in layout: EntityLayout) -> Int? {
        guard let index = layout.index(of: name) else { return nil }
        found.store(UInt64(layout.declarations[index]) << 32 | UInt64(index), ordering: .relaxed)
        return index
    }
}

/// A reference as one of another class, of which an object need not be: debug builds would check that.
@inlinable @inline(__always)
func reinterpreted<Present, Wanted>(_ reference: Present) -> Wanted {
    unsafeBitCast(reference, to: Wanted.self)
}

/// A property of a managed object class with its Swift key path and its accessor.
///
/// Key-value coding and observing need it, and sort descriptors and predicates that are made with key paths, since Linux has no runtime
/// that finds the accessor of a name. `@ManagedObject` and the generator write the list `managedProperties`; add a property yourself where
/// a class is written by hand and `value(forKey:)` shall call its accessor:
///
/// ```swift
/// nonisolated override class var managedProperties: [ManagedProperty] {
///     super.managedProperties + [.custom("initials", \Author.initials)]
/// }
/// ```
public struct ManagedProperty: @unchecked Sendable {
    /// The property's name.
    public let key: String
    /// The Swift key path of its accessor.
    public let keyPath: AnyKeyPath
    /// Whether the class wrote the accessor itself, so that `value(forKey:)` must go through it.
    public let isCustom: Bool
    package let get: @Sendable (NSManagedObject) -> Any?
    package let set: (@Sendable (NSManagedObject, Any?) -> Void)?

    /// A property with an accessor that the framework or the macros wrote.
    public static func stored<Object: NSManagedObject, Value>(
        _ key: String, _ keyPath: KeyPath<Object, Value>
    ) -> ManagedProperty {
        ManagedProperty(key: key, keyPath: keyPath, isCustom: false, get: { _ in nil }, set: nil)
    }

    /// A property with a generated accessor.
    static func generated(_ key: String, _ keyPath: AnyKeyPath) -> ManagedProperty {
        ManagedProperty(key: key, keyPath: keyPath, isCustom: false, get: { _ in nil }, set: nil)
    }

    /// A property with an accessor of the class's own, to read.
    public static func custom<Object: NSManagedObject, Value>(
        _ key: String, _ keyPath: KeyPath<Object, Value>
    ) -> ManagedProperty {
        nonisolated(unsafe) let path = keyPath
        return ManagedProperty(
            key: key, keyPath: keyPath, isCustom: true,
            get: { object in (object as? Object).flatMap { unwrapped($0[keyPath: path]) } }, set: nil)
    }

    /// A property with an accessor of the class's own, to read and write.
    public static func custom<Object: NSManagedObject, Value>(
        _ key: String, _ keyPath: ReferenceWritableKeyPath<Object, Value>
    ) -> ManagedProperty {
        nonisolated(unsafe) let path = keyPath
        return ManagedProperty(
            key: key, keyPath: keyPath, isCustom: true,
            get: { object in (object as? Object).flatMap { unwrapped($0[keyPath: path]) } },
            set: { object, value in
                guard let object = object as? Object else { return }
                if let value = value as? Value {
                    object[keyPath: path] = value
                } else if value == nil {
                    object.setNilValueForKey(key)
                } else {
                    fatalError(
                        """
                        Unacceptable type of value for attribute: property = "\(key)"; desired type = \(Value.self); \
                        given type = \(type(of: value)); value = \(value.map { "\($0)" } ?? "nil").
                        """)
                }
            })
    }
}

/// The value without the optionals around it; nil when one of them is nil.
private func unwrapped(_ value: Any) -> Any? {
    guard let optional = value as? any OptionalValue else { return value }
    return optional.wrappedValue.flatMap(unwrapped)
}

/// A validation method of a class: what `validate<Key>(_:)` is on Apple's platforms, where the runtime finds it by its name.
///
/// `@ManagedObject` collects the methods with such names; a class that is written by hand lists its own:
///
/// ```swift
/// override class var registeredValidators: [String: ManagedValidator] {
///     [
///         "isbn": .method { (book: Book, isbn: inout String?) in
///             isbn = isbn?.uppercased()
///         }
///     ]
/// }
/// ```
///
/// It is called after the rules of the model, when an object is saved and by `validateValue(_:forKey:)`. It may replace the value.
public struct ManagedValidator: @unchecked Sendable {
    package let check: @Sendable (NSManagedObject, inout Any?) throws -> Void

    /// A check by a method that takes the value `inout` and may replace it.
    ///
    /// - Parameter method: throws why a value is refused; called on the object's queue. It is not called with a value of
    ///   another type: the model's own check has refused that.
    public static func method<Object: NSManagedObject, Value>(
        _ method: @escaping @Sendable (Object, inout Value?) throws -> Void
    ) -> ManagedValidator {
        ManagedValidator { object, value in
            guard let object = object as? Object else { return }
            var typed = value as? Value
            guard typed != nil || value == nil else { return }
            try method(object, &typed)
            value = typed
        }
    }
}
