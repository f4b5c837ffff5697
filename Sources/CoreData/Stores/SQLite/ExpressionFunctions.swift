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
            .install(SQLiteFunctionNames.folded, on: database, isPure: true, isForQueries: true)
        SQLFunction(argumentCount: 1, data)
            .install(SQLiteFunctionNames.data, on: database, isPure: true, isForQueries: true)
        SQLFunction(argumentCount: -1, function)
            .install(SQLiteFunctionNames.function, on: database, isPure: true, isForQueries: true)
        SQLFunction(argumentCount: -1, function)
            .install(SQLiteFunctionNames.chance, on: database, isPure: false, isForQueries: true)
        DecimalAggregate.install(SQLiteFunctionNames.decimalSum, on: database) { sum, _ in sum }
        DecimalAggregate.install(SQLiteFunctionNames.decimalAverage, on: database) { sum, count in
            count == 0 ? nil : sum.map { $0 / Decimal(count) }
        }
    }

    /// A text without the differences that options ignore.
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
    private static func value(_ value: SQLValue, _ kind: SlotKind) -> Any? {
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
    fileprivate init(result: Any?) {
        guard let result, let kind = SlotKind(ofValue: result),
            let value = SQLValue(result, for: kind, of: nil)
        else {
            self = .null
            return
        }
        self = value
    }
}

/// A function over the decimal numbers of many rows.
private final class DecimalAggregate {
    private var sum: Decimal?
    private var count = 0

    private final class Definition {
        let result: (Decimal?, Int) -> Decimal?
        init(_ result: @escaping (Decimal?, Int) -> Decimal?) { self.result = result }
    }

    private func add(_ value: OpaquePointer?) {
        let number: Decimal?
        switch sqlite3_value_type(value) {
        case SQLITE_INTEGER: number = Decimal(sqlite3_value_int64(value))
        case SQLITE_FLOAT: number = StoredValue.decimal(of: sqlite3_value_double(value))
        default: number = nil
        }
        guard let number else { return }
        sum = (sum ?? 0) + number
        count += 1
    }

    static func install(
        _ name: String, on database: Database, _ result: @escaping (Decimal?, Int) -> Decimal?
    ) {
        let definition = Unmanaged.passRetained(Definition(result))
        sqlite3_create_function_v2(
            database.sqliteConnection, name, 1, SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_DIRECTONLY,
            definition.toOpaque(), nil,
            { context, _, values in
                guard let values, let state = DecimalAggregate.state(context) else { return }
                state.takeUnretainedValue().add(values[0])
            },
            { context in
                guard let context, let pointer = sqlite3_user_data(context) else { return }
                let definition = Unmanaged<Definition>.fromOpaque(pointer).takeUnretainedValue()
                let state = DecimalAggregate.end(context)
                let result = definition.result(state?.sum, state?.count ?? 0)
                switch result.map(DecimalColumn.stored) ?? .null {
                case .integer(let value): sqlite3_result_int64(context, value)
                case .double(let value): sqlite3_result_double(context, value)
                default: sqlite3_result_null(context)
                }
            },
            { pointer in if let pointer { Unmanaged<Definition>.fromOpaque(pointer).release() } })
    }

    /// What SQLite keeps for one group of rows: a pointer to an object.
    private static func state(_ context: OpaquePointer?) -> Unmanaged<DecimalAggregate>? {
        let size = Int32(MemoryLayout<UnsafeRawPointer?>.size)
        guard
            let place = sqlite3_aggregate_context(context, size)?
                .assumingMemoryBound(to: UnsafeRawPointer?.self)
        else { return nil }
        if let made = place.pointee { return Unmanaged.fromOpaque(made) }
        let state = Unmanaged.passRetained(DecimalAggregate())
        place.pointee = UnsafeRawPointer(state.toOpaque())
        return state
    }

    private static func end(_ context: OpaquePointer) -> DecimalAggregate? {
        guard
            let place = sqlite3_aggregate_context(context, 0)?
                .assumingMemoryBound(to: UnsafeRawPointer?.self), let made = place.pointee
        else { return nil }
        place.pointee = nil
        return Unmanaged<DecimalAggregate>.fromOpaque(made).takeRetainedValue()
    }
}
