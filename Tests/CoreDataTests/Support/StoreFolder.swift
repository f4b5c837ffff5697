import CoreData
import GRDB
import Testing

/// A folder of a test's own, which is removed with it, and the store in it.
final class StoreFolder: Sendable {
    let url: URL
    var file: URL { url.appendingPathComponent("Store.sqlite") }

    init() throws {
        url = TestFolders.new()
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(at: url) }

    /// A new coordinator with the store.
    func open(
        _ model: NSManagedObjectModel, _ options: [AnyHashable: Any]? = nil
    ) throws -> NSPersistentStoreCoordinator {
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        try coordinator.addPersistentStore(type: .sqlite, at: file, options: options)
        return coordinator
    }

    /// Makes the store and closes it.
    func make(_ model: NSManagedObjectModel) throws { try open(model).close() }

    /// Takes the files of another folder in the place of its own: quicker than making a store anew. No store is open.
    func copyFiles(of other: StoreFolder?) throws {
        let files = FileManager.default
        for name in try names { try files.removeItem(at: url.appendingPathComponent(name)) }
        for name in try other?.names ?? [] {
            try files.copyItem(
                at: try #require(other).url.appendingPathComponent(name), to: url.appendingPathComponent(name)
            )
        }
    }

    /// The names of the files in the folder, sorted.
    var names: [String] {
        get throws { try FileManager.default.contentsOfDirectory(atPath: url.path).sorted() }
    }

    // MARK: Plain SQL

    /// A connection that does not belong to a store, and that prevents the file from being locked as
    /// another program would.
    func user() throws -> DatabaseQueue {
        let queue = try DatabaseQueue(path: file.path)
        _ = try queue.read { try Int.fetchOne($0, sql: "SELECT 1 FROM sqlite_master") }
        return queue
    }

    /// Rows that plain SQL finds in the file.
    func rows(_ sql: String, _ arguments: StatementArguments = []) throws -> [[DatabaseValue]] {
        try withDatabase { database in
            try Row.fetchAll(database, sql: sql, arguments: arguments).map { Array($0.databaseValues) }
        }
    }

    /// The only value that plain SQL finds in the file.
    func value(_ sql: String, _ arguments: StatementArguments = []) throws -> DatabaseValue {
        let rows = try rows(sql, arguments)
        try #require(rows.count == 1 && rows[0].count == 1, "\(sql): \(rows)")
        return rows[0][0]
    }

    /// The types and values of columns of the only row of a table.
    func stored(_ columns: String..., in table: String) throws -> [String] {
        let list = columns.map { "typeof(\($0)) || ' ' || ifnull(quote(\($0)), '')" }.joined(separator: ", ")
        let rows = try rows("SELECT \(list) FROM \(table)")
        try #require(rows.count == 1, "\(rows)")
        return rows[0].map { String.fromDatabaseValue($0) ?? "?" }
    }

    /// Runs plain SQL that changes the file, with the functions that triggers call.
    func execute(_ sql: String, _ arguments: StatementArguments = []) throws {
        try withDatabase { try $0.execute(sql: sql, arguments: arguments) }
    }

    /// The texts of tables, indexes and triggers by name.
    func schema() throws -> [String: String] {
        try withDatabase { database in
            let rows = try Row.fetchAll(
                database, sql: "SELECT name, sql FROM sqlite_master WHERE sql IS NOT NULL")
            return Dictionary(uniqueKeysWithValues: rows.map { ($0["name"] as String, $0["sql"] as String) })
        }
    }

    /// Runs a block with a connection that has the functions of triggers.
    func withDatabase<Value>(_ body: (Database) throws -> Value) throws -> Value {
        var configuration = Configuration()
        configuration.busyMode = .timeout(5)
        configuration.prepareDatabase { database in
            for name in ["DATriggerUpdated", "DATriggerInsertUpdated", "TriggerUpdate"] {
                database.add(
                    function: DatabaseFunction(
                        "NSCoreData\(name)AffectedObjectValue", argumentCount: 5, function: { _ in nil }))
            }
            database.add(
                function: DatabaseFunction("NSCoreDataNow", argumentCount: 0) { _ in
                    Date().timeIntervalSinceReferenceDate
                })
        }
        let queue = try DatabaseQueue(path: file.path, configuration: configuration)
        defer { try? queue.close() }
        return try queue.writeWithoutTransaction(body)
    }
}

extension NSPersistentStoreCoordinator {
    /// A context with a queue of its own.
    func context() -> NSManagedObjectContext {
        let context = NSManagedObjectContext(.privateQueue)
        context.persistentStoreCoordinator = self
        return context
    }

    /// Runs a block in a new context.
    func inContext<Value>(_ body: (NSManagedObjectContext) throws -> Value) throws -> Value {
        let context = context()
        return try context.performAndWait { try body(context) }
    }

    /// Closes the stores.
    func close() throws { for store in persistentStores { try remove(store) } }
}

extension NSManagedObjectContext {
    /// A new object of an entity, with values.
    @discardableResult
    func insert(_ entity: String, _ values: [String: Any] = [:]) throws -> NSManagedObject {
        let object = NSEntityDescription.insertNewObject(forEntityName: entity, into: self)
        for (key, value) in values { object.setValue(value, forKey: key) }
        return object
    }

    /// All objects of an entity, in the order of a key.
    func all(
        _ entity: String, by key: String? = nil, where condition: NSPredicate? = nil
    ) throws -> [NSManagedObject] {
        let request = NSFetchRequest<NSManagedObject>(entityName: entity)
        request.sortDescriptors = key.map { [NSSortDescriptor(key: $0, ascending: true)] }
        request.predicate = condition
        return try fetch(request)
    }

    /// The only object of an entity.
    func only(_ entity: String) throws -> NSManagedObject {
        let objects = try all(entity)
        try #require(objects.count == 1)
        return objects[0]
    }
}

/// The error that a block throws.
func error(of body: () throws -> Void) throws -> NSError {
    do {
        try body()
    } catch {
        return error as NSError
    }
    return try #require(nil as NSError?, "no error")
}
