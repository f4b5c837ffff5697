import CoreData

/// The trips of one person: an app's store on a phone, a server's store on Linux.
public final class Journal {
    /// The container, with its store loaded.
    public let container: NSPersistentContainer

    /// - Parameter url: The file of the SQLite store, which is made when it is not there.
    /// - Throws: the error of the store that cannot be opened.
    public init(storeAt url: URL) throws {
        container = NSPersistentContainer(name: "Journal")
        container.persistentStoreDescriptions = [NSPersistentStoreDescription(url: url)]
        var failure: (any Error)?
        container.loadPersistentStores { _, error in failure = error }
        if let failure { throw failure }
        container.viewContext.automaticallyMergesChangesFromParent = true
    }
}
