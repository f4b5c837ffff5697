import ObjectGraph
import Foundation
import ManagedObjectModel

/// Finds out which objects of a save violate uniqueness constraints, after the database said that some do.
///
/// A save that violates nothing pays nothing for it. O(objects), and one statement for every 250 objects of a constraint.
package struct ConstraintCheck {
    private let store: any SQLStore
    private let connection: any SQLConnection
    private let schema: SQLSchema

    package init(_ store: any SQLStore, _ connection: any SQLConnection) {
        self.store = store
        self.connection = connection
        schema = store.tables.schema
    }

    /// - Throws: `SaveConflicts` when rows changed since they were read, which is resolved first; else
    ///   `ConstraintViolations` when there are any.
    package func check(_ unit: UnitOfWork, cause: NSError) throws {
        let rows =
            unit.updates.map {
                ChangedRows.Candidate(storedEntity: $0.storedEntity, old: $0.old, isDeletion: false)
            }
            + unit.locks.map {
                ChangedRows.Candidate(storedEntity: $0.storedEntity, old: $0.old, isDeletion: false)
            }
            + unit.deletions.map {
                ChangedRows.Candidate(storedEntity: $0.storedEntity, old: $0.old, isDeletion: true)
            }
        let conflicts = try ChangedRows(store, connection).conflicts(among: rows)
        if !conflicts.isEmpty { throw SaveConflicts(conflicts) }
        var violations: [ConstraintViolations.Violation] = []
        for entity in schema.entities {
            for constraint in entity.storedEntity.entity.uniquenessConstraintNames {
                violations += try self.violations(of: constraint, entity, unit)
            }
        }
        if !violations.isEmpty {
            throw ConstraintViolations(store: store, violations: violations, cause: cause)
        }
    }

    // MARK: Constraints

    /// The values of a constraint in one row, as the database compares them.
    private typealias Key = [UInt8]

    /// The objects of a save with the same values.
    private struct Group {
        let values: [SQLValue]
        var objects: [NSManagedObject] = []
        var stored: Row?
    }

    private func violations(
        of constraint: [String], _ entity: SQLEntity, _ unit: UnitOfWork
    ) throws -> [ConstraintViolations.Violation] {
        guard let columns = schema.columns(of: constraint, entity) else { return [] }
        var groups: [Key: Group] = [:]
        var order: [Key] = []
        // Rows that will not have these values any more.
        var leaving: Set<Int64> = []
        func add(_ object: NSManagedObject, _ row: Row, _ columns: [SQLColumn]) {
            guard let (key, values) = row.uniqueValues(columns) else { return }
            if groups[key] == nil {
                groups[key] = Group(values: values)
                order.append(key)
            }
            groups[key]?.objects.append(object)
        }
        let covered = schema.constrained(by: constraint, of: entity)
        let family = Dictionary(uniqueKeysWithValues: covered.map { ($0.entity.number, $0.columns) })
        for (insert, object) in zip(unit.inserts, unit.objects.inserted) {
            if let columns = family[insert.storedEntity.entityNumber] { add(object, insert.row, columns) }
        }
        for (update, object) in zip(unit.updates, unit.objects.updated) {
            guard let columns = family[update.storedEntity.entityNumber],
                columns.contains(where: { update.changed.contains($0.slot) })
            else { continue }
            leaving.insert(update.old.reference)
            add(object, update.row, columns)
        }
        for deletion in unit.deletions where family[deletion.storedEntity.entityNumber] != nil {
            leaving.insert(deletion.old.reference)
        }
        try findStored(&groups, order, columns, covered.map(\.entity), family, entity, except: leaving)
        return order.compactMap { key in
            guard let group = groups[key], group.objects.count + (group.stored == nil ? 0 : 1) > 1 else {
                return nil
            }
            return .init(constraint: constraint, stored: group.stored, objects: group.objects)
        }
    }

    /// Looks for rows that have the values already.
    private func findStored(
        _ groups: inout [Key: Group], _ order: [Key], _ columns: [SQLColumn], _ covered: [SQLEntity],
        _ family: [Int32: [SQLColumn]], _ entity: SQLEntity, except leaving: Set<Int64>
    ) throws {
        let selection = RowSelection(family: covered)
        for start in stride(from: 0, to: order.count, by: 250) {
            let values = order[start..<min(start + 250, order.count)].compactMap { groups[$0]?.values }
            let statement = schema.rows(
                of: entity, where: columns, have: values, among: covered.map(\.number),
                selecting: selection.names)
            for row in try connection.rows(statement, as: selection) where !leaving.contains(row.reference) {
                guard let columns = family[row.entityNumber], let key = row.uniqueValues(columns)?.key else {
                    continue
                }
                groups[key]?.stored = row
            }
        }
    }
}

extension Row {
    /// The values of columns, and bytes that are the same for what the database takes to be the same; nil when one is
    /// missing, as NULL is never equal to NULL.
    func uniqueValues(_ columns: [SQLColumn]) -> (key: [UInt8], values: [SQLValue])? {
        var key: [UInt8] = []
        var values: [SQLValue] = []
        for column in columns {
            guard let value = columnValue(column) else { return nil }
            values.append(value)
            switch value {
            case .null: return nil
            case .integer(let number): Self.append(UInt64(bitPattern: number), 0, &key)
            case .double(let number):
                // A whole number is the same as an integer.
                if let integer = Int64(exactly: number) {
                    Self.append(UInt64(bitPattern: integer), 0, &key)
                } else {
                    Self.append(number.bitPattern, 1, &key)
                }
            case .text(let text): Self.append(Array(text.utf8), 2, &key)
            case .blob(let data): Self.append(Array(data), 3, &key)
            }
        }
        return (key, values)
    }

    private static func append(_ word: UInt64, _ tag: UInt8, _ key: inout [UInt8]) {
        key.append(tag)
        withUnsafeBytes(of: word) { key.append(contentsOf: $0) }
    }

    private static func append(_ bytes: [UInt8], _ tag: UInt8, _ key: inout [UInt8]) {
        append(UInt64(bytes.count), tag, &key)
        key.append(contentsOf: bytes)
    }

    /// What a column has for the row; nil for no value.
    func columnValue(_ column: SQLColumn) -> SQLValue? {
        let slot = column.rowSlot
        guard !isNull(slot) else { return nil }
        switch column.kind {
        case .integer16, .integer32, .integer64, .boolean, .toOne: return .integer(integer(slot))
        case .double, .float, .date: return double(slot).isNaN ? nil : .double(double(slot))
        case .string, .uri: return .text(string(slot))
        case .uuid, .binary, .transformable: return .blob(data(slot))
        case .decimal: return DecimalColumn.stored(decimal(slot))
        case .composite, .undefined, .toMany, .fetched: return nil
        }
    }
}
