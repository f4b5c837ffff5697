import ManagedObjectModel
import ObjectGraph

/// The statements of one transaction that run for one link, one row or one position, each rendered and looked up once.
final class SaveStatements {
    private let connection: any SQLConnection
    private let compiler: SaveCompiler
    private let rendered: RenderedStatements<SaveStatement>
    private var prepared: [SaveStatement: any SQLPreparedStatement] = [:]

    init(_ connection: any SQLConnection, _ tables: StoreTables) {
        self.connection = connection
        compiler = SaveCompiler(schema: tables.schema)
        rendered = tables.statements
    }

    private func statement(
        _ key: SaveStatement, _ make: () -> SQLStatement
    ) throws -> any SQLPreparedStatement {
        if let known = prepared[key] { return known }
        let made = try connection.prepare(rendered.statement(key, make))
        // A transaction may last as long as an import; the connection has its own bound.
        if prepared.count >= 100 { prepared = [:] }
        prepared[key] = made
        return made
    }

    // MARK: Rows

    func insertion(of entity: SQLEntity) throws -> any RowWriting {
        let statement = try rendered.statement(.insert(entity: entity.number)) { compiler.insert(entity) }
        return try connection.insertionWriter(statement, entity)
    }

    /// - Parameter changed: the slots of the properties whose columns are written.
    func update(of entity: SQLEntity, _ changed: PropertySet) throws -> any RowWriting {
        let columns = entity.columns.filter { changed.contains($0.slot) }
        let statement = try rendered.statement(.update(entity: entity.number, changed)) {
            compiler.update(entity, columns)
        }
        return try connection.rowWriter(statement, columns)
    }

    func deletion(of entity: SQLEntity) throws -> any RowWriting {
        let statement = try rendered.statement(.delete(entity: entity.number)) { compiler.delete(entity) }
        return try connection.rowWriter(statement, [])
    }

    /// Takes references of an entity's table.
    ///
    /// - Parameter root: the number of the entity that counts them.
    /// - Returns: the highest one; -1 when one of them is a row's.
    func reserve(_ count: Int64, of entity: SQLEntity, _ root: Int64) throws -> Int64 {
        let values: [SQLValue] = [.integer(count), .integer(root)]
        let number = entity.number
        try connection.run(
            rendered.statement(.reserve(entity: number)) { compiler.reserve(entity) }, values)
        return try connection.integer(
            rendered.statement(.highest(entity: number)) { compiler.highest(entity) }.binding(values))
    }

    // MARK: Links and orders

    private func run(_ statement: any SQLPreparedStatement, _ values: [SQLValue]) throws {
        Log.sql.trace("\(Log.description(of: values))")
        try statement.run(values)
    }

    func addLink(
        _ relationship: NSRelationshipDescription, _ links: SQLLinks, _ owner: SQLValue,
        _ destination: SQLValue
    ) throws {
        try run(
            statement(.addLink(ObjectIdentifier(relationship))) { compiler.addLink(links) },
            [owner, destination])
    }

    func removeLink(
        _ relationship: NSRelationshipDescription, _ links: SQLLinks, _ owner: SQLValue,
        _ destination: SQLValue
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
        let key = SaveStatement.endLinks(
            ObjectIdentifier(relationship), column: column, entity: entity.number)
        try run(
            statement(key) { compiler.endLinks(links, column: column, of: entity) }, [.integer(reference)])
    }

    /// The positions of an owner's destinations by their keys; none for those that have no position.
    func positions(
        _ relationship: NSRelationshipDescription, _ links: SQLLinks, _ column: String, _ owner: SQLValue
    ) throws -> [Int64: Int64] {
        let statement = try statement(.positions(ObjectIdentifier(relationship))) {
            compiler.positions(links, column)
        }
        Log.sql.trace("\(Log.description(of: [owner]))")
        var positions: [Int64: Int64] = [:]
        try statement.forEachRow([owner]) { row in
            if row.type(1) == .integer { positions[row.integer(0)] = row.integer(1) }
        }
        return positions
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

    // MARK: Values of one row

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
    func entityNumber(of reference: Int64, in entity: SQLEntity) throws -> Int32? {
        let statement = try statement(.entityNumber(entity: entity.number)) {
            RowLookup.entityNumber(in: entity)
        }
        var number: Int64 = 0
        try statement.forEachRow([.integer(reference)]) { number = $0.integer(0) }
        return number > 0 ? Int32(exactly: number) : nil
    }

    /// The values of an object's derived attributes.
    func derivedValues(of reference: Int64, _ entity: SQLEntity) throws -> [DerivedValue] {
        let layout = entity.storedEntity.layout
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
