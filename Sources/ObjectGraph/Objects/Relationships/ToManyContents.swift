import CSwiftRuntime
import Foundation

/// The destinations of one object's to-many relationship.
///
/// Not loaded, it holds only what was added and removed since the last save, so that setting `book.author` does not
/// fetch all books of the author. Loaded, it has the members, in order if the relationship is ordered.
///
/// Invariant: `added` and `removed` are disjoint; when loaded, every added object is a member and no removed one is. While nothing
/// is stored, the relationship is loaded and not ordered, `removed` is empty, and `added` has the members.
package final class ToManyContents {
    // An object is used on one queue only, and sets of objects run no code of a program.

    package let isOrdered: Bool
    @exclusivity(unchecked) package private(set) var isLoaded: Bool
    /// Whether nothing is stored: those that were added are the members, and no second set of them is kept.
    @exclusivity(unchecked) private var isNew: Bool
    /// The members when loaded. Of an ordered relationship: those of `order`.
    package private(set) var members: Set<NSManagedObject> {
        _read {
            if isNew {
                yield added
            } else {
                collect()
                yield set
            }
        }
        _modify {
            keepSet()
            collect()
            list = nil
            yield &set
        }
    }
    @exclusivity(unchecked) private var set: Set<NSManagedObject> = []
    /// All members, each once, as they were loaded, until one is added or removed.
    ///
    /// The set of them is made when it is needed, since most relationships are only iterated: it is empty until then. The list stays with
    /// it: the members are released in its order, which is mostly that of their memory.
    @exclusivity(unchecked) private var list: [NSManagedObject]?
    /// The members in order, of an ordered relationship, when loaded.
    @exclusivity(unchecked) package private(set) var order: [NSManagedObject] = []
    @exclusivity(unchecked) package private(set) var added: Set<NSManagedObject> = []
    @exclusivity(unchecked) package private(set) var removed: Set<NSManagedObject> = []
    /// The order in the rows of an ordered relationship, once it was changed.
    private var savedOrder: [NSManagedObject]?
    /// A class that all members are known to be of: that of the last accessor.
    @exclusivity(unchecked) private var commonClass: NSManagedObject.Type?

    package init(isOrdered: Bool, isLoaded: Bool) {
        self.isOrdered = isOrdered
        self.isLoaded = isLoaded
        isNew = isLoaded && !isOrdered
    }

    deinit {
        guard !set.isEmpty, let list = isOrdered ? order : list else { return }
        // The set is released first, in an order that memory does not have: each member would wait for its memory. Only the
        // addresses are used: another thread may use the objects.
        if list.count <= Self.mostApproached {
            list.withUnsafeBufferPointer { list in
                for index in list.indices {
                    Unmanaged.passUnretained(list[index]).approach()
                }
            }
        }
        set = []
        // Then the list, with the last references.
    }

    /// How many objects fit into the processor's caches, roughly.
    private static let mostApproached = 2048

    /// Other contents with the same members and changes.
    package func copy() -> ToManyContents {
        let copy = ToManyContents(isOrdered: isOrdered, isLoaded: isLoaded)
        copy.isNew = isNew
        copy.set = set
        copy.list = list
        copy.order = order
        copy.added = added
        copy.removed = removed
        copy.savedOrder = savedOrder
        return copy
    }

    /// Whether the destinations, or their order, are others than the stored ones. O(n) after a change of the order.
    package var hasChanges: Bool {
        !added.isEmpty || !removed.isEmpty || (savedOrder.map { $0 != order } ?? false)
    }

    /// The stored destinations in order, of a loaded ordered relationship.
    package var committedOrder: [NSManagedObject] { savedOrder ?? order }

    /// The stored destinations of a loaded relationship.
    package var committedMembers: Set<NSManagedObject> { members.subtracting(added).union(removed) }

    /// Merges the stored destinations with the changes made so far.
    package func load(_ stored: [NSManagedObject]) {
        guard !isLoaded else { return }
        isLoaded = true
        commonClass = nil
        // Added objects may have been stored already, and others may have removed the removed ones too.
        added.subtract(stored)
        if !removed.isEmpty { removed.formIntersection(stored) }
        let kept = removed.isEmpty ? stored : stored.filter { !removed.contains($0) }
        members = Set(kept)
        if isOrdered {
            order = kept + added.subtracting(members)
        }
        members.formUnion(added)
    }

    /// Merges the stored destinations with the changes made so far.
    package func load(_ stored: StoredDestinations) {
        if stored.areDistinct { loadDistinct(stored.objects) } else { load(stored.objects) }
    }

    /// Merges stored destinations, each given once, with the changes made so far to an unordered relationship.
    ///
    /// - Parameter objectClass: the class of all of them, if it is known.
    package func loadDistinct(_ stored: [NSManagedObject], all objectClass: NSManagedObject.Type? = nil) {
        guard !isLoaded, !isOrdered, added.isEmpty, removed.isEmpty else { return load(stored) }
        isLoaded = true
        commonClass = objectClass
        list = stored
    }

    /// The members of a class, as a set that shares its memory with `members` where all are of the class. O(n) for the first call with
    /// a class.
    package func members<Member: NSManagedObject>(of memberClass: Member.Type) -> Set<Member> {
        guard commonClass == memberClass || areAll(memberClass, { $0 is Member }) else {
            return Set(members.lazy.compactMap { $0 as? Member })
        }
        // Sets of all classes of objects have the same form: one reference for each, hashed and compared as `NSObject` does, which no
        // class can change.
        return unsafeBitCast(members, to: Set<Member>.self)
    }

    /// Whether all members are of a class, which is noted.
    ///
    /// - Parameter isMember: whether an object is of the class.
    private func areAll(_ memberClass: NSManagedObject.Type, _ isMember: (NSManagedObject) -> Bool) -> Bool {
        // A cast is slow, the comparison of two types is not.
        func isOfClass(_ object: NSManagedObject) -> Bool {
            type(of: object) as AnyClass == memberClass || isMember(object)
        }
        guard let list else {
            guard members.allSatisfy(isOfClass) else { return false }
            commonClass = memberClass
            return true
        }
        // Their rows will be read in the order of a set.
        let approachesRows = list.count <= Self.mostApproached
        let areAll = list.withUnsafeBufferPointer { list in
            list.indices.allSatisfy { index in
                if index + 8 < list.count {
                    coredata_prefetch(Unmanaged.passUnretained(list[index + 8]).toOpaque())
                }
                return Unmanaged.passUnretained(list[index])._withUnsafeGuaranteedRef { object in
                    if approachesRows { object.approachRow() }
                    return isOfClass(object)
                }
            }
        }
        if areAll { commonClass = memberClass }
        return areAll
    }

    /// Before an object becomes a member.
    private func noteClass(of object: NSManagedObject) {
        if let commonClass, type(of: object) as AnyClass != commonClass { self.commonClass = nil }
    }

    /// Keeps the members in a set of their own from now on.
    private func keepSet() {
        guard isNew else { return }
        isNew = false
        set = added
    }

    private func collect() {
        guard set.isEmpty, let list else { return }
        set.reserveCapacity(list.count)
        list.withUncounted { members in
            for index in members.indices {
                // Of very many members the objects are far away, and so are their rows, which are mostly read next, in the set's order.
                if index + 8 < members.count { coredata_prefetch(members[index + 8].toOpaque()) }
                members[index]._withUnsafeGuaranteedRef { member in
                    if let row = member.rowPointer { coredata_prefetch(row.words) }
                    // Inserting would count one reference more, of the member that it returns.
                    set.update(with: member)
                }
            }
        }
    }

    /// Merges new stored destinations with the changes of a loaded ordered relationship. The order made here stays;
    /// destinations that others have added follow.
    package func replaceStored(_ stored: [NSManagedObject]) {
        assert(isLoaded && isOrdered)
        commonClass = nil
        let isStored = Set(stored)
        added.subtract(isStored)
        removed.formIntersection(isStored)
        members = isStored.subtracting(removed).union(added)
        let known = order.filter(members.contains)
        let listed = Set(known)
        order = known + stored.filter { members.contains($0) && !listed.contains($0) }
        savedOrder = stored
    }

    /// Forgets the stored destinations of an unordered relationship, so that they are read again and merged with the changes.
    package func forgetStored() {
        guard isLoaded, !isOrdered else { return }
        isLoaded = false
        isNew = false
        list = nil
        set = []
        commonClass = nil
    }

    /// Adds an object, at `index` or the end of an ordered relationship. Returns whether it was new.
    @discardableResult
    package func insert(_ object: NSManagedObject, at index: Int? = nil) -> Bool {
        if isNew {
            assert(isLoaded && !isOrdered && removed.isEmpty)
            guard added.insert(object).inserted else { return false }
            noteClass(of: object)
            return true
        }
        if isLoaded {
            guard members.insert(object).inserted else { return false }
            if isOrdered {
                keepOrder()
                order.insert(object, at: min(index ?? order.count, order.count))
            }
        } else if added.contains(object) {
            return false
        }
        noteClass(of: object)
        if removed.remove(object) == nil { added.insert(object) }
        return true
    }

    /// Forgets the removal of an object that another context has removed from the stored destinations too.
    package func forgetRemoval(of object: NSManagedObject) {
        assert(!isLoaded)
        removed.remove(object)
    }

    /// Removes an object. Returns whether it was, or while not loaded may have been, a member.
    @discardableResult
    package func remove(_ object: NSManagedObject) -> Bool {
        if isNew {
            return added.remove(object) != nil
        }
        if isLoaded {
            guard members.remove(object) != nil else { return false }
            if isOrdered {
                keepOrder()
                if let position = position(of: object) { order.remove(at: position) }
            }
        } else if removed.contains(object) {
            return false
        }
        if added.remove(object) == nil { removed.insert(object) }
        return true
    }

    /// Removes members of a loaded ordered relationship. O(n).
    package func remove(_ leaving: Set<NSManagedObject>) {
        assert(isLoaded && isOrdered)
        keepOrder()
        members.subtract(leaving)
        order.removeAll(where: leaving.contains)
        for object in leaving where added.remove(object) == nil { removed.insert(object) }
    }

    /// Reorders the members of a loaded ordered relationship.
    package func reorder(_ objects: [NSManagedObject]) {
        assert(isLoaded && isOrdered && objects.count == order.count)
        keepOrder()
        order = objects
    }

    /// The index of an object in the order. O(n).
    package func position(of object: NSManagedObject) -> Int? { order.firstIndex { $0 === object } }

    private func keepOrder() {
        if savedOrder == nil { savedOrder = order }
    }

    /// After a save: the members are those of the store.
    package func markSaved() {
        keepSet()
        added = []
        removed = []
        savedOrder = nil
    }

    /// The members: in their order, else in any order, which reading `members` may change.
    package var ordered: [NSManagedObject] {
        if isOrdered { return order }
        return list ?? Array(isNew ? added : set)
    }
}

/// What a to-many relationship leads to in a store.
package struct StoredDestinations {
    let objects: [NSManagedObject]
    /// Whether each of them is certainly given once.
    let areDistinct: Bool
}
