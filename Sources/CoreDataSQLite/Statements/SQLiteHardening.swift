import CSQLiteHardening
import GRDB
import GRDBSQLite

/// Keeps a stranger's file from doing harm to programs that open it.
///
/// A database file brings statements of its own: triggers, generated columns, conditions of indexes. They run when
/// rows are written. On connections with these settings they reach nothing but the tables of the file and functions
/// that do no more than compute; damage in the file is noticed early.
enum SQLiteHardening {
    /// The most bytes of a value, a row or a statement: what SQLite takes unless it was built otherwise, and Apple's stores
    /// may have. External data are not values of the file.
    static let maximumLength: Int32 = 1_000_000_000

    /// Sets up a connection, before the file is looked at.
    ///
    /// - Parameter usesSpatialIndexes: whether triggers keep R-trees, as `hasSpatialIndexes` says. No other virtual
    ///   tables are there then.
    /// - Throws: an error of SQLite.
    static func install(on database: Database, usesSpatialIndexes: Bool = false) throws {
        let connection = database.sqliteConnection
        let code = csqlite_defend(connection, usesSpatialIndexes ? 1 : 0)
        guard code == SQLITE_OK else { throw DatabaseError(resultCode: ResultCode(rawValue: code)) }
        // Cells are checked when a page is read. A file in memory mapping that is cut off would end the process. A
        // trigger does not set itself off again.
        try database.execute(
            sql: "PRAGMA cell_size_check = ON; PRAGMA mmap_size = 0; PRAGMA recursive_triggers = OFF")
        sqlite3_limit(connection, SQLITE_LIMIT_TRIGGER_DEPTH, 64)
        sqlite3_limit(connection, SQLITE_LIMIT_LENGTH, maximumLength)
    }

    /// Whether a file has R-trees.
    static func hasSpatialIndexes(_ database: Database) throws -> Bool {
        try Bool.fetchOne(
            database,
            sql: """
                SELECT EXISTS (SELECT 1 FROM sqlite_master WHERE type = 'table' AND rootpage = 0
                AND sql LIKE '%USING RTREE%')
                """) ?? false
    }
}

/// Ends statements whose triggers do not end.
///
/// The work that a trigger of the format does for a row is at most in proportion to the size of the file. From a
/// statement's first trigger on, its steps are counted; with many more than the file has bytes, it is interrupted. So it
/// is when SQLite has taken much memory since: it keeps what triggers that set off triggers need until the first ends.
/// Used on the connection's queue only. The file's size is that when it was opened.
final class TriggerBudget: @unchecked Sendable {
    private static let stepsPerCall: Int32 = 100_000
    /// How many bytes more than at the first trigger all of SQLite may have taken.
    private static let maxMemory: Int64 = 512 << 20
    private let budget: Int64
    private var memoryAtStart: Int64 = 0
    /// Nil while the running statement has set off no trigger.
    private var rest: Int64?

    /// - Parameter byteCount: the size of the file.
    init(byteCount: Int64) { budget = 50_000_000 + min(byteCount, 1 << 50) * 50 }

    func install(on database: Database) {
        let connection = database.sqliteConnection
        let context = Unmanaged.passUnretained(self).toOpaque()
        // A function that is never called keeps the budget as long as the connection lasts.
        sqlite3_create_function_v2(
            connection, "OpenCoreDataTriggerBudget", 0, SQLITE_UTF8 | SQLITE_DIRECTONLY,
            Unmanaged.passRetained(self).toOpaque(), { context, _, _ in sqlite3_result_null(context) }, nil,
            nil,
            { pointer in if let pointer { Unmanaged<TriggerBudget>.fromOpaque(pointer).release() } })
        sqlite3_trace_v2(
            connection, UInt32(SQLITE_TRACE_STMT),
            { _, context, _, text in
                guard let context, let text = text?.assumingMemoryBound(to: CChar.self) else { return 0 }
                // SQLite reports the start of a trigger by a comment instead of the statement.
                let isTrigger = text[0] == 0x2D && text[1] == 0x2D
                Unmanaged<TriggerBudget>.fromOpaque(context).takeUnretainedValue().begin(isTrigger: isTrigger)
                return 0
            }, context)
        sqlite3_progress_handler(
            connection, Self.stepsPerCall,
            { context in
                guard let context else { return 0 }
                return Unmanaged<TriggerBudget>.fromOpaque(context).takeUnretainedValue().isExhausted ? 1 : 0
            }, context)
    }

    private func begin(isTrigger: Bool) {
        guard isTrigger else {
            rest = nil
            return
        }
        guard rest == nil else { return }
        rest = budget
        memoryAtStart = sqlite3_memory_used()
    }

    /// Takes the steps since the last call.
    private var isExhausted: Bool {
        guard let left = rest else { return false }
        rest = left - Int64(Self.stepsPerCall)
        return left < 0 || sqlite3_memory_used() - memoryAtStart > Self.maxMemory
    }
}
