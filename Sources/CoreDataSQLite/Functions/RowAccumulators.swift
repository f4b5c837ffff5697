import ObjectGraph
import CocoaFoundation
import Foundation
import ManagedObjectModel

/// The sum or the mean of numbers, the same for the rows in any order: `f(value, kind)`.
final class SumAccumulator: RowAccumulator {
    private let isMean: Bool
    /// The result for no values.
    private let valueWithoutRows: SQLValue
    private var sum = ExactSum()
    /// Decimal numbers, which SQL's own functions would add up as binary ones.
    private var decimals = DecimalSum()

    init(isMean: Bool, valueWithoutRows: SQLValue) {
        self.isMean = isMean
        self.valueWithoutRows = valueWithoutRows
    }

    func add(_ row: SQLFunctionCall) {
        let kind = UInt8(exactly: row.integer(1)).flatMap(SlotKind.init(rawValue:)) ?? .undefined
        let value = row.value(0)
        switch (value, kind) {
        case (_, .decimal):
            if let decimal = ExpressionFunctions.value(value, kind) { decimals.add(decimal) }
        // A whole number of seconds is kept as an integer.
        case (.integer(let seconds), .date): sum.add(Double(seconds))
        case (.integer(let integer), _): sum.add(integer)
        case (.double(let real), _): sum.add(real)
        default: break
        }
    }

    func finish(_ call: SQLFunctionCall) {
        if decimals.count > 0 {
            call.set(SQLValue(result: isMean ? decimals.meanValue : decimals.value))
        } else if sum.count == 0 {
            call.set(valueWithoutRows)
        } else if isMean || !sum.isWhole {
            call.set((isMean ? sum.mean : sum.double).map(SQLValue.double) ?? .null)
        } else if let integer = sum.integer {
            call.set(.integer(integer))
        } else {
            // As SQLite's own sum.
            call.fail("integer overflow")
        }
    }
}

/// A function of `FunctionTable` that needs all numbers at once: `f(value, kind)`.
final class StatisticAccumulator: RowAccumulator {
    private let name: String
    private var values: [Any] = []

    init(_ name: String) { self.name = name }

    func add(_ row: SQLFunctionCall) {
        let kind = UInt8(exactly: row.integer(1)).flatMap(SlotKind.init(rawValue:)) ?? .undefined
        if let value = ExpressionFunctions.value(row.value(0), kind) { values.append(value) }
    }

    func finish(_ call: SQLFunctionCall) {
        do {
            let function = FunctionTable.function(named: name)
            call.set(SQLValue(result: try function?.resultInStore([values])))
        } catch {
            call.fail("\(error)")
        }
    }
}
