import CoreDataSQL
import ObjectGraph
import CocoaFoundation
import Foundation
import ManagedObjectModel

/// The triggers of attributes that count the destinations of a relationship which meet a condition.
///
/// Models of Apple's own applications ask for them by a condition in the user info of the attribute, under `NSTriggerKey`:
/// comparisons of attributes of one relationship's destinations with numbers, all of which must hold. Names and strings are
/// those of Apple's photo libraries.
struct CountTriggers {
    private let schema: SQLSchema

    static let key = "NSTriggerKey"

    init(_ schema: SQLSchema) { self.schema = schema }

    /// The triggers of all entities.
    ///
    /// - Throws: 134020 for a condition of another form, with its text.
    func statements() throws -> [SQLStatement] {
        try schema.entities.flatMap { entity in
            let inherited = entity.storedEntity.layout.superlayout?.slots.count ?? 0
            return try entity.storedEntity.layout.slots[inherited...].flatMap { slot -> [SQLStatement] in
                guard slot.isStored, slot.attribute != nil, let column = entity.column(rowSlot: slot.rowSlot),
                    let text = slot.property.userInfo?[Self.key].map({ "\($0)" })
                else { return [] }
                do {
                    return try triggers(of: NSPredicate(parsing: text), entity, column)
                } catch {
                    let reason = (error as? Unsupported)?.reason ?? "\(error)"
                    throw NSError.coreData(
                        .persistentStoreIncompatibleSchema,
                        """
                        Attribute '\(slot.name)' of entity '\(entity.storedEntity.entity.name ?? "")' cannot be counted by \
                        triggers: \(reason). The condition under \(Self.key) in its user info is \(text).
                        """)
                }
            }
        }
    }

    private struct Unsupported: Error { let reason: String }

    // MARK: The condition

    private func triggers(
        of predicate: NSPredicate, _ entity: SQLEntity, _ column: SQLColumn
    ) throws -> [SQLStatement] {
        var comparisons: [NSComparisonPredicate] = []
        try collect(predicate, &comparisons)
        var counted: (relationship: NSRelationshipDescription, destination: SQLEntity)?
        var terms: [CountTerm] = []
        for comparison in comparisons {
            let (path, operation, constant) = try parts(of: comparison)
            let names = path.split(separator: ".", maxSplits: 1).map(String.init)
            guard names.count == 2,
                let relationship = entity.storedEntity.entity.relationshipsByName[names[0]],
                let storedEntity = relationship.destinationEntity.flatMap({
                    entity.storedEntity.store?.storedEntity(of: $0)
                })
            else {
                throw Unsupported(
                    reason: "'\(path)' is not the key path of an attribute across one relationship")
            }
            guard counted.map({ $0.relationship === relationship }) ?? true else {
                throw Unsupported(reason: "it uses several relationships")
            }
            let destination = schema.entity(storedEntity)
            counted = (relationship, destination)
            guard let column = schema.column(atPath: names[1], destination), column.kind != .toOne else {
                throw Unsupported(reason: "'\(path)' is not a stored attribute")
            }
            guard let number = Self.text(SQLValue(constant, for: column.kind, of: nil)) else {
                throw Unsupported(reason: "'\(path)' is compared with something other than a number")
            }
            terms.append(CountTerm(column: schema.quoted(column.name), operation: operation, number: number))
        }
        guard let counted else { throw Unsupported(reason: "it has no comparison") }
        let target = CountTarget(
            schema: schema, table: entity.table, column: column.name, counted: counted.destination.table,
            terms: terms)
        if !counted.relationship.isToMany, let key = schema.column(atPath: counted.relationship.name, entity)
        {
            return target.ofToOne(key: key.name)
        }
        if let links = schema.links(of: counted.relationship), links.kind == .destinationColumn {
            return target.ofToMany(key: links.owner)
        }
        throw Unsupported(
            reason: "the links of '\(counted.relationship.name)' are not a column of either table")
    }

    private func collect(_ predicate: NSPredicate, _ comparisons: inout [NSComparisonPredicate]) throws {
        switch predicate.shape {
        case .comparison(let comparison): comparisons.append(comparison)
        case .compound(.and, let parts): for part in parts { try collect(part, &comparisons) }
        default: throw Unsupported(reason: "it is not a list of comparisons joined by AND")
        }
    }

    private func parts(
        of comparison: NSComparisonPredicate
    ) throws -> (path: String, operation: String, constant: Any) {
        guard comparison.comparisonPredicateModifier == .direct, comparison.options.isEmpty,
            case .keyPath(let operand, let path) = comparison.leftExpression.kind,
            case .evaluatedObject = operand.kind,
            case .constant(let constant?) = comparison.rightExpression.kind
        else {
            throw Unsupported(reason: "\(comparison.formatString) does not compare a key path with a number")
        }
        let operation: String
        switch comparison.predicateOperatorType {
        case .equalTo: operation = "=="
        case .notEqualTo: operation = "!="
        case .lessThan: operation = "<"
        case .lessThanOrEqualTo: operation = "<="
        case .greaterThan: operation = ">"
        case .greaterThanOrEqualTo: operation = ">="
        default:
            throw Unsupported(reason: "\(comparison.formatString) is not a comparison of numbers")
        }
        return (path, operation, constant)
    }

    /// A number as SQL has it; nil for anything else. Values in triggers cannot be bound.
    private static func text(_ value: SQLValue?) -> String? {
        switch value {
        case .integer(let value): String(value)
        case .double(let value) where value.isFinite: "\(value)"
        default: nil
        }
    }
}

/// One comparison of a count's condition.
private struct CountTerm {
    let column: String
    let operation: String
    let number: String

    func sql(_ row: String) -> String { "\(row)\(column) \(operation) \(number)" }
}

/// The column that has a count, and the triggers that keep it.
private struct CountTarget {
    private let schema: SQLSchema
    private let rawTable: String
    private let rawColumn: String
    private let rawCounted: String
    private let table: String
    private let column: String
    private let counted: String
    private let terms: [CountTerm]

    init(schema: SQLSchema, table: String, column: String, counted: String, terms: [CountTerm]) {
        self.schema = schema
        rawTable = table
        rawColumn = column
        rawCounted = counted
        self.table = schema.quoted(table)
        self.column = schema.quoted(column)
        self.counted = schema.quoted(counted)
        self.terms = terms
    }

    private var increment: String { "IFNULL(\(column),0) + 1" }
    private var decrement: String { "MAX(0,IFNULL(\(column),0) - 1)" }
    private var changed: String {
        terms.map { "NEW.\($0.column) != OLD.\($0.column)" }.joined(separator: " OR ")
    }
    private var watched: String { "AFTER UPDATE OF \(terms.map(\.column).joined(separator: ", "))" }

    private func condition(_ row: String = "") -> String {
        terms.map { $0.sql(row) }.joined(separator: " AND ")
    }

    /// The one destination of a relationship counts as 1 or 0.
    func ofToOne(key rawKey: String) -> [SQLStatement] {
        let key = schema.quoted(rawKey)
        let (new, old) = (condition("NEW."), condition("OLD."))
        let own = "Z_PK = NEW.Z_PK"
        return [
            trigger(
                "INSERT_INCREMENT", "AFTER INSERT", counted, forEach: true, when: new, increment,
                "NEW.Z_PK = \(key)", "\(key) = NEW.Z_PK"),
            trigger(
                "UPDATE_INCREMENT", watched, counted, forEach: true, when: "(\(new)) AND (\(changed))",
                increment, "NEW.Z_PK = \(key)", "\(key) = NEW.Z_PK"),
            trigger(
                "UPDATE_DECREMENT", watched, counted, forEach: true, when: "(\(old)) AND (\(changed))",
                decrement, "OLD.Z_PK = \(key)", "\(key) = NEW.Z_PK"),
            trigger(
                "DELETE_DECREMENT", "AFTER DELETE", counted, forEach: true, when: old, decrement,
                "OLD.Z_PK = \(key)", "\(key) = OLD.Z_PK"),
            trigger(
                "\(rawTable)_INSERT_INCREMENT", "AFTER INSERT", table, forEach: true, when: nil,
                "(SELECT COUNT(Z_PK) FROM \(counted) WHERE (Z_PK = NEW.\(key)) AND (\(condition())))", own,
                own
            ),
            trigger(
                "\(rawKey)_UPDATE_TO_NULL", "AFTER UPDATE OF \(key)", table, forEach: false,
                when: "(NEW.\(key) IS NULL AND OLD.\(key) IS NOT NULL)", "0", own, own),
            trigger(
                "\(rawKey)_UPDATE_INCREMENT", "AFTER UPDATE OF \(key)", table, forEach: false,
                when: "(\(begins(key, from: "OLD", in: "NEW")))",
                "(SELECT COUNT(Z_PK) FROM \(counted) WHERE Z_PK = NEW.\(key) AND (\(condition())))", own, own),
        ]
    }

    /// - Parameter rawKey: the column with the key of the row that counts, in the table of what it counts.
    func ofToMany(key rawKey: String) -> [SQLStatement] {
        let key = schema.quoted(rawKey)
        let (new, old) = (condition("NEW."), condition("OLD."))
        let (ofNew, ofOld) = ("Z_PK = NEW.\(key)", "Z_PK = OLD.\(key)")
        let own = "Z_PK = NEW.Z_PK"
        return [
            trigger(
                "INSERT_INCREMENT", "AFTER INSERT", counted, forEach: true, when: new, increment,
                "NEW.\(key) = Z_PK", ofNew),
            trigger(
                "UPDATE_INCREMENT", watched, counted, forEach: true,
                when: "(\(new)) AND (\(changed)) AND (NEW.\(key) == OLD.\(key))", increment,
                "NEW.\(key) = Z_PK", ofNew),
            trigger(
                "UPDATE_DECREMENT", watched, counted, forEach: true,
                when: "(\(old)) AND (\(changed)) AND (OLD.\(key) == NEW.\(key))", decrement,
                "OLD.\(key) = Z_PK", ofNew),
            trigger(
                "DELETE_DECREMENT", "AFTER DELETE", counted, forEach: true, when: old, decrement,
                "OLD.\(key) = Z_PK", ofOld),
            trigger(
                "\(rawTable)_INSERT_INCREMENT", "AFTER INSERT", table, forEach: true, when: nil,
                "(SELECT COUNT(Z_PK) FROM \(counted) WHERE (\(key) = NEW.Z_PK) AND (\(condition())))", own,
                own
            ),
            trigger(
                "\(rawKey)_UPDATE_INCREMENT", "AFTER UPDATE OF \(key)", counted, forEach: false,
                when: "(\(new)) AND (\(begins(key, from: "OLD", in: "NEW")))", increment, ofNew, ofNew),
            trigger(
                "\(rawKey)_UPDATE_DECREMENT", "AFTER UPDATE OF \(key)", counted, forEach: false,
                when: "(\(old)) AND (\(begins(key, from: "NEW", in: "OLD")))", decrement, ofOld, ofOld),
        ]
    }

    /// Whether a link is there in one state of a row and not in the other.
    private func begins(_ key: String, from other: String, in present: String) -> String {
        "(\(present).\(key) IS NOT NULL AND \(other).\(key) IS NULL) OR (NEW.\(key) != OLD.\(key))"
    }

    // MARK: Text

    /// - Parameters:
    ///   - event: the end of the trigger's name.
    ///   - timing: what fires it.
    ///   - firing: the table whose changes do.
    ///   - forEach: whether Apple's text says that it is fired for each row, as all of SQLite's triggers are.
    ///   - condition: when it fires at all.
    ///   - value: what the column becomes.
    ///   - affected: in which rows.
    ///   - reported: the rows whose new value is reported.
    private func trigger(
        _ event: String, _ timing: String, _ firing: String, forEach: Bool, when condition: String?,
        _ value: String, _ affected: String, _ reported: String
    ) -> SQLStatement {
        let name = schema.quoted("ZT_\(rawTable)_\(rawColumn)_\(rawCounted)_\(event)")
        let each = forEach ? " FOR EACH ROW" : ""
        let when = condition.map { " WHEN \($0)" } ?? ""
        return SQLStatement(
            native: """
                CREATE TRIGGER \(name) \(timing) ON \(firing)\(each)\(when) BEGIN UPDATE \(table) SET \(column) = \(value) \
                WHERE \(affected); SELECT \(SQLFunctionNames.updateAffectedValue)('\(literal(rawTable))', Z_ENT, Z_PK, \
                '\(literal(rawColumn))', \(column)) FROM \(table) WHERE \(reported); END
                """)
    }

    /// Names in triggers cannot be bound.
    private func literal(_ text: String) -> String { text.replacing("'", with: "''") }
}
