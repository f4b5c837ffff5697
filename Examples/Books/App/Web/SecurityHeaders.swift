import HTTPTypes
import Hummingbird

/// Adds to every response what browsers need to know to keep the page safe.
struct SecurityHeaders<Context: RequestContext>: RouterMiddleware {
    /// Everything comes from here; nothing inline, nothing framed, forms go nowhere else.
    private static var policy: String {
        [
            "default-src 'none'", "script-src 'self'", "style-src 'self'", "img-src 'self'",
            "connect-src 'self'",
            "form-action 'self'", "base-uri 'none'", "frame-ancestors 'none'",
        ].joined(separator: "; ")
    }

    func handle(
        _ request: Request, context: Context, next: (Request, Context) async throws -> Response
    ) async throws -> Response {
        var response = try await next(request, context)
        response.headers[.contentSecurityPolicy] = Self.policy
        response.headers[.xContentTypeOptions] = "nosniff"
        // Browsers send no usable Origin with a form when the policy is stricter.
        response.headers[.referrerPolicy] = "same-origin"
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
}
