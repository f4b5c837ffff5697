import FullTextSearch

/// Items that queries find.
protocol SearchedItems: Sendable {
    /// Calls a block with the collections of an index, up to date; more than once where the index turns out to be damaged.
    func read<Value>(_ isCancelled: () -> Bool, _ body: ([ItemCollection]) throws -> [Value]) throws
        -> [Value]

    /// The items of some documents of a collection, in the order of the keys; those that are gone are left out.
    func items(_ keys: [Int64], in collection: Int) throws -> [CSSearchableItem]
}

/// A collection of an index of items.
struct ItemCollection: Sendable {
    let index: any SearchIndex
    let number: Int

    func search(_ query: SearchQuery, _ scope: FieldScope = .all) -> IndexedSearch {
        IndexedSearch(query: query, collection: number, scope: scope)
    }
}
