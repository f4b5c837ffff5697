import CoreData

/// The search of words in the index of titles, abstracts and authors' names.
///
/// The index has a document for each book and one for each author, each with texts of its own. So the books that have all the words
/// in their titles and abstracts come first, the best at the beginning; after them the books of the authors whose names have all the
/// words.
struct WordSearch {
    /// The books of no more authors than these, the best ones, are shown.
    static let mostAuthors = 100

    private let query: BookListQuery
    private let context: NSManagedObjectContext
    /// The found authors, and their names with marks.
    private let authors: [NSManagedObjectID: MarkedText]
    /// What is shown after the books that have the words themselves; nil when no author is found.
    private let byAuthors: NSPredicate?

    /// Searches the authors; called on the context's queue.
    ///
    /// - Throws: an error of the store or of the index.
    init(_ query: BookListQuery, _ context: NSManagedObjectContext) throws {
        self.query = query
        self.context = context
        var request = SearchRequest(query.text, in: Author.self)
        request.completesLastWord = true
        request.fetchLimit = Self.mostAuthors
        let hits = try context.search(request).hits
        var authors: [NSManagedObjectID: MarkedText] = [:]
        for hit in hits {
            authors[hit.object.objectID] = MarkedText(hit.object.name ?? "", hit.highlights["name"] ?? [])
        }
        self.authors = authors
        guard !hits.isEmpty else {
            byAuthors = nil
            return
        }
        byAuthors = NSCompoundPredicate(
            andPredicateWithSubpredicates: query.authorConditions + [
                NSPredicate(format: "author IN %@", hits.map(\.object)),
                NSCompoundPredicate(notPredicateWithSubpredicate: BookListQuery.words(query.text)),
            ])
    }

    /// How many books are found.
    func count() throws -> Int {
        let own: NSFetchRequest<Book> = Book.fetchRequest()
        own.predicate = NSCompoundPredicate(
            andPredicateWithSubpredicates: query.authorConditions + [BookListQuery.words(query.text)])
        return try context.count(for: own) + countByAuthors()
    }

    /// The books of the query's page, and how many there are on all pages.
    func page() throws -> (hits: [BookHit], count: Int) {
        var request = SearchRequest(query.text, in: Book.self)
        request.completesLastWord = true
        request.predicate = query.authorConditions.first
        request.fetchOffset = query.position.skip
        request.fetchLimit = BookListQuery.pageSize
        let own = try context.search(request)
        let searched = own.hits.map(\.object.title)
        try refresh(own.hits.map(\.object))
        var hits = zip(own.hits, searched).map { hit, title in
            BookHit(hit, searched: title, author: name(of: hit.object.author))
        }
        let room = BookListQuery.pageSize - hits.count
        if let byAuthors, room > 0 {
            let rest: NSFetchRequest<Book> = Book.fetchRequest()
            rest.predicate = byAuthors
            rest.sortDescriptors = query.order(isReversed: false)
            rest.fetchOffset = max(0, query.position.skip - own.count)
            rest.fetchLimit = room
            rest.relationshipKeyPathsForPrefetching = ["author"]
            rest.shouldRefreshRefetchedObjects = true
            hits += try context.fetch(rest).map { BookHit($0, author: name(of: $0.author)) }
        }
        return (hits, own.count + (try countByAuthors()))
    }

    private func countByAuthors() throws -> Int {
        guard let byAuthors else { return 0 }
        let request: NSFetchRequest<Book> = Book.fetchRequest()
        request.predicate = byAuthors
        return try context.count(for: request)
    }

    /// Reads the books' authors together, and values that another program may have changed.
    private func refresh(_ books: [Book]) throws {
        guard !books.isEmpty else { return }
        let request: NSFetchRequest<Book> = Book.fetchRequest()
        request.predicate = NSPredicate(format: "SELF IN %@", books)
        request.relationshipKeyPathsForPrefetching = ["author"]
        request.shouldRefreshRefetchedObjects = true
        _ = try context.fetch(request)
    }

    /// The name of an author with marks; nil when it does not have the words.
    private func name(of author: Author?) -> MarkedText? { author.flatMap { authors[$0.objectID] } }
}
