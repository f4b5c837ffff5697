import CoreDataSQL
import ObjectGraph
import CocoaFoundation
import Foundation
import GRDBSQLite
import ManagedObjectModel

/// Packs the rows of a statement, column by column, straight from SQLite's memory.
///
/// The statement's columns are `Z_PK, Z_ENT, Z_OPT` and then those of a family: an entity and its subentities, whose
/// rows are in one table. Each entity takes the columns that it has.
struct RowDecoder: Sendable {
    /// Numbers alone: copying a name for each value would cost as much as reading the value.
    private struct Column: Sendable {
        let index: Int32
        let rowSlot: Int
        let kind: SlotKind
    }

    private final class EntityColumns: Sendable {
        let number: Int32
        let slotCount: Int
        let columns: [Column]
        let entityName: String

        init(number: Int32, slotCount: Int, columns: [Column], entityName: String) {
            self.number = number
            self.slotCount = slotCount
            self.columns = columns
            self.entityName = entityName
        }
    }

    /// The names of the columns after the first three.
    let columnNames: [String]
    /// All columns as the list of a SELECT from the table `QuerySource.base`.
    let columnList: String
    private let entities: [Int32: EntityColumns]
    private let only: EntityColumns?

    /// - Parameters:
    ///   - slots: the properties that are wanted, which all entities of the family have; nil for all.
    ///   - dialect: quotes the names of columns.
    init(family: [SQLEntity], only slots: PropertySet? = nil, dialect: any SQLDialect) {
        func isWanted(_ column: SQLColumn) -> Bool { slots?.contains(column.slot) ?? true }
        var names: [String] = []
        var places: [String: Int32] = [:]
        for column in family.flatMap(\.columns) where places[column.name] == nil && isWanted(column) {
            places[column.name] = Int32(names.count + 3)
            names.append(column.name)
        }
        columnNames = names
        columnList = (["Z_PK", "Z_ENT", "Z_OPT"] + names.map(dialect.quoted))
            .map { "\(QuerySource.base).\($0)" }.joined(separator: ", ")
        var entities: [Int32: EntityColumns] = [:]
        for entity in family {
            entities[entity.number] = EntityColumns(
                number: entity.number, slotCount: entity.home.layout.rowSlotCount,
                columns: entity.columns.filter(isWanted).map { column in
                    Column(index: places[column.name] ?? 0, rowSlot: column.rowSlot, kind: column.kind)
                },
                entityName: entity.home.entity.name ?? "")
        }
        self.entities = entities
        only = family.count == 1 ? entities.values.first : nil
    }

    /// The statement's present row.
    ///
    /// - Throws: 134060 for an entity number that the model does not have, or a value that is not of its column's
    ///   type, with the position.
    func row(_ statement: OpaquePointer, _ builder: inout RowBuilder, timestamp: Double) throws -> Row {
        let reference = sqlite3_column_int64(statement, 0)
        let stored = sqlite3_column_int64(statement, 1)
        let number = Int32(truncatingIfNeeded: stored)
        guard let entity = only?.number == number ? only : entities[number], number == stored else {
            throw NSError.coreData(
                .coreData, "Row \(reference) is of entity number \(stored), which the model does not have.")
        }
        builder.begin(slotCount: entity.slotCount)
        for column in entity.columns {
            try decode(column, statement, &builder, entity, reference)
        }
        return try builder.finish(
            reference: reference, version: sqlite3_column_int64(statement, 2), entityNumber: number,
            timestamp: timestamp)
    }

    @inline(__always)
    private func decode(
        _ column: Column, _ statement: OpaquePointer, _ builder: inout RowBuilder, _ entity: EntityColumns,
        _ reference: Int64
    ) throws {
        if column.kind.isWholeNumber || column.kind == .toOne {
            // Null reads as zero: only the type of a zero has to be checked.
            let number = sqlite3_column_int64(statement, column.index)
            if number != 0 || sqlite3_column_type(statement, column.index) != SQLITE_NULL {
                builder.set(column.rowSlot, integer: number)
            }
            return
        }
        let type = sqlite3_column_type(statement, column.index)
        if type == SQLITE_NULL { return }
        switch column.kind {
        case .double, .float, .date:
            builder.set(column.rowSlot, double: sqlite3_column_double(statement, column.index))
        case .string, .uri:
            let text = sqlite3_column_text(statement, column.index)
            let count = Int(sqlite3_column_bytes(statement, column.index))
            builder.set(
                column.rowSlot, bytes: UnsafeRawBufferPointer(start: text, count: text == nil ? 0 : count))
        case .binary, .transformable:
            builder.set(column.rowSlot, bytes: Self.blob(statement, column.index))
        case .uuid:
            let bytes = Self.blob(statement, column.index)
            guard bytes.count == 16 else {
                throw damaged(column, entity, reference, "is not a UUID of 16 bytes")
            }
            builder.set(column.rowSlot, bytes: bytes)
        case .decimal:
            guard let value = Self.decimal(statement, column.index, type) else {
                throw damaged(column, entity, reference, "is not a number")
            }
            builder.set(column.rowSlot, decimal: value)
        case .composite, .undefined, .toMany, .fetched, .integer16, .integer32, .integer64, .boolean, .toOne:
            break
        }
    }

    private static func blob(_ statement: OpaquePointer, _ index: Int32) -> UnsafeRawBufferPointer {
        let start = sqlite3_column_blob(statement, index)
        let count = Int(sqlite3_column_bytes(statement, index))
        return UnsafeRawBufferPointer(start: start, count: start == nil ? 0 : count)
    }

    /// A number of a column with numeric affinity: to 15 digits, which is what SQLite keeps of a decimal.
    static func decimal(_ statement: OpaquePointer, _ index: Int32, _ type: Int32) -> Decimal? {
        switch type {
        case SQLITE_INTEGER: return Decimal(sqlite3_column_int64(statement, index))
        case SQLITE_FLOAT: return StoredValue.decimal(of: sqlite3_column_double(statement, index))
        default:
            guard let text = sqlite3_column_text(statement, index) else { return nil }
            return StoredValue.decimal(of: String(cString: text))
        }
    }

    private func damaged(
        _ column: Column, _ entity: EntityColumns, _ reference: Int64, _ what: String
    ) -> NSError {
        .coreData(
            .coreData,
            "The store is damaged: column \(columnNames[Int(column.index) - 3]) of row \(reference) of entity \(entity.entityName) \(what)."
        )
    }
}

extension SQLSchema {
    /// What reads rows of an entity and its subentities.
    ///
    /// - Parameter slots: the properties that are wanted; nil for all.
    func decoder(of entity: SQLEntity, only slots: PropertySet? = nil) -> RowDecoder {
        RowDecoder(family: entity.familyNumbers.compactMap(self.entity), only: slots, dialect: dialect)
    }
}
