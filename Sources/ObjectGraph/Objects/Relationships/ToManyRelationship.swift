import CocoaFoundation
import Foundation

/// A to-many relationship of an object, through which its members are added, removed and moved.
///
/// ```swift
/// let pages = ToManyRelationship(of: book, named: "pages")
/// pages.add(page)
/// pages.insert(cover, at: 0)    // of an ordered relationship
/// ```
///
/// Generated classes and `@ManagedAccessor` methods such as `addToPages(_:)` use it; use it yourself where the name of a relationship is a
/// value. Inverse relationships follow, and observers are notified. Methods that take indexes stop the program when the relationship is
/// not ordered, as does a name that is not one of a to-many relationship. Use it on the queue of the object's context.
public struct ToManyRelationship {
    private let object: NSManagedObject
    private let slot: Int

    /// The relationship of an object by its name in the model.
    public init(of object: NSManagedObject, named key: String) {
        guard let slot = object.layout.index(of: key) else { fatalError(object.unknownKeyMessage(key)) }
        self.init(of: object, slot)
    }

    /// The relationship of an object by the key of its accessor, which finds it without hashing the name.
    public init<Value>(of object: NSManagedObject, _ key: ManagedKey<Value>) {
        self.init(of: object, key.index(in: object.layout))
    }

    private init(of object: NSManagedObject, _ slot: Int) {
        let info = object.layout.slots[slot]
        require(
            info.kind == .toMany,
            "'\(info.name)' of entity \(object.entity.name ?? "") is not a to-many relationship.")
        self.object = object
        self.slot = slot
    }

    private var isOrdered: Bool { object.layout.slots[slot].isOrdered }
    private var orderedSet: NSMutableOrderedSet {
        require(
            isOrdered,
            "Relationship '\(object.layout.slots[slot].name)' is not ordered, so its members have no indexes."
        )
        return object.orderedSet(at: slot)
    }

    /// Adds an object, at the end of an ordered relationship.
    public func add(_ value: NSManagedObject) {
        guard isOrdered else {
            addUnordered(value)
            return
        }
        let objects = orderedSet
        if objects.index(of: value) == NSNotFound { objects.insert(value, at: objects.count) }
    }

    /// Adds objects, at the end of an ordered relationship.
    public func add<Values: Sequence>(_ values: Values) where Values.Element: NSManagedObject {
        addAll(Array(values))
    }

    /// Adds the objects of an `NSSet`, an `NSOrderedSet` or an `NSArray`.
    public func add(_ values: some Sequence<Any>) { addAll(Array(values)) }

    /// Removes an object; does nothing if it is not a member.
    public func remove(_ value: NSManagedObject) {
        guard isOrdered else {
            removeUnordered(value)
            return
        }
        let objects = orderedSet
        let index = objects.index(of: value)
        if index != NSNotFound { objects.removeObject(at: index) }
    }

    /// Removes objects.
    public func remove<Values: Sequence>(_ values: Values) where Values.Element: NSManagedObject {
        removeAll(Array(values))
    }

    /// Removes the objects of an `NSSet`, an `NSOrderedSet` or an `NSArray`.
    public func remove(_ values: some Sequence<Any>) { removeAll(Array(values)) }

    private func addAll(_ values: [Any]) {
        guard isOrdered else {
            for value in values { addUnordered(value) }
            return
        }
        changeOrder { $0 += values }
    }

    private func removeAll(_ values: [Any]) {
        guard isOrdered else {
            for value in values { removeUnordered(value) }
            return
        }
        let leaving = NSSet(array: values)
        changeOrder { $0.removeAll(where: leaving.contains) }
    }

    private func addUnordered(_ value: Any) {
        object.addDestination(object.destination(value, at: slot), at: slot)
    }

    private func removeUnordered(_ value: Any) {
        if let value = value as? NSManagedObject { object.dropDestination(value, at: slot) }
    }

    /// Changes the objects of an ordered relationship at once: one change for observers, however many objects.
    private func changeOrder(_ change: (inout [Any]) -> Void) {
        let current = orderedSet
        // Foundation's `array` does not call a subclass, whose copy may be older than the relationship.
        var order = (0..<current.count).map(current.object(at:))
        change(&order)
        // A duplicate object keeps its first index.
        object.setValue(NSOrderedSet(array: order), forKey: object.layout.slots[slot].name)
    }
}

// Indexes; the relationship is ordered.
extension ToManyRelationship {
    /// Inserts an object at an index.
    public func insert(_ value: NSManagedObject, at index: Int) { orderedSet.insert(value, at: index) }

    /// Inserts objects: each index is the final index of its object.
    public func insert<Values: Sequence>(_ values: Values, at indexes: some Sequence<Int>)
    where Values.Element: NSManagedObject {
        insertAll(Array(values), IndexSet(indexes))
    }

    /// Inserts the objects of an `NSArray` or an `NSOrderedSet` at indexes.
    public func insert(_ values: some Sequence<Any>, at indexes: some Sequence<Int>) {
        insertAll(Array(values), IndexSet(indexes))
    }

    /// Removes the object at an index.
    public func remove(at index: Int) { orderedSet.removeObject(at: index) }

    /// Removes the objects at indexes.
    public func remove(at indexes: some Sequence<Int>) {
        changeOrder { order in
            for index in IndexSet(indexes).reversed() { order.remove(at: index) }
        }
    }

    /// Replaces an object.
    public func replace(at index: Int, with value: NSManagedObject) {
        orderedSet.replaceObject(at: index, with: value)
    }

    /// Replaces objects.
    public func replace<Values: Sequence>(at indexes: some Sequence<Int>, with values: Values)
    where Values.Element: NSManagedObject {
        replaceAll(IndexSet(indexes), Array(values))
    }

    /// Replaces objects by those of an `NSArray` or an `NSOrderedSet`.
    public func replace(at indexes: some Sequence<Int>, with values: some Sequence<Any>) {
        replaceAll(IndexSet(indexes), Array(values))
    }

    private func insertAll(_ values: [Any], _ indexes: IndexSet) {
        check(values, indexes)
        changeOrder { order in
            for (index, value) in zip(indexes, values) { order.insert(value, at: index) }
        }
    }

    private func replaceAll(_ indexes: IndexSet, _ values: [Any]) {
        check(values, indexes)
        changeOrder { order in
            for (index, value) in zip(indexes, values) { order[index] = value }
        }
    }

    private func check(_ values: [Any], _ indexes: IndexSet) {
        guard values.count == indexes.count else {
            fatalError(
                "\(values.count) objects do not fit \(indexes.count) places of relationship '\(object.layout.slots[slot].name)'."
            )
        }
    }
}
