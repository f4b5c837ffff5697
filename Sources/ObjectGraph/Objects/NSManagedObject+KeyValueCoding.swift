import CocoaFoundation
import Foundation
import ManagedObjectModel

extension NSManagedObject {
    /// Implements `value(forKey:)`: the class's own accessor first, then the modelled property.
    final func codedValue(forKey key: String) -> Any? {
        if let accessor = ClassProperties.of(self).custom[key] { return accessor.get(self) }
        guard let slot = layout.index(of: key) else {
            return ownValue(forKey: key)
        }
        beginAccess(slot)
        return anyValue(at: slot)
    }

    /// The properties that every object has, under the names of Apple's, and those of their getters.
    private final func ownValue(forKey key: String) -> Any? {
        switch key {
        case "objectID": objectID
        case "entity": entity
        case "managedObjectContext": managedObjectContext
        case "self": self
        case "description": description
        case "hasChanges": hasChanges
        case "hasPersistentChangedValues": hasPersistentChangedValues
        case "inserted", "isInserted": isInserted
        case "updated", "isUpdated": isUpdated
        case "deleted", "isDeleted": isDeleted
        case "fault", "isFault": isFault
        case "faultingState": Int(faultingState)
        default: value(forUndefinedKey: key)
        }
    }

    /// Implements `setValue(_:forKey:)`.
    final func setCodedValue(_ value: Any?, forKey key: String) {
        if let set = ClassProperties.of(self).custom[key]?.set {
            set(self, value)
            return
        }
        guard let slot = layout.index(of: key) else {
            setValue(value, forUndefinedKey: key)
            return
        }
        do {
            try setAnyValue(value, at: slot)
        } catch {
            fatalError(error.localizedDescription)
        }
    }

    /// Sets a property by name and throws where `setValue(_:forKey:)` stops: for values that come from users.
    ///
    /// Ours.
    /// - Throws: 1550 for an unknown key, a value of another type than the property's, an object of another
    ///   entity or context, a derived attribute.
    public final func setValue(checking value: Any?, forKey key: String) throws {
        guard let slot = layout.index(of: key) else {
            throw NSError.coreData(
                .managedObjectValidation, unknownKeyMessage(key),
                [NSValidationKeyErrorKey: key, NSValidationObjectErrorKey: self])
        }
        let info = layout.slots[slot]
        if info.kind.isRelationship {
            _ = try destinations(from: value, info)
        } else if let value {
            _ = try SlotValue(value, for: info, of: self)
        }
        try refuseFixed(info)
        setValue(value, forKey: key)
    }

    /// The value of a modelled property as it is kept, without announcing an access or going through accessors.
    ///
    /// Attributes have Apple's types (NSNumber, String, Date …), relationships `NSManagedObject`, `NSSet` or
    /// `NSOrderedSet`.
    public final func primitiveValue(forKey key: String) -> Any? {
        guard let slot = layout.index(of: key) else { fatalError(unknownKeyMessage(key)) }
        fireFault()
        return anyValue(at: slot)
    }

    /// Sets a modelled property without announcing a change: the context does not note it, and no inverse is set.
    public final func setPrimitiveValue(_ value: Any?, forKey key: String) {
        guard let slot = layout.index(of: key) else { fatalError(unknownKeyMessage(key)) }
        fireFault()
        do {
            if layout.slots[slot].kind == .toMany {
                setMembers(try destinations(from: value, layout.slots[slot]), at: slot)
            } else {
                setSlotUnnoticed(slot, try slotValue(from: value, at: slot))
            }
        } catch {
            fatalError(error.localizedDescription)
        }
    }

    /// The value of a property by name, as `value(forKey:)` returns and `setValue(_:forKey:)` accepts it.
    public final subscript(key: String) -> Any? {
        get { value(forKey: key) }
        set { setValue(newValue, forKey: key) }
    }

    /// The value as key-value coding returns it.
    final func anyValue(at slot: Int) -> Any? {
        let info = layout.slots[slot]
        if info.kind == .toMany { return SlotValue.toMany(loadedToMany(at: slot)).anyValue(.toMany) }
        return value(at: slot).anyValue(info.kind)
    }

    /// Sets a property as its accessor would.
    final func setAnyValue(_ any: Any?, at slot: Int) throws {
        let info = layout.slots[slot]
        try refuseFixed(info)
        if info.kind == .toMany {
            setToMany(try destinations(from: any, info), at: slot)
        } else {
            set(try slotValue(from: any, at: slot), at: slot)
        }
    }

    /// Refuses to set a value that only the store computes.
    private final func refuseFixed(_ info: PropertySlot) throws {
        guard info.isDerived || info.kind == .fetched else { return }
        throw NSError.coreData(
            .managedObjectValidation,
            info.isDerived
                ? "Derived attribute '\(info.name)' cannot be set: the store computes it at save."
                : "Fetched property '\(info.name)' cannot be set.",
            [NSValidationKeyErrorKey: info.name, NSValidationObjectErrorKey: self])
    }

    /// The value of an attribute or to-one relationship.
    private final func slotValue(from any: Any?, at slot: Int) throws -> SlotValue {
        let info = layout.slots[slot]
        guard let any else { return .null }
        if info.kind == .toOne {
            return try destinations(from: any, info).first.map(SlotValue.object) ?? .null
        }
        return try SlotValue(any, for: info, of: self)
    }

    /// The destination that an element of a relationship's mutable set stands for. Stops with a message for any other.
    final func destination(_ element: Any, at slot: Int) -> NSManagedObject {
        let info = layout.slots[slot]
        do {
            if let destination = try destinations(from: element, info).first { return destination }
            fatalError("nil cannot be added to relationship '\(info.name)'.")
        } catch {
            fatalError(error.localizedDescription)
        }
    }

    /// The destinations that a value of key-value coding stands for, checked.
    ///
    /// - Throws: 1550 when an element is not an object of the destination entity, or of another context.
    final func destinations(from any: Any?, _ info: PropertySlot) throws -> [NSManagedObject] {
        let elements: [Any]
        switch any {
        case nil, is NSNull: return []
        case let object as NSManagedObject: elements = [object]
        case let set as NSOrderedSet: elements = set.array
        case let set as NSSet: elements = set.allObjects
        case let set as Set<NSManagedObject>: elements = Array(set)
        case let array as [NSManagedObject]: elements = array
        case let array as NSArray: elements = array.map { $0 }
        default: elements = [any as Any]
        }
        return try elements.map { element in
            guard let object = element as? NSManagedObject,
                let destination = info.relationship?.destinationEntity,
                object.entity.isKindOf(entity: destination)
            else {
                throw NSError.coreData(
                    .managedObjectValidation,
                    """
                    Unacceptable type of value for \(info.kindInWords): property = "\(info.name)"; desired type = \
                    \(info.desiredType); given type = \
                    \((element as? NSManagedObject)?.entity.name ?? "\(type(of: element))"); value = \(element).
                    """, relationshipDetails(info, element))
            }
            guard object.context === context else {
                throw NSError.coreData(
                    .managedObjectValidation,
                    """
                    Illegal attempt to establish a relationship '\(info.name)' between objects in different contexts \
                    (source = \(objectID), destination = \(object.objectID)).
                    """, relationshipDetails(info, object))
            }
            return object
        }
    }

    private final func relationshipDetails(_ info: PropertySlot, _ value: Any) -> [String: Any] {
        [
            NSValidationKeyErrorKey: info.name, NSValidationObjectErrorKey: self,
            NSValidationValueErrorKey: value,
        ]
    }

    final func unknownKeyMessage(_ key: String) -> String {
        """
        The entity \(entity.name ?? "") is not key value coding-compliant for the key "\(key)": it has no such \
        property, and \(type(of: self)) registered no accessor of that name.
        """
    }

    /// One line of `description`, without loading anything.
    final func describeValue(at slot: Int) -> String {
        let info = layout.slots[slot]
        if info.kind == .toMany {
            let contents = toMany(at: slot)
            return contents.isLoaded
                ? "[\(contents.ordered.map { $0.objectID.uriRepresentation().absoluteString }.joined(separator: ", "))]"
                : "<relationship fault: '\(info.name)'>"
        }
        if info.kind == .toOne {
            if slot < values.count, case .object(let object) = values[slot] {
                return object.objectID.uriRepresentation().absoluteString
            }
            return row.map { $0.isNull(slot) ? "nil" : "<relationship fault: '\(info.name)'>" } ?? "nil"
        }
        if info.kind == .fetched { return "<fetched property>" }
        return value(at: slot).anyValue(info.kind).map { "\($0)" } ?? "nil"
    }
}

extension PropertySlot {
    /// The property's name in errors.
    fileprivate var kindInWords: String {
        switch kind {
        case .toOne: "to-one relationship"
        case .toMany, .fetched: "to-many relationship"
        default: "attribute"
        }
    }

    fileprivate var desiredType: String {
        if let relationship { return relationship.destinationEntity?.name ?? "NSManagedObject" }
        return attribute?.attributeValueClassName ?? "\(kind)"
    }
}
