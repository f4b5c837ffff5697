import CoreData
import Foundation

/// Full-text search of titles by the words of them: the first page of a search, the indexing in the background, and what that costs the
/// saves.
enum FullTextSearching {
    private static let entityName = "Title"
    /// A search has them in a sixth of the titles.
    private static let commonWords = ["river", "stone", "garden", "winter", "house", "little"]
    /// One of so many words is in each title: at most 10,000 of a million have the same.
    private static let rareWordCount = 101

    private static func indexedModel() -> NSManagedObjectModel {
        let (model, entity) = model(entityName, [("title", .string)])
        entity.attributesByName["title"]?.isIndexedBySpotlight = true
        return model
    }

    /// A title that is the same in every run.
    private static func title(_ index: Int) -> String {
        let random =
            UInt64(truncatingIfNeeded: index) &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        // Each word, and each beginning, is in as many titles as any other of its kind.
        let rare = index / commonWords.count % rareWordCount
        let other = Int(random >> 33) % 100
        return
            "\(commonWords[index % commonWords.count]) word\(rare) of the w\(rare)x\(other) \(random >> 48) \(index)"
    }

    /// A store of titles with its history, which the workloads of one run share.
    private static func store(_ count: Int, _ folder: Folder) throws -> NSPersistentStoreCoordinator {
        let file = folder.file("titles-\(count).sqlite")
        if !FileManager.default.fileExists(atPath: file.path) {
            // The history of the insertion would only take time.
            let coordinator = try NSPersistentStoreCoordinator.opening(file, indexedModel())
            for start in stride(from: 0, to: count, by: 20_000) {
                let titles = (start..<min(start + 20_000, count)).map { ["title": title($0)] }
                _ = try coordinator.inContext { context in
                    try context.execute(NSBatchInsertRequest(entityName: entityName, objects: titles))
                }
            }
            _ = try coordinator.closingOnlyStore()
        }
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: indexedModel())
        try coordinator.addPersistentStore(
            type: .sqlite, at: file, options: [NSPersistentHistoryTrackingKey: true])
        return coordinator
    }

    // MARK: Searching

    /// A kind of search: several with as many hits each.
    private struct Kind: Sendable {
        let name: String
        let searches: [String]
        /// How many hits each of them has in so many titles, about.
        let hits: @Sendable (Int) -> Int
        /// How long the first page may take, in milliseconds.
        let limit: Double
    }

    private static let kinds = [
        Kind(
            name: "word, 1 % of titles", searches: (20..<30).map { "word\($0)" },
            hits: { rareHits($0, of: 1) }, limit: 5),
        Kind(
            name: "prefix, 1 % of titles", searches: (20..<30).map { "w\($0)x*" },
            hits: { rareHits($0, of: 1) }, limit: 5),
        Kind(
            name: "word, 17 % of titles", searches: commonWords, hits: { $0 / commonWords.count }, limit: 20),
        Kind(
            name: "prefix, 17 % of titles", searches: commonWords.map { "\($0.prefix(4))*" },
            hits: { $0 / commonWords.count }, limit: 20),
        Kind(
            name: "prefix of many words", searches: (2..<10).map { "w\($0)*" },
            hits: { rareHits($0, of: 11) },
            limit: 20),
    ]

    /// About how many titles have one of some rare words.
    private static func rareHits(_ count: Int, of words: Int) -> Int { count * words / rareWordCount }

    /// The first pages of searches, of twenty objects with snippets, in a new context each.
    static func firstPages(_ count: Int, _ folder: Folder) throws -> Workload {
        let coordinator = try store(count, folder)
        return Workload(
            name: "first page of a search in \(count) titles",
            contestants: kinds.map { kind in
                .init(name: kind.name) {
                    for words in kind.searches { try search(words, kind, count, coordinator) }
                    return 1
                }
            },
            goals: kinds.map { .each($0.name, of: $0.searches.count, $0.limit, .milliseconds) })
    }

    private static func search(
        _ words: String, _ kind: Kind, _ count: Int, _ coordinator: NSPersistentStoreCoordinator
    ) throws {
        try coordinator.inContext { context in
            let page = try context.search(SearchRequest(words, entityName: entityName))
            let expected = kind.hits(count)
            guard abs(page.count - expected) <= 1 + expected / 50,
                page.hits.count == min(page.count, 20), page.hits.allSatisfy({ $0.snippet != nil }),
                page.isRanked == (page.count <= 10_000)
            else {
                throw Workload.Failure(
                    description:
                        "\(words): \(page.count) hits instead of \(expected), ranked: \(page.isRanked)")
            }
        }
    }

    // MARK: Indexing

    /// Begins to index all anew.
    private static func beginIndexing(_ coordinator: NSPersistentStoreCoordinator) throws -> Progress {
        guard let progress = try coordinator.startSearchIndexing().first else {
            throw Workload.Failure(description: "nothing to be indexed")
        }
        return progress
    }

    /// Ends the indexing and removes the index.
    private static func removeIndex(_ coordinator: NSPersistentStoreCoordinator) throws {
        coordinator.stopSearchIndexing()
        // The running step comes to its end.
        Thread.sleep(forTimeInterval: 1)
        try coordinator.deleteSearchIndexes()
    }

    static func indexing(_ count: Int, _ folder: Folder) throws -> Workload {
        let coordinator = try store(count, folder)
        return Workload(
            name: "index \(count) titles in the background",
            contestants: [
                .init(name: "indexing", prepare: { try removeIndex(coordinator) }) {
                    let progress = try beginIndexing(coordinator)
                    while !progress.isFinished { Thread.sleep(forTimeInterval: 0.001) }
                    return 1
                }
            ],
            // 50,000 titles a second.
            goals: [.each("indexing", of: count, 20, .microseconds)])
    }

    /// Makes so many saves of one change each.
    private static func saving(
        _ saves: Int, _ coordinator: NSPersistentStoreCoordinator
    ) throws -> () throws -> Int {
        let context = coordinator.newContext()
        nonisolated(unsafe) var turn = 0
        nonisolated(unsafe) let titles = try context.performAndWait {
            let request = NSFetchRequest<NSManagedObject>(entityName: entityName)
            request.fetchLimit = 100
            return try context.fetch(request)
        }
        return {
            try context.performAndWait {
                for _ in 0..<saves {
                    turn += 1
                    titles[turn % titles.count].setValue(title(turn), forKey: "title")
                    try context.save()
                }
                return saves
            }
        }
    }

    /// Saves without and beside the first indexing of the store.
    static func savesWhileIndexing(_ count: Int, _ folder: Folder) throws -> Workload {
        let coordinator = try store(count, folder)
        let saves = max(10, count / 1_000)
        let save = try saving(saves, coordinator)
        return Workload(
            name: "\(saves) saves while \(count) titles are indexed",
            contestants: [
                .init(name: "saves", prepare: { try removeIndex(coordinator) }) { try save() },
                .init(
                    name: "saves beside indexing",
                    prepare: {
                        try removeIndex(coordinator)
                        let progress = try beginIndexing(coordinator)
                        // Counting the objects comes before that.
                        while progress.completedUnitCount == 0 { Thread.sleep(forTimeInterval: 0.001) }
                    }
                ) { try save() },
            ],
            goals: [.ratio("saves beside indexing", to: "saves", 1.1)])
    }

    /// Saves without an index, and beside an indexing that follows them.
    static func savesWhileFollowing(_ count: Int, _ folder: Folder) throws -> Workload {
        let coordinator = try store(count, folder)
        let saves = max(10, count / 10)
        let save = try saving(saves, coordinator)
        return Workload(
            name: "\(saves) saves that the index of \(count) titles follows",
            contestants: [
                .init(name: "saves", prepare: { try removeIndex(coordinator) }) { try save() },
                .init(
                    name: "saves beside following",
                    prepare: {
                        let progress = try beginIndexing(coordinator)
                        while !progress.isFinished { Thread.sleep(forTimeInterval: 0.001) }
                    }
                ) { try save() },
            ],
            goals: [])
    }
}
