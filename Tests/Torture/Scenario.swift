import CoreData
import GRDB

/// A sequence of steps on the files of one folder, each of which leaves the old state or the new one.
package struct Scenario: Sendable {
    /// A store that is looked at when a run is over.
    struct StoreFile: Sendable {
        let name: String
        let type: NSPersistentStore.StoreType
        var hasHistory = false

        /// How it is opened to be looked at.
        var options: [AnyHashable: Any]? { hasHistory ? [NSPersistentHistoryTrackingKey: true] : nil }
    }

    /// What an index is of.
    enum Search: Sendable {
        /// Words, which a search itself indexes.
        case words
        /// Parts of strings, by their trigrams.
        case substrings

        var model: NSManagedObjectModel {
            switch self {
            case .words: TortureModel.first
            case .substrings: TortureModel.substrings
            }
        }

        /// The name of the index's file.
        var indexName: String {
            switch self {
            case .words: Stage.mainName + "-search"
            case .substrings: Stage.mainName + "-search-_trigrams"
            }
        }
    }

    package let name: String
    let files: [StoreFile]
    /// Whether the store is in SQLite, so that `synchronous` matters.
    let usesSQLite: Bool
    /// Whether all files must stay as private as those before.
    let isPrivate: Bool
    /// Whether a step is the save of one context, which can be saved again after an error.
    let repeats: Bool
    /// What is searched in the main store, so that there may be an index beside it; nil for a store that is not searched.
    let search: Search?
    /// Makes what is in the folder before.
    let prepare: @Sendable (Stage) throws -> Void
    let run: @Sendable (Stage) throws -> Void

    init(
        _ name: String, files: [StoreFile] = [.init(name: Stage.mainName, type: .sqlite)],
        usesSQLite: Bool = true,
        isPrivate: Bool = true, repeats: Bool = false, search: Search? = nil,
        prepare: @escaping @Sendable (Stage) throws -> Void = { _ in },
        run: @escaping @Sendable (Stage) throws -> Void
    ) {
        self.name = name
        self.files = files
        self.usesSQLite = usesSQLite
        self.isPrivate = isPrivate
        self.repeats = repeats
        self.search = search
        self.prepare = prepare
        self.run = run
    }

    package static let all: [Scenario] = [
        saves, externalData, constraints, histories, batches, metadata, journals, migrations, files,
        documents, searches, substringSearches,
    ].flatMap { (part: [Scenario]) -> [Scenario] in part }
}

/// Where a scenario runs: a folder, and what is open in it.
final class Stage {
    static let mainName = "Store.sqlite"

    /// The steps that were asked for are done.
    struct Stop: Error {}

    let folder: URL
    let synchronous: Synchronous
    /// How many steps are run.
    private let limit: Int
    /// How many steps have returned.
    private(set) var done = 0
    /// The number of the last step that has returned whose effect is durable whatever `synchronous` says; 0 for none.
    private(set) var lastDurable = 0
    private(set) var coordinator: NSPersistentStoreCoordinator?
    private var contexts: [NSManagedObjectContext] = []
    /// Whether it is checked how parts of strings are found, which costs calls.
    let checksWays: Bool
    /// Whether a search has failed.
    var hasFailedSearch = false
    /// The errors of fetches by parts of strings, which need no index.
    var failedFetches: [String] = []
    /// What searches have found otherwise than a look at all objects did.
    var wrongSearches: [String] = []

    init(_ folder: URL, _ synchronous: Synchronous, limit: Int = .max, checksWays: Bool = false) {
        self.folder = folder
        self.synchronous = synchronous
        self.limit = limit
        self.checksWays = checksWays
    }

    var main: URL { url(Self.mainName) }
    func url(_ name: String) -> URL { folder.appendingPathComponent(name) }

    /// Runs one step.
    ///
    /// - Parameter isDurable: whether it is on the disk when it returns, whatever `synchronous` says.
    func step(isDurable: Bool = false, _ body: () throws -> Void) throws {
        guard done < limit else { throw Stop() }
        try body()
        done += 1
        if isDurable || synchronous == .full { lastDurable = done }
    }

    /// The options of a store, with the setting of `synchronous`.
    func options(
        pragmas: [String: String] = [:], _ others: [String: Any] = [:]
    ) -> [AnyHashable: Any] {
        var options: [AnyHashable: Any] = others
        var pragmas = pragmas
        if synchronous == .full { pragmas["synchronous"] = "FULL" }
        if !pragmas.isEmpty { options[NSSQLitePragmasOption] = pragmas }
        return options
    }

    /// Opens a store, or makes it.
    @discardableResult
    func open(
        _ model: NSManagedObjectModel = TortureModel.first, _ name: String = Stage.mainName,
        type: NSPersistentStore.StoreType = .sqlite, options: [AnyHashable: Any]? = nil
    ) throws -> NSPersistentStore {
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        self.coordinator = coordinator
        return try coordinator.addPersistentStore(
            type: type, at: url(name), options: options ?? (type == .sqlite ? self.options() : nil))
    }

    /// A connection to the main store that is none of the framework's, as another program has one.
    func foreignConnection() throws -> DatabaseQueue {
        let connection = try DatabaseQueue(path: main.path)
        _ = try connection.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM sqlite_master") }
        return connection
    }

    /// A context of the open store, which stays until the stage is closed.
    func context(policy: NSMergePolicy? = nil) -> NSManagedObjectContext {
        let context = NSManagedObjectContext(.privateQueue)
        context.persistentStoreCoordinator = coordinator
        if let policy { context.mergePolicy = policy }
        contexts.append(context)
        return context
    }

    /// Saves what the contexts have not saved; false when there is nothing.
    func saveAgain() throws -> Bool {
        var isSaved = false
        for context in contexts {
            try context.performAndWait {
                guard context.hasChanges else { return }
                try context.save()
                isSaved = true
            }
        }
        return isSaved
    }

    /// Closes what is open.
    func close() throws {
        contexts = []
        guard let coordinator else { return }
        self.coordinator = nil
        for store in coordinator.persistentStores { try coordinator.remove(store) }
    }
}

extension NSManagedObjectContext {
    /// Runs a block on the queue, and saves. What was changed by a block that did not come to its end is taken back.
    func change(_ body: (NSManagedObjectContext) throws -> Void) throws {
        try performAndWait {
            do {
                try body(self)
            } catch {
                rollback()
                throw error
            }
            try save()
        }
    }

    @discardableResult
    func make(_ entity: String, _ name: String, _ values: [String: Any] = [:]) -> NSManagedObject {
        let object = NSEntityDescription.insertNewObject(forEntityName: entity, into: self)
        object.setValue(name, forKey: "name")
        for (key, value) in values { object.setValue(value, forKey: key) }
        return object
    }

    /// The object with a name.
    func get(_ entity: String, _ name: String) throws -> NSManagedObject {
        let request = NSFetchRequest<NSManagedObject>(entityName: entity)
        request.predicate = NSPredicate(format: "name == %@", name)
        guard let object = try fetch(request).first else {
            throw TortureError("There is no \(entity) '\(name)'.")
        }
        return object
    }
}

struct TortureError: Error, CustomStringConvertible {
    let description: String
    init(_ description: String) { self.description = description }
}
