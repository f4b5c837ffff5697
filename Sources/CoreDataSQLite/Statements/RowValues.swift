import GRDBSQLite
import Synchronization

/// The values of a row, by their positions, in SQLite's own memory.
protocol ColumnValues {
    /// A value; it can be used until the statement steps.
    func value(_ index: Int32) -> OpaquePointer?
    /// Calls `body` with a function that finds the value of a column.
    func withValues(_ body: ((Int32) -> OpaquePointer?) -> Void)
}

extension ColumnValues {
    @inline(__always)
    func withValues(_ body: ((Int32) -> OpaquePointer?) -> Void) { body(value) }

    @inline(__always)
    func integer(_ index: Int32) -> Int64 { sqlite3_value_int64(value(index)) }

    @inline(__always)
    func double(_ index: Int32) -> Double { sqlite3_value_double(value(index)) }

    /// SQLite's number of the value's type.
    @inline(__always)
    func type(_ index: Int32) -> Int32 { sqlite3_value_type(value(index)) }

    /// The bytes of a text; they can be used until the statement steps.
    func text(_ index: Int32) -> UnsafeRawBufferPointer {
        let value = value(index)
        return Self.buffer(sqlite3_value_text(value), sqlite3_value_bytes(value))
    }

    /// The bytes of a value; they can be used until the statement steps.
    func bytes(_ index: Int32) -> UnsafeRawBufferPointer {
        let value = value(index)
        return Self.buffer(sqlite3_value_blob(value), sqlite3_value_bytes(value))
    }

    private static func buffer(_ start: UnsafeRawPointer?, _ count: Int32) -> UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(start: start, count: start == nil ? 0 : Int(count))
    }
}

/// The values of a statement's present row, found without a call for each column.
///
/// A statement has the values of a row one after the other, in all versions of SQLite; that is not documented, so it is checked for
/// all columns of the first row of the process and for the last column of each statement's first row. Where it is not so, each value is
/// asked for. The values may be used by the one thread
/// that uses the connection, as all of a statement's.
struct RowValues: ColumnValues {
    private var statement: OpaquePointer?
    private var first = UnsafeRawPointer(bitPattern: 1)
    /// The distance between two values; 0 where they are not one after the other.
    private var stride = 0
    private var isChecked = false

    /// Takes the row that a statement has stepped to.
    @inline(__always)
    mutating func read(_ statement: OpaquePointer) {
        self.statement = statement
        first = sqlite3_column_value(statement, 0).map(UnsafeRawPointer.init)
        if !isChecked { check() }
    }

    private mutating func check() {
        isChecked = true
        let count = sqlite3_data_count(statement)
        guard count > 1, let first else { return }
        if Self.distance.load(ordering: .relaxed) == 0 {
            Self.distance.store(Self.distance(statement, count), ordering: .relaxed)
        }
        let distance = Self.distance.load(ordering: .relaxed)
        let last = sqlite3_column_value(statement, count - 1).map(UnsafeRawPointer.init)
        if distance > 0, last == first + Int(count - 1) * distance { stride = distance }
    }

    /// That of the library; 0 before a row was read, and -1 if values are not one after the other.
    private static let distance = Atomic<Int>(0)

    private static func distance(_ statement: OpaquePointer?, _ count: Int32) -> Int {
        let places = (0..<count).compactMap { sqlite3_column_value(statement, $0).map(UnsafeRawPointer.init) }
        guard places.count == Int(count) else { return -1 }
        let distance = places[1] - places[0]
        let isInOrder = places.indices.allSatisfy { places[$0] == places[0] + $0 * distance }
        return distance > 0 && isInOrder ? distance : -1
    }

    /// The value of a column.
    @inline(__always)
    func value(_ index: Int32) -> OpaquePointer? {
        guard stride != 0, let first else { return sqlite3_column_value(statement, index) }
        return OpaquePointer(first + Int(index) * stride)
    }

    @inline(__always)
    func withValues(_ body: ((Int32) -> OpaquePointer?) -> Void) {
        if stride != 0, let first {
            let stride = stride
            body { OpaquePointer(first + Int($0) &* stride) }
        } else {
            body(value)
        }
    }
}
