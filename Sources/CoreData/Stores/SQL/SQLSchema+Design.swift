import Foundation
import ManagedObjectModel

// The names and the order of tables and columns, as Apple's stores show them. One table a tree of entities; a
// parent's columns before its heirs'; within one entity the kinds in groups, each by name.

extension SQLSchema {
    /// Designs the tables for entities whose numbers are given.
    package static func design(homes: [StoredEntity], dialect: any SQLDialect) -> SQLSchema {
        var design = SchemaDesign(homes: homes, dialect: dialect)
        design.run()
        return SQLSchema(
            dialect: dialect, tables: design.tables, joinTables: design.joinTables, entities: design.entities,
            links: design.links)
    }
}

private struct SchemaDesign {
    let homes: [StoredEntity]
    let dialect: any SQLDialect
    private(set) var tables: [SQLSchema.Table] = []
    private(set) var joinTables: [SQLSchema.JoinTable] = []
    private(set) var entities: [SQLEntity] = []
    private(set) var links: [ObjectIdentifier: SQLLinks] = [:]

    private var homesByEntity: [ObjectIdentifier: StoredEntity] = [:]
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
    /// The foreign keys that stand for to-many relationships without inverse.
    private var hiddenKeys: [ObjectIdentifier: String] = [:]
    private var joinColumnNames = TakenNames([])

    init(homes: [StoredEntity], dialect: any SQLDialect) {
        self.homes = homes
        self.dialect = dialect
        for home in homes { homesByEntity[ObjectIdentifier(home.entity)] = home }
    }

    mutating func run() {
        for home in homes where home.entity.superentity == nil { designTree(home.entity) }
        for home in homes {
            let entity = home.entity
            let root = entity.rootEntity
            entities.append(
                SQLEntity(
                    home: home, table: tableName(root), columns: columns[ObjectIdentifier(entity)] ?? [],
                    familyNumbers: entity.selfAndDescendants.compactMap {
                        homesByEntity[ObjectIdentifier($0)]?.entityNumber
                    },
                    sharesTable: !root.subentities.isEmpty))
        }
        for home in homes { designLinks(home) }
    }

    private func tableName(_ root: NSEntityDescription) -> String { tableNames[ObjectIdentifier(root)] ?? "" }

    // MARK: Entity tables

    private mutating func designTree(_ root: NSEntityDescription) {
        let name = takenTables.newName("Z" + (root.name ?? "").uppercased())
        tableNames[ObjectIdentifier(root)] = name
        taken[name] = TakenNames(["Z_PK", "Z_ENT", "Z_OPT"])
        var table = SQLSchema.Table(
            name: name, root: root,
            columns: [("Z_PK", "INTEGER PRIMARY KEY"), ("Z_ENT", "INTEGER"), ("Z_OPT", "INTEGER")])
        for entity in root.selfAndDescendants {
            guard let home = homesByEntity[ObjectIdentifier(entity)] else { continue }
            columns[ObjectIdentifier(entity)] = inheritedColumns(of: home) + designColumns(of: home, &table)
        }
        tables.append(table)
    }

    /// The columns of the superentity, as rows of this entity have them: what a property takes beside its own slot
    /// lies behind all properties, so it moves when an heir has more of them.
    private func inheritedColumns(of home: StoredEntity) -> [SQLColumn] {
        guard let superlayout = home.layout.superlayout,
            let inherited = columns[ObjectIdentifier(superlayout.entity)]
        else { return [] }
        var moved: [Int: Int] = [:]
        for slot in superlayout.slots.indices {
            var old: [(info: PropertySlot, slot: Int)] = []
            var new: [(info: PropertySlot, slot: Int)] = []
            Self.collect(superlayout.slots[slot], slot, &old)
            Self.collect(home.layout.slots[slot], slot, &new)
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

    private mutating func designColumns(of home: StoredEntity, _ table: inout SQLSchema.Table) -> [SQLColumn]
    {
        let layout = home.layout
        let inheritedCount = layout.superlayout?.slots.count ?? 0
        // By the name of the property; the elements of a composite as it has them.
        let own = (inheritedCount..<layout.slots.count).sorted {
            layout.slots[$0].name.utf8.lexicographicallyPrecedes(layout.slots[$1].name.utf8)
        }
        var leaves: [(info: PropertySlot, slot: Int)] = []
        for slot in own { Self.collect(layout.slots[slot], slot, &leaves) }
        var made: [SQLColumn] = []
        for group in ColumnGroup.allCases {
            for (info, slot) in leaves where ColumnGroup(info.kind) == group {
                let name = newName("Z" + info.name.uppercased(), in: table.name)
                table.columns.append((name, dialect.columnType(info.kind)))
                made.append(
                    SQLColumn(name: name, kind: info.kind, role: .value, rowSlot: info.rowSlot, slot: slot))
                if info.kind == .toOne { designToOne(info, slot, &table, &made) }
            }
            if group == .toOne { designOrdersAndHiddenKeys(home, leaves, &table) }
        }
        return made
    }

    /// The columns that a property takes: itself, or the elements of a composite.
    private static func collect(
        _ info: PropertySlot, _ slot: Int, _ leaves: inout [(info: PropertySlot, slot: Int)]
    ) {
        guard info.isStored else { return }
        if info.kind == .composite {
            for element in info.elements { collect(element, slot, &leaves) }
        } else if info.kind != .toMany, info.kind != .fetched, info.kind != .undefined {
            leaves.append((info, slot))
        }
    }

    /// A destination with heirs: beside the key, which of them it is.
    private mutating func designToOne(
        _ info: PropertySlot, _ slot: Int, _ table: inout SQLSchema.Table, _ made: inout [SQLColumn]
    ) {
        guard info.entitySlot >= 0, let destination = info.relationship?.destinationEntity,
            let home = homesByEntity[ObjectIdentifier(destination)]
        else { return }
        let name = newName("Z\(home.entityNumber)_" + info.name.uppercased(), in: table.name)
        table.columns.append((name, "INTEGER"))
        made.append(
            SQLColumn(
                name: name, kind: .integer64, role: .destinationEntity, rowSlot: info.entitySlot, slot: slot))
    }

    private mutating func designOrdersAndHiddenKeys(
        _ home: StoredEntity, _ leaves: [(info: PropertySlot, slot: Int)], _ table: inout SQLSchema.Table
    ) {
        for (info, _) in leaves where info.kind == .toOne {
            guard let relationship = info.relationship, relationship.inverseRelationship?.isOrdered ?? false
            else { continue }
            let name = newName("Z_FOK_" + info.name.uppercased(), in: table.name)
            table.columns.append((name, "INTEGER"))
            orderColumns[ObjectIdentifier(relationship)] = name
        }
        // To-many relationships without inverse that lead here keep a key here.
        for owner in homes {
            for relationship in ownRelationships(owner)
            where relationship.isToMany && relationship.inverseRelationship == nil
                && relationship.destinationEntity === home.entity
            {
                let name = newName("Z\(owner.entityNumber)" + relationship.name.uppercased(), in: table.name)
                table.columns.append((name, "INTEGER"))
                hiddenKeys[ObjectIdentifier(relationship)] = name
                if relationship.isOrdered {
                    let order = newName("Z_FOK_" + name.dropFirst(), in: table.name)
                    table.columns.append((order, "INTEGER"))
                    orderColumns[ObjectIdentifier(relationship)] = order
                }
            }
        }
    }

    private mutating func newName(_ wanted: String, in table: String) -> String {
        taken[table]?.newName(wanted) ?? wanted
    }

    // MARK: Links

    /// The stored relationships that an entity declares itself, by name.
    private func ownRelationships(_ home: StoredEntity) -> [NSRelationshipDescription] {
        let inherited = home.layout.superlayout?.slots.count ?? 0
        return home.layout.slots[inherited...].filter(\.isStored).compactMap(\.relationship)
            .sorted { $0.name < $1.name }
    }

    private mutating func designLinks(_ home: StoredEntity) {
        for relationship in ownRelationships(home) where relationship.isToMany {
            guard let destination = relationship.destinationEntity,
                let destinationHome = homesByEntity[ObjectIdentifier(destination)]
            else { continue }
            let table = tableName(destination.rootEntity)
            if let inverse = relationship.inverseRelationship {
                if inverse.isToMany {
                    designJoinTable(relationship, inverse, home, destinationHome)
                } else if let key = keyColumn(inverse, destination) {
                    links[ObjectIdentifier(relationship)] = SQLLinks(
                        kind: .destinationColumn, table: table, owner: key.name, destination: "Z_PK",
                        order: orderColumns[ObjectIdentifier(inverse)], ownerEntity: key.entity)
                }
            } else if let key = hiddenKeys[ObjectIdentifier(relationship)] {
                links[ObjectIdentifier(relationship)] = SQLLinks(
                    kind: .destinationColumn, table: table, owner: key, destination: "Z_PK",
                    order: orderColumns[ObjectIdentifier(relationship)], ownerEntity: nil)
            }
        }
    }

    private func keyColumn(
        _ toOne: NSRelationshipDescription, _ entity: NSEntityDescription
    ) -> (name: String, entity: String?)? {
        guard let slot = homesByEntity[ObjectIdentifier(entity)]?.layout.index(of: toOne.name) else {
            return nil
        }
        let columns = columns[ObjectIdentifier(entity)] ?? []
        guard let key = columns.first(where: { $0.slot == slot && $0.role == .value }) else { return nil }
        return (key.name, columns.first { $0.slot == slot && $0.role == .destinationEntity }?.name)
    }

    /// A many-to-many relationship: designed when its first end is met.
    private mutating func designJoinTable(
        _ relationship: NSRelationshipDescription, _ inverse: NSRelationshipDescription, _ home: StoredEntity,
        _ destination: StoredEntity
    ) {
        guard links[ObjectIdentifier(relationship)] == nil else { return }
        if inverse === relationship {
            designReflexive(relationship, home)
            return
        }
        // The column of a relationship holds the key of its destination and is named after both.
        let toDestination = newJoinColumn(relationship, destination)
        let toOwner = newJoinColumn(inverse, home)
        let orders = [
            (relationship, "Z_FOK_\(toDestination.dropFirst(2))"), (inverse, "Z_FOK_\(toOwner.dropFirst(2))"),
        ].filter(\.0.isOrdered)
        // The owner's column stands first when the owner sorts before; the table is named after the other.
        let ownerIsFirst = JoinOrder(home, toOwner) < JoinOrder(destination, toDestination)
        let name = takenTables.newName(
            ownerIsFirst
                ? "Z_\(home.entityNumber)\(relationship.name.uppercased())"
                : "Z_\(destination.entityNumber)\(inverse.name.uppercased())")
        let first = ownerIsFirst ? toOwner : toDestination
        let second = ownerIsFirst ? toDestination : toOwner
        joinTables.append(
            SQLSchema.JoinTable(name: name, orders: orders.map(\.1), first: first, second: second))
        for (end, owner, other) in [
            (relationship, toOwner, toDestination), (inverse, toDestination, toOwner),
        ] {
            links[ObjectIdentifier(end)] = SQLLinks(
                kind: .joinTable, table: name, owner: owner, destination: other,
                order: orders.first { $0.0 === end }?.1, ownerEntity: nil)
        }
    }

    private mutating func designReflexive(_ relationship: NSRelationshipDescription, _ home: StoredEntity) {
        let column = newJoinColumn(relationship, home)
        let order = relationship.isOrdered ? "Z_FOK_\(column.dropFirst(2))" : nil
        let name = takenTables.newName("Z_\(home.entityNumber)\(relationship.name.uppercased())")
        joinTables.append(
            SQLSchema.JoinTable(
                name: name, orders: [order].compactMap(\.self), first: column, second: "REFLEXIVE"))
        links[ObjectIdentifier(relationship)] = SQLLinks(
            kind: .joinTable, table: name,
            owner: "REFLEXIVE", destination: column, order: order, ownerEntity: nil, isReflexive: true)
    }

    private mutating func newJoinColumn(
        _ relationship: NSRelationshipDescription, _ destination: StoredEntity
    ) -> String {
        joinColumnNames.newName("Z_\(destination.entityNumber)\(relationship.name.uppercased())")
    }
}

/// Names that are taken, as SQL compares them: without regard to the case of ASCII letters.
private struct TakenNames {
    private var names: Set<String>

    init(_ names: Set<String>) { self.names = names }

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

    init(_ home: StoredEntity, _ column: String) {
        let isAlone = home.entity.superentity == nil && home.entity.subentities.isEmpty
        key = (isAlone ? 1 : 0, home.entityNumber, column)
    }

    static func == (a: JoinOrder, b: JoinOrder) -> Bool { a.key == b.key }
    static func < (a: JoinOrder, b: JoinOrder) -> Bool { a.key < b.key }
}

/// The groups in which columns stand in a table.
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
