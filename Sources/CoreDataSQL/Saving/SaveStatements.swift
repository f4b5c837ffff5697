import ManagedObjectModel
import ObjectGraph

/// The statements of one transaction that run for one link, one row or one position, each rendered and looked up once.
final class SaveStatements {
    private enum Key: Hashable {
        case addLink(ObjectIdentifier)
        case removeLink(ObjectIdentifier)
        case endLinks(ObjectIdentifier, column: String, entity: Int32)
        case order(ObjectIdentifier)
        case orderOfOtherWay(ObjectIdentifier)
        case keepTime(entity: Int32, rowSlot: Int)
        case entityNumber(table: String)
        case derivedValues(entity: Int32)
    }

    private let connection: any SQLConnection
    private let compiler: SaveCompiler
    private var prepared: [Key: any SQLPreparedStatement] = [:]

    init(_ connection: any SQLConnection, _ compiler: SaveCompiler) {
        self.connection = connection
        self.compiler = compiler
    }

    private func statement(_ key: Key, _ make: () -> SQLStatement) throws -> any SQLPreparedStatement {
        if let known = prepared[key] { return known }
        let made = try connection.prepare(make())
        prepared[key] = made
        return made
    }

    private func run(_ statement: any SQLPreparedStatement, _ values: [SQLValue]) throws {
        Log.sql.trace("\(Log.description(of: values))")
        try statement.run(values)
    }

    func addLink(
        _ relationship: NSRelationshipDescription, _ links: SQLLinks, _ owner: SQLValue, _ destination: SQLValue
    ) throws {
        try run(
            statement(.addLink(ObjectIdentifier(relationship))) { compiler.addLink(links) }, [owner, destination])
    }

    func removeLink(
        _ relationship: NSRelationshipDescription, _ links: SQLLinks, _ owner: SQLValue, _ destination: SQLValue
    ) throws {
        try run(
            statement(.removeLink(ObjectIdentifier(relationship))) { compiler.removeLink(links) },
            [owner, destination])
    }

    /// Ends all links of a deleted object that are in one column.
    func endLinks(
        _ relationship: NSRelationshipDescription, _ links: SQLLinks, column: String, of entity: SQLEntity,
        _ reference: Int64
    ) throws {
        let key = Key.endLinks(ObjectIdentifier(relationship), column: column, entity: entity.number)
        try run(
            statement(key) { compiler.endLinks(links, column: column, of: entity) }, [.integer(reference)])
    }

    /// Sets the position of one destination, and that in the row that stands for the link the other way round.
    func order(
        _ relationship: NSRelationshipDescription, _ links: SQLLinks, _ column: String, _ position: SQLValue,
        _ owner: SQLValue, _ destination: SQLValue
    ) throws {
        let id = ObjectIdentifier(relationship)
        try run(
            statement(.order(id)) { compiler.order(links, column) }, [position, owner, destination])
        guard links.isReflexive else { return }
        try run(
            statement(.orderOfOtherWay(id)) { compiler.orderOfOtherWay(links, column) },
            [position, destination, owner])
    }

    /// Sets the time of the last save of a row.
    func keepTime(_ column: SQLColumn, of row: Row, _ entity: SQLEntity) throws {
        try run(
            statement(.keepTime(entity: entity.number, rowSlot: column.rowSlot)) {
                "UPDATE \(name: entity.table) SET \(name: column.name) = \(.parameter) WHERE Z_PK = \(.parameter)"
            },
            [
                row.isNull(column.rowSlot) ? .null : .double(row.double(column.rowSlot)),
                .integer(row.reference),
            ])
    }

    /// The number of the entity of a row; nil for one that is not there.
    func entityNumber(of reference: Int64, in table: String) throws -> Int32? {
        let statement = try statement(.entityNumber(table: table)) {
            "SELECT Z_ENT FROM \(name: table) WHERE Z_PK = \(.parameter)"
        }
        var number: Int64 = 0
        try statement.forEachRow([.integer(reference)]) { number = $0.integer(0) }
        return number > 0 ? Int32(exactly: number) : nil
    }

    /// The values of an object's derived attributes.
    func derivedValues(of reference: Int64, _ entity: SQLEntity) throws -> [DerivedValue] {
        let layout = entity.home.layout
        let columns = layout.derivedIndexes.compactMap { entity.column(slot: $0) }
        let statement = try statement(.derivedValues(entity: entity.number)) {
            "SELECT \(names: columns.map(\.name)) FROM \(name: entity.table) WHERE Z_PK = \(.parameter)"
        }
        var values: [DerivedValue] = []
        try statement.forEachRow([.integer(reference)]) { row in
            for (index, column) in columns.enumerated() {
                values.append(
                    DerivedValue(attribute: layout.slots[column.slot].name, value: row.value(index)))
            }
        }
        return values
    }
}
