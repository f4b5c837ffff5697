import CoreData

extension BooksDocument {
    /// What came of a form.
    enum EditOutcome: Sendable {
        /// The book has the values now; they are not saved yet.
        case done(UUID)
        /// Some fields have no values; nothing was changed.
        case invalid([BookForm.Field: String])
        /// The book differs from the state that the form was made from; nothing was changed.
        case outdated(BookSnapshot)
        /// The book is gone.
        case missing
    }

    func book(_ uuid: UUID) async throws -> BookSnapshot? {
        try await perform { try $0.book(uuid).map(BookSnapshot.init) }
    }

    /// Makes a book.
    func add(_ form: BookForm, dates: DateText) async throws -> EditOutcome {
        try await perform { context in
            guard let entity = NSEntityDescription.entity(forEntityName: "Book", in: context) else {
                return .missing
            }
            var values = BookValues(form, dates: dates)
            values.validate(for: Book(entity: entity, insertInto: nil))
            guard values.problems.isEmpty else { return .invalid(values.problems) }
            let book = Book(context: context)
            try values.apply(to: book, dates: dates) { try Self.author($0, context) }
            if form[.tintColor] == BookForm.untouchedColor, let title = book.title {
                book.tintColor = TintColor(title: title)
            }
            context.undoManager?.setActionName("adding “\(book.title ?? "")”")
            return book.uuid.map(EditOutcome.done) ?? .missing
        }
    }

    /// Changes a book.
    ///
    /// - Parameter mark: the mark of the values that the form was made from.
    func change(
        _ uuid: UUID, _ form: BookForm, mark: String, dates: DateText
    ) async throws -> EditOutcome {
        try await perform { context in
            guard let book = try context.book(uuid) else { return .missing }
            let current = BookSnapshot(book)
            guard current.mark == mark else { return .outdated(current) }
            var values = BookValues(form, dates: dates)
            values.validate(for: book)
            guard values.problems.isEmpty else { return .invalid(values.problems) }
            try values.apply(to: book, dates: dates) { try Self.author($0, context) }
            context.undoManager?.setActionName("changing “\(current.title)”")
            return .done(uuid)
        }
    }

    /// Marks a book to be deleted. Returns whether it was there.
    func delete(_ uuid: UUID) async throws -> Bool {
        try await perform { context in
            guard let book = try context.book(uuid) else { return false }
            context.undoManager?.setActionName("deleting “\(book.title ?? "")”")
            context.delete(book)
            return true
        }
    }

    /// The author of a name, a new one if need be.
    private static func author(_ name: String, _ context: NSManagedObjectContext) throws -> Author {
        if let author = try context.author(named: name) { return author }
        let author = Author(context: context)
        author.name = name
        return author
    }
}
