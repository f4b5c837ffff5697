import Foundation
import Hummingbird

/// What a request cannot have, and why: the answer is JSON that says so.
package struct SiteError: Error, Sendable {
    package let status: HTTPResponse.Status
    /// A name that stays the same, for scripts.
    package let code: String
    /// A sentence for a person.
    package let message: String
    /// The field that is wrong, if it is one.
    package let field: String?

    package init(
        _ status: HTTPResponse.Status, code: String, field: String? = nil, _ message: String
    ) {
        self.status = status
        self.code = code
        self.field = field
        self.message = message
    }
}

/// Turns errors into JSON that says what is wrong: `{"error": {"code": …, "message": …, "field": …}}`.
struct ErrorAnswers: RouterMiddleware {
    private struct Answer: Encodable {
        struct Content: Encodable {
            let code: String
            let message: String
            let field: String?
        }

        let error: Content
    }

    func handle(
        _ request: Request, context: LocalRequestContext,
        next: (Request, LocalRequestContext) async throws -> Response
    ) async throws -> Response {
        let answer: SiteError
        do {
            return try await next(request, context)
        } catch let error as SiteError {
            answer = error
        } catch let error as any HTTPResponseError {
            let message = (error as? HTTPError)?.body
            answer = SiteError(error.status, code: "request", message ?? Self.sentence(error.status))
        } catch let error as DecodingError {
            answer = SiteError(.badRequest, code: "request", Self.sentence(error))
        } catch {
            let text = (error as? any LocalizedError)?.errorDescription ?? "\(error)"
            answer = SiteError(.internalServerError, code: "failure", text)
        }
        let content = Answer.Content(code: answer.code, message: answer.message, field: answer.field)
        return try Response(json: Answer(error: content), status: answer.status)
    }

    private static func sentence(_ status: HTTPResponse.Status) -> String {
        switch status {
        case .notFound: "There is nothing at this address."
        case .contentTooLarge: "This is more than a request may hold."
        case .methodNotAllowed: "This cannot be done here."
        default: status.reasonPhrase
        }
    }

    private static func sentence(_ error: DecodingError) -> String {
        let context: DecodingError.Context =
            switch error {
            case .typeMismatch(_, let context), .valueNotFound(_, let context), .keyNotFound(_, let context),
                .dataCorrupted(let context):
                context
            @unknown default: .init(codingPath: [], debugDescription: "\(error)")
            }
        let path = context.codingPath.map(\.stringValue).joined(separator: ".")
        return
            "The request is not understood\(path.isEmpty ? "" : " at '\(path)'"): \(context.debugDescription)"
    }
}
