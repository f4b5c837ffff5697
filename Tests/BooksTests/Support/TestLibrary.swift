import CoreData

@testable import BooksApp

/// A store in a folder of its own, which is removed with it, and a document on it.
final class TestLibrary: Sendable {
    let folder: URL
    let container: BooksContainer
    let document: BooksDocument
    var file: URL { folder.appendingPathComponent("Books.sqlite") }

    init() async throws {
        folder = FileManager.default.temporaryDirectory.appendingPathComponent(
            "BooksTests-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        container = try BooksContainer.load(file: folder.appendingPathComponent("Books.sqlite"))
        document = await BooksDocument(container)
    }

    deinit {
        for store in container.persistentStoreCoordinator.persistentStores {
            try? container.persistentStoreCoordinator.remove(store)
        }
        try? FileManager.default.removeItem(at: folder)
    }

    /// Imports CSV text with the columns title, author, date, price.
    @discardableResult
    func add(_ lines: String...) throws -> BookImporter.Progress? {
        try importText((["title,author,date,price"] + lines).joined(separator: "\n"))
    }

    func importText(
        _ text: String, refuse: (BookImporter.Refusal) throws -> Void = { _ in }
    ) throws -> BookImporter.Progress? {
        try BookImporter(container: container).run(.reading(Data(text.utf8)), refuse: refuse)
    }

    /// The identity of the only book of a title.
    func uuid(_ title: String) async throws -> UUID? {
        try await document.perform { context in
            let request: NSFetchRequest<Book> = Book.fetchRequest()
            request.predicate = NSPredicate(format: "title == %@", title)
            return try context.fetch(request).first?.uuid
        }
    }

    /// Changes some fields of a book by its form.
    func change(
        _ uuid: UUID, _ edit: @Sendable (inout BookForm) -> Void
    ) async throws -> BooksDocument.EditOutcome {
        guard let book = try await document.book(uuid) else { return .missing }
        let dates = DateText()
        var form = BookForm(book, dates: dates)
        edit(&form)
        return try await document.change(uuid, form, mark: book.mark, dates: dates)
    }

    /// The titles of a page, in order.
    func titles(_ query: BookListQuery = BookListQuery()) async throws -> [String] {
        try await document.list(query).books.map(\.title)
    }

    /// What the search of words finds, in order.
    func hits(_ text: String, author: String? = nil) async throws -> [BookHit] {
        try await document.list(BookListQuery(text: text, method: .words, author: author)).hits
    }
}

extension CSVReader {
    /// A reader of data that comes in pieces of a size.
    static func reading(_ data: Data, pieces size: Int = 1 << 16) -> CSVReader {
        var rest = data
        return CSVReader {
            let piece = rest.prefix(size)
            rest = rest.dropFirst(size)
            return Data(piece)
        }
    }

    /// Everything there is to read.
    static func lines(_ data: Data, pieces size: Int = 1 << 16) throws -> [CSVLine] {
        var reader = reading(data, pieces: size)
        var lines: [CSVLine] = []
        while let line = try reader.next() { lines.append(line) }
        return lines
    }
}
