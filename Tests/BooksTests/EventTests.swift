import CoreData
import Testing

@testable import BooksApp

/// What other tests do on the same threads may keep an event waiting for minutes; one that never comes ends at the limit.
@Suite(.timeLimit(.minutes(40))) struct EventTests {
    @Test("A window is notified of changes of the books on its page")
    func aWindowIsNotifiedOfItsBooks() async throws {
        let library = try await TestLibrary()
        try library.add("One,Ada,2001,1", "Two,Ada,2002,1")
        let uuid = try #require(try await library.uuid("One"))
        let events = try await library.document.events(.books(BookListQuery()))
        _ = try await library.change(uuid) { $0[.price] = "2" }
        let event = await events.first { $0.kind == .results }
        #expect(event?.books == [uuid.uuidString.lowercased()])
    }

    @Test("A window of another book is notified of the document only")
    func aWindowOfAnotherBook() async throws {
        let library = try await TestLibrary()
        try library.add("One,Ada,2001,1", "Two,Ada,2002,1")
        let uuid = try #require(try await library.uuid("One"))
        let other = try #require(try await library.uuid("Two"))
        let events = try await library.document.events(.book(other))
        _ = try await library.change(uuid) { $0[.price] = "2" }
        let event = await events.first { _ in true }
        #expect(event == ServerEvent(kind: .document))
    }

    @Test("A window is notified of a save")
    func aSaveIsNotified() async throws {
        let library = try await TestLibrary()
        try library.add("One,Ada,2001,1")
        let uuid = try #require(try await library.uuid("One"))
        _ = try await library.change(uuid) { $0[.title] = "Two" }
        let events = try await library.document.events(.books(BookListQuery()))
        #expect(try await library.document.save() == [])
        // The derived values of the row are new.
        let event = await events.first { $0.kind == .results }
        #expect(event?.books == [uuid.uuidString.lowercased()])
    }

    @Test("A window is notified of a change since the revision that it shows")
    func aChangeSinceTheShownRevision() async throws {
        let library = try await TestLibrary()
        try library.add("One,Ada,2001,1")
        let uuid = try #require(try await library.uuid("One"))
        let shown = library.document.news.revision
        _ = try await library.change(uuid) { $0[.price] = "2" }
        #expect(library.document.news.revision != shown)
        let late = try await library.document.events(.changes, since: shown)
        #expect(await late.first { _ in true } == ServerEvent(kind: .document))

        // A window that shows the present state first gets the next change.
        let present = library.document.news.revision
        let events = try await library.document.events(.book(uuid), since: present)
        _ = try await library.change(uuid) { $0[.price] = "3" }
        #expect(await events.first { $0.kind == .results }?.books == [uuid.uuidString.lowercased()])
    }

    @Test("Events have the format of server-sent events")
    func eventsAreSentAsTheStandardWantsThem() {
        #expect(
            ServerEvent(kind: .results, books: ["a", "b"]).text
                == "event: results\ndata: {\"books\":[\"a\",\"b\"]}\n\n")
        #expect(ServerEvent(kind: .document).text == "event: document\ndata: {\"books\":[]}\n\n")
    }
}
