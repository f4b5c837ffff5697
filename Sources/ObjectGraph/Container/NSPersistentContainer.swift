import Foundation
import ManagedObjectModel

/// A model, a coordinator, its stores and a context for the main queue, made together.
///
/// ```swift
/// let container = NSPersistentContainer(name: "Books")
/// container.loadPersistentStores { description, error in
///     if let error { fatalError("\(error)") }
/// }
/// let book = Book(context: container.viewContext)
/// ```
///
/// It is the usual way to set up Core Data. The model is found by its name in the modules and resources of the program. By default
/// there is one SQLite store, a file with the container's name in `defaultDirectoryURL()`, which is made when it does not exist, and
/// migrated when an inferred mapping can do that. Change `persistentStoreDescriptions` before `loadPersistentStores` for another
/// location, type or options.
///
/// Use `viewContext` on the main thread, and `newBackgroundContext()` or `performBackgroundTask(_:)` for everything that takes time. A
/// store that cannot be opened is an error of `loadPersistentStores`; a model that cannot be found stops the program with a message
/// that lists where it was looked for. To handle that error, load the model yourself and use `init(name:managedObjectModel:)`.
open class NSPersistentContainer: NSObject, _StoreFolderOwner, @unchecked Sendable {
    /// The name: of the model, and of the store's file.
    public let name: String
    /// The model.
    public let managedObjectModel: NSManagedObjectModel
    /// The coordinator.
    public let persistentStoreCoordinator: NSPersistentStoreCoordinator
    /// The context of the main queue.
    public let viewContext: NSManagedObjectContext
    /// The stores that `loadPersistentStores` adds. Change them before.
    open var persistentStoreDescriptions: [NSPersistentStoreDescription]

    /// The folder for stores: the user's data folder (`XDG_DATA_HOME`, by default `~/.local/share`) on Linux.
    open class func defaultDirectoryURL() -> URL { userDataDirectory() }

    /// Makes a container for the model of this name among the program's resources.
    ///
    /// Stops with a message that lists where it looked when there is none.
    ///
    /// - Parameters:
    ///   - name: the name of the model, and of the store's file.
    ///   - fileID: identifies the module whose resources and classes are meant; leave it out.
    public convenience init(name: String, fileID: String = #fileID) {
        do {
            let model = try ModelLocator.model(named: name, fileID: fileID)
            self.init(name: name, managedObjectModel: model, fileID: fileID)
        } catch {
            fatalError(error.localizedDescription)
        }
    }

    /// Makes a container for the model of this name among the resources of a subclass's module.
    ///
    /// Apple's exact signature, for subclasses that override it or pass it on.
    @_disfavoredOverload
    public convenience init(name: String) {
        self.init(name: name, fileID: Self.modulePath)
    }

    /// Makes a container for a model.
    ///
    /// - Parameters:
    ///   - name: the name of the store's file.
    ///   - model: the model.
    ///   - fileID: identifies the module whose classes are meant; leave it out.
    public init(name: String, managedObjectModel model: NSManagedObjectModel, fileID: String = #fileID) {
        ManagedObjectClasses.noteModule(of: fileID, for: model)
        self.name = name
        managedObjectModel = model
        (persistentStoreCoordinator, viewContext) = Self.stack(model)
        persistentStoreDescriptions = [Self.description(name)]
        super.init()
    }

    /// Makes a container for a model; classes are looked up in a subclass's module first.
    ///
    /// Apple's exact signature, which a subclass overrides or calls on `super`.
    @_disfavoredOverload
    public init(name: String, managedObjectModel model: NSManagedObjectModel) {
        ManagedObjectClasses.noteModule(of: Self.modulePath, for: model)
        self.name = name
        managedObjectModel = model
        (persistentStoreCoordinator, viewContext) = Self.stack(model)
        persistentStoreDescriptions = [Self.description(name)]
        super.init()
    }

    private static func stack(
        _ model: NSManagedObjectModel
    ) -> (NSPersistentStoreCoordinator, NSManagedObjectContext) {
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        let context = NSManagedObjectContext(.mainQueue)
        context.persistentStoreCoordinator = coordinator
        context.name = "viewContext"
        return (coordinator, context)
    }

    private class func description(_ name: String) -> NSPersistentStoreDescription {
        NSPersistentStoreDescription(url: defaultDirectoryURL().appendingPathComponent("\(name).sqlite"))
    }

    /// The class's module as the beginning of a `#fileID`.
    private class var modulePath: String { String(reflecting: self).replacingOccurrences(of: ".", with: "/") }

    /// Adds the stores of `persistentStoreDescriptions`, and calls the handler for each.
    public func loadPersistentStores(
        completionHandler block: @escaping (NSPersistentStoreDescription, (any Error)?) -> Void
    ) {
        for description in persistentStoreDescriptions {
            if let folder = description.url?.deletingLastPathComponent(), !description.isReadOnly,
                description.url?.isNullDevice == false
            {
                try? FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            }
            persistentStoreCoordinator.addPersistentStore(with: description, completionHandler: block)
        }
    }

    /// A new context with a queue of its own.
    open func newBackgroundContext() -> NSManagedObjectContext {
        let context = NSManagedObjectContext(.privateQueue)
        context.persistentStoreCoordinator = persistentStoreCoordinator
        return context
    }

    /// Runs a block with a new background context, on that context's queue, later.
    open func performBackgroundTask(_ block: @escaping (NSManagedObjectContext) -> Void) {
        let context = newBackgroundContext()
        context.perform { block(context) }
    }

    /// Runs a block with a new background context, on that context's queue.
    ///
    /// - Throws: what the block throws.
    nonisolated(nonsending) open func performBackgroundTask<T, E: Error>(
        _ block: @escaping (NSManagedObjectContext) throws(E) -> T
    ) async throws(E) -> T {
        let context = newBackgroundContext()
        return try await context.perform { () throws(E) -> T in try block(context) }
    }

    private static func userDataDirectory() -> URL {
        #if os(Linux)
        if let folder = ProcessInfo.processInfo.environment["XDG_DATA_HOME"], folder.hasPrefix("/") {
            return URL(fileURLWithPath: folder, isDirectory: true)
        }
        return FileManager.default.homeDirectoryForCurrentUser
            .appendingPathComponent(".local/share", isDirectory: true)
        #else
        return FileManager.default.urls(for: .applicationSupportDirectory, in: .userDomainMask)[0]
        #endif
    }
}

/// A type with a folder for stores.
///
/// Apple's container has `defaultDirectoryURL` as a method and as a property, which one class cannot declare both: the
/// property comes from here.
public protocol _StoreFolderOwner: AnyObject {}

extension _StoreFolderOwner where Self: NSPersistentContainer {
    /// The folder for stores, as `defaultDirectoryURL()` returns it.
    public static var defaultDirectoryURL: URL { Self.defaultDirectoryURL() }
}
