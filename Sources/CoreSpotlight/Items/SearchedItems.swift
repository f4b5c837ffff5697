import FullTextSearch

/// Items that queries find.
protocol SearchedItems: Sendable {
    /// The collections of an index, up to date.
    func collections(_ isCancelled: () -> Bool) throws -> [ItemCollection]

    /// The items of some documents, in the order of the keys; those that are gone are left out.
    func items(_ keys: [Int64], in collection: ItemCollection) throws -> [CSSearchableItem]
}

/// A collection of an index of items.
struct ItemCollection: Sendable {
    let index: any SearchIndex
    let number: Int

    func search(_ query: SearchQuery, _ scope: FieldScope = .all) -> IndexedSearch {
        IndexedSearch(query: query, collection: number, scope: scope)
    }
}
