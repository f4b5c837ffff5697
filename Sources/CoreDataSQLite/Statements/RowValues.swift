import GRDBSQLite

/// The values of a row, by their positions, in SQLite's own memory.
protocol ColumnValues {
    func integer(_ index: Int32) -> Int64
    func double(_ index: Int32) -> Double
    /// SQLite's number of the value's type.
    func type(_ index: Int32) -> Int32
    /// The bytes of a text; they can be used until the statement steps.
    func text(_ index: Int32) -> UnsafeRawBufferPointer
    /// The bytes of a value; they can be used until the statement steps.
    func bytes(_ index: Int32) -> UnsafeRawBufferPointer
}

/// The values of a statement's present row, found without a call for each column.
///
/// A statement has the values of a row one after the other, in all versions of SQLite; that is not documented, so it is checked for
/// the columns of each statement's first row. Where it is not so, each value is asked for. The values may be used by the one thread
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
        guard count > 1, let first, let second = sqlite3_column_value(statement, 1) else { return }
        let distance = UnsafeRawPointer(second) - first
        let isInOrder = (0..<count).allSatisfy { index in
            sqlite3_column_value(statement, index).map(UnsafeRawPointer.init) == first + Int(index) * distance
        }
        if isInOrder { stride = distance }
    }

    /// The value of a column.
    @inline(__always)
    private func value(_ index: Int32) -> OpaquePointer? {
        guard stride != 0, let first else { return sqlite3_column_value(statement, index) }
        return OpaquePointer(first + Int(index) * stride)
    }

    @inline(__always)
    func integer(_ index: Int32) -> Int64 { sqlite3_value_int64(value(index)) }

    @inline(__always)
    func double(_ index: Int32) -> Double { sqlite3_value_double(value(index)) }

    @inline(__always)
    func type(_ index: Int32) -> Int32 { sqlite3_value_type(value(index)) }

    @inline(__always)
    func text(_ index: Int32) -> UnsafeRawBufferPointer {
        let value = value(index)
        guard let text = sqlite3_value_text(value) else {
            return UnsafeRawBufferPointer(start: nil, count: 0)
        }
        return UnsafeRawBufferPointer(start: text, count: Int(sqlite3_value_bytes(value)))
    }

    @inline(__always)
    func bytes(_ index: Int32) -> UnsafeRawBufferPointer {
        let value = value(index)
        guard let start = sqlite3_value_blob(value) else {
            return UnsafeRawBufferPointer(start: nil, count: 0)
        }
        return UnsafeRawBufferPointer(start: start, count: Int(sqlite3_value_bytes(value)))
    }
}
