import Foundation
import FuzzerDriver
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import LocalSite

/// A page of a site that sends requests one after the other.
enum PageSession {
    /// Sends requests to a site as its page does, and returns when all were answered. An answer that the server has failed is
    /// a finding.
    static func send(_ requests: [PageRequest], to site: LocalSite) throws {
        let outcome = Outcome()
        let done = DispatchSemaphore(value: 0)
        Task {
            do {
                let app = Application(router: site.router(hosts: AllowedHosts(["localhost"])))
                try await app.test(.router) { client in
                    let entrance = try await client.execute(uri: site.access.entrance, method: .get) { $0 }
                    let cookie = entrance.headers[.setCookie].flatMap { $0.split(separator: ";").first } ?? ""
                    let headers: HTTPFields = [
                        .cookie: String(cookie), .authorization: site.access.authorization,
                        .origin: "http://localhost",
                        .contentType: "application/json",
                    ]
                    for request in requests {
                        let status = try await client.execute(
                            uri: request.path, method: request.method, headers: headers,
                            body: ByteBuffer(string: request.body)
                        ) { $0.status.code }
                        mustHold(status != 401, "the page is not let in")
                        mustHold(status < 500 || status == 503 || status == 504, "\(request.path): \(status)")
                    }
                }
            } catch {
                outcome.error = error
            }
            done.signal()
        }
        done.wait()
        if let error = outcome.error { throw error }
    }

    /// Written before, and read after a signal.
    private final class Outcome: @unchecked Sendable {
        var error: (any Error)?
    }
}
