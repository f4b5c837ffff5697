import Testing

@testable import ManagedObjectModel

/// A model in use cannot be changed; a copy of it can.
struct ImmutabilityTests {
    static func library() -> NSManagedObjectModel {
        let book = entity("Book", [attribute("title", .string)])
        let author = entity("Author", [])
        let writer = relationship("author", to: author, max: 1)
        let books = relationship("books", to: book)
        writer.inverseRelationship = books
        books.inverseRelationship = writer
        book.properties.append(writer)
        author.properties = [books]
        book.indexes = [
            NSFetchIndexDescription(
                name: "byTitle",
                elements: [
                    NSFetchIndexElementDescription(property: book.properties[0], collationType: .binary)
                ])
        ]
        let model = makeModel(book, author)
        model.setFetchRequestTemplate(NSFetchRequest(entityName: "Book"), forName: "books")
        return model
    }

    static func libraryInUse() -> NSManagedObjectModel {
        let model = library()
        model.makeImmutable()
        return model
    }

    @Test("An immutable model is read like a mutable one")
    func everyKindOfDescriptionIsReadAsBefore() throws {
        let model = ImmutabilityTests.library()
        let titles = model.entities.map(\.allProperties).map { $0.map(\.name) }
        model.makeImmutable()
        model.makeImmutable()
        #expect(model.isImmutable)
        #expect(model.entities.map(\.allProperties).map { $0.map(\.name) } == titles)
        let book = try #require(model.entitiesByName["Book"])
        #expect(book.attributesByName.keys.sorted() == ["title"])
        #expect(book.relationshipsByName["author"]?.inverseRelationship?.name == "books")
        #expect(book.indexes[0].elements[0].property?.name == "title")
    }

    @Test("A copy of an immutable model can be changed without changing the original")
    func aCopyCanBeChanged() throws {
        let model = ImmutabilityTests.libraryInUse()
        let copy = try #require(model.copy() as? NSManagedObjectModel)
        #expect(copy == model)
        #expect(!copy.isImmutable)
        let book = try #require(copy.entitiesByName["Book"])
        book.name = "Tome"
        book.properties[0].name = "name"
        book.indexes[0].name = "byName"
        copy.fetchRequestTemplate(forName: "books")?.fetchLimit = 1
        #expect(model.entitiesByName["Book"]?.attributesByName["title"] != nil)
        #expect(copy != model)
    }

    @Test("Many tasks may make a model immutable and read it at once")
    func manyTasksMakeAModelImmutable() async {
        let model = ImmutabilityTests.library()
        await withTaskGroup(of: Data?.self) { group in
            for _ in 0..<16 {
                group.addTask {
                    model.makeImmutable()
                    return model.entitiesByName["Book"]?.versionHash
                }
            }
            for await hash in group { #expect(hash?.count == 32) }
        }
    }

    @Test("Setting the entities of an immutable model ends the process")
    func entitiesOfAModelInUse() async {
        await #expect(processExitsWith: .failure) { ImmutabilityTests.libraryInUse().entities = [] }
    }

    @Test("Setting a configuration of an immutable model ends the process")
    func configurationsOfAModelInUse() async {
        await #expect(processExitsWith: .failure) {
            ImmutabilityTests.libraryInUse().setEntities([], forConfigurationName: "none")
        }
    }

    @Test("Changing a fetch request template of an immutable model ends the process")
    func templatesOfAModelInUse() async {
        await #expect(processExitsWith: .failure) {
            ImmutabilityTests.libraryInUse().setFetchRequestTemplate(nil, forName: "books")
        }
        await #expect(processExitsWith: .failure) {
            ImmutabilityTests.libraryInUse().fetchRequestTemplate(forName: "books")?.fetchLimit = 1
        }
    }

    @Test("Changing an entity of an immutable model ends the process")
    func entityOfAModelInUse() async {
        await #expect(processExitsWith: .failure) {
            let model = ImmutabilityTests.libraryInUse()
            model.entities[0].name = "Tome"
        }
        await #expect(processExitsWith: .failure) {
            let model = ImmutabilityTests.libraryInUse()
            model.entities[0].subentities = [entity("Novel", [])]
        }
        await #expect(processExitsWith: .failure) {
            let model = ImmutabilityTests.libraryInUse()
            model.entities[0].properties = []
        }
    }

    @Test("Changing a property of an immutable model ends the process")
    func propertiesOfAModelInUse() async {
        await #expect(processExitsWith: .failure) {
            let model = ImmutabilityTests.libraryInUse()
            model.entities[0].attributesByName["title"]?.isOptional = false
        }
        await #expect(processExitsWith: .failure) {
            let model = ImmutabilityTests.libraryInUse()
            model.entities[0].attributesByName["title"]?.defaultValue = "x"
        }
        await #expect(processExitsWith: .failure) {
            let model = ImmutabilityTests.libraryInUse()
            model.entities[0].relationshipsByName["author"]?.deleteRule = .denyDeleteRule
        }
        await #expect(processExitsWith: .failure) {
            let model = ImmutabilityTests.libraryInUse()
            model.entities[0].propertiesByName["title"]?.setValidationPredicates(
                [], withValidationWarnings: [])
        }
    }

    @Test("Changing or reusing an index of an immutable model ends the process")
    func indexesOfAModelInUse() async {
        await #expect(processExitsWith: .failure) {
            let model = ImmutabilityTests.libraryInUse()
            model.entities[0].indexes[0].elements[0].isAscending = false
        }
        await #expect(processExitsWith: .failure) {
            let model = ImmutabilityTests.libraryInUse()
            model.entities[0].indexes[0].name = "other"
        }
        await #expect(processExitsWith: .failure) {
            let model = ImmutabilityTests.libraryInUse()
            entity("Tome", []).indexes = model.entities[0].indexes
        }
        await #expect(processExitsWith: .failure) {
            let model = ImmutabilityTests.libraryInUse()
            _ = NSFetchIndexDescription(name: "other", elements: model.entities[0].indexes[0].elements)
        }
    }

    @Test("Executing a template of an immutable model neither changes its entity nor retains it")
    func aTemplateOfAModelInUseIsExecutedAsItIs() throws {
        weak var book: NSEntityDescription?
        do {
            let model = ImmutabilityTests.libraryInUse()
            let request = try #require(model.fetchRequestTemplate(forName: "books"))
            book = model.entitiesByName["Book"]
            #expect(request.entity === book)
            request.resolveEntity(try #require(model.entitiesByName["Author"]))
            #expect(request.entity === book)
            request.resolveEntity(try #require(book))
        }
        #expect(book == nil)
    }

    @Test("The message about an immutable model names the setting and the property")
    func theMessageNamesThePropertyAndThePlace() async throws {
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) {
            let model = ImmutabilityTests.libraryInUse()
            model.entities[0].propertiesByName["title"]?.isTransient = true
        }
        let message = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        #expect(message.contains("Can't modify an immutable model: 'isTransient' of Book.title"))
    }

    @Test("An entity of a released model still has its properties and hash")
    func anEntityOutlivesItsModel() throws {
        var model: NSManagedObjectModel? = ImmutabilityTests.libraryInUse()
        let book = try #require(model?.entitiesByName["Book"])
        model = nil
        #expect(book.model == nil)
        #expect(book.allProperties.map(\.name) == ["author", "title"])
        #expect(book.relationshipsByName["author"]?.destinationEntity == nil)
        #expect(book.versionHash.count == 32)
    }

    @Test("A model is freed together with its entities and properties")
    func aModelIsFreedWithItsDescriptions() {
        weak var model: NSManagedObjectModel?
        weak var child: NSEntityDescription?
        weak var property: NSPropertyDescription?
        do {
            let novel = entity("Novel", [attribute("genre", .string)])
            let fetched = NSFetchedPropertyDescription()
            fetched.name = "all"
            let request = NSFetchRequest<any NSFetchRequestResult>()
            let book = entity("Book", [fetched], subentities: [novel])
            request.entity = book
            fetched.fetchRequest = request
            let made = makeModel(book, novel)
            made.makeImmutable()
            (model, child, property) = (made, novel, fetched)
        }
        #expect(model == nil)
        #expect(child == nil)
        #expect(property == nil)
    }
}
