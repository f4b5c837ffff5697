import ObjectGraph
import Foundation
import ManagedObjectModel

// The names and the order of tables and columns, as Apple's stores show them. One table a tree of entities. First
// come, entity by entity, the integers and the keys; then the orders; then kind by kind the rest, of a parent before
// that of its subentities. Within one entity and kind the names decide.

extension SQLSchema {
    /// Designs the tables for entities whose numbers are given.
    ///
    /// - Parameter existing: the tables of the file, if there is one: join tables keep the names that they have.
    package static func design(
        storedEntities: [StoredEntity], dialect: any SchemaDialect, existing: ExistingTables? = nil
    ) -> SQLSchema {
        var design = SchemaDesign(storedEntities: storedEntities, dialect: dialect, existing: existing)
        design.run()
        return SQLSchema(
            dialect: dialect, tables: design.tables, joinTables: design.joinTables, entities: design.entities,
            links: design.links)
    }
}

private struct SchemaDesign {
    let storedEntities: [StoredEntity]
    let dialect: any SchemaDialect
    let existing: ExistingTables?
    private(set) var tables: [SQLSchema.Table] = []
    private(set) var joinTables: [SQLSchema.JoinTable] = []
    private(set) var entities: [SQLEntity] = []
    private(set) var links: [ObjectIdentifier: SQLLinks] = [:]

    private var storedEntitiesByEntity: [ObjectIdentifier: StoredEntity] = [:]
    /// The columns of an entity, inherited ones first.
    private var columns: [ObjectIdentifier: [SQLColumn]] = [:]
    private var tableNames: [ObjectIdentifier: String] = [:]
    private var takenTables = TakenNames([
        "Z_PRIMARYKEY", "Z_METADATA", "Z_MODELCACHE", "ACHANGE", "ATRANSACTION", "ATRANSACTIONSTRING",
    ])
    /// The names taken in each table.
    private var taken: [String: TakenNames] = [:]
    /// The order column beside each to-one relationship whose inverse is ordered.
    private var orderColumns: [ObjectIdentifier: String] = [:]
    /// To-many relationships without inverse that keep a key in the tables of their destinations, by these, in the order
    /// of their owners.
    private var oneWays:
        [ObjectIdentifier: [(owner: StoredEntity, relationship: NSRelationshipDescription)]] = [:]
    /// Whether to-many relationships without inverse have join tables: a model that was made from the objects of a store
    /// does not know the inverses that let several owners have the same destination.
    private let sharesLinks: Bool
    /// The foreign keys that stand for to-many relationships without inverse.
    private var hiddenKeys: [ObjectIdentifier: String] = [:]
    /// The column with an object's key in the table of a many-to-many relationship of the object's entity.
    private var joinColumns: [ObjectIdentifier: String] = [:]
    private var usedJoinTables: Set<String> { Set(joinTables.map(\.name)) }

    init(storedEntities: [StoredEntity], dialect: any SchemaDialect, existing: ExistingTables?) {
        self.storedEntities = storedEntities
        self.dialect = dialect
        self.existing = existing
        for storedEntity in storedEntities {
            storedEntitiesByEntity[ObjectIdentifier(storedEntity.entity)] = storedEntity
        }
        sharesLinks = existing == nil && (storedEntities.first?.entity.model?.isReconstructed ?? false)
        guard !sharesLinks else { return }
        for storedEntity in storedEntities {
            for relationship in ownRelationships(storedEntity)
            where relationship.isToMany && relationship.inverseRelationship == nil {
                guard let destination = relationship.destinationEntity else { continue }
                oneWays[ObjectIdentifier(destination), default: []].append((storedEntity, relationship))
            }
        }
    }

    mutating func run() {
        let families = Dictionary(grouping: storedEntities) { ObjectIdentifier($0.entity.rootEntity) }
        for storedEntity in storedEntities where storedEntity.entity.superentity == nil {
            designTree(storedEntity.entity, families[ObjectIdentifier(storedEntity.entity)] ?? [])
        }
        for storedEntity in storedEntities {
            let entity = storedEntity.entity
            let root = entity.rootEntity
            entities.append(
                SQLEntity(
                    storedEntity: storedEntity, table: tableName(root),
                    columns: columns[ObjectIdentifier(entity)] ?? [],
                    familyNumbers: entity.selfAndDescendants.compactMap {
                        storedEntitiesByEntity[ObjectIdentifier($0)]?.entityNumber
                    },
                    sharesTable: !root.subentities.isEmpty))
        }
        designJoinColumns()
        for storedEntity in storedEntities { designLinks(storedEntity) }
    }

    private func tableName(_ root: NSEntityDescription) -> String { tableNames[ObjectIdentifier(root)] ?? "" }

    // MARK: Entity tables

    private mutating func designTree(_ root: NSEntityDescription, _ family: [StoredEntity]) {
        let name = takenTables.newName("Z" + (root.name ?? "").uppercased())
        tableNames[ObjectIdentifier(root)] = name
        taken[name] = TakenNames(["Z_PK", "Z_ENT", "Z_OPT"])
        var table = SQLSchema.Table(
            name: name, root: root,
            columns: [("Z_PK", .primaryKey), ("Z_ENT", .integer), ("Z_OPT", .integer)])
        let leaves = family.map(Self.leaves)
        var made = Array(repeating: [SQLColumn](), count: family.count)
        for index in family.indices {
            designColumns(.integers, leaves[index], &table, &made[index])
            designColumns(.toOne, leaves[index], &table, &made[index])
            designHiddenKeys(to: family[index], &table)
        }
        for index in family.indices { designOrders(leaves[index], &table) }
        for group in ColumnGroup.allCases where group != .integers && group != .toOne {
            for index in family.indices { designColumns(group, leaves[index], &table, &made[index]) }
        }
        for (storedEntity, own) in zip(family, made) {
            columns[ObjectIdentifier(storedEntity.entity)] = inheritedColumns(of: storedEntity) + own
        }
        tables.append(table)
    }

    /// The columns of the superentity, as rows of this entity have them: what a property takes beside its own slot
    /// comes after all properties, so it moves when a subentity has more of them.
    private func inheritedColumns(of storedEntity: StoredEntity) -> [SQLColumn] {
        guard let superlayout = storedEntity.layout.superlayout,
            let inherited = columns[ObjectIdentifier(superlayout.entity)]
        else { return [] }
        var moved: [Int: Int] = [:]
        for slot in superlayout.slots.indices {
            var old: [Leaf] = []
            var new: [Leaf] = []
            Self.collect(superlayout.slots[slot], slot, &old)
            Self.collect(storedEntity.layout.slots[slot], slot, &new)
            for (old, new) in zip(old, new) {
                moved[old.info.rowSlot] = new.info.rowSlot
                if old.info.entitySlot >= 0 { moved[old.info.entitySlot] = new.info.entitySlot }
            }
        }
        return inherited.map { column in
            SQLColumn(
                name: column.name, kind: column.kind, role: column.role,
                rowSlot: moved[column.rowSlot] ?? column.rowSlot, slot: column.slot)
        }
    }

    /// A value that has a column, and the slot of the property that it belongs to.
    private typealias Leaf = (info: PropertySlot, slot: Int)

    /// What an entity itself declares, by the name of the property; the elements of a composite as it has them.
    private static func leaves(_ storedEntity: StoredEntity) -> [Leaf] {
        let layout = storedEntity.layout
        let own = ((layout.superlayout?.slots.count ?? 0)..<layout.slots.count).sorted {
            layout.slots[$0].name.utf8.lexicographicallyPrecedes(layout.slots[$1].name.utf8)
        }
        var leaves: [Leaf] = []
        for slot in own { collect(layout.slots[slot], slot, &leaves) }
        return leaves
    }

    private mutating func designColumns(
        _ group: ColumnGroup, _ leaves: [Leaf], _ table: inout SQLSchema.Table, _ made: inout [SQLColumn]
    ) {
        for (info, slot) in leaves where ColumnGroup(info.kind) == group {
            let name = newName("Z" + info.name.uppercased(), in: table.name)
            table.columns.append((name, .property(info.kind)))
            made.append(
                SQLColumn(name: name, kind: info.kind, role: .value, rowSlot: info.rowSlot, slot: slot))
            if info.kind == .toOne { designToOne(info, slot, &table, &made) }
        }
    }

    /// The columns that a property takes: itself, or the elements of a composite.
    private static func collect(_ info: PropertySlot, _ slot: Int, _ leaves: inout [Leaf]) {
        guard info.isStored else { return }
        if info.kind == .composite {
            for element in info.elements { collect(element, slot, &leaves) }
        } else if info.kind != .toMany, info.kind != .fetched, info.kind != .undefined {
            leaves.append((info, slot))
        }
    }

    /// A destination with subentities: beside the key, which of them it is.
    private mutating func designToOne(
        _ info: PropertySlot, _ slot: Int, _ table: inout SQLSchema.Table, _ made: inout [SQLColumn]
    ) {
        guard info.entitySlot >= 0, let destination = info.relationship?.destinationEntity,
            let storedEntity = storedEntitiesByEntity[ObjectIdentifier(destination)]
        else { return }
        let name = newName("Z\(storedEntity.entityNumber)_" + info.name.uppercased(), in: table.name)
        table.columns.append((name, .integer))
        made.append(
            SQLColumn(
                name: name, kind: .integer64, role: .destinationEntity, rowSlot: info.entitySlot, slot: slot))
    }

    /// The columns beside to-one relationships whose inverse is ordered.
    private mutating func designOrders(_ leaves: [Leaf], _ table: inout SQLSchema.Table) {
        for (info, _) in leaves where info.kind == .toOne {
            guard let relationship = info.relationship, relationship.inverseRelationship?.isOrdered ?? false
            else { continue }
            let name = newName("Z_FOK_" + info.name.uppercased(), in: table.name)
            table.columns.append((name, .integer))
            orderColumns[ObjectIdentifier(relationship)] = name
        }
    }

    /// To-many relationships without inverse that lead to an entity keep a key there.
    private mutating func designHiddenKeys(to storedEntity: StoredEntity, _ table: inout SQLSchema.Table) {
        for (owner, relationship) in oneWays[ObjectIdentifier(storedEntity.entity)] ?? [] {
            let name = newName("Z\(owner.entityNumber)" + relationship.name.uppercased(), in: table.name)
            table.columns.append((name, .integer))
            hiddenKeys[ObjectIdentifier(relationship)] = name
            if relationship.isOrdered {
                let order = newName("Z_FOK_" + name.dropFirst(), in: table.name)
                table.columns.append((order, .integer))
                orderColumns[ObjectIdentifier(relationship)] = order
            }
        }
    }

    private mutating func newName(_ wanted: String, in table: String) -> String {
        taken[table]?.newName(wanted) ?? wanted
    }

    // MARK: Links

    /// The stored relationships that an entity declares itself, by name.
    private func ownRelationships(_ storedEntity: StoredEntity) -> [NSRelationshipDescription] {
        let layout = storedEntity.layout
        let inherited = layout.superlayout?.slots.count ?? 0
        return layout.relationshipIndexes.filter { $0 >= inherited }.map { layout.slots[$0] }
            .filter(\.isStored).compactMap(\.relationship).sorted { $0.name < $1.name }
    }

    private mutating func designLinks(_ storedEntity: StoredEntity) {
        for relationship in ownRelationships(storedEntity) where relationship.isToMany {
            guard let destination = relationship.destinationEntity,
                let destinationStoredEntity = storedEntitiesByEntity[ObjectIdentifier(destination)]
            else { continue }
            let table = tableName(destination.rootEntity)
            if let inverse = relationship.inverseRelationship {
                if inverse.isToMany {
                    designJoinTable(relationship, inverse, storedEntity, destinationStoredEntity)
                } else if let key = keyColumn(inverse, destination) {
                    links[ObjectIdentifier(relationship)] = SQLLinks(
                        kind: .destinationColumn, table: table, owner: key.name, destination: "Z_PK",
                        order: orderColumns[ObjectIdentifier(inverse)], ownerEntity: key.entity)
                }
            } else if let key = hiddenKeys[ObjectIdentifier(relationship)] {
                links[ObjectIdentifier(relationship)] = SQLLinks(
                    kind: .destinationColumn, table: table, owner: key, destination: "Z_PK",
                    order: orderColumns[ObjectIdentifier(relationship)], ownerEntity: nil)
            } else if sharesLinks {
                designSharedLinks(relationship, storedEntity)
            }
        }
    }

    /// A join table for a relationship without inverse.
    private mutating func designSharedLinks(
        _ relationship: NSRelationshipDescription, _ storedEntity: StoredEntity
    ) {
        let destination = joinColumn(relationship, storedEntity)
        let table = takenTables.newName(destination)
        joinTables.append(
            SQLSchema.JoinTable(
                name: table, orders: relationship.isOrdered ? [order(destination)] : [], first: "Z_OWNER",
                second: destination))
        links[ObjectIdentifier(relationship)] = SQLLinks(
            kind: .joinTable, table: table, owner: "Z_OWNER", destination: destination,
            order: relationship.isOrdered ? order(destination) : nil, ownerEntity: nil)
    }

    private func keyColumn(
        _ toOne: NSRelationshipDescription, _ entity: NSEntityDescription
    ) -> (name: String, entity: String?)? {
        guard let slot = storedEntitiesByEntity[ObjectIdentifier(entity)]?.layout.index(of: toOne.name) else {
            return nil
        }
        let columns = columns[ObjectIdentifier(entity)] ?? []
        guard let key = columns.first(where: { $0.slot == slot && $0.role == .value }) else { return nil }
        return (key.name, columns.first { $0.slot == slot && $0.role == .destinationEntity }?.name)
    }

    /// The columns of join tables are named after the entity whose key they hold and the relationship that leads
    /// there. Two relationships of one name that lead to one entity clash, though their tables are not the same: the
    /// inverse that sorts first takes the plain name.
    private mutating func designJoinColumns() {
        var taken = TakenNames([])
        for storedEntity in storedEntities {
            for relationship in ownRelationships(storedEntity) {
                guard relationship.isToMany, let inverse = relationship.inverseRelationship, inverse.isToMany
                else { continue }
                joinColumns[ObjectIdentifier(relationship)] = taken.newName(joinColumn(inverse, storedEntity))
            }
        }
    }

    /// A many-to-many relationship: designed when its first end is met.
    private mutating func designJoinTable(
        _ relationship: NSRelationshipDescription, _ inverse: NSRelationshipDescription,
        _ storedEntity: StoredEntity,
        _ destination: StoredEntity
    ) {
        guard links[ObjectIdentifier(relationship)] == nil else { return }
        if inverse === relationship {
            designReflexive(relationship, storedEntity)
            return
        }
        // The column of a relationship holds the key of its destination and is named after both.
        let wanted = (
            toDestination: joinColumn(relationship, destination), toOwner: joinColumn(inverse, storedEntity)
        )
        // The owner's column comes first when the owner sorts before; the table is named after the other.
        let ownerIsFirst =
            JoinOrder(storedEntity, wanted.toOwner) < JoinOrder(destination, wanted.toDestination)
        let (first, second) =
            ownerIsFirst ? (wanted.toOwner, wanted.toDestination) : (wanted.toDestination, wanted.toOwner)
        let free = (
            toDestination: joinColumns[ObjectIdentifier(inverse)] ?? wanted.toDestination,
            toOwner: joinColumns[ObjectIdentifier(relationship)] ?? wanted.toOwner
        )
        let named =
            ownerIsFirst
            ? (first: free.toOwner, second: free.toDestination)
            : (first: free.toDestination, second: free.toOwner)
        let table =
            existing?.joinTable(first, second, except: usedJoinTables)
            ?? (
                name: takenTables.newName(
                    ownerIsFirst
                        ? joinColumn(relationship, storedEntity) : joinColumn(inverse, destination)),
                first: named.first, second: named.second
            )
        let toOwner = ownerIsFirst ? table.first : table.second
        let toDestination = ownerIsFirst ? table.second : table.first
        let orders = [(inverse, toOwner), (relationship, toDestination)].filter(\.0.isOrdered)
        joinTables.append(
            SQLSchema.JoinTable(
                name: table.name, orders: (ownerIsFirst ? orders : orders.reversed()).map { order($0.1) },
                first: table.first, second: table.second))
        for (end, owner, other) in [
            (relationship, toOwner, toDestination), (inverse, toDestination, toOwner),
        ] {
            links[ObjectIdentifier(end)] = SQLLinks(
                kind: .joinTable, table: table.name, owner: owner, destination: other,
                order: end.isOrdered ? order(other) : nil, ownerEntity: nil)
        }
    }

    private mutating func designReflexive(
        _ relationship: NSRelationshipDescription, _ storedEntity: StoredEntity
    ) {
        let wanted = joinColumn(relationship, storedEntity)
        let table =
            existing?.joinTable(wanted, "REFLEXIVE", except: usedJoinTables)
            ?? (
                takenTables.newName(wanted), joinColumns[ObjectIdentifier(relationship)] ?? wanted,
                "REFLEXIVE"
            )
        var orders = relationship.isOrdered ? [order(table.first)] : []
        // Each end of a link has its own order. Of a table that others have made, what it has counts.
        let columns = existing?.columns(of: table.name)
        if relationship.isOrdered, columns?.contains(Self.reverseOrder) ?? true {
            orders.append(Self.reverseOrder)
        }
        joinTables.append(
            SQLSchema.JoinTable(name: table.name, orders: orders, first: table.first, second: table.second))
        links[ObjectIdentifier(relationship)] = SQLLinks(
            kind: .joinTable, table: table.name, owner: table.second, destination: table.first,
            order: orders.first, reverseOrder: orders.count > 1 ? orders[1] : nil, ownerEntity: nil,
            isReflexive: true)
    }

    private static let reverseOrder = "Z_FOK_REFLEXIVE"

    private func order(_ column: String) -> String { "Z_FOK_\(column.dropFirst(2))" }

    /// The name that a relationship has in join tables: with the number of an entity before it.
    private func joinColumn(_ relationship: NSRelationshipDescription, _ storedEntity: StoredEntity) -> String
    {
        "Z_\(storedEntity.entityNumber)\(relationship.name.uppercased())"
    }
}

/// Names that are taken, as SQL compares them: without regard to the case of ASCII letters.
private struct TakenNames {
    private var names: Set<String>

    init(_ names: Set<String>) {
        self.names = names
        // Most tables have so many columns.
        self.names.reserveCapacity(16)
    }

    /// Takes the wanted name, with a digit when it is taken already.
    mutating func newName(_ wanted: String) -> String {
        var name = wanted
        var digit = 0
        while !names.insert(name).inserted {
            digit += 1
            name = wanted + String(digit)
        }
        return name
    }
}

/// Which end of a many-to-many relationship comes first: entities of a hierarchy, then the lower number, then the
/// lower name; as 80 join tables of Apple's stores show.
private struct JoinOrder: Comparable {
    let key: (Int, Int32, String)

    init(_ storedEntity: StoredEntity, _ column: String) {
        let isAlone = storedEntity.entity.superentity == nil && storedEntity.entity.subentities.isEmpty
        key = (isAlone ? 1 : 0, storedEntity.entityNumber, column)
    }

    static func == (a: JoinOrder, b: JoinOrder) -> Bool { a.key == b.key }
    static func < (a: JoinOrder, b: JoinOrder) -> Bool { a.key < b.key }
}

/// The groups in which a table has its columns.
private enum ColumnGroup: CaseIterable {
    case integers, toOne, reals, decimal, string, uri, uuid, transformable, binary

    init?(_ kind: SlotKind) {
        switch kind {
        case .integer16, .integer32, .integer64, .boolean: self = .integers
        case .toOne: self = .toOne
        case .date, .double, .float: self = .reals
        case .decimal: self = .decimal
        case .string: self = .string
        case .uri: self = .uri
        case .uuid: self = .uuid
        case .transformable: self = .transformable
        case .binary: self = .binary
        case .composite, .undefined, .toMany, .fetched: return nil
        }
    }
}
