import ObjectGraph
import Foundation
import ManagedObjectModel

/// Deletes rows and what their delete rules say: first all that goes is found, then it goes, some hundred rows at a time.
package struct BatchDeletion {
    private let batch: StoreBatch
    private var collectedKeys: Set<ObjectKey> = []
    private var outcome: BatchOutcome

    /// Where a row is: the number of its entity and its key.
    private typealias RowKey = (entityNumber: Int32, reference: Int64)

    package init(_ batch: StoreBatch, keepingIDs: Bool) {
        self.batch = batch
        outcome = BatchOutcome(keepingIDs: keepingIDs)
    }

    /// Deletes what a query finds.
    ///
    /// - Throws: as `StoreBatch.keys(_:)`; 1600 when a rule denies it, 134050 when a mandatory relationship would be left empty.
    package mutating func run(_ query: FetchQuery) throws -> BatchOutcome {
        let found = try batch.keys(query)
        // Owners go before what they own, so that derived values of the dead are not computed.
        var order: [RowKey] = []
        try collect(found, &order)
        var next = 0
        while next < order.count {
            let chunk = Array(order[next..<min(next + StoreBatch.chunk, order.count)])
            next += chunk.count
            for (storedEntity, references) in try grouped(chunk) {
                for slot in storedEntity.layout.relationshipIndexes {
                    let relationship = storedEntity.layout.slots[slot].relationship
                    guard relationship?.deleteRule == .cascadeDeleteRule else { continue }
                    try collect(
                        destinations(of: storedEntity, slot, try rows(storedEntity, references)).map(
                            \.destination), &order)
                }
            }
        }
        for start in stride(from: 0, to: order.count, by: StoreBatch.chunk) {
            try delete(Array(order[start..<min(start + StoreBatch.chunk, order.count)]))
        }
        return outcome
    }

    private mutating func collect(_ rowKeys: [RowKey], _ order: inout [RowKey]) throws {
        for rowKey in rowKeys {
            let storedEntity = try batch.storedEntity(number: rowKey.entityNumber)
            guard
                collectedKeys.insert(ObjectKey(table: storedEntity.table, reference: rowKey.reference))
                    .inserted
            else {
                continue
            }
            order.append(rowKey)
        }
    }

    private mutating func delete(_ rowKeys: [RowKey]) throws {
        var unit = UnitOfWork()
        var ending = EndedLinks()
        var rowByKey: [ObjectKey: Row] = [:]
        for (storedEntity, references) in try grouped(rowKeys) {
            let rows = try rows(storedEntity, references)
            for row in rows { rowByKey[ObjectKey(table: storedEntity.table, reference: row.reference)] = row }
            for slot in storedEntity.layout.relationshipIndexes where storedEntity.layout.slots[slot].isStored
            {
                try endLinks(of: storedEntity, slot, rows, &ending)
            }
        }
        for rowKey in rowKeys {
            let storedEntity = try batch.storedEntity(number: rowKey.entityNumber)
            guard let row = rowByKey[ObjectKey(table: storedEntity.table, reference: rowKey.reference)] else {
                continue
            }
            unit.deletions.append(.init(storedEntity: storedEntity, old: row))
            outcome.add(storedEntity, rowKey.reference)
        }
        unit.updates = try ending.updates()
        _ = try batch.run(unit)
    }

    /// Takes the deleted rows from the foreign keys of their destinations.
    private func endLinks(
        of storedEntity: StoredEntity, _ slot: Int, _ rows: [Row], _ ending: inout EndedLinks
    )
        throws
    {
        guard let relationship = storedEntity.layout.slots[slot].relationship,
            relationship.deleteRule != .noActionDeleteRule
        else { return }
        let links = try destinations(of: storedEntity, slot, rows).filter { link in
            let storedEntity = try batch.storedEntity(number: link.destination.entityNumber)
            return !collectedKeys.contains(
                ObjectKey(table: storedEntity.table, reference: link.destination.reference))
        }
        guard let link = links.first else { return }
        if relationship.deleteRule == .denyDeleteRule {
            let id = NSManagedObjectID(storedEntity: storedEntity, reference: link.owner)
            throw NSError.coreData(
                .validationRelationshipDeniedDelete,
                """
                Cannot delete \(id.uriRepresentation().absoluteString): its '\(relationship.name)' is not empty, and the \
                delete rule is Deny.
                """, [NSValidationKeyErrorKey: relationship.name])
        }
        guard let inverse = relationship.inverseRelationship else { return }
        guard !inverse.isToMany else {
            if relationship.isToMany, !inverse.isOptional {
                try refuseEmptying(inverse, at: links.map(\.destination))
            }
            return
        }
        let owners = Set(rows.map(\.reference))
        for (storedEntity, references) in try grouped(links.map(\.destination)) {
            guard let slot = storedEntity.layout.index(of: inverse.name) else { continue }
            for row in try self.rows(storedEntity, references)
            where !row.isNull(slot) && owners.contains(row.integer(slot)) {
                guard inverse.isOptional else { throw Self.emptied(inverse, "OTO") }
                ending.add(storedEntity, row, slot)
            }
        }
    }

    /// Refuses to take from rows all that a mandatory relationship to many has.
    ///
    /// - Throws: 134050.
    private func refuseEmptying(_ relationship: NSRelationshipDescription, at rowKeys: [RowKey]) throws {
        for (storedEntity, references) in try grouped(rowKeys) {
            guard let slot = storedEntity.layout.index(of: relationship.name) else { continue }
            let left = try destinations(of: storedEntity, slot, try rows(storedEntity, references)).filter {
                link in
                let storedEntity = try batch.storedEntity(number: link.destination.entityNumber)
                return !collectedKeys.contains(
                    ObjectKey(table: storedEntity.table, reference: link.destination.reference))
            }
            guard Set(left.map(\.owner)).isSuperset(of: references) else {
                throw Self.emptied(relationship, "MTM")
            }
        }
    }

    /// - Parameter kind: what Apple's framework calls the link: one to one, many to many.
    private static func emptied(_ relationship: NSRelationshipDescription, _ kind: String) -> NSError {
        let name = "\(relationship.entity.name ?? "")/\(relationship.name)"
        return .coreData(
            .persistentStoreSaveConflicts,
            "Constraint trigger violation: Batch delete failed due to mandatory \(kind) nullify inverse on \(name)",
            [NSValidationKeyErrorKey: relationship.name])
    }

    /// Where a relationship of some rows leads.
    private func destinations(
        of storedEntity: StoredEntity, _ slot: Int, _ rows: [Row]
    ) throws -> [(owner: Int64, destination: RowKey)] {
        let info = storedEntity.layout.slots[slot]
        guard let relationship = info.relationship, info.isStored else { return [] }
        if info.kind == .toMany {
            let found = try batch.snapshot.destinations(of: relationship, owners: rows.map(\.reference))
            return rows.flatMap { row in
                found[row.reference, default: []].map { (row.reference, ($0.entityNumber, $0.reference)) }
            }
        }
        let number = relationship.destinationEntity.flatMap { batch.store.storedEntity(of: $0) }?.entityNumber
        return try rows.compactMap { row in
            guard !row.isNull(slot) else { return nil }
            if info.entitySlot >= 0, row.isNull(info.entitySlot),
                let storedEntity = number.flatMap(batch.store.storedEntity(number:)),
                let found = try self.rows(storedEntity, [row.integer(slot)]).first
            {
                return (row.reference, (found.entityNumber, found.reference))
            }
            let hasNumber = info.entitySlot >= 0 && !row.isNull(info.entitySlot)
            guard let number = hasNumber ? Int32(exactly: row.integer(info.entitySlot)) : number else {
                return nil
            }
            return (row.reference, (number, row.integer(slot)))
        }
    }

    private func grouped(_ rowKeys: [RowKey]) throws -> [(storedEntity: StoredEntity, references: [Int64])] {
        let groups = Dictionary(grouping: rowKeys, by: \.entityNumber)
        return try groups.keys.sorted().map { number in
            (try batch.storedEntity(number: number), groups[number, default: []].map(\.reference))
        }
    }

    private func rows(_ storedEntity: StoredEntity, _ references: [Int64]) throws -> [Row] {
        try batch.snapshot.rows(of: batch.schema.entity(storedEntity), references: references)
    }
}

/// The rows whose to-one relationships led to what is deleted.
private struct EndedLinks {
    private var old: [ObjectKey: (storedEntity: StoredEntity, row: Row, slots: PropertySet)] = [:]

    mutating func add(_ storedEntity: StoredEntity, _ row: Row, _ slot: Int) {
        old[
            ObjectKey(table: storedEntity.table, reference: row.reference),
            default: (storedEntity, row, PropertySet())
        ].slots
            .insert(slot)
    }

    func updates() throws -> [UnitOfWork.Update] {
        try old.values.sorted {
            ($0.storedEntity.entityNumber, $0.row.reference) < (
                $1.storedEntity.entityNumber, $1.row.reference
            )
        }
        .map { storedEntity, row, slots in
            .init(
                storedEntity: storedEntity, old: row, row: try row.withoutLinks(slots, storedEntity),
                changed: slots,
                changedLinks: PropertySet())
        }
    }
}
