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

    /// - Throws: 134010 when the file is no store, 134080 when it cannot be opened, 134090 when it stays locked, 134100
    ///   when its model is another one, 134020 when its tables are not the model's.
    func connect() throws -> any DatabaseWriter {
        guard let url = store.url, url.isFileURL else {
            throw NSError.coreData(
                .persistentStoreOpen,
                "A SQLite store needs a file URL, not \(store.url?.absoluteString ?? "none").")
        }
        do {
            if url.isNullDevice { return try makeInMemory() }
            if try exists(url) {
                try check(url)
                return try openExisting(url)
            }
            return try make(url)
        } catch let error as DatabaseError {
            throw NSError.sqlite(error, during: "open the store", store: url)
        }
    }

    // MARK: Checking a file

    private func exists(_ url: URL) throws -> Bool {
        var isFolder: ObjCBool = false
        guard FileManager.default.fileExists(atPath: url.path, isDirectory: &isFolder) else {
            let folder = url.deletingLastPathComponent()
            guard FileManager.default.fileExists(atPath: folder.path, isDirectory: &isFolder),
                isFolder.boolValue
            else { throw unopenable("the folder \(folder.path) does not exist") }
            guard !options.isReadOnly else { throw unopenable("the file does not exist") }
            return false
        }
        guard !isFolder.boolValue else { throw unopenable("it is a folder") }
        guard FileManager.default.isReadableFile(atPath: url.path) else {
            throw unopenable("the file cannot be read")
        }
        guard options.isReadOnly || FileManager.default.isWritableFile(atPath: url.path) else {
            throw unopenable("the file is read-only; open it with \(NSReadOnlyPersistentStoreOption)")
        }
        let size = (try? FileManager.default.attributesOfItem(atPath: url.path)[.size] as? NSNumber)?.intValue
        // An empty file is a store that was never written.
        return size != 0
    }

    private func unopenable(_ reason: String) -> NSError {
        .coreData(
            .persistentStoreOpen, "The store at \(store.url?.path ?? "") cannot be opened: \(reason).",
            [NSFilePathErrorKey: store.url?.path ?? ""])
    }

    private func check(_ url: URL) throws {
        guard let handle = FileHandle(forReadingAtPath: url.path) else {
            throw unopenable("the file cannot be read")
        }
        let header = try? handle.read(upToCount: 16)
        try? handle.close()
        guard header == Data("SQLite format 3\0".utf8) else {
            throw NSError.coreData(
                .persistentStoreTypeMismatch, "The file at \(url.path) is not a SQLite database.",
                [NSFilePathErrorKey: url.path])
        }
        var configuration = configuration()
        configuration.readonly = true
        let connection = try DatabaseQueue(path: url.path, configuration: configuration)
        defer { try? connection.close() }
        try connection.read { database in
            let metadata = try SQLiteMetadata.read(database, url)
            try checkVersion(metadata)
            try checkTables(database)
            store.take(metadata: metadata)
        }
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
        let wanted =
            store.schema.tables.map { ($0.name, $0.columns.map(\.name)) }
            + store.schema.joinTables.map { ($0.name, [$0.first, $0.second] + $0.orders) }
        for (table, columns) in wanted {
            let names = Set(
                try Row_.fetchAll(
                    database, sql: "SELECT name FROM pragma_table_info(?)", arguments: [table]
                ).compactMap { $0[0] as String? })
            guard !names.isEmpty else {
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

    // MARK: Connecting

    private func configuration() -> Configuration {
        var configuration = Configuration()
        configuration.label = "CoreData"
        configuration.busyMode = .timeout(options.timeout)
        configuration.readonly = options.isReadOnly
        configuration.maximumReaderCount = 8
        let reports = store.reports
        let pragmas = options.pragmas
        configuration.prepareDatabase { database in
            for pragma in pragmas { try database.execute(sql: "PRAGMA \(pragma.name) = \(pragma.value)") }
            SQLiteFunctions.install(on: database, reports: reports)
        }
        return configuration
    }

    private func openExisting(_ url: URL) throws -> any DatabaseWriter {
        if options.isReadOnly { return try DatabaseQueue(path: url.path, configuration: configuration()) }
        let pool = try DatabasePool(path: url.path, configuration: configuration())
        if options.vacuums { try pool.vacuum() }
        if options.analyses { try pool.write { try $0.execute(sql: "ANALYZE") } }
        return pool
    }

    /// Makes the store beside its place and moves it there when it is complete.
    private func make(_ url: URL) throws -> any DatabaseWriter {
        let draft = url.deletingLastPathComponent().appendingPathComponent(
            ".\(url.lastPathComponent).\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: draft) }
        var configuration = configuration()
        configuration.readonly = false
        do {
            let connection = try DatabaseQueue(path: draft.path, configuration: configuration)
            try connection.writeWithoutTransaction(fill)
            try connection.close()
        } catch let error as DatabaseError where error.resultCode == .SQLITE_CANTOPEN {
            throw unopenable("its folder cannot be written to")
        }
        if FileManager.default.fileExists(atPath: url.path) {
            // An empty file takes the store's contents.
            try FileManager.default.removeItem(at: url)
        }
        do {
            try FileManager.default.moveItem(at: draft, to: url)
        } catch CocoaError.fileWriteFileExists {
            // Somebody else made the store meanwhile.
            try check(url)
        }
        return try openExisting(url)
    }

    private func makeInMemory() throws -> any DatabaseWriter {
        let connection = try DatabaseQueue(configuration: configuration())
        try connection.writeWithoutTransaction(fill)
        return connection
    }

    private func fill(_ database: Database) throws {
        try database.execute(sql: "PRAGMA auto_vacuum = 2")
        try database.inTransaction {
            for statement in try store.schema.creationStatements() {
                try database.execute(
                    sql: statement.text, arguments: StatementArguments(statement.databaseValues))
            }
            let metadata = SQLiteMetadata.new(model, configuration: store.configurationName)
            try SQLiteMetadata.write(metadata, database)
            store.take(metadata: metadata)
            return .commit
        }
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
