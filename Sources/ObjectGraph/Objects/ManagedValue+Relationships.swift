import CocoaFoundation
import Foundation
import ManagedObjectModel

// The Swift types of relationships: a class of managed objects to one; `Set`, `NSSet`, `NSOrderedSet` to many.

extension NSManagedObject: ManagedComponent {
    /// The value of the property; nil for none.
    public static func _component(_ object: NSManagedObject, _ slot: Int) -> Self? {
        guard case .object(let destination) = object.value(at: slot) else { return nil }
        return checked(destination, object, slot)
    }

    private static func checked<Destination: NSManagedObject>(
        _ destination: NSManagedObject, _ owner: NSManagedObject, _ slot: Int
    ) -> Destination {
        // A cast is slow, the comparison of two types is not.
        if type(of: destination) == Destination.self {
            return unsafeDowncast(destination, to: Destination.self)
        }
        guard let typed = destination as? Destination else {
            fatalError(
                """
                Relationship '\(owner.layout.slots[slot].name)' leads to a \(type(of: destination)), but its accessor's \
                type is \(Destination.self).
                """)
        }
        return typed
    }

    /// What the property reads as while it has no value.
    public static var _placeholder: Self? { nil }

    /// The value as the object keeps it.
    public final func _slotValue(_ slot: Int, _ object: NSManagedObject) -> _SlotValue {
        let info = object.layout.slots[slot]
        // Most are what they should be, which takes no casts to find out.
        if let expected = info.relationship?.destinationEntity, entity.isKindOf(entity: expected),
            sharesContext(with: object)
        {
            return _SlotValue(value: .object(self))
        }
        do {
            _ = try object.destinations(from: self, info)
        } catch {
            fatalError(error.localizedDescription)
        }
        return _SlotValue(value: .object(self))
    }
}

extension Set: ManagedValue where Element: NSManagedObject {}

extension Set: ManagedComponent where Element: NSManagedObject {
    /// The value of the property; nil for none.
    public static func _component(_ object: NSManagedObject, _ slot: Int) -> Set<Element>? {
        object.loadedToMany(at: slot).members(of: Element.self)
    }

    /// What the property reads as while it has no value.
    public static var _placeholder: Set<Element>? { [] }

    /// The value as the object keeps it.
    public func _slotValue(_ slot: Int, _ object: NSManagedObject) -> _SlotValue {
        object.members(NSSet(set: self), slot)
    }
}

extension NSSet: ManagedComponent {}

extension NSOrderedSet: ManagedComponent {}

extension ManagedComponent where Self: NSSet {
    /// The value of the property; nil for none.
    public static func _component(_ object: NSManagedObject, _ slot: Int) -> Self? {
        NSSet.distinct(object.loadedToMany(at: slot).ordered) as? Self
    }

    /// What the property reads as while it has no value.
    public static var _placeholder: Self? { NSSet() as? Self }

    /// The value as the object keeps it.
    public func _slotValue(_ slot: Int, _ object: NSManagedObject) -> _SlotValue {
        object.members(self, slot)
    }
}

extension ManagedComponent where Self: NSOrderedSet {
    /// The value of the property; nil for none.
    public static func _component(_ object: NSManagedObject, _ slot: Int) -> Self? {
        NSOrderedSet(array: object.loadedToMany(at: slot).order) as? Self
    }

    /// What the property reads as while it has no value.
    public static var _placeholder: Self? { NSOrderedSet() as? Self }

    /// The value as the object keeps it.
    public func _slotValue(_ slot: Int, _ object: NSManagedObject) -> _SlotValue {
        object.members(self, slot)
    }
}

extension NSManagedObject {
    fileprivate final func members(_ any: Any, _ slot: Int) -> _SlotValue {
        do {
            let info = layout.slots[slot]
            let contents = ToManyContents(isOrdered: info.isOrdered, isLoaded: true)
            for object in try destinations(from: any, info) { contents.insert(object) }
            return _SlotValue(value: .toMany(contents))
        } catch {
            fatalError(error.localizedDescription)
        }
    }
}
