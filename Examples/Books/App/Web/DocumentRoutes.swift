import Hummingbird

/// The actions on the whole document: undo, redo, save, discard.
struct DocumentRoutes: Sendable {
    let site: Site
    private var document: BooksDocument { site.document }

    init(_ site: Site) { self.site = site }

    func add(to router: Router<BooksRequestContext>) {
        router.get("/changes") { try await changes($0, $1, isDiscarding: false) }
        router.get("/discard") { try await changes($0, $1, isDiscarding: true) }
        router.get("/help", use: help)
        router.post("/undo") { _, context in
            try await document.undo()
            return site.redirect(to: site.returnAddress(context), .undone)
        }
        router.post("/redo") { _, context in
            try await document.redo()
            return site.redirect(to: site.returnAddress(context), .redone)
        }
        router.post("/discard") { _, _ in
            try await document.discard()
            return site.redirect(to: "/", .discarded)
        }
        router.post("/save", use: save)
        router.get("/assets/{name}") { request, context in
            try site.assets.response(context.parameters.get("name") ?? "", request)
        }
    }

    private func changes(
        _ request: Request, _ context: BooksRequestContext, isDiscarding: Bool
    ) async throws -> Response {
        let visitor = Visitor(request.headers)
        let frame = try await site.frame(
            isDiscarding ? "Discard all changes" : "Unsaved changes", .changes,
            PageAddress(isDiscarding ? "/" : "/changes"),
            events: isDiscarding ? nil : PageAddress("/events").with("view", "changes"), context,
            visitor: visitor)
        let objects = try await document.unsavedObjects(limit: ChangesPage.limit, locale: visitor.locale)
        return try site.page("changes", ChangesPage(objects, isDiscarding: isDiscarding, frame: frame))
    }

    @Sendable private func help(_ request: Request, _ context: BooksRequestContext) async throws -> Response {
        let visitor = Visitor(request.headers)
        let frame = try await site.frame("Help", .help, PageAddress("/help"), context, visitor: visitor)
        return try site.page("help", ["frame": frame])
    }

    @Sendable private func save(_ request: Request, _ context: BooksRequestContext) async throws -> Response {
        let sentences = try await document.save()
        let address = site.returnAddress(context)
        guard !sentences.isEmpty else { return site.redirect(to: address, .saved) }
        let visitor = Visitor(request.headers)
        let frame = try await site.frame("Not saved", .none, PageAddress("/"), context, visitor: visitor)
        let page = MessagePage(
            frame: frame, heading: "Nothing was saved", sentences: sentences, back: address)
        return try site.page("message", page, status: .unprocessableContent)
    }
}
