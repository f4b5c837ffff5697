import Foundation
import Hummingbird

/// The pages of books: the list, one book, its form.
struct BookRoutes: Sendable {
    let site: Site
    private var document: BooksDocument { site.document }

    init(_ site: Site) { self.site = site }

    func add(to router: Router<BooksRequestContext>) {
        router.get("/", use: list)
        router.get("/books/new", use: newForm)
        router.post("/books", use: add)
        router.get("/books/{uuid}", use: detail)
        router.get("/books/{uuid}/edit", use: editForm)
        router.post("/books/{uuid}", use: change)
        router.get("/books/{uuid}/delete", use: deleteQuestion)
        router.post("/books/{uuid}/delete", use: delete)
    }

    // MARK: Reading

    @Sendable private func list(_ request: Request, _ context: BooksRequestContext) async throws -> Response {
        let visitor = Visitor(request.headers)
        let query = BookListQuery(context.query)
        let list = try await document.list(query)
        let frame = try await site.frame(
            query.text.isEmpty ? "All books" : "“\(query.text)”", .books, query.address(),
            events: query.eventsAddress,
            context, visitor: visitor)
        let page = BookListPage(
            list, query, timeline: try await document.timeline(), frame: frame, visitor: visitor)
        return try site.page("books", page)
    }

    @Sendable private func detail(_ request: Request, _ context: BooksRequestContext) async throws -> Response
    {
        let visitor = Visitor(request.headers)
        let (uuid, book) = try await book(context)
        let author = try await author(of: book)
        let stored = try document.container.storeFile.flatMap { try StoredRow.read(uuid, from: $0) }
        let page = BookDetailPage(
            book, author: author, stored: stored, frame: try await frame(book.title, uuid, context, visitor),
            visitor: visitor)
        return try site.page("book", page)
    }

    private func author(of book: BookSnapshot) async throws -> AuthorSnapshot? {
        guard let name = book.author else { return nil }
        return try await document.author(named: name)
    }

    private func book(_ context: BooksRequestContext) async throws -> (UUID, BookSnapshot) {
        let uuid = try uuid(context)
        guard let book = try await document.book(uuid) else { throw HTTPError(.notFound) }
        return (uuid, book)
    }

    private func uuid(_ context: BooksRequestContext) throws -> UUID {
        guard let uuid = context.parameters.get("uuid").flatMap({ UUID(uuidString: $0) }) else {
            throw HTTPError(.notFound)
        }
        return uuid
    }

    private func path(_ uuid: UUID) -> String { "/books/\(uuid.uuidString.lowercased())" }

    private func frame(
        _ title: String, _ uuid: UUID, _ context: BooksRequestContext, _ visitor: Visitor
    ) async throws -> Frame {
        let events = PageAddress("/events").with("view", "book").with("uuid", uuid.uuidString.lowercased())
        return try await site.frame(
            title, .none, PageAddress(path(uuid)), events: events, context, visitor: visitor)
    }

    // MARK: Adding

    @Sendable private func newForm(_ request: Request, _ context: BooksRequestContext) async throws
        -> Response
    {
        let visitor = Visitor(request.headers)
        return try await formPage(BookForm(), book: nil, context, visitor)
    }

    @Sendable private func add(_ request: Request, _ context: BooksRequestContext) async throws -> Response {
        let visitor = Visitor(request.headers)
        let form = BookForm(context.form)
        switch try await document.add(form, dates: visitor.dates) {
        case .done(let uuid): return site.redirect(to: path(uuid), .added)
        case .invalid(let problems):
            return try await formPage(form, book: nil, problems: problems, context, visitor)
        case .outdated, .missing: throw HTTPError(.notFound)
        }
    }

    // MARK: Changing

    @Sendable private func editForm(_ request: Request, _ context: BooksRequestContext) async throws
        -> Response
    {
        let visitor = Visitor(request.headers)
        let (uuid, book) = try await book(context)
        return try await formPage(
            BookForm(book, dates: visitor.dates), book: (path(uuid), book.mark), context, visitor)
    }

    @Sendable private func change(_ request: Request, _ context: BooksRequestContext) async throws -> Response
    {
        let visitor = Visitor(request.headers)
        let uuid = try uuid(context)
        let form = BookForm(context.form)
        let mark = context.form["mark"] ?? ""
        switch try await document.change(uuid, form, mark: mark, dates: visitor.dates) {
        case .done: return site.redirect(to: path(uuid), .changed)
        case .invalid(let problems):
            return try await formPage(form, book: (path(uuid), mark), problems: problems, context, visitor)
        case .outdated(let current):
            // What was typed stays; sent once more, it counts.
            return try await formPage(
                form, book: (path(uuid), current.mark), isOutdated: true, context, visitor)
        case .missing: throw HTTPError(.notFound)
        }
    }

    private func formPage(
        _ form: BookForm, book: (path: String, mark: String)?, problems: [BookForm.Field: String] = [:],
        isOutdated: Bool = false, _ context: BooksRequestContext, _ visitor: Visitor
    ) async throws -> Response {
        let isRefused = !problems.isEmpty || isOutdated
        let events = book.map {
            PageAddress("/events").with("view", "book").with(
                "uuid", String($0.path.dropFirst("/books/".count)))
        }
        let frame = try await site.frame(
            (isRefused ? "Not yet: " : "") + (book == nil ? "New book" : "Change a book"), .none,
            PageAddress(book.map { $0.path + "/edit" } ?? "/books/new"),
            events: events ?? PageAddress("/events").with("view", "changes"), context, visitor: visitor)
        let page = BookFormPage(
            form, book: book, problems: problems, isOutdated: isOutdated, frame: frame, visitor: visitor)
        return try site.page(
            "book-form", page, status: isOutdated ? .conflict : isRefused ? .unprocessableContent : .ok)
    }

    // MARK: Deleting

    @Sendable private func deleteQuestion(
        _ request: Request, _ context: BooksRequestContext
    ) async throws -> Response {
        let visitor = Visitor(request.headers)
        let (uuid, book) = try await book(context)
        let page = BookDetailPage(
            book, author: nil, stored: nil, frame: try await frame("Delete a book", uuid, context, visitor),
            visitor: visitor)
        return try site.page("book-delete", page)
    }

    @Sendable private func delete(_ request: Request, _ context: BooksRequestContext) async throws -> Response
    {
        guard try await document.delete(try uuid(context)) else { throw HTTPError(.notFound) }
        return site.redirect(to: "/", .deleted)
    }
}

extension BookForm {
    /// The fields of a form that was sent. Browsers end lines with CRLF.
    init(_ fields: Fields) {
        self.init()
        for field in Field.allCases {
            self[field] = (fields[field.rawValue] ?? "").replacing("\r\n", with: "\n")
        }
    }
}
