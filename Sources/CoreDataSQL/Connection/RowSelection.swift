import ManagedObjectModel
import ObjectGraph

/// What a SELECT of whole rows selects, and where each column's values go.
///
/// The columns are the head, and then those of a family: an entity and its subentities, whose rows are in one table. Each entity has
/// those that are its own. The head is `Z_PK, Z_ENT, Z_OPT`; in a table of one entity, whose number need not be read, `Z_PK, Z_OPT`;
/// or `Z_PK` alone.
@usableFromInline
package final class RowSelection: Sendable {
    /// A column of an entity. Numbers alone: copying a name for each value would cost as much as reading the value.
    @usableFromInline
    package struct Column: Sendable {
        /// The position in the SELECT, from 0.
        @usableFromInline package let index: Int32
        @usableFromInline package let rowSlot: Int
        @usableFromInline package let kind: SlotKind
    }

    /// The columns of one entity.
    @usableFromInline
    package final class Entity: Sendable {
        @usableFromInline package let number: Int32
        @usableFromInline package let slotCount: Int
        @usableFromInline package let columns: [Column]
        package let name: String
        /// The slots that have no selected column.
        @usableFromInline package let emptySlots: [Int]
        /// The null bits of a row of at most 64 slots in which all selected columns have a value; those after the last slot are one.
        @usableFromInline package let emptyBits: UInt64
        /// Whether a row has nothing but numbers, and so no bytes.
        @usableFromInline package let hasOnlyNumbers: Bool
        /// Whether a row has nothing but numbers, in one to 64 slots: its null bits are one word. All columns have a slot then.
        @usableFromInline package let hasFewNumbers: Bool
        /// Whether a row has nothing but whole numbers and keys, in one to 64 slots.
        @usableFromInline package let hasFewIntegers: Bool

        init(number: Int32, slotCount: Int, columns: [Column], name: String) {
            func isWhole(_ column: Column) -> Bool {
                column.kind.isWholeNumber || column.kind == .toOne
            }
            hasOnlyNumbers = columns.allSatisfy { isWhole($0) || $0.kind.isReal }
            hasFewNumbers =
                hasOnlyNumbers && 1...64 ~= slotCount
                && columns.allSatisfy { (0..<slotCount).contains($0.rowSlot) }
            hasFewIntegers = hasFewNumbers && columns.allSatisfy(isWhole)
            let filled = Set(columns.map(\.rowSlot))
            emptySlots = (0..<slotCount).filter { !filled.contains($0) }
            emptyBits = filled.reduce(UInt64.max) { $1 < 64 ? $0 & ~(1 << UInt64($1)) : $0 }
            self.number = number
            self.slotCount = slotCount
            self.columns = columns
            self.name = name
        }
    }

    /// The names of the columns that every row has.
    package let headNames: [String]
    /// The names of the columns after those of every row.
    package let columnNames: [String]
    /// The names of all columns, in order.
    package var names: [String] { headNames + columnNames }
    /// All columns as the list of a SELECT from the table `QuerySource.base`; one piece if a dialect was given.
    package let list: SQLStatement
    /// The same as the dialect writes it, if one was given.
    package let listText: String?
    private let entities: [Int32: Entity]
    /// The entity of all rows, if there is only one.
    @usableFromInline package let only: Entity?
    /// The same, if no other entity has rows in the table: the head never has a number then.
    package let tableEntity: Entity?

    /// - Parameters:
    ///   - slots: the properties that are wanted, which all entities of the family have; nil for all.
    ///   - hasKeysAlone: whether `Z_ENT` and `Z_OPT` are left out: all rows are of one entity.
    ///   - dialect: what renders the list now, for a selection that is kept; nil for one that is used once.
    package init(
        family: [SQLEntity], only slots: PropertySet? = nil, hasKeysAlone: Bool = false,
        dialect: (any SQLDialect)? = nil
    ) {
        let hasOneEntity = family.count == 1 && !family[0].sharesTable
        let head = hasKeysAlone ? ["Z_PK"] : hasOneEntity ? ["Z_PK", "Z_OPT"] : ["Z_PK", "Z_ENT", "Z_OPT"]
        func isWanted(_ column: SQLColumn) -> Bool { slots?.contains(column.slot) ?? true }
        var names: [String] = []
        var positions: [String: Int32] = [:]
        for column in family.flatMap(\.columns) where positions[column.name] == nil && isWanted(column) {
            positions[column.name] = Int32(names.count + head.count)
            names.append(column.name)
        }
        columnNames = names
        headNames = head
        let columns = (head + names).map { name -> SQLStatement in
            "\(name: QuerySource.base).\(name: name)"
        }
        .joined(separator: ", ")
        list = dialect?.prerendered(columns) ?? columns
        if case .rendered(_, let text)? = list.pieces.first { listText = text } else { listText = nil }
        var entities: [Int32: Entity] = [:]
        for entity in family {
            entities[entity.number] = Entity(
                number: entity.number, slotCount: entity.storedEntity.layout.rowSlotCount,
                columns: entity.columns.filter(isWanted).map { column in
                    Column(index: positions[column.name] ?? 0, rowSlot: column.rowSlot, kind: column.kind)
                },
                name: entity.storedEntity.entity.name ?? "")
        }
        self.entities = entities
        only = family.count == 1 ? entities.values.first : nil
        tableEntity = hasOneEntity ? only : nil
    }

    /// The entity of the family whose number a row has; nil for a number that the family does not have. O(1).
    package func member(_ stored: Int64) -> Entity? { Int32(exactly: stored).flatMap { entities[$0] } }
}

extension SQLSchema {
    /// What reads rows of an entity and its subentities.
    ///
    /// - Parameter slots: the properties that are wanted; nil for all. `StoreTables` keeps the selections.
    func selection(
        of entity: SQLEntity, only slots: PropertySet? = nil, hasKeysAlone: Bool = false
    ) -> RowSelection {
        RowSelection(
            family: entity.familyNumbers.compactMap(self.entity), only: slots, hasKeysAlone: hasKeysAlone,
            dialect: dialect)
    }
}
