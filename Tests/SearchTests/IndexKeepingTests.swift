import CoreData
import Foundation
import GRDB
import ObjectGraph
import Testing

/// How the index of a SQLite store lives beside programs that save, lock and put other things in its place.
struct IndexKeepingTests {
    @Test("Saves and batch requests do not wait for the index", .timeLimit(.minutes(40)))
    func savesDoNotWait() async throws {
        let stack = try await SearchStack.withBothIndexes("warden")
        let locks = try [stack.index, stack.trigrams].map(IndexLock.init)
        let start = ContinuousClock.now
        try stack.context.save(["reward"])
        try stack.context.run { context throws in
            _ = try context.execute(NSBatchInsertRequest(entityName: "Book", objects: [["title": "toward"]]))
        }
        // Nor does a fetch, which reads the changes from the history.
        #expect(
            try stack.context.run { try $0.titles(containing: "ward") } == ["reward", "toward", "warden"])
        // One that waited for the lock would do so for a minute.
        #expect(ContinuousClock.now - start < .seconds(60))
        for lock in locks { try lock.end() }
        try stack.context.expect("toward", ["toward"], usesIndex: true)
    }

    @Test("A fetch does not wait for one that is opening or removing indexes", .timeLimit(.minutes(40)))
    func lockedFolder() async throws {
        let stack = try await SearchStack.withBothIndexes("warden")
        let other = try stack.other(SearchModel.withBothIndexes())
        let folder = open(stack.folder.path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        try #require(folder >= 0)
        try #require(flock(folder, LOCK_EX) == 0)
        #expect(try other.run { try $0.titles(containing: "arde") } == ["warden"])
        // A process that is being started may have the descriptor for a moment.
        _ = flock(folder, LOCK_UN)
        close(folder)
        #expect(
            try other.run { try $0.notes(NSPredicate(format: "title CONTAINS 'arde'")) }.contains("leaves"))
    }

    @Test("The store has no trace of its indexes: its tables, indexes and triggers are those without them")
    func untouchedStore() async throws {
        func schema(_ url: URL) throws -> [String] {
            try DatabaseQueue(path: url.path).read { database in
                try String.fetchAll(
                    database,
                    sql:
                        "SELECT type || ' ' || name || ' ' || COALESCE(sql, '') FROM sqlite_master ORDER BY 1"
                )
            }
        }
        let stack = try await SearchStack.withBothIndexes("warden", isIndexed: false)
        let before = try schema(stack.store)
        try await stack.coordinator.updateSearchIndexes()
        try stack.context.expect("warden", ["warden"], usesIndex: true)
        #expect(try schema(stack.store) == before)
        let plain = try SearchStack(.file, SearchModel.model())
        try plain.context.save(["warden"])
        #expect(try schema(plain.store) == before)
    }

    @Test(
        "A link or a pipe with the name of the index stays, and a search is an error with its path",
        arguments: ["link", "pipe"])
    func specialFiles(_ kind: String) throws {
        let stack = try SearchStack()
        try stack.context.save(["war"])
        let target = stack.folder.appendingPathComponent("Target")
        if kind == "link" {
            try Data("own".utf8).write(to: target)
            try FileManager.default.createSymbolicLink(at: stack.index, withDestinationURL: target)
        } else {
            try #require(mkfifo(stack.index.path, 0o600) == 0)
        }
        for title in ["war II", "war III"] {
            let error = #expect(throws: NSError.self) { try stack.context.run { try $0.titles("war") } }
            #expect(error?.localizedDescription.contains(stack.index.path) ?? false)
            try stack.context.save([title])
        }
        try stack.coordinator.deleteSearchIndexes()
        let attributes = try FileManager.default.attributesOfItem(atPath: stack.index.path)
        let type = attributes[.type] as? FileAttributeType
        #expect(kind == "link" ? type == .typeSymbolicLink : type != .typeRegular)
        if kind == "link" { #expect(try Data(contentsOf: target) == Data("own".utf8)) }
        try FileManager.default.removeItem(at: stack.index)
        #expect(try stack.context.run { try $0.titles("war") } == ["war", "war II", "war III"])
    }

    @Test("Programs whose models have other flags rebuild each other's index, and each finds its own words")
    func otherFlags() throws {
        let stack = try SearchStack()
        let flagged = SearchModel.model { $0["Book"]?.attributesByName["note"]?.isIndexedBySpotlight = true }
        let other = try stack.other(flagged)
        for number in 1...3 {
            try stack.context.run { context throws in
                context.add(["title": "war", "note": "secret"])
                try context.save()
                #expect(try context.titles("war").count == number && context.titles("secret").isEmpty)
            }
            #expect(try other.run { try $0.titles("secret").count } == number)
            #expect(try other.run { try $0.titles("war").count } == number)
        }
    }

    @Test("The index is that of the last commit, also for a context that has pinned a query generation")
    func pinnedGeneration() throws {
        let stack = try SearchStack()
        try stack.context.save(["war"])
        let pinned = NSManagedObjectContext(.privateQueue)
        pinned.persistentStoreCoordinator = stack.coordinator
        try pinned.run { context throws in
            try context.setQueryGenerationFrom(.current)
            #expect(try context.titles("war") == ["war"])
        }
        try stack.context.run { context throws in
            for book in try context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Book")) {
                book.setValue("peace", forKey: "title")
            }
            try context.save()
        }
        try pinned.run { context throws in
            context.refreshAllObjects()
            // The object is found by its present words, and has the values of the generation.
            #expect(try context.titles("war") == [])
            #expect(try context.titles("peace") == ["war"])
            try context.setQueryGenerationFrom(.current)
            #expect(try context.titles("peace") == ["peace"])
        }
    }

    @Test(
        "Indexing in the background that has failed tries again after some seconds, without any change",
        .timeLimit(.minutes(40)))
    func retry() async throws {
        let stack = try SearchStack()
        try stack.context.save(["war"])
        try FileManager.default.createDirectory(at: stack.index, withIntermediateDirectories: false)
        let progress = try #require(try stack.coordinator.startSearchIndexing().first)
        try await Task.sleep(for: .milliseconds(500))
        #expect(!progress.isFinished)
        try FileManager.default.removeItem(at: stack.index)
        while !progress.isFinished { try await Task.sleep(for: .milliseconds(20)) }
        stack.coordinator.stopSearchIndexing()
        #expect(FileManager.default.fileExists(atPath: stack.index.path))
        #expect(try stack.context.run { try $0.titles("war") } == ["war"])
    }

    @Test("The pause after a failure is twice the one before, from 5 seconds to 10 minutes")
    func pauses() {
        #expect(
            (0..<9).map { StoreIndexing.pause(afterFailures: $0) } == [5, 10, 20, 40, 80, 160, 320, 600, 600])
        #expect(StoreIndexing.pause(afterFailures: .max) == 600)
    }

    @Test(
        "Indexing in the background that fails again and again pauses longer each time, and not after it has succeeded",
        .timeLimit(.minutes(40)))
    func longerPauses() throws {
        let stack = try SearchStack()
        try stack.context.save(["war"])
        try FileManager.default.createDirectory(at: stack.index, withIntermediateDirectories: false)
        let store = stack.coordinator.searchedStores[0]
        let indexing = StoreIndexing(store, try StoreSearch.of(store), pauses: 0.05...0.8) { _, _ in }
        indexing.begin()
        defer { indexing.end() }
        var seen: [Double] = []
        while seen.last != 0.8 {
            if let pause = indexing.pause, pause != seen.last { seen.append(pause) }
            usleep(1_000)
        }
        // A busy machine may miss some of them.
        #expect(seen == seen.sorted() && Set(seen).isSubset(of: [0.05, 0.1, 0.2, 0.4, 0.8]), "\(seen)")
        try FileManager.default.removeItem(at: stack.index)
        while !indexing.progress.isFinished { usleep(1_000) }
        #expect(indexing.pause == nil)
    }

    @Test("A search that finds the index emptied again and again is an error, and the next one finds all")
    func emptiedAgainAndAgain() throws {
        let stack = try SearchStack()
        try stack.context.save(["war"])
        let search = try StoreSearch.of(stack.coordinator.searchedStores[0])
        _ = try search.current()
        let other = try DatabaseQueue(path: stack.index.path)
        var count = 0
        let error = #expect(throws: NSError.self) {
            try search.read { _ in
                count += 1
                // As a process that builds the index anew, for a model with other flags.
                try other.write { try $0.execute(sql: "DELETE FROM state WHERE name = 'signature'") }
            }
        }
        #expect(error?.localizedDescription.contains("keeps rebuilding it") ?? false)
        #expect(count > 1)
        #expect(try stack.context.run { try $0.titles("war") } == ["war"])
    }
}
