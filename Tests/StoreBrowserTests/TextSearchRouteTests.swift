import Foundation
import Hummingbird
import HummingbirdTesting
import TestSupport
import Testing

/// What the page finds in the objects of all entities.
@Suite struct TextSearchRouteTests {
    /// What is found in the end, as a page requests it.
    private func search(_ query: String, _ page: TestPage) async throws -> FoundTexts {
        while true {
            let found = try await page.read("/api/search?\(query)", as: FoundTexts.self)
            guard let indexing = found.indexing else { return found }
            #expect(indexing.done <= indexing.total && found.entities.isEmpty)
        }
    }

    private func ids(_ found: FoundTexts) -> [String] { found.entities.flatMap(\.ids) }

    @Test("Objects of all entities are found, with the words in the texts that have them")
    func objects() async throws {
        let store = try TestStore()
        let files = try FileManager.default.contentsOfDirectory(atPath: store.folder.path).sorted()
        try await TestPage.with(store.url) { page in
            let city = try await search("words=oslo%20OR%20%22person%207%22&all=1", page)
            #expect(
                city.isPossible == true && city.count == 2 && city.entities.map(\.name) == ["City", "Person"])
            #expect(ids(city) == ["City/1", "Person/8"])
            let hit = try #require(city.entities.last?.objects.first)
            #expect(hit.attribute == "name" && hit.rank != nil)
            #expect(hit.snippet == [FoundTexts.Piece(text: "person 7", isHighlighted: true)])
            #expect(try await search("words=nothing&all=1", page).count == 0)
            #expect(try await search("words=&all=1", page).count == 0)
        }
        #expect(try FileManager.default.contentsOfDirectory(atPath: store.folder.path).sorted() == files)
    }

    @Test("Pages of an entity have every object once")
    func pages() async throws {
        let store = try TestStore()
        try await TestPage.with(store.url) { page in
            let first = try await search("words=person&all=1", page)
            let people = try #require(first.entities.first)
            #expect(people.count == TestStore.count && people.isRanked && people.objects.count == 20)
            var seen: [String] = []
            while true {
                let next = try await search(
                    "words=person&all=1&entity=Person&offset=\(seen.count)", page)
                let more = ids(next)
                guard !more.isEmpty else { break }
                #expect(next.count == TestStore.count)
                seen += more
            }
            #expect(seen.count == TestStore.count && Set(seen).count == TestStore.count)
        }
        withExtendedLifetime(store) {}
    }

    @Test("Without a flag in the model nothing is searched unless all strings are requested")
    func noFlags() async throws {
        let store = try TestStore()
        try await TestPage.with(store.url) { page in
            let found = try await search("words=person", page)
            #expect(found.isPossible == false && found.count == 0 && found.entities.isEmpty)
        }
        let model = TestStore.model
        model.entitiesByName["City"]?.attributesByName["name"]?.isIndexedBySpotlight = true
        try await TestPage.with(store.url, model: model) { page in
            #expect(try await ids(search("words=rome%20OR%20person", page)) == ["City/2"])
            let answer = try await page.get("/api/search?words=person&entity=Person")
            #expect(answer.status == .unprocessableContent)
        }
    }

    @Test("What is saved in the page is found, and what is not is not", arguments: [true, false])
    func changes(_ isDocument: Bool) async throws {
        let (store, document) = (try TestStore(), try TestDocument("XML"))
        let url = isDocument ? document.url : store.url
        let key = isDocument ? "title" : "name"
        try await TestPage.with(
            url, model: isDocument ? TestDocument.model : TestStore.model, canWrite: true
        ) { page in
            // The numbers of objects in a file are in no order that a test knows.
            let entity = isDocument ? "Book" : "Person"
            let rows = try await page.read("/api/rows?entity=\(entity)", as: Answers.Page.self).rows
            let id = try #require(rows.first?.id)
            #expect(try await search("words=zebra&all=1", page).count == 0)
            _ = try await page.post("/api/set", #"{"id": "\#(id)", "key": "\#(key)", "text": "a zebra"}"#)
            #expect(try await search("words=zebra&all=1", page).count == 0)
            #expect(try await page.post("/api/save", "{}").status == .ok)
            #expect(try await ids(search("words=zebra&all=1", page)) == [id])
        }
        withExtendedLifetime((store, document)) {}
    }

    @Test(
        "A search that is too long or too far, or of an unknown entity, is refused",
        arguments: [
            ("words=\(String(repeating: "a", count: 4_001))", "browse", "words"),
            ("words=a&offset=-1", "browse", "offset"), ("words=a&offset=x", "browse", "offset"),
            ("words=a&offset=100001", "browse", "offset"), ("words=a&entity=None", "store", nil),
        ] as [(String, String, String?)])
    func refused(_ query: String, _ code: String, _ field: String?) async throws {
        let store = try TestStore()
        try await TestPage.with(store.url) { page in
            let answer = try await page.get("/api/search?all=1&\(query)")
            #expect(answer.status == .unprocessableContent)
            let failure = try JSONDecoder().decode(
                Answers.Failure.self, from: Data(answer.body.readableBytesView))
            #expect(failure.error.code == code && failure.error.field == field)
            let stranger = try await page.client.execute(uri: "/api/search?words=a", method: .get) { $0 }
            #expect(stranger.status == .unauthorized || stranger.status == .forbidden)
        }
        withExtendedLifetime(store) {}
    }
}
