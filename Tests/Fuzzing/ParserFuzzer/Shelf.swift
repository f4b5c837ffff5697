import CoreData

/// The model of the stores: authors with books, and attributes of every type.
enum Shelf {
    static func model(derives: Bool) -> NSManagedObjectModel {
        do {
            return try NSManagedObjectModel(tree: ModelElement(xml: Data(text(derives: derives).utf8)))
        } catch {
            preconditionFailure("the model of the stores: \(error)")
        }
    }

    static func text(derives: Bool) -> String {
        let derived =
            derives
            ? """
                <attribute name="bookCount" optional="YES" attributeType="Integer 64" derived="YES" derivationExpression="books.@count"/>
                <attribute name="shouted" optional="YES" attributeType="String" derived="YES" derivationExpression="uppercase:(name)"/>
            """ : ""
        return """
            <?xml version="1.0" encoding="UTF-8" standalone="yes"?>
            <model type="com.apple.IDECoreDataModeler.DataModel" documentVersion="1.0" userDefinedModelVersionIdentifier="1">
                <entity name="Author">
                    <attribute name="name" optional="YES" attributeType="String"/>
            \(derived)
                    <relationship name="books" optional="YES" toMany="YES" deletionRule="Cascade" destinationEntity="Book" inverseName="author" inverseEntity="Book"/>
                    <relationship name="shelf" optional="YES" toMany="YES" ordered="YES" deletionRule="Nullify" destinationEntity="Book" inverseName="owner" inverseEntity="Book"/>
                    <relationship name="likes" optional="YES" toMany="YES" deletionRule="Nullify" destinationEntity="Book" inverseName="likedBy" inverseEntity="Book"/>
                </entity>
                <entity name="Book">
                    <attribute name="name" optional="YES" attributeType="String"/>
                    <attribute name="year" optional="YES" attributeType="Integer 16"/>
                    <attribute name="pages" optional="YES" attributeType="Integer 32"/>
                    <attribute name="number" optional="YES" attributeType="Integer 64"/>
                    <attribute name="rating" optional="YES" attributeType="Double"/>
                    <attribute name="weight" optional="YES" attributeType="Float"/>
                    <attribute name="price" optional="YES" attributeType="Decimal"/>
                    <attribute name="isRead" optional="YES" attributeType="Boolean"/>
                    <attribute name="bought" optional="YES" attributeType="Date"/>
                    <attribute name="cover" optional="YES" attributeType="Binary"/>
                    <attribute name="id" optional="YES" attributeType="UUID"/>
                    <attribute name="site" optional="YES" attributeType="URI"/>
                    <attribute name="tags" optional="YES" attributeType="Transformable" valueTransformerName="NSSecureUnarchiveFromData"/>
                    <relationship name="author" optional="YES" maxCount="1" deletionRule="Nullify" destinationEntity="Author" inverseName="books" inverseEntity="Author"/>
                    <relationship name="owner" optional="YES" maxCount="1" deletionRule="Nullify" destinationEntity="Author" inverseName="shelf" inverseEntity="Author"/>
                    <relationship name="likedBy" optional="YES" toMany="YES" deletionRule="Nullify" destinationEntity="Author" inverseName="likes" inverseEntity="Author"/>
                </entity>
                <entity name="Novel" parentEntity="Book">
                    <attribute name="genre" optional="YES" attributeType="String"/>
                </entity>
            </model>
            """
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
