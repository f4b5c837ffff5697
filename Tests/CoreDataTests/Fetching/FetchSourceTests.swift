import CoreData
import Foundation
import Testing

/// Fetched properties whose conditions name the fetching object, or the property itself.
@Suite struct FetchSourceTests {
    /// The model of the library, in which authors have fetched properties with some conditions on books.
    private static func model(_ formats: [String: String], userInfo: [String: Any] = [:]) throws
        -> NSManagedObjectModel
    {
        let model = Library.model()
        let author = try #require(model.entitiesByName["Author"])
        for (name, format) in formats {
            let request = NSFetchRequest<any NSFetchRequestResult>(entityName: "Book")
            request.predicate = NSPredicate(format: format)
            request.sortDescriptors = [NSSortDescriptor(key: "title", ascending: true)]
            let property = NSFetchedPropertyDescription()
            property.name = name
            property.fetchRequest = request
            property.userInfo = userInfo
            author.properties.append(property)
        }
        return model
    }

    private static func titles(_ name: String, of author: Author?) throws -> [String] {
        let found = try #require(author).value(forKey: name) as? [Book] ?? []
        return found.compactMap(\.title)
    }

    @Test("A fetched property's condition may use the source object and its values")
    func sourceAndItsValues() throws {
        let model = try Self.model([
            "longBooks": "author == $FETCH_SOURCE AND pages > 300",
            "namesakes": "author.name == $FETCH_SOURCE.name AND pages < 300",
        ])
        try TestStack(model).inContext { context throws in
            SampleBooks.fill(context)
            try context.save()
            context.reset()
            #expect(try Self.titles("longBooks", of: context.book("Emma").author) == ["Emma"])
            #expect(try Self.titles("namesakes", of: context.book("Emma").author) == ["Persuasion"])
        }
    }

    @Test(
        "A fetched property's condition may use the property's name, entity and user info",
        arguments: [true, false])
    func propertyNameEntityAndUserInfo(savesBooks: Bool) throws {
        let format = """
            pages > $FETCHED_PROPERTY.userInfo.least AND title CONTAINS $FETCHED_PROPERTY.userInfo.word
            AND $FETCHED_PROPERTY.name == 'noted' AND $FETCHED_PROPERTY.entity.name == 'Author'
            AND $FETCHED_PROPERTY.userInfo.missing == nil
            """
        let model = try Self.model(
            ["noted": format, "other": format], userInfo: ["least": 300, "word": "mm"])
        try TestStack(model).inContext { context throws in
            SampleBooks.fill(context)
            if savesBooks { try context.save() }
            #expect(try Self.titles("noted", of: context.book("Emma").author) == ["Emma"])
            #expect(try Self.titles("other", of: context.book("Emma").author) == [])
        }
    }

    @Test("A fetched property of an unsaved source uses its current values and unsaved objects")
    func unsavedSource() throws {
        let model = try Self.model([
            "own": "author == $FETCH_SOURCE", "others": "author != $FETCH_SOURCE",
            "namesakes": "author.name == $FETCH_SOURCE.name", "inBooks": "SELF IN $FETCH_SOURCE.books",
        ])
        try TestStack(model).inContext { context throws in
            SampleBooks.fill(context)
            try context.save()
            let author = Author(context: context)
            author.name = "Jane Austen"
            SampleBooks.book("Sanditon", 100, nil, author, context)
            try context.book("Germinal").author = author
            #expect(author.objectID.isTemporaryID)
            #expect(try Self.titles("own", of: author) == ["Germinal", "Sanditon"])
            #expect(
                try Self.titles("others", of: author) == ["Emma", "L'Œuvre", "Persuasion", "Été"])
            #expect(try Self.titles("inBooks", of: author) == ["Germinal", "Sanditon"])
            #expect(
                try Self.titles("namesakes", of: author) == ["Emma", "Germinal", "Persuasion", "Sanditon"])
        }
    }

    @Test("A fetched property of an object without a context is empty")
    func sourceWithoutAContext() throws {
        let model = try Self.model(["own": "author == $FETCH_SOURCE"])
        let author = Author(entity: try #require(model.entitiesByName["Author"]), insertInto: nil)
        #expect(try Self.titles("own", of: author) == [])
    }
}
