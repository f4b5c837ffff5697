import CSQLiteHardening
import Foundation
import GRDB

/// A connection that reads a database and changes not a byte of it, nor of the files beside it.
///
/// SQLite's own connections for reading make files for the write-ahead log and leave them. Here:
/// - while a log and its index (`-shm`) are there, as they are when others have the file open, the index is used as
///   it is: what others write is seen, and they are not disturbed;
/// - with a log and no index, or with a log in which nothing can be, the index is made in memory;
/// - with neither, there is nothing to read but the file;
/// - a database without a write-ahead log is read under SQLite's locks.
///
/// The connections of a process share the index of a log: while one that may not write has it, none can write. So in
/// the first case there is a connection as long as something is read, and no longer; see `SharedIndex`.
///
/// In the second and third case no process had the file open, so no lock keeps others from opening it later. Therefore
/// the files are looked at before and after each use, and what was read meanwhile is read again.
///
/// Closing any of these connections drops no lock that another connection of this process has on the file: all of them
/// close it through SQLite's ordinary layer of files, see `csqlite_reading_vfs`.
final class SQLiteReadOnlyFile: @unchecked Sendable {
    private let path: String
    private let makeConfiguration: (@escaping Setup) -> Configuration
    /// Recursive: what reads may ask for something else of the same file.
    private let lock = NSRecursiveLock()
    /// What the thread that has the lock reads with.
    private var running: Database?
    /// Whether the present code runs inside of a read of some file.
    @TaskLocal private static var isInside = false
    private var connection: DatabaseQueue?
    private var isLocked = true
    /// Whether the connection keeps others of this process from writing.
    private var sharesIndex = false
    private var state = State()
    private var isClosed = false

    /// What is done first with a connection.
    typealias Setup = @Sendable (Database) throws -> Void

    /// - Parameter configuration: makes that of the connections, with a step before all others.
    init(path: String, configuration: @escaping (@escaping Setup) -> Configuration) {
        // Log and index are beside the file itself, not beside a link to it.
        self.path = StoreFileReader.databasePath(path)
        makeConfiguration = configuration
    }

    /// Reads; `body` may be called more than once.
    ///
    /// - Throws: an error of SQLite; `SQLITE_NOTADB` when the file does not begin as a database.
    func read<Value>(_ body: (Database) throws -> Value) throws -> Value {
        // Threads that read two files inside of each other, in any order, do not wait for each other.
        if Self.isInside, !lock.try() {
            let other = SQLiteReadOnlyFile(path: path, configuration: makeConfiguration)
            defer { other.close() }
            return try other.read(body)
        }
        if !Self.isInside { lock.lock() }
        defer { lock.unlock() }
        guard !isClosed else {
            throw DatabaseError(resultCode: .SQLITE_MISUSE, message: "The file is closed.")
        }
        // Inside of a read of the same thread: of the same moment.
        if let running { return try body(running) }
        return try readAgain(body)
    }

    /// What is another one after others have changed the database. It may also be another one when they have only opened or closed it,
    /// as a process does that moves the log into the file.
    ///
    /// SQLite's own `PRAGMA data_version` is that of one connection, and here there is a new one for most reads.
    ///
    /// - Throws: as `read(_:)`.
    func version() throws -> Data {
        try read { database in
            // Begins to read: from now on nothing is written to a file without a log.
            _ = try DataVersion.read(database)
            let index = sharesIndex ? LogIndexHeader(database) : nil
            if let index, !index.isOfEmptyLog { return Data(index.bytes) }
            let present = State(path)
            var bytes = Data(SQLiteHeader(database).changeCounter)
            bytes.append(present.file?.bytes ?? Data())
            // A log without anything in it changes nothing.
            if index == nil, let log = present.log, log.size > 0 { bytes.append(log.bytes) }
            return bytes
        }
    }

    private func read<Value>(
        with connection: DatabaseQueue, _ body: (Database) throws -> Value
    ) throws -> Value {
        try connection.read { database in
            running = database
            defer { running = nil }
            return try Self.$isInside.withValue(true) { try body(database) }
        }
    }

    private func readAgain<Value>(_ body: (Database) throws -> Value) throws -> Value {
        var failure: any Error = DatabaseError(
            resultCode: .SQLITE_BUSY, message: "Other processes keep changing the file.")
        for attempt in 0..<100 {
            // A log that others made means that there is an index to be used.
            let found = State(path)
            if state != found, !isLocked || found.log != nil { disconnect() }
            do {
                let value = try readOnce(body)
                if isLocked || state == State(path) { return value }
            } catch {
                guard Self.isPassing(error) || state != State(path) else { throw error }
                failure = error
            }
            // Others have opened the file, or closed it, so it is to be read in another way.
            disconnect()
            if attempt > 2 { usleep(2000) }
        }
        throw failure
    }

    private func readOnce<Value>(_ body: (Database) throws -> Value) throws -> Value {
        if let connection { return try read(with: connection, body) }
        state = State(path)
        sharesIndex = state.log != nil && state.hasIndex && !hasLogWithoutFrames
        guard sharesIndex else { return try read(with: connected(), body) }
        return try SharedIndex.reading(path) {
            defer { disconnect() }
            return try read(with: connected(), body)
        }
    }

    /// Whether there is a log in which nothing can be: as a process leaves that dies while it begins one. Where no process has the
    /// index, a connection that shares it takes such a log for one that others change all the time.
    private var hasLogWithoutFrames: Bool {
        guard let size = state.log?.size, size > 0 else { return false }
        guard size > 32 else { return true }
        // 0x377f0682 or 0x377f0683: https://www.sqlite.org/fileformat2.html#the_write_ahead_log
        guard let start = StoreFileReader.start(of: path + "-wal", count: 4), start.count == 4 else {
            return false
        }
        return !start.starts(with: [0x37, 0x7F, 0x06]) || start[3] & 0xFE != 0x82
    }

    /// Whether an error comes from an index that others are making, which a connection for reading cannot.
    private static func isPassing(_ error: any Error) -> Bool {
        guard let error = error as? DatabaseError, error.resultCode == .SQLITE_READONLY else { return false }
        return error.extendedResultCode != .SQLITE_READONLY_ROLLBACK
    }

    /// Copies the database, with what is in its log, into another one.
    func backup(to other: DatabaseQueue) throws {
        try other.writeWithoutTransaction { destination in
            try read { try $0.backup(to: destination) }
        }
    }

    func close() {
        lock.lock()
        defer { lock.unlock() }
        disconnect()
        isClosed = true
    }

    private func disconnect() {
        try? connection?.close()
        connection = nil
    }

    private func connected() throws -> DatabaseQueue {
        let made = try connect(state)
        connection = made
        return made
    }

    private func connect(_ state: State) throws -> DatabaseQueue {
        if sharesIndex {
            isLocked = true
            return try connect("readonly_shm=1") { try Self.check($0) }
        }
        if (state.log?.size ?? 0) > 0 {
            isLocked = false
            guard let layer = csqlite_reading_vfs() else { throw DatabaseError(resultCode: .SQLITE_NOMEM) }
            return try connect("vfs=\(String(cString: layer))") { database in
                try Self.check(database)
                // Such a connection makes the index of the log in its own memory.
                try database.execute(sql: "PRAGMA locking_mode = EXCLUSIVE")
            }
        }
        do {
            isLocked = true
            return try connect("") { database in
                try Self.check(database)
                if SQLiteHeader(database).usesLog { throw NoLog() }
            }
        } catch is NoLog {
            isLocked = false
            return try connect("immutable=1") { try Self.check($0) }
        }
    }

    /// The database has a write-ahead log, and at the moment none of its files.
    private struct NoLog: Error {}

    private static func check(_ database: Database) throws {
        guard SQLiteHeader(database).isDatabase else {
            throw DatabaseError(resultCode: .SQLITE_NOTADB, message: "it has no SQLite header")
        }
    }

    private func connect(_ parameters: String, _ prepare: @escaping Setup) throws -> DatabaseQueue {
        var own = makeConfiguration(prepare)
        own.readonly = true
        let allowed = CharacterSet.urlPathAllowed.subtracting(CharacterSet(charactersIn: "?#;"))
        let name = path.addingPercentEncoding(withAllowedCharacters: allowed) ?? path
        return try DatabaseQueue(path: "file://\(name)?mode=ro&\(parameters)", configuration: own)
    }

    /// What shows that a file was changed.
    private struct State: Equatable {
        struct File: Equatable {
            let number: UInt64
            let size: Int64
            let seconds: Int
            let nanoseconds: Int

            var bytes: Data {
                [number, UInt64(bitPattern: size), UInt64(bitPattern: Int64(seconds)), UInt64(nanoseconds)]
                    .withUnsafeBytes { Data($0) }
            }

            init?(_ path: String) {
                var status = stat()
                guard stat(path, &status) == 0 else { return nil }
                number = UInt64(status.st_ino)
                size = Int64(status.st_size)
                #if canImport(Darwin)
                let time = status.st_mtimespec
                #else
                let time = status.st_mtim
                #endif
                seconds = Int(time.tv_sec)
                nanoseconds = Int(time.tv_nsec)
            }
        }

        var file: File?
        var log: File?
        var hasIndex = false

        init() {}

        init(_ path: String) {
            file = File(path)
            log = File(path + "-wal")
            hasIndex = File(path + "-shm") != nil
        }
    }
}
