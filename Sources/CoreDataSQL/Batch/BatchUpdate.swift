import ObjectGraph
import CocoaFoundation
import Foundation
import ManagedObjectModel

/// Changes rows by one UPDATE, whose new values are all computed before the first row changes.
///
/// Where the database cannot decide the condition, rows decide it first, and the UPDATE has a list of their keys.
package struct BatchUpdate {
    /// A column's new value: of the row, or the same for all.
    private enum Value {
        case computed(NSExpression)
        case constant(SQLValue)
    }

    private let batch: StoreBatch
    private let query: FetchQuery
    private let entity: SQLEntity
    private var values: [(column: SQLColumn, value: Value)] = []
    private var changed = PropertySet()

    /// - Throws: 134060 for a name that is not a stored property of the entity, and for a value that is not of its type.
    package init(_ batch: StoreBatch, _ query: FetchQuery, _ properties: [AnyHashable: Any]) throws {
        self.batch = batch
        self.query = query
        entity = batch.schema.entity(query.storedEntity)
        let layout = query.storedEntity.layout
        var constants: [(key: String, value: Any)] = []
        for (property, value) in properties {
            let name = try Self.name(property, query.storedEntity)
            guard let slot = layout.index(of: name) else { throw Self.unknown(name, query.storedEntity) }
            let info = layout.slots[slot]
            changed.insert(slot)
            if let expression = value as? NSExpression, expression.expressionType != .constantValue {
                guard let column = entity.column(slot: slot), info.attribute != nil, !info.isDerived,
                    !info.isExternal,
                    !GroupAggregates.areIn(expression, query.storedEntity.entity)
                else {
                    throw NSError.coreData(
                        .coreData,
                        "A batch cannot compute '\(name)' of entity '\(query.storedEntity.entity.name ?? "")' by the expression \(expression)."
                    )
                }
                values.append((column, .computed(expression)))
            } else {
                constants.append((name, (value as? NSExpression)?.constantValue ?? value))
            }
        }
        var encoder = BatchRowEncoder(query.storedEntity)
        let row = try encoder.row(setting: constants)
        for column in entity.columns where row.given.contains(column.slot) {
            if layout.slots[column.slot].isExternal, !row.row.isNull(column.rowSlot),
                row.row.data(column.rowSlot).count > ExternalData.largestInRow
            {
                throw NSError.coreData(
                    .coreData,
                    """
                    A batch cannot set '\(layout.slots[column.slot].name)' of many rows to data that is too large for a row.
                    """)
            }
            values.append((column, .constant(row.row.columnValue(column) ?? .null)))
        }
        // The order in a dictionary changes with every run; statements are cached by their text.
        values.sort { $0.column.name < $1.column.name }
        guard !values.isEmpty else {
            throw NSError.coreData(.coreData, "A batch update must have properties to update.")
        }
    }

    package func run(keepingIDs: Bool) throws -> BatchOutcome {
        let statement = try batch.snapshot.tables.compiler.result(of: query) {
            try self.statement(of: query)
        } decided: {
            // What a value is computed by has to be SQL: all values are there before the first row changes.
            var found = FetchQuery(storedEntity: query.storedEntity)
            found.includesSubentities = query.includesSubentities
            found.references = try batch.snapshot.rows(for: $0).map(\.reference)
            return try self.statement(of: found)
        }
        let isChangingFiles = changed.contains { query.storedEntity.layout.slots[$0].isExternal }
        let keys = try batch.leavingExternalFiles(isChangingFiles) {
            try batch.store.derivedValues.ignoring { try changedKeys(statement) }
        }
        try batch.noteUpdates(keys, changed)
        var outcome = BatchOutcome(keepingIDs: keepingIDs)
        for key in keys { outcome.add(try batch.storedEntity(number: key.entityNumber), key.reference) }
        return outcome
    }

    /// Runs the statement.
    ///
    /// - Throws: 1550 or 1570 for a value that its attribute cannot have.
    private func changedKeys(_ statement: SQLStatement) throws -> [(entityNumber: Int32, reference: Int64)] {
        var keys: [(entityNumber: Int32, reference: Int64)] = []
        let columns = computedColumns
        try batch.connection.forEachRow(of: statement) { row in
            for (index, column) in columns.enumerated() {
                let slot = query.storedEntity.layout.slots[column.slot]
                let isMissing = row.isNull(index + 2)
                if isMissing ? slot.property.isOptional : row.integer(index + 2) != 0 { continue }
                throw NSError.coreData(
                    isMissing ? .validationMissingMandatoryProperty : .managedObjectValidation,
                    """
                    A batch cannot \(isMissing ? "leave" : "set") '\(slot.name)' of entity '\(query.storedEntity.entity.name ?? "")' \
                    \(isMissing ? "without a value" : "to a number that is out of its range").
                    """, [NSValidationKeyErrorKey: slot.name])
            }
            keys.append((Int32(truncatingIfNeeded: row.integer(0)), row.integer(1)))
        }
        return keys
    }

    private var computedColumns: [SQLColumn] {
        values.compactMap { column, value in if case .computed = value { column } else { nil } }
    }

    /// Whether a column's new value is in the range of its attribute, in SQL; NULL without a value.
    private static func isInRange(_ column: SQLStatement, _ kind: SlotKind) -> SQLStatement {
        guard kind == .integer16 || kind == .integer32 else {
            return "CASE WHEN \(column) IS NOT NULL THEN 1 END"
        }
        let range = kind.integerRange
        let condition: SQLStatement =
            "\(column) BETWEEN \(integer: range.lowerBound) AND \(integer: range.upperBound)"
        return SQLStatement(.number(condition))
    }

    private func statement(of query: FetchQuery) throws -> SQLStatement {
        let table: SQLStatement = "\(name: entity.table)"
        var computed: [NSExpression] = []
        let sets = values.map { column, value -> SQLStatement in
            switch value {
            case .constant(let value): return "\(name: column.name) = \(value: value)"
            case .computed(let expression):
                computed.append(expression)
                let value: SQLStatement = "s.v\(integer: computed.count - 1)"
                return "\(name: column.name) = \(Self.cast(value, column.kind))"
            }
        }
        let found = try FetchCompiler(schema: batch.schema).keys(query, computing: computed) { index, kind in
            let column = computedColumns[index]
            guard Self.takes(kind, column.kind) else {
                throw NSError.coreData(
                    .coreData,
                    """
                    '\(query.storedEntity.layout.slots[column.slot].name)' of entity '\(query.storedEntity.entity.name ?? "")' cannot take the \
                    value of \(computed[index]), which is of another type.
                    """)
            }
        }
        let returned: [SQLStatement] =
            [entity.numberOfRow(in: table), "\(table).Z_PK"]
            + computedColumns.map { Self.isInRange("\(name: $0.name)", $0.kind) }
        return """
            UPDATE \(table) SET \(list: sets + ["Z_OPT = Z_OPT + 1"]) FROM (\(found)) AS s \
            WHERE \(table).Z_PK = s.k\(.returning(returned.joined(separator: ", ")))
            """
    }

    /// Whether an attribute may have a value of a kind.
    private static func takes(_ value: SlotKind, _ attribute: SlotKind) -> Bool {
        func isNumber(_ kind: SlotKind) -> Bool {
            kind.isWholeNumber || kind == .double || kind == .float || kind == .decimal
        }
        return value == attribute || isNumber(value) && isNumber(attribute) || value == .undefined
    }

    /// The value as the attribute's column keeps it.
    private static func cast(_ value: SQLStatement, _ kind: SlotKind) -> SQLStatement {
        switch kind {
        case .boolean: SQLStatement(.number("(\(value) <> 0)"))
        case .integer16, .integer32, .integer64: SQLStatement(.cast(value, .integer))
        case .double, .float, .date: SQLStatement(.cast(value, .real))
        default: value
        }
    }

    private static func name(_ property: AnyHashable, _ storedEntity: StoredEntity) throws -> String {
        if let name = property.base as? String { return name }
        if let property = property.base as? NSPropertyDescription { return property.name }
        throw unknown("\(property)", storedEntity)
    }

    private static func unknown(_ name: String, _ storedEntity: StoredEntity) -> NSError {
        .coreData(.coreData, "keypath \(name) not found in entity \(storedEntity.entity.name ?? "")")
    }
}
