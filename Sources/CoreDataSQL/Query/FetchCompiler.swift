import ObjectGraph
import CocoaFoundation
import Foundation
import ManagedObjectModel

/// Turns queries into SELECT statements.
package struct FetchCompiler: Sendable {
    let schema: SQLSchema
    /// The statements that were written before; nil for a compiler that writes each anew.
    private let templates: SelectTemplates?

    /// - Parameter keepsStatements: whether the compiler, which is then to be kept, writes the statement of queries that differ in constants
    ///   alone once.
    package init(schema: SQLSchema, keepsStatements: Bool = false) {
        self.schema = schema
        templates = keepsStatements ? SelectTemplates() : nil
    }

    /// A statement with columns of the fetched entity's table.
    ///
    /// - Parameters:
    ///   - columns: the list of a SELECT, as a `RowDecoder` for the same family has it.
    ///   - keys: if given, only rows that have one of the keys in a column.
    package func rows(
        _ query: FetchQuery, columns: String, keys: (column: String, values: [Int64])? = nil
    ) throws -> SQLStatement {
        let base = QuerySource.base
        let condition = try keys.map { keys in
            try ValueList(keys.values.map(SQLValue.integer)).condition(
                SQLStatement("\(base).\(schema.quoted(keys.column))"), schema.dialect)
        }
        return try select(query, condition) { _ in SQLStatement("SELECT \(columns)") }
    }

    /// A statement with some columns of one object.
    package static func values(
        _ entity: SQLEntity, _ columns: [SQLColumn], _ reference: Int64, dialect: any SQLDialect
    ) -> SQLStatement {
        let list = columns.map { dialect.quoted($0.name) }.joined(separator: ", ")
        return SQLStatement(
            "SELECT \(list) FROM \(dialect.quoted(entity.table)) WHERE Z_PK = ?", [.integer(reference)])
    }

    /// A statement with all columns of the fetched entity's table.
    ///
    /// - Parameter columns: the list of the entity's own `RowDecoder`.
    package func wholeRows(_ query: FetchQuery, columns: String) throws -> SQLStatement {
        try statement(query, .rows) { try rows(query, columns: columns) }
    }

    /// A statement with entity number and key.
    package func keys(_ query: FetchQuery) throws -> SQLStatement {
        try statement(query, .keys) {
            try select(query) { _ in
                SQLStatement("SELECT \(QuerySource.base).Z_ENT, \(QuerySource.base).Z_PK")
            }
        }
    }

    /// A statement with the key `k` of each row and the values `v0`, `v1` … of expressions.
    ///
    /// - Parameter check: is called with the kind of each value and the index of its expression.
    package func keys(
        _ query: FetchQuery, computing expressions: [NSExpression], check: (Int, SlotKind) throws -> Void
    ) throws -> SQLStatement {
        try select(query) { compiler in
            var list = [SQLStatement("\(QuerySource.base).Z_PK AS k")]
            for (index, expression) in expressions.enumerated() {
                let operand = try Self.value(expression, &compiler)
                try check(index, operand.kind)
                var column = operand.sql
                column.append(" AS v\(index)")
                list.append(column)
            }
            let all = list.joined(separator: ", ")
            return SQLStatement("SELECT \(all.text)", all.arguments)
        }
    }

    /// A statement with one number.
    package func count(_ query: FetchQuery) throws -> SQLStatement {
        guard query.isWindow else {
            return try statement(query, .count) {
                try select(query, isOrdered: false) { _ in SQLStatement("SELECT COUNT(*)") }
            }
        }
        let inner = try select(query, isOrdered: false) { _ in SQLStatement("SELECT 1") }
        return SQLStatement("SELECT COUNT(*) FROM (\(inner.text))", inner.arguments)
    }

    /// A statement for dictionaries, and the names and kinds of its columns.
    package func dictionaries(_ query: FetchQuery) throws -> (SQLStatement, [DictionaryColumn]) {
        var columns: [DictionaryColumn] = []
        let statement = try select(query) { compiler in
            var list: [SQLStatement] = []
            for property in query.properties {
                let operand = try Self.operand(property, &compiler)
                columns.append(try DictionaryColumn(property, operand, schema, query.home))
                list.append(operand.sql)
            }
            // Behind them, whose ID an object's key is in where the table has several entities.
            for index in columns.indices {
                guard let number = columns[index].entityNumber(of: list[index], schema) else { continue }
                columns[index].entityColumn = Int32(list.count)
                list.append(number)
            }
            let all = list.joined(separator: ", ")
            return SQLStatement("SELECT \(query.isDistinct ? "DISTINCT " : "")\(all.text)", all.arguments)
        }
        return (statement, columns)
    }

    private static func operand(
        _ property: NSPropertyDescription, _ compiler: inout PredicateCompiler, isOrder: Bool = false
    ) throws -> QueryOperand {
        guard let description = property as? NSExpressionDescription else {
            return try value(NSExpression(forKeyPath: property.name), &compiler, isOrder: isOrder)
        }
        guard let expression = description.expression else {
            throw NSError.coreData(.coreData, "Expression description '\(property.name)' has no expression.")
        }
        return try value(expression, &compiler, isOrder: isOrder)
    }

    /// A value that can be read, or ordered by, and not only be compared.
    private static func value(
        _ expression: NSExpression, _ compiler: inout PredicateCompiler, isOrder: Bool = false
    ) throws -> QueryOperand {
        let operand = try compiler.operand(expression)
        // An archive can be read; it has no order.
        if let obstacle = operand.obstacle, isOrder || operand.kind != .transformable {
            throw NSError.coreData(.coreData, "Unsupported expression \(expression): \(obstacle).")
        }
        guard !operand.isEntity else {
            throw NSError.coreData(
                .coreData,
                "Unsupported expression \(expression): a store keeps entities as numbers, which are not values."
            )
        }
        return operand
    }

    private func select(
        _ query: FetchQuery, _ condition: SQLStatement? = nil, isOrdered: Bool = true,
        _ columns: (inout PredicateCompiler) throws -> SQLStatement
    ) throws -> SQLStatement {
        let entity = schema.entity(query.home)
        var compiler = PredicateCompiler(schema, entity)
        // All that requires joins comes before FROM is written.
        compiler.allowsAggregates = true
        let selected = try columns(&compiler)
        compiler.allowsAggregates = false
        var conditions = condition.map { [$0] } ?? []
        if let family = family(query, entity) { conditions.append(family) }
        if let references = query.references {
            conditions.append(
                try ValueList(references.map(SQLValue.integer)).condition(
                    SQLStatement("\(QuerySource.base).Z_PK"), schema.dialect))
        }
        if let predicate = query.predicate { conditions.append(try compiler.condition(predicate)) }
        var groups: [SQLStatement] = []
        for property in query.groupBy { groups.append(try Self.operand(property, &compiler).sql) }
        // In HAVING, too, a name may be that of a column of the result.
        compiler.allowsAggregates = true
        compiler.namedExpressions = query.properties.namedExpressions
        let having = try query.having.map { try compiler.condition($0) }
        compiler.namedExpressions = [:]
        let orders = isOrdered ? try orders(query, &compiler) : []

        var statement = selected
        statement.append(" ")
        statement.append(compiler.from)
        if !conditions.isEmpty {
            statement.append(" WHERE ")
            statement.append(conditions.joined(separator: " AND "))
        }
        if !groups.isEmpty {
            statement.append(" GROUP BY ")
            statement.append(groups.joined(separator: ", "))
        }
        if let having {
            statement.append(" HAVING ")
            statement.append(having)
        }
        if !orders.isEmpty {
            statement.append(" ORDER BY ")
            statement.append(orders.joined(separator: ", "))
        }
        if query.isWindow { statement.append(SQLStatement(" LIMIT ? OFFSET ?", Self.window(query))) }
        return statement
    }

    /// The last values of a statement: those of `LIMIT` and `OFFSET`, if it has them.
    static func window(_ query: FetchQuery) -> [SQLValue] {
        query.isWindow
            ? [.integer(query.limit > 0 ? Int64(query.limit) : -1), .integer(Int64(query.offset))] : []
    }

    /// The statement of a query, from the template of its shape if there is one.
    ///
    /// - Parameter write: writes the whole statement.
    private func statement(
        _ query: FetchQuery, _ result: SelectTemplate.Shape.Result, write: () throws -> SQLStatement
    ) throws -> SQLStatement {
        guard let templates else { return try write() }
        let compiler = PredicateCompiler(schema, schema.entity(query.home))
        guard let (shape, comparisons) = try SelectTemplate.shape(of: query, result, compiler) else {
            return try write()
        }
        switch templates[shape] {
        case .template(let template)?: return try template.statement(comparisons, query, compiler)
        case .noTemplate?: return try write()
        case nil:
            let statement = try write()
            templates.add(try SelectTemplate(statement, comparisons, query, compiler), shape)
            return statement
        }
    }

    /// Which of a table's entities are meant; nil for all.
    private func family(_ query: FetchQuery, _ entity: SQLEntity) -> SQLStatement? {
        guard entity.sharesTable else { return nil }
        let numbers = query.includesSubentities ? entity.familyNumbers : [entity.number]
        if query.includesSubentities, entity.home.entity.superentity == nil { return nil }
        let list = numbers.map(String.init).joined(separator: ", ")
        return SQLStatement("\(QuerySource.base).Z_ENT IN (\(list))")
    }

    private func orders(_ query: FetchQuery, _ compiler: inout PredicateCompiler) throws -> [SQLStatement] {
        var orders: [SQLStatement] = []
        for descriptor in query.sortDescriptors { orders.append(try order(descriptor, query, &compiler)) }
        // Equal rows keep the order of their keys, whichever index the database takes.
        if !orders.isEmpty || query.isWindow, query.groupBy.isEmpty, !query.isDistinct,
            query.resultType != .dictionaryResultType || !orders.isEmpty
        {
            orders.append(SQLStatement("\(QuerySource.base).Z_PK"))
        }
        return orders
    }

    private func order(
        _ descriptor: NSSortDescriptor, _ query: FetchQuery, _ compiler: inout PredicateCompiler
    ) throws -> SQLStatement {
        guard let key = descriptor.key, let textOrder = descriptor.stringOrder else {
            throw NSError.coreData(
                .coreData,
                "unsupported NSSortDescriptor (a store cannot call comparators, and needs the name of the property): \(descriptor)"
            )
        }
        // A column of the result may be named by an expression description.
        let named = query.properties.first { $0 is NSExpressionDescription && $0.name == key }
        let operand =
            try named.map { try Self.operand($0, &compiler, isOrder: true) }
            ?? Self.value(NSExpression(forKeyPath: key), &compiler, isOrder: true)
        var collation = ""
        switch operand.kind {
        case .string, .undefined:
            if let name = schema.dialect.collation(textOrder) { collation = " COLLATE \(name)" }
        default: break
        }
        return SQLStatement(
            "\(operand.sql.text)\(collation) \(descriptor.ascending ? "ASC" : "DESC")",
            operand.sql.arguments)
    }
}

/// A column of a dictionary result.
package struct DictionaryColumn: Sendable {
    package let name: String
    package let kind: SlotKind
    /// Whether the request says what kind it is.
    private let isDeclared: Bool
    /// Where the key of an object leads.
    package let destination: StoredEntity?
    /// The column with the number of the object's entity, where that may be one of several.
    package var entityColumn: Int32?

    /// - Throws: 134060 for a value that is declared as an object ID but is not one.
    init(
        _ property: NSPropertyDescription, _ operand: QueryOperand, _ schema: SQLSchema, _ home: StoredEntity
    ) throws {
        name = property.name
        if let expression = property as? NSExpressionDescription, operand.kind != .toOne,
            expression.expressionResultType != .undefinedAttributeType
        {
            guard expression.expressionResultType != .objectIDAttributeType || operand.family == .nothing
            else {
                throw NSError.coreData(
                    .coreData, "The value of '\(name)' is declared to be an object ID, but is not an object.")
            }
            kind = SlotKind(expression.expressionResultType)
            isDeclared = true
        } else {
            kind = operand.kind
            isDeclared = !(property is NSExpressionDescription)
        }
        destination = operand.kind == .toOne ? operand.destination.flatMap { home.store?.home(of: $0) } : nil
    }

    /// The number of the entity of the object with a key; nil where there is only one.
    func entityNumber(of key: SQLStatement, _ schema: SQLSchema) -> SQLStatement? {
        guard let destination, schema.entity(destination).familyNumbers.count > 1 else { return nil }
        var number = SQLStatement(
            "(SELECT Z_ENT FROM \(schema.quoted(schema.entity(destination).table)) WHERE Z_PK = ")
        number.append(key)
        number.append(")")
        return number
    }

    /// The kind of a value that is a real number: computed integers that do not fit 64 bits are.
    package var kindOfReal: SlotKind { kind.isWholeNumber && !isDeclared ? .double : kind }
}
