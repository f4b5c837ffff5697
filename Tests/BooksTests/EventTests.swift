import CoreData
import Testing

@testable import BooksApp

@Suite struct EventTests {
    /// The next events until one meets a condition; nil when none does for a while.
    private func first(
        _ events: AsyncStream<ServerEvent>, where isMeant: @escaping @Sendable (ServerEvent) -> Bool
    ) async -> ServerEvent? {
        await withTaskGroup(of: ServerEvent?.self) { group in
            group.addTask { await events.first(where: isMeant) }
            group.addTask {
                try? await Task.sleep(for: .seconds(5))
                return nil
            }
            let found = await group.next() ?? nil
            group.cancelAll()
            return found
        }
    }

    @Test func aWindowHearsOfTheBooksOnItsPage() async throws {
        let library = try await TestLibrary()
        try library.add("One,Ada,2001,1", "Two,Ada,2002,1")
        let uuid = try #require(try await library.uuid("One"))
        let events = try await library.document.events(.books(BookListQuery()))
        _ = try await library.change(uuid) { $0[.price] = "2" }
        let event = await first(events) { $0.kind == .results }
        #expect(event?.books == [uuid.uuidString.lowercased()])
    }

    @Test func aWindowOfOtherBooksHearsOfTheDocumentOnly() async throws {
        let library = try await TestLibrary()
        try library.add("One,Ada,2001,1", "Two,Ada,2002,1")
        let uuid = try #require(try await library.uuid("One"))
        let other = try #require(try await library.uuid("Two"))
        let events = try await library.document.events(.book(other))
        _ = try await library.change(uuid) { $0[.price] = "2" }
        let event = await first(events) { _ in true }
        #expect(event == ServerEvent(kind: .document))
    }

    @Test func aSaveIsHeardOf() async throws {
        let library = try await TestLibrary()
        try library.add("One,Ada,2001,1")
        let uuid = try #require(try await library.uuid("One"))
        _ = try await library.change(uuid) { $0[.title] = "Two" }
        let events = try await library.document.events(.books(BookListQuery()))
        #expect(try await library.document.save() == [])
        // The derived values of the row are new.
        let event = await first(events) { $0.kind == .results }
        #expect(event?.books == [uuid.uuidString.lowercased()])
    }

    @Test func aChangeBeforeTheWindowListenedIsHeardOf() async throws {
        let library = try await TestLibrary()
        try library.add("One,Ada,2001,1")
        let uuid = try #require(try await library.uuid("One"))
        let shown = library.document.news.revision
        _ = try await library.change(uuid) { $0[.price] = "2" }
        #expect(library.document.news.revision != shown)
        let late = try await library.document.events(.changes, since: shown)
        #expect(await first(late) { _ in true } == ServerEvent(kind: .document))

        // A window that shows the present state hears of the next change first.
        let present = library.document.news.revision
        let events = try await library.document.events(.book(uuid), since: present)
        _ = try await library.change(uuid) { $0[.price] = "3" }
        #expect(await first(events) { $0.kind == .results }?.books == [uuid.uuidString.lowercased()])
    }

    @Test func eventsAreSentAsTheStandardWantsThem() {
        #expect(
            ServerEvent(kind: .results, books: ["a", "b"]).text
                == "event: results\ndata: {\"books\":[\"a\",\"b\"]}\n\n")
        #expect(ServerEvent(kind: .document).text == "event: document\ndata: {\"books\":[]}\n\n")
    }
}
