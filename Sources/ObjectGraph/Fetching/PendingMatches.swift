import CocoaFoundation
import Foundation
import ManagedObjectModel

/// The unsaved changes of a context that affect one fetch.
///
/// Every changed or deleted object is removed from the store's results; those that meet the condition now are inserted in
/// order.
struct PendingMatches {
    /// Changed and deleted objects of the entity, and those that depend on others' changes; the store's results for them do not
    /// count.
    private let dirty: Set<NSManagedObject>
    /// Those of them that may be found, and inserted ones.
    private let candidates: [NSManagedObject]
    private let fetch: ResolvedFetch

    /// - Throws: an error of a store.
    init(_ fetch: ResolvedFetch, _ context: NSManagedObjectContext) throws {
        self.fetch = fetch
        guard fetch.specification.includesPendingChanges, context.hasChanges else {
            dirty = []
            candidates = []
            return
        }
        let updated = context.tracker.updated.all.filter(\.hasPersistentChangedValues)
        let changed = updated.filter { fetch.concerns($0) && !$0.isDeleted }
        let inserted = context.tracker.inserted.all.filter { fetch.concerns($0) && !$0.isDeleted }
        let deleted = context.tracker.deleted.all.filter(fetch.concerns)
        let direct = Set(changed).union(deleted)
        let related = try Self.objects(
            readingFrom: updated + context.tracker.deleted.all, over: fetch.relatedPaths, fetch, context
        ).filter { !direct.contains($0) }
        dirty = direct.union(related)
        // In the store's order of equal rows.
        candidates = Self.inKeyOrder(changed + related) + inserted
    }

    private static func inKeyOrder(_ objects: [NSManagedObject]) -> [NSManagedObject] {
        objects.sorted { $0.key.order($1.key) == .orderedAscending }
    }

    /// Saved objects of the entity from which paths lead, in the store, to one of some changed objects.
    static func objects(
        readingFrom changed: [NSManagedObject], over paths: RelatedPaths, _ fetch: ResolvedFetch,
        _ context: NSManagedObjectContext
    ) throws -> [NSManagedObject] {
        let saved = changed.filter { !$0.isUnknownBelow }
        // A condition may name new objects, to which no row leads.
        guard !saved.isEmpty || !context.tracker.inserted.isEmpty,
            let condition = paths.condition(reaching: saved)
        else { return [] }
        let reaching = fetch.reaching(condition)
        if context.parentContext != nil { return try context.parentObjects(reaching) }
        return try reaching.stores.flatMap { store in
            try store.keys(for: reaching.query(store)).compactMap { key in
                store.storedEntity(number: key.entityNumber).map {
                    context.object(storedEntity: $0, reference: key.reference)
                }
            }
        }
    }

    /// Inserted and changed objects that meet the condition, in order.
    ///
    /// Call it after querying the stores: these find errors in the condition and the order.
    func matches(in context: NSManagedObjectContext) throws -> [NSManagedObject] {
        let matches = try candidates.filter { try fetch.isMet(by: $0, in: context) }
        guard fetch.storeOrder.isEmpty else { return sorted(matches, by: fetch.storeOrder) }
        return fetch.isInKeyOrder ? matches.sorted(by: precedes) : matches
    }

    /// Whether an object comes before another one for a request without an order: store by store, by their keys.
    private func precedes(_ a: NSManagedObject, _ b: NSManagedObject) -> Bool {
        order(a, b) == .orderedAscending
    }

    /// The order of two objects in the result.
    private func order(_ a: NSManagedObject, _ b: NSManagedObject) -> ComparisonResult {
        if fetch.storeOrder.isEmpty, fetch.stores.count > 1 {
            let (left, right) = (storeIndex(of: a), storeIndex(of: b))
            if left != right { return left < right ? .orderedAscending : .orderedDescending }
        }
        return orderInStore(a, b, by: fetch.storeOrder)
    }

    private func storeIndex(of object: NSManagedObject) -> Int {
        let store =
            object.storedEntity.isTemporary
            ? object.context?.destinedStore(of: object) : object.storedEntity.store
        return fetch.stores.firstIndex { $0 === store } ?? fetch.stores.count
    }

    var isEmpty: Bool { dirty.isEmpty && candidates.isEmpty }

    /// How many of the rows that a store finds may have to be left out.
    var dirtyCount: Int { dirty.count }

    /// The keys of changed and deleted objects.
    var dirtyKeys: Set<ObjectKey> { Set(dirty.map(\.key)) }

    /// The IDs of changed and deleted objects.
    var dirtyIDs: [NSManagedObjectID] { dirty.map(\.objectID) }

    /// The references of changed and deleted objects of one store.
    func references(in store: any ObjectStore) -> [Int64] {
        dirty.compactMap { $0.storedEntity.store === store ? $0.reference : nil }
    }

    /// The changes merged into the store's result. O(n + m log n) for m changes.
    func overlay(
        on found: [NSManagedObject], in context: NSManagedObjectContext
    ) throws -> [NSManagedObject] {
        let kept = dirty.isEmpty ? found : found.filter { !dirty.contains($0) }
        let matches = try matches(in: context)
        guard isOrdered else { return kept + matches }
        return Self.merge(matches, into: kept, by: order)
    }

    /// Whether the index of a match is known.
    private var isOrdered: Bool { !fetch.storeOrder.isEmpty || fetch.isInKeyOrder }

    /// The matches with their indexes in the result, in ascending order; see `overlay(on:in:)`.
    ///
    /// - Parameters:
    ///   - count: how many objects the store found, without those that do not count.
    ///   - object: one of these, by its index among them.
    func indexes(
        in context: NSManagedObjectContext, among count: Int, _ object: (Int) -> NSManagedObject
    ) throws -> [(index: Int, object: NSManagedObject)] {
        let matches = try matches(in: context)
        var next = 0
        return matches.enumerated().map { rank, match in
            next =
                isOrdered ? Self.position(of: match, among: next..<count, by: order, object) : count
            return (next + rank, match)
        }
    }

    /// Merges ordered objects into an ordered list. O(n + m log n).
    static func merge(
        _ objects: [NSManagedObject], into list: [NSManagedObject],
        by order: (NSManagedObject, NSManagedObject) -> ComparisonResult
    ) -> [NSManagedObject] {
        guard !objects.isEmpty else { return list }
        var result: [NSManagedObject] = []
        result.reserveCapacity(list.count + objects.count)
        var next = 0
        for object in objects {
            let position = position(of: object, among: next..<list.count, by: order) { list[$0] }
            result += list[next..<position]
            result.append(object)
            next = position
        }
        return result + list[next...]
    }

    /// The index of an object: among equal ones in the order of their keys, where new ones are last.
    private static func position(
        of object: NSManagedObject, among range: Range<Int>,
        by order: (NSManagedObject, NSManagedObject) -> ComparisonResult,
        _ element: (Int) -> NSManagedObject
    ) -> Int {
        var lower = range.lowerBound
        var upper = range.upperBound
        while lower < upper {
            let middle = (lower + upper) / 2
            if order(element(middle), object) == .orderedDescending {
                upper = middle
            } else {
                lower = middle + 1
            }
        }
        return lower
    }
}

/// The order of two objects by sort descriptors; objects that are equal by those are in the order of their keys.
func orderInStore(
    _ a: NSManagedObject, _ b: NSManagedObject, by descriptors: [NSSortDescriptor]
) -> ComparisonResult {
    for descriptor in descriptors {
        let result = descriptor.compare(a, to: b)
        if result != .orderedSame { return result }
    }
    // Two stores have no order.
    guard
        a.storedEntity.table == b.storedEntity.table || a.storedEntity.isTemporary
            || b.storedEntity.isTemporary
    else {
        return .orderedSame
    }
    return a.key.order(b.key)
}
