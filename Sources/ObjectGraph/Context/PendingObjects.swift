/// Objects with unsaved changes of one kind, in the order in which they were added, held strongly.
///
/// Whether an object is in the list is a flag of the object, so that the check costs nothing.
///
/// Invariant: the objects are in `whole`, or, while some were removed from the middle, in `sparse`, and `whole` is empty.
package struct PendingObjects {
    /// The objects without gaps: a save reads the list several times, and each time it is this one, not a copy.
    private var whole: [NSManagedObject] = []
    private var sparse: Sparse?
    private let flag: ObjectState

    /// A list from which objects were removed.
    private struct Sparse {
        var list: ContiguousArray<NSManagedObject?>
        /// The index of each object; made at the first removal that is not that of the first object.
        var positions: [ObjectIdentifier: Int]?
        /// There are no objects before this index.
        var start = 0
        var count: Int

        mutating func append(_ object: NSManagedObject) {
            positions?[ObjectIdentifier(object)] = list.count
            list.append(object)
            count += 1
        }

        mutating func remove(_ object: NSManagedObject) {
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
        }
    }

    package init(flag: ObjectState) { self.flag = flag }

    package var count: Int { sparse?.count ?? whole.count }

    package var isEmpty: Bool { count == 0 }

    /// Whether the object is in the list. O(1).
    package func contains(_ object: NSManagedObject) -> Bool { object.state.contains(flag) }

    /// Adds an object, unless it is in the list. O(1).
    package mutating func insert(_ object: NSManagedObject) {
        guard !object.state.contains(flag) else { return }
        object.state.insert(flag)
        if sparse == nil {
            whole.append(object)
        } else {
            sparse?.append(object)
        }
    }

    /// Removes an object, if it is in the list. O(1) for the last one; for others O(n) the first time, then O(1) amortised.
    package mutating func remove(_ object: NSManagedObject) {
        guard object.state.contains(flag) else { return }
        object.state.remove(flag)
        if sparse == nil {
            if whole.last === object {
                whole.removeLast()
                return
            }
            sparse = Sparse(list: ContiguousArray(whole), count: whole.count)
            whole = []
        }
        sparse?.remove(object)
        guard let left = sparse, left.list.count > 32, left.count < left.list.count / 2 else { return }
        whole = left.list.compactMap(\.self)
        sparse = nil
    }

    /// Removes all objects.
    ///
    /// - Returns: the objects. The list must be consistent before the caller releases them: releasing an object can run code of
    ///   its class, which may change objects of the same context.
    package mutating func removeAll() -> [NSManagedObject] {
        let removed = all
        whole = []
        sparse = nil
        removed.forEachUncounted { $0.state.remove(flag) }
        return removed
    }

    /// Removes objects that are in the list, each given once. O(n).
    ///
    /// - Returns: objects to release; see `removeAll()`.
    package mutating func remove(all objects: [NSManagedObject]) -> [NSManagedObject] {
        // Usually they are all objects: no need to look up each.
        if objects.count == count, isWhole(objects) || objects.allSatisfy(contains) { return removeAll() }
        for object in objects { remove(object) }
        return []
    }

    /// Whether a list is this one, not copied. O(1).
    private func isWhole(_ objects: [NSManagedObject]) -> Bool {
        objects.withUnsafeBufferPointer { given in
            whole.withUnsafeBufferPointer { given.count == $0.count && given.baseAddress == $0.baseAddress }
        }
    }

    /// The objects, in order. O(1); O(n) while some were removed.
    package var all: [NSManagedObject] { sparse?.list.compactMap(\.self) ?? whole }
}
