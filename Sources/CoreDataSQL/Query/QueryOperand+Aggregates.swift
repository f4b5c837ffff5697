import ObjectGraph
import CocoaFoundation
import Foundation

extension QueryOperand {
    /// What a function computes from the values of many rows.
    ///
    /// - Parameters:
    ///   - isZeroWithoutRows: whether a sum or a mean of no values is 0.
    ///   - refusal: makes an error of the reason why there is no such value.
    func aggregate(
        _ function: AggregateFunction, _ dialect: any SQLDialect, isZeroWithoutRows: Bool = false,
        refusal: (String) -> NSError
    ) throws -> QueryOperand {
        if let obstacle, function != .count { throw refusal(obstacle) }
        let result: SlotKind
        switch function {
        case .count: result = .integer64
        case .minimum, .maximum:
            guard [.number, .text, .uuid, .data, .nothing].contains(family) else {
                throw refusal("the values have no order")
            }
            result = kind
        case .standardDeviation:
            guard family == .number || family == .nothing else { throw refusal("the values are not numbers") }
            result = .double
        case .sum, .average, .median:
            guard family == .number || family == .nothing else { throw refusal("the values are not numbers") }
            result =
                kind == .decimal ? .decimal : function == .sum && kind.isWholeNumber ? .integer64 : .double
        }
        let piece = SQLPiece.aggregate(
            function, SQLTypedValue(sql, kind), isZeroWithoutRows: isZeroWithoutRows)
        return QueryOperand(try dialect.checked(piece), kind: result)
    }
}

extension AggregateFunction {
    /// The function of an operator of key paths; nil for one that makes a collection.
    init?(_ operation: CollectionOperator) {
        switch operation {
        case .count: self = .count
        case .minimum: self = .minimum
        case .maximum: self = .maximum
        case .sum: self = .sum
        case .average: self = .average
        default: return nil
        }
    }

    /// The function of expressions, such as `sum:`; nil for one of another name.
    init?(functionName: String) {
        switch functionName {
        case "count:": self = .count
        case "min:": self = .minimum
        case "max:": self = .maximum
        case "sum:": self = .sum
        case "average:": self = .average
        case "median:": self = .median
        case "stddev:": self = .standardDeviation
        default: return nil
        }
    }
}
