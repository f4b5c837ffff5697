import CocoaFoundation
import Foundation
import ManagedObjectModel
import ObjectGraph
import Synchronization

/// The statement of all queries that differ in the constants of their conditions alone, such as look-ups of objects by an attribute: it
/// is written once, and then its constants are bound.
struct SelectTemplate: Sendable {
    let text: String
    /// What the constants are compared with, in their order.
    let operands: [Operand]

    struct Operand: @unchecked Sendable {
        let operand: QueryOperand
        init(_ operand: QueryOperand) { self.operand = operand }
    }

    /// What is the same in all queries with one statement.
    struct Shape: Hashable {
        enum Result: Hashable {
            case rows, keys, count
            /// Rows with some of their properties.
            case partialRows(PropertySet)
            /// The same with their keys alone.
            case snapshotRows(PropertySet)
        }

        /// A piece of a condition.
        enum Piece: Hashable {
            /// A compound of so many parts, which follow.
            case compound(NSCompoundPredicate.LogicalType, Int)
            /// A comparison of a property with a constant that is there.
            case comparison(key: String, NSComparisonPredicate.Operator)
        }

        struct Order: Hashable {
            let key: String
            let isAscending: Bool
            let order: StringOrder
        }

        let result: Result
        let entity: Int32
        let includesSubentities: Bool
        let isWindow: Bool
        fileprivate(set) var pieces: [Piece] = []
        fileprivate(set) var orders: [Order] = []
    }

    /// A comparison with a constant.
    struct Comparison {
        let relation: PredicateCompiler.Relation
        let key: String
        let value: Any
    }

    /// The statement of a query that has the template's shape; nil for one that has another shape.
    ///
    /// As the shape of the query and `statement(_:_:_:)`, but nothing is made besides the arguments.
    ///
    /// - Throws: 134060 for a constant that the property cannot be compared with.
    func statement(
        of query: FetchQuery, _ result: Shape.Result, ifOf shape: Shape, _ compiler: PredicateCompiler
    ) throws -> RenderedSQL? {
        guard shape.result == result, shape.entity == query.storedEntity.entityNumber,
            shape.includesSubentities == query.includesSubentities, shape.isWindow == query.isWindow,
            Self.hasShape(query), let predicate = query.predicate, shape.orders.isEmpty,
            result == .count || query.sortDescriptors.isEmpty
        else { return nil }
        var arguments: [SQLValue] = []
        arguments.reserveCapacity(operands.count + 2)
        var index = 0
        guard try add(predicate, shape, compiler, &index, &arguments), index == shape.pieces.count else {
            return nil
        }
        return RenderedSQL(text, window(query, compiler, arguments))
    }

    /// Adds the constants of a predicate that has the pieces of a shape from an index on; false if it has others.
    private func add(
        _ predicate: NSPredicate, _ shape: Shape, _ compiler: PredicateCompiler, _ index: inout Int,
        _ arguments: inout [SQLValue]
    ) throws -> Bool {
        guard index < shape.pieces.count else { return false }
        let piece = shape.pieces[index]
        index += 1
        switch (predicate.shape, piece) {
        case (.compound(let type, let parts), .compound(let wanted, let count)):
            guard type == wanted, parts.count == count else { return false }
            for part in parts {
                guard try add(part, shape, compiler, &index, &arguments) else { return false }
            }
            return true
        case (.comparison(let comparison), .comparison(let wanted, let type)):
            guard arguments.count < operands.count,
                let (relation, key, constant) = Self.parts(of: comparison), relation.type == type,
                key == wanted, let value = try compiler.constant(constant, comparison)?.value
            else { return false }
            let operand = operands[arguments.count].operand
            arguments.append(try compiler.argument(value, operand, relation))
            return true
        default: return false
        }
    }

    /// Whether there may be a template for a query.
    private static func hasShape(_ query: FetchQuery) -> Bool {
        query.references == nil && query.groupBy.isEmpty && query.having == nil && !query.isDistinct
            && query.resultType != .dictionaryResultType
    }

    /// What a comparison of a property of the object with a constant consists of; nil for any other.
    private static func parts(
        of comparison: NSComparisonPredicate
    ) -> (relation: PredicateCompiler.Relation, key: String, constant: NSExpression)? {
        let relation = PredicateCompiler.Relation(comparison)
        guard comparison.comparisonPredicateModifier == .direct, relation.options.rawValue == 0 else {
            return nil
        }
        switch relation.type {
        case .lessThan, .lessThanOrEqualTo, .greaterThan, .greaterThanOrEqualTo, .equalTo, .notEqualTo: break
        default: return nil
        }
        let constant = comparison.rightExpression
        guard case .keyPath(let start, let key) = comparison.leftExpression.kind,
            case .evaluatedObject = start.kind, case .constant = constant.kind
        else { return nil }
        return (relation, key, constant)
    }

    /// The arguments with those of the requested part of the rows.
    private func window(
        _ query: FetchQuery, _ compiler: PredicateCompiler, _ arguments: [SQLValue]
    ) -> [SQLValue] {
        guard let window = query.window else { return arguments }
        return arguments + compiler.dialect.arguments(ofWindow: window.limit, window.offset)
    }

    /// The shape of a query, and its comparisons; nil for a query whose statement depends on more.
    static func shape(
        of query: FetchQuery, _ result: Shape.Result, _ compiler: PredicateCompiler
    ) throws -> (Shape, [Comparison])? {
        guard hasShape(query), let predicate = query.predicate else { return nil }
        var shape = Shape(
            result: result, entity: query.storedEntity.entityNumber,
            includesSubentities: query.includesSubentities,
            isWindow: query.isWindow)
        if result != .count, !query.sortDescriptors.isEmpty {
            // A key may be the name of an expression.
            guard !query.properties.contains(where: { $0 is NSExpressionDescription }) else { return nil }
            for descriptor in query.sortDescriptors {
                guard let key = descriptor.key, let order = descriptor.stringOrder else { return nil }
                shape.orders.append(.init(key: key, isAscending: descriptor.ascending, order: order))
            }
        }
        var comparisons: [Comparison] = []
        guard try add(predicate, compiler, &shape.pieces, &comparisons) else { return nil }
        return (shape, comparisons)
    }

    /// More pieces make a shape that hardly comes again.
    private static let maxPieces = 16

    private static func add(
        _ predicate: NSPredicate, _ compiler: PredicateCompiler, _ pieces: inout [Shape.Piece],
        _ comparisons: inout [Comparison]
    ) throws -> Bool {
        guard pieces.count < maxPieces else { return false }
        switch predicate.shape {
        case .compound(let type, let parts):
            pieces.append(.compound(type, parts.count))
            return try parts.allSatisfy { try add($0, compiler, &pieces, &comparisons) }
        case .comparison(let comparison):
            guard let (relation, key, constant) = parts(of: comparison),
                let value = try compiler.constant(constant, comparison)?.value
            else { return false }
            pieces.append(.comparison(key: key, relation.type))
            comparisons.append(Comparison(relation: relation, key: key, value: value))
            return true
        case .value, .opaque: return false
        }
    }

    /// The template of a statement that was written for a query; nil when the statement has more in it than the comparisons.
    init?(
        _ statement: RenderedSQL, _ comparisons: [Comparison], _ query: FetchQuery,
        _ compiler: PredicateCompiler
    ) throws {
        var operands: [Operand] = []
        for comparison in comparisons {
            guard case .value(let operand) = try compiler.find(comparison.key, from: compiler.root),
                !operand.isEntity, !operand.hasArguments
            else { return nil }
            operands.append(Operand(operand))
        }
        text = statement.text
        self.operands = operands
        guard try self.statement(comparisons, query, compiler) == statement else { return nil }
    }

    /// The statement with the constants of a query of the template's shape.
    ///
    /// - Throws: 134060 for a constant that the property cannot be compared with.
    func statement(
        _ comparisons: [Comparison], _ query: FetchQuery, _ compiler: PredicateCompiler
    ) throws -> RenderedSQL {
        var arguments: [SQLValue] = []
        arguments.reserveCapacity(comparisons.count + 2)
        for (comparison, part) in zip(comparisons, operands) {
            arguments.append(try compiler.argument(comparison.value, part.operand, comparison.relation))
        }
        return RenderedSQL(text, window(query, compiler, arguments))
    }
}

/// The templates of a schema.
final class SelectTemplates: Sendable {
    enum Known: Sendable {
        case template(SelectTemplate)
        /// The statement has more in it than its comparisons, and is written each time.
        case noTemplate
    }

    /// How many are kept. Predicates made by users are without number.
    private static let limit = 200

    private struct State {
        var templates: [SelectTemplate.Shape: Known] = [:]
        var last: Last?
    }

    /// A template and its shape, behind one reference.
    final class Last: @unchecked Sendable {
        let shape: SelectTemplate.Shape
        let template: SelectTemplate

        init(_ shape: SelectTemplate.Shape, _ template: SelectTemplate) {
            self.shape = shape
            self.template = template
        }
    }

    private let state = Mutex(State())

    /// A compiler that makes values of constants alone, which changes nothing of it.
    final class ConstantCompiler: @unchecked Sendable {
        let compiler: PredicateCompiler

        init(_ compiler: PredicateCompiler) { self.compiler = compiler }
    }

    private let constantCompilers = Mutex<[Int32: ConstantCompiler]>([:])

    /// A compiler for the constants of conditions on an entity, which is made once: making one costs as much as a search by an index.
    func constants(of entity: SQLEntity, make: () -> PredicateCompiler) -> ConstantCompiler {
        if let known = constantCompilers.withLock({ $0[entity.number] }) { return known }
        let made = ConstantCompiler(make())
        constantCompilers.withLock { $0[entity.number] = made }
        return made
    }

    subscript(shape: SelectTemplate.Shape) -> Known? {
        state.withLock { state in
            guard let known = state.templates[shape] else { return nil }
            if case .template(let template) = known { state.last = Last(shape, template) }
            return known
        }
    }

    /// The template that was used last: the next query often has the same shape, which is compared in less time than it is hashed.
    var last: Last? { state.withLock { $0.last } }

    func add(_ template: SelectTemplate?, _ shape: SelectTemplate.Shape) {
        state.withLock { state in
            if state.templates.count >= Self.limit { state = State() }
            state.templates[shape] = template.map(Known.template) ?? .noTemplate
        }
    }
}
