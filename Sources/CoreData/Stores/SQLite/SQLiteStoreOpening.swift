import Foundation
import GRDB
import ManagedObjectModel

/// Opens the file of a store, or makes it.
///
/// Whatever is wrong with a file is found by a connection that only reads; the file is written to when nothing is.
struct SQLiteStoreOpening {
    let store: SQLiteStore
    let model: NSManagedObjectModel
    let options: SQLiteStoreOptions

    /// - Throws: 259 when the file is no SQLite database, 134010 when it is one and no store, 134080 when it cannot be
    ///   opened, 134090 when it stays locked, 134100 when its model is another one, 134020 when its tables are not the
    ///   model's.
    func connect() throws -> any DatabaseWriter {
        guard let url = store.url, url.isFileURL else {
            throw NSError.coreData(
                .persistentStoreOpen,
                "A SQLite store needs a file URL, not \(store.url?.absoluteString ?? "none").")
        }
        let file = SQLiteStoreFile(url: url, options: options)
        do {
            if url.isNullDevice { return try makeInMemory(file) }
            if try file.exists(), try check(file) { return try openExisting(file) }
            return try make(file)
        } catch let error as DatabaseError {
            throw file.openingError(error)
        }
    }

    // MARK: Checking a file

    /// False when nothing was ever stored in the database, so that the store is still to be made.
    private func check(_ file: SQLiteStoreFile) throws -> Bool {
        try file.read { database in
            guard try hasTables(database) else {
                guard !options.isReadOnly else { throw file.unopenable("the database is empty") }
                return false
            }
            let metadata = try SQLiteMetadata.read(database, file.url)
            try checkVersion(metadata)
            try checkTables(database)
            try checkHistory(database)
            store.take(metadata: metadata)
            return true
        }
    }

    private func hasTables(_ database: Database) throws -> Bool {
        try Int.fetchOne(database, sql: "SELECT COUNT(*) FROM sqlite_master") != 0
    }

    private func checkVersion(_ metadata: [String: Any]) throws {
        guard !options.ignoresVersion else { return }
        let configuration =
            store.configurationName == defaultConfigurationName ? nil : store.configurationName
        if model.isConfiguration(withName: configuration, compatibleWithStoreMetadata: metadata) { return }
        let stored = metadata[NSStoreModelVersionHashesKey] as? [String: Data] ?? [:]
        let own = model.entityVersionHashesByName
        var differences: [String] = []
        for name in Set(stored.keys).union(own.keys).sorted() where stored[name] != own[name] {
            if stored[name] == nil {
                differences.append("\(name) (new in the model)")
            } else if own[name] == nil {
                differences.append("\(name) (not in the model)")
            } else {
                differences.append("\(name) (changed)")
            }
        }
        throw NSError.coreData(
            .persistentStoreIncompatibleVersionHash,
            """
            The model used to open the store is incompatible with the one used to create the store. Entities that \
            differ: \(differences.joined(separator: ", ")). Migration is not supported yet.
            """,
            [
                "metadata": metadata,
                "reason":
                    "The model used to open the store is incompatible with the one used to create the store",
                NSFilePathErrorKey: store.url?.path ?? "",
            ])
    }

    private func checkTables(_ database: Database) throws {
        let existing = try tables(database)
        store.design(existing: existing)
        let wanted =
            store.schema.tables.map { ($0.name, $0.columns.map(\.name)) }
            + store.schema.joinTables.map { ($0.name, [$0.first, $0.second] + $0.orders) }
        for (table, columns) in wanted {
            guard let names = existing.columns(of: table) else {
                throw NSError.coreData(
                    .persistentStoreIncompatibleSchema,
                    "The store has no table \(table), which the model needs.")
            }
            for column in columns where !names.contains(column) {
                throw NSError.coreData(
                    .persistentStoreIncompatibleSchema,
                    "Table \(table) of the store has no column \(column), which the model needs.")
            }
        }
    }

    func tables(_ database: Database) throws -> ExistingTables {
        let rows = try Row_.fetchAll(
            database,
            sql: """
                SELECT t.name, c.name FROM sqlite_master t JOIN pragma_table_info(t.name) c WHERE t.type = 'table'
                """)
        var tables: [String: [String]] = [:]
        for row in rows { tables[row[0], default: []].append(row[1]) }
        return ExistingTables(tables)
    }

    // MARK: Connecting

    private func configuration(_ file: SQLiteStoreFile) -> Configuration {
        var configuration = file.configuration
        let reports = store.reports
        configuration.prepareDatabase { SQLiteFunctions.install(on: $0, reports: reports) }
        return configuration
    }

    private func openExisting(_ file: SQLiteStoreFile) throws -> any DatabaseWriter {
        let configuration = configuration(file)
        if options.isReadOnly || store.isReadOnly { return try file.readOnlyConnection(configuration) }
        let connection: any DatabaseWriter
        if let mode = options.journalMode, mode != "wal" {
            // Without a write-ahead log, readers and the writer would wait for each other anyway.
            let queue = try DatabaseQueue(path: file.url.path, configuration: configuration)
            try queue.writeWithoutTransaction { try $0.execute(sql: "PRAGMA journal_mode = \(mode)") }
            connection = queue
        } else {
            connection = try DatabasePool(path: file.url.path, configuration: configuration)
        }
        if options.vacuums { try connection.vacuum() }
        try prepareHistory(connection)
        if options.analyses { try connection.write { try $0.execute(sql: "ANALYZE") } }
        return connection
    }

    // MARK: Making

    /// Makes the store, or opens the one that somebody else has made meanwhile.
    private func make(_ file: SQLiteStoreFile) throws -> any DatabaseWriter {
        let isMade =
            FileManager.default.fileExists(atPath: file.url.path)
            ? try fillEmptyFile(file) : try placeNewFile(file)
        guard try isMade || check(file) else { throw file.unopenable("others make it and take it away") }
        return try openExisting(file)
    }

    /// Makes the store beside its place and puts it there when it is complete; false when something is there.
    private func placeNewFile(_ file: SQLiteStoreFile) throws -> Bool {
        let url = file.url
        let draft = url.deletingLastPathComponent().appendingPathComponent(
            ".\(url.lastPathComponent).\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: draft) }
        do {
            let connection = try DatabaseQueue(path: draft.path, configuration: configuration(file))
            _ = try connection.writeWithoutTransaction(fill)
            try connection.close()
        } catch let error as DatabaseError where error.resultCode == .SQLITE_CANTOPEN {
            throw file.unopenable("its folder cannot be written to")
        }
        do {
            // A link, other than a move, does not take the place of what another process has just put there.
            try FileManager.default.linkItem(at: draft, to: url)
        } catch {
            guard !FileManager.default.fileExists(atPath: url.path) else { return false }
            // A file system without links.
            try FileManager.default.moveItem(at: draft, to: url)
        }
        return true
    }

    /// Makes the store in an empty file; false when it is not empty any more.
    private func fillEmptyFile(_ file: SQLiteStoreFile) throws -> Bool {
        let connection = try DatabaseQueue(path: file.url.path, configuration: configuration(file))
        defer { try? connection.close() }
        return try connection.writeWithoutTransaction(fill)
    }

    private func makeInMemory(_ file: SQLiteStoreFile) throws -> any DatabaseWriter {
        let connection = try DatabaseQueue(configuration: configuration(file))
        _ = try connection.writeWithoutTransaction(fill)
        return connection
    }

    /// Makes tables and metadata, all or nothing; false when the database has tables.
    private func fill(_ database: Database) throws -> Bool {
        try database.execute(sql: "PRAGMA auto_vacuum = 2")
        var isFilled = false
        try database.inTransaction(.exclusive) {
            guard try !hasTables(database) else { return .rollback }
            for statement in try store.schema.creationStatements() + ModelCache.creationStatements(model) {
                try database.execute(
                    sql: statement.text, arguments: StatementArguments(statement.databaseValues))
            }
            if options.tracksHistory { try makeHistory(database) }
            let metadata = SQLiteMetadata.new(model, configuration: store.configurationName)
            try SQLiteMetadata.write(metadata, database)
            store.take(metadata: metadata)
            isFilled = true
            return .commit
        }
        return isFilled
    }
}

extension SQLStatement {
    fileprivate var databaseValues: [DatabaseValue] {
        arguments.map { argument in
            switch argument {
            case .null: .null
            case .integer(let value): value.databaseValue
            case .double(let value): value.databaseValue
            case .text(let value): value.databaseValue
            case .blob(let value): value.databaseValue
            }
        }
    }
}

/// GRDB's row; `Row` is ours.
private typealias Row_ = GRDB.Row
