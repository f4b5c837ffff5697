import CocoaFoundation
import Foundation
import ManagedObjectModel

extension NSAtomicStore {
    package final func rows(for query: FetchQuery) throws -> RowList {
        try access.withLock { RowList(try NodeQuery(self, query).nodes().map(row)) }
    }

    package final func keys(for query: FetchQuery) throws -> [(entityNumber: Int32, reference: Int64)] {
        try access.withLock {
            try NodeQuery(self, query).nodes().map {
                ($0.objectID.storedEntity.entityNumber, $0.objectID.reference)
            }
        }
    }

    package final func count(for query: FetchQuery) throws -> Int {
        try access.withLock { try NodeQuery(self, query).nodes().count }
    }

    package final func dictionaries(for query: FetchQuery) throws -> [[String: Any]] {
        try access.withLock { try NodeQuery(self, query).dictionaries() }
    }

    package final func row(
        of storedEntity: StoredEntity, _ reference: Int64, notBefore: Double, for reader: StoreReader
    ) throws -> Row? {
        try access.withLock {
            guard let node = nodes.savedNode(ObjectKey(table: storedEntity.table, reference: reference)),
                node.objectID.entity.isKindOf(entity: storedEntity.entity)
            else { return nil }
            return try row(node)
        }
    }

    package final func forgetRow(_ key: ObjectKey) {}

    package final func destinations(
        of relationship: NSRelationshipDescription, storedEntity: StoredEntity, owners: [Int64],
        for reader: StoreReader
    ) throws -> [Int64: [(entityNumber: Int32, reference: Int64)]] {
        try access.withLock {
            var found: [Int64: [(entityNumber: Int32, reference: Int64)]] = [:]
            for owner in owners {
                guard let node = nodes.savedNode(ObjectKey(table: storedEntity.table, reference: owner))
                else {
                    continue
                }
                found[owner] = try node.destinations(relationship)
                    .filter { nodes.savedNode($0.key) != nil }
                    .map { ($0.storedEntity.entityNumber, $0.reference) }
            }
            return found
        }
    }
}
