import CocoaFoundation
import GRDB
import GRDBSQLite

/// The sum of whole numbers as a function of SQL, the same for the rows in any order: `f(value)`.
///
/// SQLite's own fails as soon as the sum of the first rows does not fit 64 bits; this one where the whole sum does not. It is
/// called for each of perhaps a million rows, so that its state is in SQLite's memory and nothing is allocated.
enum IntegerSum {
    /// All zero to begin with, as SQLite gives it.
    private struct State {
        /// The sum modulo 2^64.
        var low: Int64
        /// How often it went over the end of the range, or with a minus sign over its beginning.
        var wraps: Int64
        var count: Int64
        /// A retained `Reals`, once there was a real number.
        var reals: UnsafeMutableRawPointer?
    }

    /// The sum of real numbers: what was computed of whole ones and does not fit 64 bits is one.
    private final class Reals {
        var sum = ExactSum()
    }

    static func install(_ name: String, isZeroWithoutRows: Bool, on database: Database) {
        sqlite3_create_function_v2(
            database.sqliteConnection, name, 1, SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_DIRECTONLY,
            UnsafeMutableRawPointer(bitPattern: isZeroWithoutRows ? 1 : 0), nil,
            { context, _, values in
                guard let context, let state = IntegerSum.state(context, isNew: true) else { return }
                IntegerSum.add(values?[0], to: &state.pointee)
            },
            { context in
                guard let context else { return }
                IntegerSum.finish(context)
            }, nil)
    }

    private static func state(_ context: OpaquePointer, isNew: Bool) -> UnsafeMutablePointer<State>? {
        let size = isNew ? Int32(MemoryLayout<State>.size) : 0
        return sqlite3_aggregate_context(context, size)?.assumingMemoryBound(to: State.self)
    }

    private static func add(_ value: OpaquePointer?, to state: inout State) {
        switch sqlite3_value_numeric_type(value) {
        case SQLITE_INTEGER:
            let number = sqlite3_value_int64(value)
            let (sum, isOver) = state.low.addingReportingOverflow(number)
            state.low = sum
            if isOver { state.wraps += number < 0 ? -1 : 1 }
            state.count += 1
        case SQLITE_FLOAT:
            let reals = state.reals ?? Unmanaged.passRetained(Reals()).toOpaque()
            state.reals = reals
            Unmanaged<Reals>.fromOpaque(reals).takeUnretainedValue().sum.add(sqlite3_value_double(value))
        default: break
        }
    }

    private static func finish(_ context: OpaquePointer) {
        guard let state = state(context, isNew: false)?.pointee, state.count > 0 || state.reals != nil else {
            if sqlite3_user_data(context) != nil { sqlite3_result_int64(context, 0) }
            return
        }
        if let reals = state.reals {
            let reals = Unmanaged<Reals>.fromOpaque(reals).takeRetainedValue()
            reals.sum.add(Int128(state.low) + Int128(state.wraps) << 64, count: Int(state.count))
            sqlite3_result_double(context, reals.sum.double)
        } else if state.wraps == 0 {
            sqlite3_result_int64(context, state.low)
        } else {
            sqlite3_result_error(context, "integer overflow", -1)
        }
    }
}
