import CoreData
import Foundation
import GRDB
import Testing

/// The index of a SQLite store: what it follows, where it is, and what becomes of it.
struct SearchIndexTests {
    private func count(_ words: String, _ context: NSManagedObjectContext) throws -> Int {
        try context.run { try $0.titles(words).count }
    }

    private func fill(_ stack: SearchStack, _ titles: String...) throws {
        try stack.context.run { context throws in
            for title in titles { context.add(["title": title]) }
            try context.save()
        }
    }

    /// Runs SQL on the index.
    private func execute(_ stack: SearchStack, _ sql: String) throws {
        try DatabaseQueue(path: stack.index.path).write { try $0.execute(sql: sql) }
    }

    @Test("The index follows batch requests")
    func batchRequests() throws {
        let stack = try SearchStack()
        try fill(stack, "war")
        #expect(try count("war", stack.context) == 1)
        try stack.context.run { context throws in
            try context.execute(
                NSBatchInsertRequest(
                    entityName: "Book", objects: (0..<2_500).map { ["title": "peace \($0)"] }))
            #expect(try context.titles("peace").count == 2_500)
            let update = NSBatchUpdateRequest(entityName: "Book")
            update.predicate = NSPredicate(searching: "\"peace 7\"")
            update.propertiesToUpdate = ["title": "Schloß"]
            try context.execute(update)
            #expect(try context.titles("schloss").count == 1)
            let old = NSFetchRequest<any NSFetchRequestResult>(entityName: "Book")
            old.predicate = NSPredicate(searching: "peace")
            try context.execute(NSBatchDeleteRequest(fetchRequest: old))
            #expect(try context.titles("peace").isEmpty)
            #expect(try context.titles("war OR schloss").count == 2)
        }
    }

    @Test("The index follows the saves of all coordinators, whichever of them searched first")
    func otherCoordinators() throws {
        let stack = try SearchStack()
        try fill(stack, "war")
        let other = try stack.other()
        #expect(try count("war", other) == 1)
        try fill(stack, "war II")
        #expect(try count("war", other) == 2)
        try other.run { context throws in
            context.add(["title": "war III"])
            try context.save()
        }
        #expect(try count("war", stack.context) == 3)
        #expect(try count("war", other) == 3)
    }

    @Test("What a program saves that opened the store before it had any history is found")
    func writerBeforeAnyHistory() throws {
        let silent = try SearchStack(.file, options: [NSPersistentHistoryTrackingKey: false])
        try fill(silent, "war")
        let other = try silent.other()
        #expect(try count("war", other) == 1)
        try other.run { context throws in
            context.add(["title": "war II"])
            try context.save()
        }
        #expect(try count("war", other) == 2)
        for number in 3...5 {
            try fill(silent, "war \(number)")
            #expect(try count("war", other) == number)
        }
        try silent.context.run { context throws in
            let all = NSFetchRequest<any NSFetchRequestResult>(entityName: "Book")
            try context.execute(NSBatchDeleteRequest(fetchRequest: all))
        }
        #expect(try count("war", other) == 0)
    }

    @Test("Deleting history that is indexed changes no result")
    func indexedHistory() throws {
        let stack = try SearchStack()
        try fill(stack, "war")
        try fill(stack, "war II")
        #expect(try count("war", stack.context) == 2)
        try stack.context.run { context throws in
            _ = try context.execute(
                NSPersistentHistoryChangeRequest.deleteHistory(before: Date.distantFuture))
        }
        let before = try Data(contentsOf: stack.index)
        try fill(stack, "war III")
        #expect(try count("war", stack.context) == 3)
        #expect(!before.isEmpty)
    }

    @Test("The index is rebuilt when history is deleted before it was indexed")
    func missingHistory() throws {
        let stack = try SearchStack()
        try fill(stack, "war")
        #expect(try count("war", stack.context) == 1)
        try fill(stack, "war II")
        try stack.context.run { context throws in
            _ = try context.execute(
                NSPersistentHistoryChangeRequest.deleteHistory(before: Date.distantFuture))
        }
        #expect(try count("war", stack.context) == 2)
        try fill(stack, "war III")
        #expect(try count("war", stack.context) == 3)
    }

    @Test("The index has the mode of the store, and a store in memory has no file")
    func mode() throws {
        let stack = try SearchStack()
        try fill(stack, "war")
        try #require(chmod(stack.store.path, 0o640) == 0)
        #expect(try count("war", stack.context) == 1)
        for suffix in ["", "-wal", "-shm"] {
            let attributes = try FileManager.default.attributesOfItem(atPath: stack.index.path + suffix)
            #expect(attributes[.posixPermissions] as? Int == 0o640, "\(suffix)")
        }
        let memory = try SearchStack(.database)
        try fill(memory, "war")
        #expect(try count("war", memory.context) == 1)
        #expect(try FileManager.default.contentsOfDirectory(atPath: memory.folder.path).isEmpty)
        #expect(!FileManager.default.fileExists(atPath: "/dev/null-search"))
    }

    @Test("Nothing is lost when the index is deleted, by a call or by hand")
    func deletion() throws {
        let stack = try SearchStack()
        try fill(stack, "war")
        #expect(try count("war", stack.context) == 1)
        try stack.coordinator.deleteSearchIndexes()
        #expect(!FileManager.default.fileExists(atPath: stack.index.path))
        #expect(try count("war", stack.context) == 1)
        #expect(FileManager.default.fileExists(atPath: stack.index.path))
        for suffix in ["", "-wal", "-shm"] {
            try FileManager.default.removeItem(atPath: stack.index.path + suffix)
        }
        #expect(try count("war", stack.other()) == 1)
    }

    @Test("Destroying a store removes its index, and so does replacing it")
    func destroyAndReplace() throws {
        let stack = try SearchStack()
        try fill(stack, "war")
        #expect(try count("war", stack.context) == 1)
        let source = try SearchStack()
        try fill(source, "peace", "peace II")
        #expect(try count("peace", source.context) == 2)
        try stack.coordinator.replacePersistentStore(
            at: stack.store, withPersistentStoreFrom: source.store, type: .sqlite)
        try stack.context.run { context throws in
            context.reset()
            #expect(try context.titles("peace").count == 2)
            #expect(try context.titles("war").isEmpty)
        }
        #expect(try count("peace", source.context) == 2)
        try stack.coordinator.destroyPersistentStore(at: stack.store, type: .sqlite)
        let names = try FileManager.default.contentsOfDirectory(atPath: stack.folder.path)
        #expect(!names.contains { $0.contains("-search") })
    }

    @Test("Replacing or destroying a store keeps files and stores whose names begin like its index's")
    func neighbours() throws {
        let stack = try SearchStack()
        try fill(stack, "war")
        let source = try SearchStack()
        try fill(source, "peace")
        // A store with an index of its own, and files that are not stores.
        let archive = URL(fileURLWithPath: stack.store.path + "-search-archive")
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: SearchModel.model())
        try coordinator.addPersistentStore(
            type: .sqlite, at: archive, options: [NSPersistentHistoryTrackingKey: true])
        defer { for store in coordinator.persistentStores { try? coordinator.remove(store) } }
        let context = NSManagedObjectContext(.privateQueue)
        context.persistentStoreCoordinator = coordinator
        try context.run { context throws in
            context.add(["title": "archive"])
            try context.save()
        }
        #expect(try count("archive", context) == 1)
        let texts = ["-search-notes.txt", "-search-notes", "-search-empty"].map {
            URL(fileURLWithPath: stack.store.path + $0)
        }
        for text in texts.dropLast() { try Data("notes".utf8).write(to: text) }
        try Data().write(to: texts[2])
        let kept = texts + [archive, URL(fileURLWithPath: archive.path + "-search")]
        func checkKept(_ action: String) throws {
            for url in kept { #expect(FileManager.default.fileExists(atPath: url.path), "\(action): \(url)") }
            #expect(try count("archive", context) == 1)
        }

        #expect(try count("war", stack.context) == 1)
        try stack.coordinator.replacePersistentStore(
            at: stack.store, withPersistentStoreFrom: source.store, type: .sqlite)
        try checkKept("replaced")
        #expect(try count("peace", stack.context) == 1)
        try stack.coordinator.destroyPersistentStore(at: stack.store, type: .sqlite)
        try checkKept("destroyed")
        for suffix in ["", "-wal", "-shm", "-journal"] {
            #expect(!FileManager.default.fileExists(atPath: stack.index.path + suffix), "\(suffix)")
        }
    }

    @Test("Destroying a store keeps a file of another program that has the name of its index")
    func foreignFile() throws {
        let stack = try SearchStack()
        try fill(stack, "war")
        try DatabaseQueue(path: stack.index.path).write { try $0.execute(sql: "CREATE TABLE own (a)") }
        try stack.coordinator.destroyPersistentStore(at: stack.store, type: .sqlite)
        #expect(FileManager.default.fileExists(atPath: stack.index.path))
    }

    @Test("The file of an index has its mark in the header before the log is checkpointed")
    func mark() throws {
        let stack = try SearchStack()
        try fill(stack, "war")
        #expect(try count("war", stack.context) == 1)
        let header = try Data(contentsOf: stack.index).prefix(100)
        #expect(header.dropFirst(68).prefix(4) == Data("OCSI".utf8))
    }

    @Test("A store that was migrated to another file is searched there")
    func migratedStore() throws {
        let stack = try SearchStack()
        try fill(stack, "war")
        #expect(try count("war", stack.context) == 1)
        let url = stack.folder.appendingPathComponent("Other.db")
        let store = try #require(stack.coordinator.persistentStores.first)
        _ = try stack.coordinator.migratePersistentStore(
            store, to: url, options: [NSPersistentHistoryTrackingKey: true], type: .sqlite)
        try fill(stack, "war II")
        #expect(try count("war", stack.context) == 2)
        #expect(FileManager.default.fileExists(atPath: url.path + "-search"))
    }

    @Test("The index is rebuilt when the model's flags change")
    func changedModel() throws {
        let stack = try SearchStack()
        try stack.context.run { context throws in
            context.add(["title": "war", "note": "peace"])
            try context.save()
        }
        #expect(try count("war", stack.context) == 1)
        #expect(try count("peace", stack.context) == 0)
        let flagged = SearchModel.model { entities in
            entities["Book"]?.attributesByName["note"]?.isIndexedBySpotlight = true
            entities["Book"]?.attributesByName["title"]?.isIndexedBySpotlight = false
        }
        let other = try stack.other(flagged)
        #expect(try count("peace", other) == 1)
        #expect(try count("war", other) == 0)
        let named = SearchModel.model {
            $0["Author"]?.coreSpotlightDisplayNameExpression = NSExpression(forKeyPath: "first")
        }
        let third = try stack.other(named)
        try third.run { context throws in
            context.add("Author", ["first": "Franz", "last": "Kafka"])
            try context.save()
            #expect(try context.searchCounts("franz") == ["Author": 1])
            #expect(try context.searchCounts("kafka").isEmpty)
        }
    }

    @Test("A display name that is computed from attributes is searched")
    func displayName() throws {
        let model = SearchModel.model {
            $0["Author"]?.coreSpotlightDisplayNameExpression = NSExpression(format: "uppercase(last)")
        }
        let stack = try SearchStack(.file, model)
        try stack.context.run { context throws in
            let author = context.add("Author", ["first": "Franz", "last": "Kafka"])
            #expect(try context.searchCounts("kafka") == ["Author": 1])
            try context.save()
            #expect(try context.searchCounts("kafka") == ["Author": 1])
            #expect(try context.search(context.request("kafka", entity: "Author")).hits[0].snippet == nil)
            author.setValue("Werfel", forKey: "last")
            try context.save()
            #expect(try context.searchCounts("werfel") == ["Author": 1])
            #expect(try context.searchCounts("kafka").isEmpty)
        }
    }

    @Test("A file that is not a database, or a damaged index, is replaced", arguments: 0..<5)
    func damage(_ kind: Int) throws {
        let stack = try SearchStack()
        try fill(stack, "war", "peace")
        if kind > 0 { #expect(try count("war", stack.context) == 1) }
        try stack.coordinator.deleteSearchIndexesUnlessKept(kind > 1)
        switch kind {
        case 0: try Data("not a database, by far".utf8).write(to: stack.index)
        case 1: try Data().write(to: stack.index)
        case 2: try execute(stack, "DROP TABLE state")
        case 3: try execute(stack, "DELETE FROM d1_data")
        default: try execute(stack, "PRAGMA user_version = 77")
        }
        let other = try stack.other()
        #expect(try count("war", other) == 1)
        try other.run { context throws in
            context.add(["title": "war II"])
            try context.save()
            #expect(try context.titles("war").count == 2)
        }
    }

    @Test(
        "A search of an index with damaged bytes ends, and a new index is right", .timeLimit(.minutes(40)),
        arguments: 0..<20)
    func damagedBytes(_ seed: Int) throws {
        let stack = try SearchStack()
        var texts = RandomTexts(seed: UInt64(seed + 100))
        try stack.context.run { context throws in
            for _ in 0..<150 { context.add(["title": "war " + texts.text(ofWords: 10)]) }
            try context.save()
        }
        #expect(try count("war", stack.context) == 150)
        for store in stack.coordinator.persistentStores { try stack.coordinator.remove(store) }
        var bytes = try Data(contentsOf: stack.index)
        for _ in 0..<30 { bytes[texts.number(below: bytes.count)] = UInt8(texts.number(below: 256)) }
        try bytes.write(to: stack.index)
        let other = try stack.other()
        // What SQLite does not notice may be missing; nothing that a search finds is more than the store has.
        for query in ["war", "wa*", "\"war über\" OR schloss"] { #expect(try count(query, other) <= 150) }
        try other.run { context throws in
            context.add(["title": "war"])
            try context.save()
            _ = try context.titles("war")
        }
        try other.persistentStoreCoordinator?.deleteSearchIndexes()
        #expect(try count("war", other) == 151)
    }

    @Test("A folder with the name of the index is kept, and the error has its path")
    func folderInTheWay() throws {
        let stack = try SearchStack()
        try fill(stack, "war")
        try FileManager.default.createDirectory(at: stack.index, withIntermediateDirectories: false)
        let error = #expect(throws: NSError.self) { try count("war", stack.context) }
        #expect(error?.localizedDescription.contains(stack.index.path) ?? false)
        try fill(stack, "war II")
        try FileManager.default.removeItem(at: stack.index)
        #expect(try count("war", stack.context) == 2)
    }

    @Test("A store that is opened read-only is searched by a temporary index")
    func readOnly() throws {
        let stack = try SearchStack()
        try fill(stack, "war")
        let other = try stack.other(options: [NSReadOnlyPersistentStoreOption: true])
        #expect(try count("war", other) == 1)
        #expect(!FileManager.default.fileExists(atPath: stack.index.path))
        try fill(stack, "war II")
        #expect(try count("war", other) == 2)
    }

    @Test(
        "A store that is opened read-only needs no persistent history: its rows are indexed anew after each change"
    )
    func readOnlyWithoutHistory() throws {
        let stack = try SearchStack(.file, options: [NSPersistentHistoryTrackingKey: false])
        try fill(stack, "war")
        let other = try stack.other(
            options: [NSReadOnlyPersistentStoreOption: true, NSPersistentHistoryTrackingKey: false])
        #expect(try count("war", other) == 1)
        try fill(stack, "war II")
        #expect(try count("war", other) == 2 && count("war", other) == 2)
        try stack.context.run { context in
            for object in try context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Book")) {
                context.delete(object)
            }
            try context.save()
        }
        #expect(try count("war", other) == 0)
        #expect(
            try FileManager.default.contentsOfDirectory(atPath: stack.folder.path).allSatisfy {
                !$0.contains("search")
            })
    }

    @Test(
        "Hostile values are indexed: ten million bytes, one endless word, no characters",
        .timeLimit(.minutes(40)))
    func hostileValues() throws {
        let stack = try SearchStack()
        try fill(
            stack, String(repeating: "war ", count: 2_500_000), String(repeating: "x", count: 1_000_000),
            "\u{0}\"*:'-\u{FFFF}", String(repeating: "\u{301}", count: 100_000),
            "a" + String(repeating: "\u{301}", count: 100_000) + "b")
        #expect(try count("war", stack.context) == 1)
        #expect(try count("xxx*", stack.context) == 1)
        #expect(try count("\u{0}", stack.context) == 0)
        #expect(try count("a", stack.context) == 1)
    }

    @Test(
        "Threads search, save and delete the index at once, and each finds what it has saved",
        .timeLimit(.minutes(40)))
    func concurrency() throws {
        let stack = try SearchStack()
        try fill(stack, "war")
        // Coordinators of one process are as good as processes: each has connections of its own.
        let contexts = try (0..<4).map { _ in try stack.other() } + [stack.context]
        let failures = Failures()
        DispatchQueue.concurrentPerform(iterations: contexts.count) { number in
            for round in 0..<12 {
                do {
                    try contexts[number].run { context throws in
                        context.add(["title": "war t\(number)r\(round)"])
                        try context.save()
                        if try context.titles("t\(number)r\(round)").count != 1 {
                            failures.add("\(number) does not find \(round)")
                        }
                        if try context.titles("war").count < round + 2 { failures.add("\(number): \(round)") }
                    }
                    if number == 0, round % 4 == 3 {
                        try contexts[number].persistentStoreCoordinator?.deleteSearchIndexes()
                    }
                } catch {
                    failures.add("\(number), \(round): \(error)")
                }
            }
        }
        #expect(failures.all.isEmpty)
        #expect(try count("war", stack.context) == 61)
    }

    private final class Failures: @unchecked Sendable {
        private let lock = NSLock()
        private var found: [String] = []
        var all: [String] { lock.withLock { found } }
        func add(_ failure: String) { lock.withLock { found.append(failure) } }
    }

    @Test("Names of entities and attributes are not part of any statement", arguments: SearchedStore.allCases)
    func hostileNames(_ kind: SearchedStore) throws {
        let entity = NSEntityDescription()
        entity.name = "Größe_東京"
        entity.managedObjectClassName = "NSManagedObject"
        entity.properties = ["rank", "rowid", "kind", "words", "größe", "f0", "SELECT"].map {
            SearchModel.attribute($0, .string)
        }
        let model = NSManagedObjectModel()
        model.entities = [entity]
        let stack = try SearchStack(kind, model)
        try stack.context.run { context throws in
            for attribute in entity.properties.map(\.name) {
                context.add("Größe_東京", [attribute: "in \(attribute) here"])
            }
            try context.save()
            for attribute in entity.properties.map(\.name) {
                var request = SearchRequest("here", entityName: "Größe_東京")
                request.attributes = [attribute]
                #expect(try context.search(request).hits.map(\.snippet?.attribute) == [attribute])
            }
            #expect(try context.searchCounts("here") == ["Größe_東京": 7])
        }
    }

    @Test(
        "Background indexing follows saves, batch requests and other coordinators", .timeLimit(.minutes(40)))
    func background() async throws {
        let stack = try SearchStack()
        try fill(stack, "war")
        let progress = try #require(try stack.coordinator.startSearchIndexing().first)
        try await eventually { try self.indexed(stack, "war") == 1 }
        try await eventually { progress.isFinished }
        try fill(stack, "war II")
        try await eventually { try self.indexed(stack, "war") == 2 }
        try stack.context.run { context throws in
            _ = try context.execute(
                NSBatchInsertRequest(entityName: "Book", objects: [["title": "war III"]]))
        }
        try await eventually { try self.indexed(stack, "war") == 3 }
        let other = try stack.other()
        try other.run { context throws in
            context.add(["title": "war IV"])
            try context.save()
        }
        try await eventually { try self.indexed(stack, "war") == 4 }
        stack.coordinator.stopSearchIndexing()
        try fill(stack, "war V")
        #expect(try count("war", stack.context) == 5)
    }

    /// How many documents of the file have a word, without a search that would bring the index up to date.
    private func indexed(_ stack: SearchStack, _ word: String) throws -> Int {
        guard FileManager.default.fileExists(atPath: stack.index.path) else { return 0 }
        var configuration = Configuration()
        configuration.readonly = true
        configuration.busyMode = .timeout(10)
        return try DatabaseQueue(path: stack.index.path, configuration: configuration).read { database in
            guard try database.tableExists("d1") else { return 0 }
            return try Int.fetchOne(
                database, sql: "SELECT COUNT(*) FROM d1 WHERE d1 MATCH ?", arguments: [word]) ?? 0
        }
    }

    private func eventually(
        at location: SourceLocation = #_sourceLocation, _ condition: () throws -> Bool
    ) async throws {
        for _ in 0..<60_000 {
            if try condition() { return }
            try await Task.sleep(for: .milliseconds(10))
        }
        Issue.record("It did not come about in ten minutes.", sourceLocation: location)
    }
}

extension NSPersistentStoreCoordinator {
    fileprivate func deleteSearchIndexesUnlessKept(_ isKept: Bool) throws {
        if !isKept { try deleteSearchIndexes() }
    }
}
