import ObjectGraph
import Foundation
import ManagedObjectModel

/// The tables that one SELECT reads: that of the objects it is about, and those that their key paths lead to, each once.
///
/// A class, because a subquery adds joins to the SELECT around it.
package final class QuerySource {
    let schema: SQLSchema
    private let names: AliasNames
    private var tables: String
    /// The arguments in the tables: those of a statement that is one.
    private var tableArguments: [SQLValue] = []
    private var joins: [String] = []
    private var aliases: [Row: String] = [:]
    /// The relationship that leads to the SELECT's rows, for errors.
    private(set) var relationship: NSRelationshipDescription?
    /// The SQL of the keys of the objects that the SELECT's rows belong to, where there may be none.
    private(set) var optionalOwners: [String] = []
    /// The SELECT around this one.
    let outer: QuerySource?
    /// The order of the objects with a key, where the rows are those of an ordered relationship.
    private(set) var order: (key: String, column: String)?
    /// Whether a row may stand for an object that is missing on the way to the rows' objects.
    private(set) var mayMissObjects = false
    /// What every row must fulfil.
    var conditions: [SQLStatement] = []

    /// The row of a table with a key. The same key may be looked up in several tables: a missing object's is NULL in all.
    private struct Row: Hashable {
        let key: String
        let table: String
    }

    /// Gives each table of a statement a name of its own.
    private final class AliasNames {
        private var count = 0

        func next() -> String {
            defer { count += 1 }
            return "t\(count)"
        }
    }

    /// The outermost SELECT of a statement, about an entity's objects.
    init(_ schema: SQLSchema, _ entity: SQLEntity) {
        self.schema = schema
        outer = nil
        names = AliasNames()
        let alias = names.next()
        tables = "\(schema.quoted(entity.table)) \(alias)"
        aliases[Row(key: "\(alias).Z_PK", table: entity.table)] = alias
    }

    /// A SELECT inside another, about the destinations of a relationship.
    private init(inside outer: QuerySource) {
        self.outer = outer
        schema = outer.schema
        names = outer.names
        tables = ""
    }

    /// The place of the fetched objects, of the outermost SELECT.
    func root(_ entity: SQLEntity) -> QueryPlace {
        QueryPlace(
            source: self, key: "\(QuerySource.base).Z_PK", entity: entity.home.entity, table: entity)
    }

    /// The name of the fetched entity's table.
    package static let base = "t0"

    /// `FROM` with every join that key paths have required so far.
    var from: SQLStatement {
        SQLStatement("FROM \(tables)" + joins.map { " \($0)" }.joined(), tableArguments)
    }

    /// The bytes of its SQL.
    var length: Int {
        joins.reduce(tables.utf8.count) { $0 + $1.utf8.count }
            + conditions.reduce(0) { $0 + $1.text.utf8.count }
    }

    /// The table of the objects with a key, which is joined on first use.
    func alias(key: String, _ entity: SQLEntity) -> String {
        let row = Row(key: key, table: entity.table)
        if let made = aliases[row] { return made }
        let alias = names.next()
        joins.append("LEFT OUTER JOIN \(schema.quoted(entity.table)) \(alias) ON \(key) = \(alias).Z_PK")
        aliases[row] = alias
        return alias
    }

    /// A SELECT of the objects that a relationship leads to from one of this SELECT.
    ///
    /// - Returns: the SELECT and the SQL of the objects' keys.
    func destinations(
        of relationship: NSRelationshipDescription, _ links: SQLLinks, owner: String, _ entity: SQLEntity
    ) -> (QuerySource, String) {
        let inner = QuerySource(inside: self)
        inner.relationship = relationship
        // A table's own key is always there.
        if !Self.isOwnKey(owner) { inner.optionalOwners = [owner] }
        let steps = inner.steps(links, owner, entity)
        inner.tables = steps[0].table
        inner.conditions.append(SQLStatement(steps[0].condition))
        for step in steps.dropFirst() { inner.tables += " INNER JOIN \(step.table) ON \(step.condition)" }
        let key = inner.keep(steps, entity)
        inner.order = links.order.map { (key, "\(steps[0].alias).\(schema.quoted($0))") }
        return (inner, key)
    }

    /// A SELECT of an entity's objects that belong to the same SELECT as this one.
    ///
    /// - Returns: the SELECT and the SQL of the objects' keys.
    func objects(of entity: SQLEntity, optionalOwners: [String]) -> (QuerySource, String) {
        let inner = QuerySource(inside: outer ?? self)
        inner.relationship = relationship
        inner.optionalOwners = optionalOwners
        for owner in optionalOwners { inner.conditions.append(SQLStatement("\(owner) IS NOT NULL")) }
        let alias = names.next()
        inner.tables = "\(schema.quoted(entity.table)) \(alias)"
        inner.aliases[Row(key: "\(alias).Z_PK", table: entity.table)] = alias
        return (inner, "\(alias).Z_PK")
    }

    /// A SELECT of the column `v` of a statement that belongs to the same SELECT as this one.
    ///
    /// - Returns: the SELECT and the SQL of the values.
    func values(of statement: SQLStatement, optionalOwners: [String]) -> (QuerySource, String) {
        let inner = QuerySource(inside: outer ?? self)
        inner.relationship = relationship
        inner.optionalOwners = optionalOwners
        for owner in optionalOwners { inner.conditions.append(SQLStatement("\(owner) IS NOT NULL")) }
        let alias = names.next()
        inner.tables = "(\(statement.text)) \(alias)"
        inner.tableArguments = statement.arguments
        return (inner, "\(alias).v")
    }

    /// The objects that a relationship leads to from those of this SELECT, as further rows of it.
    ///
    /// - Returns: the SQL of the objects' keys.
    func join(_ links: SQLLinks, owner: String, _ entity: SQLEntity) -> String {
        order = nil
        let steps = steps(links, owner, entity)
        let key = keep(steps, entity)
        let isOptional = mayMissObjects || !Self.isOwnKey(owner)
        let word = isOptional ? "LEFT OUTER" : "INNER"
        for step in steps { joins.append("\(word) JOIN \(step.table) ON \(step.condition)") }
        if isOptional {
            // A missing object leaves its row, as a missing value does; one that leads to nothing does not.
            mayMissObjects = true
            conditions.append(SQLStatement("(\(owner) IS NULL OR \(key) IS NOT NULL)"))
        }
        return key
    }

    /// Whether the SQL of a key is the key of a table's own row, which is always there.
    fileprivate static func isOwnKey(_ key: String) -> Bool { key.hasSuffix(".Z_PK") }

    private struct Step {
        let table: String
        let condition: String
        let alias: String
    }

    private func keep(_ steps: [Step], _ entity: SQLEntity) -> String {
        let alias = steps[steps.count - 1].alias
        aliases[Row(key: "\(alias).Z_PK", table: entity.table)] = alias
        return "\(alias).Z_PK"
    }

    private func steps(_ links: SQLLinks, _ owner: String, _ entity: SQLEntity) -> [Step] {
        let table = schema.quoted(links.table)
        let alias = names.next()
        switch links.kind {
        case .destinationColumn:
            return [
                Step(
                    table: "\(table) \(alias)",
                    condition: "\(alias).\(schema.quoted(links.owner)) = \(owner)",
                    alias: alias)
            ]
        case .joinTable:
            let destination = names.next()
            let pair =
                links.isReflexive
                ? (table: "(\(LinkCompiler(schema: schema).pairs(links)))", owner: "o", destination: "d")
                : (
                    table: table, owner: schema.quoted(links.owner),
                    destination: schema.quoted(links.destination)
                )
            return [
                Step(
                    table: "\(pair.table) \(alias)", condition: "\(alias).\(pair.owner) = \(owner)",
                    alias: alias),
                Step(
                    table: "\(schema.quoted(entity.table)) \(destination)",
                    condition: "\(destination).Z_PK = \(alias).\(pair.destination)", alias: destination),
            ]
        }
    }
}

/// The objects that a key path leads to, as rows of a SELECT.
struct QueryPlace {
    let source: QuerySource
    /// The SQL of the objects' keys.
    let key: String
    let entity: NSEntityDescription
    /// Nil for objects of another store.
    let table: SQLEntity?

    /// Whether every row of the SELECT has an object here.
    var isAlwaysThere: Bool { QuerySource.isOwnKey(key) && !source.mayMissObjects }

    /// The object itself as a value.
    var object: QueryOperand { QueryOperand(sql: key, kind: .toOne, destination: entity) }
}
