/// Objects with unsaved changes of one kind, in the order in which they were added, held strongly.
///
/// Whether an object is in the list is a flag of the object, so that the check costs nothing.
package struct PendingObjects {
    private var list: ContiguousArray<NSManagedObject?> = []
    /// The index of each object; made at the first removal.
    private var positions: [ObjectIdentifier: Int]?
    /// There are no objects before this index.
    private var start = 0
    private let flag: ObjectState
    package private(set) var count = 0

    package init(flag: ObjectState) { self.flag = flag }

    package var isEmpty: Bool { count == 0 }

    /// Whether the object is in the list. O(1).
    package func contains(_ object: NSManagedObject) -> Bool { object.state.contains(flag) }

    /// Adds an object, unless it is in the list. O(1).
    package mutating func insert(_ object: NSManagedObject) {
        guard !object.state.contains(flag) else { return }
        object.state.insert(flag)
        positions?[ObjectIdentifier(object)] = list.count
        list.append(object)
        count += 1
    }

    /// Removes an object, if it is in the list. O(1) amortised for the first one, as saves do it; for others O(n) the first
    /// time, then O(1) amortised.
    package mutating func remove(_ object: NSManagedObject) {
        guard object.state.contains(flag) else { return }
        object.state.remove(flag)
        count -= 1
        if start < list.count, list[start] === object {
            list[start] = nil
            positions?[ObjectIdentifier(object)] = nil
        } else {
            if positions == nil {
                positions = Dictionary(
                    uniqueKeysWithValues: list.enumerated().compactMap { position, object in
                        object.map { (ObjectIdentifier($0), position) }
                    })
            }
            if let position = positions?.removeValue(forKey: ObjectIdentifier(object)) {
                list[position] = nil
            }
        }
        while start < list.count, list[start] == nil { start += 1 }
        if list.count > 32, count < list.count / 2 {
            list.removeAll { $0 == nil }
            positions = nil
            start = 0
        }
    }

    /// Removes all objects.
    ///
    /// - Returns: the objects. The list must be consistent before the caller releases them: releasing an object can run code of
    ///   its class, which may change objects of the same context.
    package mutating func removeAll() -> [NSManagedObject] {
        let removed = all
        list = []
        positions = nil
        start = 0
        count = 0
        for object in removed { object.state.remove(flag) }
        return removed
    }

    /// The objects, in order. O(n).
    package var all: [NSManagedObject] { list.compactMap(\.self) }
}
