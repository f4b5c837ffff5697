import CoreDataSQL
import ObjectGraph
import CocoaFoundation
import Foundation
import GRDBSQLite
import ManagedObjectModel

/// Changes rows by one UPDATE, whose new values are all computed before the first row changes.
struct BatchUpdate {
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
    init(_ batch: StoreBatch, _ query: FetchQuery, _ properties: [AnyHashable: Any]) throws {
        self.batch = batch
        self.query = query
        entity = batch.schema.entity(query.home)
        let layout = query.home.layout
        var constants: [(key: String, value: Any)] = []
        for (property, value) in properties {
            let name = try Self.name(property, query.home)
            guard let slot = layout.index(of: name) else { throw Self.unknown(name, query.home) }
            let info = layout.slots[slot]
            changed.insert(slot)
            if let expression = value as? NSExpression, expression.expressionType != .constantValue {
                guard let column = entity.column(slot: slot), info.attribute != nil, !info.isDerived,
                    !info.isExternal,
                    !GroupAggregates.areIn(expression, query.home.entity)
                else {
                    throw NSError.coreData(
                        .coreData,
                        "A batch cannot compute '\(name)' of entity '\(query.home.entity.name ?? "")' by the expression \(expression)."
                    )
                }
                values.append((column, .computed(expression)))
            } else {
                constants.append((name, (value as? NSExpression)?.constantValue ?? value))
            }
        }
        var encoder = BatchRowEncoder(query.home)
        let row = try encoder.row(setting: constants)
        for column in entity.columns where row.given.contains(column.slot) {
            if layout.slots[column.slot].isExternal, !row.row.isNull(column.rowSlot),
                row.row.data(column.rowSlot).count > ExternalFiles.largestInRow
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

    func run(keepingIDs: Bool) throws -> BatchOutcome {
        let statement = try statement()
        let isChangingFiles = changed.contains { query.home.layout.slots[$0].isExternal }
        let keys = try batch.leavingExternalFiles(isChangingFiles) {
            try batch.store.reports.ignoring { try changedKeys(statement) }
        }
        try batch.noteUpdates(keys, changed)
        var outcome = BatchOutcome(keepingIDs: keepingIDs)
        for key in keys { outcome.add(try batch.home(number: key.entityNumber), key.reference) }
        return outcome
    }

    /// Runs the statement.
    ///
    /// - Throws: 1550 or 1570 for a value that its attribute cannot have.
    private func changedKeys(_ statement: SQLStatement) throws -> [(entityNumber: Int32, reference: Int64)] {
        var keys: [(entityNumber: Int32, reference: Int64)] = []
        let columns = computedColumns
        try SQLiteReader(batch.database).step(statement) { row in
            for (index, column) in columns.enumerated() {
                let slot = query.home.layout.slots[column.slot]
                let isMissing = sqlite3_column_type(row, Int32(index + 2)) == SQLITE_NULL
                if isMissing ? slot.property.isOptional : sqlite3_column_int(row, Int32(index + 2)) != 0 {
                    continue
                }
                throw NSError.coreData(
                    isMissing ? .validationMissingMandatoryProperty : .managedObjectValidation,
                    """
                    A batch cannot \(isMissing ? "leave" : "set") '\(slot.name)' of entity '\(query.home.entity.name ?? "")' \
                    \(isMissing ? "without a value" : "to a number that is out of its range").
                    """, [NSValidationKeyErrorKey: slot.name])
            }
            keys.append((sqlite3_column_int(row, 0), sqlite3_column_int64(row, 1)))
        }
        return keys
    }

    private var computedColumns: [SQLColumn] {
        values.compactMap { column, value in if case .computed = value { column } else { nil } }
    }

    /// Whether a column's new value is in the range of its attribute, in SQL; NULL without a value.
    private static func isInRange(_ name: String, _ kind: SlotKind) -> String {
        guard kind == .integer16 || kind == .integer32 else { return "CASE WHEN \(name) NOT NULL THEN 1 END" }
        return "\(name) BETWEEN \(kind.integerRange.lowerBound) AND \(kind.integerRange.upperBound)"
    }

    private func statement() throws -> SQLStatement {
        let schema = batch.schema
        let table = schema.quoted(entity.table)
        var computed: [NSExpression] = []
        let sets = values.map { column, value -> SQLStatement in
            let name = schema.quoted(column.name)
            switch value {
            case .constant(let value): return SQLStatement("\(name) = ?", [value])
            case .computed(let expression):
                computed.append(expression)
                return SQLStatement("\(name) = \(Self.cast("s.v\(computed.count - 1)", column.kind))")
            }
        }
        let found = try FetchCompiler(schema: schema).keys(query, computing: computed) { index, kind in
            let column = computedColumns[index]
            guard Self.takes(kind, column.kind) else {
                throw NSError.coreData(
                    .coreData,
                    """
                    '\(query.home.layout.slots[column.slot].name)' of entity '\(query.home.entity.name ?? "")' cannot take the \
                    value of \(computed[index]), which is of another type.
                    """)
            }
        }
        var statement = SQLStatement("UPDATE \(table) SET ")
        statement.append((sets + [SQLStatement("Z_OPT = Z_OPT + 1")]).joined(separator: ", "))
        statement.append(" FROM (")
        statement.append(found)
        statement.append(") AS s WHERE \(table).Z_PK = s.k RETURNING \(table).Z_ENT, \(table).Z_PK")
        for column in computedColumns {
            statement.append(", \(Self.isInRange(schema.quoted(column.name), column.kind))")
        }
        return statement
    }

    /// Whether an attribute may have a value of a kind.
    private static func takes(_ value: SlotKind, _ attribute: SlotKind) -> Bool {
        func isNumber(_ kind: SlotKind) -> Bool {
            kind.isWholeNumber || kind == .double || kind == .float || kind == .decimal
        }
        return value == attribute || isNumber(value) && isNumber(attribute) || value == .undefined
    }

    /// The value as the attribute's column keeps it.
    private static func cast(_ value: String, _ kind: SlotKind) -> String {
        switch kind {
        case .boolean: "(\(value) <> 0)"
        case .integer16, .integer32, .integer64: "CAST(\(value) AS INTEGER)"
        case .double, .float, .date: "CAST(\(value) AS REAL)"
        default: value
        }
    }

    private static func name(_ property: AnyHashable, _ home: StoredEntity) throws -> String {
        if let name = property.base as? String { return name }
        if let property = property.base as? NSPropertyDescription { return property.name }
        throw unknown("\(property)", home)
    }

    private static func unknown(_ name: String, _ home: StoredEntity) -> NSError {
        .coreData(.coreData, "keypath \(name) not found in entity \(home.entity.name ?? "")")
    }
}
