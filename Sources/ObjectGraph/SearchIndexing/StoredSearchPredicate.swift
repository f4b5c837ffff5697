import CocoaFoundation
import Foundation
import FullTextSearch
import ManagedObjectModel

/// A search as a store executes it: the keys that the store's index has found.
package final class StoredSearchPredicate: StorePredicate, CheckedPredicate {
    private let found: Result<[Int64], any Error>
    /// Used by one thread, that of the fetch.
    private lazy var members = Set((try? found.get()) ?? [])

    init(_ text: String, _ found: Result<[Int64], any Error>) {
        self.found = found
        super.init(text)
    }

    /// The keys of the objects, in ascending order.
    ///
    /// - Throws: the error of the search.
    package func references() throws -> [Int64] { try found.get() }

    package func check() throws { _ = try found.get() }

    package override func evaluate(with object: Any?, substitutionVariables bindings: [String: Any]?) -> Bool
    {
        switch object {
        case let node as NSAtomicStoreCacheNode: members.contains(node.objectID.reference)
        case let object as NSManagedObject: members.contains(object.reference)
        default: false
        }
    }

    package required init?(coder: NSCoder) { nil }
}

extension NSPredicate {
    /// Whether a part of the predicate is a search.
    package var searches: Bool {
        // What most conditions are takes no list of parts.
        if case .comparison = shape { return false }
        var rest = [self]
        while let next = rest.popLast() {
            if next is SearchPredicate { return true }
            if case .compound(_, let parts) = next.shape { rest += parts }
        }
        return false
    }

    /// The predicate with the results of its searches, for a store. The errors of these are thrown when the store executes it.
    package func searching(_ store: any ObjectStore, _ storedEntity: StoredEntity) -> NSPredicate {
        // A store of a client's own evaluates the predicate itself.
        guard searches, store.canBeIndexed else { return self }
        return found(store, storedEntity) ?? self
    }

    /// - Returns: nil for a predicate without a search.
    private func found(_ store: any ObjectStore, _ storedEntity: StoredEntity) -> NSPredicate? {
        if let search = self as? SearchPredicate {
            return StoredSearchPredicate(
                search.text, Result { try StoreSearch.of(store).keys(search, storedEntity) })
        }
        guard case .compound(let type, let parts) = shape else { return nil }
        // A chain of many is one level.
        let all = type == .not ? parts : chainedParts
        let found = all.map { $0.found(store, storedEntity) }
        guard found.contains(where: { $0 != nil }) else { return nil }
        return NSCompoundPredicate(type: type, subpredicates: zip(found, all).map { $0 ?? $1 })
    }
}

extension StoreSearch {
    /// Brings the indexes of some stores up to date for a fetch.
    ///
    /// - Throws: `NSUserCancelledError`; as `current(_:isCancelled:)`.
    package static func update(_ stores: [any ObjectStore], isCancelled: () -> Bool) throws {
        for store in stores where store.canBeIndexed { _ = try of(store).current(isCancelled: isCancelled) }
    }

    /// A search of the objects of an entity, as the index executes it; nil when there are none.
    ///
    /// - Throws: 134060 for an entity or an attribute that is not indexed.
    package func indexedSearch(
        _ search: SearchPredicate, _ entity: NSEntityDescription, includesSubentities: Bool = true,
        _ opened: Opened
    ) throws -> IndexedSearch? {
        try search.check(entity)
        guard let schema = opened.contents as? SearchSchema else { return nil }
        let kinds = schema.kinds(of: entity, includingSubentities: includesSubentities)
        guard let collection = kinds.first?.collection else { return nil }
        let isWhole = includesSubentities && entity.superentity == nil
        return IndexedSearch(
            query: search.query, collection: collection, scope: search.scope(entity),
            kinds: isWhole ? nil : Set(kinds.map(\.storedEntity.entityNumber)))
    }

    fileprivate func keys(_ search: SearchPredicate, _ storedEntity: StoredEntity) throws -> [Int64] {
        try read { opened in
            guard let indexed = try indexedSearch(search, storedEntity.entity, opened) else { return [] }
            return try opened.index.keys(indexed, limit: nil, offset: 0)
        }
    }
}
