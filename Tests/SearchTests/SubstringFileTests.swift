import CoreData
import Foundation
import GRDB
import Testing

/// The file of a trigram index, and the values and models that it is made of.
struct SubstringFileTests {
    /// Runs SQL on a database.
    private func execute(_ url: URL, _ sql: String) throws {
        try DatabaseQueue(path: url.path).write { try $0.execute(sql: sql) }
    }

    @Test("A damaged file is not used: rows are read, and the next indexing makes another one")
    func damage() async throws {
        let stack = try await SearchStack.titled("warden", "peace")
        try execute(stack.trigrams, "DELETE FROM d0_data")
        #expect(try stack.numbers("title CONTAINS 'ward'") == [1])
        #expect(try stack.candidateCount("title CONTAINS 'ward'") == -1)
        try await stack.coordinator.updateSearchIndexes()
        #expect(try stack.candidateCount("title CONTAINS 'ward'") == 1)
        #expect(try stack.numbers("title CONTAINS 'ward'") == [1])
    }

    @Test(
        "A fetch leaves alone what is in the place of the index, and reads the rows", arguments: 0..<4)
    func foreignFile(_ kind: Int) async throws {
        let stack = try await SearchStack.titled("warden", isIndexed: false)
        switch kind {
        case 0: try Data("not a database, by far".utf8).write(to: stack.trigrams)
        case 1: try execute(stack.trigrams, "CREATE TABLE own (a)")
        case 2: try Data().write(to: stack.trigrams)
        default:
            try FileManager.default.createDirectory(at: stack.trigrams, withIntermediateDirectories: false)
        }
        let before = kind == 3 ? nil : try Data(contentsOf: stack.trigrams)
        #expect(try stack.numbers("title CONTAINS 'ward'") == [1])
        #expect(try stack.notes("title CONTAINS 'ward'").contains("All rows are read"))
        if let before { #expect(try Data(contentsOf: stack.trigrams) == before) }
        if [0, 2].contains(kind) {
            try await stack.coordinator.updateSearchIndexes()
            #expect(try stack.candidateCount("title CONTAINS 'ward'") == 1)
        } else {
            // A database of another kind may be anybody's.
            await #expect(throws: NSError.self) { try await stack.coordinator.updateSearchIndexes() }
            if let before { #expect(try Data(contentsOf: stack.trigrams) == before) }
        }
    }

    @Test("The progress of the first indexing is not finished before the index is complete")
    func progress() async throws {
        for _ in 0..<10 {
            let stack = try await SearchStack.titled("warden", "peace", isIndexed: false)
            let indexings = try stack.coordinator.startSearchIndexing()
            while !indexings.allSatisfy(\.isFinished) { try await Task.sleep(for: .milliseconds(1)) }
            stack.coordinator.stopSearchIndexing()
            #expect(try stack.candidateCount("title CONTAINS 'ward'") == 1)
        }
    }

    @Test(
        "A journal without contents, which a power cut may leave beside an index, is removed when it is opened",
        arguments: [false, true])
    func leftJournal(_ isFetched: Bool) async throws {
        let stack = try await SearchStack.titled("warden")
        for store in stack.coordinator.persistentStores { try stack.coordinator.remove(store) }
        let journal = stack.trigrams.path + "-journal"
        try Data().write(to: URL(fileURLWithPath: journal))
        let other = try stack.other(SubstringModel.model())
        let predicate = NSPredicate(format: "title CONTAINS 'ward'")
        if isFetched {
            #expect(try other.run { try $0.numbers(predicate) } == [1])
        } else {
            try await other.persistentStoreCoordinator?.updateSearchIndexes()
        }
        #expect(!FileManager.default.fileExists(atPath: journal))
        #expect(try other.run { try $0.notes(predicate) }.contains("leaves 1 objects"))
    }

    @Test("An index that is not complete is not used")
    func incomplete() async throws {
        let stack = try await SearchStack.titled("warden", "peace")
        try execute(stack.trigrams, "UPDATE state SET value = 0 WHERE name IN ('kind', 'key')")
        try execute(stack.trigrams, "DELETE FROM d0")
        #expect(try stack.numbers("title CONTAINS 'ward'") == [1])
        #expect(try stack.notes("title CONTAINS 'ward'").contains("not complete"))
        try await stack.coordinator.updateSearchIndexes()
        #expect(try stack.candidateCount("title CONTAINS 'ward'") == 1)
    }

    @Test("The index has the store's mode, and goes with it")
    func mode() async throws {
        let stack = try await SearchStack.titled("warden", isIndexed: false)
        try FileManager.default.setAttributes([.posixPermissions: 0o640], ofItemAtPath: stack.store.path)
        try await stack.coordinator.updateSearchIndexes()
        let attributes = try FileManager.default.attributesOfItem(atPath: stack.trigrams.path)
        #expect(attributes[.posixPermissions] as? Int == 0o640)
        try stack.coordinator.deleteSearchIndexes()
        #expect(!FileManager.default.fileExists(atPath: stack.trigrams.path))
        #expect(try stack.numbers("title CONTAINS 'ward'") == [1])
        try await stack.coordinator.updateSearchIndexes()
        #expect(FileManager.default.fileExists(atPath: stack.trigrams.path))
        try stack.coordinator.destroyPersistentStore(at: stack.store, type: .sqlite)
        #expect(!FileManager.default.fileExists(atPath: stack.trigrams.path))
    }

    @Test(
        "Stores in memory and documents, and one that is only read, have no such index: they read their rows",
        arguments: SearchedStore.allCases)
    func otherStores(_ kind: SearchedStore) async throws {
        let stack = try SearchStack(kind, SubstringModel.model())
        try stack.add(["warden", "peace", "reward"])
        if kind == .file {
            let other = try stack.other(
                SubstringModel.model(), options: [NSReadOnlyPersistentStoreOption: true])
            try await other.persistentStoreCoordinator?.updateSearchIndexes()
            try other.run { context throws in
                let predicate = NSPredicate(format: "title CONTAINS 'ward'")
                #expect(try context.numbers(predicate) == [1, 3])
                #expect(try context.notes(predicate).contains("in memory or only read"))
            }
            return
        }
        #expect(try stack.coordinator.startSearchIndexing().isEmpty)
        try await stack.coordinator.updateSearchIndexes()
        #expect(try stack.numbers("title CONTAINS[cd] 'WARD'") == [1, 3])
        #expect(try stack.numbers("title LIKE '*war*'") == [1, 3])
        #expect(try !stack.notes("title CONTAINS 'ward'").contains("leaves"))
    }

    @Test("A store without history has no index: fetches read its rows, and indexing names the option")
    func noHistory() throws {
        let stack = try SearchStack(
            .file, SubstringModel.model(), options: [NSPersistentHistoryTrackingKey: false])
        try stack.add(["warden"])
        #expect(try stack.numbers("title CONTAINS 'ward'") == [1])
        #expect(try stack.notes("title CONTAINS 'ward'").contains("NSPersistentHistoryTrackingKey"))
        let error = #expect(throws: NSError.self) { try stack.coordinator.startSearchIndexing() }
        #expect(error?.localizedDescription.contains("NSPersistentHistoryTrackingKey") ?? false)
    }

    @Test("Of a store that is only read the explanation does not name an option that would not help")
    func onlyRead() throws {
        let stack = try SearchStack(
            .file, SubstringModel.model(), options: [NSPersistentHistoryTrackingKey: false])
        try stack.add(["warden"])
        let reading = try stack.other(
            SubstringModel.model(),
            options: [NSPersistentHistoryTrackingKey: false, NSReadOnlyPersistentStoreOption: true])
        try reading.run { context throws in
            let predicate = NSPredicate(format: "title CONTAINS 'ward'")
            let notes = try context.notes(predicate)
            #expect(notes.contains("only read") && !notes.contains("NSPersistentHistoryTrackingKey"))
            #expect(try context.numbers(predicate) == [1])
        }
    }

    @Test("The flag is true, 1 or YES, changes no version hash, and other flags make another index")
    func flags() async throws {
        let plain = SubstringModel.model([:])
        for (flag, isOn) in [
            ("YES", true), (true, true), (1, true), ("true", true), ("NO", false), (0, false),
        ]
            as [(Any, Bool)]
        {
            let model = SubstringModel.model(["title": flag])
            #expect(model.entityVersionHashesByName == plain.entityVersionHashesByName)
            let stack = try SearchStack(.file, model)
            try stack.add(["warden"])
            try await stack.coordinator.updateSearchIndexes()
            #expect(try stack.candidateCount("title CONTAINS 'ward'") == (isOn ? 1 : -1), "\(flag)")
        }
        let stack = try await SearchStack.titled("warden", "peace")
        let other = try stack.other(SubstringModel.model(["plain": true, "title": true]))
        let predicate = NSPredicate(format: "title CONTAINS 'ward'")
        try other.run { context throws in
            #expect(try context.notes(predicate).contains("not of this model"))
            #expect(try context.numbers(predicate) == [1])
        }
        try await other.persistentStoreCoordinator?.updateSearchIndexes()
        #expect(try other.run { try $0.notes(predicate) }.contains("leaves 1 objects"))
        #expect(try stack.notes("title CONTAINS 'ward'").contains("not of this model"))
        #expect(try stack.numbers("title CONTAINS 'ward'") == [1])
    }

    @Test("Attributes of subentities have the index, and numbers have none")
    func subentities() async throws {
        let stack = try SearchStack(.file, SubstringModel.model())
        try stack.context.run { context throws in
            context.add("Novel", ["number": 1, "title": "warden", "genre": "roman noir"])
            context.add(["number": 2, "title": "ward"])
            try context.save()
        }
        try await stack.coordinator.updateSearchIndexes()
        try stack.context.run { context throws in
            let title = NSPredicate(format: "title CONTAINS[c] 'WARD'")
            #expect(try context.numbers(title) == [1, 2])
            #expect(try context.numbers(title, entity: "Novel") == [1])
            let genre = NSPredicate(format: "genre CONTAINS[c] 'noir'")
            #expect(try context.numbers(genre, entity: "Novel") == [1])
            #expect(try context.notes(genre, entity: "Novel").contains("leaves 1 objects"))
        }
        let numbers = try SearchStack(.file, SubstringModel.model(["number": "YES"]))
        #expect(try numbers.coordinator.startSearchIndexing().isEmpty)
    }

    @Test(
        "Long strings, U+0000 and bytes that are not text are found as without the index",
        .timeLimit(.minutes(40)))
    func hostileValues() async throws {
        let long = String(repeating: "lorem ipsum ", count: 900_000) + "needle"
        let stack = try await SearchStack.titled(
            long, "a\u{0}b\u{0}c needle", "needles", "\u{FFFD}needle", isIndexed: false)
        // As another program may write it, before it is indexed: "x", a byte that begins nothing, half of "ß", "needle".
        try execute(
            stack.store, "UPDATE ZBOOK SET ZTITLE = CAST(x'78ffc36e6565646c65' AS TEXT) WHERE ZNUMBER = 3")
        stack.context.performAndWait { stack.context.reset() }
        try await stack.coordinator.updateSearchIndexes()
        let plain = try stack.other(SubstringModel.model([:]))
        for format in [
            "title CONTAINS 'needle'", "title CONTAINS[cd] 'NEEDLE'", "title CONTAINS[c] 'm needle'",
            "title ENDSWITH 'needle'", "title LIKE '*needle'", "title CONTAINS 'ipsum'",
        ] {
            let all = try plain.run { try $0.numbers(NSPredicate(format: format)) }
            #expect(try stack.numbers(format) == all, "\(format)")
            #expect(try stack.candidateCount(format) >= all.count)
        }
        #expect(try stack.numbers("title CONTAINS 'needle'") == [1, 2, 3, 4])
        for part in ["b\u{0}c n", "\u{0}b\u{0}", "\u{FFFD}nee", "\u{FFFD}\u{FFFD}\u{FFFD}"] {
            for format in ["title CONTAINS %@", "title CONTAINS[cd] %@"] {
                let all = try plain.run { try $0.numbers(NSPredicate(format: format, argumentArray: [part])) }
                #expect(try stack.numbers(format, part) == all, "\(format)")
            }
        }
        let pattern = String(repeating: "lorem ipsum ", count: 100_000)
        #expect(try stack.numbers("title CONTAINS %@", pattern) == [1])
    }

    @Test("Quotation marks, words of FTS5 and names of attributes are looked up as any other string")
    func hostilePatterns() async throws {
        let stack = try await SearchStack.titled(
            "say \"\"\" AND (f0 : x) NOT *", "{f0 f1} : ^abc", "'; DROP TABLE d0; --", "NEAR(a b, 3)")
        for (index, part) in ["\"\"\" AND", "f0 f1} : ^a", "'; DROP", "NEAR(a"].enumerated() {
            #expect(try stack.numbers("title CONTAINS %@", part) == [index + 1])
            #expect(try stack.candidateCount("title CONTAINS %@", part) == 1)
        }
    }

    @Test("Very many and deeply nested conditions find the same as without the index")
    func longConditions() async throws {
        let stack = try await SearchStack.titled("warden", "peace")
        let many = (0..<200).map { NSPredicate(format: "title CONTAINS %@", argumentArray: ["word \($0)"]) }
        try stack.context.run { context throws in
            let any = NSCompoundPredicate(
                orPredicateWithSubpredicates: many + [NSPredicate(format: "title CONTAINS 'ward'")])
            #expect(try context.numbers(any) == [1])
            #expect(try context.notes(any).contains("too many conditions"))
            var nested = NSPredicate(format: "title CONTAINS 'ward'")
            for level in 0..<60 {
                let other = NSPredicate(format: "title CONTAINS 'den'")
                nested =
                    level % 2 == 0
                    ? NSCompoundPredicate(andPredicateWithSubpredicates: [nested, other])
                    : NSCompoundPredicate(orPredicateWithSubpredicates: [nested, other])
            }
            #expect(try context.numbers(nested) == [1])
        }
    }

    @Test("The index takes four to five times the room of strings in the words of a language")
    func room() async throws {
        var random = RandomTexts(seed: 11)
        let letters = Array("abcdefghijklmnopqrstuvwxyz")
        let words = (0..<500).map { _ in
            String(
                (0..<2 + random.number(below: 9)).map { _ in letters[random.number(below: letters.count)] })
        }
        let titles = (0..<10_000).map { _ in
            (0..<6).map { _ in words[random.number(below: words.count)] }.joined(separator: " ")
        }
        let stack = try SearchStack(.file, SubstringModel.model())
        try stack.context.run { context throws in
            _ = try context.execute(
                NSBatchInsertRequest(
                    entityName: "Book", objects: titles.map { ["title": $0] as [String: Any] }))
        }
        try await stack.coordinator.updateSearchIndexes()
        let size = try await DatabaseQueue(path: stack.trigrams.path).read { database in
            try Int.fetchOne(
                database, sql: "SELECT page_count * page_size FROM pragma_page_count, pragma_page_size")
        }
        let times = Double(try #require(size)) / Double(titles.reduce(0) { $0 + $1.utf8.count })
        #expect((3.5...5.5).contains(times), "\(times)")
    }
}
