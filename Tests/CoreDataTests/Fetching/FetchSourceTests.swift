import CoreData
import Testing

/// Fetched properties whose conditions name the object that asks.
@Suite struct FetchSourceTests {
    @Test func theSourceAndItsValuesAreConstants() throws {
        let model = Library.model()
        let author = try #require(model.entitiesByName["Author"])
        for (name, format) in [
            ("longBooks", "author == $FETCH_SOURCE AND pages > 300"),
            ("namesakes", "author.name == $FETCH_SOURCE.name AND pages < 300"),
        ] {
            let request = NSFetchRequest<any NSFetchRequestResult>(entityName: "Book")
            request.predicate = NSPredicate(format: format)
            let property = NSFetchedPropertyDescription()
            property.name = name
            property.fetchRequest = request
            author.properties.append(property)
        }
        try TestStack(model).inContext { context throws in
            Shelf.fill(context)
            func titles(_ name: String) throws -> [String] {
                let austen = try #require(try context.book("Emma").author)
                let found = austen.value(forKey: name) as? [Book] ?? []
                return found.compactMap(\.title)
            }
            try context.save()
            context.reset()
            #expect(try titles("longBooks") == ["Emma"])
            #expect(try titles("namesakes") == ["Persuasion"])
        }
    }
}
