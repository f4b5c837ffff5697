import Foundation
import Hummingbird

/// The pages of authors.
struct AuthorRoutes: Sendable {
    let site: Site
    private var document: BooksDocument { site.document }

    init(_ site: Site) { self.site = site }

    func add(to router: Router<BooksRequestContext>) {
        router.get("/authors", use: list)
        router.get("/authors/names", use: names)
        router.get("/authors/edit", use: form)
        router.post("/authors/rename", use: rename)
        router.post("/authors/delete", use: delete)
    }

    @Sendable private func list(_ request: Request, _ context: BooksRequestContext) async throws -> Response {
        let visitor = Visitor(request.headers)
        let query = AuthorListQuery(context.query)
        let frame = try await site.frame(
            "Authors", .authors, query.address(),
            events: query.address(path: "/events").with("view", "authors"), context, visitor: visitor)
        return try site.page(
            "authors",
            AuthorListPage(try await document.authors(query), query, frame: frame, visitor: visitor))
    }

    /// Names that begin with the typed text.
    @Sendable private func names(_ request: Request, _ context: BooksRequestContext) async throws -> Response
    {
        let text = String((context.query["q"] ?? "").prefix(100))
        let names = text.isEmpty ? [] : try await document.authorNames(beginningWith: text, limit: 10)
        let body = try JSONEncoder().encode(names)
        return Response(
            status: .ok, headers: [.contentType: "application/json", .cacheControl: "no-cache"],
            body: .init(byteBuffer: ByteBuffer(bytes: body)))
    }

    @Sendable private func form(_ request: Request, _ context: BooksRequestContext) async throws -> Response {
        let name = context.query["name"] ?? ""
        return try await formPage(name, newName: name, context, Visitor(request.headers))
    }

    @Sendable private func rename(_ request: Request, _ context: BooksRequestContext) async throws -> Response
    {
        let name = context.form["name"] ?? ""
        let newName = context.form["newName"] ?? ""
        guard let problem = try await document.rename(name, to: newName) else {
            return site.redirect(to: "/authors", .renamed)
        }
        return try await formPage(
            name, newName: newName, problem: problem, context, Visitor(request.headers))
    }

    @Sendable private func delete(_ request: Request, _ context: BooksRequestContext) async throws -> Response
    {
        guard try await document.deleteAuthor(context.form["name"] ?? "") else { throw HTTPError(.notFound) }
        return site.redirect(to: "/authors", .deleted)
    }

    private func formPage(
        _ name: String, newName: String, problem: String? = nil, _ context: BooksRequestContext,
        _ visitor: Visitor
    ) async throws -> Response {
        guard let author = try await document.author(named: name) else { throw HTTPError(.notFound) }
        let frame = try await site.frame(
            "Change an author", .authors, PageAddress("/authors/edit").with("name", name), context,
            visitor: visitor)
        let page = AuthorFormPage(author, newName: newName, problem: problem, frame: frame, visitor: visitor)
        return try site.page("author-form", page, status: problem == nil ? .ok : .unprocessableContent)
    }
}
