import CoreData
import Foundation
import GRDB
import Testing

/// The first indexing of a store, which takes more than one step.
struct FirstIndexingTests {
    /// A store of so many books.
    private func stack(_ count: Int, _ title: (Int) -> String) throws -> SearchStack {
        let stack = try SearchStack()
        try stack.context.run { context throws in
            _ = try context.execute(
                NSBatchInsertRequest(
                    entityName: "Book", objects: (0..<count).map { ["title": title($0)] as [String: Any] }))
        }
        return stack
    }

    /// A value of the index's own settings, as FTS5 has it for books.
    private func merging(_ stack: SearchStack) throws -> Int? {
        try DatabaseQueue(path: stack.index.path).read { database in
            try Int.fetchOne(database, sql: "SELECT v FROM d1_config WHERE k = 'automerge'")
        }
    }

    @Test("Objects of several steps are indexed, and what follows is merged again", .timeLimit(.minutes(40)))
    func steps() throws {
        let stack = try stack(21_000) { "war n\($0)" }
        try stack.context.run { context throws in
            #expect(try context.search(context.request("war")).count == 21_000)
            for number in [0, 1, 9_999, 10_000, 19_999, 20_000, 20_999] {
                #expect(try context.titles("n\(number)") == ["war n\(number)"])
            }
            context.add(["title": "war after"])
            try context.save()
            #expect(try context.search(context.request("war")).count == 21_001)
        }
        #expect(try merging(stack) == 4)
    }

    @Test("Long texts end a step earlier: an indexing that is ended after it goes on behind them")
    func longTexts() async throws {
        let long = String(repeating: "peace and war ", count: 30_000)
        let stack = try stack(60) { "n\($0) \(long)" }
        let progress = try #require(try stack.coordinator.startSearchIndexing().first)
        while progress.completedUnitCount <= 0 { try await Task.sleep(for: .milliseconds(1)) }
        stack.coordinator.stopSearchIndexing()
        try stack.context.run { context throws in
            for number in 0..<60 { #expect(try context.count(for: found("n\(number)")) == 1) }
            #expect(try context.count(for: found("war")) == 60)
        }
    }

    private func found(_ words: String) -> NSFetchRequest<NSManagedObject> {
        let request = NSFetchRequest<NSManagedObject>(entityName: "Book")
        request.predicate = NSPredicate(searching: words)
        return request
    }
}
