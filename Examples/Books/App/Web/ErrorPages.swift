import Hummingbird

/// Turns errors into pages that say what happened.
struct ErrorPages: RouterMiddleware {
    let site: Site

    func handle(
        _ request: Request, context: BooksRequestContext,
        next: (Request, BooksRequestContext) async throws -> Response
    ) async throws -> Response {
        do {
            return try await next(request, context)
        } catch let error as any HTTPResponseError {
            let message = (error as? HTTPError)?.body
            return try await page(error.status, message ?? Self.sentence(error.status), request, context)
        } catch {
            context.logger.error("\(request.method) \(request.uri.path): \(error)")
            return try await page(
                .internalServerError, "Something went wrong: \(error.localizedDescription)", request, context)
        }
    }

    private func page(
        _ status: HTTPResponse.Status, _ sentence: String, _ request: Request, _ context: BooksRequestContext
    ) async throws -> Response {
        let visitor = Visitor()
        // An undo may bring back what is not there.
        let address = PageAddress(request.method == .get ? request.uri.path : "/")
        let frame = Frame(
            Self.heading(status), area: .none, address: address, site: site, visitor: visitor,
            unsaved: try await site.document.unsavedCounts())
        let message = MessagePage(
            frame: frame, heading: Self.heading(status), sentences: [sentence], back: "/")
        return try site.page("message", message, status: status)
    }

    private static func heading(_ status: HTTPResponse.Status) -> String {
        switch status {
        case .notFound: "There is nothing here"
        case .forbidden, .misdirectedRequest: "This is refused"
        default: status.kind == .serverError ? "Something went wrong" : "This request is not understood"
        }
    }

    private static func sentence(_ status: HTTPResponse.Status) -> String {
        switch status {
        case .notFound: "No page has this address. The book may have been deleted."
        case .contentTooLarge: "This is more text than a form may have."
        case .methodNotAllowed: "This cannot be done here."
        default: status.reasonPhrase
        }
    }
}
