import CoreData
import Foundation
import Testing

/// `search(_:)`: ranks, pages, snippets, counts and suggestions, on each type of store.
struct SearchResultTests {
    @Test("Objects in which the words weigh most come first", arguments: SearchedStore.allCases)
    func rank(_ kind: SearchedStore) throws {
        let stack = try SearchStack(kind)
        try stack.context.run { context throws in
            context.add(["title": "peace among many other words of which there are quite a few"])
            context.add(["title": "war peace"])
            context.add(["title": "war war peace"])
            for _ in 0..<10 { context.add(["title": "nothing"]) }
            try context.save()
            let result = try context.search(context.request("peace"))
            #expect(result.isRanked && result.count == 3)
            #expect(
                result.titles == [
                    "war peace", "war war peace",
                    "peace among many other words of which there are quite a few",
                ])
            let ranks = result.hits.compactMap(\.rank)
            #expect(ranks == ranks.sorted(by: >) && ranks.count == 3 && (ranks.last ?? 0) > 0)
            #expect(try context.search(context.request("war")).titles == ["war war peace", "war peace"])
        }
    }

    @Test("All types of stores give the same ranks")
    func sameRanks() throws {
        var all: [[String]] = []
        for kind in SearchedStore.allCases {
            let stack = try SearchStack(kind)
            var texts = RandomTexts(seed: 11)
            try stack.context.run { context throws in
                for number in 0..<80 {
                    context.add(
                        number % 3 == 0 ? "Novel" : "Book",
                        [
                            "title": texts.text(ofWords: 8), "abstract": texts.text(ofWords: 20),
                            "year": number,
                        ])
                }
                try context.save()
                var found: [String] = []
                for _ in 0..<40 {
                    var request = context.request(texts.query())
                    request.fetchLimit = 0
                    let result = try context.search(request)
                    found.append(
                        result.hits.map { "\($0.object.value(forKey: "year") ?? "") \($0.rank ?? -1)" }
                            .sorted()
                            .joined(separator: ", "))
                }
                all.append(found)
            }
        }
        #expect(Set(all).count == 1 && all[0].contains { !$0.isEmpty })
    }

    @Test("A page has some of the objects, and the number of all", arguments: SearchedStore.allCases)
    func pages(_ kind: SearchedStore) throws {
        let stack = try SearchStack(kind)
        try stack.context.run { context throws in
            for number in 0..<25 { context.add(["title": "war \(number)", "year": number]) }
            try context.save()
            var request = context.request("war")
            request.fetchLimit = 10
            var years: [Int] = []
            for page in 0..<3 {
                request.fetchOffset = page * 10
                let result = try context.search(request)
                #expect(result.count == 25)
                years += result.hits.compactMap { $0.object.value(forKey: "year") as? Int }
            }
            #expect(years == Array(0..<25))
            request.fetchOffset = 30
            #expect(try context.search(request).hits.isEmpty)
            request.fetchOffset = -1
            #expect(throws: NSError.self) { try context.search(request) }
        }
    }

    @Test("A search takes a predicate and an order", arguments: SearchedStore.allCases)
    func composition(_ kind: SearchedStore) throws {
        let stack = try SearchStack(kind)
        try stack.context.run { context throws in
            for number in 0..<30 {
                context.add(number % 2 == 0 ? "Novel" : "Book", ["title": "war \(number)", "year": number])
            }
            try context.save()
            var request = context.request("war")
            request.predicate = NSPredicate(format: "year >= 20")
            // Equally good ones are in the order of their keys, and new objects get these entity by entity.
            #expect(try context.search(request).titles.sorted() == (20..<30).map { "war \($0)" })
            request.sortDescriptors = [NSSortDescriptor(key: "year", ascending: false)]
            request.fetchLimit = 3
            let result = try context.search(request)
            #expect(result.titles == ["war 29", "war 28", "war 27"] && result.count == 10)
            #expect(!result.isRanked && result.hits[0].rank == nil && result.hits[0].snippet != nil)
            var novels = context.request("war", entity: "Novel")
            novels.fetchLimit = 0
            #expect(try context.search(novels).count == 15)
            request.includesSubentities = false
            #expect(try context.search(request).count == 5)
            request.predicate = nil
            request.sortDescriptors = []
            #expect(try context.search(request).count == 15)
        }
    }

    @Test("Unsaved objects are ranked among the saved ones", arguments: SearchedStore.allCases)
    func unsavedChanges(_ kind: SearchedStore) throws {
        let stack = try SearchStack(kind)
        try stack.context.run { context throws in
            let first = context.add(["title": "war and something else"])
            context.add(["title": "war and peace and much more"])
            context.add(["title": "other"])
            context.add(["title": "another"])
            try context.save()
            context.add(["title": "war"])
            #expect(
                try context.search(context.request("war")).titles == [
                    "war", "war and something else", "war and peace and much more",
                ])
            first.setValue("peace", forKey: "title")
            #expect(
                try context.search(context.request("war")).titles == ["war", "war and peace and much more"])
            let child = NSManagedObjectContext(.privateQueue)
            child.parent = context
            try child.run { child throws in
                #expect(
                    try child.search(child.request("war")).titles == ["war", "war and peace and much more"])
            }
            context.delete(first)
            try context.save()
            #expect(try context.search(context.request("peace")).count == 1)
        }
    }

    @Test(
        "A hit has a snippet, and the ranges of the words in each attribute",
        arguments: SearchedStore.allCases)
    func snippets(_ kind: SearchedStore) throws {
        let stack = try SearchStack(kind)
        let filler = Array(repeating: "x", count: 40).joined(separator: " ")
        try stack.context.run { context throws in
            context.add([
                "title": "Das Schloß", "abstract": "\(filler) Über dem Schloß, das SCHLOSS \(filler)",
                "year": 1926,
            ])
            try context.save()
            var request = context.request("schloss uber")
            request.snippetWordCount = 8
            let hit = try #require(try context.search(request).hits.first)
            let snippet = try #require(hit.snippet)
            #expect(snippet.attribute == "abstract" && snippet.isCutAtStart && snippet.isCutAtEnd)
            #expect(snippet.text == "x x Über dem Schloß, das SCHLOSS x")
            #expect(snippet.highlights.map { snippet.text[$0] } == ["Über", "Schloß", "SCHLOSS"])
            #expect(snippet.pieces.map { String($0.text) }.joined() == snippet.text)
            #expect(snippet.pieces.filter(\.isHighlighted).map(\.text) == ["Über", "Schloß", "SCHLOSS"])
            let title = try #require(hit.object.value(forKey: "title") as? String)
            #expect(hit.highlights["title"]?.map { title[$0] } == ["Schloß"])
            #expect(hit.highlights.keys.sorted() == ["abstract", "title"])
            request.attributes = ["title"]
            request.words = "schloss"
            #expect(try context.search(request).hits.first?.highlights.keys.sorted() == ["title"])
        }
    }

    @Test("Objects are counted by entity", arguments: SearchedStore.allCases)
    func counts(_ kind: SearchedStore) throws {
        let stack = try SearchStack(kind)
        try stack.context.run { context throws in
            context.add(["title": "Kafka"])
            context.add("Novel", ["title": "Kafka on the Shore"])
            context.add("Novel", ["title": "kafka"])
            context.add("Author", ["first": "Franz", "last": "Kafka"])
            try context.save()
            #expect(try context.searchCounts("kafka") == ["Book": 1, "Novel": 2, "Author": 1])
            context.add("Author", ["last": "Kafka"])
            #expect(try context.searchCounts("kaf", completesLastWord: true)["Author"] == 2)
            #expect(try context.searchCounts("nothing").isEmpty)
        }
    }

    @Test("Words are suggested as they are written", arguments: SearchedStore.allCases)
    func suggestions(_ kind: SearchedStore) throws {
        let stack = try SearchStack(kind)
        try stack.context.run { context throws in
            context.add(["title": "Über den Fluß"])
            context.add("Novel", ["title": "Überfahrt, Übermut"])
            context.add(["title": "über alles"])
            try context.save()
            func suggestions(_ text: String, _ entity: String = "Book", _ limit: Int = 5) throws -> [String] {
                try context.searchSuggestions(context.request(text, entity: entity), limit: limit)
            }
            #expect(try suggestions("ub") == ["Über", "Überfahrt", "Übermut"])
            #expect(try suggestions("alles ÜBERM") == ["Übermut"])
            #expect(try suggestions("ub", "Book", 1) == ["Über"])
            #expect(try suggestions("ub", "Novel") == ["Überfahrt", "Übermut"])
            #expect(try suggestions("ub ").isEmpty && suggestions("").isEmpty && suggestions("zz").isEmpty)
            #expect(throws: NSError.self) { try suggestions("x", "Tag") }
        }
    }

    @Test(
        "More than 10,000 found objects come in the order of their keys, without ranks",
        arguments: [SearchedStore.file, .memory])
    func manyHits(_ kind: SearchedStore) throws {
        let stack = try SearchStack(kind)
        try stack.context.run { context throws in
            for number in 0..<10_001 { context.add(["title": "war \(number % 7)", "year": number % 30_000]) }
            try context.save()
            context.add("Novel", ["title": "war 3", "year": 30_000])
            try context.save()
            var request = context.request("war")
            request.fetchLimit = 3
            let result = try context.search(request)
            #expect(!result.isRanked && result.count == 10_002)
            #expect(result.hits.map { $0.object.value(forKey: "year") as? Int } == [0, 1, 2])
            request.fetchOffset = 10_000
            let last = try context.search(request).hits
            #expect(last.map { $0.object.value(forKey: "year") as? Int } == [10_000, 30_000])
            #expect(last.map(\.object.entity.name) == ["Book", "Novel"])
            request.fetchOffset = 0
            context.add(["title": "war", "year": -1])
            #expect(try context.search(request).count == 10_003)
            request.sortDescriptors = [NSSortDescriptor(key: "year", ascending: true)]
            #expect(try context.search(request).hits.first?.object.value(forKey: "year") as? Int == -1)
            request.sortDescriptors = []
            request.words = "\"war 3\""
            #expect(try context.search(request).isRanked)
        }
    }

    @Test("An asynchronous search waits off the context's queue, and is cancelled with its task")
    func asynchronous() async throws {
        let stack = try SearchStack()
        try stack.context.run { context throws in
            for number in 0..<3_000 { context.add(["title": "war \(number)"]) }
            try context.save()
        }
        let request = SearchRequest<NSManagedObject>("war", entityName: "Book")
        #expect(try await stack.context.search(request).count == 3_000)
        try stack.coordinator.deleteSearchIndexes()
        let context = stack.context
        let cancelled = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return try await context.search(SearchRequest<NSManagedObject>("war", entityName: "Book")).count
        }
        await #expect(throws: CancellationError.self) { _ = try await cancelled.value }
        #expect(try await stack.context.search(request).count == 3_000)
    }
}
