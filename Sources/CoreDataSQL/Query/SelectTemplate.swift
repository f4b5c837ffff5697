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

    /// The shape of a query, and its comparisons; nil for a query whose statement depends on more.
    static func shape(
        of query: FetchQuery, _ result: Shape.Result, _ compiler: PredicateCompiler
    ) throws -> (Shape, [Comparison])? {
        guard query.references == nil, query.groupBy.isEmpty, query.having == nil, !query.isDistinct,
            query.resultType != .dictionaryResultType, let predicate = query.predicate
        else { return nil }
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
            let relation = PredicateCompiler.Relation(comparison)
            guard comparison.comparisonPredicateModifier == .direct, relation.options.rawValue == 0,
                [.lessThan, .lessThanOrEqualTo, .greaterThan, .greaterThanOrEqualTo, .equalTo, .notEqualTo]
                    .contains(relation.type),
                case .keyPath(let start, let key) = comparison.leftExpression.kind,
                case .evaluatedObject = start.kind,
                case .constant = comparison.rightExpression.kind,
                let value = try compiler.constant(comparison.rightExpression, comparison)?.value
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
        if let window = query.window {
            arguments += compiler.dialect.arguments(ofWindow: window.limit, window.offset)
        }
        return RenderedSQL(text, arguments)
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

    private let templates = Mutex<[SelectTemplate.Shape: Known]>([:])

    /// A compiler that makes values of constants alone, which changes nothing of it.
    private struct ConstantCompiler: @unchecked Sendable {
        let compiler: PredicateCompiler
    }

    private let constantCompilers = Mutex<[Int32: ConstantCompiler]>([:])

    /// A compiler for the constants of conditions on an entity, which is made once: making one costs as much as a search by an index.
    func constants(of entity: SQLEntity, make: () -> PredicateCompiler) -> PredicateCompiler {
        if let known = constantCompilers.withLock({ $0[entity.number] }) { return known.compiler }
        let made = ConstantCompiler(compiler: make())
        constantCompilers.withLock { $0[entity.number] = made }
        return made.compiler
    }

    subscript(shape: SelectTemplate.Shape) -> Known? { templates.withLock { $0[shape] } }

    func add(_ template: SelectTemplate?, _ shape: SelectTemplate.Shape) {
        templates.withLock { templates in
            if templates.count >= Self.limit { templates = [:] }
            templates[shape] = template.map(Known.template) ?? .noTemplate
        }
    }
}
