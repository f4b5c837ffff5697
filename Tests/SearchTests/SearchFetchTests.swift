import CoreData
import Foundation
import Testing

/// `NSPredicate(searching:)` in fetches, on each type of store.
struct SearchFetchTests {
    /// A controller without a delegate does not follow changes.
    private final class Listener: NSObject, NSFetchedResultsControllerDelegate {}

    private func fill(_ context: NSManagedObjectContext) throws {
        try context.run { context throws in
            context.add(["title": "Das Schloß", "abstract": "Ein Landvermesser", "year": 1926])
            context.add(["title": "Über den Fluß", "year": 1950])
            context.add("Novel", ["title": "Достоевский: Идиот", "genre": "roman"])
            context.add(["title": "東京の歴史", "note": "Schloß"])
            context.add(["title": "War and Peace", "abstract": "peace, war"])
            context.add("Author", ["first": "Franz", "last": "Kafka"])
            try context.save()
        }
    }

    @Test(
        "Words are found in any case, without marks, in parts of texts without spaces",
        arguments: SearchedStore.allCases)
    func words(_ kind: SearchedStore) throws {
        let stack = try SearchStack(kind)
        try fill(stack.context)
        try stack.context.run { context throws in
            #expect(try context.titles("schloss") == ["Das Schloß"])
            #expect(try context.titles("SCHLOSZ").isEmpty)
            #expect(try context.titles("uber") == ["Über den Fluß"])
            #expect(try context.titles("ДОСТОЕВСКИЙ") == ["Достоевский: Идиот"])
            #expect(try context.titles("достоевский", entity: "Novel") == ["Достоевский: Идиот"])
            #expect(try context.titles("京") == ["東京の歴史"])
            #expect(try context.titles("東京") == ["東京の歴史"])
            #expect(try context.titles("京東").isEmpty)
        }
    }

    @Test(
        "A query may have prefixes, phrases, alternatives and exclusions",
        arguments: SearchedStore.allCases)
    func queries(_ kind: SearchedStore) throws {
        let stack = try SearchStack(kind)
        try fill(stack.context)
        try stack.context.run { context throws in
            #expect(try context.titles("land*") == ["Das Schloß"])
            #expect(try context.titles("\"war and peace\"") == ["War and Peace"])
            #expect(try context.titles("\"peace and war\"").isEmpty)
            #expect(try context.titles("schloss OR peace") == ["Das Schloß", "War and Peace"])
            #expect(try context.titles("schloss -landvermesser").isEmpty)
            #expect(try context.titles("-schloss").isEmpty)
            #expect(try context.titles("").isEmpty)
            #expect(try context.titles("\"").isEmpty)
            #expect(try context.titles("title:war NEAR( {").isEmpty)
        }
    }

    @Test("Only attributes that the model flags are searched", arguments: SearchedStore.allCases)
    func flags(_ kind: SearchedStore) throws {
        let stack = try SearchStack(kind)
        try fill(stack.context)
        let isbn = UUID()
        try stack.context.run { context throws in
            context.add(["title": "A", "isbn": isbn, "site": URL(string: "https://example.org/path")!])
            try context.save()
            #expect(try context.titles("roman") == ["Достоевский: Идиот"])
            #expect(try context.titles("1926") == ["Das Schloß"])
            #expect(try context.titles(isbn.uuidString.lowercased()) == ["A"])
            #expect(try context.titles("example.org") == ["A"])
            #expect(try context.titles("war", attributes: ["abstract"]) == ["War and Peace"])
            #expect(try context.titles("and", attributes: ["abstract"]).isEmpty)
            let authors = NSFetchRequest<NSManagedObject>(entityName: "Author")
            authors.predicate = NSPredicate(searching: "kafka")
            #expect(try context.count(for: authors) == 1)
            authors.predicate = NSPredicate(searching: "franz")
            #expect(try context.count(for: authors) == 0)
        }
    }

    @Test(
        "A search combines with other conditions, an order, a limit and any result type",
        arguments: SearchedStore.allCases)
    func compound(_ kind: SearchedStore) throws {
        let stack = try SearchStack(kind)
        try stack.context.run { context throws in
            for number in 0..<50 { context.add(["title": "war \(number)", "year": number]) }
            for number in 50..<60 { context.add(["title": "peace \(number)", "year": number]) }
            try context.save()
            let request = NSFetchRequest<NSManagedObject>(entityName: "Book")
            request.predicate = NSCompoundPredicate(andPredicateWithSubpredicates: [
                NSPredicate(searching: "war"), NSPredicate(format: "year >= 40"),
            ])
            request.sortDescriptors = [NSSortDescriptor(key: "year", ascending: false)]
            request.fetchLimit = 3
            request.fetchOffset = 1
            #expect(try context.fetch(request).map { $0.value(forKey: "year") as? Int } == [48, 47, 46])
            request.fetchLimit = 0
            request.fetchOffset = 0
            #expect(try context.count(for: request) == 10)
            request.predicate = NSCompoundPredicate(
                notPredicateWithSubpredicate: NSPredicate(searching: "war"))
            #expect(try context.count(for: request) == 10)
            request.predicate = NSCompoundPredicate(orPredicateWithSubpredicates: [
                NSPredicate(searching: "peace"), NSPredicate(format: "year == 1"),
            ])
            #expect(try context.count(for: request) == 11)
            let rows = NSFetchRequest<NSDictionary>(entityName: "Book")
            rows.resultType = .dictionaryResultType
            rows.propertiesToFetch = ["year"]
            rows.predicate = NSPredicate(searching: "\"war 7\"")
            #expect(try context.fetch(rows) == [["year": 7]])
            request.predicate = NSPredicate(searching: "war")
            request.sortDescriptors = [NSSortDescriptor(key: "year", ascending: true)]
            let controller = NSFetchedResultsController(
                fetchRequest: request, managedObjectContext: context, sectionNameKeyPath: nil, cacheName: nil)
            let listener = Listener()
            controller.delegate = listener
            try controller.performFetch()
            #expect(controller.fetchedObjects?.count == 50)
            context.add(["title": "WAR!", "year": -1])
            context.processPendingChanges()
            #expect(controller.fetchedObjects?.first?.value(forKey: "title") as? String == "WAR!")
        }
    }

    @Test(
        "Unsaved changes are searched, in the context and in its children", arguments: SearchedStore.allCases)
    func unsavedChanges(_ kind: SearchedStore) throws {
        let stack = try SearchStack(kind)
        try fill(stack.context)
        try stack.context.run { context throws in
            let all = NSFetchRequest<NSManagedObject>(entityName: "Book")
            all.sortDescriptors = [NSSortDescriptor(key: "title", ascending: true)]
            let books = try context.fetch(all)
            let castle = try #require(books.first { $0.value(forKey: "title") as? String == "Das Schloß" })
            castle.setValue("Der Prozeß", forKey: "title")
            #expect(try context.titles("schloss").isEmpty)
            #expect(try context.titles("prozess") == ["Der Prozeß"])
            #expect(try context.titles("landvermesser") == ["Der Prozeß"])
            let new = context.add(["title": "Der Prozeß II"])
            #expect(try context.titles("prozess") == ["Der Prozeß", "Der Prozeß II"])
            let child = NSManagedObjectContext(.privateQueue)
            child.parent = context
            try child.run { child throws in
                #expect(try child.titles("prozess") == ["Der Prozeß", "Der Prozeß II"])
                child.add(["title": "Prozeß III"])
                #expect(try child.titles("prozess").count == 3)
            }
            context.delete(castle)
            context.delete(new)
            #expect(try context.titles("prozess").isEmpty)
            context.rollback()
            #expect(try context.titles("schloss") == ["Das Schloß"])
        }
    }

    @Test(
        "New objects are found whatever the store writes instead of their values",
        arguments: SearchedStore.allCases)
    func decimals(_ kind: SearchedStore) throws {
        let model = SearchModel.model {
            $0["Book"]?.properties.append(SearchModel.attribute("price", .decimal, isIndexed: false))
        }
        let stack = try SearchStack(kind, model)
        try stack.context.run { context throws in
            #expect(try context.titles("schloss") == [])
            context.add(["title": "Das Schloß", "price": NSDecimalNumber(string: "12.50")])
            try context.save()
            #expect(try context.titles("schloss") == ["Das Schloß"])
        }
    }

    @Test("Saved objects are found, and deleted ones are not", arguments: SearchedStore.allCases)
    func saves(_ kind: SearchedStore) throws {
        let stack = try SearchStack(kind)
        try fill(stack.context)
        try stack.context.run { context throws in
            #expect(try context.titles("schloss").count == 1)
            let new = context.add(["title": "Schloß Gripsholm"])
            try context.save()
            #expect(try context.titles("schloss") == ["Das Schloß", "Schloß Gripsholm"])
            new.setValue("Gripsholm", forKey: "title")
            try context.save()
            #expect(try context.titles("schloss") == ["Das Schloß"])
            context.delete(new)
            try context.save()
            #expect(try context.titles("gripsholm").isEmpty)
            new.managedObjectContext?.reset()
            #expect(try context.titles("schloss") == ["Das Schloß"])
        }
    }

    @Test(
        "Searching an entity without texts, or an attribute that is not indexed, is an error with its name",
        arguments: SearchedStore.allCases)
    func refusals(_ kind: SearchedStore) throws {
        let stack = try SearchStack(kind)
        try stack.context.run { context throws in
            func message(_ entity: String, _ attributes: [String]? = nil) -> String {
                let request = NSFetchRequest<NSManagedObject>(entityName: entity)
                request.predicate = NSPredicate(searching: "x", attributes: attributes)
                do {
                    _ = try context.fetch(request)
                    return ""
                } catch {
                    return error.localizedDescription
                }
            }
            #expect(message("Tag").contains("'Tag'") && message("Tag").contains("Index in Spotlight"))
            #expect(message("Book", ["note"]).contains("'note'"))
            #expect(message("Book", ["nothing"]).contains("'nothing'"))
            #expect(throws: NSError.self) { try context.search("x", in: NSManagedObject.self) }
            #expect(throws: NSError.self) { try context.search(SearchRequest("x", entityName: "Nothing")) }
        }
    }

    @Test("Searching a SQLite store without persistent history is an error that names the option")
    func noHistory() throws {
        let stack = try SearchStack(.file, options: [NSPersistentHistoryTrackingKey: false])
        try stack.context.run { context throws in
            let error = #expect(throws: NSError.self) { try context.titles("x") }
            #expect(error?.localizedDescription.contains("NSPersistentHistoryTrackingKey") ?? false)
        }
        #expect(throws: NSError.self) { try stack.coordinator.startSearchIndexing() }
        #expect(!FileManager.default.fileExists(atPath: stack.index.path))
    }

    @Test(
        "An empty history that no program keeps is not followed: the search is an error that names the option"
    )
    func abandonedHistory() throws {
        let stack = try SearchStack()
        try stack.context.run { context throws in
            context.add(["title": "war"])
            try context.save()
        }
        try stack.deleteHistory()
        for store in stack.coordinator.persistentStores { try stack.coordinator.remove(store) }
        let other = try stack.other(options: [NSPersistentHistoryTrackingKey: false])
        try other.run { context throws in
            let error = #expect(throws: NSError.self) { try context.titles("war") }
            #expect(error?.localizedDescription.contains("NSPersistentHistoryTrackingKey") ?? false)
        }
    }

    @Test(
        "A search predicate has a format string, is equal to one with the same query, and evaluates objects")
    func predicate() throws {
        let predicate = NSPredicate(searching: "War -peace", attributes: ["title"])
        #expect(predicate.description == "SEARCH(\"War -peace\" IN {title})")
        #expect(predicate.isEqual(NSPredicate(searching: "war NOT peace", attributes: ["title"])))
        #expect(!predicate.isEqual(NSPredicate(searching: "war NOT peace")))
        let stack = try SearchStack(.memory)
        stack.context.performAndWait {
            #expect(predicate.evaluate(with: stack.context.add(["title": "war"])))
            #expect(!predicate.evaluate(with: stack.context.add(["title": "war, peace"])))
            #expect(!predicate.evaluate(with: stack.context.add("Tag", ["name": "war"])))
            #expect(!predicate.evaluate(with: "war"))
        }
    }
}
