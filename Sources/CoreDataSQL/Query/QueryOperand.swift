import ObjectGraph
import CocoaFoundation
import Foundation
import ManagedObjectModel

/// A piece of SQL with a value, and what kind of value it is.
struct QueryOperand {
    var sql: SQLStatement
    let kind: SlotKind
    /// Where a key leads, of a relationship.
    let destination: NSEntityDescription?
    /// Whether the value is the number of an object's entity.
    var isEntity = false
    /// Why the column can only be tested for a value; nil when it can be compared.
    var obstacle: String?

    init(_ sql: SQLStatement, kind: SlotKind, destination: NSEntityDescription? = nil) {
        self.sql = sql
        self.kind = kind
        self.destination = destination
    }

    /// A constant, bound as what it is; nil for a value that no column has.
    init?(constant: Any?) {
        guard let constant = presentValue(constant) else {
            self = .missing
            return
        }
        guard let kind = SlotKind(ofValue: constant), let value = SQLValue(constant, for: kind, of: nil)
        else { return nil }
        self.init(SQLStatement(.value(value)), kind: kind)
    }

    /// A value that is not there.
    static let missing = QueryOperand("NULL", kind: .undefined)

    /// Values of different families have no order and are never equal.
    enum Family: String {
        case number, text, uuid, data, object, entity, nothing, other
    }

    var family: Family { isEntity ? .entity : Family(kind) }

    /// The SQL for arithmetic. A column of dates may hold a whole number as an integer, one of real numbers does not.
    var real: SQLStatement { kind == .date ? SQLStatement(.cast(sql, .real)) : sql }
    /// Whether a value is bound in the SQL, which then is not the same for all queries of a shape.
    var hasArguments: Bool { sql.hasArguments }
    /// The value of a constant.
    var argument: SQLValue? {
        if case .value(let value)? = sql.pieces.first, sql.pieces.count == 1 { value } else { nil }
    }

    /// The value as an expression, which has no affinity, where a column has one.
    var plain: QueryOperand {
        var plain = self
        plain.sql = SQLStatement(.plain(sql))
        return plain
    }
}

extension QueryOperand.Family {
    init(_ kind: SlotKind) {
        switch kind {
        case .integer16, .integer32, .integer64, .boolean, .double, .float, .date, .decimal: self = .number
        case .string, .uri: self = .text
        case .uuid: self = .uuid
        case .binary: self = .data
        case .toOne: self = .object
        case .undefined: self = .nothing
        case .transformable, .composite, .toMany, .fetched: self = .other
        }
    }
}

extension SlotKind {
    /// The kind of column that holds a constant; nil for one that no column holds.
    package init?(ofValue value: Any) {
        switch PredicateValue(value) {
        case .integer: self = .integer64
        case .double, .unsigned: self = .double
        case .decimal: self = .decimal
        case .text: self = .string
        case .date: self = .date
        case .data: self = .binary
        case .uuid: self = .uuid
        case .url: self = .uri
        case .absent, .identity, .collection, .other: return nil
        }
    }

    /// The kind of a number computed from numbers of two kinds.
    func combined(with other: SlotKind) -> SlotKind {
        if self == .undefined { return other }
        if other == .undefined { return self }
        if self == .decimal || other == .decimal { return .decimal }
        if isWholeNumber, other.isWholeNumber { return .integer64 }
        return self == other ? self : .double
    }
}
