import CoreData
import Foundation

/// An XML or binary store of shelves and books in a folder of a test's own, which goes with it: two shelves, the first of which has
/// four books in an order, and one has the last.
final class TestDocument: Sendable {
    let folder: URL
    let url: URL
    let type: String

    init(_ type: String) throws {
        self.type = type
        folder = FileManager.default.temporaryDirectory.appending(path: "TestDocument-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        url = folder.appending(path: "Shelves.\(type)")
        try change { context in
            let shelves = ["Left", "Right"].map { Self.object("Shelf", ["name": $0], context) }
            let books = (1...5).map { number in
                Self.object(
                    "Book",
                    [
                        "title": "Book \(number)", "notes": NSArray(array: ["note \(number)"]),
                        "shelf": shelves[number / 5],
                    ], context)
            }
            books[0].setValue(books[1], forKey: "sequel")
            shelves[0].setValue(NSOrderedSet(array: [2, 0, 3, 1].map { books[$0] }), forKey: "books")
            let tag = Self.object("Tag", ["name": "old"], context)
            tag.setValue(NSSet(array: [books[0], books[4]]), forKey: "books")
        }
    }

    deinit { try? FileManager.default.removeItem(at: folder) }

    private static func object(
        _ entity: String, _ values: [String: Any], _ context: NSManagedObjectContext
    ) -> NSManagedObject {
        let object = NSEntityDescription.insertNewObject(forEntityName: entity, into: context)
        for (key, value) in values { object.setValue(value, forKey: key) }
        return object
    }

    /// Opens the file as another program does, and saves what the block changes.
    func change(_ body: (NSManagedObjectContext) throws -> Void) throws {
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: Self.model)
        let store = try coordinator.addPersistentStore(ofType: type, configurationName: nil, at: url)
        let context = NSManagedObjectContext(.privateQueue)
        context.persistentStoreCoordinator = coordinator
        try context.performAndWait {
            try body(context)
            try context.save()
        }
        try coordinator.remove(store)
    }

    /// What the file has of each object, by the names of shelves and tags and the titles of books.
    func contents() throws -> [String: [String: String]] {
        var found: [String: [String: String]] = [:]
        try change { context in
            for entity in ["Shelf", "Book", "Tag"] {
                for object in try context.fetch(NSFetchRequest<NSManagedObject>(entityName: entity)) {
                    found[Self.name(object)] = Dictionary(
                        uniqueKeysWithValues: object.entity.propertiesByName.keys.map {
                            ($0, Self.text(object.value(forKey: $0)))
                        })
                }
            }
        }
        return found
    }

    private static func name(_ object: NSManagedObject) -> String {
        object.value(forKey: object.entity.name == "Book" ? "title" : "name") as? String ?? "?"
    }

    private static func text(_ value: Any?) -> String {
        switch value {
        case nil: "none"
        case let object as NSManagedObject: name(object)
        case let set as NSOrderedSet:
            set.array.compactMap { ($0 as? NSManagedObject).map(name) }.joined(separator: ", ")
        case let set as NSSet:
            set.allObjects.compactMap { ($0 as? NSManagedObject).map(name) }.sorted().joined(separator: ", ")
        case let array as NSArray: array.map { "\($0)" }.joined(separator: ", ")
        case let data as Data: data.map { String($0) }.joined(separator: " ")
        case let value?: "\(value)"
        }
    }

    static var model: NSManagedObjectModel {
        let (shelf, book, tag) = (NSEntityDescription(), NSEntityDescription(), NSEntityDescription())
        (shelf.name, book.name, tag.name) = ("Shelf", "Book", "Tag")
        let books = relationship("books", to: book, many: true)
        books.isOrdered = true
        books.deleteRule = .cascadeDeleteRule
        let place = relationship("shelf", to: shelf)
        (books.inverseRelationship, place.inverseRelationship) = (place, books)
        let (tags, tagged) = (
            relationship("tags", to: tag, many: true), relationship("books", to: book, many: true)
        )
        (tags.inverseRelationship, tagged.inverseRelationship) = (tagged, tags)
        let cover = attribute("cover", .binaryDataAttributeType)
        cover.allowsExternalBinaryDataStorage = true
        shelf.properties = [attribute("name", .stringAttributeType, isOptional: false), books]
        book.properties = [
            attribute("title", .stringAttributeType, isOptional: false),
            attribute("price", .decimalAttributeType),
            attribute("notes", .transformableAttributeType), cover, place, tags,
            relationship("sequel", to: book),
        ]
        tag.properties = [attribute("name", .stringAttributeType), tagged]
        let model = NSManagedObjectModel()
        model.entities = [shelf, book, tag]
        return model
    }

    private static func attribute(
        _ name: String, _ type: NSAttributeType, isOptional: Bool = true
    ) -> NSAttributeDescription {
        let attribute = NSAttributeDescription()
        (attribute.name, attribute.attributeType, attribute.isOptional) = (name, type, isOptional)
        return attribute
    }

    private static func relationship(
        _ name: String, to destination: NSEntityDescription, many: Bool = false
    ) -> NSRelationshipDescription {
        let relationship = NSRelationshipDescription()
        (relationship.name, relationship.destinationEntity, relationship.isOptional) = (
            name, destination, true
        )
        relationship.maxCount = many ? 0 : 1
        return relationship
    }
}
