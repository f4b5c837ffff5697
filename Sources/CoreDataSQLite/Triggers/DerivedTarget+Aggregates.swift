import CoreDataSQL
import ObjectGraph
import ManagedObjectModel

// Counts and sums over a to-many relationship. Each link that comes or goes adds or subtracts its value, so
// that an import takes time in proportion to what it brings, not to what the owner has already.
//
// Adding up binary real numbers loses digits. A decimal is rounded to its 15 digits at each step, which makes sums of
// money exact. Where taking a number away leaves less than the number itself, too many digits may be gone: then the
// sum is computed again from what is left.

extension DerivedTarget {
    func aggregates(_ aggregate: Derivation.Aggregate, _ source: AggregateSource) -> [SQLStatement] {
        let ends = source.ends(schema)
        let sum = AggregateChange(aggregate, source, column: column, table: table, ends, schema)
        var triggers = ends.flatMap { linkTriggers($0, sum, source) }
        if let summed = source.column {
            triggers += ends.map { valueTrigger($0, sum, source, summed) }
        }
        triggers.append(
            trigger(
                rawTable, "SOURCE_INSERT", "AFTER INSERT", sum.total("NEW.Z_PK"), "Z_PK = NEW.Z_PK",
                isInsert: true))
        return triggers
    }

    /// A link comes, moves or goes.
    private func linkTriggers(
        _ end: AggregateSource.End, _ sum: AggregateChange, _ source: AggregateSource
    ) -> [SQLStatement] {
        let links = source.links.table
        let (owner, suffix) = (end.owner, end.suffix)
        func applies(_ row: String) -> String {
            "\(row).\(owner) NOT NULL" + (end.condition(row).map { " AND \($0)" } ?? "")
        }
        func moves(_ row: String) -> String {
            // A count that goes up and down again is as it was; a sum may not be.
            sum.isCount ? applies(row) : "\(applies(row)) AND NEW.\(owner) IS NOT OLD.\(owner)"
        }
        return [
            trigger(
                links, "PARAMETER_INSERT\(suffix)", "AFTER INSERT", sum.first(end),
                "Z_PK = NEW.\(owner)", when: applies("NEW")),
            trigger(
                links, "PARAMETER_UPDATE_INCREMENT\(suffix)", "AFTER UPDATE OF \(owner)", sum.increased(end),
                "Z_PK = NEW.\(owner)", when: moves("NEW")),
            trigger(
                links, "PARAMETER_UPDATE_DECREMENT\(suffix)", "AFTER UPDATE OF \(owner)", sum.decreased(end),
                "Z_PK = OLD.\(owner)", when: moves("OLD")),
            trigger(
                links, "PARAMETER_DELETE\(suffix)", "AFTER DELETE", sum.decreased(end),
                "Z_PK = OLD.\(owner)", when: applies("OLD")),
        ]
    }

    /// A destination's value changes.
    private func valueTrigger(
        _ end: AggregateSource.End, _ sum: AggregateChange, _ source: AggregateSource, _ summed: String
    ) -> SQLStatement {
        let event = "PARAMETER_UPDATE_VALUE\(end.suffix)"
        let timing = "AFTER UPDATE OF \(summed)"
        guard source.isJoined else {
            // A destination that moves at the same time is the affair of the triggers above.
            return trigger(
                source.table, event, timing, sum.changed(owner: "NEW.\(end.owner)"),
                "Z_PK = NEW.\(end.owner)",
                when: "NEW.\(end.owner) = OLD.\(end.owner)")
        }
        let links = schema.quoted(source.links.table)
        let condition = end.condition(links).map { " AND \($0)" } ?? ""
        return trigger(
            source.table, event, timing, sum.changed(owner: "\(table).Z_PK"),
            "Z_PK IN (SELECT \(end.owner) FROM \(links) WHERE \(end.destination) = NEW.Z_PK\(condition))")
    }
}

/// What an aggregate is computed from.
struct AggregateSource {
    let links: SQLLinks
    /// The destination's table.
    let table: String
    /// The destination's column; nil for `@count`.
    let column: String?
    let kind: SlotKind?

    /// Whether the links are in a table of their own.
    var isJoined: Bool { links.kind == .joinTable }

    /// One direction in which the links are read.
    struct End {
        let owner: String
        let destination: String
        let suffix: String
        let isSecond: Bool

        /// An object that is linked with itself counts in one direction only.
        func condition(_ row: String) -> String? {
            isSecond ? "\(row).\(owner) IS NOT \(row).\(destination)" : nil
        }
    }

    func ends(_ schema: SQLSchema) -> [End] {
        let (owner, destination) = (schema.quoted(links.owner), schema.quoted(links.destination))
        let first = End(owner: owner, destination: destination, suffix: "", isSecond: false)
        guard links.isReflexive else { return [first] }
        return [first, End(owner: destination, destination: owner, suffix: "_REFLEXIVE", isSecond: true)]
    }
}

/// The SQL of an aggregate's new value after a change.
struct AggregateChange {
    private let aggregate: Derivation.Aggregate
    private let source: AggregateSource
    /// The derived column.
    private let column: String
    private let ends: [AggregateSource.End]
    private let schema: SQLSchema

    init(
        _ aggregate: Derivation.Aggregate, _ source: AggregateSource, column: String, table: String,
        _ ends: [AggregateSource.End], _ schema: SQLSchema
    ) {
        self.aggregate = aggregate
        self.source = source
        self.column = column
        self.ends = ends
        self.schema = schema
    }

    var isCount: Bool { aggregate == .count }

    private var isWhole: Bool { source.kind?.isWholeNumber ?? true }

    /// After the insertion of a link; the column may be empty still.
    func first(_ end: AggregateSource.End) -> String {
        switch aggregate {
        case .count: "IFNULL(\(column), 0) + 1"
        case .sum: rounded("IFNULL(\(column), 0) + IFNULL(\(part("NEW", end)), 0)")
        case .minimum, .maximum, .average: total("NEW.\(end.owner)")
        }
    }

    /// After a link has come from another owner.
    func increased(_ end: AggregateSource.End) -> String { isCount ? "\(column) + 1" : first(end) }

    /// After a link has gone.
    func decreased(_ end: AggregateSource.End) -> String {
        let rest = total("OLD.\(end.owner)")
        switch aggregate {
        case .count: return "\(column) - 1"
        case .minimum, .maximum, .average: return rest
        case .sum:
            let part = part("OLD", end)
            if source.isJoined {
                // The destination may be gone already, and with it what it counted for.
                return isWhole
                    ? "IFNULL(\(column) - \(part), \(rest))" : "CASE \(lessened(by: part)) ELSE \(rest) END"
            }
            return isWhole
                ? "\(column) - IFNULL(\(part), 0)"
                : "CASE WHEN \(part) IS NULL THEN \(column) \(lessened(by: part)) ELSE \(rest) END"
        }
    }

    /// After a destination's value was changed.
    func changed(owner: String) -> String {
        guard aggregate == .sum, let summed = source.column else { return total(owner) }
        let (new, old) = ("IFNULL(NEW.\(summed), 0)", "OLD.\(summed)")
        if isWhole { return "\(column) + \(new) - IFNULL(\(old), 0)" }
        return """
            CASE WHEN \(old) IS NULL THEN \(rounded("\(column) + \(new)")) \
            WHEN ABS(\(column) - \(old)) >= ABS(\(old)) THEN \(rounded("\(column) - \(old) + \(new)")) \
            ELSE \(total(owner)) END
            """
    }

    private func lessened(by part: String) -> String {
        "WHEN ABS(\(column) - \(part)) >= ABS(\(part)) THEN \(rounded("\(column) - \(part)"))"
    }

    /// What one link counts for in a sum.
    private func part(_ row: String, _ end: AggregateSource.End) -> String {
        let summed = source.column ?? "NULL"
        guard source.isJoined else { return "\(row).\(summed)" }
        return "(SELECT \(summed) FROM \(schema.quoted(source.table)) WHERE Z_PK = \(row).\(end.destination))"
    }

    private func rounded(_ value: String) -> String {
        source.kind == .decimal ? "PRINTF('%.15g', \(value))" : value
    }

    /// The aggregate of all links of an owner, from scratch.
    func total(_ owner: String) -> String {
        guard let summed = source.column else { return count(owner) }
        let rows: String
        let value: String
        if source.isJoined {
            // The alias keeps a relationship of an entity with itself apart from the row that is updated.
            value = "d.\(summed)"
            rows = "\(schema.quoted(source.table)) d WHERE d.Z_PK IN (\(destinations(owner)))"
        } else {
            value = summed
            rows =
                "\(schema.quoted(source.links.table)) WHERE \(schema.quoted(source.links.owner)) = \(owner)"
        }
        return switch aggregate {
        case .count: "(SELECT IFNULL(COUNT(\(value)), 0) FROM \(rows))"
        case .sum: "(SELECT \(rounded("IFNULL(SUM(\(value)), 0)")) FROM \(rows))"
        case .minimum: "(SELECT MIN(\(value)) FROM \(rows))"
        case .maximum: "(SELECT MAX(\(value)) FROM \(rows))"
        case .average: "(SELECT AVG(\(value)) FROM \(rows))"
        }
    }

    private func count(_ owner: String) -> String {
        if ends.count > 1 { return "(SELECT COUNT(*) FROM (\(destinations(owner))))" }
        let column = schema.quoted(source.links.owner)
        return
            "(SELECT IFNULL(COUNT(\(column)), 0) FROM \(schema.quoted(source.links.table)) WHERE \(column) = \(owner))"
    }

    private func destinations(_ owner: String) -> String {
        ends.map {
            "SELECT \($0.destination) FROM \(schema.quoted(source.links.table)) WHERE \($0.owner) = \(owner)"
        }.joined(separator: " UNION ")
    }
}
