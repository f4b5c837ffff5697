import CoreData
import Foundation
import TestSupport
import Testing

/// No answer of the browser drops a lock of the store that it has open for writing.
@Suite(.enabled(if: ProcessLocks.areListed)) struct StoreLockTests {
    @Test("Every route leaves the locks of the store in place")
    func routes() async throws {
        let store = try TestStore()
        let url = store.url
        try await TestPage.with(url, canWrite: true) { page in
            let before = try ProcessLocks.on(url)
            try #require(!before.isEmpty)
            for path in [
                "/", "/api/store", "/api/rows?entity=Person&limit=5", "/api/count?entity=Person",
                "/api/check?entity=Person&predicate=age%20%3E%201", "/api/object?id=Person/1",
                "/api/targets?entity=City&text=o", "/api/groups?entity=Person&by=age", "/api/history",
                "/api/facts", "/api/search?words=person&all=1",
                "/api/changes", "/api/text?id=Person/1&key=name", "/api/image?id=Person/1&key=face",
                "/api/bytes?id=Person/1&key=portrait", "/api/export/check?entity=Person&format=csv",
                "/api/export?entity=Person&format=csv&name=x", "/api/export/state?name=x",
            ] {
                let answer = try await page.get(path)
                #expect(
                    answer.status != .notFound || path.contains("image") || path.contains("bytes"), "\(path)")
                #expect(try ProcessLocks.on(url) == before, "\(path)")
            }
            for (path, body) in [
                ("set", #"{"id": "Person/1", "key": "name", "text": "new"}"#),
                ("link", #"{"id": "Person/1", "key": "city", "to": "City/1", "removing": false}"#),
                ("move", #"{"id": "City/1", "key": "people", "member": "Person/1", "place": 0}"#),
                ("add", #"{"entity": "City"}"#), ("delete", #"{"ids": ["Person/2"]}"#), ("undo", "{}"),
                ("redo", "{}"), ("save", "{}"), ("discard", "{}"),
            ] {
                let answer = try await page.post("/api/\(path)", body)
                #expect(answer.status != .notFound, "\(path)")
                #expect(try ProcessLocks.on(url) == before, "\(path)")
            }
            _ = try await page.post(
                "/api/data?id=Person/1&key=portrait", file: [UInt8](repeating: 7, count: 300_000))
            _ = try await page.post("/api/save", "{}")
            let bytes = try await page.get("/api/bytes?id=Person/1&key=portrait")
            #expect(bytes.body.readableBytes == 300_000)
            #expect(try ProcessLocks.on(url) == before)
        }
    }
}
