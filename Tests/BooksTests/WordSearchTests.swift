import CoreData
import Testing

@testable import BooksApp

/// The search of words in the index of titles, abstracts and authors' names.
@Suite struct WordSearchTests {
    private static func marked(_ text: MarkedText?) -> String? {
        text?.pieces.map { $0.isMarked ? "[\($0.text)]" : $0.text }.joined()
    }

    @Test("Words are found regardless of case and accents, and by the beginning of the last one")
    func wordsAreFound() async throws {
        let library = try await TestLibrary()
        try library.add(
            "Über die Dörfer,Peter Handke,1981,", "Exuberance,,1990,", "Das Schloß,Franz Kafka,1926,")
        func find(_ text: String) async throws -> [String] { try await library.hits(text).map(\.book.title) }
        for text in ["uber", "ÜBER DIE", "uber do", "dorfer uber", "handke", "uber hand", "\"die dörfer\""] {
            #expect(try await find(text) == ["Über die Dörfer"], "\(text)")
        }
        #expect(try await find("schloss") == ["Das Schloß"])
        #expect(try await find("schloss OR dorfer").count == 2)
        #expect(try await find("is -kafka -handke") == ["Exuberance"])
        for text in ["berance", "do uber", "' OR 1=1 --", "%", "*", "\"", "xyzzy"] {
            #expect(try await find(text) == [], "\(text)")
        }
    }

    @Test("A found book has its words marked in the title, the author's name and the abstract")
    func foundWordsAreMarked() async throws {
        let library = try await TestLibrary()
        try library.add("Über die Dörfer,Peter Handke,1981,11", "Emma,Jane Austen,1815,")
        let both = try #require(try await library.hits("uber handke").first)
        #expect(Self.marked(both.title) == "[Über] die Dörfer")
        #expect(Self.marked(both.author) == "Peter Handke")
        #expect(Self.marked(both.abstract) == "“[Über] die Dörfer” is a book by Peter [Handke].")
        #expect(both.reasons == [.title, .abstract] && both.rank != nil)
        let author = try #require(try await library.hits("hand").first)
        #expect(Self.marked(author.title) == "Über die Dörfer")
        #expect(Self.marked(author.author) == "Peter [Handke]")
        #expect(author.reasons == [.abstract, .author])
    }

    @Test("The books of found authors follow those that have the words themselves, on any number of pages")
    func booksOfFoundAuthorsFollow() async throws {
        let library = try await TestLibrary()
        try await library.document.perform { context in
            let author = Author(context: context)
            author.name = "Ada Kafka"
            for number in 0..<130 {
                let book = Book(context: context)
                book.title = "Book \(1000 + number)"
                book.author = author
            }
            for number in 0..<3 { Book(context: context).title = "Kafka \(number)" }
            let own = Book(context: context)
            own.title = "On Kafka"
            own.author = author
            try context.save()
        }
        var query = BookListQuery(text: "kafk", method: .words)
        let first = try await library.document.list(query)
        #expect(first.found == 134 && first.timings.map(\.found) == [134] && first.count == 100)
        #expect(first.previous == nil && first.sections.isEmpty)
        #expect(
            Set(first.hits.prefix(4).map(\.book.title)) == ["Kafka 0", "Kafka 1", "Kafka 2", "On Kafka"])
        #expect(first.hits[4].book.title == "Book 1000")
        #expect(first.hits[4].reasons == [.author] && first.hits[4].rank == nil)
        let own = try #require(first.hits.first { $0.book.title == "On Kafka" })
        #expect(Self.marked(own.author) == "Ada [Kafka]" && own.reasons == [.title, .author])

        query.position = try #require(first.next)
        let second = try await library.document.list(query)
        #expect(second.found == 134 && second.count == 34 && second.next == nil)
        #expect(second.previous == .init(skip: 0))
        #expect(Set((first.books + second.books).map(\.title)).count == 134)
        query.position.skip = 10_000
        let beyond = try await library.document.list(query)
        #expect(beyond.hits.isEmpty && beyond.found == 134 && beyond.next == nil && beyond.previous != nil)

        #expect(try await library.hits("kafka", author: "Ada Kafka").count == 100)
        #expect(try await library.hits("kafka", author: "Grace").isEmpty)
    }

    @Test("Unsaved titles, abstracts and names are found")
    func unsavedValuesAreFound() async throws {
        let library = try await TestLibrary()
        try library.add("One,Ada,2001,1", "Two,Grace,2002,1")
        let uuid = try #require(try await library.uuid("One"))
        #expect(try await library.hits("one").count == 1)
        _ = try await library.change(uuid) {
            $0[.title] = "Zettels Traum"
            $0[.abstract] = "Ein großes Buch."
        }
        #expect(try await library.hits("zett").map(\.book.uuid) == [uuid])
        #expect(try await library.hits("grosses").map { Self.marked($0.abstract) } == ["Ein [großes] Buch."])
        #expect(try await library.hits("one").isEmpty)
        #expect(try await library.document.rename("Ada", to: "Arno Schmidt") == nil)
        let hits = try await library.hits("schmidt")
        #expect(hits.map(\.book.uuid) == [uuid] && hits.map(\.reasons) == [[.author]])
        #expect(hits.map { Self.marked($0.author) } == ["Arno [Schmidt]"])

        try await library.document.discard()
        #expect(try await library.hits("zett").isEmpty)
        #expect(try await library.hits("schmidt").isEmpty)
        #expect(try await library.hits("one").count == 1)
    }

    @Test("Books that another context adds or deletes are found, or not, after its save")
    func savedChangesAreFound() async throws {
        let library = try await TestLibrary()
        try library.add("One,Ada,2001,1")
        #expect(try await library.hits("ada").count == 1)
        try library.add("Two,Ada,2002,1")
        #expect(try await library.hits("ada").count == 2)
        let uuid = try #require(try await library.uuid("One"))
        #expect(try await library.document.delete(uuid))
        #expect(try await library.hits("ada").map(\.book.title) == ["Two"])
        #expect(try await library.document.save() == [])
        #expect(try await library.hits("ada").map(\.book.title) == ["Two"])
    }

    @Test("A window with a search is notified of changes of the books on its page")
    func aWindowWithASearchIsNotified() async throws {
        let library = try await TestLibrary()
        try library.add("One,Ada,2001,1", "Two,Grace,2002,1")
        let uuid = try #require(try await library.uuid("One"))
        let events = try await library.document.events(.books(BookListQuery(text: "ada")))
        _ = try await library.change(uuid) { $0[.price] = "2" }
        let event = await events.first { $0.kind == .results }
        #expect(event?.books == [uuid.uuidString.lowercased()])
    }

    @Test("The text of an abstract follows its bytes, also by key and by undo")
    func theTextFollowsTheBytes() async throws {
        let library = try await TestLibrary()
        let document = library.document
        let uuid = try await document.perform { context in
            let book = Book(context: context)
            book.title = "One"
            book.abstract = Data("Größe".utf8)
            try context.save()
            #expect(book.abstractText == "Größe")
            return try #require(book.uuid)
        }
        try await document.perform { context in
            let book = try #require(try context.book(uuid))
            book.setValue(Data("Tiefe".utf8), forKey: "abstract")
            #expect(book.abstractText == "Tiefe")
        }
        try await document.undo()
        #expect(try await document.book(uuid)?.abstractText == "Größe")
        #expect(try await document.book(uuid)?.abstract == "Größe")
        _ = try await library.change(uuid) { $0[.abstract] = "" }
        #expect(try await document.book(uuid)?.abstractText == nil)
        let changes = try await document.unsavedObjects(limit: 10, locale: Locale(identifier: "en_US"))
        #expect(changes.map { $0.values.map(\.key) } == [["abstract"]])
    }

    @Test("A store without texts of abstracts opens, and its abstracts can be searched")
    func aStoreOfTheEarlierModelOpens() async throws {
        let library = try await TestLibrary()
        let old = try #require(library.container.managedObjectModel.copy() as? NSManagedObjectModel)
        for entity in old.entities { entity.managedObjectClassName = "NSManagedObject" }
        old.entitiesByName["Book"]?.properties.removeAll { $0.name == "abstractText" }
        let file = library.folder.appendingPathComponent("Old.sqlite")
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: old)
        let store = try coordinator.addPersistentStore(
            ofType: NSSQLiteStoreType, configurationName: nil, at: file, options: nil)
        let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        context.persistentStoreCoordinator = coordinator
        try context.performAndWait { () throws in
            for title in ["Moby-Dick", "Emma"] {
                let book = NSEntityDescription.insertNewObject(forEntityName: "Book", into: context)
                book.setValue(title, forKey: "title")
                guard title != "Emma" else { continue }
                book.setValue(Data("Hunting the white whale.".utf8), forKey: "abstract")
            }
            try context.save()
        }
        try coordinator.remove(store)

        let container = try BooksContainer.load(file: file)
        #expect(try container.fillInAbstractTexts() == 1)
        #expect(try container.fillInAbstractTexts() == 0)
        let document = await BooksDocument(container)
        let list = try await document.list(BookListQuery(text: "whale"))
        #expect(list.hits.map(\.book.title) == ["Moby-Dick"])
        #expect(list.hits.map { Self.marked($0.abstract) } == ["Hunting the white [whale]."])
        for store in container.persistentStoreCoordinator.persistentStores {
            try container.persistentStoreCoordinator.remove(store)
        }
    }

    @Test("Deleting old history keeps what the search finds")
    func deletingOldHistory() async throws {
        let library = try await TestLibrary()
        try library.add("One,Ada,2001,1")
        #expect(try await library.hits("one").count == 1)
        try library.add("Three,Ada,2003,1")
        try await library.container.deleteOldHistory(before: Date(timeIntervalSinceNow: 60))
        #expect(try await library.hits("three").count == 1)
        try library.add("Two,Ada,2002,1")
        #expect(try await library.hits("ada").count == 3)
    }
}
