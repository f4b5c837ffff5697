import CoreData
import Foundation
import TestSupport

// Fetches by parts of strings, and the index of trigrams beside the store: its first build, the changes after it, another one in its
// place. Only an indexing changes the index, so the changes since it are found by the history.

extension Scenario {
    /// A store with history, whose names an earlier program has indexed by a model, or not yet.
    private static func prepare(_ stage: Stage, indexedBy model: NSManagedObjectModel?) throws {
        try Contents.make(stage, TortureModel.substrings, options: stage.options(withHistory))
        guard let model else { return }
        try stage.open(model, options: stage.options(withHistory))
        try stage.updateIndexes()
        try stage.close()
    }

    static let substringSearches = [
        Scenario(
            "search-trigrams-first", files: searched, repeats: true, search: .substrings,
            prepare: { try prepare($0, indexedBy: nil) }
        ) { stage in
            try stage.open(TortureModel.substrings, options: stage.options(withHistory))
            try stage.find("nn1", in: "Book", by: .rows)
            try stage.tryIndexing()
            try stage.find("nn1", in: "Book", by: .index)
            try stage.step { try stage.context().change { $0.make("Author", "War") } }
            try stage.find("war", in: "Author", by: .index)
        },
        Scenario(
            "search-trigrams-following", files: searched, repeats: true, search: .substrings,
            prepare: { try prepare($0, indexedBy: TortureModel.substrings) }
        ) { stage in
            try stage.open(TortureModel.substrings, options: stage.options(withHistory))
            let context = stage.context()
            try stage.step { try changeSearched(context) }
            try stage.find("eac", in: "Book", by: .index)
            try stage.tryIndexing()
            try stage.step { try context.change { $0.delete(try $0.get("Author", "Ben")) } }
            try stage.find("ben", in: "Book", by: .index)
            try stage.tryIndexing()
            try stage.find("eac", in: "Book", by: .index)
        },
        // The index is of another model's flags; later the history is deleted before it was indexed.
        Scenario(
            "search-trigrams-rebuild", files: searched, search: .substrings,
            prepare: { try prepare($0, indexedBy: TortureModel.fewerSubstrings) }
        ) { stage in
            try stage.open(TortureModel.substrings, options: stage.options(withHistory))
            try stage.find("nn1", in: "Book", by: .rows)
            try stage.tryIndexing()
            let context = stage.context()
            try stage.step { try context.change { $0.make("Author", "War") } }
            try stage.step {
                try context.performAndWait {
                    _ = try context.execute(
                        NSPersistentHistoryChangeRequest.deleteHistory(before: Date.distantFuture))
                }
            }
            try stage.find("war", in: "Author", by: .rows)
            try stage.tryIndexing()
            try stage.step { try context.change { $0.make("Author", "Later") } }
            try stage.find("ate", in: "Author", by: .rows)
            try stage.tryIndexing()
            try stage.find("ate", in: "Author", by: .index)
        },
        // Of the index only the first bytes are right.
        Scenario(
            "search-trigrams-damaged", files: searched, repeats: true, search: .substrings,
            prepare: { stage in
                try prepare(stage, indexedBy: TortureModel.substrings)
                let url = stage.url(Search.substrings.indexName)
                var index = try Data(contentsOf: url)
                index.replaceSubrange(100..., with: Data(repeating: 0xA5, count: index.count - 100))
                try index.write(to: url)
            }
        ) { stage in
            try stage.open(TortureModel.substrings, options: stage.options(withHistory))
            try stage.find("nn1", in: "Book", by: .rows)
            try stage.tryIndexing()
            try stage.step { try stage.context().change { $0.make("Author", "War") } }
            try stage.find("war", in: "Author", by: .index)
        },
        // An index that is left finds nothing of the store that was there.
        Scenario(
            "search-trigrams-destroy", files: searched, search: .substrings,
            prepare: { try prepare($0, indexedBy: TortureModel.substrings) }
        ) { stage in
            try stage.step(isDurable: true) {
                try NSPersistentStoreCoordinator(managedObjectModel: TortureModel.substrings)
                    .destroyPersistentStore(at: stage.main, type: .sqlite)
            }
        },
    ]
}

extension Stage {
    /// How a fetch comes to the objects with a part of a string.
    enum Way { case index, rows }

    /// Brings the indexes up to date. The run goes on after the first time that this fails.
    func tryIndexing() throws {
        do {
            try updateIndexes()
        } catch  where !hasFailedSearch {
            hasFailedSearch = true
        }
    }

    func updateIndexes() throws {
        guard let coordinator else { throw TortureError("No store is open.") }
        // One call after the other, so that its number means the same call in each run.
        try waiting { try await coordinator.updateSearchIndexes() }
    }

    /// Fetches by a part of a name. The run goes on after the first fetch that fails.
    func find(_ part: String, in entity: String, by way: Way) throws {
        do {
            wrongSearches += try substringComplaints([part], ["CONTAINS[cd]"], in: [entity])
        } catch {
            failedFetches.append(Oracle.text(error))
            guard !hasFailedSearch else { throw error }
            hasFailedSearch = true
        }
        guard checksWays else { return }
        let others = try substringComplaints([part], ["CONTAINS[cd]"], in: [entity], way: way)
        if let first = others.first { throw TortureError("\(done) steps: \(first)") }
    }

    /// What fetches by parts of names find otherwise than a look at all objects does.
    ///
    /// - Parameters:
    ///   - parts: three characters at least, which the index can help with.
    ///   - operators: with `[cd]`, in any case.
    ///   - way: how they are to be found; nil where that does not matter.
    func substringComplaints(
        _ parts: [String] = ["Ann", "nn2", "War", "eac", "fterw"],
        _ operators: [String] = ["CONTAINS", "LIKE[cd]"],
        in entities: [String] = ["Author", "Book"], way: Way? = nil
    ) throws -> [String] {
        let context = NSManagedObjectContext(.privateQueue)
        context.persistentStoreCoordinator = coordinator
        return try context.performAndWait {
            var complaints: [String] = []
            for entity in entities {
                let all = try context.fetch(NSFetchRequest<NSManagedObject>(entityName: entity))
                    .compactMap { $0.value(forKey: "name") as? String }
                for part in parts {
                    for name in operators {
                        let isInAnyCase = name.hasSuffix("[cd]")
                        let request = NSFetchRequest<NSManagedObject>(entityName: entity)
                        request.predicate = NSPredicate(
                            format: "name \(name) %@", name.hasPrefix("LIKE") ? "*\(part)*" : part)
                        let found = try context.fetch(request)
                            .compactMap { $0.value(forKey: "name") as? String }.sorted()
                        let expected = all.filter {
                            isInAnyCase
                                ? $0.lowercased().contains(part.lowercased()) : $0.contains(part)
                        }.sorted()
                        if found != expected {
                            complaints.append("\(name) '\(part)' finds \(found), not \(expected)")
                        }
                        guard let way else { continue }
                        let notes = try context.explanations(of: request).flatMap(\.indexNotes)
                        if notes.contains(where: { $0.contains(" leaves ") }) != (way == .index) {
                            complaints.append("\(name) '\(part)' is not found by the \(way): \(notes)")
                        }
                    }
                }
            }
            return complaints
        }
    }
}
