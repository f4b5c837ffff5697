import CocoaFoundation
import Foundation
import ManagedObjectModel

/// The sum or the mean of decimal numbers, which SQL's own functions would add up as binary ones.
final class DecimalAccumulator: RowAccumulator {
    private let function: AggregateFunction
    private var sum: Decimal?
    private var count = 0

    init(_ function: AggregateFunction) { self.function = function }

    func add(_ row: SQLFunctionCall) {
        let number: Decimal?
        switch row.value(0) {
        case .integer(let value): number = Decimal(value)
        case .double(let value): number = StoredValue.decimal(of: value)
        default: number = nil
        }
        guard let number else { return }
        sum = (sum ?? 0) + number
        count += 1
    }

    func finish(_ call: SQLFunctionCall) {
        let result = function == .average ? sum.map { $0 / Decimal(count) } : sum
        call.set(result.map(DecimalColumn.stored) ?? .null)
    }
}

/// A function of `FunctionTable` that needs all numbers at once: `f(value, kind)`.
final class StatisticAccumulator: RowAccumulator {
    private let function: BuiltinFunction?
    private var values: [Any] = []

    init(_ name: String) { function = FunctionTable.function(named: name) }

    func add(_ row: SQLFunctionCall) {
        let kind = UInt8(exactly: row.integer(1)).flatMap(SlotKind.init(rawValue:)) ?? .undefined
        if let value = ExpressionFunctions.value(row.value(0), kind) { values.append(value) }
    }

    func finish(_ call: SQLFunctionCall) {
        do {
            call.set(SQLValue(result: try function?.resultInStore([values])))
        } catch {
            call.fail("\(error)")
        }
    }
}
