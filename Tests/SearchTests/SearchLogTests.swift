import CoreData
import Foundation
import GRDB
import Logging
import Testing

/// Keeps what is logged, as lines that begin with the label of the logger.
private struct SearchRecorder: LogHandler {
    nonisolated(unsafe) private static var kept: [String] = []
    private static let lock = NSLock()
    static var lines: [String] { lock.withLock { kept } }

    /// The lines since the last call.
    static func take() -> [String] {
        lock.withLock {
            defer { kept = [] }
            return kept
        }
    }

    let label: String
    var metadata: Logger.Metadata = [:]
    var logLevel = Logger.Level.debug
    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
        Self.lock.withLock { Self.kept.append("\(label) \(event.message)") }
    }
}

/// What the log says of indexes. Each test is a process of its own: the log is chosen once.
struct SearchLogTests {
    private static func titles(_ words: String, _ context: NSManagedObjectContext) throws -> [String] {
        try context.run { try $0.titles(words) }
    }

    @Test("Attributes and display names that are not indexed are named in the log, once for each index")
    func ignored() async {
        await #expect(processExitsWith: .success) {
            LoggingSystem.bootstrap { SearchRecorder(label: $0) }
            let model = SearchModel.model { entities in
                let spoken = SearchModel.attribute("spoken", .string)
                spoken.isTransient = true
                entities["Book"]?.properties += [SearchModel.attribute("isRead", .boolean), spoken]
                entities["Book"]?.coreSpotlightDisplayNameExpression = NSExpression(
                    format: "uppercase(spoken)")
            }
            let stack = try SearchStack(.file, model)
            try stack.context.save(["war"])
            for _ in 0..<2 { try #require(try SearchLogTests.titles("war", stack.context) == ["war"]) }
            let lines = SearchRecorder.lines.filter {
                $0.contains("not indexed for search") && $0.contains("'Book'")
            }
            try #require(lines.count == 2, "\(lines)")
            try #require(
                lines.contains { $0.contains("isRead") && $0.contains("spoken") && !$0.contains("title") })
            try #require(lines.contains { $0.contains("display name") })
        }
    }

    @Test("The log has a line when an index is rebuilt: for deleted history, and for a damaged file")
    func rebuilt() async {
        await #expect(processExitsWith: .success) {
            LoggingSystem.bootstrap { SearchRecorder(label: $0) }
            let stack = try SearchStack()
            try stack.context.save(["war"])
            try #require(try SearchLogTests.titles("war", stack.context).count == 1)
            try #require(SearchRecorder.take().allSatisfy { !$0.contains("rebuilt") })
            try stack.context.save(["war II"])
            try stack.deleteHistory()
            try #require(try SearchLogTests.titles("war", stack.context).count == 2)
            var lines = SearchRecorder.take().filter {
                $0.contains("rebuilt") && $0.contains(stack.store.path)
            }
            try #require(lines.count == 1 && lines[0].contains("history was deleted"), "\(lines)")
            try DatabaseQueue(path: stack.index.path).write { try $0.execute(sql: "DELETE FROM d1_data") }
            try #require(try SearchLogTests.titles("war", stack.context).count == 2)
            lines = SearchRecorder.take().filter { $0.contains("rebuilt") && $0.contains(stack.store.path) }
            try #require(lines.count == 1, "\(lines)")
        }
    }

    @Test(
        "The log has one line for an error of indexing in the background, however often it is tried",
        .timeLimit(.minutes(40)))
    func backgroundError() async {
        await #expect(processExitsWith: .success) {
            LoggingSystem.bootstrap { SearchRecorder(label: $0) }
            let stack = try SearchStack()
            try stack.context.save(["war"])
            try FileManager.default.createDirectory(at: stack.index, withIntermediateDirectories: false)
            _ = try stack.coordinator.startSearchIndexing()
            func lines() -> [String] { SearchRecorder.lines.filter { $0.contains("could not be indexed") } }
            while lines().isEmpty { try await Task.sleep(for: .milliseconds(10)) }
            // The second attempt comes after five seconds.
            for _ in 0..<3 { try stack.context.save(["war"]) }
            try await Task.sleep(for: .seconds(7))
            try #require(lines().count == 1, "\(lines())")
            try #require(lines()[0].contains(stack.index.path))
            stack.coordinator.stopSearchIndexing()
        }
    }

    @Test("At debug level the log says of each fetch what the trigram index has left, or why it was not used")
    func explanations() async {
        await #expect(processExitsWith: .success) {
            LoggingSystem.bootstrap { SearchRecorder(label: $0) }
            let stack = try await SearchStack.titled("warden", "peace")
            _ = SearchRecorder.take()
            try #require(try stack.numbers("title CONTAINS 'ward'") == [1])
            let used = SearchRecorder.take().filter { $0.hasPrefix("com.apple.CoreData.sql ") }
            try #require(used.contains { $0.contains("leaves 1 objects") }, "\(used)")
            try stack.deleteHistory()
            try #require(try stack.numbers("title CONTAINS 'ward'") == [1])
            let unused = SearchRecorder.take().filter { $0.hasPrefix("com.apple.CoreData.sql ") }
            try #require(unused.contains { $0.contains("All rows are read") }, "\(unused)")
        }
    }
}
