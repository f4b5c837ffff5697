import CoreDataSQL
import Foundation
import ManagedObjectModel

/// A derived attribute's column, and the triggers that fill it.
struct DerivedTarget {
    let schema: SQLSchema
    let rawTable: String
    let table: String
    let column: String
    private let entityName: String
    private let attribute: String
    /// Which rows of the table have the attribute; nil when all have.
    private let family: String?

    init(schema: SQLSchema, entity: SQLEntity, column: String, attribute: String) {
        self.schema = schema
        rawTable = entity.table
        table = schema.quoted(entity.table)
        self.column = column
        entityName = entity.storedEntity.entity.name ?? ""
        self.attribute = attribute
        let hasAll = entity.storedEntity.entity.superentity == nil
        family =
            hasAll ? nil : "Z_ENT IN (\(entity.familyNumbers.map(String.init).joined(separator: ", ")))"
    }

    // MARK: now()

    func now() -> [SQLStatement] {
        let value = "\(SQLFunctionNames.now)()"
        let own = "Z_PK = NEW.Z_PK"
        return [
            trigger(rawTable, "INSERT", "AFTER INSERT", value, own, isInsert: true),
            trigger(rawTable, "UPDATE", "AFTER UPDATE OF Z_OPT", value, own),
        ]
    }

    // MARK: Copies, as they are or in another form

    /// - Parameter form: makes the value's SQL of the source's.
    func copies(_ path: DerivedPath, _ form: (String) -> String) -> [SQLStatement] {
        let own = "Z_PK = NEW.Z_PK"
        let value = value(path, steps: path.steps[...], from: "NEW", form)
        let watched = path.steps.first?.key ?? path.column
        var triggers = [
            trigger(rawTable, "SOURCE_INSERT", "AFTER INSERT", value, own, isInsert: true),
            trigger(rawTable, "SOURCE_UPDATE", "AFTER UPDATE OF \(watched)", value, own),
        ]
        // A change at the end of any step changes the rows that lead there.
        for (index, step) in path.steps.enumerated() {
            let rest = path.steps[(index + 1)...]
            let affected = owners(path.steps[...index])
            let value = self.value(path, steps: rest, from: "NEW", form)
            let watched = rest.first?.key ?? path.column
            let level = index == 0 ? "" : "_\(index + 1)"
            triggers += [
                trigger(
                    step.rawTable, "PARAMETER_INSERT\(level)", "AFTER INSERT", value, affected,
                    isInsert: true),
                trigger(
                    step.rawTable, "PARAMETER_UPDATE\(level)", "AFTER UPDATE OF \(watched)", value, affected),
            ]
        }
        return triggers
    }

    /// The value at the end of a path that begins at a row.
    private func value(
        _ path: DerivedPath, steps: ArraySlice<DerivedPath.Step>, from row: String, _ form: (String) -> String
    ) -> String {
        guard let first = steps.first else { return form("\(row).\(path.column)") }
        var key = "\(row).\(first.key)"
        for (step, next) in zip(steps, steps.dropFirst()) {
            key = "(SELECT \(next.key) FROM \(step.table) WHERE Z_PK = \(key))"
        }
        return "(SELECT \(form(path.column)) FROM \(steps[steps.endIndex - 1].table) WHERE Z_PK = \(key))"
    }

    /// The rows from which the steps lead to the changed row.
    private func owners(_ steps: ArraySlice<DerivedPath.Step>) -> String {
        guard let last = steps.last else { return "Z_PK = NEW.Z_PK" }
        var condition = "\(last.key) = NEW.Z_PK"
        for index in steps.indices.dropLast().reversed() {
            condition = "\(steps[index].key) IN (SELECT Z_PK FROM \(steps[index].table) WHERE \(condition))"
        }
        return condition
    }

    // MARK: Text

    /// - Parameters:
    ///   - firing: the table whose changes fire the trigger.
    ///   - value: what the derived column becomes.
    ///   - affected: in which rows.
    ///   - condition: when it fires at all.
    func trigger(
        _ firing: String, _ event: String, _ timing: String, _ value: String, _ affected: String,
        when condition: String? = nil, isInsert: Bool = false
    ) -> SQLStatement {
        let name = schema.quoted("Z_DA_\(firing)_\(entityName)_\(attribute)_\(event)")
        let report =
            isInsert
            ? SQLFunctionNames.insertUpdatedAffectedValue : SQLFunctionNames.updatedAffectedValue
        let when = condition.map { " WHEN (\($0))" } ?? ""
        let rows = family.map { "\(affected) AND \($0)" } ?? affected
        return SQLStatement(
            native: """
                CREATE TRIGGER \(name) \(timing) ON \(schema.quoted(firing)) FOR EACH ROW\(when) BEGIN UPDATE \(table) \
                SET \(column) = \(value) WHERE \(rows); SELECT \(report)('\(literal(rawTable))', Z_ENT, Z_PK, \
                '\(literal(attribute))', \(column)) FROM \(table) WHERE \(rows); END
                """)
    }

    /// Names in triggers cannot be bound.
    private func literal(_ text: String) -> String { text.replacing("'", with: "''") }
}
