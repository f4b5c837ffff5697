import CoreDataSQL
import GRDBSQLite
import ManagedObjectModel
import ObjectGraph

/// Hands the values of packed rows to SQLite.
enum RowBinding {
    /// A column of a row, by its slot.
    struct Column {
        let rowSlot: Int
        let kind: SlotKind
    }

    /// Gives one value; returns SQLite's code. The row lives as long as SQLite uses the value: its bytes are not copied.
    @inline(__always)
    static func give(_ row: RowPointer, _ column: Column, to receiver: some ValueReceiver) -> Int32 {
        let slot = column.rowSlot
        guard !row.isNull(slot) else { return receiver.null() }
        switch column.kind {
        case .integer16, .integer32, .integer64, .boolean, .toOne: return receiver.integer(row.integer(slot))
        case .double, .float, .date: return receiver.double(row.double(slot))
        case .string, .uri:
            return row.withBytes(slot) { bytes in
                bytes.withMemoryRebound(to: CChar.self) {
                    // An empty string has no address, but is a string.
                    receiver.text($0.baseAddress ?? UnsafePointer(empty), $0.count, isKept: true)
                }
            }
        case .uuid, .binary, .transformable:
            return row.withBytes(slot) { $0.count == 0 ? receiver.emptyBlob() : receiver.blob($0) }
        case .decimal:
            switch DecimalColumn.stored(row.row.decimal(slot)) {
            case .integer(let value): return receiver.integer(value)
            case .double(let value): return receiver.double(value)
            case .text(let text): return receiver.text(text, text.utf8.count, isKept: false)
            default: return receiver.null()
            }
        case .composite, .undefined, .toMany, .fetched: return receiver.null()
        }
    }

    private nonisolated(unsafe) static let empty: UnsafeMutablePointer<CChar> = {
        let pointer = UnsafeMutablePointer<CChar>.allocate(capacity: 1)
        pointer.pointee = 0
        return pointer
    }()
}

/// What takes a value: a parameter of a statement, or the result of a column of a virtual table. Returns SQLite's codes.
protocol ValueReceiver {
    func null() -> Int32
    func integer(_ value: Int64) -> Int32
    func double(_ value: Double) -> Int32
    /// - Parameter isKept: whether the bytes stay as long as the value is used; SQLite copies others.
    func text(_ bytes: UnsafePointer<CChar>, _ count: Int, isKept: Bool) -> Int32
    /// Bytes that stay as long as the value is used.
    func blob(_ bytes: UnsafeRawBufferPointer) -> Int32
    func emptyBlob() -> Int32
}

/// What SQLite does with bytes that it is given: nothing, or a copy.
private let inPlace: sqlite3_destructor_type? = nil
private var copied: sqlite3_destructor_type { unsafeBitCast(-1, to: sqlite3_destructor_type.self) }

/// A parameter of a statement.
struct ParameterReceiver: ValueReceiver {
    let statement: OpaquePointer
    let index: Int32

    func null() -> Int32 { sqlite3_bind_null(statement, index) }
    func integer(_ value: Int64) -> Int32 { sqlite3_bind_int64(statement, index, value) }
    func double(_ value: Double) -> Int32 { sqlite3_bind_double(statement, index, value) }

    func text(_ bytes: UnsafePointer<CChar>, _ count: Int, isKept: Bool) -> Int32 {
        sqlite3_bind_text64(
            statement, index, bytes, UInt64(count), isKept ? inPlace : copied, UInt8(SQLITE_UTF8))
    }

    func blob(_ bytes: UnsafeRawBufferPointer) -> Int32 {
        sqlite3_bind_blob64(statement, index, bytes.baseAddress, UInt64(bytes.count), inPlace)
    }

    func emptyBlob() -> Int32 { sqlite3_bind_zeroblob(statement, index, 0) }
}

/// The result of a column. A value that is too large ends the statement with an error.
struct ResultReceiver: ValueReceiver {
    let context: OpaquePointer

    func null() -> Int32 {
        sqlite3_result_null(context)
        return SQLITE_OK
    }

    func integer(_ value: Int64) -> Int32 {
        sqlite3_result_int64(context, value)
        return SQLITE_OK
    }

    func double(_ value: Double) -> Int32 {
        sqlite3_result_double(context, value)
        return SQLITE_OK
    }

    func text(_ bytes: UnsafePointer<CChar>, _ count: Int, isKept: Bool) -> Int32 {
        sqlite3_result_text64(context, bytes, UInt64(count), isKept ? inPlace : copied, UInt8(SQLITE_UTF8))
        return SQLITE_OK
    }

    func blob(_ bytes: UnsafeRawBufferPointer) -> Int32 {
        sqlite3_result_blob64(context, bytes.baseAddress, UInt64(bytes.count), inPlace)
        return SQLITE_OK
    }

    func emptyBlob() -> Int32 {
        sqlite3_result_zeroblob(context, 0)
        return SQLITE_OK
    }
}
