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
        guard request.sortDescriptors.isEmpty, try matchCount() <= Self.mostRanked else {
            return try orderedResult()
        }
        let ranked = try rankedObjects()
        let page = Array(window(ranked))
        let objects = try objects(page.map(\.id))
        return SearchResult(
            hits: page.compactMap { found in objects[found.id].map { hit($0, found.rank) } },
            count: ranked.count, isRanked: true)
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

    /// The IDs of all objects that are found, the best first, equally good ones in the order of their keys.
    private func rankedObjects() throws -> [(id: NSManagedObjectID, rank: Double)] {
        var ranks: [ObjectKey: Double] = [:]
        var ids: [NSManagedObjectID] = []
        // Where nothing else decides, the index knows all that are found.
        let isPlain = request.predicate == nil && pending.isEmpty && context.parentContext == nil
        for store in fetch.stores {
            let (found, homes) = try StoreSearch.of(store).read { opened in
                (
                    try indexed(store, opened).map(opened.index.ranks) ?? [:],
                    try isPlain ? entities(opened, store) : [:]
                )
            }
            guard let table = store.home(of: entity)?.table else { continue }
            for (reference, rank) in found {
                ranks[ObjectKey(table: table, reference: reference)] = rank
                if let home = homes[reference] {
                    ids.append(NSManagedObjectID(home: home, reference: reference))
                }
            }
        }
        if !isPlain { ids = try context.objectIDs(fetch) }
        let dirty = pending.dirtyKeys
        let statistics = try statistics()
        return ids.map { id -> (id: NSManagedObjectID, rank: Double) in
            if !dirty.contains(id.key), let rank = ranks[id.key] { return (id, rank) }
            // An unsaved object, or one with unsaved changes.
            let object = context.object(with: id)
            let document = search.fields(of: object.entity).document(of: object)
            return (id, SearchRanking.rank(of: document, search.query, search.scope(entity), statistics))
        }.sorted { a, b in
            a.rank != b.rank ? a.rank > b.rank : a.id.key.order(b.id.key) == .orderedAscending
        }
    }

    /// The entity of each object that an index finds: the number of it is part of an ID.
    private func entities(_ opened: StoreSearch.Opened, _ store: any ObjectStore) throws -> [Int64:
        StoredEntity]
    {
        guard let all = try indexed(store, opened), let schema = opened.contents as? SearchSchema else {
            return [:]
        }
        var homes: [Int64: StoredEntity] = [:]
        let kinds = schema.kinds(of: entity, includingSubentities: request.includesSubentities)
        for kind in kinds {
            var one = all
            if kinds.count > 1 { one.kinds = [kind.home.entityNumber] }
            for key in try opened.index.keys(one, limit: nil, offset: 0) { homes[key] = kind.home }
        }
        return homes
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
            hits: ids.compactMap { id in objects[id].map { hit($0, nil) } }, count: count, isRanked: false)
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

    private func hit(_ object: Object, _ rank: Double?) -> SearchHit<Object> {
        SearchHit(object, rank: rank, search, wordCount: request.snippetWordCount)
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
            guard let entity = persistentStoreCoordinator?.entity(for: Object.self) else {
                throw NSError.coreData(
                    .coreData, "A search needs an entity: the model has none with the class \(Object.self).")
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
