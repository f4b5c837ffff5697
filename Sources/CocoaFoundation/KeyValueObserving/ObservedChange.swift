import Foundation

/// A value that is reported to an observer, or not.
enum ObservedValue {
    /// The observer did not ask for it, or the kind of change has none.
    case unreported
    /// The value; `nil` when it is missing.
    case reported(Any?)

    /// The value as a type, which may be an optional one: no value is then `.some(nil)`.
    func cast<Value>() -> Value? {
        switch self {
        case .unreported: nil
        case .reported(let value): (value as Any) as? Value
        }
    }
}

/// What is reported to an observer.
struct ObservedChange {
    var kind = NSKeyValueChange.setting
    var new = ObservedValue.unreported
    var old = ObservedValue.unreported
    var indexes: IndexSet?
    var isPrior = false

    /// The change as observers with a method get it. The values are of the classes that Apple's are of, because
    /// Swift casts these to more types than its own: an `NSNumber` is an `Int` as well as a `UInt`.
    var dictionary: [NSKeyValueChangeKey: Any] {
        var dictionary: [NSKeyValueChangeKey: Any] = [.kindKey: NSNumber(value: kind.rawValue)]
        if case .reported(let value) = new { dictionary[.newKey] = presentValue(value) ?? NSNull() }
        if case .reported(let value) = old { dictionary[.oldKey] = presentValue(value) ?? NSNull() }
        if let indexes { dictionary[.indexesKey] = NSIndexSet(indexSet: indexes) }
        if isPrior { dictionary[.notificationIsPriorKey] = NSNumber(value: true) }
        return dictionary
    }
}

/// How an object says that it changes a property.
package enum ChangeDescription {
    /// As a whole.
    case whole
    /// At indexes of an ordered to-many property.
    case indexed(NSKeyValueChange, IndexSet)
    /// By a set of objects.
    case members(NSKeyValueSetMutationKind, Set<AnyHashable>)
}

extension ChangeDescription {
    /// What is known before a change of an object's property.
    func changeBefore(_ key: String, of object: any KeyValueObserving) -> ObservedChange {
        switch self {
        case .whole, .indexed(.setting, _): return ObservedChange()
        case .indexed(let kind, let indexes):
            var change = ObservedChange(kind: kind, indexes: indexes)
            if kind != .insertion {
                change.old = .reported(Self.objects(at: indexes, in: object.value(forKey: key)))
            }
            return change
        case .members(let mutation, let objects):
            let present = Self.members(of: object.value(forKey: key))
            switch mutation {
            case .union:
                return ObservedChange(kind: .insertion, new: .reported(objects.subtracting(present)))
            case .minus:
                return ObservedChange(kind: .removal, old: .reported(objects.intersection(present)))
            case .intersect:
                return ObservedChange(kind: .removal, old: .reported(present.subtracting(objects)))
            case .set:
                return ObservedChange(
                    kind: .replacement, new: .reported(objects.subtracting(present)),
                    old: .reported(present.subtracting(objects)))
            }
        }
    }

    /// What is known after the change, from what was known before it.
    func change(after before: ObservedChange, _ key: String, of object: any KeyValueObserving)
        -> ObservedChange
    {
        guard case .indexed(let kind, let indexes) = self, kind == .insertion || kind == .replacement else {
            return before
        }
        var change = before
        change.new = .reported(Self.objects(at: indexes, in: object.value(forKey: key)))
        return change
    }

    private static func objects(at indexes: IndexSet, in value: Any?) -> [Any] {
        let objects = elements(of: value)
        return indexes.filter { $0 < objects.count }.map { objects[$0] }
    }

    private static func members(of value: Any?) -> Set<AnyHashable> {
        if let set = value as? Set<AnyHashable> { return set }
        return Set(elements(of: value).compactMap { $0 as? AnyHashable })
    }

    private static func elements(of value: Any?) -> [Any] {
        (presentValue(value) as? any ValueCollection).map { Array($0.collectionElements) } ?? []
    }
}
