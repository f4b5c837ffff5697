import CoreData

/// How books are searched.
enum SearchMethod: String, Sendable, CaseIterable {
    /// `context.search`: the index of the words of titles, abstracts and authors' names.
    case words
    /// `canonicalTitle CONTAINS`: the derived attribute, with the canonical form of what is looked for.
    case canonical
    /// `title CONTAINS[cd]`: every title is folded while it is searched.
    case plain
    /// The first, with the times of the others beside it.
    case all
}

/// Which books a window shows.
struct BookListQuery: Sendable, Equatable {
    /// How many books a page has.
    static let pageSize = 100

    /// Where a page begins. Books are listed from the newest to the oldest, undated ones last.
    struct Position: Sendable, Equatable {
        /// The newest month; nil for the beginning of the list.
        var start: Start?
        /// How many books are passed over from there.
        var skip = 0

        enum Start: Sendable, Equatable {
            case month(PublishMonth)
            case undated
        }
    }

    /// What is looked for; empty for nothing.
    var text = ""
    var method = SearchMethod.all
    /// The only author whose books are shown.
    var author: String?
    var position = Position()

    var isSearch: Bool { !text.isEmpty || author != nil }

    /// Whether the list has what the index finds, the best first, and not months.
    var showsHits: Bool { !text.isEmpty && (method == .words || method == .all) }

    // MARK: Requests

    /// The request for the books of a page, and one more, by which is seen whether there is another page.
    func pageRequest() -> NSFetchRequest<Book> {
        let request = request(from: position)
        request.fetchOffset = position.skip
        request.fetchLimit = Self.pageSize + 1
        return request
    }

    /// The request for all books from a place on, in order.
    func request(from position: Position, isReversed: Bool = false) -> NSFetchRequest<Book> {
        let request: NSFetchRequest<Book> = Book.fetchRequest()
        request.predicate = NSCompoundPredicate(
            andPredicateWithSubpredicates: conditions + [from(position)].compactMap(\.self))
        request.sortDescriptors = order(isReversed: isReversed)
        request.relationshipKeyPathsForPrefetching = ["author"]
        // Another program may have changed rows that the context knows.
        request.shouldRefreshRefetchedObjects = true
        return request
    }

    func order(isReversed: Bool) -> [NSSortDescriptor] {
        [
            NSSortDescriptor(key: "publishDate", ascending: isReversed),
            NSSortDescriptor(key: "title", ascending: !isReversed),
        ]
    }

    /// What a book must meet, wherever it stands in the list.
    var conditions: [NSPredicate] {
        guard !text.isEmpty else { return authorConditions }
        switch method {
        case .words, .all: return authorConditions + [Self.words(text)]
        case .canonical: return authorConditions + [Self.canonical(text)]
        case .plain: return authorConditions + [Self.plain(text)]
        }
    }

    /// What the only author whose books are shown demands; empty without one.
    var authorConditions: [NSPredicate] {
        author.map { [NSPredicate(format: "author.name == %@", $0)] } ?? []
    }

    /// The search in the index: the last word may be the beginning of one, for the user may still be typing it.
    static func words(_ text: String) -> NSPredicate {
        NSPredicate(searching: text, completesLastWord: true)
    }

    /// The search of the canonical form of each title, which the store keeps.
    static func canonical(_ text: String) -> NSPredicate {
        NSPredicate(format: "canonicalTitle CONTAINS %@", canonicalForm(text))
    }

    /// The search that folds each title while it is made.
    static func plain(_ text: String) -> NSPredicate { NSPredicate(format: "title CONTAINS[cd] %@", text) }

    /// The text as the derivation `canonical:(title)` would make it.
    static func canonicalForm(_ text: String) -> String {
        NSExpression(format: "canonical:(%@)", text).expressionValue(with: nil, context: nil) as? String
            ?? text
    }

    private func from(_ position: Position) -> NSPredicate? {
        switch position.start {
        case nil: return nil
        case .undated: return NSPredicate(format: "publishDate == nil")
        case .month(let month):
            return month.end.map { NSPredicate(format: "publishDate < %@", $0 as NSDate) }
        }
    }

    /// What the books that stand before a place meet; nil when there are none.
    func before(_ position: Position) -> NSPredicate? {
        switch position.start {
        case nil: return nil
        case .undated: return NSPredicate(format: "publishDate != nil")
        case .month(let month):
            return month.end.map { NSPredicate(format: "publishDate >= %@", $0 as NSDate) }
        }
    }
}
