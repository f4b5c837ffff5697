import CoreDataSQL
import CoreData
import ObjectGraph

/// Finds objects of all entities of a store by words of their texts, for tools.
///
/// The store is opened for reading only, and its index is a temporary one: neither the store nor an index beside it changes. On request
/// the index beside the store is used and made, where there can be one. A store without persistent history is searched too: its rows are
/// indexed anew after it has changed.
///
/// Used on the queue of its context.
package final class StoreTextSearch: @unchecked Sendable {
    // Unchecked: what is not constant is used on the queue of the context.

    /// What is searched.
    package enum Attributes: Hashable, Sendable {
        /// What the model says: the attributes with "Index in Spotlight", and display names.
        case indexed
        /// All strings, URIs and UUIDs as well.
        case all
    }

    /// Which objects are requested.
    package struct Request: Sendable {
        package let words: String
        /// The name of the only entity whose objects are found, those of its subentities included; nil for all.
        package var entity: String?
        /// How many objects of each entity are left out, from the first on.
        package var offset = 0
        /// How many objects of each entity are returned at most.
        package var limit = 20

        package init(_ words: String) { self.words = words }
    }

    /// How far a search has come.
    package enum State: Sendable {
        /// It is indexing; so many objects of all are indexed.
        case indexing(done: Int, total: Int)
        case found(FoundObjects)
    }

    private let source: OpenStore
    /// The context whose queue this is used on.
    package let context: NSManagedObjectContext
    private let search: StoreSearch

    /// A build of the index that a call has not brought to its end.
    private struct Build {
        let progress: Progress
        var end: ContinuousClock.Instant
    }

    private var build: Build?
    /// After that time a build that no call went on with is not the one of the present question.
    private static let longestPause = Duration.seconds(10)

    /// Opens a store.
    ///
    /// - Parameter keepsIndex: whether the index is the one of the store's programs, which is beside it and follows its persistent
    ///   history, and is made if it is missing. It is a temporary one all the same where the store has no history, or it or its folder
    ///   cannot be written to, where all strings are searched, for a model made from tables, whose entities have other hashes, and
    ///   where the index that is there was made by other flags: it would be rebuilt, and again by its program.
    /// - Throws: as `OpenStore.init(_:model:isReadOnly:makesFile:adapting:)`.
    package init(
        _ url: URL, model: NSManagedObjectModel?, attributes: Attributes = .indexed, keepsIndex: Bool = false
    ) throws {
        var opened = try OpenStore(url, model: model) { model in
            try attributes == .all ? model.indexingAllStrings() : model
        }
        if keepsIndex, attributes == .indexed, try opened.canKeepIndex() {
            try opened.close()
            opened = try OpenStore(url, model: model, isReadOnly: false)
            if try StoreSearch.of(opened.store).hasOtherContents() {
                try opened.close()
                opened = try OpenStore(url, model: model)
            }
        }
        source = opened
        context = NSManagedObjectContext(.privateQueue)
        context.persistentStoreCoordinator = source.coordinator
        search = try StoreSearch.of(source.store, readsRows: true)
    }

    /// What is to be said of everything that is read of the store, each as a sentence.
    package var notices: [String] { source.notices }

    /// Closes the store.
    ///
    /// - Throws: an error of the store.
    package func close() throws { try source.close() }

    /// Whether there is something to be searched: an attribute with "Index in Spotlight" that is text, or a display name.
    package var isPossible: Bool { source.entities.contains(where: isSearched) }

    private func isSearched(_ entity: SQLEntity) -> Bool {
        !SearchedFields(entity.storedEntity.entity).fields.isEmpty
    }

    /// Finds objects, after the index was brought up to date.
    ///
    /// - Parameters:
    ///   - cancellation: ends the search of the complete index, in the middle of an entity or between two.
    ///   - goesOn: is called now and then while the store is indexed, with the number of the indexed objects and of all. When it returns
    ///     false, this returns how far it has come, and the next call goes on from there.
    /// - Throws: `StoreToolError` for an entity that is not there, or has nothing to be searched; `NSUserCancelledError`; an error of the
    ///   store or the index.
    package func find(
        _ request: Request, endedBy cancellation: FetchCancellation = FetchCancellation(),
        goesOn: (Int, Int) -> Bool = { _, _ in true }
    ) throws -> State {
        try cancellation.check()
        let entities = try entities(request.entity)
        if let state = try index(goesOn) { return state }
        // Objects of the last search are not needed any more.
        defer { context.reset() }
        return .found(
            try StoreSearch.ended(by: cancellation) {
                try StoreSearch.asIndexed { try found(request, entities) }
            })
    }

    /// - Returns: nil when the index is complete.
    private func index(_ goesOn: (Int, Int) -> Bool) throws -> State? {
        let known = build.flatMap { ContinuousClock.now - $0.end < Self.longestPause ? $0 : nil }
        let progress = known?.progress ?? Progress(totalUnitCount: -1)
        func counts() throws -> (done: Int, total: Int) {
            // Counting takes a while in a large store, and most searches find a complete index.
            if progress.totalUnitCount < 0 { progress.totalUnitCount = Int64(try search.objectCount()) }
            // Objects that were added meanwhile are indexed too.
            let total = max(progress.totalUnitCount, progress.completedUnitCount)
            return (Int(progress.completedUnitCount), Int(total))
        }
        var failure: (any Error)?
        let isComplete = try search.advance(progress, finishes: known != nil) {
            do {
                let (done, total) = try counts()
                return !goesOn(done, total)
            } catch {
                failure = error
                return true
            }
        }
        if let failure { throw failure }
        build = isComplete ? nil : Build(progress: progress, end: .now)
        guard !isComplete else { return nil }
        let (done, total) = try counts()
        return .indexing(done: done, total: total)
    }

    /// The entities whose objects are found, by name.
    private func entities(_ name: String?) throws -> [SQLEntity] {
        guard let name else { return source.entities.filter(isSearched) }
        let wanted = try source.entity(named: name).storedEntity.entity
        let found = source.entities.filter {
            $0.storedEntity.entity.isKindOf(entity: wanted) && isSearched($0)
        }
        guard !found.isEmpty else {
            throw StoreToolError(
                "Entity '\(name)' cannot be searched: none of its attributes has \"Index in Spotlight\".")
        }
        return found
    }

    private func found(_ request: Request, _ entities: [SQLEntity]) throws -> FoundObjects {
        let counts = try context.searchCounts(request.words)
        let groups = try entities.compactMap { entity -> FoundObjects.Group? in
            guard let count = counts[entity.name], count > 0 else { return nil }
            var search = SearchRequest<NSManagedObject>(request.words, entityName: entity.name)
            search.includesSubentities = false
            search.fetchOffset = request.offset
            search.fetchLimit = request.limit
            let result = try context.search(search)
            return FoundObjects.Group(
                name: entity.name, count: result.count, isRanked: result.isRanked,
                objects: result.hits.map(FoundObjects.Hit.init))
        }
        return FoundObjects(entities: groups)
    }
}

extension NSManagedObjectModel {
    /// A copy in which all strings, URIs and UUIDs have "Index in Spotlight", which is not a part of version hashes.
    fileprivate func indexingAllStrings() throws -> NSManagedObjectModel {
        guard let copy = copy() as? NSManagedObjectModel else {
            throw StoreToolError("The model cannot be copied.")
        }
        for attribute in copy.entities.flatMap(\.attributesByName.values) where attribute.isPlainText {
            attribute.isIndexedBySpotlight = true
        }
        return copy
    }
}

extension NSAttributeDescription {
    /// Whether it is stored as text of its own. What is derived has the text of another attribute.
    fileprivate var isPlainText: Bool {
        guard !isTransient, !(self is NSDerivedAttributeDescription) else { return false }
        switch attributeType {
        case .stringAttributeType, .URIAttributeType, .UUIDAttributeType: return true
        default: return false
        }
    }
}
