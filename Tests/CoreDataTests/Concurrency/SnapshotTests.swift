import CoreData
import Foundation
import Testing

/// Snapshots of objects, made of objects and of rows.
@Suite struct SnapshotTests {
    private enum Mood: String { case glad, sad }

    let folder: StoreFolder
    let coordinator: NSPersistentStoreCoordinator
    let context: NSManagedObjectContext

    init() throws {
        folder = try StoreFolder()
        coordinator = try folder.open(Self.model())
        context = coordinator.context()
    }

    private static func model() -> NSManagedObjectModel {
        let note = NSEntityDescription(
            "Note", attribute("title", .string), attribute("pages", .integer16),
            attribute("size", .integer64),
            attribute("isRead", .boolean), attribute("rating", .double), attribute("weight", .float),
            attribute("price", .decimal), attribute("made", .date), attribute("uuid", .uuid),
            attribute("site", .uri), attribute("cover", .binaryData), transformable("tags"),
            composite("place", attribute("city", .string), attribute("zip", .integer32)),
            derived("shouted", .string, "uppercase:(title)"), Library.transient("draft", .string))
        let special = NSEntityDescription("Special", attribute("extra", .string))
        note.subentities = [special]
        let person = NSEntityDescription("Person", attribute("name", .string))
        pair(note.relate("author", to: person), person.relate("notes", to: note, many: true))
        pair(
            note.relate("readers", to: person, many: true, ordered: true),
            person.relate("reads", to: note, many: true))
        let external = attribute("scan", .binaryData)
        external.allowsExternalBinaryDataStorage = true
        note.add(external)
        return NSManagedObjectModel(of: note, special, person)
    }

    private static let made = Date(timeIntervalSinceReferenceDate: 7_000_000.5)
    private static let uuid = UUID()

    /// A note with a value of every type, of which there are an author and two readers.
    private func fill() throws -> NSManagedObject {
        let note = try context.insert(
            "Note",
            [
                "title": "glad", "pages": 12, "size": Int64.max, "isRead": true, "rating": 4.25,
                "weight": 1.5,
                "price": NSDecimalNumber(string: "12.3456789"), "made": Self.made, "uuid": Self.uuid,
                "site": URL(string: "https://example.org/a") as Any, "cover": Data([1, 2, 3]),
                "tags": ["a", "b"], "place": ["city": "Bern", "zip": 3000], "draft": "not stored",
                "scan": Data(repeating: 7, count: 300_000),
            ])
        note.setValue(try context.insert("Person", ["name": "Ada"]), forKey: "author")
        let readers = try ["Zoe", "Bob"].map { try context.insert("Person", ["name": $0]) }
        note.setValue(NSOrderedSet(array: readers), forKey: "readers")
        return note
    }

    private func check(_ snapshot: ManagedObjectSnapshot) {
        #expect(snapshot.entityName == "Note")
        #expect(snapshot["title"] == "glad")
        #expect(snapshot["title", as: Mood.self] == .glad)
        #expect(snapshot["pages", as: Int16.self] == 12 && snapshot["pages", as: Int.self] == 12)
        #expect(snapshot["size"] == Int64.max)
        #expect(snapshot["isRead", as: Bool.self] == true)
        #expect(snapshot["rating"] == 4.25 && snapshot["weight", as: Float.self] == 1.5)
        #expect(snapshot["price"] == Decimal(string: "12.3456789"))
        #expect(snapshot["price"] == NSDecimalNumber(string: "12.3456789"))
        #expect(snapshot["made"] == Self.made && snapshot["uuid"] == Self.uuid)
        #expect(snapshot["site"] == URL(string: "https://example.org/a"))
        #expect(snapshot["cover"] == Data([1, 2, 3]))
        #expect(snapshot["scan", as: Data.self]?.count == 300_000)
        #expect(
            snapshot.value(forKey: "place") == .composite(["city": .string("Bern"), "zip": .integer(3000)]))
        #expect(snapshot["title", as: Int.self] == nil)
        #expect(!snapshot.keys.contains("draft") && !snapshot.keys.contains("tags"))
        #expect(!snapshot.keys.contains("readers"))
    }

    @Test("A snapshot has the object's values and keeps them")
    func snapshotHasTheValues() throws {
        try context.performAndWait {
            let note = try fill()
            let unsaved = try note.snapshot()
            check(unsaved)
            #expect(unsaved["shouted", as: String.self] == nil && unsaved.objectID.isTemporaryID)
            try context.save()
            let snapshot = try note.snapshot()
            check(snapshot)
            #expect(snapshot["shouted"] == "GLAD" && snapshot.objectID == note.objectID)
            let author = note.value(forKey: "author") as? NSManagedObject
            #expect(author != nil && snapshot.objectID(forKey: "author") == author?.objectID)
            // What comes later does not change it.
            note.setValue("sad", forKey: "title")
            #expect(snapshot["title"] == "glad")
            #expect(try note.snapshot()["title", as: Mood.self] == .sad)
        }
    }

    @Test("A snapshot of chosen properties has only these")
    func chosenProperties() throws {
        try context.performAndWait {
            let note = try fill()
            let snapshot = try note.snapshot(of: ["draft", "readers", "tags"])
            #expect(snapshot.keys == ["draft", "readers", "tags"])
            #expect(snapshot["draft"] == "not stored")
            let readers = (note.value(forKey: "readers") as? NSOrderedSet)?.array as? [NSManagedObject] ?? []
            #expect(snapshot.objectIDs(forKey: "readers") == readers.map(\.objectID) && readers.count == 2)
            #expect(snapshot["tags", as: Data.self]?.isEmpty == false)
            #expect(throws: CocoaError.self) { try note.snapshot(of: ["nothing"]) }
        }
    }

    @Test("Snapshots are fetched from rows without registering objects")
    func fetchedSnapshots() throws {
        let id = try context.performAndWait {
            let note = try fill()
            try context.save()
            return note.objectID
        }
        let reader = coordinator.context()
        try reader.performAndWait {
            let request = NSFetchRequest<NSManagedObject>(entityName: "Note")
            let snapshots = try reader.fetchSnapshots(request)
            try #require(snapshots.count == 1)
            check(snapshots[0])
            #expect(snapshots[0].objectID == id && snapshots[0]["shouted"] == "GLAD")
            let keys = ["title", "readers", "author", "tags"]
            let some = try #require(try reader.fetchSnapshots(request, of: keys).first)
            #expect(reader.registeredObjects.isEmpty)
            #expect(some.keys == Set(keys))
            // The object says the same.
            let note = try reader.existingObject(with: id)
            #expect(try note.snapshot() == snapshots[0])
            #expect(try note.snapshot(of: keys) == some)
            #expect(throws: CocoaError.self) { try reader.fetchSnapshots(request, of: ["nothing"]) }
        }
    }

    @Test("Snapshots are read by the constants by which objects are read")
    func constants() throws {
        try context.performAndWait {
            let note = try fill()
            try context.save()
            let keys = [
                "title", "pages", "size", "isRead", "rating", "weight", "made", "uuid", "price", "cover",
            ]
            let request = NSFetchRequest<NSManagedObject>(entityName: "Note")
            let fetched = try #require(try context.fetchSnapshots(request, of: keys).first)
            for snapshot in [fetched, try note.snapshot(of: keys)] {
                #expect(snapshot[ManagedKey<String?>("title")] == "glad")
                #expect(snapshot[ManagedKey<String>("title")] == "glad")
                #expect(
                    snapshot[ManagedKey<Int16>("pages")] == 12 && snapshot[ManagedKey<Int>("pages")] == 12)
                #expect(snapshot[ManagedKey<Int64>("size")] == .max && snapshot[ManagedKey<Bool>("isRead")])
                #expect(snapshot[ManagedKey<Double>("rating")] == 4.25)
                #expect(snapshot[ManagedKey<Float>("weight")] == 1.5)
                #expect(snapshot[ManagedKey<Date?>("made")] == Self.made)
                #expect(snapshot[ManagedKey<UUID?>("uuid")] == Self.uuid)
                #expect(snapshot[ManagedKey<Decimal>("price")] == Decimal(string: "12.3456789"))
                #expect(snapshot[ManagedKey<Data?>("cover")] == Data([1, 2, 3]))
                // A value of another type reads as none.
                #expect(
                    snapshot[ManagedKey<Int64>("title")] == 0 && snapshot[ManagedKey<String?>("size")] == nil)
            }
            #expect(fetched == (try note.snapshot(of: keys)))
        }
    }

    @Test("Fetched snapshots include unsaved changes")
    func unsavedChanges() throws {
        try context.performAndWait {
            let note = try fill()
            try context.save()
            note.setValue("changed", forKey: "title")
            try context.insert("Special", ["title": "new", "extra": "more"])
            let request = NSFetchRequest<NSManagedObject>(entityName: "Note")
            request.sortDescriptors = [NSSortDescriptor(key: "title", ascending: true)]
            let snapshots = try context.fetchSnapshots(request)
            #expect(snapshots.map { $0["title"] ?? "" } == ["changed", "new"])
            // Each entity has its own properties.
            #expect(snapshots[1]["extra"] == "more" && snapshots[1].entityName == "Special")
            try context.save()
            let saved = try context.fetchSnapshots(request)
            #expect(saved.map { $0["title"] ?? "" } == ["changed", "new"])
            #expect(saved[1].keys == snapshots[1].keys)
            request.fetchLimit = 1
            request.fetchOffset = 1
            #expect(try context.fetchSnapshots(request, of: ["title"]).map { $0["title"] ?? "" } == ["new"])
        }
    }

    @Test("Every store type gives the same snapshots", arguments: StoreKind.without(.hasGenerations))
    func everyStoreType(_ kind: StoreKind) throws {
        let coordinator = try ConformanceStore(kind).open()
        try coordinator.inContext { context in
            try ConformanceModel.fill(context)
            try context.save()
        }
        try coordinator.inContext { context in
            let request = NSFetchRequest<NSManagedObject>(entityName: "Person")
            request.sortDescriptors = [NSSortDescriptor(key: "name", ascending: true)]
            let keys = ["name", "team", "chores", "skills"]
            let snapshots = try context.fetchSnapshots(request, of: keys)
            #expect(snapshots.map { $0["name"] ?? "" } == ["Ada", "Alan", "Grace"])
            #expect(snapshots.map { $0.objectIDs(forKey: "skills").count } == [1, 1, 2])
            #expect(snapshots[0].objectIDs(forKey: "chores").count == 3)
            for (object, snapshot) in zip(try context.fetch(request), snapshots) {
                #expect(try object.snapshot(of: keys) == snapshot)
            }
        }
    }

    @Test("A child fetches snapshots of its parent's unsaved objects")
    func childSnapshots() throws {
        try context.performAndWait { _ = try fill() }
        let child = NSManagedObjectContext(.privateQueue)
        child.parent = context
        try child.performAndWait {
            let snapshots = try child.fetchSnapshots(NSFetchRequest<NSManagedObject>(entityName: "Person"))
            #expect(Set(snapshots.map { $0["name"] ?? "" }) == ["Ada", "Zoe", "Bob"])
        }
    }

    @Test("Snapshots can be read outside of their context")
    func snapshotsCrossActors() async throws {
        KeyPathNames.register("title", for: \Book.title)
        KeyPathNames.register("pages", for: \Book.pages)
        KeyPathNames.register("price", for: \Book.price)
        KeyPathNames.register("publishDate", for: \Book.publishDate)
        KeyPathNames.register("author", for: \Book.author)
        KeyPathNames.register("name", for: \Author.name)
        KeyPathNames.register("books", for: \Author.books)
        let library = try TestStack()
        let context = library.context()
        let book = try await context.perform {
            let book = Book(context: context)
            book.title = "Notes"
            book.price = NSDecimalNumber(string: "9.99")
            book.pages = 64
            let author = Author(context: context)
            author.name = "Ada"
            author.books = [book]
            try context.save()
            return (try book.snapshot(), try author.snapshot(\.name, \.books))
        }
        #expect(book.0[\Book.title] == "Notes" && book.0[\Book.pages] == 64)
        #expect(book.0[\Book.price] == NSDecimalNumber(string: "9.99"))
        #expect(book.0[\Book.publishDate] == nil)
        #expect(book.0[\Book.author] == book.1.objectID)
        #expect(book.1[\Author.books] == [book.0.objectID])
        #expect(book.1[\Author.name] == "Ada" && book.1.keys == ["name", "books"])
    }

    @Test("Snapshots are equal if object and values are equal")
    func equality() throws {
        try context.performAndWait {
            let one = try context.insert("Person", ["name": "Ada"])
            let other = try context.insert("Person", ["name": "Ada"])
            let before = try one.snapshot()
            #expect(before == (try one.snapshot()))
            #expect(before != (try other.snapshot()))
            #expect(before != (try one.snapshot(of: [])))
            one.setValue("Grace", forKey: "name")
            #expect(Set([before, try one.snapshot(), try one.snapshot()]).count == 2)
        }
    }

    // MARK: Coding

    private func decoder() -> JSONDecoder {
        let decoder = JSONDecoder()
        decoder.userInfo[.persistentStoreCoordinator] = coordinator
        return decoder
    }

    @Test("Snapshots are encoded and decoded")
    func coding() throws {
        let snapshots = try context.performAndWait {
            let note = try fill()
            try context.save()
            return [
                try note.snapshot(), try note.snapshot(of: ["readers", "tags", "author", "draft"]),
                try #require(note.value(forKey: "author") as? NSManagedObject).snapshot(of: ["notes", "name"]
                ),
            ]
        }
        let data = try JSONEncoder().encode(snapshots)
        #expect(try decoder().decode([ManagedObjectSnapshot].self, from: data) == snapshots)
    }

    @Test("An invalid snapshot is not decoded")
    func invalidEncodings() throws {
        let snapshot = try context.performAndWait {
            let person = try context.insert("Person", ["name": "Ada"])
            try context.save()
            return try person.snapshot(of: ["name"])
        }
        let text = String(decoding: try JSONEncoder().encode(snapshot), as: UTF8.self)
        let changes = [
            ("Person\"", "Note\""), ("\"name\"", "\"nothing\""), ("\"Ada\"", "7"),
            ("x-coredata", "http"), ("values", "valeurs"),
        ]
        for (old, new) in changes {
            let changed = Data(text.replacingOccurrences(of: old, with: new).utf8)
            #expect(throws: DecodingError.self, "\(new)") {
                try decoder().decode(ManagedObjectSnapshot.self, from: changed)
            }
        }
        #expect(throws: DecodingError.self) {
            try JSONDecoder().decode(ManagedObjectSnapshot.self, from: Data(text.utf8))
        }
    }

    @Test("Reading a property that a snapshot does not have stops with a message")
    func missingPropertyStops() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let context = try TestStack().context()
            let snapshot = try context.performAndWait { try Author(context: context).snapshot() }
            _ = snapshot.objectIDs(forKey: "books")
        }
        let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        #expect(text.contains("has no 'books'"))
    }
}
