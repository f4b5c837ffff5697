import Foundation
import GRDB
import GRDBSQLite

/// What a function over many rows keeps of those that it has seen.
protocol RowAccumulator: AnyObject {
    /// Takes the arguments for one row.
    func add(_ row: SQLFunctionCall)

    /// Gives the function its result, or an error.
    func finish(_ call: SQLFunctionCall)
}

/// A function of SQL over many rows that runs Swift code.
final class SQLAggregate {
    private let argumentCount: Int32
    private let makeAccumulator: () -> any RowAccumulator

    init(argumentCount: Int32, _ makeAccumulator: @escaping () -> any RowAccumulator) {
        self.argumentCount = argumentCount
        self.makeAccumulator = makeAccumulator
    }

    func install(_ name: String, on database: Database) {
        sqlite3_create_function_v2(
            database.sqliteConnection, name, argumentCount,
            SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_DIRECTONLY,
            Unmanaged.passRetained(self).toOpaque(), nil,
            { context, count, values in
                guard let context, let state = SQLAggregate.state(context) else { return }
                let row = SQLFunctionCall(context: context, count: Int(count), values: values)
                state.takeUnretainedValue().accumulator.add(row)
            },
            { context in
                guard let context, let function = SQLAggregate.function(context) else { return }
                let accumulator = SQLAggregate.end(context)?.accumulator ?? function.makeAccumulator()
                accumulator.finish(SQLFunctionCall(context: context, count: 0, values: nil))
            },
            { pointer in if let pointer { Unmanaged<SQLAggregate>.fromOpaque(pointer).release() } })
    }

    private static func function(_ context: OpaquePointer) -> SQLAggregate? {
        sqlite3_user_data(context).map { Unmanaged<SQLAggregate>.fromOpaque($0).takeUnretainedValue() }
    }

    /// What SQLite keeps a pointer to, for one group of rows.
    private final class State {
        let accumulator: any RowAccumulator
        init(_ accumulator: any RowAccumulator) { self.accumulator = accumulator }
    }

    private static func state(_ context: OpaquePointer) -> Unmanaged<State>? {
        let size = Int32(MemoryLayout<UnsafeRawPointer?>.size)
        guard let function = function(context),
            let memory = sqlite3_aggregate_context(context, size)?
                .assumingMemoryBound(to: UnsafeRawPointer?.self)
        else { return nil }
        if let made = memory.pointee { return Unmanaged.fromOpaque(made) }
        let state = Unmanaged.passRetained(State(function.makeAccumulator()))
        memory.pointee = UnsafeRawPointer(state.toOpaque())
        return state
    }

    private static func end(_ context: OpaquePointer) -> State? {
        guard
            let memory = sqlite3_aggregate_context(context, 0)?
                .assumingMemoryBound(to: UnsafeRawPointer?.self), let made = memory.pointee
        else { return nil }
        memory.pointee = nil
        return Unmanaged<State>.fromOpaque(made).takeRetainedValue()
    }
}
