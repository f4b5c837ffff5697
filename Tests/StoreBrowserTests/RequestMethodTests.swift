import CoreData
import Foundation
import Hummingbird
import HummingbirdTesting
import LocalSite
import StoreBrowser
import Testing

/// What changes something is a POST, and nothing else.
@Suite struct RequestMethodTests {
    @Test("The routes that change something accept POST only")
    func nothingIsChangedByReading() async throws {
        let test = try TestStore()
        let store = try BrowsedStore(testing: test.url, canWrite: true)
        let router = StoreBrowser.site(store).router(hosts: AllowedHosts(["localhost"]))
        let changing = router.routes.filter { $0.method == .post }.map { "\($0.path)" }
        try store.close()
        #expect(
            Set(changing).isSuperset(of: [
                "/api/set", "/api/data", "/api/link", "/api/add", "/api/delete", "/api/undo", "/api/redo",
                "/api/discard", "/api/save",
            ]))
        #expect(!router.routes.contains { ![.get, .head, .post].contains($0.method) })
        try await TestPage.with(test.url, canWrite: true) { page in
            for path in changing {
                for method in [HTTPRequest.Method.get, .head] {
                    let answer = try await page.client.execute(
                        uri: "\(path)?entity=Person&id=Person/1&key=name&text=x", method: method,
                        headers: page.headers
                    ) { $0 }
                    #expect(answer.status == .notFound, "\(method) \(path)")
                }
            }
            let changes = try await page.read("/api/changes", as: Answers.Changes.self)
            #expect(!changes.isEdited && !changes.canUndo)
        }
    }
}
