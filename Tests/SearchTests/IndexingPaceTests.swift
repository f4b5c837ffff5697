import CoreData
import Dispatch
import Foundation
import ObjectGraph
import Synchronization
import Testing

/// Saves, or notes of saves, that never pause until they are ended.
private final class EndlessSaves: Sendable {
    private let hasEnded = Mutex(false)
    private let group = DispatchGroup()

    /// - Parameter save: is called again and again, with a number that grows.
    init(_ save: @escaping @Sendable (Int) throws -> Void) {
        DispatchQueue(label: "SearchTests.EndlessSaves").async(group: group) { [self] in
            var number = 0
            while !hasEnded.withLock({ $0 }) {
                number += 1
                do {
                    try save(number)
                } catch {
                    Issue.record(error)
                    return
                }
            }
        }
    }

    /// Returns after the last of them.
    func end() {
        hasEnded.withLock { $0 = true }
        group.wait()
    }
}

/// How an indexing in the background makes room for saves.
struct IndexingPaceTests {
    private static let hour: UInt64 = 3_600_000_000_000

    enum End: CaseIterable {
        case saves, caller, closing, cancellation
    }

    @Test(
        """
        An indexing that rests goes on once saves pause, a caller waits for the index, the store has closed its file, or it is \
        cancelled
        """,
        .timeLimit(.minutes(40)), arguments: End.allCases)
    func goesOn(_ end: End) {
        let pace = IndexingPace(longest: 3_600)
        let saves = EndlessSaves { _ in
            pace.noteChange()
            usleep(200)
        }
        let cancellation = FetchCancellation()
        let rest = DispatchGroup()
        DispatchQueue.global().async(group: rest) {
            // The first change may not have been noted yet.
            while !pace.rest(Self.hour, isCancelled: { cancellation.isCancelled }) {}
        }
        while pace.restCount == 0 { usleep(1_000) }
        switch end {
        case .saves:
            saves.end()
            rest.wait()
        case .caller: pace.hurrying { rest.wait() }
        case .closing:
            pace.noteClosing()
            rest.wait()
        case .cancellation:
            cancellation.cancel()
            rest.wait()
        }
        saves.end()
        #expect(pace.restCount == 1)
    }

    @Test("An indexing does not rest while there are no saves, or a caller waits for the index")
    func doesNotRest() {
        let pace = IndexingPace(longest: 3_600)
        #expect(!pace.rest(Self.hour, isCancelled: { false }))
        pace.hurrying {
            for _ in 0..<100 {
                pace.noteChange()
                #expect(!pace.rest(Self.hour, isCancelled: { false }))
            }
        }
        #expect(pace.restCount == 0)
    }

    @Test("A rest ends beside saves that never pause", .timeLimit(.minutes(40)))
    func ends() {
        let pace = IndexingPace(longest: 0.02)
        let saves = EndlessSaves { _ in pace.noteChange() }
        defer { saves.end() }
        for _ in 0..<5 { while !pace.rest(Self.hour, isCancelled: { false }) {} }
    }

    /// A store of books that are not indexed yet.
    private func stack(_ count: Int) throws -> SearchStack {
        let stack = try SearchStack()
        try stack.context.run { context throws in
            _ = try context.execute(
                NSBatchInsertRequest(
                    entityName: "Book", objects: (0..<count).map { ["title": "war n\($0)"] as [String: Any] })
            )
        }
        return stack
    }

    /// Changes one book again and again.
    private func saves(to stack: SearchStack) throws -> EndlessSaves {
        let context = stack.context
        nonisolated(unsafe) let book = try context.run { $0.add(["title": "peace"]) }
        return EndlessSaves { number in
            try context.run { context throws in
                book.setValue("peace p\(number)", forKey: "title")
                try context.save()
            }
        }
    }

    @Test(
        "Beside saves that never pause, an indexing in the background rests, and indexes all nevertheless",
        .timeLimit(.minutes(40)))
    func endlessSaves() throws {
        let stack = try stack(1_000)
        let search = try StoreSearch.of(stack.coordinator.searchedStores[0])
        let saves = try saves(to: stack)
        let progress = try #require(try stack.coordinator.startSearchIndexing().first)
        defer { stack.coordinator.stopSearchIndexing() }
        while !progress.isFinished { usleep(1_000) }
        #expect(progress.completedUnitCount == progress.totalUnitCount)
        #expect(try search.position() != nil)
        saves.end()
        #expect(search.pace.restCount > 0)
        try stack.context.run { context throws in
            #expect(try context.search(context.request("war")).count == 1_000)
            #expect(try context.titles("n999") == ["war n999"])
            #expect(try context.titles("peace").count == 1)
        }
    }

    @Test(
        "Beside saves that never pause, searches of this coordinator and of another one find all that an indexing has not reached",
        .timeLimit(.minutes(40)))
    func searches() throws {
        let stack = try stack(2_000)
        let other = try stack.other()
        let saves = try saves(to: stack)
        defer { saves.end() }
        let search = try StoreSearch.of(stack.coordinator.searchedStores[0])
        try stack.coordinator.startSearchIndexing()
        defer { stack.coordinator.stopSearchIndexing() }
        // A quick machine may have indexed all before the first save.
        while try search.pace.restCount == 0 && search.position() == nil { usleep(1_000) }
        #expect(try other.run { try $0.titles("n1999") } == ["war n1999"])
        #expect(try stack.context.run { try $0.search($0.request("war")).count } == 2_000)
    }

    @Test("Without saves an indexing in the background does not rest", .timeLimit(.minutes(40)))
    func noSaves() throws {
        let stack = try stack(1_000)
        try stack.close()
        // The store is opened anew: no change is noted.
        try stack.coordinator.addPersistentStore(
            type: .sqlite, at: stack.store, options: [NSPersistentHistoryTrackingKey: true])
        let search = try StoreSearch.of(stack.coordinator.searchedStores[0])
        let progress = try #require(try stack.coordinator.startSearchIndexing().first)
        while !progress.isFinished { usleep(1_000) }
        #expect(search.pace.restCount == 0)
        stack.coordinator.stopSearchIndexing()
    }

    @Test(
        "A store is removed while its indexing rests, and what was indexed is used later",
        .timeLimit(.minutes(40)))
    func removedStore() throws {
        let stack = try stack(2_000)
        let saves = try saves(to: stack)
        let search = try StoreSearch.of(stack.coordinator.searchedStores[0])
        try stack.coordinator.startSearchIndexing()
        while try search.pace.restCount == 0 && search.position() == nil { usleep(1_000) }
        saves.end()
        try stack.close()
        let other = try stack.other()
        #expect(try other.run { try $0.search($0.request("war")).count } == 2_000)
    }
}
