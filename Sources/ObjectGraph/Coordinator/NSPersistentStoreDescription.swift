import Foundation

/// How a container or a coordinator makes and opens one store: its type, location, configuration and options.
///
/// ```swift
/// let description = NSPersistentStoreDescription(url: url)
/// description.setOption(true as NSNumber, forKey: NSPersistentHistoryTrackingKey)
/// container.persistentStoreDescriptions = [description]
/// ```
///
/// By default the type is SQLite, and a store with an older model is migrated if a mapping can be inferred. An unknown option is
/// ignored and logged. A change after the store was added has no effect on it.
open class NSPersistentStoreDescription: NSObject, NSCopying {
    /// The store's type; `NSSQLiteStoreType` by default.
    open var type = NSSQLiteStoreType
    /// The name of a configuration of the model; nil for all entities.
    open var configuration: String?
    /// The URL of the store; `/dev/null`, the default, for a SQLite store in memory.
    open var url: URL? = URL(fileURLWithPath: "/dev/null")
    /// Whether adding the store returns at once and the completion handler is called on another queue.
    open var shouldAddStoreAsynchronously = false
    private var values: [String: NSObject] = [
        NSMigratePersistentStoresAutomaticallyOption: NSNumber(value: true),
        NSInferMappingModelAutomaticallyOption: NSNumber(value: true),
    ]

    /// A description of a SQLite store at `/dev/null`, which is in memory; set `url` for one in a file.
    public override init() {}

    /// A description of a SQLite store at a URL.
    public init(url: URL) { self.url = url }

    /// The options that the store is added with.
    open var options: [String: NSObject] { values }

    /// Sets or, with nil, removes an option.
    open func setOption(_ option: NSObject?, forKey key: String) { values[key] = option }

    /// Whether the store is opened for reading only.
    open var isReadOnly: Bool {
        get { bool(NSReadOnlyPersistentStoreOption) }
        set { values[NSReadOnlyPersistentStoreOption] = NSNumber(value: newValue) }
    }

    /// How long a connection waits for a lock, in seconds; 240 by default.
    open var timeout: TimeInterval {
        get { (values[NSPersistentStoreTimeoutOption] as? NSNumber)?.doubleValue ?? 240 }
        set { values[NSPersistentStoreTimeoutOption] = NSNumber(value: newValue) }
    }

    /// SQLite pragmas set on each connection, by name.
    open var sqlitePragmas: [String: NSObject] {
        (values[NSSQLitePragmasOption] as? NSDictionary as? [String: NSObject]) ?? [:]
    }

    /// Sets or, with nil, removes a SQLite pragma.
    open func setValue(_ value: NSObject?, forPragmaNamed name: String) {
        var pragmas = sqlitePragmas
        pragmas[name] = value
        values[NSSQLitePragmasOption] = pragmas as NSDictionary
    }

    /// Whether a store of another version of the model is migrated. See `Documentation/Compatibility.md`.
    open var shouldMigrateStoreAutomatically: Bool {
        get { bool(NSMigratePersistentStoresAutomaticallyOption) }
        set { values[NSMigratePersistentStoresAutomaticallyOption] = NSNumber(value: newValue) }
    }

    /// Whether the mapping model for that is inferred. See `Documentation/Compatibility.md`.
    open var shouldInferMappingModelAutomatically: Bool {
        get { bool(NSInferMappingModelAutomaticallyOption) }
        set { values[NSInferMappingModelAutomaticallyOption] = NSNumber(value: newValue) }
    }

    /// The options for a coordinator.
    package var storeOptions: [AnyHashable: Any] {
        Dictionary(uniqueKeysWithValues: values.map { (AnyHashable($0.key), $0.value as Any) })
    }

    private func bool(_ key: String) -> Bool { (values[key] as? NSNumber)?.boolValue ?? false }

    open func copy(with zone: NSZone? = nil) -> Any {
        let copy = NSPersistentStoreDescription()
        copy.type = type
        copy.configuration = configuration
        copy.url = url
        copy.shouldAddStoreAsynchronously = shouldAddStoreAsynchronously
        copy.values = values
        return copy
    }
}
