import CocoaFoundation
import Foundation
import ManagedObjectModel

extension NSIncrementalStore {
    /// The request for a query: the caller's request with its options, and the parts of the query.
    private func request(_ query: FetchQuery, _ type: NSFetchRequestResultType) -> NSFetchRequest<
        any NSFetchRequestResult
    > {
        let request = NSFetchRequest<any NSFetchRequestResult>(
            specification: query.specification
                ?? FetchSpecification(resultClass: (any NSFetchRequestResult).self))
        request.entity = query.storedEntity.entity
        request.resultType = type
        request.includesSubentities = query.includesSubentities
        request.predicate = query.predicate
        request.sortDescriptors = query.sortDescriptors.isEmpty ? nil : query.sortDescriptors
        request.fetchLimit = query.limit
        request.fetchOffset = query.offset
        if type == .dictionaryResultType || query.specification?.propertiesToFetch != nil {
            request.propertiesToFetch = query.properties
        }
        request.propertiesToGroupBy = query.groupBy.isEmpty ? nil : query.groupBy
        request.havingPredicate = query.having
        request.returnsDistinctResults = query.isDistinct
        request.affectedStores = [self]
        return request
    }

    private func result<Element>(
        _ query: FetchQuery, _ type: NSFetchRequestResultType, of _: Element.Type
    ) throws -> [Element] {
        let result = try execute(request(query, type), with: query.reader.context)
        if let list = result as? [Element] { return list }
        if let list = result as? NSArray {
            let elements = list.compactMap { $0 as? Element }
            if elements.count == list.count { return elements }
        }
        throw NSError.coreData(
            .coreData,
            "\(Swift.type(of: self)).execute(_:with:) must return an array of \(Element.self), not \(Swift.type(of: result))."
        )
    }

    package final func keys(for query: FetchQuery) throws -> [(entityNumber: Int32, reference: Int64)] {
        if let references = query.references, query.predicate == nil {
            return references.map { (query.storedEntity.entityNumber, $0) }
        }
        let ids =
            query.resultType == .managedObjectIDResultType
            ? try result(query, .managedObjectIDResultType, of: NSManagedObjectID.self)
            : try result(query, [], of: NSManagedObject.self).map(\.objectID)
        let wanted = query.references.map(Set.init)
        return ids.filter { wanted?.contains($0.reference) ?? true }
            .map { ($0.storedEntity.entityNumber, $0.reference) }
    }

    package final func rows(for query: FetchQuery) throws -> RowList {
        RowList(
            try keys(for: query).compactMap { key in
                try storedEntity(number: key.entityNumber).flatMap {
                    try row(of: $0, key.reference, notBefore: -.infinity, for: query.reader)
                }
            })
    }

    package final func count(for query: FetchQuery) throws -> Int {
        guard query.references == nil else { return try keys(for: query).count }
        let numbers = try result(query, .countResultType, of: NSNumber.self)
        guard numbers.count == 1 else {
            throw NSError.coreData(
                .coreData,
                "\(Swift.type(of: self)).execute(_:with:) must return an array of one number for a count.")
        }
        return numbers[0].intValue
    }

    package final func dictionaries(for query: FetchQuery) throws -> [[String: Any]] {
        try result(query, .dictionaryResultType, of: [String: Any].self)
    }

    package final func row(
        of storedEntity: StoredEntity, _ reference: Int64, notBefore: Double, for reader: StoreReader
    ) throws -> Row? {
        let key = ObjectKey(table: storedEntity.table, reference: reference)
        if let row = rowCache.row(key), row.timestamp >= notBefore { return row }
        guard let context = reader.context else { return nil }
        let state = rowCache.state
        let id = NSManagedObjectID(storedEntity: storedEntity, reference: reference)
        let node: NSIncrementalStoreNode
        do {
            node = try newValuesForObject(with: id, with: context)
        } catch let error as NSError
            where error.domain == NSCocoaErrorDomain
            && error.code == CocoaError.Code.managedObjectReferentialIntegrity.rawValue
        {
            return nil
        }
        let row = try row(node, context)
        rowCache.insert([row], table: storedEntity.table, readAt: state)
        return row
    }

    private func row(_ node: NSIncrementalStoreNode, _ context: NSManagedObjectContext) throws -> Row {
        let storedEntity = node.objectID.storedEntity
        var builder = RowBuilder()
        builder.begin(slotCount: storedEntity.layout.rowSlotCount)
        for slot in storedEntity.layout.slots where slot.isStored && slot.kind != .toMany {
            let value = node.value(for: slot.property)
            if let relationship = slot.relationship {
                let destination =
                    try value
                    ?? newValue(forRelationship: relationship, forObjectWith: node.objectID, with: context)
                guard let destination = presentValue(destination) else { continue }
                guard let id = destination as? NSManagedObjectID else {
                    throw wrong(relationship, destination)
                }
                builder.set(slot.rowSlot, integer: id.reference)
                if slot.entitySlot >= 0 {
                    builder.set(slot.entitySlot, integer: Int64(id.storedEntity.entityNumber))
                }
            } else if let value = presentValue(value) {
                try builder.set(try SlotValue(value, for: slot), slot)
            }
        }
        return try builder.finish(
            reference: node.objectID.reference, version: Int64(truncatingIfNeeded: node.version),
            entityNumber: storedEntity.entityNumber, timestamp: Date.timeIntervalSinceReferenceDate)
    }

    private func wrong(_ relationship: NSRelationshipDescription, _ value: Any) -> NSError {
        .coreData(
            .coreData,
            "\(Swift.type(of: self)) gave a \(Swift.type(of: value)) for relationship '\(relationship.name)', which should be object IDs."
        )
    }

    package final func forgetRow(_ key: ObjectKey) { rowCache.update { $0.remove(key) } }

    package final func destinations(
        of relationship: NSRelationshipDescription, storedEntity: StoredEntity, owners: [Int64],
        for reader: StoreReader
    ) throws -> [Int64: [(entityNumber: Int32, reference: Int64)]] {
        var found: [Int64: [(entityNumber: Int32, reference: Int64)]] = [:]
        for owner in owners {
            let value = try newValue(
                forRelationship: relationship,
                forObjectWith: NSManagedObjectID(storedEntity: storedEntity, reference: owner),
                with: reader.context)
            guard let value = presentValue(value) else { continue }
            guard let collection = value as? any ValueCollection else { throw wrong(relationship, value) }
            found[owner] = try collection.collectionElements.map { element in
                let element = (element as? AnyHashable)?.base ?? element
                guard let id = element as? NSManagedObjectID else { throw wrong(relationship, element) }
                return (id.storedEntity.entityNumber, id.reference)
            }
        }
        return found
    }
}
