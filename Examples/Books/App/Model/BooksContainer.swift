import CoreData

/// The Core Data stack of the app.
final class BooksContainer: NSPersistentContainer, @unchecked Sendable {
    /// A folder of the app's own in the user's data folder.
    override class func defaultDirectoryURL() -> URL {
        super.defaultDirectoryURL().appendingPathComponent("books", isDirectory: true)
    }

    /// The file of the store.
    var storeFile: URL? { persistentStoreDescriptions.first?.url }

    /// Opens the store, or makes it.
    ///
    /// - Parameter file: the store; nil for the default one in the user's data folder.
    /// - Throws: why the store cannot be opened.
    static func load(file: URL? = nil) throws -> BooksContainer {
        // Register the transformer at the very beginning.
        // .colorToDataTransformer is a name defined with an NSValueTransformerName extension.
        ValueTransformer.setValueTransformer(ColorToDataTransformer(), forName: .colorToDataTransformer)

        let container = BooksContainer(name: "Books")
        if let file { container.persistentStoreDescriptions = [NSPersistentStoreDescription(url: file)] }
        var failure: (any Error)?
        container.loadPersistentStores { _, error in failure = failure ?? error }
        if let failure { throw failure }
        return container
    }
}
