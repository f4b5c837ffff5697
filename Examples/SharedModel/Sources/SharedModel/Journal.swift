import CoreData

/// The trips of one person: an app's store on a phone, a server's store on Linux.
public final class Journal {
    /// The container, with its store loaded.
    public let container: NSPersistentContainer

    /// - Parameter url: The file of the SQLite store, which is made when it is not there.
    /// - Throws: the error of the store that cannot be opened, or of a model that is not among the resources.
    public init(storeAt url: URL) throws {
        container = try Self.container()
        container.persistentStoreDescriptions = [NSPersistentStoreDescription(url: url)]
        var failure: (any Error)?
        container.loadPersistentStores { _, error in failure = error }
        if let failure { throw failure }
        container.viewContext.automaticallyMergesChangesFromParent = true
    }

    #if os(Linux) || os(Android) || os(Windows)
    /// The build made the model a part of the program.
    private static func container() throws -> NSPersistentContainer { NSPersistentContainer(name: "Journal") }
    #else
    /// One model for all containers: two that name the same classes confuse `Trip.entity()`.
    nonisolated(unsafe) private static let model: NSManagedObjectModel? =
        Bundle.module.url(forResource: "Journal", withExtension: "momd")
        .flatMap(NSManagedObjectModel.init(contentsOf:))

    private static func container() throws -> NSPersistentContainer {
        guard let model else { throw CocoaError(.fileNoSuchFile) }
        return NSPersistentContainer(name: "Journal", managedObjectModel: model)
    }
    #endif
}
