import ObjectGraph
import Foundation
import GRDB
import ManagedObjectModel

/// Makes a model from the tables of a store, so that its rows can be read when there is no model.
///
/// Known are the entities, their tree, columns and the kinds of their values, and many-to-many relationships. Not known
/// are which subentity of an entity a column belongs to (the topmost has all), the case of names (they are in lower case),
/// and where a foreign key leads: a column with an index is taken for one when its name ends with that of an entity and
/// all its keys are there. Inverses of these, what is optional, the classes of archives and all else is not in the
/// tables.
struct ReconstructedModel {
    private let database: Database
    private let url: URL
    private var entities: [Int64: NSEntityDescription] = [:]
    private var parents: [Int64: Int64] = [:]
    /// The numbers of entities without subentities, by their names in capitals.
    private var leaves: [String: Int64] = [:]
    /// The properties of each entity, by its number.
    private var properties: [Int64: [NSPropertyDescription]] = [:]
    /// The names that each tree of entities has, by the number of its root.
    private var names: [Int64: Set<String>] = [:]

    private init(_ database: Database, _ url: URL) {
        self.database = database
        self.url = url
    }

    /// - Throws: 134080 when the tables are not those of a store.
    static func read(_ database: Database, _ url: URL) throws -> NSManagedObjectModel {
        var reconstruction = ReconstructedModel(database, url)
        do {
            let model = try reconstruction.model()
            try model.validate()
            return model
        } catch let error as DatabaseError {
            throw reconstruction.failure("\(error.message ?? "\(error)")")
        } catch let error as ModelConsistencyError {
            throw reconstruction.failure("\(error.localizedDescription)")
        }
    }

    private mutating func model() throws -> NSManagedObjectModel {
        try readEntities()
        let tables = try self.tables()
        for number in entities.keys.sorted() where root(number) == number {
            guard let name = entities[number]?.name, let columns = tables["Z\(name.uppercased())"] else {
                throw failure("entity '\(entities[number]?.name ?? "")' has no table")
            }
            try readColumns(columns, table: "Z\(name.uppercased())", root: number)
        }
        for (table, columns) in tables.sorted(by: { $0.key < $1.key }) where table.hasPrefix("Z_") {
            readJoinTable(columns)
        }
        for (number, entity) in entities { entity.properties = properties[number] ?? [] }
        let model = NSManagedObjectModel()
        model.entities = entities.sorted { $0.key < $1.key }.map(\.value)
        model.versionIdentifiers = [NSManagedObjectModel.reconstructionMark]
        for (index, entity) in model.entitiesInPreorder().enumerated()
        where entities[Int64(index + 1)] !== entity {
            throw failure(
                "the number of entity '\(entity.name ?? "")' does not follow from the order of the names")
        }
        return model
    }

    private func failure(_ reason: String) -> NSError {
        .coreData(
            .persistentStoreOpen,
            "No model can be made from the tables of the store at \(url.path): \(reason).",
            [NSFilePathErrorKey: url.path])
    }

    // MARK: Entities

    /// Numbers of Apple's own entities, such as those of history, begin here.
    private static let firstPrivateEntity = 16000
    private static let maximumEntityCount = 10_000

    private mutating func readEntities() throws {
        let rows = try GRDB.Row.fetchAll(
            database,
            sql: """
                SELECT Z_ENT, Z_NAME, Z_SUPER FROM Z_PRIMARYKEY WHERE Z_ENT BETWEEN 1 AND ? ORDER BY Z_ENT LIMIT ?
                """, arguments: [Self.firstPrivateEntity - 1, Self.maximumEntityCount])
        for row in rows {
            guard let number = Int64.fromDatabaseValue(row[0]), let name = String.fromDatabaseValue(row[1]),
                !name.isEmpty
            else { throw failure("an entity has no name") }
            let entity = NSEntityDescription()
            entity.name = name
            entities[number] = entity
            guard let parent = Int64.fromDatabaseValue(row[2]), parent != 0 else { continue }
            // Parents have lower numbers, so no entity is its own ancestor.
            guard parent < number, let superentity = entities[parent] else {
                throw failure("entity '\(name)' has a parent that does not exist")
            }
            parents[number] = parent
            superentity.subentities.append(entity)
        }
        guard !entities.isEmpty else { throw failure("there are no entities") }
        for (number, entity) in entities where entity.subentities.isEmpty {
            leaves[(entity.name ?? "").uppercased()] = number
        }
    }

    private func root(_ number: Int64) -> Int64 {
        var number = number
        while let parent = parents[number] { number = parent }
        return number
    }

    /// Adds a property, if its name is one that a property can have and that the entity's tree does not have yet.
    private mutating func add(_ property: NSPropertyDescription, to number: Int64) -> Bool {
        let name = property.name
        guard !name.isEmpty, !name.contains("."), !name.hasPrefix("@"),
            names[root(number), default: []].insert(name).inserted
        else {
            Log.store.warning(
                "The property '\(name)' of the store at \(url.path) is not in its reconstructed model.")
            return false
        }
        properties[number, default: []].append(property)
        return true
    }

    // MARK: Tables

    private struct Column {
        let name: String
        let type: String
        /// Whether it has an index of its own that is called as those of foreign keys are.
        let isIndexed: Bool
    }

    private func tables() throws -> [String: [Column]] {
        let indexes = try String.fetchSet(
            database, sql: "SELECT name FROM sqlite_master WHERE type = 'index'")
        let rows = try GRDB.Row.fetchAll(
            database,
            sql: """
                SELECT t.name, c.name, c.type FROM sqlite_master t JOIN pragma_table_info(t.name) c
                WHERE t.type = 'table' AND t.rootpage > 0 ORDER BY t.name, c.cid
                """)
        var tables: [String: [Column]] = [:]
        for row in rows {
            guard let table = String.fromDatabaseValue(row[0]), let name = String.fromDatabaseValue(row[1])
            else { continue }
            let column = Column(
                name: name, type: (String.fromDatabaseValue(row[2]) ?? "").uppercased(),
                isIndexed: indexes.contains("\(table)_\(name)_INDEX"))
            tables[table, default: []].append(column)
        }
        return tables
    }

    private mutating func readColumns(_ columns: [Column], table: String, root: Int64) throws {
        let all = Set(columns.map(\.name))
        var namedEntities: [String: Int64] = [:]
        for column in columns where column.name.hasPrefix("Z") {
            let (number, rest) = Self.number(in: column.name.dropFirst())
            if let number, entities[number] != nil, rest.hasPrefix("_") {
                namedEntities[String(rest.dropFirst())] = number
            }
        }
        for column in columns where column.name.hasPrefix("Z") && !column.name.hasPrefix("Z_") {
            let (number, rest) = Self.number(in: column.name.dropFirst())
            if let number, !rest.isEmpty, column.type == "INTEGER", entities[number] != nil {
                // `Z4_BOOK` names the entity that `ZBOOK` leads to; `Z4BOOKS` is the key of a to-many relationship.
                if rest.hasPrefix("_") { continue }
                let order = "Z_FOK_\(column.name.dropFirst())"
                addToMany(Self.name(rest), from: number, to: root, isOrdered: all.contains(order))
                continue
            }
            let name = Self.name(column.name.dropFirst())
            guard "Z\(name.uppercased())" == column.name else { continue }
            let property: NSPropertyDescription
            if let destination = try destination(of: column, in: table, namedEntities),
                let entity = entities[destination]
            {
                let relationship = NSRelationshipDescription()
                relationship.destinationEntity = entity
                relationship.maxCount = 1
                property = relationship
            } else {
                guard let type = Self.attributeType(column.type) else { continue }
                let attribute = NSAttributeDescription()
                attribute.attributeType = type
                property = attribute
            }
            property.name = name
            _ = add(property, to: root)
        }
    }

    private static func attributeType(_ type: String) -> NSAttributeType? {
        switch type {
        case "INTEGER": .integer64AttributeType
        case "FLOAT": .doubleAttributeType
        case "TIMESTAMP": .dateAttributeType
        case "DECIMAL": .decimalAttributeType
        case "VARCHAR": .stringAttributeType
        case "BLOB": .binaryDataAttributeType
        default: nil
        }
    }

    /// A name in a column, in lower case.
    private static func name(_ text: some StringProtocol) -> String {
        NSManagedObjectModel.reconstructedName(text.lowercased())
    }

    /// The number at the start of a name, and what follows.
    private static func number(in text: Substring) -> (Int64?, Substring) {
        let digits = text.prefix { $0.isASCII && $0.isNumber }
        return (digits.isEmpty ? nil : Int64(digits), text.dropFirst(digits.count))
    }

    // MARK: Relationships

    private mutating func addToMany(_ name: String, from owner: Int64, to destination: Int64, isOrdered: Bool)
    {
        let relationship = NSRelationshipDescription()
        relationship.name = name
        relationship.destinationEntity = entities[destination]
        relationship.isOrdered = isOrdered
        _ = add(relationship, to: owner)
    }

    /// The entity that a foreign key leads to, nil when it is not one or leads to an unknown entity.
    ///
    /// - Parameter namedEntities: the entities that columns `Z<number>_<key>` name, by key.
    private func destination(of column: Column, in table: String, _ namedEntities: [String: Int64]) throws
        -> Int64?
    {
        guard column.type == "INTEGER", column.isIndexed else { return nil }
        let key = column.name.dropFirst()
        if let number = namedEntities[String(key)] { return number }
        guard let number = leaf(named: key), let name = entities[root(number)]?.name else { return nil }
        // In a table of one entity all rows are of that entity, whatever their numbers.
        let condition = root(number) == number ? "" : " WHERE Z_ENT = \(number)"
        let strays = try Bool.fetchOne(
            database,
            sql: """
                SELECT EXISTS (SELECT 1 FROM \(Self.quoted(table)) WHERE \(Self.quoted(column.name)) NOT NULL AND
                \(Self.quoted(column.name)) NOT IN (SELECT Z_PK FROM \(Self.quoted("Z\(name.uppercased())"))\(condition)))
                """)
        return strays == false ? number : nil
    }

    /// The entity without subentities whose name a key ends with; of several, the one with the longest name.
    private func leaf(named key: Substring) -> Int64? {
        var rest = key
        while !rest.isEmpty {
            if let number = leaves[String(rest)] { return number }
            rest = rest.dropFirst()
        }
        return nil
    }

    private static func quoted(_ name: String) -> String { "\"\(name.replacing("\"", with: "\"\""))\"" }

    /// Two keys, `Z_1NOTES` and `Z_2TAGS`: entity 2 has a relationship `notes` to entity 1, and that one `tags`.
    private mutating func readJoinTable(_ columns: [Column]) {
        let keys = columns.map(\.name).filter { !$0.hasPrefix("Z_FOK_") }
        let orders = Set(columns.map(\.name)).subtracting(keys)
        guard keys.count == 2 else { return }
        let ends = keys.compactMap { key -> (number: Int64, relationship: NSRelationshipDescription)? in
            guard key.hasPrefix("Z_") else { return nil }
            let (number, name) = Self.number(in: key.dropFirst(2))
            guard let number, let entity = entities[number], !name.isEmpty else { return nil }
            let relationship = NSRelationshipDescription()
            relationship.name = Self.name(name)
            relationship.destinationEntity = entity
            relationship.isOrdered = orders.contains("Z_FOK_\(key.dropFirst(2))")
            return (number, relationship)
        }
        if ends.count == 1, keys.contains("REFLEXIVE") {
            let (number, relationship) = ends[0]
            if add(relationship, to: number) { relationship.inverseRelationship = relationship }
        } else if ends.count == 2 {
            let (one, other) = (ends[0], ends[1])
            guard one.number != other.number || one.relationship.name != other.relationship.name,
                add(one.relationship, to: other.number)
            else { return }
            guard add(other.relationship, to: one.number) else {
                properties[other.number]?.removeLast()
                return
            }
            one.relationship.inverseRelationship = other.relationship
            other.relationship.inverseRelationship = one.relationship
        }
    }
}
