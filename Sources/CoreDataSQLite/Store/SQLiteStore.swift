import CoreDataSQL
import ObjectGraph
import CocoaFoundation
import Foundation
import GRDB
import ManagedObjectModel
import Synchronization

/// A store in one SQLite file, in the layout of Apple's Core Data.
///
/// Readers run in parallel with each other and with the one writer (write-ahead logging). Opening checks everything that
/// can be checked before the file is touched.
package final class SQLiteStore: NSPersistentStore, ObjectStore, @unchecked Sendable {
    /// What is known of a file: replaced as a whole when another one is opened instead, which any queue may meet.
    final class OpenFile: Sendable {
        let tables: StoreTables
        /// The statements that find one row by its key.
        let rowStatements = Mutex<[Int32: RenderedSQL]>([:])
        /// The version of the schema in which the file had no history when that was last looked for; nil before.
        let schemaWithoutHistory = Mutex<Int64?>(nil)

        init(_ schema: SQLSchema, _ history: StoreHistory?) { tables = StoreTables(schema, history) }
    }

    let file = Mutex(
        OpenFile(
            SQLSchema(dialect: SQLiteDialect(), tables: [], joinTables: [], entities: [], links: [:]), nil))
    package var tables: StoreTables { file.withLock { $0 }.tables }
    package var schema: SQLSchema { tables.schema }
    package var readsObjectsOfSaves: Bool { false }
    /// Turns queries into statements, those of one shape once.
    var fetchCompiler: FetchCompiler { tables.compiler }
    /// The persistent history; nil when the file has none.
    var history: StoreHistory? { tables.history }
    /// Nil before the file is open and after it is closed, which any queue may meet.
    private let access = Mutex<SQLiteAccess?>(nil)
    private let pause = ReplacementPause()
    let reports = DerivedReports()
    let rowCache = RowCache()
    let writers = StoreWriters()
    let fileUse = ExternalFileUse()
    private let generations = SQLiteGenerations()
    /// Writers take turns, and with one connection for all, readers too.
    let turns = NestingGuard()

    package override var type: String { NSSQLiteStoreType }

    deinit {
        // The files may be moved or deleted next, so this waits for a thread that moves the log. The last connection to go must be the
        // one that writes.
        generations.expireAll()
        do {
            try access.withLock { $0 }?.close()
        } catch {
            Log.store.error("Could not close the store at \(url?.path ?? ""): \(error.localizedDescription)")
        }
    }

    /// Opens the file, or makes it, for the entities of a model.
    ///
    /// - Parameter old: a store of the same model whose objects this one takes over, by the same references.
    /// - Throws: see `NSPersistentStoreCoordinator.addPersistentStore(ofType:configurationName:at:options:)`; the file
    ///   is as it was.
    package func open(model: NSManagedObjectModel, inPlaceOf old: (any ObjectStore)?) throws {
        let options = try SQLiteStoreOptions(self.options)
        StoreOptionKeys(type: type, keepsHistory: true).log(self.options, at: url)
        let configuration = configurationName == defaultConfigurationName ? nil : configurationName
        do {
            try model.validate()
        } catch {
            throw NSError.coreData(
                .persistentStoreIncompatibleSchema,
                "The model cannot be stored: \(error.localizedDescription)",
                [NSUnderlyingErrorKey: error as NSError])
        }
        if let old {
            adoptEntities(of: old)
        } else {
            installEntities(numbered(model, configuration, options))
        }
        let opening = SQLiteStoreOpening(self, at: url, model: model, options: options)
        take(opening, try opening.connect())
    }

    /// The entities that the store holds, with their numbers.
    ///
    /// The file of a store with a configuration has the tables of all entities of the model, as with Apple's framework, and
    /// counts all; one that has those of the configuration alone counts these.
    private func numbered(
        _ model: NSManagedObjectModel, _ configuration: String?, _ options: SQLiteStoreOptions
    ) -> [(entity: NSEntityDescription, number: Int32)] {
        let all = model.entitiesInPreorder().enumerated().map { (entity: $1, number: Int32($0 + 1)) }
        guard let configuration else { return all }
        let held = model.entitiesInPreorder(configuration: configuration)
        if let url = fileURL, FileManager.default.fileExists(atPath: url.path),
            // Opening the file reports what is wrong with it.
            let names = try? SQLiteStoreFile(url: url, options: options).entityNames(),
            names == held.compactMap(\.name)
        {
            return held.enumerated().map { ($1, Int32($0 + 1)) }
        }
        let identities = Set(held.map(ObjectIdentifier.init))
        return all.filter { identities.contains(ObjectIdentifier($0.entity)) }
    }

    /// Opens another file in place of this one. On an error, everything is as it was.
    private func reopen(at url: URL) throws {
        guard let model = persistentStoreCoordinator?.managedObjectModel else { return }
        guard !isInUseByCaller else { throw nestedUse("open another file") }
        let opening = SQLiteStoreOpening(
            self, at: url, model: model, options: try SQLiteStoreOptions(options), makesFile: false)
        let opened = try opening.connect()
        persistentStoreCoordinator?.remoteChanges.end(self)
        generations.expireAll()
        do {
            try access.withLock { try $0?.close() }
        } catch {
            Log.store.error(
                "Could not close the store at \(self.url?.path ?? ""): \(error.localizedDescription)")
        }
        super.url = url
        take(opening, opened)
        refollow()
    }

    /// Closes the file so that it can be replaced. Who uses the store meanwhile waits, until `openAfterReplacement()` or
    /// `stayClosed()`.
    ///
    /// - Throws: 134070 when the caller is called from inside of a read or write of the store.
    func closeForReplacement() throws {
        guard !isInUseByCaller else { throw nestedUse("destroy or replace the store") }
        persistentStoreCoordinator?.remoteChanges.end(self)
        pause.begin()
        closeFile()
    }

    /// Opens what is in the file now.
    ///
    /// - Throws: as `open(model:inPlaceOf:)`; 134080 when there is no store. The store is closed then.
    func openAfterReplacement() throws {
        defer { pause.end() }
        guard let model = persistentStoreCoordinator?.managedObjectModel else { return }
        let opening = SQLiteStoreOpening(
            self, at: url, model: model, options: try SQLiteStoreOptions(options), makesFile: false)
        take(opening, try opening.connect())
        refollow()
    }

    /// What others do to another file is not what comes after the transactions that are known of the one before.
    private func refollow() {
        guard let coordinator = persistentStoreCoordinator else { return }
        coordinator.remoteChanges.refollow(self, of: coordinator)
    }

    /// Ends the waiting of others: there is nothing to open any more.
    func stayClosed() { pause.end() }

    /// The connections; while the file is replaced, those after that.
    private var connections: SQLiteAccess? {
        if let open = access.withLock({ $0 }) { return open }
        pause.wait()
        return access.withLock { $0 }
    }

    private func take(_ opening: SQLiteStoreOpening, _ connections: SQLiteAccess) {
        let opened = OpenFile(opening.schema, opening.history)
        file.withLock { $0 = opened }
        metadataLock.withLock {
            super.metadata = opening.metadata
            knownMetadata = opening.metadata
            metadataChanges.withLock { $0 = (0, 0) }
        }
        unsupportedFeatures = opening.unsupportedFeatures
        rowCache.removeAll()
        if case .writing(let connection, _) = connections { writers.begin(connection) }
        access.withLock { $0 = connections }
        for companion in companions { companion.storeDidClose() }
        // After that: one that is made meanwhile may be of the file that was open before.
        generations.expireAll()
    }

    /// Where the file is. When set, the store there, which must be one of the same model, is opened instead of
    /// this one; when that fails, the URL stays, and the log says why.
    package override var url: URL? {
        get { super.url }
        set {
            guard let newValue, newValue.standardizedFileURL != super.url?.standardizedFileURL else { return }
            do {
                try reopen(at: newValue)
            } catch {
                Log.store.error(
                    "The URL of the store stays \(super.url?.path ?? ""): \(error.localizedDescription)")
            }
        }
    }

    // MARK: Metadata

    /// How often the metadata was set, and how many of these times are in the file.
    private let metadataChanges = Mutex((made: 0, written: 0))
    /// The metadata as they were read from the file, or written to it, last; while `metadataLock` is held.
    private var knownMetadata: [String: Any] = [:]
    private let metadataLock = NSRecursiveLock()

    package override var metadata: [String: Any]! {
        get { super.metadata }
        set {
            metadataLock.withLock {
                super.metadata = SQLiteMetadata.merging(newValue ?? [:], into: super.metadata)
                metadataChanges.withLock { $0.made += 1 }
            }
        }
    }

    package override var identifier: String! {
        get { super.identifier }
        set { metadata[NSStoreUUIDKey] = newValue }
    }

    /// Whether the metadata was set since it was written; the next save writes it.
    var hasUnsavedMetadata: Bool { metadataChanges.withLock { $0.made > $0.written } }

    /// Writes what was set in the metadata, if it was, as a part of the running transaction, in which no other process
    /// writes: what others have set meanwhile stays.
    func writeMetadata(_ database: Database) throws {
        guard hasUnsavedMetadata else { return }
        let file = url ?? URL(fileURLWithPath: "/dev/null")
        let present = try SQLiteMetadata.read(database, file)
        let (made, own, known) = metadataLock.withLock {
            (metadataChanges.withLock { $0.made }, super.metadata ?? [:], knownMetadata)
        }
        let merged = StoreMetadata.Changes(from: known, to: own).applied(to: present)
        try SQLiteMetadata.write(merged, database)
        // Not before the transaction has ended well: a failed one is tried again. Nothing else has these values.
        nonisolated(unsafe) let written = (own, merged)
        database.afterNextTransaction { [weak self] _ in self?.noteWritten(made, written.0, written.1) }
    }

    private func noteWritten(_ made: Int, _ own: [String: Any], _ merged: [String: Any]) {
        metadataLock.withLock {
            // What was set since then is for the next save.
            super.metadata = StoreMetadata.Changes(from: own, to: super.metadata ?? [:]).applied(to: merged)
            knownMetadata = merged
            metadataChanges.withLock { $0.written = made }
        }
    }

    package func externalData(named name: String) throws -> Data {
        try ExternalData.file(name, in: externalDataFolder)
    }

    package override class func metadataForPersistentStore(with url: URL) throws -> [String: Any] {
        try SQLiteStoreFile(url: url, options: SQLiteStoreOptions(nil)).metadata()
    }

    package override class func setMetadata(_ metadata: [String: Any]?, forPersistentStoreAt url: URL) throws
    {
        try SQLiteStoreFile(url: url, options: SQLiteStoreOptions(nil)).setMetadata(metadata ?? [:])
    }

    package override func willRemove(from coordinator: NSPersistentStoreCoordinator?) { closeFile() }

    private func closeFile() {
        let closing = access.withLock { access in
            defer { access = nil }
            return access
        }
        // The last connection to go must be the one that writes.
        generations.expireAll()
        do {
            try closing?.close()
        } catch {
            Log.store.error("Could not close the store at \(url?.path ?? ""): \(error.localizedDescription)")
        }
        rowCache.removeAll()
        for companion in companions { companion.storeDidClose() }
    }

    // MARK: Reading

    private let reads = Atomic<Int>(0)

    /// How many requests read the file since the store was made: one for each fetch, count, batch of faults,
    /// relationship that was loaded or entity whose rows a save has compared.
    package var readCount: Int { reads.load(ordering: .relaxed) }

    /// Counts a request.
    package func noteRead() { reads.add(1, ordering: .relaxed) }

    /// Reads the file as it is at one moment.
    func read<Value>(
        _ what: String, _ cancellation: FetchCancellation? = nil, at generation: SQLiteGeneration? = nil,
        _ body: (Database) throws -> Value
    ) throws -> Value {
        func reading(_ database: Database) throws -> Value {
            try FetchCancellation.reading(on: database.sqliteConnection, cancellation) { try body(database) }
        }
        return try withAccess(what, takingTurns: generation == nil) { access in
            if let generation { return try generation.read(reading) }
            return try access.read(reading)
        }
    }

    /// Reads by one statement only, which sees one moment of the file without a transaction around it.
    func readOnce<Value>(
        _ what: String, _ cancellation: FetchCancellation? = nil, at generation: SQLiteGeneration? = nil,
        _ body: (SQLiteReader) throws -> Value
    ) throws -> Value {
        func reading(_ connection: any PreparingConnection) throws -> Value {
            try FetchCancellation.reading(on: connection.sqliteConnection, cancellation) {
                try body(SQLiteReader(connection))
            }
        }
        return try withAccess(what, takingTurns: generation == nil) { access in
            if let generation { return try generation.read(reading) }
            return try access.readOnce(reading)
        }
    }

    /// - Parameter takesTurns: whether the block uses a connection of `access`.
    private func withAccess<Value>(
        _ what: String, takingTurns takesTurns: Bool, _ body: (SQLiteAccess) throws -> Value
    ) throws -> Value {
        noteRead()
        guard let access = connections else { throw Self.removed }
        do {
            func reading() throws -> Value { try MatchBudget.sharing { try body(access) } }
            guard takesTurns, access.hasOneConnection else { return try reading() }
            return try turns.enter(orThrow: nestedUse(what), reading)
        } catch let error as DatabaseError {
            // Closed by another queue after this one had begun.
            guard self.access.withLock({ $0 != nil }) else { throw Self.removed }
            throw NSError.sqlite(error, during: what, store: url)
        }
    }

    /// The connection that writes.
    ///
    /// - Throws: 134030 when the store is read-only, 134070 when it was removed.
    func writer() throws -> any DatabaseWriter {
        switch connections {
        case .writing(let connections, _): return connections
        case .reading: throw readOnlyError
        case nil: throw Self.removed
        }
    }

    /// The error of a call from inside of another one that has the connection which it needs.
    func nestedUse(_ what: String) -> NSError {
        .coreData(
            .persistentStoreOperation,
            """
            Could not \(what): this was called from inside a read or write of the store at \(url?.path ?? ""), such as the \
            handler of a batch request, which uses the only connection until it ends.
            """, [NSAffectedStoresErrorKey: [self]])
    }

    /// Whether the caller is called from inside of a read or write of the store, which closing would wait for.
    var isInUseByCaller: Bool {
        if turns.isEntered || generations.areInUseByCaller { return true }
        guard case .writing(_, let readers?) = access.withLock({ $0 }) else { return false }
        return readers.isUsedByCaller
    }

    static var removed: NSError { .removedStore }

    /// What changes when another connection, of this process or another one, has changed the file.
    ///
    /// - Throws: 134070 when the store is removed; an error of SQLite.
    package func foreignDataVersion() throws -> Data {
        if case .reading(let file) = access.withLock({ $0 }) {
            return try turns.enter(orThrow: nestedUse("check for changes made by others"), file.version)
        }
        let version = try withOwnConnection("check for changes made by others", DataVersion.read)
        return withUnsafeBytes(of: version) { Data($0) }
    }

    /// Runs a block with the connection that writes, outside of any transaction; of a store that is only read, with one that reads.
    ///
    /// - Throws: 134070 when the store is removed, or when the caller is called from inside of a transaction; an error of SQLite.
    func withOwnConnection<Value>(_ what: String, _ body: (Database) throws -> Value) throws -> Value {
        switch access.withLock({ $0 }) {
        case .writing(let connection, _):
            try turns.enter(orThrow: nestedUse(what)) { try connection.writeWithoutTransaction(body) }
        case .reading(let file): try turns.enter(orThrow: nestedUse(what)) { try file.read(body) }
        case nil: throw Self.removed
        }
    }

    /// The store as it is now, to be read later; nil when its journal mode has no generations, or it is read-only.
    ///
    /// - Throws: 134070 when the store is removed meanwhile; an error of SQLite.
    package func makeGeneration() throws -> (any StoreGeneration)? {
        guard case .writing(let connections, _) = access.withLock({ $0 }),
            let pool = connections as? DatabasePool
        else { return nil }
        // GRDB makes none while the caller's transaction has the connection that writes.
        guard !turns.isEntered else { throw nestedUse("pin a query generation") }
        do {
            let generation = SQLiteGeneration(try pool.makeSnapshot())
            generations.add(generation)
            // A close of the store before that has missed the new generation.
            guard case .writing(let present, _) = access.withLock({ $0 }), present === connections else {
                generation.expire()
                throw Self.removed
            }
            return generation
        } catch let error as DatabaseError {
            throw NSError.sqlite(error, during: "pin a query generation", store: url)
        }
    }

    /// Copies the database into another one, as it is at one moment.
    func backup(to other: DatabaseQueue) throws {
        switch connections {
        case .writing(let connections, .some): try connections.backup(to: other)
        case .writing(let connections, nil):
            try turns.enter(orThrow: nestedUse("copy the store")) { try connections.backup(to: other) }
        case .reading(let file):
            try turns.enter(orThrow: nestedUse("copy the store")) { try file.backup(to: other) }
        case nil: throw Self.removed
        }
    }
}
