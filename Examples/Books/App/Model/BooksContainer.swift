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
        for description in container.persistentStoreDescriptions {
            // The search index follows the history of the store.
            description.setOption(true as NSNumber, forKey: NSPersistentHistoryTrackingKey)
        }
        var failure: (any Error)?
        container.loadPersistentStores { _, error in failure = failure ?? error }
        if let failure { throw failure }
        return container
    }

    /// Fills in the texts of abstracts in a store of an earlier version of the program, which kept their bytes alone.
    ///
    /// - Returns: how many were filled in.
    func fillInAbstractTexts() throws -> Int {
        let context = newBackgroundContext()
        context.undoManager = nil
        return try context.performAndWait { () throws in
            let request = NSFetchRequest<NSManagedObjectID>(entityName: "Book")
            request.predicate = NSPredicate(format: "abstract != nil AND abstractText == nil")
            request.resultType = .managedObjectIDResultType
            let ids = try context.fetch(request)
            for start in stride(from: 0, to: ids.count, by: BookImporter.batchSize) {
                let batch: NSFetchRequest<Book> = Book.fetchRequest()
                let end = min(start + BookImporter.batchSize, ids.count)
                batch.predicate = NSPredicate(format: "SELF IN %@", Array(ids[start..<end]))
                for book in try context.fetch(batch) { book.fillInAbstractText() }
                try context.save()
                context.reset()
            }
            return ids.count
        }
    }

    /// Deletes the history of the store before a date, a week ago if none is given, once the search index has it: nothing else reads it.
    func deleteOldHistory(before date: Date = Date(timeIntervalSinceNow: -7 * 24 * 60 * 60)) async throws {
        try await persistentStoreCoordinator.updateSearchIndexes()
        let context = newBackgroundContext()
        try await context.perform { () throws in
            _ = try context.execute(NSPersistentHistoryChangeRequest.deleteHistory(before: date))
        }
    }
}
