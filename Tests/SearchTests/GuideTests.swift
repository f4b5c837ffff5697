import CoreData
import Foundation
import Testing

private final class SearchedBook: NSManagedObject {
    var title: String? { value(forKey: "title") as? String }
}

/// Sentences of the guide "Search", on each type of store.
struct GuideTests {
    @Test("Each form of a query finds what the guide says", arguments: SearchedStore.allCases)
    func forms(_ kind: SearchedStore) throws {
        let stack = try SearchStack(kind)
        let many = (0..<256).map { "w\($0)" }.joined(separator: " ")
        try stack.context.run { context throws in
            context.add(["title": "War and Peace"])
            context.add(["title": "Peace", "abstract": "on war"])
            context.add(["title": "War", "abstract": "a well-known story"])
            context.add(["title": "Well, a known war"])
            context.add(["title": "War and penalty"])
            context.add(["title": "Schloß Gripsholm"])
            context.add(["title": "many", "abstract": many])
            let (peace, war, both) = ("Peace", "War", "War and Peace")
            let (penalty, well) = ("War and penalty", "Well, a known war")
            let all = [peace, war, both, penalty, well]
            let forms: [(String, [String])] = [
                ("war peace", [peace, both]), ("peace war", [peace, both]), ("war AND peace", [peace, both]),
                ("\"war and peace\"", [both]), ("\"peace and war\"", []), ("well-known", [war]),
                ("schlo*", ["Schloß Gripsholm"]), ("schlo", []), ("\"war and pe\"*", [both, penalty]),
                ("war OR gripsholm", (all + ["Schloß Gripsholm"]).sorted()),
                ("peace on OR gripsholm", [peace, "Schloß Gripsholm"]),
                ("war -peace", [war, penalty, well]), ("war NOT \"and peace\"", [peace, war, penalty, well]),
                // Any text is valid.
                ("\"war and peace", [both]), ("OR war AND", all), ("war OR", all), ("war NOT", all),
                ("-war", []), ("NOT war", []), ("", []), ("* \" -", []),
                ("( war ) : { peace }", [peace, both]), ("war; peace?!", [peace, both]),
                ("\(many) nothing", ["many"]), ("nothing \(many)", []),
            ]
            // Before they are saved, and after that.
            for round in 0..<2 {
                for (words, titles) in forms {
                    #expect(try context.titles(words) == titles, "\(round): \(words.prefix(30))")
                }
                try context.save()
            }
        }
    }

    @Test(
        "Of scripts without spaces each character is found, and those next to each other in their order",
        arguments: SearchedStore.allCases)
    func scriptsWithoutSpaces(_ kind: SearchedStore) throws {
        let stack = try SearchStack(kind)
        let texts = [
            ("東京都", "京都", "都京"), ("ひらがな", "がな", "なが"), ("서울특별시", "울특", "특울"), ("ภาษาไทย", "าไ", "ไา"),
            ("ພາສາລາວ", "ສາລ", "ລສາ"), ("བོད་ཡིག", "ཡིག", "གཡི"), ("မြန်မာ", "န်မာ", "မာမ"), ("ភាសាខ្មែរ", "ភាសា", "សាភា"),
        ]
        try stack.context.run { context throws in
            for (title, _, _) in texts { context.add(["title": title]) }
            try context.save()
            for (title, part, reversed) in texts {
                #expect(try context.titles(title) == [title])
                #expect(try context.titles(part) == [title], "\(part)")
                #expect(try context.titles(reversed) == [], "\(reversed)")
            }
        }
    }

    @Test(
        "Of each value the first 10,000 words are found, and of each word the first 128 scalars",
        arguments: SearchedStore.allCases)
    func limits(_ kind: SearchedStore) throws {
        let stack = try SearchStack(kind)
        try stack.context.run { context throws in
            context.add([
                "title": "late", "abstract": (0..<10_050).map { "w\($0)" }.joined(separator: " "),
            ])
            context.add(["title": String(repeating: "é", count: 200)])
            for _ in 0..<2 {
                // Each value has words of its own, however long another one is.
                #expect(try context.titles("w0 w9999 late") == ["late"])
                #expect(try context.titles("w10000").isEmpty && context.titles("w10049").isEmpty)
                #expect(try context.titles(String(repeating: "e", count: 128)).count == 1)
                #expect(try context.titles(String(repeating: "É", count: 5_000)).count == 1)
                #expect(try context.titles(String(repeating: "e", count: 127)).isEmpty)
                try context.save()
            }
        }
    }

    @Test("A search by a class finds objects of it", arguments: SearchedStore.allCases)
    func typed(_ kind: SearchedStore) throws {
        NSManagedObjectModel.register(SearchedBook.self)
        let stack = try SearchStack(
            kind, SearchModel.model { $0["Book"]?.managedObjectClassName = "SearchedBook" })
        try stack.context.run { context throws in
            context.add(["title": "Das Schloß"])
            context.add(["title": "Schloß im Park"])
            try context.save()
            let result = try context.search("schloss -park", in: SearchedBook.self)
            #expect(result.count == 1 && result.isRanked)
            let hit = try #require(result.hits.first)
            #expect(hit.object.title == "Das Schloß" && hit.snippet?.text == "Das Schloß")
            #expect(hit.snippet?.pieces.filter(\.isHighlighted).map(\.text) == ["Schloß"])
            #expect(try context.searchSuggestions("schl", in: SearchedBook.self) == ["Schloß"])
        }
    }

    @Test(
        "While a person types, the last word of a request is a beginning", arguments: SearchedStore.allCases)
    func completion(_ kind: SearchedStore) throws {
        let stack = try SearchStack(kind)
        try stack.context.run { context throws in
            context.add(["title": "Das Schloß"])
            context.add(["title": "Schloß Gripsholm"])
            try context.save()
            var request = context.request("schloß gri")
            #expect(try context.search(request).count == 0)
            request.completesLastWord = true
            #expect(try context.search(request).titles == ["Schloß Gripsholm"])
            request.words = "schloß gri "
            #expect(try context.search(request).count == 0)
            let fetch = NSFetchRequest<NSManagedObject>(entityName: "Book")
            fetch.predicate = NSPredicate(searching: "schl", completesLastWord: true)
            #expect(try context.count(for: fetch) == 2)
        }
    }

    @Test("Words that are suggested are those of saved objects", arguments: SearchedStore.allCases)
    func savedSuggestions(_ kind: SearchedStore) throws {
        let stack = try SearchStack(kind)
        try stack.context.run { context throws in
            let request = context.request("schl")
            let castle = context.add(["title": "Schloß"])
            #expect(try context.searchSuggestions(request) == [])
            try context.save()
            #expect(try context.searchSuggestions(request) == ["Schloß"])
            castle.setValue("Schluß", forKey: "title")
            #expect(try context.searchSuggestions(request) == ["Schloß"])
            try context.save()
            #expect(try context.searchSuggestions(request) == ["Schluß"])
        }
    }

    @Test("An asynchronous search finds what is saved and what is not", arguments: SearchedStore.allCases)
    func asynchronous(_ kind: SearchedStore) async throws {
        let stack = try SearchStack(kind)
        try stack.context.save(["war", "peace", "war and peace"])
        _ = try stack.context.run { $0.add(["title": "war, not saved"]) }
        let request = SearchRequest<NSManagedObject>("war", entityName: "Book")
        let context = stack.context
        let found = try await context.search(request)
        #expect(found.count == 3)
        #expect(
            context.performAndWait { found.titles.sorted() } == ["war", "war and peace", "war, not saved"])
    }

    @Test(
        "A sequence of results follows a search: what is saved, changed and deleted",
        .timeLimit(.minutes(40)),
        arguments: SearchedStore.allCases)
    func sequence(_ kind: SearchedStore) async throws {
        let stack = try SearchStack(kind)
        try stack.context.save(["war", "peace"])
        let request = NSFetchRequest<NSManagedObject>(entityName: "Book")
        request.predicate = NSPredicate(searching: "war")
        request.sortDescriptors = [NSSortDescriptor(key: "title", ascending: true)]
        let context = stack.context
        var iterator = context.results(of: request).makeAsyncIterator()
        func titles(_ element: FetchedResultsChanges?) async -> [String?] {
            let ids = element?.sections.flatMap(\.objectIDs) ?? []
            return await context.perform {
                ids.map { context.object(with: $0).value(forKey: "title") as? String }
            }
        }
        // An event may come in parts: the test ends in time only if what is expected comes.
        var found: [String?] = []
        while found != ["war"] { found = await titles(try await iterator.next()) }
        try context.save(["another war"])
        while found != ["another war", "war"] { found = await titles(try await iterator.next()) }
        try context.run { context throws in
            for book in try context.fetch(request) where book.value(forKey: "title") as? String == "war" {
                book.setValue("peace", forKey: "title")
            }
            try context.save()
        }
        while found != ["another war"] { found = await titles(try await iterator.next()) }
    }

    // MARK: What is indexed

    @Test(
        "Whole numbers are found; attributes of other types, and transient ones, are not searched",
        arguments: SearchedStore.allCases)
    func types(_ kind: SearchedStore) throws {
        let model = SearchModel.model { entities in
            let spoken = SearchModel.attribute("spoken", .string)
            spoken.isTransient = true
            entities["Book"]?.properties += [
                SearchModel.attribute("pages", .integer32), SearchModel.attribute("copies", .integer64),
                SearchModel.attribute("price", .double), SearchModel.attribute("isRead", .boolean),
                SearchModel.attribute("day", .date), SearchModel.attribute("scan", .binaryData), spoken,
            ]
        }
        let stack = try SearchStack(kind, model)
        try stack.context.run { context throws in
            context.add([
                "title": "A", "pages": 70_000, "copies": 5_000_000_000, "year": -12, "price": 31.25,
                "isRead": true,
                "day": Date(timeIntervalSinceReferenceDate: 0), "scan": Data("scanned".utf8),
                "spoken": "whispered",
            ])
            for _ in 0..<2 {
                for found in ["70000", "5000000000", "12", "a"] {
                    #expect(try context.titles(found) == ["A"], "\(found)")
                }
                for missing in ["31", "25", "true", "1", "2001", "scanned", "whispered"] {
                    #expect(try context.titles(missing) == [], "\(missing)")
                }
                for name in ["price", "isRead", "day", "scan", "spoken"] {
                    let error = #expect(throws: NSError.self) { try context.titles("a", attributes: [name]) }
                    #expect(error?.localizedDescription.contains("'\(name)'") ?? false)
                }
                try context.save()
            }
        }
    }

    @Test(
        "A display name that is computed from stored attributes is searched, and one that reads others is not",
        arguments: SearchedStore.allCases)
    func displayNames(_ kind: SearchedStore) throws {
        let model = SearchModel.model { entities in
            entities["Author"]?.coreSpotlightDisplayNameExpression = NSExpression(format: "uppercase(last)")
            let shown = SearchModel.attribute("shown", .string, isIndexed: false)
            shown.isTransient = true
            entities["Tag"]?.properties.append(shown)
            entities["Tag"]?.coreSpotlightDisplayNameExpression = NSExpression(format: "uppercase(shown)")
        }
        let stack = try SearchStack(kind, model)
        try stack.context.run { context throws in
            context.add("Author", ["first": "Franz", "last": "Kafka"])
            context.add("Tag", ["shown": "kafka"])
            for _ in 0..<2 {
                #expect(try context.searchCounts("kafka") == ["Author": 1])
                let found = try context.search(context.request("kafka", entity: "Author"))
                #expect(found.hits.map { $0.object.value(forKey: "first") as? String } == ["Franz"])
                #expect(found.hits.allSatisfy { $0.snippet == nil && $0.highlights.isEmpty })
                let error = #expect(throws: NSError.self) {
                    try context.search(context.request("kafka", entity: "Tag"))
                }
                #expect(error?.localizedDescription.contains("'Tag'") ?? false)
                try context.save()
            }
        }
    }

    @Test("A derived attribute of the object itself is searched, and one that follows another object is not")
    func derivedAttributes() throws {
        func derived(_ name: String, _ expression: String) -> NSDerivedAttributeDescription {
            let attribute = NSDerivedAttributeDescription()
            attribute.name = name
            attribute.type = .string
            attribute.isOptional = true
            attribute.isIndexedBySpotlight = true
            attribute.derivationExpression = NSExpression(format: expression)
            return attribute
        }
        let model = SearchModel.model { entities in
            let (author, books) = (NSRelationshipDescription(), NSRelationshipDescription())
            (author.name, books.name) = ("author", "books")
            author.maxCount = 1
            (author.destinationEntity, books.destinationEntity) = (entities["Author"], entities["Book"])
            (author.inverseRelationship, books.inverseRelationship) = (books, author)
            for relationship in [author, books] { relationship.isOptional = true }
            entities["Author"]?.properties.append(books)
            entities["Book"]?.properties += [
                author, derived("loud", "uppercase:(note)"), derived("authorName", "author.last"),
            ]
        }
        let stack = try SearchStack(.file, model)
        try stack.context.run { context throws in
            let kafka = context.add("Author", ["last": "Kafka"])
            context.add(["title": "Das Schloß", "note": "unfinished", "author": kafka])
            try context.save()
            #expect(try context.titles("unfinished") == ["Das Schloß"])
            #expect(try context.titles("unfinished", attributes: ["loud"]) == ["Das Schloß"])
            #expect(try context.titles("kafka") == [])
            let error = #expect(throws: NSError.self) {
                try context.titles("kafka", attributes: ["authorName"])
            }
            #expect(error?.localizedDescription.contains("'authorName'") ?? false)
        }
    }
}
