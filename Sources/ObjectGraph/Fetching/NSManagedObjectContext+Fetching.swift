import CocoaFoundation
import Foundation
import ManagedObjectModel

// The steps of a fetch: the request is resolved against the model, stores return rows, the identity map returns the one object
// for each row, and unsaved changes are merged.

extension NSManagedObjectContext {
    /// The requested objects, IDs, dictionaries or count.
    ///
    /// Unsaved changes count, unless the request says otherwise: the result is what the same request would find
    /// after a save, in the same order, limits included, also where its condition or its order reads *related*
    /// objects that have unsaved changes. Apple's framework decides by the stored values there. Dictionaries are made of
    /// stored rows alone.
    ///
    /// Objects that are equal in the request's order, or of a request without one, are in the order of their keys, new ones
    /// last; those of several stores without an order are store by store. For a request without an order, a subclass of
    /// `NSIncrementalStore` decides the order itself; unsaved matches follow its results.
    ///
    /// - Throws: a clear error for an unknown entity or key, a condition that the store cannot evaluate, a request
    ///   whose parts contradict each other; an error of the store.
    public func fetch<T: NSFetchRequestResult>(_ request: NSFetchRequest<T>) throws -> [T] {
        try fetchTyped(request, as: T.self)
    }

    /// The result of a request, as a list of one type.
    ///
    /// - Throws: as `fetch(_:)`.
    func fetchTyped<T>(_ request: NSPersistentStoreRequest, as _: T.Type) throws -> [T] {
        let result = try fetchResult(request)
        if let typed = result.typed(T.self) { return typed }
        let found = result.values
        let wrong = found.first { !($0 is T) }
        throw NSError.coreData(
            .coreData,
            """
            The request asks for \(T.self), but the result has a \(wrong.map { "\(type(of: $0))" } ?? "?"): check the \
            request's result type, and that the class named in the model is found (NSManagedObjectModel.register(_:)).
            """)
    }

    /// The requested objects, IDs, dictionaries or count.
    ///
    /// - Throws: as `fetch(_:)` with a typed request.
    public func fetch(_ request: NSFetchRequest<any NSFetchRequestResult>) throws -> [Any] {
        try fetchAny(request)
    }

    /// How many objects the request would find.
    ///
    /// - Throws: as `fetch(_:)`.
    public func count<T: NSFetchRequestResult>(for request: NSFetchRequest<T>) throws -> Int {
        try countAny(request)
    }

    /// How many objects the request would find.
    ///
    /// - Throws: as `fetch(_:)`.
    public func count(for request: NSFetchRequest<any NSFetchRequestResult>) throws -> Int {
        try countAny(request)
    }

    func fetchAny(_ request: NSPersistentStoreRequest) throws -> [Any] { try fetchResult(request).values }

    /// The results of a request in the stores, without unsaved changes.
    func storedResult(of request: NSPersistentStoreRequest) throws -> [Any] {
        try MatchBudget.sharing {
            try identityMap.collectingRegistrations {
                try fetched(ResolvedFetch(request, self).withoutPendingChanges).values
            }
        }
    }

    private func fetchResult(_ request: NSPersistentStoreRequest) throws -> FetchResult {
        try MatchBudget.sharing {
            try identityMap.collectingRegistrations { try fetched(ResolvedFetch(request, self)) }
        }
    }

    private func fetched(_ fetch: ResolvedFetch) throws -> FetchResult {
        adoptPermanentIDs()
        processPendingChanges()
        switch fetch.specification.resultType {
        case .managedObjectIDResultType: return .others(try objectIDs(fetch))
        case .dictionaryResultType: return .others(try dictionaries(fetch))
        case .countResultType: return .others([NSNumber(value: try count(fetch))])
        default: return .objects(try found(fetch))
        }
    }

    func countAny(_ request: NSPersistentStoreRequest) throws -> Int {
        try MatchBudget.sharing {
            let fetch = try ResolvedFetch(request, self)
            adoptPermanentIDs()
            processPendingChanges()
            return try count(fetch)
        }
    }

    // MARK: Objects

    func objects(_ fetch: ResolvedFetch) throws -> [NSManagedObject] { try found(fetch).list }

    private func found(_ fetch: ResolvedFetch) throws -> FoundObjects {
        // A context without changes, which look-ups have as a rule, asks no further.
        let mayMatch = fetch.specification.includesPendingChanges && hasChanges
        return try found(fetch, mayMatch ? PendingMatches(fetch, self) : nil)
    }

    /// - Parameter pending: the unsaved changes that affect the fetch; nil for none.
    private func found(_ fetch: ResolvedFetch, _ pending: PendingMatches?) throws -> FoundObjects {
        let dirtyCount = pending?.dirtyCount ?? 0
        let isWindowed = pending?.isEmpty ?? true && (parentContext != nil || fetch.stores.count == 1)
        var found = FoundObjects([])
        var wereReadAhead = false
        if parentContext != nil {
            found = FoundObjects(try parentObjects(fetch, widenedBy: isWindowed ? nil : dirtyCount))
        } else {
            for store in fetch.stores {
                let query = isWindowed ? fetch.query(store) : fetch.widened(by: dirtyCount).query(store)
                let objects: FoundObjects
                if let ahead = readAhead(query, store, fetch) {
                    objects = ahead
                    wereReadAhead = true
                } else {
                    objects = try self.objects(query, store, fetch)
                }
                if found.list.isEmpty {
                    found = objects
                } else {
                    found = FoundObjects(found.list + objects.list)
                }
            }
        }
        // The rows of the only store may have been read ahead.
        if fetch.batchSize > 0, !wereReadAhead { gather(found.list, fetch) }
        if !isWindowed {
            var list = found.list
            if parentContext == nil, fetch.stores.count > 1 { list = sorted(list, by: fetch.storeOrder) }
            found = FoundObjects(fetch.window(try pending?.overlay(on: list, in: self) ?? list))
        }
        let prefetching = fetch.prefetching
        if !prefetching.keyPaths.isEmpty {
            // Faults that wait for their rows load their relationships with these.
            try prefetch(prefetching, found.list.filter { $0.batch == nil })
        }
        if !fetch.specification.returnsObjectsAsFaults {
            for object in found.list { object.fireFault() }
        }
        return found
    }

    /// The objects of the rows that were read ahead; nil when the store must be queried.
    private func readAhead(
        _ query: FetchQuery, _ store: any ObjectStore, _ fetch: ResolvedFetch
    ) -> FoundObjects? {
        fetch.specification.readAhead?.rows(of: store, for: query).map {
            instantiate(
                $0, from: store, refreshing: fetch.specification.shouldRefreshRefetchedObjects)
        }
    }

    /// The objects that a store finds; without rows when only identities are requested.
    private func objects(
        _ query: FetchQuery, _ store: any ObjectStore, _ fetch: ResolvedFetch
    ) throws -> FoundObjects {
        let specification = fetch.specification
        let isRefreshing = specification.shouldRefreshRefetchedObjects
        let needsRows =
            specification.includesPropertyValues || !specification.returnsObjectsAsFaults || isRefreshing
        if needsRows, store.fetchesRows {
            if let slots = fetch.partialSlots, let rows = try store.partialRows(for: query, slots) {
                return FoundObjects(instantiate(rows, slots, from: store))
            }
            if fetch.batchSize == 0 {
                return instantiate(try store.rows(for: query), from: store, refreshing: isRefreshing)
            }
        }
        let keys = try store.keys(for: query)
        let objects =
            store.fetchesRows
            ? instantiate(keys, from: store)
            // A custom store may return an object twice, and objects of several hierarchies.
            : keys.compactMap { key in
                store.storedEntity(number: key.entityNumber).map {
                    object(storedEntity: $0, reference: key.reference)
                }
            }
        if isRefreshing { try refreshRefetched(objects) }
        return FoundObjects(objects)
    }

    /// Refreshes loaded objects with the store's current values.
    private func refreshRefetched(_ objects: [NSManagedObject]) throws {
        for object in objects where !object.isFault && !object.hasChanges {
            if let row = try storedRow(of: object, notBefore: .infinity) { refreshValues(of: object, row) }
        }
    }

    func objectIDs(_ fetch: ResolvedFetch) throws -> [NSManagedObjectID] {
        let pending = try PendingMatches(fetch, self)
        if pending.isEmpty, parentContext != nil { return try parentObjectIDs(fetch) }
        guard pending.isEmpty, fetch.stores.count == 1, let store = fetch.stores.first else {
            return try found(fetch, pending).list.map(\.objectID)
        }
        return try store.keys(for: fetch.query(store)).compactMap { key in
            store.storedEntity(number: key.entityNumber).map {
                NSManagedObjectID(storedEntity: $0, reference: key.reference)
            }
        }
    }

    /// Dictionaries are made of stored rows only or, with a parent, of the parent's values.
    func dictionaries(_ fetch: ResolvedFetch) throws -> [NSDictionary] {
        if parentContext != nil { return try parentDictionaries(fetch) }
        guard fetch.stores.count > 1 else {
            return try fetch.stores.flatMap { store in
                let query = fetch.query(store)
                return try fetch.specification.readAhead?.dictionaries(of: store, for: query)
                    ?? store.dictionaries(for: query)
            }.map { $0 as NSDictionary }
        }
        try fetch.checkDictionariesOfStores()
        var found: [NSDictionary] = []
        for store in fetch.stores {
            let query = fetch.widened(by: 0).query(store)
            found += try store.dictionaries(for: query).map { $0 as NSDictionary }
        }
        if fetch.specification.returnsDistinctResults {
            var seen: Set<NSDictionary> = []
            found = found.filter { seen.insert($0).inserted }
        }
        return fetch.window(sorted(found, by: fetch.storeOrder))
    }

    func count(_ fetch: ResolvedFetch) throws -> Int {
        if fetch.specification.resultType == .dictionaryResultType {
            return try dictionaries(fetch).count
        }
        let pending = try PendingMatches(fetch, self)
        if parentContext != nil { return try parentCount(fetch, pending) }
        guard !pending.isEmpty || fetch.stores.count != 1 else {
            return try fetch.stores.reduce(0) { try $0 + $1.count(for: fetch.query($1)) }
        }
        var count = 0
        for store in fetch.stores {
            var query = fetch.query(store)
            query.limit = 0
            query.offset = 0
            count += try store.count(for: query)
            let dirty = pending.references(in: store)
            if !dirty.isEmpty {
                query.references = dirty
                count -= try store.count(for: query)
            }
        }
        count += try pending.matches(in: self).count
        let rest = max(0, count - fetch.specification.fetchOffset)
        return fetch.specification.fetchLimit > 0 ? min(rest, fetch.specification.fetchLimit) : rest
    }

    // MARK: Fetched properties

    /// The objects that a fetched property leads to; nil when they cannot be fetched.
    func fetchedPropertyValue(of object: NSManagedObject, _ slot: Int) -> [NSManagedObject]? {
        guard let property = object.layout.slots[slot].property as? NSFetchedPropertyDescription,
            let request = property.fetchRequest?.copy() as? NSFetchRequest<any NSFetchRequestResult>
        else { return [] }
        request.predicate = request.predicate?.withSubstitutionVariables([
            "FETCH_SOURCE": object, "FETCHED_PROPERTY": property,
        ])
        do {
            return try fetch(request).compactMap { $0 as? NSManagedObject }
        } catch {
            Log.objects.error(
                "Could not fetch '\(property.name)' of \(object.objectID): \(error.localizedDescription)")
            session.faultingError = error as NSError
            return nil
        }
    }
}
