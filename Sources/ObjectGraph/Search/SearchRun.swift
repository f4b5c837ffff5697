import CocoaFoundation
import Foundation
import FullTextSearch
import ManagedObjectModel

/// Executes a search of a context.
struct SearchRun<Object: NSManagedObject> {
    private let context: NSManagedObjectContext
    private let request: SearchRequest<Object>
    private let search: SearchPredicate
    private let entity: NSEntityDescription
    /// The fetch for the IDs of all objects that are found.
    private let fetch: ResolvedFetch
    private let pending: PendingMatches

    /// More objects are not ranked.
    private static var mostRanked: Int { 10_000 }

    /// - Throws: 134060 for an entity, an attribute or a store that cannot be searched, or a request that contradicts itself.
    init(_ request: SearchRequest<Object>, _ context: NSManagedObjectContext) throws {
        self.context = context
        self.request = request
        search = SearchPredicate(
            request.words, attributes: request.attributes, completesLastWord: request.completesLastWord)
        let found = try context.searchFetchRequest(request)
        found.predicate = NSCompoundPredicate(
            andPredicateWithSubpredicates: [search] + (request.predicate.map { [$0] } ?? []))
        context.adoptPermanentIDs()
        context.processPendingChanges()
        fetch = try ResolvedFetch(found, context)
        entity = fetch.entity
        try search.check(entity)
        guard request.fetchOffset >= 0, request.fetchLimit >= 0 else {
            throw NSError.coreData(.coreData, "fetchLimit and fetchOffset cannot be negative.")
        }
        for store in fetch.stores { _ = try StoreSearch.of(store) }
        pending = try PendingMatches(fetch, context)
    }

    func result() throws -> SearchResult<Object> {
        guard request.sortDescriptors.isEmpty else { return try orderedResult() }
        let count = try matchCount()
        guard count <= Self.mostRanked else {
            return try isPlain && fetch.stores.count == 1 ? indexedResult(count) : orderedResult()
        }
        if isPlain { return try bestResult() }
        let ranked = try rankedObjects()
        let page = window(ranked)
        let objects = try objects(page.map(\.id))
        return SearchResult(
            hits: try page.compactMap { found in try objects[found.id].map { try hit($0, found.rank) } },
            count: ranked.count, isRanked: true)
    }

    /// Whether the indexes know all that are found: nothing else decides.
    private var isPlain: Bool {
        request.predicate == nil && pending.isEmpty && context.parentContext == nil
    }

    // MARK: By rank

    /// How many objects the indexes find.
    private func matchCount() throws -> Int {
        try fetch.stores.reduce(0) { count, store in
            try count
                + StoreSearch.of(store).read { opened in
                    try indexed(store, opened).map(opened.index.count) ?? 0
                }
        }
    }

    private func indexed(_ store: any ObjectStore, _ opened: StoreSearch.Opened) throws -> IndexedSearch? {
        try StoreSearch.of(store).indexedSearch(
            search, entity, includesSubentities: request.includesSubentities, opened)
    }

    /// The best of the objects that the indexes find.
    private func bestResult() throws -> SearchResult<Object> {
        let (end, isTooFar) = request.fetchOffset.addingReportingOverflow(request.fetchLimit)
        let most = request.fetchLimit > 0 && !isTooFar ? end : nil
        var count = 0
        var best: [RankedObject] = []
        for store in fetch.stores {
            guard let storedEntity = store.storedEntity(of: entity) else { continue }
            let ranks = try StoreSearch.of(store).read { opened in
                try indexed(store, opened).map(opened.index.ranks) ?? []
            }
            count += ranks.count
            // The objects have their own entities; these are in the same table.
            best += ranks.best(most).map { found in
                RankedObject(
                    id: NSManagedObjectID(storedEntity: storedEntity, reference: found.key), rank: found.rank)
            }
        }
        if fetch.stores.count > 1 { best.sort { $0.precedes($1) } }
        let page = window(best)
        let objects = byKey(try objects(page.map(\.id)))
        return SearchResult(
            hits: try page.compactMap { found in try objects[found.id.key].map { try hit($0, found.rank) } },
            count: count,
            isRanked: true)
    }

    /// All objects that are found, the best first, equally good ones in the order of their keys.
    private func rankedObjects() throws -> [RankedObject] {
        var ranks: [ObjectKey: Double] = [:]
        for store in fetch.stores {
            guard let table = store.storedEntity(of: entity)?.table else { continue }
            let own = try StoreSearch.of(store).read { opened in
                try indexed(store, opened).map(opened.index.ranks) ?? []
            }
            for found in own { ranks[ObjectKey(table: table, reference: found.key)] = found.rank }
        }
        return try ranked(context.objectIDs(fetch), ranks).sorted { $0.precedes($1) }
    }

    /// Objects with their ranks in the index, or as they are now where that has another state of them.
    private func ranked(_ ids: [NSManagedObjectID], _ ranks: [ObjectKey: Double]) throws -> [RankedObject] {
        let dirty = pending.dirtyKeys
        let statistics = try statistics()
        return ids.map { id in
            if !dirty.contains(id.key), let rank = ranks[id.key] { return RankedObject(id: id, rank: rank) }
            let object = context.object(with: id)
            let document = search.fields(of: object.entity).document(of: object)
            return RankedObject(
                id: id,
                rank: SearchRanking.rank(of: document, search.query, search.scope(entity), statistics))
        }
    }

    private func statistics() throws -> SearchStatistics {
        var all = SearchStatistics()
        guard !pending.isEmpty || context.parentContext != nil else { return all }
        for store in fetch.stores {
            let statistics = try StoreSearch.of(store).read { opened in
                try indexed(store, opened).map(opened.index.statistics) ?? SearchStatistics()
            }
            all.documentCount += statistics.documentCount
            all.wordCount += statistics.wordCount
            all.documentCounts.merge(statistics.documentCounts, uniquingKeysWith: +)
        }
        return all
    }

    // MARK: In another order

    /// A page in the order of the keys, of which the index knows all.
    private func indexedResult(_ count: Int) throws -> SearchResult<Object> {
        let store = fetch.stores[0]
        let ids = try StoreSearch.of(store).read { opened -> [NSManagedObjectID] in
            guard let indexed = try indexed(store, opened) else { return [] }
            let limit = request.fetchLimit > 0 ? request.fetchLimit : nil
            let keys = try opened.index.keys(indexed, limit: limit, offset: request.fetchOffset)
            // The objects have their own entities; these are in the same table.
            return fetch.stores[0].storedEntity(of: entity).map { storedEntity in
                keys.map { NSManagedObjectID(storedEntity: storedEntity, reference: $0) }
            } ?? []
        }
        let objects = byKey(try objects(ids))
        return SearchResult(
            hits: try ids.compactMap { id in try objects[id.key].map { try hit($0, nil) } }, count: count,
            isRanked: false)
    }

    private func orderedResult() throws -> SearchResult<Object> {
        let found = try context.searchFetchRequest(request)
        found.predicate = fetch.specification.predicate
        found.sortDescriptors = request.sortDescriptors
        let count = try context.count(ResolvedFetch(found, context))
        found.fetchOffset = request.fetchOffset
        found.fetchLimit = request.fetchLimit
        let ids = try context.objectIDs(ResolvedFetch(found, context))
        let objects = try objects(ids)
        return SearchResult(
            hits: try ids.compactMap { id in try objects[id].map { try hit($0, nil) } }, count: count,
            isRanked: false)
    }

    // MARK: Objects

    private func window<Element>(_ found: [Element]) -> ArraySlice<Element> {
        let rest = found.dropFirst(request.fetchOffset)
        return request.fetchLimit > 0 ? rest.prefix(request.fetchLimit) : rest
    }

    /// The objects of a page, whose rows are read together. One that was deleted since is left out.
    private func objects(_ ids: [NSManagedObjectID]) throws -> [NSManagedObjectID: Object] {
        var objects: [NSManagedObjectID: Object] = [:]
        func add(_ object: NSManagedObject) throws {
            guard let typed = object as? Object else {
                throw NSError.coreData(
                    .coreData,
                    """
                    The search asks for \(Object.self), but has found a \(type(of: object)): check that the class named in the \
                    model is found (NSManagedObjectModel.register(_:)).
                    """)
            }
            objects[object.objectID] = typed
        }
        let stored = ids.filter { !$0.isTemporaryID }
        for id in ids where id.isTemporaryID { try add(context.object(with: id)) }
        guard !stored.isEmpty else { return objects }
        let page = NSFetchRequest<any NSFetchRequestResult>(entityName: entity.name ?? "")
        page.predicate = NSPredicate(format: "SELF IN %@", stored as NSArray)
        page.returnsObjectsAsFaults = false
        page.affectedStores = request.affectedStores
        for object in try context.objects(ResolvedFetch(page, context)) { try add(object) }
        return objects
    }

    private func byKey(_ objects: [NSManagedObjectID: Object]) -> [ObjectKey: Object] {
        Dictionary(objects.map { ($0.key.key, $0.value) }) { first, _ in first }
    }

    private func hit(_ object: Object, _ rank: Double?) throws -> SearchHit<Object> {
        // A few objects may have long texts.
        try StoreSearch.checkCancellation()
        return SearchHit(object, rank: rank, search, wordCount: request.snippetWordCount)
    }
}

/// An object with its rank.
private struct RankedObject {
    let id: NSManagedObjectID
    let rank: Double

    /// Whether it comes first: the better one, and of equally good ones that with the lower key.
    func precedes(_ other: RankedObject) -> Bool {
        rank != other.rank ? rank > other.rank : id.key.order(other.id.key) == .orderedAscending
    }
}

extension NSManagedObjectContext {
    /// A fetch of the IDs of the entity of a search.
    ///
    /// - Throws: 134060 when the request names no entity, and its class has none.
    func searchFetchRequest<Object>(
        _ request: SearchRequest<Object>
    ) throws -> NSFetchRequest<any NSFetchRequestResult> {
        let fetch: NSFetchRequest<any NSFetchRequestResult>
        if let name = request.entityName {
            fetch = NSFetchRequest(entityName: name)
        } else {
            // Several entities may be without a class of their own.
            guard Object.self != NSManagedObject.self,
                let entity = persistentStoreCoordinator?.entity(for: Object.self)
            else {
                throw NSError.coreData(
                    .coreData,
                    "A search needs an entity: entityName is not set, and the model has no entity with the class \(Object.self)."
                )
            }
            fetch = NSFetchRequest(entityName: entity.name ?? "")
            fetch.entity = entity
        }
        fetch.includesSubentities = request.includesSubentities
        fetch.affectedStores = request.affectedStores
        fetch.resultType = .managedObjectIDResultType
        return fetch
    }
}
