import CoreData

/// Fills a store that has nothing in it.
enum FirstLaunch {
    /// Makes the books of the catalogue, if there is neither a book nor an author.
    ///
    /// - Returns: how many were made.
    /// - Throws: when the catalogue is missing, or the store cannot be written.
    static func makeRecordsIfNeeded(in container: BooksContainer) throws -> Int {
        let context = container.newBackgroundContext()
        let isEmpty = try context.performAndWait { () throws in
            let books: NSFetchRequest<Book> = Book.fetchRequest()
            let authors: NSFetchRequest<Author> = Author.fetchRequest()
            return try context.count(for: books) == 0 && context.count(for: authors) == 0
        }
        guard isEmpty else { return 0 }
        let input = try ImportInput(path: catalogue.path)
        return try BookImporter(container: container).run(CSVReader(input.next))?.imported ?? 0
    }

    private static var catalogue: URL {
        Bundle.module.bundleURL.appendingPathComponent("Resources/catalogue.csv")
    }
}
