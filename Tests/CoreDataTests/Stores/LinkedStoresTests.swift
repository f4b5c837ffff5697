import CoreData
import Foundation
import Testing

/// Data in two stores that belong together, as in Apple's *Linking Data Between Two Core Data Stores*: no relationship leads
/// from one store to another, so the objects are linked by a fetched property, by a key that the store derives, and by the URI
/// of an ID.
@Suite struct LinkedStoresTests {
    /// The types of the store with books and of the one with feedback.
    static let kinds: [[StoreKind]] = [[.sqlite, .sqlite], [.sqlite, .xml], [.sqlite, .memory]]

    private static func fetched(_ name: String, _ entity: String, _ format: String)
        -> NSFetchedPropertyDescription
    {
        let property = NSFetchedPropertyDescription()
        property.name = name
        let request = NSFetchRequest<any NSFetchRequestResult>(entityName: entity)
        request.predicate = NSPredicate(format: format)
        request.sortDescriptors = [
            NSSortDescriptor(key: entity == "Book" ? "title" : "comment", ascending: true)
        ]
        property.fetchRequest = request
        return property
    }

    private static func model() -> NSManagedObjectModel {
        let book = NSEntityDescription(
            "Book", attribute("title", .string), attribute("uuid", .uuid),
            derived("titleKey", .string, "canonical:(title)"),
            fetched("feedbackList", "Feedback", "bookUUID == $FETCH_SOURCE.uuid"),
            fetched("mentions", "Feedback", "mentionedKey == $FETCH_SOURCE.titleKey"))
        let feedback = NSEntityDescription(
            "Feedback", attribute("comment", .string), attribute("rating", .integer16),
            attribute("bookUUID", .uuid), attribute("mentionedKey", .string), attribute("bookURI", .string),
            fetched("books", "Book", "uuid == $FETCH_SOURCE.bookUUID"))
        let model = NSManagedObjectModel(of: book, feedback)
        model.setEntities([book], forConfigurationName: "Book")
        model.setEntities([feedback], forConfigurationName: "Feedback")
        return model
    }

    private let folder: StoreFolder

    init() throws { folder = try StoreFolder() }

    private func open(_ kinds: [StoreKind]) throws -> NSPersistentStoreCoordinator {
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: Self.model())
        for (kind, name) in zip(kinds, ["Book", "Feedback"]) {
            try coordinator.addPersistentStore(
                type: kind.type, configuration: name, at: folder.url.appendingPathComponent("\(name).store"))
        }
        return coordinator
    }

    private func fill(_ coordinator: NSPersistentStoreCoordinator) throws {
        try coordinator.inContext { context in
            for title in ["Émile", "Emma"] {
                let book = try context.insert("Book", ["title": title, "uuid": UUID()])
                try context.obtainPermanentIDs(for: [book])
                for rating in 1...2 {
                    try context.insert(
                        "Feedback",
                        [
                            "comment": "\(title) \(rating)", "rating": rating,
                            "bookUUID": try #require(book.value(forKey: "uuid")),
                            "bookURI": book.objectID.uriRepresentation().absoluteString,
                            "mentionedKey": title == "Émile" ? "emma" : "emile",
                        ])
                }
            }
            try context.save()
        }
    }

    private func comments(_ key: String, of book: NSManagedObject) -> [String] {
        (book.value(forKey: key) as? [NSManagedObject] ?? []).compactMap {
            $0.value(forKey: "comment") as? String
        }
    }

    @Test("A fetched property returns objects of another store", arguments: kinds)
    func fetchedPropertyOfTheOtherStore(_ kinds: [StoreKind]) throws {
        let coordinator = try open(kinds)
        try fill(coordinator)
        try coordinator.inContext { context in
            let books = try context.all("Book", by: "titleKey")
            #expect(comments("feedbackList", of: books[0]) == ["Émile 1", "Émile 2"])
            #expect(comments("feedbackList", of: books[1]) == ["Emma 1", "Emma 2"])
            let feedback = try #require((books[1].value(forKey: "feedbackList") as? [NSManagedObject])?.first)
            #expect(
                (feedback.value(forKey: "books") as? [NSManagedObject])?.map(\.objectID) == [
                    books[1].objectID
                ])
            #expect(feedback.objectID.persistentStore !== books[1].objectID.persistentStore)
        }
    }

    @Test("A fetched property is fetched once and again after a refresh", arguments: kinds)
    func fetchedPropertyIsRefreshed(_ kinds: [StoreKind]) throws {
        let coordinator = try open(kinds)
        try fill(coordinator)
        try coordinator.inContext { context in
            let book = try #require(try context.all("Book", by: "titleKey").last)
            #expect(comments("feedbackList", of: book).count == 2)
            try context.insert(
                "Feedback", ["comment": "third", "bookUUID": try #require(book.value(forKey: "uuid"))])
            try context.save()
            // A fetched property is fetched once.
            #expect(comments("feedbackList", of: book).count == 2)
            context.refresh(book, mergeChanges: true)
            #expect(comments("feedbackList", of: book) == ["Emma 1", "Emma 2", "third"])
            context.refresh(book, mergeChanges: false)
            #expect(comments("feedbackList", of: book).count == 3)
        }
    }

    @Test("A fetched property may use a derived key, which follows its source at a save", arguments: kinds)
    func derivedKeyRelatesStores(_ kinds: [StoreKind]) throws {
        let coordinator = try open(kinds)
        try fill(coordinator)
        try coordinator.inContext { context in
            let books = try context.all("Book", by: "titleKey")
            #expect(books.map { $0.value(forKey: "titleKey") as? String } == ["emile", "emma"])
            #expect(comments("mentions", of: books[0]) == ["Emma 1", "Emma 2"])
            // The key follows the title, when that is saved.
            books[0].setValue("EMMA", forKey: "title")
            try context.save()
            context.refresh(books[0], mergeChanges: false)
            #expect(comments("mentions", of: books[0]) == ["Émile 1", "Émile 2"])
        }
    }

    @Test("The URI of an ID finds its object in another session", arguments: kinds.prefix(2))
    func uriInAnotherSession(_ kinds: [StoreKind]) throws {
        let first = try open(kinds)
        try fill(first)
        try first.close()
        let coordinator = try open(kinds)
        try coordinator.inContext { context in
            for feedback in try context.all("Feedback") {
                let uri = try #require(feedback.value(forKey: "bookURI") as? String)
                let id = try #require(coordinator.managedObjectID(for: uri))
                let book = try context.existingObject(with: id)
                #expect(book.value(forKey: "uuid") as? UUID == feedback.value(forKey: "bookUUID") as? UUID)
            }
        }
        // Without the store, the URI stands for nothing.
        let uri = try coordinator.inContext {
            try #require(try $0.all("Feedback").first?.value(forKey: "bookURI") as? String)
        }
        try coordinator.remove(coordinator.persistentStores[0])
        #expect(coordinator.managedObjectID(for: uri) == nil)
    }
}
