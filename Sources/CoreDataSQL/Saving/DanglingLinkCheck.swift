import CocoaFoundation
import Foundation
import ManagedObjectModel
import ObjectGraph

/// Finds links that a save would leave leading nowhere, because others linked to what it deletes, or deleted what it links to,
/// and no row that it compares shows that. One statement for each relationship or table that is concerned.
package struct DanglingLinkCheck {
    private let store: any SQLStore
    private let connection: any SQLConnection
    private let tables: StoreTables
    private let schema: SQLSchema

    package init(_ store: any SQLStore, _ connection: any SQLConnection) {
        self.store = store
        self.connection = connection
        tables = store.tables
        schema = tables.schema
    }

    /// - Throws: `DanglingLinks`, if there are any; an error of the database.
    package func check(_ unit: UnitOfWork) throws {
        let found = DanglingLinks(
            store: store, owners: try owners(of: unit.deletions), missing: try missing(unit))
        if !found.owners.isEmpty || !found.missing.isEmpty { throw found }
    }

    // MARK: Links to what is deleted

    private func owners(of deletions: [UnitOfWork.Deletion]) throws -> [DanglingLinks.Owner] {
        var owners: [DanglingLinks.Owner] = []
        for (layout, references) in Self.linked(deletions) {
            for slot in layout.relationshipIndexes {
                guard let relationship = layout.slots[slot].relationship,
                    let inverse = relationship.inverseRelationship, !inverse.isToMany,
                    relationship.deleteRule != .noActionDeleteRule
                else { continue }
                owners += try self.owners(inverse, references)
            }
        }
        return owners
    }

    /// The deleted objects of each entity that has relationships.
    private static func linked(
        _ deletions: [UnitOfWork.Deletion]
    ) -> [(layout: EntityLayout, references: [Int64])] {
        var groups: [(layout: EntityLayout, references: [Int64])] = []
        var positions: [ObjectIdentifier: Int] = [:]
        // Objects of one entity mostly come one after the other.
        deletions.indices.forEachRun(where: {
            deletions[$0].storedEntity === deletions[$1].storedEntity
        }) { indexes in
            let storedEntity = deletions[indexes.lowerBound].storedEntity
            guard !storedEntity.layout.relationshipIndexes.isEmpty else { return }
            let position = positions[ObjectIdentifier(storedEntity)] ?? groups.count
            if position == groups.count {
                positions[ObjectIdentifier(storedEntity)] = position
                groups.append((storedEntity.layout, []))
            }
            for index in indexes { groups[position].references.append(deletions[index].old.reference) }
        }
        return groups
    }

    /// The rows that lead to one of some keys.
    private func owners(
        _ relationship: NSRelationshipDescription, _ references: [Int64]
    ) throws -> [DanglingLinks.Owner] {
        guard let storedEntity = store.storedEntity(of: relationship.entity),
            let slot = storedEntity.layout.index(of: relationship.name),
            let column = schema.entity(storedEntity).column(slot: slot)
        else { return [] }
        let selection = tables.selection(of: schema.entity(storedEntity))
        let statement = try FetchCompiler(schema: schema).rows(
            FetchQuery(storedEntity: storedEntity), columns: selection.list,
            keys: KeysInColumn(column.name, references))
        return try connection.rows(statement, as: selection).map {
            DanglingLinks.Owner(row: $0, relationship: relationship)
        }
    }

    // MARK: Links to what is gone

    private func missing(_ unit: UnitOfWork) throws -> [ObjectKey] {
        var wanted: [UInt32: (storedEntity: StoredEntity, references: Set<Int64>)] = [:]
        func want(_ relationship: NSRelationshipDescription, _ reference: Int64) {
            // What has no reference yet is inserted by this save.
            guard reference > 0, let entity = relationship.destinationEntity,
                let storedEntity = store.storedEntity(of: entity.rootEntity)
            else { return }
            wanted[storedEntity.table, default: (storedEntity, [])].references.insert(reference)
        }
        func want(_ row: Row, _ storedEntity: StoredEntity, changed: PropertySet?) {
            for slot in storedEntity.layout.relationshipIndexes {
                let info = storedEntity.layout.slots[slot]
                guard info.kind == .toOne, info.isStored, changed?.contains(slot) ?? true,
                    let relationship = info.relationship, !row.isNull(info.rowSlot)
                else { continue }
                want(relationship, row.integer(info.rowSlot))
            }
        }
        for insert in unit.inserts { want(insert.row, insert.storedEntity, changed: nil) }
        for update in unit.updates { want(update.row, update.storedEntity, changed: update.changed) }
        for link in unit.addedLinks { want(link.relationship, link.destination.reference) }
        return try wanted.values.flatMap { try missing($0.storedEntity, $0.references) }
    }

    /// Those of some keys of a table that no row has.
    private func missing(_ storedEntity: StoredEntity, _ references: Set<Int64>) throws -> [ObjectKey] {
        var query = FetchQuery(storedEntity: storedEntity)
        query.references = Array(references)
        var left = references
        try connection.forEachPair(of: FetchCompiler(schema: schema).keys(query)) { left.remove($1) }
        return left.map { ObjectKey(table: storedEntity.table, reference: $0) }
    }
}
