import CoreDataSQL
import ObjectGraph
import Foundation
import GRDB
import ManagedObjectModel

/// How an open store reaches its file.
enum SQLiteAccess {
    /// One connection that writes, and those that read beside it, if the journal mode allows that.
    case writing(any DatabaseWriter, readers: ReadingConnections?)
    case reading(SQLiteReadOnlyFile)

    /// Whether all that read and write share one connection.
    var hasOneConnection: Bool {
        if case .writing(_, .some) = self { false } else { true }
    }

    func read<Value>(_ body: (Database) throws -> Value) throws -> Value {
        switch self {
        case .writing(_, let readers?): try readers.withConnection { try $0.read(body) }
        case .writing(let connection, nil): try connection.read(body)
        case .reading(let file): try file.read(body)
        }
    }

    /// Reads by one statement, which sees one moment of the file without a transaction around it.
    func readOnce<Value>(_ body: (any PreparingConnection) throws -> Value) throws -> Value {
        switch self {
        case .writing(_, let readers?): try readers.withConnection(body)
        case .writing(let connection, nil): try connection.unsafeRead(body)
        case .reading(let file): try file.read(body)
        }
    }

    func close() throws {
        switch self {
        case .writing(let connections, let readers):
            // The last connection to go must be the one that writes: it moves the log into the file.
            let closing = Result { try readers?.close() }
            (connections as? DatabasePool)?.invalidateReadOnlyConnections()
            try connections.close()
            try closing.get()
        case .reading(let file): file.close()
        }
    }
}

/// Opens the file of a store, or makes it.
///
/// Whatever is wrong with a file is found by a connection that only reads; the file is written to when nothing is.
final class SQLiteStoreOpening {
    let url: URL?
    let storedEntities: [StoredEntity]
    private let configurationName: String
    private let model: NSManagedObjectModel
    let options: SQLiteStoreOptions
    private let reports: DerivedReports
    /// Whether a file that is not there is made.
    private let makesFile: Bool
    /// Whether the store's copy of its model cannot be read.
    private var hasDamagedModel = false

    /// The tables, with the names that they have in the file. Those of a file that exists are found there; only others are
    /// designed from the entities alone.
    private(set) lazy var schema =
        otherEntities == nil
        ? newSchema : SQLSchema.design(storedEntities: storedEntities, dialect: SQLiteDialect())
    /// The tables of a new file: those of all entities of the model, as Apple's stores with a configuration have them.
    private lazy var newSchema = SQLSchema.design(
        storedEntities: otherEntities ?? storedEntities, dialect: SQLiteDialect())
    /// All entities of the model, where the store has a configuration; nil where it holds all.
    private let otherEntities: [StoredEntity]?
    /// What the file says of itself.
    private(set) var metadata: [String: Any] = [:]
    /// The persistent history; nil when the file has none.
    var history: StoreHistory?
    /// What keeps the file from being written to.
    private(set) var unsupportedFeatures: [String] = []
    /// Whether triggers keep R-trees.
    private var usesSpatialIndexes = false
    /// What the file was when it was checked.
    private var checked: StoreIdentity?
    /// The size of a file that has triggers.
    private var byteCountWithTriggers: Int64?

    init(
        _ store: SQLiteStore, at url: URL?, model: NSManagedObjectModel, options: SQLiteStoreOptions,
        makesFile: Bool = true
    ) {
        self.url = url
        self.model = model
        self.options = options
        self.makesFile = makesFile
        storedEntities = store.storedEntities
        configurationName = store.configurationName
        reports = store.reports
        otherEntities =
            store.configurationName == defaultConfigurationName ? nil : Self.allStoredEntities(model, store)
    }

    /// Places of all entities of the model, also of those that the store does not hold.
    private static func allStoredEntities(_ model: NSManagedObjectModel, _ store: SQLiteStore)
        -> [StoredEntity]
    {
        var tables: [ObjectIdentifier: UInt32] = [:]
        return model.entitiesInPreorder().enumerated().map { index, entity in
            let number = Int32(index + 1)
            if let storedEntity = store.storedEntity(of: entity), storedEntity.entityNumber == number {
                return storedEntity
            }
            let root = ObjectIdentifier(entity.rootEntity)
            let table = tables[root] ?? StoredEntity.newTable()
            tables[root] = table
            return StoredEntity(
                layout: EntityLayout.layout(of: entity), store: store, entityNumber: number, table: table)
        }
    }

    /// - Throws: 259 when the file is not an SQLite database, 134010 when it is one but not a store, 134080 when it cannot be
    ///   opened, 134090 when it stays locked, 134100 when its model is another one, 134020 when its tables are not the
    ///   model's.
    func connect() throws -> SQLiteAccess {
        guard let url, url.isFileURL else {
            throw NSError.coreData(
                .persistentStoreOpen, "A SQLite store needs a file URL, not \(url?.absoluteString ?? "none")."
            )
        }
        try options.checkPragmas()
        let file = SQLiteStoreFile(url: url, options: options)
        do {
            if url.isNullDevice { return try makeInMemory(file) }
            if try file.exists() {
                if !options.isReadOnly { try file.playBack() }
                if let access = try openChecked(file) { return access }
            }
            guard makesFile else { throw file.unopenable("there is no store") }
            return try make(file)
        } catch let error as DatabaseError {
            throw file.openingError(error)
        }
    }

    // MARK: Checking a file

    /// Opens the file if nothing is wrong with it.
    ///
    /// Another process may replace the store that was checked, or migrate it, before the
    /// connection that writes is made. That connection compares, and what it finds is then checked from the beginning.
    ///
    /// - Returns: nil when nothing was ever stored in the database, so that the store is still to be made.
    private func openChecked(_ file: SQLiteStoreFile) throws -> SQLiteAccess? {
        for _ in 0..<20 {
            guard try check(file) else { return nil }
            Self.afterCheck?()
            do {
                return try openExisting(file)
            } catch is StoreIdentity.Change {
                continue
            }
        }
        throw file.unopenable("other processes keep changing it")
    }

    /// What a test does between the check of a file and its opening.
    @TaskLocal package static var afterCheck: (@Sendable () -> Void)?

    /// False when nothing was ever stored in the database, so that the store is still to be made.
    private func check(_ file: SQLiteStoreFile) throws -> Bool {
        let reports = reports
        return try file.read({ SQLiteFunctions.install(on: $0, reports: reports) }) { database in
            guard try hasTables(database) else {
                guard !options.isReadOnly else { throw file.unopenable("the database is empty") }
                return false
            }
            try checkCollations(database)
            metadata = try SQLiteMetadata.read(database, file.url)
            checked = try StoreIdentity(database)
            try checkVersion(file, database)
            let existing = try SQLiteTables(database)
            try checkTables(existing.tables)
            let historyFeatures = try checkHistory(database, existing.tables)
            guard !options.isReadOnly else { return true }
            if model.isReconstructed {
                unsupportedFeatures = ["no model: the one it is opened with was made from its tables"]
                return true
            }
            hasDamagedModel = try !options.ignoresVersion && ModelCache.isDamaged(database)
            usesSpatialIndexes = try SQLiteHardening.hasSpatialIndexes(database)
            if usesSpatialIndexes { try SQLiteHardening.install(on: database, usesSpatialIndexes: true) }
            unsupportedFeatures =
                try historyFeatures + SQLiteStoreFeatures(database, schema, existing).unsupported()
            byteCountWithTriggers = try Int64.fetchOne(
                database,
                sql: """
                    SELECT page_count * page_size FROM pragma_page_count, pragma_page_size
                    WHERE EXISTS (SELECT 1 FROM sqlite_master WHERE type = 'trigger')
                    """)
            return true
        }
    }

    private func hasTables(_ database: Database) throws -> Bool {
        try Bool.fetchOne(database, sql: "SELECT EXISTS (SELECT 1 FROM sqlite_master)") ?? false
    }

    private func checkCollations(_ database: Database) throws {
        guard let name = try SQLiteCollations.schemaObjects(naming: database).first else { return }
        throw NSError.coreData(
            .persistentStoreIncompatibleSchema,
            "The schema of the store uses, in '\(name)', a collation that only connections of this framework have."
        )
    }

    private func checkVersion(_ file: SQLiteStoreFile, _ database: Database) throws {
        // A model of the tables has no hashes that could be compared; the tables are.
        guard !options.ignoresVersion, !model.isReconstructed else { return }
        let configuration = configurationName == defaultConfigurationName ? nil : configurationName
        if model.isConfiguration(withName: configuration, compatibleWithStoreMetadata: metadata)
            || ModelCache.confirms(model, configuration, metadata: metadata, database, file.url)
        {
            return
        }
        try StoreMetadata.check(
            metadata, model, configuration: configurationName, url: file.url,
            uncertainty: model.comparison(configuration, withStoreOf: metadata)?.uncertainty)
    }

    private func checkTables(_ existing: ExistingTables) throws {
        schema = SQLSchema.design(
            storedEntities: storedEntities, dialect: SQLiteDialect(), existing: existing)
        let wanted =
            schema.tables.map { ($0.name, $0.columns.map(\.name)) }
            + schema.joinTables.map { ($0.name, [$0.first, $0.second] + $0.orders) }
            + [("Z_PRIMARYKEY", ["Z_ENT", "Z_NAME", "Z_SUPER", "Z_MAX"])]
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

    // MARK: Connecting

    private func configuration(_ file: SQLiteStoreFile) -> Configuration {
        var configuration = file.configuration(usesSpatialIndexes: usesSpatialIndexes)
        let reports = reports
        configuration.prepareDatabase { SQLiteFunctions.install(on: $0, reports: reports) }
        if let byteCountWithTriggers {
            configuration.prepareDatabase { database in
                TriggerBudget(byteCount: byteCountWithTriggers).install(on: database)
            }
        }
        return configuration
    }

    private func openExisting(_ file: SQLiteStoreFile) throws -> SQLiteAccess {
        guard !options.isReadOnly, unsupportedFeatures.isEmpty else {
            for feature in unsupportedFeatures {
                Log.store.warning("The store at \(file.url.path) is opened read-only: it has \(feature).")
            }
            let reports = reports
            return .reading(file.readOnly { SQLiteFunctions.install(on: $0, reports: reports) })
        }
        var configuration = configuration(file)
        let checked = checked
        configuration.prepareDatabase { database in
            // Of those that read, the one that writes keeps others from replacing the file.
            guard !database.configuration.readonly else { return }
            try checked?.confirm(database)
        }
        let connection: any DatabaseWriter
        var readers: ReadingConnections?
        if let mode = options.journalMode, mode != "wal" {
            // Without a write-ahead log, readers and the writer would wait for each other anyway.
            let queue = try file.queue(configuration)
            let actual = try queue.writeWithoutTransaction {
                try String.fetchOne($0, sql: "PRAGMA journal_mode = \(mode)")
            }
            guard actual == mode else {
                try? queue.close()
                throw file.unopenable(
                    "its journal mode remains '\(actual ?? "")' and cannot be set to '\(mode)'")
            }
            connection = queue
        } else {
            connection = try file.pool(configuration)
            file.removeStaleJournal()
            readers = file.readers(configuration)
        }
        do {
            if options.vacuums { try connection.vacuum() }
            try prepareHistory(connection)
            renewModel(file, connection)
            if options.analyses { try connection.write { try $0.execute(sql: "ANALYZE") } }
            SQLiteStore.removeLeftovers(of: file, connection)
        } catch {
            try? SQLiteAccess.writing(connection, readers: readers).close()
            throw error
        }
        return .writing(connection, readers: readers)
    }

    /// Writes the store's copy of its model anew where it cannot be read; the model fits the store.
    private func renewModel(_ file: SQLiteStoreFile, _ connection: any DatabaseWriter) {
        guard hasDamagedModel else { return }
        let path = file.url.path
        do {
            try connection.write { try ModelCache.renew(model, $0) }
            Log.store.warning(
                "The copy of its model in the store at \(path) was damaged; it was written anew.")
        } catch {
            // The store needs it for nothing but to be opened without a model.
            Log.store.error(
                """
                The copy of its model in the store at \(path) is damaged, and could not be written anew: \
                \(error.localizedDescription)
                """)
        }
    }

    // MARK: Making

    /// Makes the store, or opens the one that another process has made meanwhile.
    private func make(_ file: SQLiteStoreFile) throws -> SQLiteAccess {
        guard !model.isReconstructed else {
            throw file.unopenable("a model that was made from the tables of a store cannot make a new store")
        }
        if file.hasLeftovers || FileManager.default.fileExists(atPath: file.url.path) {
            try fillEmptyFile(file)
        } else {
            _ = try file.placeDraft { draft in
                let connection = try DatabaseQueue(path: draft.path, configuration: configuration(file))
                defer { try? connection.close() }
                try connection.writeWithoutTransaction(fill)
            }
        }
        guard let access = try openChecked(file) else {
            throw file.unopenable("other processes keep creating and removing it")
        }
        return access
    }

    /// Makes the store in an empty file, unless it is not empty any more.
    private func fillEmptyFile(_ file: SQLiteStoreFile) throws {
        let connection = try file.queue(configuration(file))
        defer { try? connection.close() }
        try connection.writeWithoutTransaction(fill)
    }

    private func makeInMemory(_ file: SQLiteStoreFile) throws -> SQLiteAccess {
        usesSpatialIndexes = try newSchema.creationStatements().contains {
            try SQLiteDialect().render($0).text.contains("USING RTREE")
        }
        let connection = try DatabaseQueue(configuration: configuration(file))
        try connection.writeWithoutTransaction(fill)
        guard configurationName != defaultConfigurationName else { return .writing(connection, readers: nil) }
        let made = try connection.read { try ExistingTables($0) }
        schema = SQLSchema.design(storedEntities: storedEntities, dialect: SQLiteDialect(), existing: made)
        return .writing(connection, readers: nil)
    }

    /// Makes tables and metadata, all or nothing, unless the database has tables.
    private func fill(_ database: Database) throws {
        try database.execute(sql: "PRAGMA auto_vacuum = \(options.autoVacuum)")
        try database.inTransaction(.exclusive) {
            guard try !hasTables(database) else { return .rollback }
            for statement in try newSchema.creationStatements() + ModelCache.creationStatements(model) {
                try SQLiteConnection(database).execute(statement)
            }
            if options.tracksHistory { try makeHistory(database) }
            metadata = SQLiteMetadata.new(
                model, configuration: configurationName, autoVacuum: options.autoVacuum)
            try SQLiteMetadata.write(metadata, database)
            return .commit
        }
    }
}
