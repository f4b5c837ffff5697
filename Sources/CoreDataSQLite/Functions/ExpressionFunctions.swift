import CoreDataSQL
import ObjectGraph
import CocoaFoundation
import Foundation
import GRDB
import GRDBSQLite
import ManagedObjectModel

/// The SQL functions behind functions of expressions that SQL has none for: they call the same Swift code as an
/// evaluation in memory.
enum ExpressionFunctions {
    static func install(on database: Database) {
        SQLFunction(argumentCount: 2, folded)
            .install(SQLFunctionNames.folded, on: database, isPure: true, isForQueries: true)
        SQLFunction(argumentCount: 1, data)
            .install(SQLFunctionNames.data, on: database, isPure: true, isForQueries: true)
        SQLFunction(argumentCount: -1, function)
            .install(SQLFunctionNames.function, on: database, isPure: true, isForQueries: true)
        SQLFunction(argumentCount: -1, function)
            .install(SQLFunctionNames.chance, on: database, isPure: false, isForQueries: true)
        for (name, isMean, valueWithoutRows) in [
            (SQLFunctionNames.sum, false, SQLValue.null), (SQLFunctionNames.total, false, .integer(0)),
            (SQLFunctionNames.average, true, .null),
            (SQLFunctionNames.averageOrZero, true, .integer(0)),
        ] {
            SQLAggregate(argumentCount: 2) {
                SumAccumulator(isMean: isMean, valueWithoutRows: valueWithoutRows)
            }
            .install(name, on: database)
        }
        IntegerSum.install(SQLFunctionNames.wholeSum, isZeroWithoutRows: false, on: database)
        IntegerSum.install(SQLFunctionNames.wholeTotal, isZeroWithoutRows: true, on: database)
        for (name, function) in [
            (SQLFunctionNames.median, "median:"), (SQLFunctionNames.standardDeviation, "stddev:"),
        ] {
            SQLAggregate(argumentCount: 2) { StatisticAccumulator(function) }.install(name, on: database)
        }
    }

    /// A string without the differences that options ignore.
    private static func folded(_ call: SQLFunctionCall) {
        guard let text = call.text(0) else { return }
        let options = UInt(truncatingIfNeeded: call.integer(1))
        call.set(TextComparison(options: .init(rawValue: options)).folding.folded(text))
    }

    /// The data that hexadecimal digits spell.
    private static func data(_ call: SQLFunctionCall) {
        guard let text = call.text(0) else { return }
        var data = Data(capacity: text.utf8.count / 2)
        var high: UInt8?
        for byte in text.utf8 {
            guard let digit = Character(Unicode.Scalar(byte)).hexDigitValue.map(UInt8.init) else { return }
            if let first = high {
                data.append(first << 4 | digit)
                high = nil
            } else {
                high = digit
            }
        }
        call.set(.blob(data))
    }

    /// `f(name, kind, value, …)`
    private static func function(_ call: SQLFunctionCall) {
        guard let name = call.text(0), let function = FunctionTable.function(named: name) else { return }
        var arguments: [Any?] = []
        for index in stride(from: 1, to: call.count - 1, by: 2) {
            let kind = UInt8(exactly: call.integer(index)).flatMap(SlotKind.init(rawValue:))
            arguments.append(value(call.value(index + 1), kind ?? .undefined))
        }
        do {
            call.set(SQLValue(result: try function.resultInStore(arguments)))
        } catch {
            call.fail("\(error)")
        }
    }

    /// A value of a column as it is read.
    static func value(_ value: SQLValue, _ kind: SlotKind) -> Any? {
        switch (value, kind) {
        case (.null, _): nil
        case (.integer(let value), .decimal): Decimal(value)
        case (.integer(let value), .date): Date(timeIntervalSinceReferenceDate: Double(value))
        case (.integer(let value), .boolean): value != 0
        case (.integer(let value), _): Int(value)
        // What no decimal number can be, is computed as a real one.
        case (.double(let value), .decimal): StoredValue.decimal(of: value) ?? value
        case (.double(let value), .date): Date(timeIntervalSinceReferenceDate: value)
        case (.double(let value), _): value
        case (.text(StoredValue.notANumber), .decimal): Decimal.nan
        case (.text(let value), .uri): URL(string: value)
        case (.text(let value), _): value
        case (.blob(let value), .uuid) where value.count == 16:
            value.withUnsafeBytes { UUID(uuid: $0.loadUnaligned(as: uuid_t.self)) }
        case (.blob(let value), _): value
        }
    }
}

extension SQLValue {
    /// A result of a function as a column stores it.
    init(result: Any?) {
        guard let result, let kind = SlotKind(ofValue: result),
            let value = SQLValue(result, for: kind, of: nil),
            // What computing makes of numbers is a number, or nothing.
            kind != .decimal || value != .text(StoredValue.notANumber)
        else {
            self = .null
            return
        }
        self = value
    }
}
