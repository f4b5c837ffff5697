import Foundation
import ManagedObjectModel

/// A derived attribute's column, and the triggers that fill it.
struct DerivedTarget {
    private let schema: SQLSchema
    private let rawTable: String
    private let table: String
    private let column: String
    private let entityName: String
    private let attribute: String

    init(schema: SQLSchema, entity: SQLEntity, column: String, attribute: String) {
        self.schema = schema
        rawTable = entity.table
        table = schema.quoted(entity.table)
        self.column = column
        entityName = entity.home.entity.name ?? ""
        self.attribute = attribute
    }

    // MARK: now()

    func now() -> [SQLStatement] {
        let set = "UPDATE \(table) SET \(column) = \(schema.dialect.function(.now))() WHERE Z_PK = NEW.Z_PK"
        let own = "Z_PK = NEW.Z_PK"
        return [
            trigger(rawTable, "INSERT", "AFTER INSERT", "", set, own, isInsert: true),
            trigger(rawTable, "UPDATE", "AFTER UPDATE OF Z_OPT", "", set, own),
        ]
    }

    // MARK: Copies, as they are or in another form

    /// - Parameter form: makes the value's SQL of the source's.
    func copies(_ path: DerivedPath, _ form: (String) -> String) -> [SQLStatement] {
        let own = "Z_PK = NEW.Z_PK"
        let value = value(path, steps: path.steps[...], from: "NEW", form)
        let set = "UPDATE \(table) SET \(column) = \(value) WHERE \(own)"
        let watched = path.steps.first?.key ?? path.column
        var triggers = [
            trigger(rawTable, "SOURCE_INSERT", "AFTER INSERT", "", set, own, isInsert: true),
            trigger(rawTable, "SOURCE_UPDATE", "AFTER UPDATE OF \(watched)", "", set, own),
        ]
        // A change at the end of any step changes the rows that lead there.
        for (index, step) in path.steps.enumerated() {
            let rest = path.steps[(index + 1)...]
            let affected = owners(path.steps[...index])
            let value = self.value(path, steps: rest, from: "NEW", form)
            let set = "UPDATE \(table) SET \(column) = \(value) WHERE \(affected)"
            let watched = rest.first?.key ?? path.column
            let level = index == 0 ? "" : "_\(index + 1)"
            triggers += [
                trigger(
                    step.rawTable, "PARAMETER_INSERT\(level)", "AFTER INSERT", "", set, affected,
                    isInsert: true),
                trigger(
                    step.rawTable, "PARAMETER_UPDATE\(level)", "AFTER UPDATE OF \(watched)", "", set, affected
                ),
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

    // MARK: Aggregates

    /// - Parameter isExact: whether adding and subtracting loses nothing, as with whole numbers.
    func aggregates(_ aggregate: Derivation.Aggregate, _ source: AggregateSource, isExact: Bool)
        -> [SQLStatement]
    {
        let isJoin = source.links.kind == .joinTable
        let links = schema.quoted(source.links.table)
        let owner = schema.quoted(source.links.owner)
        let rawLinks = source.links.table
        let total = { (key: String) in computed(aggregate, source, links, owner, key) }
        let update = { (value: String, row: String) in
            "UPDATE \(table) SET \(column) = \(value) WHERE Z_PK = \(row).\(owner)"
        }
        let increment = increment(aggregate, source, isJoin: isJoin, sign: "+", row: "NEW")
        let decrement =
            isExact ? self.increment(aggregate, source, isJoin: isJoin, sign: "-", row: "OLD") : nil
        let hasNew = "WHEN (NEW.\(owner) NOT NULL)"
        let hasOld = "WHEN (OLD.\(owner) NOT NULL)"
        let new = "Z_PK = NEW.\(owner)"
        let old = "Z_PK = OLD.\(owner)"
        // On insertion the column may be empty still.
        let first = increment.map { "IFNULL(\(column), 0) \($0)" } ?? total("NEW.\(owner)")
        var triggers = [
            trigger(
                rawLinks, "PARAMETER_INSERT", "AFTER INSERT", hasNew, update(first, "NEW"), new),
            trigger(
                rawLinks, "PARAMETER_UPDATE_INCREMENT", "AFTER UPDATE OF \(owner)", hasNew,
                update(
                    isExact
                        ? increment.map { "\(column) \($0)" } ?? total("NEW.\(owner)")
                        : total("NEW.\(owner)"), "NEW"),
                new),
            trigger(
                rawLinks, "PARAMETER_UPDATE_DECREMENT", "AFTER UPDATE OF \(owner)", hasOld,
                update(decrement.map { "\(column) \($0)" } ?? total("OLD.\(owner)"), "OLD"), old),
            trigger(
                rawLinks, "PARAMETER_DELETE", "AFTER DELETE", hasOld,
                update(decrement.map { "\(column) \($0)" } ?? total("OLD.\(owner)"), "OLD"), old),
        ]
        if let summed = source.column { triggers.append(valueTrigger(source, summed, isJoin: isJoin, total)) }
        triggers.append(
            trigger(
                rawTable, "SOURCE_INSERT", "AFTER INSERT", "",
                "UPDATE \(table) SET \(column) = \(total("NEW.Z_PK")) WHERE Z_PK = NEW.Z_PK",
                "Z_PK = NEW.Z_PK",
                isInsert: true))
        return triggers
    }

    /// What a new or lost link adds or takes away; nil when the whole must be computed again.
    private func increment(
        _ aggregate: Derivation.Aggregate, _ source: AggregateSource, isJoin: Bool, sign: String, row: String
    ) -> String? {
        switch aggregate {
        case .count: return "\(sign) 1"
        case .sum:
            guard !isJoin, let column = source.column else { return nil }
            return "\(sign) IFNULL(\(row).\(column), 0)"
        case .minimum, .maximum, .average: return nil
        }
    }

    /// The aggregate of all links of an owner, computed from scratch.
    private func computed(
        _ aggregate: Derivation.Aggregate, _ source: AggregateSource, _ links: String, _ owner: String,
        _ key: String
    ) -> String {
        guard let column = source.column else {
            return "(SELECT IFNULL(COUNT(\(owner)), 0) FROM \(links) WHERE \(owner) = \(key))"
        }
        let rows =
            source.links.kind == .joinTable
            ? """
            \(schema.quoted(source.table)) WHERE Z_PK IN (SELECT \(schema.quoted(source.links.destination)) FROM \
            \(links) WHERE \(owner) = \(key))
            """ : "\(links) WHERE \(owner) = \(key)"
        return switch aggregate {
        case .count: "(SELECT IFNULL(COUNT(\(column)), 0) FROM \(rows))"
        case .sum: "(SELECT IFNULL(SUM(\(column)), 0) FROM \(rows))"
        case .minimum: "(SELECT MIN(\(column)) FROM \(rows))"
        case .maximum: "(SELECT MAX(\(column)) FROM \(rows))"
        case .average: "(SELECT AVG(\(column)) FROM \(rows))"
        }
    }

    /// A destination's value changes.
    private func valueTrigger(
        _ source: AggregateSource, _ summed: String, isJoin: Bool, _ total: (String) -> String
    ) -> SQLStatement {
        let owner = schema.quoted(source.links.owner)
        if isJoin {
            let destination = schema.quoted(source.links.destination)
            let affected =
                "Z_PK IN (SELECT \(owner) FROM \(schema.quoted(source.links.table)) WHERE \(destination) = NEW.Z_PK)"
            return trigger(
                source.table, "PARAMETER_UPDATE_VALUE", "AFTER UPDATE OF \(summed)", "",
                "UPDATE \(table) SET \(column) = \(total("\(table).Z_PK")) WHERE \(affected)", affected)
        }
        return trigger(
            source.table, "PARAMETER_UPDATE_VALUE", "AFTER UPDATE OF \(summed)",
            "WHEN (NEW.\(owner) NOT NULL)",
            "UPDATE \(table) SET \(column) = \(total("NEW.\(owner)")) WHERE Z_PK = NEW.\(owner)",
            "Z_PK = NEW.\(owner)")
    }

    // MARK: Text

    private func trigger(
        _ firing: String, _ event: String, _ timing: String, _ condition: String, _ update: String,
        _ affected: String, isInsert: Bool = false
    ) -> SQLStatement {
        let name = schema.quoted("Z_DA_\(firing)_\(entityName)_\(attribute)_\(event)")
        let report =
            isInsert
            ? SQLiteFunctionNames.insertUpdatedAffectedValue : SQLiteFunctionNames.updatedAffectedValue
        let when = condition.isEmpty ? "" : " \(condition)"
        return SQLStatement(
            """
            CREATE TRIGGER \(name) \(timing) ON \(schema.quoted(firing)) FOR EACH ROW\(when) BEGIN \(update); SELECT \
            \(report)('\(literal(rawTable))', Z_ENT, Z_PK, '\(literal(attribute))', \(column)) FROM \(table) \
            WHERE \(affected); END
            """)
    }

    /// Names in triggers cannot be bound.
    private func literal(_ text: String) -> String { text.replacing("'", with: "''") }
}
