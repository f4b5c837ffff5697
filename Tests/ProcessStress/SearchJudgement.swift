import CoreData
import GRDB
import TestSupport

/// Whether searches find what is in a store that processes have left: by the indexes as these are, and once they are up to date.
struct SearchJudgement {
    private let file: URL
    private let coordinator: NSPersistentStoreCoordinator

    init(_ file: URL, _ coordinator: NSPersistentStoreCoordinator) {
        self.file = file
        self.coordinator = coordinator
    }

    func failures() throws -> [String] {
        var failures = try differences()
        let coordinator = coordinator
        try waiting { try await coordinator.updateSearchIndexes() }
        failures += try differences(needsIndex: true)
        return failures
    }

    /// - Parameter needsIndex: whether fetches by parts of titles are to use the index.
    private func differences(needsIndex: Bool = false) throws -> [String] {
        let comparison = SearchComparison(worker: nil)
        let queue = try DatabaseQueue(path: file.path)
        defer { try? queue.close() }
        let stored = try queue.read(comparison.stored)
        let context = NSManagedObjectContext(.privateQueue)
        context.persistentStoreCoordinator = coordinator
        return try context.performAndWait {
            var failures: [String] = []
            for question in SearchQuestion.all {
                let found = try comparison.found(question, in: context)
                failures += [SearchComparison.difference(question, found, among: stored)].compactMap(\.self)
                guard needsIndex, SearchQuestion.Kind.ofParts.contains(question.kind) else { continue }
                let notes = try context.explanations(of: comparison.request(question.predicate))
                    .flatMap(\.indexNotes)
                if !notes.contains(where: { $0.contains(" leaves ") }) {
                    failures.append("the fetch \(question.predicate) does not use the index: \(notes)")
                }
            }
            return failures
        }
    }
}
