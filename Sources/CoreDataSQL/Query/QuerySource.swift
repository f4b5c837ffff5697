import ObjectGraph
import Foundation
import ManagedObjectModel

/// The tables that one SELECT reads: that of the objects it is about, and those that their key paths lead to, each once.
///
/// A class, because a subquery adds joins to the SELECT around it.
package final class QuerySource {
    let schema: SQLSchema
    private let names: AliasNames
    private var tables: SQLStatement
    private var joins: [SQLStatement] = []
    /// The tables of rows with a key, by their names. The same key may be looked up in several: a missing object's is NULL in all.
    private var aliases: [String: [(key: SQLStatement, alias: String)]] = [:]
    /// The relationship that leads to the SELECT's rows, for errors.
    private(set) var relationship: NSRelationshipDescription?
    /// The SQL of the keys of the objects that the SELECT's rows belong to, where there may be none.
    private(set) var optionalOwners: [SQLStatement] = []
    /// The SELECT around this one.
    let outer: QuerySource?
    /// The order of the objects with a key, where the rows are those of an ordered relationship.
    private(set) var order: (key: SQLStatement, column: SQLStatement)?
    /// Whether a row may stand for an object that is missing on the way to the rows' objects.
    private(set) var mayMissObjects = false
    /// What every row must fulfil.
    var conditions: [SQLStatement] = []

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
        tables = "\(name: entity.table) \(name: alias)"
        aliases[entity.table] = [(Self.key(of: alias), alias)]
    }

    /// A SELECT inside another, about the destinations of a relationship.
    private init(inside outer: QuerySource) {
        self.outer = outer
        schema = outer.schema
        names = outer.names
        tables = SQLStatement()
    }

    /// The place of the fetched objects, of the outermost SELECT.
    func root(_ entity: SQLEntity) -> QueryTarget {
        QueryTarget(
            source: self, key: Self.key(of: Self.base), entity: entity.storedEntity.entity, table: entity)
    }

    /// The name of the fetched entity's table.
    package static let base = "t0"

    /// The key of a table's own row, by the table's alias.
    package static func key(of alias: String) -> SQLStatement { "\(name: alias).Z_PK" }

    /// `FROM` with every join that key paths have required so far.
    var from: SQLStatement {
        var from: SQLStatement = "FROM \(tables)"
        for join in joins { from.append(" \(join)") }
        return from
    }

    /// The bytes of its SQL.
    var length: Int {
        joins.reduce(tables.length) { $0 + $1.length } + conditions.reduce(0) { $0 + $1.length }
    }

    /// The table of the objects with a key, which is joined on first use.
    func alias(key: SQLStatement, _ entity: SQLEntity) -> String {
        if let made = aliases[entity.table]?.first(where: { $0.key == key }) { return made.alias }
        let alias = names.next()
        joins.append("LEFT OUTER JOIN \(name: entity.table) \(name: alias) ON \(key) = \(name: alias).Z_PK")
        aliases[entity.table, default: []].append((key, alias))
        return alias
    }

    /// A SELECT of the objects that a relationship leads to from one of this SELECT.
    ///
    /// - Returns: the SELECT and the SQL of the objects' keys.
    func destinations(
        of relationship: NSRelationshipDescription, _ links: SQLLinks, owner: SQLStatement,
        _ entity: SQLEntity
    ) -> (QuerySource, SQLStatement) {
        let inner = QuerySource(inside: self)
        inner.relationship = relationship
        // A table's own key is always there.
        if !Self.isOwnKey(owner) { inner.optionalOwners = [owner] }
        let steps = inner.steps(links, owner, entity)
        inner.tables = steps[0].table
        inner.conditions.append(steps[0].condition)
        for step in steps.dropFirst() {
            inner.tables.append(" INNER JOIN \(step.table) ON \(step.condition)")
        }
        let key = inner.keep(steps, entity)
        inner.order = links.order.map { (key, "\(name: steps[0].alias).\(name: $0)") }
        return (inner, key)
    }

    /// A SELECT of an entity's objects that belong to the same SELECT as this one.
    ///
    /// - Returns: the SELECT and the SQL of the objects' keys.
    func objects(of entity: SQLEntity, optionalOwners: [SQLStatement]) -> (QuerySource, SQLStatement) {
        let inner = QuerySource(inside: outer ?? self)
        inner.relationship = relationship
        inner.optionalOwners = optionalOwners
        for owner in optionalOwners { inner.conditions.append("\(owner) IS NOT NULL") }
        let alias = names.next()
        inner.tables = "\(name: entity.table) \(name: alias)"
        let key = Self.key(of: alias)
        inner.aliases[entity.table] = [(key, alias)]
        return (inner, key)
    }

    /// A SELECT of the column `v` of a statement that belongs to the same SELECT as this one.
    ///
    /// - Returns: the SELECT and the SQL of the values.
    func values(
        of statement: SQLStatement, optionalOwners: [SQLStatement]
    ) -> (QuerySource, SQLStatement) {
        let inner = QuerySource(inside: outer ?? self)
        inner.relationship = relationship
        inner.optionalOwners = optionalOwners
        for owner in optionalOwners { inner.conditions.append("\(owner) IS NOT NULL") }
        let alias = names.next()
        inner.tables = "(\(statement)) \(name: alias)"
        return (inner, "\(name: alias).v")
    }

    /// The objects that a relationship leads to from those of this SELECT, as further rows of it.
    ///
    /// - Returns: the SQL of the objects' keys.
    func join(_ links: SQLLinks, owner: SQLStatement, _ entity: SQLEntity) -> SQLStatement {
        order = nil
        let steps = steps(links, owner, entity)
        let key = keep(steps, entity)
        let isOptional = mayMissObjects || !Self.isOwnKey(owner)
        let word: SQLStatement = isOptional ? "LEFT OUTER" : "INNER"
        for step in steps { joins.append("\(word) JOIN \(step.table) ON \(step.condition)") }
        if isOptional {
            // A missing object leaves its row, as a missing value does; one that leads to nothing does not.
            mayMissObjects = true
            conditions.append("(\(owner) IS NULL OR \(key) IS NOT NULL)")
        }
        return key
    }

    /// Whether the SQL of a key is the key of a table's own row, which is always there.
    fileprivate static func isOwnKey(_ key: SQLStatement) -> Bool { key.pieces.last == .text(".Z_PK") }

    private struct Step {
        let table: SQLStatement
        let condition: SQLStatement
        let alias: String
    }

    private func keep(_ steps: [Step], _ entity: SQLEntity) -> SQLStatement {
        let alias = steps[steps.count - 1].alias
        let key = Self.key(of: alias)
        aliases[entity.table, default: []].append((key, alias))
        return key
    }

    private func steps(_ links: SQLLinks, _ owner: SQLStatement, _ entity: SQLEntity) -> [Step] {
        let table: SQLStatement = "\(name: links.table)"
        let alias = names.next()
        switch links.kind {
        case .destinationColumn:
            return [
                Step(
                    table: "\(table) \(name: alias)",
                    condition: "\(name: alias).\(name: links.owner) = \(owner)", alias: alias)
            ]
        case .joinTable:
            let destination = names.next()
            let pair: (table: SQLStatement, owner: String, destination: String) =
                links.isReflexive
                ? ("(\(LinkCompiler(schema: schema).pairs(links)))", "o", "d")
                : (table, links.owner, links.destination)
            return [
                Step(
                    table: "\(pair.table) \(name: alias)",
                    condition: "\(name: alias).\(name: pair.owner) = \(owner)", alias: alias),
                Step(
                    table: "\(name: entity.table) \(name: destination)",
                    condition: "\(name: destination).Z_PK = \(name: alias).\(name: pair.destination)",
                    alias: destination),
            ]
        }
    }
}

/// The objects that a key path leads to, as rows of a SELECT.
struct QueryTarget {
    let source: QuerySource
    /// The SQL of the objects' keys.
    let key: SQLStatement
    let entity: NSEntityDescription
    /// Nil for objects of another store.
    let table: SQLEntity?

    /// Whether every row of the SELECT has an object here.
    var isAlwaysThere: Bool { QuerySource.isOwnKey(key) && !source.mayMissObjects }

    /// The object itself as a value.
    var object: QueryOperand { QueryOperand(key, kind: .toOne, destination: entity) }
}
