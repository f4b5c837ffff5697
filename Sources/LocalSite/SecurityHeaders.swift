import HTTPTypes
import Hummingbird

/// Adds to every response what browsers need to know to keep the page safe.
struct SecurityHeaders: RouterMiddleware {
    /// Everything comes from here; nothing inline, nothing framed, nothing submitted elsewhere. Pictures may also be
    /// made by the page itself, for an export.
    private static let policy = [
        "default-src 'none'", "script-src 'self'", "style-src 'self'", "img-src 'self' blob:",
        "connect-src 'self'", "form-action 'none'", "base-uri 'none'", "frame-ancestors 'none'",
        "require-trusted-types-for 'script'",
    ].joined(separator: "; ")

    func handle(
        _ request: Request, context: LocalRequestContext,
        next: (Request, LocalRequestContext) async throws -> Response
    ) async throws -> Response {
        var response = try await next(request, context)
        response.headers[.contentSecurityPolicy] = Self.policy
        response.headers[.xContentTypeOptions] = "nosniff"
        response.headers[.referrerPolicy] = "no-referrer"
        response.headers[.xFrameOptions] = "DENY"
        response.headers[.crossOriginResourcePolicy] = "same-origin"
        response.headers[.crossOriginOpenerPolicy] = "same-origin"
        return response
    }
}

extension HTTPField.Name {
    private static func named(_ name: String) -> Self {
        guard let name = Self(name) else { preconditionFailure("\(name) is not a name of a header field.") }
        return name
    }

    static let referrerPolicy = named("Referrer-Policy")
    static let xFrameOptions = named("X-Frame-Options")
    static let crossOriginResourcePolicy = named("Cross-Origin-Resource-Policy")
    static let crossOriginOpenerPolicy = named("Cross-Origin-Opener-Policy")
    static let fetchSite = named("Sec-Fetch-Site")
    static let fetchMode = named("Sec-Fetch-Mode")
}
