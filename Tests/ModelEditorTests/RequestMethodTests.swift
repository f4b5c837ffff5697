import Foundation
import Hummingbird
import HummingbirdTesting
import LocalSite
import Testing

@testable import ModelEditor

/// What changes something is a POST, and nothing else.
@Suite struct RequestMethodTests {
    @Test("The routes that change something accept POST only")
    func nothingIsChangedByReading() async throws {
        let model = try TestModel()
        let site = ModelEditor.site(model.document)
        let router = site.router(hosts: AllowedHosts(["localhost"]))
        let changing = router.routes.filter { $0.method == .post }.map { "\($0.path)" }
        #expect(
            Set(changing).isSuperset(of: [
                "/api/edit", "/api/undo", "/api/redo", "/api/save", "/api/versions", "/api/versions/rename",
                "/api/versions/remove", "/api/current", "/api/reload", "/api/merge/apply",
            ]))
        #expect(!router.routes.contains { ![.get, .head, .post].contains($0.method) })
        try await Application(router: router).test(.router) { client in
            let entrance = try await client.execute(uri: site.access.entrance, method: .get) { $0 }
            let cookie = try #require(entrance.headers[.setCookie]?.split(separator: ";").first)
            let headers: HTTPFields = [
                .cookie: String(cookie), .authorization: site.access.authorization,
                .origin: "http://localhost",
            ]
            let before = try await client.execute(uri: "/api/document", method: .get, headers: headers) { $0 }
            #expect(before.status == .ok)
            for path in changing {
                for method in [HTTPRequest.Method.get, .head] {
                    let answer = try await client.execute(uri: path, method: method, headers: headers) { $0 }
                    #expect(answer.status == .notFound, "\(method) \(path)")
                }
            }
            let after = try await client.execute(uri: "/api/document", method: .get, headers: headers) { $0 }
            #expect(after.body == before.body)
        }
    }
}
