import Testing

@testable import ManagedObjectModel

/// Entities built in code: their tree, their properties and their order.
struct EntityDescriptionTests {
    @Test("A new entity is concrete, has the class NSManagedObject and no properties")
    func defaults() {
        let entity = NSEntityDescription()
        #expect(entity.name == nil && entity.renamingIdentifier == nil && !entity.isAbstract)
        #expect(entity.managedObjectClassName == "NSManagedObject")
        #expect(entity.properties.isEmpty && entity.subentities.isEmpty && entity.indexes.isEmpty)
        #expect(entity.superentity == nil && entity.userInfo?.isEmpty == true)
        entity.name = "Book"
        #expect(entity.renamingIdentifier == "Book")
        entity.managedObjectClassName = "Book"
        #expect(entity.managedObjectClassName == "Book")
    }

    @Test("An entity lists inherited properties before its own")
    func inheritedPropertiesComeFirst() {
        let child = entity("Child", [attribute("b", .string), attribute("a", .string)])
        let parent = entity(
            "Parent", [attribute("z", .string), attribute("c", .string)], subentities: [child])
        #expect(child.superentity === parent)
        #expect(child.properties.map(\.name) == ["z", "c", "b", "a"])
        #expect(child.propertiesByName.keys.sorted() == ["a", "b", "c", "z"])
        #expect(child.propertiesByName["z"]?.entity === parent)
        #expect(child.isKindOf(entity: parent) && !parent.isKindOf(entity: child))
        #expect(child.rootEntity === parent)
        #expect(parent.selfAndDescendants.map(\.name) == ["Parent", "Child"])
    }

    @Test("The list of all properties begins with that of the superentity, mutable or not")
    func everyListOfPropertiesBeginsWithThatOfTheSuperentity() {
        let grandchild = entity("G", [attribute("b", .string), attribute("A", .string)])
        let child = entity(
            "C", [attribute("d", .string), attribute("c", .string)], subentities: [grandchild])
        let root = entity("R", [attribute("z", .string)], subentities: [child])
        let model = makeModel(root, child, grandchild)
        for _ in 0..<2 {
            #expect(root.allProperties.map(\.name) == ["z"])
            #expect(child.allProperties.map(\.name) == ["z", "c", "d"])
            #expect(grandchild.allProperties.map(\.name) == ["z", "c", "d", "A", "b"])
            model.makeImmutable()
        }
    }

    @Test("A property appended to a subentity becomes its own property")
    func aPropertyCanBeAppendedToASubentity() {
        let child = entity("Child", [attribute("b", .string)])
        let parent = entity("Parent", [attribute("a", .string)], subentities: [child])
        child.properties.append(attribute("c", .string))
        #expect(child.ownProperties.map(\.name) == ["b", "c"])
        #expect(child.properties.map(\.name) == ["a", "b", "c"])
        withExtendedLifetime(parent) {}
    }

    @Test("A subentity given to a second superentity leaves the first")
    func aSubentityHasOneSuperentity() {
        let child = entity("Child", [])
        let first = entity("First", [], subentities: [child])
        let second = entity("Second", [], subentities: [child])
        #expect(first.subentities.isEmpty)
        #expect(child.superentity === second)
        second.subentities = []
        #expect(child.superentity == nil)
    }

    @Test("A property that belongs to an entity cannot be added to another")
    func aPropertyBelongsToOneEntity() async {
        await #expect(processExitsWith: .failure) {
            let title = attribute("title", .string)
            let book = entity("Book", [title])
            let song = entity("Song", [title])
            withExtendedLifetime((book, song)) {}
        }
        let title = attribute("title", .string)
        let book = entity("Book", [title])
        book.properties = []
        let song = entity("Song", [title])
        #expect(title.entity === song)
    }

    @Test("An entity finds its relationships by destination")
    func relationshipsByDestination() {
        let author = entity("Author", [])
        let book = entity(
            "Book",
            [relationship("author", to: author), relationship("editor", to: author), attribute("a", .string)])
        #expect(book.relationships(forDestination: author).map(\.name) == ["author", "editor"])
        #expect(author.relationships(forDestination: book).isEmpty)
    }

    @Test("A key path leads through relationships to an attribute, or into a composite attribute")
    func keyPaths() {
        let author = entity("Author", [attribute("name", .string)])
        let position = NSCompositeAttributeDescription()
        position.name = "place"
        position.elements = [attribute("x", .double)]
        let book = entity("Book", [relationship("authors", to: author), position])
        guard case .attribute(let name, toMany: let many?) = book.walk("authors.name") else {
            Issue.record("authors.name")
            return
        }
        #expect(name.name == "name" && many.name == "authors")
        #expect(book.property(atPath: "place.x")?.name == "x")
        #expect(book.property(atPath: "place")?.name == "place")
        #expect(book.property(atPath: "place.y") == nil && book.property(atPath: "authors.name") == nil)
        if case .missing(let name, let holder) = book.walk("authors.age") {
            #expect(name == "age" && holder == "Author")
        } else {
            Issue.record("authors.age")
        }
    }

    @Test("The deprecated index settings give indexes in the store")
    func deprecatedIndexSettingsAreHonoured() {
        let title = attribute("title", .string)
        title.isIndexedAlone = true
        let book = entity("Book", [title, attribute("year", .integer16)])
        book.indexedTuples = [["title", "year"], [title]]
        #expect(book.indexes.map(\.name) == ["title"])
        #expect(book.storeIndexes.map(\.name) == ["title", "title_year"])
        #expect(book.storeIndexes[1].elements.map(\.propertyName) == ["title", "year"])
    }

    // MARK: Numbers of entities

    @Test("Entities are numbered in preorder, siblings by name ignoring case")
    func preorderIsByNameWithoutRegardToCase() {
        let novel = entity("novel", [])
        let comic = entity("Comic", [])
        let book = entity("Book", [], subentities: [novel, comic])
        let author = entity("author", [])
        let zoo = entity("Zoo", [])
        let model = makeModel(zoo, novel, book, author, comic)
        let expected = ["author", "Book", "Comic", "novel", "Zoo"]
        #expect(model.entitiesInPreorder().map(\.name) == expected)
        model.setEntities([novel, zoo], forConfigurationName: "Some")
        #expect(model.entitiesInPreorder(configuration: "Some").map(\.name) == ["Book", "novel", "Zoo"])
        #expect(model.entitiesInPreorder(configuration: "None").isEmpty)
        model.makeImmutable()
        #expect(model.entitiesInPreorder().map(\.name) == expected)
    }

    // MARK: Attributes and relationships

    @Test("New attributes and relationships have the default settings of Core Data")
    func defaultsOfProperties() {
        let attribute = NSAttributeDescription()
        #expect(attribute.isOptional && !attribute.isTransient && attribute.type == .undefined)
        #expect(attribute.attributeValueClassName == nil && attribute.renamingIdentifier == nil)
        attribute.type = .decimal
        #expect(attribute.attributeType == .decimalAttributeType)
        #expect(attribute.attributeValueClassName == "NSDecimalNumber")
        let relationship = NSRelationshipDescription()
        #expect(
            relationship.isToMany && relationship.deleteRule == .nullifyDeleteRule && !relationship.isOrdered)
        relationship.maxCount = 1
        #expect(!relationship.isToMany)
        #expect(NSFetchedPropertyDescription().isTransient)
        #expect(NSCompositeAttributeDescription().type == .composite)
        let expression = NSExpressionDescription()
        expression.resultType = .date
        #expect(expression.expressionResultType == .dateAttributeType)
    }

    @Test("Attribute types, delete rules and request types have Apple's raw values")
    func rawValuesAreThoseOfApple() {
        let types: [NSAttributeType] = [
            .undefinedAttributeType, .integer16AttributeType, .integer32AttributeType,
            .integer64AttributeType,
            .decimalAttributeType, .doubleAttributeType, .floatAttributeType, .stringAttributeType,
            .booleanAttributeType, .dateAttributeType, .binaryDataAttributeType, .UUIDAttributeType,
            .URIAttributeType, .transformableAttributeType, .objectIDAttributeType, .compositeAttributeType,
        ]
        #expect(
            types.map(\.rawValue) == [
                0, 100, 200, 300, 400, 500, 600, 700, 800, 900, 1000, 1100, 1200, 1800, 2000, 2100,
            ])
        #expect(NSDeleteRule.cascadeDeleteRule.rawValue == 2 && NSDeleteRule.denyDeleteRule.rawValue == 3)
        #expect(NSFetchIndexElementType.rTree.rawValue == 1)
        #expect(NSFetchRequestResultType.countResultType.rawValue == 4)
        #expect(NSPersistentStoreRequestType.batchDeleteRequestType.rawValue == 7)
    }

    @Test("Validation predicates are set and removed together with their warnings")
    func validationWarningsArePairedWithPredicates() {
        let attribute = attribute("a", .string)
        let predicate = NSComparisonPredicate(
            leftExpression: .expressionForEvaluatedObject(),
            rightExpression: NSExpression(forConstantValue: "x"),
            modifier: .direct, type: .notEqualTo)
        attribute.setValidationPredicates([predicate], withValidationWarnings: ["Not x."])
        #expect(attribute.validationPredicates.count == 1)
        #expect(attribute.validationWarnings as? [String] == ["Not x."])
        attribute.setValidationPredicates(nil, withValidationWarnings: nil)
        #expect(attribute.validationPredicates.isEmpty && attribute.validationWarnings.isEmpty)
    }
}
