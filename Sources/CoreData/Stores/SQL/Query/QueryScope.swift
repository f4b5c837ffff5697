import Foundation
import ManagedObjectModel

/// The tables that a query reads: the fetched entity's, and those that its key paths lead to, each once.
struct QueryScope {
    let schema: SQLSchema
    let entity: SQLEntity
    static let base = "t0"
    private var joins: [(path: String, alias: String, sql: String)] = []

    init(schema: SQLSchema, entity: SQLEntity) {
        self.schema = schema
        self.entity = entity
    }

    /// `FROM` with every join that key paths have asked for so far.
    var from: String {
        "FROM \(schema.quoted(entity.table)) \(Self.base)" + joins.map { " \($0.sql)" }.joined()
    }

    /// Finds what a key path over to-one relationships leads to.
    ///
    /// - Throws: 134060 with the key and the entity: an unknown key, a transient one, a to-many step.
    mutating func resolve(_ keyPath: String) throws -> QueryOperand {
        var entity = entity
        var alias = Self.base
        var walked: [String] = []
        var names = keyPath.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
        if names.first?.uppercased() == "SELF", names.count > 1 { names.removeFirst() }
        while let name = names.first {
            names.removeFirst()
            if name.uppercased() == "SELF" || name == "objectID", names.isEmpty {
                return QueryOperand(sql: "\(alias).Z_PK", kind: .toOne, destination: entity.home.entity)
            }
            guard let slot = entity.home.layout.index(of: name) else {
                throw Self.missing(keyPath, entity, "it has no property '\(name)'")
            }
            let info = entity.home.layout.slots[slot]
            guard info.isStored else {
                throw Self.missing(
                    keyPath, entity,
                    info.kind == .fetched
                        ? "'\(name)' is a fetched property"
                        : "'\(name)' is transient, so the store has no column to search or sort by")
            }
            guard info.kind != .toMany else {
                throw NSError.coreData(
                    .coreData,
                    """
                    to-many key not allowed here: '\(name)' of entity \(entity.home.entity.name ?? "") in keypath \
                    \(keyPath)
                    """)
            }
            guard let relationship = info.relationship else {
                return try element(info, names, alias, entity, keyPath)
            }
            guard let key = entity.column(slot: slot), let destination = relationship.destinationEntity else {
                throw Self.missing(keyPath, entity, "'\(name)' is kept elsewhere")
            }
            let column = "\(alias).\(schema.quoted(key.name))"
            if names.isEmpty || (names.count == 1 && ["self", "objectID"].contains(names[0])) {
                return QueryOperand(sql: column, kind: .toOne, destination: destination)
            }
            walked.append(name)
            guard
                let next = entity.home.store?.home(of: destination).flatMap({ schema.entity($0.entityNumber) }
                )
            else { throw Self.missing(keyPath, entity, "'\(name)' leads to another store") }
            alias = join(walked.joined(separator: "."), next, column)
            entity = next
        }
        throw Self.missing(keyPath, entity, "the path is empty")
    }

    /// An attribute, or an element of a composite one.
    private func element(
        _ info: PropertySlot, _ names: [String], _ alias: String, _ entity: SQLEntity, _ keyPath: String
    ) throws -> QueryOperand {
        var info = info
        for name in names {
            guard let element = info.elements.first(where: { $0.name == name }) else {
                throw Self.missing(keyPath, entity, "'\(info.name)' has no element '\(name)'")
            }
            info = element
        }
        guard !info.isExternal else {
            throw Self.missing(
                keyPath, entity, "'\(info.name)' allows external storage, so the column may lack its data")
        }
        guard let column = entity.column(rowSlot: info.rowSlot) else {
            throw Self.missing(keyPath, entity, "'\(info.name)' is a composite; name one of its elements")
        }
        return QueryOperand(sql: "\(alias).\(schema.quoted(column.name))", kind: info.kind, destination: nil)
    }

    private mutating func join(_ path: String, _ entity: SQLEntity, _ key: String) -> String {
        if let made = joins.first(where: { $0.path == path }) { return made.alias }
        let alias = "t\(joins.count + 1)"
        joins.append(
            (path, alias, "LEFT OUTER JOIN \(schema.quoted(entity.table)) \(alias) ON \(key) = \(alias).Z_PK")
        )
        return alias
    }

    private static func missing(_ keyPath: String, _ entity: SQLEntity, _ reason: String) -> NSError {
        let name = entity.home.entity.name ?? ""
        return .coreData(.coreData, "keypath \(keyPath) not found in entity \(name): \(reason).")
    }
}

/// A piece of SQL with a value, and what kind of value it is.
struct QueryOperand {
    var sql: SQLStatement
    let kind: SlotKind
    /// Where a key leads, of a relationship.
    let destination: NSEntityDescription?

    init(sql: String, kind: SlotKind, destination: NSEntityDescription? = nil) {
        self.init(SQLStatement(sql), kind: kind, destination: destination)
    }

    init(_ sql: SQLStatement, kind: SlotKind, destination: NSEntityDescription? = nil) {
        self.sql = sql
        self.kind = kind
        self.destination = destination
    }
}
