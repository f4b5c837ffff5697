import CoreData
import FuzzerDriver

/// Stores of authors with books.
enum Shelf {
    static func model(derives: Bool) -> NSManagedObjectModel {
        do {
            return try NSManagedObjectModel(
                tree: ModelElement(xml: Data(ShelfText.of(derives: derives).utf8)))
        } catch {
            preconditionFailure("the model of the stores: \(error)")
        }
    }

    /// A context of a new store with a few objects.
    static func filledContext(
        _ type: String, _ url: URL, options: [AnyHashable: Any]? = nil
    ) throws -> NSManagedObjectContext {
        let coordinator = NSPersistentStoreCoordinator(
            managedObjectModel: model(derives: type == NSSQLiteStoreType))
        try coordinator.addPersistentStore(ofType: type, configurationName: nil, at: url, options: options)
        let context = NSManagedObjectContext(.privateQueue)
        context.persistentStoreCoordinator = coordinator
        try context.performAndWait {
            let author = NSEntityDescription.insertNewObject(forEntityName: "Author", into: context)
            author.setValue("Ada", forKey: "name")
            for index in 1...3 {
                let book = NSEntityDescription.insertNewObject(
                    forEntityName: index == 1 ? "Novel" : "Book", into: context)
                let values: [String: Any] = [
                    "name": "book \(index) <&\u{E9}>", "year": 1900 + index, "pages": index * 100,
                    "number": index << 40,
                    "rating": 0.5, "weight": 1.25, "price": NSDecimalNumber(string: "12.5"),
                    "isRead": index == 2,
                    "bought": Date(timeIntervalSinceReferenceDate: 1000), "cover": Data([1, 2, 3]),
                    "id": UUID(uuid: (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, UInt8(index))),
                    "tags": ["a", "b"] as NSArray, "author": author, "owner": author,
                ]
                for (key, value) in values where index != 3 || key == "name" {
                    book.setValue(value, forKey: key)
                }
                book.setValue(URL(string: "https://example.org/\(index)"), forKey: "site")
                author.mutableSetValue(forKey: "likes").add(book)
            }
            try context.save()
        }
        return context
    }
}
