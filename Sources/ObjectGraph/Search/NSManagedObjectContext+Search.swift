import CocoaFoundation
import Foundation
import FullTextSearch
import ManagedObjectModel

extension NSManagedObjectContext {
    /// The objects that have some words, the best first.
    ///
    /// Unsaved changes of the context count. What was committed to the stores before the call is found: a search waits for the index of
    /// a store to come so far, which takes long only where it has not been built yet. `NSPersistentStoreCoordinator.startSearchIndexing()`
    /// builds it ahead, and the asynchronous form of this method waits without blocking the context's queue. Of a context that has
    /// pinned a query generation, too, the index is the current one.
    ///
    /// Call it on the context's queue.
    ///
    /// - Throws: 134060 for an entity or an attribute that is not indexed, a store that can be changed and has no persistent history
    ///   (`NSPersistentHistoryTrackingKey`) or is of a type that cannot be searched, a condition that the store cannot evaluate; an error
    ///   of the store or of the index.
    public func search<Object>(_ request: SearchRequest<Object>) throws -> SearchResult<Object> {
        try MatchBudget.sharing {
            try identityMap.collectingRegistrations { try SearchRun(request, self).result() }
        }
    }

    /// The first objects of a class that have some words, the best first.
    ///
    /// - Throws: as `search(_:)` with a request.
    public func search<Object: NSManagedObject>(
        _ words: String, in type: Object.Type
    ) throws -> SearchResult<Object> {
        try search(SearchRequest(words, in: type))
    }

    /// The objects that have some words, the best first. The indexes are brought up to date without blocking the context's queue.
    ///
    /// A cancelled task ends the building of an index at its next step, which is kept, and the search itself in the middle of
    /// reading an index.
    ///
    /// - Throws: `CancellationError`; as `search(_:)`.
    nonisolated(nonsending) public func search<Object>(
        _ request: SearchRequest<Object>
    ) async throws -> SearchResult<Object> {
        if let coordinator = persistentStoreCoordinator {
            let entity =
                request.entityName.map { coordinator.managedObjectModel.entitiesByName[$0] }
                ?? coordinator.entity(for: Object.self)
            // The search itself reports an entity that is missing.
            let stores = coordinator.searchedStores.filter { store in
                entity.map { store.storedEntity(of: $0) != nil } ?? false
                    && request.affectedStores.map { $0.contains { $0 === store } } ?? true
            }
            try await coordinator.updateSearchIndexes(of: stores)
        }
        try Task.checkCancellation()
        let cancellation = FetchCancellation()
        do {
            return try await withTaskCancellationHandler {
                try await perform { try StoreSearch.ended(by: cancellation) { try self.search(request) } }
            } onCancel: {
                cancellation.cancel()
            }
        } catch  where cancellation.isCancelled && FetchCancellation.isError(error) {
            throw CancellationError()
        }
    }

    /// How many objects of each entity have some words, by the name of the entity; entities without any are left out. Objects count for
    /// their own entity, and not for its superentities.
    ///
    /// - Throws: as `search(_:)`.
    public func searchCounts(_ words: String, completesLastWord: Bool = false) throws -> [String: Int] {
        adoptPermanentIDs()
        processPendingChanges()
        if !hasChanges, parentContext == nil {
            return try indexedCounts(SearchQuery(words, completesLastWord: completesLastWord))
        }
        var counts: [String: Int] = [:]
        for entity in persistentStoreCoordinator?.managedObjectModel.entities ?? [] {
            guard let name = entity.name, !entity.isAbstract, !SearchedFields(entity).fields.isEmpty else {
                continue
            }
            let request = NSFetchRequest<any NSFetchRequestResult>(entityName: name)
            request.includesSubentities = false
            request.predicate = NSPredicate(searching: words, completesLastWord: completesLastWord)
            let count = try countAny(request)
            if count > 0 { counts[name] = count }
        }
        return counts
    }

    /// The counts of the indexes alone.
    private func indexedCounts(_ query: SearchQuery) throws -> [String: Int] {
        var counts: [String: Int] = [:]
        for store in persistentStoreCoordinator?.searchedStores ?? [] where reads(store) {
            try StoreSearch.of(store).read { opened in
                for collection in opened.contents.fieldCounts.indices {
                    for (number, count) in try opened.index.counts(
                        IndexedSearch(query: query, collection: collection))
                    {
                        guard let name = store.storedEntity(number: number)?.entity.name else { continue }
                        counts[name, default: 0] += count
                    }
                }
            }
        }
        return counts
    }

    /// Words that begin as the last word of a text does, those of the most objects first, as one of the objects has them written.
    ///
    /// They are words of saved objects. When more than 1,000 words of a store begin so, the 1,000 that most objects have are examined,
    /// with objects of other entities of the same hierarchy counted: a rarer word is suggested once more of it is written.
    ///
    /// - Parameters:
    ///   - text: what a person has written so far.
    ///   - type: the class of the objects.
    ///   - limit: how many words there are at most.
    /// - Throws: as `search(_:)`.
    public func searchSuggestions<Object: NSManagedObject>(
        _ text: String, in type: Object.Type, limit: Int = 10
    ) throws -> [String] {
        try searchSuggestions(SearchRequest(text, in: type), limit: limit)
    }

    /// Words that begin as the last word of a request's text does; see `searchSuggestions(_:in:limit:)`. The entity and the stores of
    /// the request count.
    ///
    /// - Throws: as `search(_:)`.
    public func searchSuggestions<Object>(_ request: SearchRequest<Object>, limit: Int = 10) throws
        -> [String]
    {
        guard limit > 0, let last = SearchTokenizer.tokens(of: request.words).last,
            last.range.upperBound == request.words.utf8.count
        else { return [] }
        let fetch = try ResolvedFetch(searchFetchRequest(request), self)
        try SearchPredicate("", attributes: nil, completesLastWord: false).check(fetch.entity)
        var found: [(word: IndexedWord, store: any ObjectStore)] = []
        for store in fetch.stores {
            found += try StoreSearch.of(store).read { opened in
                let schema = opened.contents as? SearchSchema
                let kinds =
                    schema?.kinds(of: fetch.entity, includingSubentities: request.includesSubentities) ?? []
                guard let collection = kinds.first?.collection else { return [] }
                return try opened.index.words(
                    beginningWith: last.key, in: collection,
                    ofKinds: Set(kinds.map(\.storedEntity.entityNumber)),
                    limit: limit
                ).map { ($0, store) }
            }
        }
        let stores = found.map(\.store)
        let order = found.indices.sorted { found[$0].word.documentCount > found[$1].word.documentCount }
        var seen: Set<String> = []
        var words: [String] = []
        for index in order where words.count < limit && seen.insert(found[index].word.key).inserted {
            words.append(try writtenForm(of: found[index].word, fetch.entity, stores[index]))
        }
        return words
    }

    /// A word as an object has it.
    private func writtenForm(
        of word: IndexedWord, _ entity: NSEntityDescription, _ store: any ObjectStore
    ) throws -> String {
        guard let storedEntity = store.storedEntity(of: entity),
            let row = try store.row(
                of: storedEntity, word.document, notBefore: 0, for: StoreReader(client: self)),
            let own = store.storedEntity(number: row.entityNumber)
        else { return word.key }
        for (_, text) in SearchedFields(own.entity).texts(of: row) {
            if let token = SearchTokenizer.tokens(of: text).first(where: { $0.key == word.key }) {
                return String(decoding: Array(text.utf8)[token.range], as: UTF8.self)
            }
        }
        return word.key
    }
}
