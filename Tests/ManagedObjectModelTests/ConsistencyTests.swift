import Testing

@testable import ManagedObjectModel

/// Contradictions in models that are built in code.
struct ConsistencyTests {
    private func problems(_ model: NSManagedObjectModel) -> [String] {
        model.inconsistencies().map {
            "\($0.problem) \($0.entity ?? "")\($0.property.map { ".\($0)" } ?? "")"
        }
    }

    @Test("A sound model has no inconsistencies")
    func aSoundModelHasNone() throws {
        let book = entity("Book", [attribute("title", .string)])
        let library = relationship("books", to: book)
        let model = makeModel(book, entity("Library", [library]))
        #expect(problems(model).isEmpty)
        try model.validate()
    }

    @Test("Missing, duplicate and reserved names are inconsistencies")
    func names() {
        let unnamed = NSEntityDescription()
        let book = entity(
            "Book",
            [
                attribute("", .string), attribute("a", .string), attribute("a", .string),
                attribute("objectID", .string), attribute("x.y", .string), attribute("@z", .string),
            ])
        let model = makeModel(unnamed, book, entity("Book", []))
        #expect(
            problems(model) == [
                "missingName ", "duplicateName Book", "missingName Book", "duplicateName Book.a",
                "reservedName Book.objectID", "reservedName Book.x.y", "reservedName Book.@z",
            ])
    }

    @Test("Inheritance cycles, redefined properties and missing superentities are inconsistencies")
    func inheritance() {
        let a = entity("A", [])
        let b = entity("B", [], subentities: [a])
        a.subentities = [b]
        #expect(problems(makeModel(a, b)) == ["inheritanceCycle A", "inheritanceCycle B"])
        let child = entity("Child", [attribute("name", .string)])
        let parent = entity("Parent", [attribute("name", .string)], subentities: [child])
        #expect(problems(makeModel(parent, child)) == ["redefinedProperty Child.name"])
        let orphan = entity("Orphan", [])
        let outside = entity("Outside", [], subentities: [orphan])
        #expect(problems(makeModel(orphan)) == ["missingEntity Orphan"])
        withExtendedLifetime(outside) {}
    }

    @Test("A composite attribute that contains itself is found and does not loop forever")
    func aCompositeThatContainsItselfDoesNotStopAnything() {
        let outer = NSCompositeAttributeDescription()
        let inner = NSCompositeAttributeDescription()
        (outer.name, inner.name) = ("outer", "inner")
        inner.elements = [attribute("x", .double), outer]
        outer.elements = [inner]
        let model = makeModel(entity("A", [outer]))
        model.makeImmutable()
        #expect(problems(model) == ["invalidComposite A.outer.inner.outer"])
        #expect(inner.isImmutable)
        #expect(outer.versionHash.count == 32)
    }

    @Test("A cycle of superentities does not loop forever")
    func aCycleOfSuperentitiesDoesNotStopAnything() {
        let a = entity("A", [attribute("x", .string)])
        let b = entity("B", [], subentities: [a])
        a.subentities = [b]
        let model = makeModel(a, b)
        #expect(a.lineage.count == 2)
        #expect(a.selfAndDescendants.count == 2)
        #expect(model.entitiesInPreorder().isEmpty)
        #expect(a.versionHash.count == 32)
        model.makeImmutable()
        #expect(model.isImmutable)
    }

    @Test("Missing types, object ID types and default values of another type are inconsistencies")
    func attributes() {
        let untyped = attribute("untyped", .undefined)
        let transient = attribute("transient", .undefined)
        transient.isTransient = true
        let number = attribute("number", .integer32)
        number.defaultValue = "one"
        let good = attribute("good", .integer32)
        good.defaultValue = 1
        let model = makeModel(
            entity("A", [untyped, transient, attribute("id", .objectID), number, good]))
        #expect(
            problems(model) == ["invalidType A.untyped", "invalidType A.id", "invalidDefaultValue A.number"])
    }

    @Test("Empty composites, duplicate elements and elements of invalid types are inconsistencies")
    func composites() {
        let plain = attribute("plain", .composite)
        let empty = NSCompositeAttributeDescription()
        empty.name = "empty"
        let twice = NSCompositeAttributeDescription()
        twice.name = "twice"
        twice.elements = [attribute("x", .double), attribute("x", .double), attribute("id", .objectID)]
        let model = makeModel(entity("A", [plain, empty, twice]))
        #expect(
            problems(model) == [
                "invalidComposite A.plain", "invalidComposite A.empty", "duplicateName A.twice.x",
                "invalidComposite A.twice.id",
            ])
    }

    @Test("Wrong inverses, impossible counts and missing destinations are inconsistencies")
    func relationships() {
        let book = entity("Book", [])
        let author = entity("Author", [])
        let writer = relationship("author", to: author, max: 1)
        let books = relationship("books", to: book)
        let reader = relationship("reader", to: author, max: 1)
        let counts = relationship("counts", to: author, max: 2)
        let nowhere = relationship("nowhere", to: nil)
        counts.minCount = 3
        writer.inverseRelationship = books
        reader.inverseRelationship = books
        books.inverseRelationship = writer
        book.properties = [writer, reader, counts, nowhere]
        author.properties = [books]
        let model = makeModel(book, author)
        #expect(
            problems(model) == [
                "inverseMismatch Book.reader", "invalidCount Book.counts", "missingEntity Book.nowhere",
            ])
        let outside = entity("Outside", [])
        nowhere.destinationEntity = outside
        reader.inverseRelationship = writer
        #expect(problems(model).contains("missingEntity Book.nowhere"))
        #expect(
            model.inconsistencies()[0].description
                == "Book.reader: the inverse Book.author is not a relationship of 'Author'")
    }

    @Test("A derivation has a problem unless it derives a value of an existing property")
    func derivations() {
        let author = entity("Author", [attribute("name", .string), attribute("age", .integer16)])
        let page = entity("Page", [attribute("number", .integer32), attribute("text", .string)])
        func problem(_ expression: NSExpression?) -> String? {
            let derived = NSDerivedAttributeDescription()
            derived.name = "derived"
            derived.type = .string
            derived.derivationExpression = expression
            let book = entity(
                "Book",
                [
                    attribute("title", .string), relationship("author", to: author, max: 1),
                    relationship("pages", to: page), derived,
                ])
            return DerivationCheck(derived, in: book).problem
        }
        func keyPath(_ path: String) -> String? { problem(NSExpression(forKeyPath: path)) }
        for good in ["title", "author.name", "pages.@count", "pages.number.@sum", "pages.number.@max"] {
            #expect(keyPath(good) == nil, "\(good)")
        }
        let title = NSExpression(forKeyPath: "title")
        let age = NSExpression(forKeyPath: "author.age")
        #expect(problem(NSExpression(forFunction: "canonical:", arguments: [title])) == nil)
        #expect(problem(NSExpression(forFunction: "now", arguments: [])) == nil)
        for bad in [
            "none", "author", "pages", "pages.text", "author.@count", "pages.@sum", "pages.@count.text",
            "pages.text.@sum", "pages.text.@count", "title.@sum", "author.none", "pages.@median",
        ] {
            #expect(keyPath(bad) != nil, "\(bad)")
        }
        #expect(problem(nil) != nil)
        #expect(problem(NSExpression(forFunction: "uppercase:", arguments: [age])) != nil)
        #expect(problem(NSExpression(forFunction: "sqrt:", arguments: [age])) != nil)
        #expect(problem(NSExpression(forConstantValue: 1)) != nil)
    }

    @Test("Indexes and constraints over unsuitable properties are inconsistencies")
    func indexesAndConstraints() {
        let transient = attribute("cache", .string)
        transient.isTransient = true
        let position = NSCompositeAttributeDescription()
        position.name = "place"
        position.elements = [attribute("x", .double)]
        let book = entity("Book", [attribute("title", .string), transient, position])
        book.properties.append(relationship("parent", to: book, max: 1))
        book.properties.append(relationship("children", to: book))
        func index(_ name: String, _ properties: [String], _ type: NSFetchIndexElementType = .binary)
            -> NSFetchIndexDescription
        {
            NSFetchIndexDescription(
                name: name, elements: properties.map { .init(propertyName: $0, collationType: type) })
        }
        book.indexes = [
            index("good", ["title", "parent", "place.x", "self", "entity"]), index("empty", []),
            index("unknown", ["none"]), index("many", ["children"]), index("transient", ["cache"]),
            index("tree", ["title"], .rTree), index("good", ["title"]),
            index("goodTree", ["place.x"], .rTree),
        ]
        book.uniquenessConstraints = [
            ["title", "parent"], [book.properties[0]], ["none"], [], [1], ["children"], ["cache"],
        ]
        #expect(
            problems(makeModel(book)) == [
                "invalidIndex Book.empty", "invalidIndex Book.unknown", "invalidIndex Book.transient",
                "invalidIndex Book.tree", "duplicateName Book.good",
                "invalidConstraint Book.none", "invalidConstraint Book.", "invalidConstraint Book.",
                "invalidConstraint Book.children", "invalidConstraint Book.cache",
            ])
    }

    @Test("A fetched property needs a request for an entity of the model")
    func fetchedProperties() {
        let bare = NSFetchedPropertyDescription()
        bare.name = "bare"
        let unknown = NSFetchedPropertyDescription()
        unknown.name = "unknown"
        unknown.fetchRequest = NSFetchRequest(entityName: "None")
        #expect(
            problems(makeModel(entity("A", [bare, unknown]))) == [
                "invalidFetchRequest A.bare", "invalidFetchRequest A.unknown",
            ])
    }

    @Test("The error of a validation lists every inconsistency")
    func theErrorListsEverything() {
        let model = makeModel(entity("A", [attribute("a", .undefined), attribute("entity", .string)]))
        let error = #expect(throws: ModelConsistencyError.self) { try model.validate() }
        #expect(error?.inconsistencies.count == 2)
        #expect(
            error?.localizedDescription.contains("A.a: an attribute without a type must be transient") == true
        )
        #expect(error?.localizedDescription.contains("A.entity: ") == true)
    }
}
