import CocoaFoundation
import Foundation
import ManagedObjectModel

// The steps of a fetch in a child: the parent executes the request, with its unsaved changes, and the child uses the result
// like that of a store.

extension NSManagedObjectContext {
    /// The objects that the parent finds, with their present values if the request includes them.
    ///
    /// - Parameter dirtyCount: how many of them may have to be left out; nil when none is.
    func parentObjects(_ fetch: ResolvedFetch, widenedBy dirtyCount: Int? = nil) throws -> [NSManagedObject] {
        let isRefreshing = fetch.specification.shouldRefreshRefetchedObjects
        let needsRows =
            fetch.batchSize == 0
            && (fetch.specification.includesPropertyValues || !fetch.specification.returnsObjectsAsFaults
                || isRefreshing)
        let shown = try readParent { parent in
            try parent.show(fetch.inParent(parent, widenedBy: dirtyCount), needsRows: needsRows)
        }
        return objects(shown, refreshing: isRefreshing)
    }

    /// Executes a request for a child.
    private func show(_ fetch: ResolvedFetch, needsRows: Bool) throws -> [ParentRow] {
        processPendingChanges()
        if needsRows, let shown = try showRows(fetch) { return shown }
        return try identityMap.collectingRegistrations {
            try objects(fetch).map { object in
                ParentRow(
                    identity: ObjectIdentity(object), row: needsRows ? try presentRow(of: object) : nil)
            }
        }
    }

    /// The rows that a request finds without unsaved changes: no objects are instantiated here. The row of a loaded object
    /// takes precedence. Nil if objects are needed.
    private func showRows(_ fetch: ResolvedFetch) throws -> [ParentRow]? {
        guard parentContext == nil, !hasChanges, fetch.stores.count == 1, let store = fetch.stores.first,
            store.fetchesRows, !fetch.specification.shouldRefreshRefetchedObjects
        else { return nil }
        let rows = try store.rows(for: fetch.query(store))
        guard let table = store.storedEntity(of: fetch.entity)?.table else { return nil }
        let known = rows.withPointers { rows in
            identityMap.objects(table: table, references: rows.lazy.map { $0.reference })
        }
        return rows.indices.compactMap { index in
            let row = rows[index]
            guard let storedEntity = store.storedEntity(number: row.entityNumber) else { return nil }
            let loaded = (known.isEmpty ? nil : known[index]).flatMap {
                !$0.isFault && $0.stands(for: row) ? $0.row : nil
            }
            return ParentRow(
                identity: ObjectIdentity(storedEntity: storedEntity, reference: row.reference),
                row: loaded ?? row)
        }
    }

    /// The IDs of the objects that the parent finds.
    func parentObjectIDs(_ fetch: ResolvedFetch) throws -> [NSManagedObjectID] {
        try readParent { parent in
            parent.processPendingChanges()
            return try parent.objectIDs(fetch.inParent(parent, widenedBy: nil))
        }
    }

    /// How many objects the request finds in the parent and among this context's changes.
    func parentCount(_ fetch: ResolvedFetch, _ pending: PendingMatches) throws -> Int {
        guard !pending.isEmpty else {
            return try readParent { parent in
                parent.processPendingChanges()
                return try parent.count(fetch.inParent(parent, widenedBy: nil))
            }
        }
        // The parent's results for objects that have changed here do not count.
        let dirty = pending.dirtyIDs
        let (all, left) = try readParent { parent in
            parent.processPendingChanges()
            let fetch = try fetch.unlimited.inParent(parent, widenedBy: nil)
            return (try parent.count(fetch), dirty.isEmpty ? 0 : try parent.count(fetch.among(dirty)))
        }
        let count = all - left + (try pending.matches(in: self).count)
        let rest = max(0, count - fetch.specification.fetchOffset)
        return fetch.specification.fetchLimit > 0 ? min(rest, fetch.specification.fetchLimit) : rest
    }

    // MARK: Dictionaries

    /// Dictionaries made of the parent's values.
    func parentDictionaries(_ fetch: ResolvedFetch) throws -> [NSDictionary] {
        try readParent { parent in
            parent.processPendingChanges()
            return try parent.presentDictionaries(fetch.inParent(parent, widenedBy: nil))
        }
    }

    /// Dictionaries made of the objects as they are here. Without unsaved changes they are those of the stores.
    private func presentDictionaries(_ fetch: ResolvedFetch) throws -> [NSDictionary] {
        guard hasChanges else { return try dictionaries(fetch) }
        // In the store's order of equal rows.
        let matches = try objects(fetch.forMatches).sorted {
            $0.key.order($1.key) == .orderedAscending
        }
        let (properties, groupBy) = fetch.columns
        let query = DictionaryQuery(
            entity: fetch.entity, properties: properties, groupBy: groupBy,
            having: fetch.specification.havingPredicate, order: fetch.storeOrder,
            isDistinct: fetch.specification.returnsDistinctResults)
        return fetch.window(try query.dictionaries(of: matches)).map { $0 as NSDictionary }
    }

    // MARK: Prefetching

    /// Loads one relationship of objects, and the rows of its destinations, by one request to the parent; the
    /// destinations.
    func prefetchFromParent(
        _ relationship: NSRelationshipDescription, _ objects: [NSManagedObject]
    ) throws -> [NSManagedObject] {
        let owners = objects.filter { !$0.isUnknownBelow }
        guard relationship.isToMany else {
            let found = owners.flatMap { owner in
                owner.layout.index(of: relationship.name).map(owner.readFiringFault) ?? []
            }
            try loadParentRows(of: found)
            return found
        }
        let unloaded = owners.filter { owner in
            owner.layout.index(of: relationship.name).map { !owner.toMany(at: $0).isLoaded } ?? false
        }
        let objectIdentities = unloaded.map(ObjectIdentity.init)
        let found = try readParent { parent in try parent.show(relationship, of: objectIdentities) }
        for (owner, shown) in zip(unloaded, found) {
            guard let slot = owner.layout.index(of: relationship.name) else { continue }
            owner.toMany(at: slot).load(self.objects(shown))
        }
        return owners.flatMap { owner in
            owner.layout.index(of: relationship.name).map { owner.toMany(at: $0).ordered } ?? []
        }
    }

    /// The destinations of a to-many relationship for each of several owners, with their values.
    private func show(
        _ relationship: NSRelationshipDescription, of objectIdentities: [ObjectIdentity]
    ) throws -> [[ParentRow]] {
        let owners = objectIdentities.map { object(storedEntity: $0.storedEntity, reference: $0.reference) }
        return try throwingFaultingErrors {
            _ = try prefetch(relationship, owners)
            return try owners.map { owner in
                guard let slot = owner.layout.index(of: relationship.name) else { return [] }
                return try owner.loadedToMany(at: slot).ordered.filter { !$0.isDeleted }.map {
                    ParentRow(identity: ObjectIdentity($0), row: try presentRow(of: $0))
                }
            }
        }
    }

    /// Loads faults with the parent's values, by one request.
    private func loadParentRows(
        of objects: [NSManagedObject], paddedTo size: Int = 0, refreshing isRefreshing: Bool = false
    ) throws {
        let objectIdentities = objects.filter { object in
            object.isFault ? object.row == nil : isRefreshing && !object.hasChanges
        }.map(ObjectIdentity.init)
        guard !objectIdentities.isEmpty else { return }
        let shown = try readParent { parent in
            // Only the row shows the exact entity of a superentity's ID.
            let found = objectIdentities.map { identity in
                identity.storedEntity.entity.subentities.isEmpty
                    ? parent.object(at: identity)
                    : parent.object(storedEntity: identity.storedEntity, reference: identity.reference)
            }
            try parent.loadRows(of: found, paddedTo: size, refreshing: isRefreshing)
            return try found.map {
                ParentRow(identity: ObjectIdentity($0), row: try parent.presentRow(of: $0))
            }
        }
        _ = self.objects(shown, refreshing: isRefreshing)
    }

    /// Loads the rows of faults, so that reading them takes no request; see `loadRows(of:from:paddedTo:refreshing:)`.
    func loadRows(
        of objects: [NSManagedObject], paddedTo size: Int = 0, refreshing isRefreshing: Bool = false
    ) throws {
        if parentContext != nil {
            return try loadParentRows(of: objects, paddedTo: size, refreshing: isRefreshing)
        }
        for store in persistentStoreCoordinator?.objectStores ?? [] {
            try loadRows(of: objects, from: store, paddedTo: size, refreshing: isRefreshing)
        }
    }
}
