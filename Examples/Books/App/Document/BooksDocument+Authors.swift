import CoreData

/// Which authors a window shows.
struct AuthorListQuery: Sendable, Equatable {
    static let pageSize = 100

    enum Order: String, Sendable, CaseIterable {
        case name
        case books
        case price
    }

    var order = Order.name
    var skip = 0

    func pageRequest() -> NSFetchRequest<Author> {
        let request: NSFetchRequest<Author> = Author.fetchRequest()
        let byName = NSSortDescriptor(key: "name", ascending: true)
        request.sortDescriptors =
            switch order {
            case .name: [byName]
            case .books: [NSSortDescriptor(key: "bookCount", ascending: false), byName]
            case .price: [NSSortDescriptor(key: "totalPrice", ascending: false), byName]
            }
        request.fetchOffset = skip
        request.fetchLimit = Self.pageSize + 1
        request.shouldRefreshRefetchedObjects = true
        return request
    }
}

/// One page of the list of authors.
struct AuthorList: Sendable {
    var authors: [AuthorSnapshot]
    var total: Int
    var hasMore: Bool
}

extension BooksDocument {
    func authors(_ query: AuthorListQuery) async throws -> AuthorList {
        try await perform { context in
            let found = try context.fetch(query.pageRequest()).map(AuthorSnapshot.init)
            let all: NSFetchRequest<Author> = Author.fetchRequest()
            return AuthorList(
                authors: Array(found.prefix(AuthorListQuery.pageSize)), total: try context.count(for: all),
                hasMore: found.count > AuthorListQuery.pageSize)
        }
    }

    func author(named name: String) async throws -> AuthorSnapshot? {
        try await perform { try $0.author(named: name).map(AuthorSnapshot.init) }
    }

    /// The names that begin with a text, a few of them, for suggestions during typing.
    func authorNames(beginningWith text: String, limit: Int) async throws -> [String] {
        try await perform { context in
            let request: NSFetchRequest<Author> = Author.fetchRequest()
            request.predicate = NSPredicate(format: "name BEGINSWITH[cd] %@", text)
            request.sortDescriptors = [NSSortDescriptor(key: "name", ascending: true)]
            request.fetchLimit = limit
            return try context.fetch(request).compactMap(\.name)
        }
    }

    /// Gives an author another name.
    ///
    /// - Returns: a sentence that says why not; nil when it is done.
    func rename(_ name: String, to text: String) async throws -> String? {
        try await perform { context in
            guard let author = try context.author(named: name) else { return "This author was deleted." }
            do {
                let new = try BookText.name(text)
                guard new != name else { return nil }
                var value: Any? = new
                try author.validateValue(&value, forKey: "name")
                if let new, try context.author(named: new) != nil {
                    return "There is an author of this name already."
                }
                author.name = new
                context.undoManager?.setActionName("renaming \(name)")
                return nil
            } catch let problem as TextProblem {
                return problem.sentence
            } catch {
                return ValidationWords.sentence(error as NSError, "name")
            }
        }
    }

    /// Marks an author to be deleted; the books stay, without an author. Returns whether the author was there.
    func deleteAuthor(_ name: String) async throws -> Bool {
        try await perform { context in
            guard let author = try context.author(named: name) else { return false }
            context.delete(author)
            context.undoManager?.setActionName("deleting \(name)")
            return true
        }
    }
}
