import CoreData
import Foundation
import GRDB
import Testing

/// Conditions on parts of strings with a trigram index: what is found, how, and when the rows are read instead.
struct SubstringTests {
    @Test(
        "Conditions on a part of a string look at few objects, and find what they find without the index",
        arguments: [
            ("title CONTAINS 'chlo'", [1, 2, 3], 3), ("title CONTAINS 'Schlos'", [], 3),
            ("title CONTAINS[c] 'SCHLOSS'", [1, 2, 3], 3), ("title CONTAINS[cd] 'SCHLÖSS'", [1, 2, 3], 3),
            ("title CONTAINS[cd] 'uber d'", [4, 5], 2), ("title CONTAINS[d] 'Uber d'", [4], 2),
            ("title CONTAINS 'Über'", [4], 2), ("title CONTAINS[cw] 'schloss'", [1, 2], 3),
            ("title CONTAINS[n] 'chlo'", [1, 2, 3], 3), ("title BEGINSWITH[c] 'das s'", [1], 1),
            ("title ENDSWITH[cd] 'FLUSS'", [4, 5], 2), ("title ENDSWITH 'uß'", [4, 5], 2),
            ("title LIKE '*chlo*'", [1, 2, 3], 3), ("title LIKE[cd] '*fluss*'", [4, 5], 2),
            ("title LIKE[c] 'das ?chlo*'", [1], 1), ("title CONTAINS[cd] '東京の'", [7], 1),
            ("title CONTAINS[cd] 'достоевс'", [8], 1),
        ] as [(String, [Int], Int)])
    func operators(_ format: String, _ expected: [Int], _ candidates: Int) async throws {
        let stack = try await SearchStack.titled(
            "Das Schloß chlo", "schloss", "Luftschlösser Luftschloss", "Über den Fluß",
            "u\u{308}ber den Fluß", "x a*b\u{1F600}c\\ y", "東京の歴史", "ДОСТОЕВСКИЙ")
        #expect(try stack.numbers(format) == expected)
        #expect(try stack.candidateCount(format) == candidates)
        // A model without the flag has the same version hashes.
        let plain = try stack.other(SubstringModel.model([:]))
        #expect(try plain.run { try $0.numbers(NSPredicate(format: format)) } == expected)
        #expect(try plain.run { try $0.notes(NSPredicate(format: format)) }.isEmpty)
    }

    @Test("Of LIKE each part between wildcards is looked up, with its escapes")
    func wildcards() async throws {
        let stack = try await SearchStack.titled(
            "x a*b\u{1F600}c\\d y", "a?b*c", "abc def ghi", "ABC--ghi", "a*b", "abcdef")
        for (pattern, expected, candidates) in [
            ("*a\\*b?c\\\\d*", [1], 1), ("*a\\*b*", [1, 5], 2), ("a\\?b\\*c", [2], 1), ("a?b?c", [2], -1),
            ("abc*ghi", [3], 2), ("abc?def*", [3], 2), ("*a\\bc d*", [3], 1), ("*abc*", [3, 6], 3),
            ("*\\", [], -1), ("*", [1, 2, 3, 4, 5, 6], -1),
        ] as [(String, [Int], Int)] {
            #expect(try stack.numbers("title LIKE %@", pattern) == expected, "\(pattern)")
            #expect(try stack.candidateCount("title LIKE %@", pattern) == candidates, "\(pattern)")
        }
    }

    @Test("The condition decides: candidates that do not meet it are not found")
    func exact() async throws {
        let stack = try await SearchStack.titled("abcdef", "abc def", "defabc", "ABCDEF", "äbcdef")
        #expect(try stack.numbers("title CONTAINS 'abcdef'") == [1])
        #expect(try stack.numbers("title CONTAINS[c] 'abcdef'") == [1, 4])
        #expect(try stack.numbers("title CONTAINS[d] 'abcdef'") == [1, 5])
        #expect(try stack.numbers("title CONTAINS[cd] 'abcdef'") == [1, 4, 5])
        // Of the trigrams those that do not overlap are looked for, in any order.
        #expect(try stack.candidateCount("title CONTAINS 'abcdef'") == 5)
    }

    @Test("Counts, orders, limits, dictionaries, batch requests and unsaved changes go with it")
    func requests() async throws {
        let stack = try await SearchStack.titled("warden", "Wardrobe", "ward", "peace", "reward")
        try stack.context.run { context throws in
            let request = NSFetchRequest<NSManagedObject>(entityName: "Book")
            request.predicate = NSPredicate(format: "title CONTAINS[c] 'ward' AND number > 1")
            #expect(try context.count(for: request) == 3)
            request.sortDescriptors = [NSSortDescriptor(key: "title", ascending: false)]
            request.fetchLimit = 1
            request.fetchOffset = 1
            #expect(try context.fetch(request).map { $0.value(forKey: "title") as? String } == ["reward"])
            let rows = NSFetchRequest<NSDictionary>(entityName: "Book")
            rows.resultType = .dictionaryResultType
            rows.propertiesToFetch = ["number"]
            rows.predicate = NSPredicate(format: "title LIKE[c] 'ward*'")
            rows.sortDescriptors = [NSSortDescriptor(key: "number", ascending: true)]
            #expect(try context.fetch(rows) == [["number": 1], ["number": 2], ["number": 3]])
            context.add(["number": 6, "title": "awkward"])
            let ward = NSPredicate(format: "title CONTAINS 'ward'")
            #expect(try context.numbers(ward) == [1, 3, 5, 6])
            try context.save()
            let update = NSBatchUpdateRequest(entityName: "Book")
            update.predicate = ward
            update.propertiesToUpdate = ["title": "peaceful"]
            update.resultType = .updatedObjectsCountResultType
            #expect((try context.execute(update) as? NSBatchUpdateResult)?.result as? Int == 4)
            context.reset()
            #expect(try context.numbers(NSPredicate(format: "title CONTAINS 'peace'")) == [1, 3, 4, 5, 6])
            let old = NSFetchRequest<any NSFetchRequestResult>(entityName: "Book")
            old.predicate = NSPredicate(format: "title CONTAINS 'peace'")
            try context.execute(NSBatchDeleteRequest(fetchRequest: old))
            #expect(try context.numbers(NSPredicate(value: true)) == [2])
        }
    }

    @Test("AND and OR of conditions are looked up together; NOT reads all rows")
    func compound() async throws {
        let stack = try await SearchStack.titled("warden", "peaceful", "warden of peace", "else")
        try stack.context.run { context throws in
            for (number, note) in [1: "blue book", 2: "red book", 4: "blue sky"] {
                let request = NSFetchRequest<NSManagedObject>(entityName: "Book")
                request.predicate = NSPredicate(format: "number == %d", number)
                try context.fetch(request).first?.setValue(note, forKey: "note")
            }
            try context.save()
        }
        try await stack.coordinator.updateSearchIndexes()
        #expect(try stack.numbers("title CONTAINS 'ward' AND title CONTAINS 'peac'") == [3])
        #expect(try stack.candidateCount("title CONTAINS 'ward' AND title CONTAINS 'peac'") == 1)
        #expect(try stack.numbers("title CONTAINS 'ward' OR note CONTAINS 'book'") == [1, 2, 3])
        #expect(try stack.candidateCount("title CONTAINS 'ward' OR note CONTAINS 'book'") == 3)
        #expect(try stack.candidateCount("title CONTAINS 'ward' AND number > 7") == 2)
        #expect(try stack.numbers("title CONTAINS 'ward' OR number == 4") == [1, 3, 4])
        #expect(try stack.notes("title CONTAINS 'ward' OR number == 4").contains("another part of an OR"))
        #expect(try stack.numbers("NOT title CONTAINS 'ward'") == [2, 4])
        #expect(try stack.notes("NOT title CONTAINS 'ward'").contains("NOT"))
        #expect(try stack.candidateCount("title CONTAINS 'ward' AND NOT title CONTAINS 'peac'") == 2)
        #expect(try stack.numbers("title CONTAINS 'ward' AND NOT title CONTAINS 'peac'") == [1])
    }

    @Test(
        "What the index cannot help with reads all rows, and the explanation has the reason",
        arguments: [
            ("title CONTAINS[cd] 'wa'", "three characters"), ("title CONTAINS ''", "three characters"),
            ("title LIKE 'w?r*e?'", "three characters"), ("title CONTAINS 'e\u{301}e\u{302}'", "three"),
            ("title CONTAINS[l] 'ward'", "locale"), ("title MATCHES '.*ward.*'", "regular expression"),
            ("title BEGINSWITH 'ward'", "ordinary index"),
        ])
    func obstacles(_ format: String, _ reason: String) async throws {
        let stack = try await SearchStack.titled("warden", "e\u{301}e\u{302}")
        let notes = try stack.notes(format)
        #expect(notes.contains(reason) && notes.contains("All rows are read"), "\(notes)")
        let plain = try stack.other(SubstringModel.model([:]))
        #expect(try stack.numbers(format) == plain.run { try $0.numbers(NSPredicate(format: format)) })
    }

    @Test("Conditions on other attributes say nothing of the index")
    func others() async throws {
        let stack = try await SearchStack.titled("warden")
        #expect(try stack.notes("plain CONTAINS 'ward'").isEmpty)
        #expect(try stack.notes("title == 'warden'").isEmpty)
        #expect(try stack.notes("number > 1").isEmpty)
    }

    @Test("A fetch makes no index; what was saved since the index was made is found")
    func changes() async throws {
        let stack = try await SearchStack.titled("warden", "peace", isIndexed: false)
        #expect(try stack.numbers("title CONTAINS 'ward'") == [1])
        #expect(try stack.notes("title CONTAINS 'ward'").contains("none yet"))
        #expect(!FileManager.default.fileExists(atPath: stack.trigrams.path))
        try await stack.coordinator.updateSearchIndexes()
        #expect(FileManager.default.fileExists(atPath: stack.trigrams.path))
        #expect(!FileManager.default.fileExists(atPath: stack.index.path))
        #expect(try stack.candidateCount("title CONTAINS 'ward'") == 1)
        try stack.add(["reward", "other"])
        try stack.context.run { context throws in
            try context.execute(
                NSBatchInsertRequest(entityName: "Book", objects: [["number": 5, "title": "wards"]]))
            let update = NSBatchUpdateRequest(entityName: "Book")
            update.predicate = NSPredicate(format: "number == 2")
            update.propertiesToUpdate = ["title": "warm ward"]
            try context.execute(update)
        }
        let other = try stack.other(SubstringModel.model())
        try other.run { context throws in
            context.add("Novel", ["number": 6, "title": "ward of court"])
            let request = NSFetchRequest<NSManagedObject>(entityName: "Book")
            request.predicate = NSPredicate(format: "number == 1")
            try context.fetch(request).first?.setValue("changed", forKey: "title")
            try context.save()
        }
        stack.context.performAndWait { stack.context.reset() }
        #expect(try stack.candidateCount("title CONTAINS 'ward'") == 1)
        #expect(try stack.numbers("title CONTAINS 'ward'") == [2, 3, 5, 6])
        #expect(
            try other.run { try $0.numbers(NSPredicate(format: "title CONTAINS 'ward'")) } == [2, 3, 5, 6])
        try await stack.coordinator.updateSearchIndexes()
        #expect(try stack.candidateCount("title CONTAINS 'ward'") == 4)
        #expect(try stack.numbers("title CONTAINS 'ward'") == [2, 3, 5, 6])
    }

    @Test("An index in the background follows changes; without it they are read from the history")
    func background() async throws {
        let stack = try await SearchStack.titled("warden", isIndexed: false)
        #expect(try stack.coordinator.startSearchIndexing().count == 1)
        try await stack.eventually("title CONTAINS 'ward'", 1)
        try stack.add(["reward"])
        try await stack.eventually("title CONTAINS 'ward'", 2)
        stack.coordinator.stopSearchIndexing()
    }

    @Test("Without the history since the index was made, all rows are read until it is made anew")
    func purge() async throws {
        let stack = try await SearchStack.titled("warden", "peace")
        try stack.add(["reward"])
        try stack.deleteHistory()
        #expect(try stack.notes("title CONTAINS 'ward'").contains("history does not have transaction"))
        #expect(try stack.numbers("title CONTAINS 'ward'") == [1, 3])
        try await stack.coordinator.updateSearchIndexes()
        // The transaction of the index is not there: nothing is known of changes after it.
        #expect(try stack.numbers("title CONTAINS 'ward'") == [1, 3])
        try stack.add(["ward"])
        #expect(try stack.numbers("title CONTAINS 'ward'") == [1, 3, 4])
        try await stack.coordinator.updateSearchIndexes()
        #expect(try stack.candidateCount("title CONTAINS 'ward'") == 3)
    }

    @Test("What was written without history, after all of it was deleted, is found")
    func unrecordedChanges() async throws {
        let stack = try await SearchStack.titled("warden", "peace")
        try stack.deleteHistory()
        for store in stack.coordinator.persistentStores { try stack.coordinator.remove(store) }
        let silent = try stack.other(
            SubstringModel.model(), options: [NSPersistentHistoryTrackingKey: false])
        try silent.run { context throws in
            context.add(["number": 3, "title": "reward"])
            try context.save()
            #expect(try context.notes(NSPredicate(format: "title CONTAINS 'ward'")).contains("All rows"))
        }
        for store in silent.persistentStoreCoordinator?.persistentStores ?? [] {
            try silent.persistentStoreCoordinator?.remove(store)
        }
        let again = try stack.other(SubstringModel.model())
        let predicate = NSPredicate(format: "title CONTAINS 'ward'")
        #expect(try again.run { try $0.numbers(predicate) } == [1, 3])
        // Nor do later transactions hide it from the index.
        try again.run { context throws in
            context.add(["number": 4, "title": "afterward"])
            try context.save()
        }
        try await again.persistentStoreCoordinator?.updateSearchIndexes()
        #expect(try again.run { try $0.numbers(predicate) } == [1, 3, 4])
    }

    @Test("What a program writes that opened the store without history before another began one is found")
    func writerWithoutHistory() async throws {
        let stack = try await SearchStack.titled("warden", "peace")
        try stack.deleteHistory()
        for store in stack.coordinator.persistentStores { try stack.coordinator.remove(store) }
        let silent = try stack.other(
            SubstringModel.model(), options: [NSPersistentHistoryTrackingKey: false])
        let again = try stack.other(SubstringModel.model())
        let predicate = NSPredicate(format: "title CONTAINS 'ward'")
        try again.run { context throws in
            context.add(["number": 3, "title": "toward"])
            try context.save()
        }
        try await again.persistentStoreCoordinator?.updateSearchIndexes()
        try silent.run { context throws in
            context.add(["number": 4, "title": "reward"])
            try context.save()
        }
        #expect(try again.run { try $0.numbers(predicate) } == [1, 3, 4])
        try silent.run { context throws in
            let request = NSBatchUpdateRequest(entityName: "Book")
            request.predicate = NSPredicate(format: "number == 2")
            request.propertiesToUpdate = ["title": "forward"]
            try context.execute(request)
        }
        try await again.persistentStoreCoordinator?.updateSearchIndexes()
        #expect(try again.run { try $0.numbers(predicate) } == [1, 2, 3, 4])
    }

    @Test("What a program writes that opened the store before it had any history is found")
    func writerBeforeAnyHistory() async throws {
        let silent = try SearchStack(
            .file, SubstringModel.model(), options: [NSPersistentHistoryTrackingKey: false])
        try silent.add(["warden", "peace"])
        let other = try silent.other(SubstringModel.model())
        let coordinator = try #require(other.persistentStoreCoordinator)
        let predicate = NSPredicate(format: "title CONTAINS 'ward'")
        try other.run { context throws in
            context.add(["number": 3, "title": "toward"])
            try context.save()
        }
        try await coordinator.updateSearchIndexes()
        #expect(try other.run { try $0.notes(predicate) }.contains("leaves 2 objects"))
        try silent.add(["reward"])
        #expect(try other.run { try $0.numbers(predicate) } == [1, 3, 4])
        // Nor do an index that is brought up to date and later transactions hide what comes then.
        try other.run { context throws in
            context.add(["number": 5, "title": "else"])
            try context.save()
        }
        try await coordinator.updateSearchIndexes()
        #expect(try other.run { try $0.notes(predicate) }.contains("leaves 3 objects"))
        try silent.context.run { context throws in
            let update = NSBatchUpdateRequest(entityName: "Book")
            update.predicate = NSPredicate(format: "number == 2")
            update.propertiesToUpdate = ["title": "forward"]
            try context.execute(update)
        }
        #expect(try other.run { try $0.numbers(predicate) } == [1, 2, 3, 4])
        try silent.context.run { context throws in
            let old = NSFetchRequest<any NSFetchRequestResult>(entityName: "Book")
            old.predicate = NSPredicate(format: "number < 3")
            try context.execute(NSBatchDeleteRequest(fetchRequest: old))
            try context.execute(
                NSBatchInsertRequest(entityName: "Book", objects: [["number": 6, "title": "afterward"]]))
        }
        #expect(try other.run { try $0.numbers(predicate) } == [3, 4, 6])
        try await coordinator.updateSearchIndexes()
        #expect(try other.run { try $0.numbers(predicate) } == [3, 4, 6])
        // What it saves is in no history, and what others save is.
        let history = NSPersistentHistoryChangeRequest.fetchHistory(after: Date.distantPast)
        let result = try other.run { try $0.execute(history) as? NSPersistentHistoryResult }
        #expect((result?.result as? [NSPersistentHistoryTransaction])?.count == 2)
    }

    @Test("A store that had a history when it was opened, and one that never has one, are saved to as before")
    func laterHistory() throws {
        let stack = try SearchStack(
            .file, SubstringModel.model(), options: [NSPersistentHistoryTrackingKey: false])
        try stack.add(["warden"])
        // Another program makes a table that has nothing to do with it.
        try DatabaseQueue(path: stack.store.path).write { try $0.execute(sql: "CREATE TABLE own (a)") }
        try stack.add(["peace"])
        // Nor is a table of that name a history.
        try DatabaseQueue(path: stack.store.path).write {
            try $0.execute(
                sql: """
                    CREATE TABLE ATRANSACTION (a);
                    INSERT INTO Z_PRIMARYKEY (Z_ENT, Z_NAME, Z_SUPER, Z_MAX) VALUES (16002, 'TRANSACTION', 0, 0)
                    """)
        }
        try stack.add(["reward"])
        #expect(try stack.numbers("title CONTAINS 'ward'") == [1, 3])
    }

    @Test("A pinned generation is read without the index once there is a later transaction")
    func generations() async throws {
        let stack = try await SearchStack.titled("warden", "peace")
        let predicate = NSPredicate(format: "title CONTAINS 'ward'")
        let pinned = NSManagedObjectContext(.privateQueue)
        pinned.persistentStoreCoordinator = stack.coordinator
        try pinned.run { context throws in
            try context.setQueryGenerationFrom(.current)
            #expect(try context.numbers(predicate) == [1])
            #expect(try context.notes(predicate).contains("leaves 1 objects"))
        }
        try stack.add(["reward"])
        try stack.context.run { context throws in
            let request = NSFetchRequest<NSManagedObject>(entityName: "Book")
            request.predicate = predicate
            for book in try context.fetch(request) { book.setValue("else", forKey: "title") }
            try context.save()
        }
        try await stack.coordinator.updateSearchIndexes()
        #expect(try stack.numbers("title CONTAINS 'ward'").isEmpty)
        try pinned.run { context throws in
            #expect(try context.notes(predicate).contains("query generation"))
            #expect(try context.numbers(predicate) == [1])
            try context.setQueryGenerationFrom(.current)
            #expect(try context.numbers(predicate).isEmpty)
            #expect(try context.notes(predicate).contains("leaves 0 objects"))
        }
    }

    @Test("A condition that leaves too many objects reads all rows")
    func tooMany() async throws {
        let stack = try await SearchStack.titled("warden", isIndexed: false)
        try stack.context.run { context throws in
            _ = try context.execute(
                NSBatchInsertRequest(
                    entityName: "Book", objects: (2...20_010).map { ["number": $0, "title": "peace \($0)"] }))
        }
        try await stack.coordinator.updateSearchIndexes()
        #expect(try stack.notes("title CONTAINS 'peace'").contains("more than 20000"))
        #expect(try stack.numbers("title CONTAINS 'peace'").count == 20_009)
        #expect(try stack.candidateCount("title CONTAINS 'ward'") == 1)
        try stack.context.run { context throws in
            let update = NSBatchUpdateRequest(entityName: "Book")
            update.predicate = NSPredicate(format: "number > 2")
            update.propertiesToUpdate = ["title": "reward"]
            try context.execute(update)
        }
        #expect(try stack.notes("title CONTAINS 'ward'").contains("more than 10000 changes"))
        #expect(try stack.numbers("title CONTAINS 'ward'").count == 20_009)
    }
}

extension SearchStack {
    /// How many objects the index leaves; -1 where it is not used.
    func candidateCount(_ format: String, _ arguments: Any...) throws -> Int {
        let predicate = NSPredicate(format: format, argumentArray: arguments)
        let notes = try context.run { try $0.notes(predicate) }
        guard let found = notes.firstMatch(of: /leaves (\d+) objects/) else { return -1 }
        return Int(found.1) ?? -1
    }

    /// Waits until the index leaves some objects.
    func eventually(
        _ format: String, _ count: Int, at location: SourceLocation = #_sourceLocation
    ) async throws {
        for _ in 0..<60_000 {
            if try candidateCount(format) == count { return }
            try await Task.sleep(for: .milliseconds(10))
        }
        Issue.record("It did not come about in ten minutes.", sourceLocation: location)
    }
}
