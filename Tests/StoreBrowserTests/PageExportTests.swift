import Foundation
import Hummingbird
import HummingbirdTesting
import Testing

@testable import StoreBrowser

/// Exports, one at a time and in parts.
@Suite struct PageExportTests {
    @Test("A store is exported once at a time")
    func aStoreIsExportedOnceAtATime() async throws {
        let test = try TestStore()
        let store = try BrowsedStore(testing: test.url)
        let (query, order) = (ObjectQuery(entity: "Person"), ObjectPage.Order())
        var export: PageExport? = try PageExport(query, order, as: .csv, of: store)
        let failure = #expect(throws: BrowsingError.self) {
            _ = try PageExport(query, order, as: .csv, of: store)
        }
        #expect(failure?.code == "busy")
        var text = ""
        while let part = try await export?.next() { text += part }
        #expect(text.split(separator: "\n").count == TestStore.count + 1)
        export = nil
        // A question that is refused takes no turn away.
        #expect(throws: (any Error).self) {
            _ = try PageExport(ObjectQuery(entity: "None"), order, as: .json, of: store)
        }
        _ = try PageExport(query, order, as: .json, of: store)
        try store.close()
    }

    @Test("An export without objects is an empty JSON list")
    func anExportOfNothingIsAnEmptyList() async throws {
        let test = try TestStore()
        let store = try BrowsedStore(testing: test.url)
        var query = ObjectQuery(entity: "Person")
        query.predicate = "FALSEPREDICATE"
        var export = try PageExport(query, ObjectPage.Order(), as: .json, of: store)
        let text = try #require(try await export.next())
        #expect(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String] == [])
        #expect(try await export.next() == nil)
        try store.close()
    }

    @Test("A HEAD request of an export is refused")
    func headRequestsAreRefused() async throws {
        let test = try TestStore()
        try await TestPage.with(test.url) { page in
            let answer = try await page.client.execute(
                uri: "/api/export?entity=Person&format=csv", method: .head, headers: page.headers
            ) { $0 }
            #expect(answer.status == .methodNotAllowed)
        }
    }
}
