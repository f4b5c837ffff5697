import CoreData
import Foundation

// Searches, and the index beside the store: the first indexing, the changes after it, and indexing anew.

extension Scenario {
    static let searched = [StoreFile(name: Stage.mainName, type: .sqlite, hasHistory: true)]
    static var withHistory: [String: Any] { [NSPersistentHistoryTrackingKey: true] }

    /// A store with history, which has been searched unless it is to be searched for the first time.
    private static func prepare(_ stage: Stage, isIndexed: Bool) throws {
        try Contents.make(stage, options: stage.options(withHistory))
        guard isIndexed else { return }
        try stage.open(options: stage.options(withHistory))
        try stage.search()
        try stage.close()
    }

    /// Saves between searches. What the index meets is not a reason for a save to fail.
    /// Saves what searches by words and by parts of strings look for.
    static func changeSearched(_ context: NSManagedObjectContext) throws {
        try context.change { context in
            let author = context.make("Author", "Cid War")
            context.make("Book", "War and Peace", ["author": author])
            try context.get("Book", "Ann1").setValue("Peace", forKey: "name")
        }
    }

    private static func saveAndSearch(_ stage: Stage) throws {
        let context = stage.context()
        try stage.step { try changeSearched(context) }
        try stage.search()
        try stage.step { try context.change { $0.delete(try $0.get("Author", "Ben")) } }
        try stage.search()
    }

    static let searches = [
        Scenario(
            "search-first", files: searched, repeats: true, search: .words,
            prepare: { try prepare($0, isIndexed: false) }
        ) { stage in
            try stage.open(options: stage.options(withHistory))
            try stage.search()
            try stage.step { try stage.context().change { $0.make("Author", "War") } }
            try stage.search()
        },
        Scenario(
            "search-following", files: searched, repeats: true, search: .words,
            prepare: { try prepare($0, isIndexed: true) }
        ) { stage in
            try stage.open(options: stage.options(withHistory))
            try saveAndSearch(stage)
        },
        // The history goes before it was indexed.
        Scenario(
            "search-rebuild", files: searched, search: .words, prepare: { try prepare($0, isIndexed: true) }
        ) { stage in
            try stage.open(options: stage.options(withHistory))
            let context = stage.context()
            for name in ["War", "Peace"] {
                try stage.step { try context.change { $0.make("Author", name) } }
            }
            try stage.step {
                try context.performAndWait {
                    _ = try context.execute(
                        NSPersistentHistoryChangeRequest.deleteHistory(before: Date.distantFuture))
                }
            }
            try stage.search()
            try stage.step { try context.change { $0.make("Author", "Later") } }
            try stage.search()
        },
        // Of the index only the first bytes are right.
        Scenario(
            "search-damaged", files: searched, repeats: true, search: .words,
            prepare: { stage in
                try prepare(stage, isIndexed: true)
                var index = try Data(contentsOf: stage.index)
                index.replaceSubrange(100..., with: Data(repeating: 0xA5, count: index.count - 100))
                try index.write(to: stage.index)
            }
        ) { stage in
            try stage.open(options: stage.options(withHistory))
            try stage.search()
            try saveAndSearch(stage)
        },
        // An index that is left finds nothing of the store that was there.
        Scenario(
            "search-destroy", files: searched, search: .words, prepare: { try prepare($0, isIndexed: true) }
        ) { stage in
            try stage.step(isDurable: true) {
                try NSPersistentStoreCoordinator(managedObjectModel: TortureModel.first)
                    .destroyPersistentStore(at: stage.main, type: .sqlite)
            }
        },
    ]
}

extension Stage {
    /// The index of the main store.
    var index: URL { url(Self.mainName + "-search") }

    /// Searches. The run goes on after the first search that fails.
    func search() throws {
        do {
            // Each search makes some dozens of calls, all of which are made to fail.
            wrongSearches += try searchComplaints(["ann", "b"], [true])
        } catch  where !hasFailedSearch {
            hasFailedSearch = true
        }
    }

    /// What searches or fetches by parts of strings find otherwise than a look at all objects does.
    func complaints(of search: Scenario.Search) throws -> [String] {
        switch search {
        case .words: try searchComplaints()
        case .substrings: try substringComplaints()
        }
    }

    /// What searches find otherwise than a look at all objects does.
    ///
    /// - Parameters:
    ///   - words: what is searched.
    ///   - beginnings: whether as words, as beginnings of words, or both.
    func searchComplaints(
        _ words: [String] = [
            "ann", "ann1", "ben", "ben2", "war", "peace", "later", "afterwards", "b",
        ],
        _ beginnings: [Bool] = [false, true]
    ) throws -> [String] {
        let context = NSManagedObjectContext(.privateQueue)
        context.persistentStoreCoordinator = coordinator
        return try context.performAndWait {
            var complaints: [String] = []
            for entity in ["Author", "Book"] {
                let all = try context.fetch(NSFetchRequest<NSManagedObject>(entityName: entity))
                    .compactMap { $0.value(forKey: "name") as? String }
                for word in words {
                    for isBeginning in beginnings {
                        let request = NSFetchRequest<NSManagedObject>(entityName: entity)
                        request.predicate = NSPredicate(searching: word, completesLastWord: isBeginning)
                        let found = try context.fetch(request)
                            .compactMap { $0.value(forKey: "name") as? String }.sorted()
                        let expected = all.filter { Self.hasWord(word, isBeginning, $0) }.sorted()
                        guard found != expected else { continue }
                        complaints.append(
                            "the search for \(word)\(isBeginning ? "*" : "") finds \(found), not \(expected)")
                    }
                }
            }
            return complaints
        }
    }

    private static func hasWord(_ word: String, _ isBeginning: Bool, _ name: String) -> Bool {
        name.lowercased().split(separator: " ").contains { isBeginning ? $0.hasPrefix(word) : $0 == word }
    }
}
