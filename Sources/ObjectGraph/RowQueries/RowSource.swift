import ManagedObjectModel

/// Where a query that rows decide reads the rows that relationships lead to: a store, or a transaction of its database.
package protocol RowSource {
    /// The store that has the rows.
    var storeOfRows: any ObjectStore { get }

    /// The row of an object; nil when it has none.
    func row(of storedEntity: StoredEntity, _ reference: Int64) throws -> Row?
    /// The objects that a relationship to many leads to from one object, in its order.
    func destinations(
        of relationship: NSRelationshipDescription, from storedEntity: StoredEntity, _ reference: Int64
    ) throws -> [(entityNumber: Int32, reference: Int64)]
}

/// What a store has for a client.
struct StoreRows: RowSource {
    let storeOfRows: any ObjectStore
    private let reader: StoreReader

    init(_ store: any ObjectStore, _ reader: StoreReader) {
        storeOfRows = store
        self.reader = reader
    }

    func row(of storedEntity: StoredEntity, _ reference: Int64) throws -> Row? {
        try storeOfRows.row(of: storedEntity, reference, notBefore: 0, for: reader)
    }

    func destinations(
        of relationship: NSRelationshipDescription, from storedEntity: StoredEntity, _ reference: Int64
    ) throws -> [(entityNumber: Int32, reference: Int64)] {
        try storeOfRows.destinations(
            of: relationship, storedEntity: storedEntity, owners: [reference], for: reader)[reference] ?? []
    }
}
