import CoreDataSQL
import ManagedObjectModel
import ObjectGraph

// Reads the destinations of to-many relationships of many objects.

extension SQLiteStore {
    package func destinationRows(
        of relationship: NSRelationshipDescription, owners: [Int64], for reader: StoreReader
    ) throws -> RowList? {
        guard let links = schema.links(of: relationship), links.kind == .destinationColumn,
            links.order == nil,
            let storedEntity = relationship.destinationEntity.flatMap({ storedEntity(of: $0.rootEntity) })
        else { return nil }
        var query = FetchQuery(storedEntity: storedEntity)
        query.reader = reader
        let usesIndex = try !ownMostRows(owners, of: relationship, for: reader)
        return try rows(rowRequest(for: query, keys: KeysInColumn(links.owner, owners, usesIndex: usesIndex)))
    }

    package func destinations(
        of relationship: NSRelationshipDescription, storedEntity: StoredEntity, owners: [Int64],
        for reader: StoreReader
    ) throws -> [Int64: [(entityNumber: Int32, reference: Int64)]] {
        guard let links = schema.links(of: relationship) else { return [:] }
        let statement = try schema.dialect.render(
            LinkCompiler(schema: schema).destinations(of: relationship, links, owners: owners))
        return try readOnce("load '\(relationship.name)'", at: reader.pinned) { try $0.links(statement) }
    }

    /// Whether rows of the owners are so large a part of their members' table that reading it row by row is faster than using the index
    /// of owners. For owners of all rows it takes 60 % of the time where the members of an owner are next to each other, and 20 % where
    /// they are scattered.
    ///
    /// SQLite cannot estimate it: the owners are one argument, whose length its planner does not know, and most stores have no statistics.
    /// So some keys spread over the table are looked up, and most of them must be there and have one of the owners.
    package func ownMostRows(
        _ owners: [Int64], of relationship: NSRelationshipDescription, for reader: StoreReader
    ) throws -> Bool {
        guard owners.count >= MemberSample.leastOwners, let first = owners.min(), let last = owners.max(),
            let links = schema.links(of: relationship), links.kind == .destinationColumn
        else { return false }
        // A file that changes is read again: the result is made inside of the block.
        func read<Value>(
            _ statement: SQLStatement, _ body: (SQLiteReader, RenderedSQL) throws -> Value
        ) throws -> Value {
            let statement = try schema.dialect.render(statement)
            return try readOnce("fetch", StoreSearch.readingCancellation, at: reader.pinned) {
                try body($0, statement)
            }
        }
        let highestKey = try read(LinkCompiler.highestKey(links)) { try $0.integer($1) }
        guard let references = MemberSample.references(upTo: highestKey) else { return false }
        let sample = LinkCompiler.owners(links, of: references, in: first...last)
        var hits = try read(sample) { reader, statement in
            var hits: [Int64: Int] = [:]
            try reader.forEachReferences(statement, collecting: nil) { found in
                for owner in found { hits[owner, default: 0] += 1 }
            }
            return hits
        }
        // A list can have an owner twice.
        let hitCount = owners.reduce(0) { $0 + (hits.removeValue(forKey: $1) ?? 0) }
        return hitCount >= MemberSample.leastHits
    }
}

/// Some keys of a table of members, by which the share of some owners in it is estimated.
private enum MemberSample {
    /// Of fewer owners the look-ups could take a tenth of what it takes to load a member of each.
    static let leastOwners = 512
    static let count = 24
    /// Where the members of an owner are next to each other, reading a table takes as long as the index does for 60 % of its rows.
    static let leastHits = 16

    /// Keys from 1 to the highest; nil for too few.
    static func references(upTo highest: Int64) -> [Int64]? {
        guard highest >= count else { return nil }
        // Multiples of the golden ratio spread evenly, so members at regular distances do not bias the sample. A wrong estimate costs time
        // alone.
        return (1...UInt64(count)).map { index in
            let fraction = index &* 0x9E37_79B9_7F4A_7C15
            return Int64(fraction.multipliedFullWidth(by: UInt64(highest)).high) + 1
        }
    }
}
