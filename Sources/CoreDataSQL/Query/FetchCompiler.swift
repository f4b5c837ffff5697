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
    ///   - columns: the list of a SELECT, as a `RowSelection` for the same family has it.
    ///   - keys: if given, only rows that have one of the keys in a column.
    package func rows(
        _ query: FetchQuery, columns: SQLStatement, keys: KeysInColumn? = nil
    ) throws -> SQLStatement {
        try select(query, keys?.condition(in: QuerySource.base)) { _ in "SELECT \(columns)" }
    }

    /// A statement with all columns of the fetched entity's table.
    ///
    /// - Parameter columns: the list of the entity's own `RowSelection`.
    package func wholeRows(_ query: FetchQuery, columns: SQLStatement) throws -> RenderedSQL {
        if let known = try known(query, .rows) { return known }
        return try statement(query, .rows) { try rows(query, columns: columns) }
    }

    /// A statement with some columns of the fetched entity's table.
    ///
    /// - Parameters:
    ///   - slots: the properties whose columns these are.
    ///   - columns: the list of the `RowSelection` of these properties.
    package func partialRows(
        _ query: FetchQuery, _ slots: PropertySet, columns: SQLStatement
    ) throws -> RenderedSQL {
        try statement(query, .partialRows(slots)) { try rows(query, columns: columns) }
    }

    /// A statement with the key and some columns of the fetched entity's table, or none, whose rows that it finds are all of the entity.
    ///
    /// - Parameters:
    ///   - slots: the properties whose columns these are.
    ///   - columns: the list of the `RowSelection` of these properties, with keys alone.
    package func snapshotRows(
        _ query: FetchQuery, _ slots: PropertySet, columns: SQLStatement
    ) throws -> RenderedSQL {
        try statement(query, .snapshotRows(slots)) { try rows(query, columns: columns) }
    }

    /// A statement with entity number and key.
    package func keys(_ query: FetchQuery) throws -> RenderedSQL {
        if let known = try known(query, .keys) { return known }
        return try statement(query, .keys) {
            let base: SQLStatement = "\(name: QuerySource.base)"
            let number = schema.entity(query.storedEntity).numberOfRow(in: base)
            return try select(query) { _ in "SELECT \(number), \(base).Z_PK" }
        }
    }

    /// A statement with the key `k` of each row and the values `v0`, `v1` … of expressions.
    ///
    /// - Parameter check: is called with the kind of each value and the index of its expression.
    package func keys(
        _ query: FetchQuery, computing expressions: [NSExpression], check: (Int, SlotKind) throws -> Void
    ) throws -> SQLStatement {
        try select(query) { compiler in
            var list: [SQLStatement] = ["\(QuerySource.key(of: QuerySource.base)) AS k"]
            for (index, expression) in expressions.enumerated() {
                let operand = try Self.value(expression, &compiler)
                try check(index, operand.kind)
                list.append("\(operand.sql) AS v\(integer: index)")
            }
            return "SELECT \(list: list)"
        }
    }

    /// A statement with one number.
    package func count(_ query: FetchQuery) throws -> RenderedSQL {
        guard query.isWindow else {
            if let known = try known(query, .count) { return known }
            return try statement(query, .count) {
                try select(query, isOrdered: false) { _ in "SELECT COUNT(*)" }
            }
        }
        let inner = try select(query, isOrdered: false) { _ in "SELECT 1" }
        return try schema.dialect.render("SELECT COUNT(*) FROM (\(inner)) r")
    }

    /// A statement for dictionaries, and the names and kinds of its columns.
    package func dictionaries(_ query: FetchQuery) throws -> (SQLStatement, [DictionaryColumn]) {
        var columns: [DictionaryColumn] = []
        let statement = try select(query) { compiler in
            var list: [SQLStatement] = []
            for property in query.properties {
                let operand = try Self.operand(property, &compiler)
                columns.append(try DictionaryColumn(property, operand, schema, query.storedEntity))
                list.append(operand.sql)
            }
            // Behind them, whose ID an object's key is in where the table has several entities.
            for index in columns.indices {
                guard let number = columns[index].entityNumber(of: list[index], schema) else { continue }
                columns[index].entityColumn = Int32(list.count)
                list.append(number)
            }
            return query.isDistinct ? "SELECT DISTINCT \(list: list)" : "SELECT \(list: list)"
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
        let entity = schema.entity(query.storedEntity)
        var compiler = PredicateCompiler(schema, entity)
        // All that requires joins comes before FROM is written.
        compiler.allowsAggregates = true
        let selected = try columns(&compiler)
        compiler.allowsAggregates = false
        var conditions = condition.map { [$0] } ?? []
        if let family = family(query, entity) { conditions.append(family) }
        if let references = query.references {
            conditions.append(
                ValueList.condition(QuerySource.key(of: QuerySource.base), keys: references))
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
        statement.append(" \(compiler.from)")
        if !conditions.isEmpty { statement.append(" WHERE \(conditions.joined(separator: " AND "))") }
        if !groups.isEmpty { statement.append(" GROUP BY \(list: groups)") }
        if let having { statement.append(" HAVING \(having)") }
        if !orders.isEmpty { statement.append(" ORDER BY \(list: orders)") }
        if let window = query.window { statement.append(.window(limit: window.limit, offset: window.offset)) }
        return statement
    }

    /// The statement of a query from the template that was used last; nil if that is of another shape.
    private func known(
        _ query: FetchQuery, _ result: SelectTemplate.Shape.Result
    ) throws -> RenderedSQL? {
        guard let templates, let last = templates.last,
            last.shape.entity == query.storedEntity.entityNumber
        else { return nil }
        let entity = schema.entity(query.storedEntity)
        let constants = templates.constants(of: entity) { PredicateCompiler(schema, entity) }
        return try last.template.statement(of: query, result, ifOf: last.shape, constants.compiler)
    }

    /// The statement of a query, from the template of its shape if there is one.
    ///
    /// - Parameter write: writes the whole statement.
    private func statement(
        _ query: FetchQuery, _ result: SelectTemplate.Shape.Result, write: () throws -> SQLStatement
    ) throws -> RenderedSQL {
        func render() throws -> RenderedSQL { try schema.dialect.render(try write()) }
        guard let templates else { return try render() }
        let entity = schema.entity(query.storedEntity)
        let constants = templates.constants(of: entity) { PredicateCompiler(schema, entity) }.compiler
        guard let (shape, comparisons) = try SelectTemplate.shape(of: query, result, constants) else {
            return try render()
        }
        switch templates[shape] {
        case .template(let template)?: return try template.statement(comparisons, query, constants)
        case .noTemplate?: return try render()
        case nil:
            let statement = try render()
            // Finding what keys stand for may add joins: a compiler of its own.
            let compiler = PredicateCompiler(schema, entity)
            templates.add(try SelectTemplate(statement, comparisons, query, compiler), shape)
            return statement
        }
    }

    /// Which of a table's entities are meant; nil for all.
    private func family(_ query: FetchQuery, _ entity: SQLEntity) -> SQLStatement? {
        guard entity.sharesTable else { return nil }
        let numbers = query.includesSubentities ? entity.familyNumbers : [entity.number]
        if query.includesSubentities, entity.storedEntity.entity.superentity == nil { return nil }
        return "\(name: QuerySource.base).Z_ENT IN (\(integers: numbers))"
    }

    private func orders(_ query: FetchQuery, _ compiler: inout PredicateCompiler) throws -> [SQLStatement] {
        var orders: [SQLStatement] = []
        for descriptor in query.sortDescriptors { orders.append(try order(descriptor, query, &compiler)) }
        // Equal rows keep the order of their keys, whichever index the database takes.
        if !orders.isEmpty || query.isWindow, query.groupBy.isEmpty, !query.isDistinct,
            query.resultType != .dictionaryResultType || !orders.isEmpty
        {
            orders.append(QuerySource.key(of: QuerySource.base))
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
        let isText = operand.kind == .string || operand.kind == .undefined
        return try schema.dialect.checked(
            .order(operand.sql, isText ? textOrder : nil, isAscending: descriptor.ascending))
    }
}

extension FetchQuery {
    /// The part of the rows that is requested; nil for all.
    var window: (limit: Int64?, offset: Int64)? {
        isWindow ? (limit > 0 ? Int64(limit) : nil, Int64(offset)) : nil
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
        _ property: NSPropertyDescription, _ operand: QueryOperand, _ schema: SQLSchema,
        _ storedEntity: StoredEntity
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
        destination =
            operand.kind == .toOne
            ? operand.destination.flatMap { storedEntity.store?.storedEntity(of: $0) } : nil
    }

    /// The number of the entity of the object with a key; nil where there is only one.
    func entityNumber(of key: SQLStatement, _ schema: SQLSchema) -> SQLStatement? {
        guard let destination, schema.entity(destination).familyNumbers.count > 1 else { return nil }
        return "(SELECT Z_ENT FROM \(name: schema.entity(destination).table) WHERE Z_PK = \(key))"
    }

    /// The kind of a value that is a real number: computed integers that do not fit 64 bits are.
    package var kindOfReal: SlotKind { kind.isWholeNumber && !isDeclared ? .double : kind }
}
