import Testing

@testable import ManagedObjectModel

/// Copies, equality, and models made of other models.
struct CopyingTests {
    private func library() -> NSManagedObjectModel {
        let author = entity("Author", [attribute("name", .string)])
        let novel = entity("Novel", [attribute("genre", .string)])
        let title = attribute("title", .string)
        title.userInfo = ["k": 1]
        title.defaultValue = "Untitled"
        let book = entity("Book", [title], subentities: [novel])
        let writer = relationship("author", to: author, max: 1)
        let books = relationship("books", to: book)
        writer.inverseRelationship = books
        books.inverseRelationship = writer
        book.properties.append(writer)
        author.properties.append(books)
        book.uniquenessConstraints = [[title]]
        book.indexes = [
            NSFetchIndexDescription(
                name: "byTitle",
                elements: [NSFetchIndexElementDescription(property: title, collationType: .binary)])
        ]
        let model = makeModel(author, book, novel)
        model.setEntities([book], forConfigurationName: "Books")
        model.setFetchRequestTemplate(NSFetchRequest(entityName: "Book"), forName: "books")
        model.versionIdentifiers = ["1"]
        model.localizationDictionary = ["Entity/Book": "Buch"]
        return model
    }

    @Test("A copy of a model is equal and refers only to its own entities and properties")
    func aCopyOfAModelStandsAlone() throws {
        let model = library()
        let copy = try #require(model.copy() as? NSManagedObjectModel)
        #expect(copy == model)
        #expect(copy.entities.map(\.name) == model.entities.map(\.name))
        let book = try #require(copy.entitiesByName["Book"])
        let author = try #require(copy.entitiesByName["Author"])
        #expect(book !== model.entitiesByName["Book"])
        #expect(book.managedObjectModel === copy)
        #expect(copy.entitiesByName["Novel"]?.superentity === book)
        #expect(book.relationshipsByName["author"]?.destinationEntity === author)
        #expect(
            book.relationshipsByName["author"]?.inverseRelationship === author.relationshipsByName["books"])
        #expect(book.indexes[0].elements[0].property === book.propertiesByName["title"])
        #expect(book.indexes[0].entity === book)
        #expect(book.uniquenessConstraints as? [[String]] == [["title"]])
        #expect(copy.entities(forConfigurationName: "Books")?.first === book)
        #expect(copy.fetchRequestTemplate(forName: "books")?.entity === book)
        #expect(copy.versionIdentifiers == ["1"] && copy.localizationDictionary == ["Entity/Book": "Buch"])
        #expect(copy.entityVersionHashesByName == model.entityVersionHashesByName)
        #expect(copy.inconsistencies().isEmpty)
    }

    @Test("A copied entity in another model finds destinations and inverses by name")
    func aCopiedEntityJoinsAnotherModelByNames() throws {
        let model = library()
        let book = try #require(model.entitiesByName["Book"]?.copy() as? NSEntityDescription)
        let author = try #require(model.entitiesByName["Author"]?.copy() as? NSEntityDescription)
        #expect(book.model == nil && book.subentities.map(\.name) == ["Novel"])
        let other = makeModel(book, author, book.subentities[0])
        #expect(book.relationshipsByName["author"]?.destinationEntity === author)
        #expect(
            author.relationshipsByName["books"]?.inverseRelationship === book.relationshipsByName["author"])
        #expect(
            model.entitiesByName["Book"]?.relationshipsByName["author"]?.destinationEntity
                === model.entitiesByName["Author"])
        #expect(other.inconsistencies().isEmpty)
    }

    @Test(
        "Attributes are equal until a setting of one differs",
        arguments: [
            { $0.name = "x" }, { $0.isOptional = false }, { $0.isTransient = true },
            { $0.userInfo = ["a": 1] },
            { $0.versionHashModifier = "2" }, { $0.renamingIdentifier = "y" },
            { $0.isIndexedBySpotlight = true },
            { ($0 as? NSAttributeDescription)?.type = .binaryData },
            { ($0 as? NSAttributeDescription)?.defaultValue = "x" },
            { ($0 as? NSAttributeDescription)?.attributeValueClassName = "x" },
            { ($0 as? NSAttributeDescription)?.valueTransformerName = "x" },
            { ($0 as? NSAttributeDescription)?.allowsExternalBinaryDataStorage = true },
            { ($0 as? NSAttributeDescription)?.preservesValueInHistoryOnDeletion = true },
            { ($0 as? NSAttributeDescription)?.allowsCloudEncryption = true },
        ] as [@Sendable (NSPropertyDescription) -> Void])
    func equalityOfAttributes(change: @Sendable (NSPropertyDescription) -> Void) throws {
        let original = attribute("a", .string)
        let copy = try #require(original.copy() as? NSAttributeDescription)
        #expect(copy == original && copy !== original)
        change(copy)
        #expect(copy != original)
        let again = try #require(copy.copy() as? NSAttributeDescription)
        #expect(again == copy)
    }

    @Test("Relationships are equal until a setting of one differs")
    func equalityOfRelationships() throws {
        let author = entity("Author", [])
        let original = relationship("author", to: author, max: 1)
        for change in [
            { $0.deleteRule = .denyDeleteRule }, { $0.maxCount = 2 }, { $0.minCount = 1 },
            { $0.isOrdered = true },
            { $0.destinationEntity = nil },
        ] as [(NSRelationshipDescription) -> Void] {
            let copy = try #require(original.copy() as? NSRelationshipDescription)
            #expect(copy == original)
            change(copy)
            #expect(copy != original)
        }
        #expect(original != attribute("author", .string))
    }

    @Test("A copy of a property keeps its class and copies what it holds")
    func copiesKeepTheirClass() throws {
        let derived = NSDerivedAttributeDescription()
        derived.derivationExpression = NSExpression(forKeyPath: "a.b")
        #expect((derived.copy() as? NSDerivedAttributeDescription)?.derivation == .value(keyPath: "a.b"))
        let composite = NSCompositeAttributeDescription()
        composite.elements = [attribute("x", .double)]
        let copy = try #require(composite.copy() as? NSCompositeAttributeDescription)
        #expect(copy.elements == composite.elements && copy.elements[0] !== composite.elements[0])
        let fetched = NSFetchedPropertyDescription()
        fetched.fetchRequest = NSFetchRequest(entityName: "Book")
        let fetchedCopy = try #require(fetched.copy() as? NSFetchedPropertyDescription)
        #expect(fetchedCopy.fetchRequest?.entityName == "Book")
        #expect(fetchedCopy.fetchRequest !== fetched.fetchRequest)
        let expression = NSExpressionDescription()
        expression.expression = NSExpression(forKeyPath: "a")
        #expect((expression.copy() as? NSExpressionDescription)?.expression?.text == "a")
    }

    // MARK: Merging

    @Test("Merging models copies all entities, configurations, templates and identifiers")
    func mergingTakesCopiesOfAllEntities() throws {
        let song = entity("Song", [attribute("title", .string)])
        let music = makeModel(song)
        music.versionIdentifiers = ["2"]
        let merged = try #require(NSManagedObjectModel(byMerging: [library(), music, library()]))
        #expect(merged.entities.map(\.name) == ["Author", "Book", "Novel", "Song"])
        #expect(merged.entitiesByName["Novel"]?.superentity === merged.entitiesByName["Book"])
        #expect(merged.entities(forConfigurationName: "Books")?.map(\.name) == ["Book", "Novel"])
        #expect(merged.fetchRequestTemplate(forName: "books")?.entity === merged.entitiesByName["Book"])
        #expect(merged.versionIdentifiers == ["1", "2"])
        #expect(merged.inconsistencies().isEmpty)
        #expect(music.entities.first === song)
        #expect(NSManagedObjectModel(byMerging: []) == nil)
    }

    @Test("Models with different entities of one name do not merge")
    func differentEntitiesOfOneNameDoNotMerge() async {
        let error = #expect(throws: ModelConsistencyError.self) {
            try NSManagedObjectModel(merging: [library(), makeModel(entity("Book", []))])
        }
        #expect(error?.inconsistencies.map(\.entity) == ["Book"])
        await #expect(processExitsWith: .failure) {
            _ = NSManagedObjectModel(byMerging: [
                makeModel(entity("A", [])), makeModel(entity("A", [attribute("a", .string)])),
            ])
        }
    }

    @Test("Merging for a store chooses the entity versions of its metadata")
    func mergingForAStoreChoosesTheVersions() throws {
        let old = makeModel(entity("Book", [attribute("title", .string)]))
        let new = makeModel(entity("Book", [attribute("name", .string)]), entity("Song", []))
        let metadata: [String: Any] = [
            "NSStoreModelVersionHashes": [
                "Book": old.entities[0].versionHash, "Song": new.entities[1].versionHash,
            ]
        ]
        let merged = try #require(NSManagedObjectModel(byMerging: [new, old], forStoreMetadata: metadata))
        #expect(merged.entitiesByName["Book"]?.attributesByName["title"] != nil)
        #expect(merged.entitiesByName.count == 2)
        #expect(NSManagedObjectModel(byMerging: [new], forStoreMetadata: metadata) == nil)
        #expect(NSManagedObjectModel(byMerging: [new], forStoreMetadata: [:]) == nil)
    }

    @Test("Bundles without models have no merged model")
    func bundlesWithoutModelsHaveNoMergedModel() {
        #expect(NSManagedObjectModel.mergedModel(from: []) == nil)
        #expect(NSManagedObjectModel.mergedModel(from: [.main], forStoreMetadata: [:]) == nil)
    }
}
