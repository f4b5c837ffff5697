import CocoaFoundation
import ManagedObjectModel

/// The shared storage of lazy results: the identities, and the batches of objects that were used last.
///
/// Used on the context's queue only.
final class LazyObjects {
    private let context: NSManagedObjectContext
    /// The results of the stores or the parent.
    private let identities: IdentityList
    /// Objects with unsaved changes, in the order of their indexes in the whole result.
    private let changed: [(index: Int, object: NSManagedObject)]
    /// The requested part of the whole result.
    private let window: Range<Int>
    private let fetch: ResolvedFetch
    private let batchSize: Int
    /// The batch used last is the last one.
    private var batches: [(number: Int, objects: [NSManagedObject])] = []

    private static let maxBatches = 2

    /// - Throws: an error of the store or of the request.
    init(_ fetch: ResolvedFetch, _ context: NSManagedObjectContext) throws {
        self.context = context
        self.fetch = fetch
        batchSize = fetch.specification.fetchBatchSize > 0 ? fetch.specification.fetchBatchSize : 100
        let pending = try PendingMatches(fetch, context)
        // Wrong relationships throw now, not during iteration.
        try context.prefetch(fetch.prefetching, [])
        guard !pending.isEmpty else {
            identities = try context.identities(fetch)
            changed = []
            window = 0..<identities.count
            return
        }
        let identities = try context.identities(fetch, widenedBy: pending.dirtyCount).removing(
            pending.dirtyKeys)
        self.identities = identities
        let reader = SearchedIdentities(identities, context)
        changed = try pending.indexes(in: context, among: identities.count, reader.object)
        let all = fetch.window(0..<(identities.count + changed.count))
        window = all
    }

    var count: Int { window.count }

    /// The entities of the objects.
    var layouts: [EntityLayout] { identities.storedEntities.map(\.layout) + changed.map(\.object.layout) }

    func object(at index: Int) -> NSManagedObject {
        context.assertOnQueue()
        let (number, offset) = index.quotientAndRemainder(dividingBy: batchSize)
        if let position = batches.lastIndex(where: { $0.number == number }) {
            let batch = batches[position]
            if position != batches.count - 1 { batches.append(batches.remove(at: position)) }
            return batch.objects[offset]
        }
        let start = number * batchSize
        let first = window.lowerBound + start
        let objects = made(at: first..<min(first + batchSize, window.upperBound))
        load(objects)
        if batches.count == Self.maxBatches { batches.removeFirst() }
        batches.append((number, objects))
        return objects[offset]
    }

    /// The objects at some indexes of the whole result, not loaded.
    private func made(at indexes: Range<Int>) -> [NSManagedObject] {
        changed.isEmpty ? context.objects(at: identities, indexes) : indexes.map(made)
    }

    /// The object at an index of the whole result, not loaded.
    private func made(at index: Int) -> NSManagedObject {
        let position = changed.partitionIndex { $0.index >= index }
        if position < changed.count, changed[position].index == index { return changed[position].object }
        return context.object(at: identities[index - position])
    }

    private func load(_ objects: [NSManagedObject]) {
        let specification = fetch.specification
        do {
            let readsRows =
                specification.includesPropertyValues || !specification.returnsObjectsAsFaults
                || specification.shouldRefreshRefetchedObjects
            if readsRows {
                // Rows of an earlier fetch are older.
                for object in objects where object.isFault { object.row = nil }
                try context.loadRows(
                    of: objects, paddedTo: batchSize, refreshing: specification.shouldRefreshRefetchedObjects)
            }
            // An object whose row is gone is read when it is accessed.
            let present = objects.filter { !$0.isFault || $0.row != nil || !readsRows }
            try context.prefetch(fetch.prefetching, present)
            if !specification.returnsObjectsAsFaults { for object in present { object.fireFault() } }
        } catch {
            // Reading an element cannot throw; the next save does.
            Log.objects.error("Could not load a batch of objects: \(error.localizedDescription)")
            context.session.faultingError = error as NSError
        }
    }
}

/// The objects that a search compares, each instantiated on demand.
private final class SearchedIdentities {
    private let identities: IdentityList
    private let context: NSManagedObjectContext
    private var seen: [Int: NSManagedObject] = [:]

    init(_ identities: IdentityList, _ context: NSManagedObjectContext) {
        self.identities = identities
        self.context = context
    }

    func object(at index: Int) -> NSManagedObject {
        if let known = seen[index] { return known }
        let object = context.object(at: identities[index])
        seen[index] = object
        return object
    }
}

extension NSManagedObjectContext {
    /// The identities of the objects that a request finds here, without this context's own unsaved changes.
    ///
    /// - Parameter dirtyCount: how many of them may have to be left out; nil when none is.
    fileprivate func identities(_ fetch: ResolvedFetch, widenedBy dirtyCount: Int? = nil) throws
        -> IdentityList
    {
        if parentContext != nil {
            return try readParent { parent in
                parent.processPendingChanges()
                return try parent.presentIdentities(fetch.inParent(parent, widenedBy: dirtyCount))
            }
        }
        let wanted = dirtyCount.map(fetch.widened) ?? fetch
        guard fetch.stores.count == 1, let store = fetch.stores.first else {
            var list = IdentityList()
            for object in try objects(wanted.withoutPendingChanges) {
                list.append(object.storedEntity, object.reference)
            }
            return list
        }
        return try store.identities(for: wanted.query(store))
    }

    /// The same with this context's unsaved changes, for a child.
    private func presentIdentities(_ fetch: ResolvedFetch) throws -> IdentityList {
        guard try PendingMatches(fetch, self).isEmpty else {
            var list = IdentityList()
            for object in try objects(fetch) { list.append(object.storedEntity, object.reference) }
            return list
        }
        return try identities(fetch)
    }
}
