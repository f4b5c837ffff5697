import Foundation
import GRDB
import GRDBSQLite

/// Keeps the write-ahead log of a store from growing without bound.
///
/// SQLite goes on at the beginning of the log when all of it is in the database and no connection reads it. Connections that
/// read one after the other without a pause keep it from that, as does one that reads for long; and what the log has grown to
/// stays. So a log that is begun anew is cut to a size, and when it has passed one, the connection that writes waits a
/// moment for readers and empties the log.
///
/// SQLite moves the log during the commit that makes it long, and that commit then waits twice for the disk. Here a thread does
/// it afterwards, on the same connection. A save moves the log itself only if it comes before the thread, or if readers kept the
/// last attempt from moving all of it. The thread is not one of Dispatch's, which may all be waiting for the connection.
///
/// Variables are used only on the queue of the connection that writes.
final class LogLimit: @unchecked Sendable {
    /// What is left of a log when it is begun anew: twice what SQLite lets gather before it moves it to the database.
    static let keptByteCount = 8 << 20
    /// From here on, and with each further step, the log is emptied.
    private static let byteCountOfStep = 32 << 20
    /// How long the one that writes waits for readers, in seconds.
    private static let timeLimit = 0.1
    /// As SQLite has it.
    private static let framesToMove: Int32 = 1000

    private let framesOfStep: Int32
    /// What the user has set in place of the connection's own waiting.
    private let busyTimeout: Int32?
    private weak var pool: DatabasePool?
    private var nextFrames: Int32
    private var hasThread = false
    /// Whether a part of the log could not be moved. Then each commit tries again, as in SQLite.
    private var isHeldUp = false

    private init(_ pool: DatabasePool, pageSize: Int, busyTimeout: Int32?) {
        self.pool = pool
        framesOfStep = Int32(clamping: Self.byteCountOfStep / max(pageSize, 512))
        nextFrames = framesOfStep
        self.busyTimeout = busyTimeout
    }

    /// Limits what is left of a log; pragmas of the user come later.
    static func setSize(on database: Database) throws {
        try database.execute(sql: "PRAGMA journal_size_limit = \(keptByteCount)")
    }

    /// Sets up the writing connection of a pool, after the pragmas of the user: their setting of when the log is moved has
    /// priority.
    ///
    /// - Throws: an error of SQLite.
    static func install(on database: Database, of pool: DatabasePool, _ options: SQLiteStoreOptions) throws {
        guard !options.pragmas.contains(where: { $0.name == "wal_autocheckpoint" }) else { return }
        let timeout = options.pragmas.first { $0.name == "busy_timeout" }.map { Int32($0.value) ?? 0 }
        let pageSize = try Int.fetchOne(database, sql: "PRAGMA page_size") ?? 4096
        let limit = LogLimit(pool, pageSize: pageSize, busyTimeout: timeout)
        let connection = database.sqliteConnection
        // A function that is never called keeps the limit as long as the connection lasts.
        let code = sqlite3_create_function_v2(
            connection, "OpenCoreDataLogLimit", 0, SQLITE_UTF8 | SQLITE_DIRECTONLY,
            Unmanaged.passRetained(limit).toOpaque(), { context, _, _ in sqlite3_result_null(context) }, nil,
            nil,
            { pointer in if let pointer { Unmanaged<LogLimit>.fromOpaque(pointer).release() } })
        guard code == SQLITE_OK else { throw DatabaseError(resultCode: ResultCode(rawValue: code)) }
        sqlite3_wal_hook(
            connection,
            { context, connection, _, frames in
                guard let context else { return SQLITE_OK }
                Unmanaged<LogLimit>.fromOpaque(context).takeUnretainedValue().committed(connection, frames)
                // The transaction is committed, whatever becomes of the log.
                return SQLITE_OK
            }, Unmanaged.passUnretained(limit).toOpaque())
    }

    private func committed(_ connection: OpaquePointer?, _ frames: Int32) {
        guard frames >= Self.framesToMove else {
            nextFrames = framesOfStep
            isHeldUp = false
            return
        }
        if let pool, !hasThread, !isHeldUp {
            startThread(pool)
        } else {
            moveLog(connection)
        }
    }

    private func startThread(_ pool: DatabasePool) {
        hasThread = true
        Thread.detachNewThread { [weak pool] in
            pool?.writeWithoutTransaction { database in
                self.hasThread = false
                self.moveLog(database.sqliteConnection)
            }
        }
    }

    /// Moves the log to the database, and empties it if it is too long.
    ///
    /// - Parameter connection: nil when it was closed, which has moved the log.
    private func moveLog(_ connection: OpaquePointer?) {
        guard let connection else { return }
        var (frames, moved): (Int32, Int32) = (0, 0)
        let code = sqlite3_wal_checkpoint_v2(connection, nil, SQLITE_CHECKPOINT_PASSIVE, &frames, &moved)
        isHeldUp = code != SQLITE_OK || moved < frames
        // After an error there is no length.
        guard code == SQLITE_OK else { return }
        if frames < nextFrames - framesOfStep { nextFrames = framesOfStep }
        guard frames >= nextFrames else { return }
        nextFrames = frames > Int32.max - framesOfStep ? Int32.max : frames + framesOfStep
        if emptyLog(connection) == SQLITE_OK { isHeldUp = false }
    }

    private func emptyLog(_ connection: OpaquePointer) -> Int32 {
        guard let busyTimeout else {
            return LockWait.$limit.withValue(Self.timeLimit) {
                sqlite3_wal_checkpoint_v2(connection, nil, SQLITE_CHECKPOINT_TRUNCATE, nil, nil)
            }
        }
        sqlite3_busy_timeout(connection, Int32(Self.timeLimit * 1000))
        defer { sqlite3_busy_timeout(connection, busyTimeout) }
        return sqlite3_wal_checkpoint_v2(connection, nil, SQLITE_CHECKPOINT_TRUNCATE, nil, nil)
    }
}
