import ObjectGraph
import Foundation
import ManagedObjectModel

/// A column that holds a value of an entity.
package struct SQLColumn: Sendable {
    package enum Role: Sendable {
        /// The value of the property or composite element with this row slot.
        case value
        /// The number of the entity that a to-one relationship leads to; the row slot holds it.
        case destinationEntity
    }

    package let name: String
    package let kind: SlotKind
    package let role: Role
    /// Where a row of the entity keeps the value.
    package let rowSlot: Int
    /// The slot of the property.
    package let slot: Int
}

/// One entity in the tables.
package final class SQLEntity: @unchecked Sendable {
    package let storedEntity: StoredEntity
    package let table: String
    package let number: Int32
    /// The columns of the entity's rows, inherited ones included, in the order of the table.
    package let columns: [SQLColumn]
    /// Those whose values may be others in a row that a save makes than in the one that it writes: references, and numbers
    /// of which a column keeps less.
    package let resolvedColumns: [SQLColumn]
    /// The numbers of the entity and its subentities.
    package let familyNumbers: [Int32]
    /// Whether other entities share the table.
    package let sharesTable: Bool
    private let columnBySlot: [Int: SQLColumn]
    private let columnByElement: [Int: SQLColumn]

    init(
        storedEntity: StoredEntity, table: String, columns: [SQLColumn], familyNumbers: [Int32],
        sharesTable: Bool
    ) {
        self.storedEntity = storedEntity
        self.table = table
        number = storedEntity.entityNumber
        self.columns = columns
        resolvedColumns = columns.filter { $0.kind == .toOne || $0.kind == .decimal || $0.kind.isReal }
        self.familyNumbers = familyNumbers
        self.sharesTable = sharesTable
        columnBySlot = Dictionary(
            columns.filter { $0.role == .value && $0.slot == $0.rowSlot }.map { ($0.slot, $0) },
            uniquingKeysWith: { a, _ in a })
        columnByElement = Dictionary(columns.map { ($0.rowSlot, $0) }, uniquingKeysWith: { a, _ in a })
    }

    // Where all rows of a table are of one entity, as Apple's statements take them to be, `Z_ENT` is not read: whatever it says.

    /// The number of a row's entity, in SQL.
    ///
    /// - Parameter alias: the table's name or alias in the statement; the row is there.
    func numberOfRow(in alias: SQLStatement) -> SQLStatement {
        sharesTable ? "\(alias).Z_ENT" : "\(integer: number)"
    }

    /// The condition that a row is of the entity itself; nil where all rows of the table are.
    func isOwn(in alias: SQLStatement? = nil) -> SQLStatement? {
        sharesTable ? "\(numberColumn(alias)) = \(integer: number)" : nil
    }

    /// The clause that leaves out rows of other entities, with a space before it; empty where all rows of the table are of this one.
    var whereOwn: SQLStatement { isOwn().map { " WHERE \($0)" } ?? "" }

    /// The condition that a row is of the entity itself or of some others of the table; nil where all rows of the table are.
    func isAmong(_ numbers: [Int32], in alias: SQLStatement? = nil) -> SQLStatement? {
        sharesTable ? "\(numberColumn(alias)) IN (\(integers: numbers))" : nil
    }

    private func numberColumn(_ alias: SQLStatement?) -> SQLStatement {
        alias.map { "\($0).Z_ENT" } ?? "Z_ENT"
    }

    /// The column of a property; nil for one without a column of its own.
    package func column(slot: Int) -> SQLColumn? { columnBySlot[slot] }

    /// The column of a row slot: a property, an element of a composite, a destination's entity.
    package func column(rowSlot: Int) -> SQLColumn? { columnByElement[rowSlot] }
}

/// Where the links of a relationship are, if not in a column of its owner's row.
package struct SQLLinks: Sendable {
    package enum Kind: Sendable {
        /// A table of pairs.
        case joinTable
        /// A column of the destination's table: a foreign key.
        case destinationColumn
    }

    package let kind: Kind
    package let table: String
    /// The column with the owner's key.
    package let owner: String
    /// The column with the destination's key.
    package let destination: String
    /// The column with the destinations' order.
    package let order: String?
    /// Of an ordered relationship that is its own inverse, the column with the order of the owners among the destination's; nil
    /// where one column stands for both.
    package var reverseOrder: String?
    /// The column with the number of the owner's entity, where a foreign key has one.
    package let ownerEntity: String?
    /// Whether the relationship is its own inverse: one row stands for a pair, whichever way round.
    package var isReflexive = false
}

/// The tables of a model's entities in one store.
package final class SQLSchema: @unchecked Sendable {
    package struct Table {
        package let name: String
        package let root: NSEntityDescription
        package var columns: [(name: String, type: SQLColumnType)]
    }

    package struct JoinTable {
        package let name: String
        /// Order columns.
        package let orders: [String]
        package let first: String
        package let second: String
    }

    package let tables: [Table]
    package let joinTables: [JoinTable]
    package let dialect: any SchemaDialect
    private let byNumber: [Int32: SQLEntity]
    /// The numbers of the entities that have a table of their own, by table.
    private let soleNumbers: [String: Int32]
    private let links: [ObjectIdentifier: SQLLinks]

    package init(
        dialect: any SchemaDialect, tables: [Table], joinTables: [JoinTable], entities: [SQLEntity],
        links: [ObjectIdentifier: SQLLinks]
    ) {
        self.dialect = dialect
        self.tables = tables
        self.joinTables = joinTables
        byNumber = Dictionary(uniqueKeysWithValues: entities.map { ($0.number, $0) })
        soleNumbers = Dictionary(
            entities.filter { !$0.sharesTable }.map { ($0.table, $0.number) }, uniquingKeysWith: { a, _ in a }
        )
        self.links = links
    }

    /// The entity with a number. O(1).
    package func entity(_ number: Int32) -> SQLEntity? { byNumber[number] }

    package func entity(_ storedEntity: StoredEntity) -> SQLEntity {
        guard let entity = byNumber[storedEntity.entityNumber] else {
            fatalError("Entity '\(storedEntity.entity.name ?? "")' is not in the schema.")
        }
        return entity
    }

    /// The number of the only entity that has its objects in a table; nil for the table of several entities.
    func soleNumber(inTable table: String) -> Int32? { soleNumbers[table] }

    /// All entities, by number.
    package var entities: [SQLEntity] { byNumber.values.sorted { $0.number < $1.number } }

    /// All links, in no order.
    var allLinks: some Collection<SQLLinks> { links.values }

    /// Where a to-many relationship's links are kept.
    package func links(of relationship: NSRelationshipDescription) -> SQLLinks? {
        links[ObjectIdentifier(relationship)]
    }
}
