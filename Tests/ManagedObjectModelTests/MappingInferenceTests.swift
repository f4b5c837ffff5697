import CocoaFoundation
import Testing

@testable import ManagedObjectModel

/// Mapping models that are inferred from two models.
struct MappingInferenceTests {
    private func infer(
        _ source: NSManagedObjectModel, _ destination: NSManagedObjectModel
    ) throws -> [String: NSEntityMapping] {
        try NSMappingModel.inferredMappingModel(forSourceModel: source, destinationModel: destination)
            .entityMappingsByName
    }

    private func error(_ source: NSManagedObjectModel, _ destination: NSManagedObjectModel) -> CocoaError? {
        #expect(throws: CocoaError.self) {
            try NSMappingModel.inferredMappingModel(forSourceModel: source, destinationModel: destination)
        }
    }

    private func expressions(_ mappings: [NSPropertyMapping]?) -> [String: String] {
        Dictionary(
            uniqueKeysWithValues: (mappings ?? []).map {
                ($0.name ?? "", $0.valueExpression?.description ?? "nothing")
            })
    }

    @Test("Inference adds, removes, copies and transforms entities")
    func entitiesAreAddedRemovedCopiedAndTransformed() throws {
        let source = makeModel(
            entity("Same", [attribute("a", .string)]), entity("Changed", [attribute("a", .string)]),
            entity("Gone", [attribute("a", .string)]))
        let destination = makeModel(
            entity("Changed", [attribute("a", .string), attribute("b", .date)]),
            entity("Same", [attribute("a", .string)]), entity("New", [attribute("a", .string)]))
        let model = try NSMappingModel.inferredMappingModel(
            forSourceModel: source, destinationModel: destination)
        #expect(
            model.entityMappings.map(\.name) == [
                "IEM_Transform_Changed", "IEM_Copy_Same", "IEM_Add_New", "IEM_Remove_Gone",
            ])
        #expect(
            model.entityMappings.map(\.mappingType) == [
                .transformEntityMappingType, .copyEntityMappingType, .addEntityMappingType,
                .removeEntityMappingType,
            ])
        let changed = try #require(model.entityMappings.first)
        #expect(expressions(changed.attributeMappings) == ["a": "$source.a", "b": "nothing"])
        #expect(changed.sourceEntityVersionHash == source.entitiesByName["Changed"]?.versionHash)
        #expect(changed.destinationEntityVersionHash == destination.entitiesByName["Changed"]?.versionHash)
        #expect(
            changed.sourceExpression?.description
                == "FETCH(FUNCTION($manager, \"fetchRequestForSourceEntityNamed:predicateString:\", \"Changed\", "
                + "\"TRUEPREDICATE\"), $manager.sourceContext, NO)")
        let new = model.entityMappings[2]
        #expect(new.sourceEntityName == nil && new.sourceExpression == nil)
        #expect(expressions(new.attributeMappings) == ["a": "nothing"])
        #expect(new.userInfo?["addedProperties"] as? Set<String> == ["a"])
        #expect(changed.userInfo?["mappedProperties"] as? Set<String> == ["a"])
        #expect(changed.userInfo?["addedProperties"] as? Set<String> == ["b"])
        #expect(changed.userInfo?["removedProperties"] as? Set<String> == [])
        let gone = model.entityMappings[3]
        #expect(gone.userInfo?["removedProperties"] as? Set<String> == ["a"])
        #expect(gone.destinationEntityName == nil && gone.attributeMappings == [])
        #expect(model.leads(from: source, to: destination))
    }

    @Test("Inference follows renaming identifiers of entities, attributes and relationships")
    func renamedEntitiesAndPropertiesAreFound() throws {
        let book = entity("Book", [attribute("title", .string)])
        let page = entity("Page", [relationship("book", to: book, max: 1)])
        let source = makeModel(book, page)
        let name = attribute("name", .string)
        name.renamingIdentifier = "title"
        let volume = entity("Volume", [name])
        volume.renamingIdentifier = "Book"
        let owner = relationship("volume", to: volume, max: 1)
        owner.renamingIdentifier = "book"
        let destination = makeModel(volume, entity("Page", [owner]))
        let mappings = try infer(source, destination)
        let mapping = try #require(mappings["IEM_Transform_Book"])
        #expect(mapping.sourceEntityName == "Book" && mapping.destinationEntityName == "Volume")
        #expect(expressions(mapping.attributeMappings) == ["name": "$source.title"])
        #expect(
            expressions(mappings["IEM_Transform_Page"]?.relationshipMappings) == [
                "volume":
                    "FUNCTION($manager, \"destinationInstancesForSourceRelationshipNamed:sourceInstances:\", "
                    + "\"book\", $source.book)"
            ])
        #expect(mappings.count == 2)
    }

    /// Version 3 still names its attribute as in version 1: it is found from either version.
    @Test("A renaming identifier matches the name or the identifier of an older version")
    func anIdentifierIsGoodForAllOlderVersions() throws {
        let first = makeModel(entity("E", [attribute("color", .string)]))
        let paint = attribute("paintColor", .string)
        paint.renamingIdentifier = "color"
        let second = makeModel(entity("E", [paint]))
        let primary = attribute("primaryColor", .string)
        primary.renamingIdentifier = "color"
        let third = makeModel(entity("E", [primary]))
        #expect(
            try expressions(infer(first, third)["IEM_Transform_E"]?.attributeMappings)
                == ["primaryColor": "$source.color"])
        #expect(
            try expressions(infer(second, third)["IEM_Transform_E"]?.attributeMappings)
                == ["primaryColor": "$source.paintColor"])
        let last = attribute("primaryColor", .string)
        last.renamingIdentifier = "paintColor"
        #expect(
            try expressions(
                infer(second, makeModel(entity("E", [last])))["IEM_Transform_E"]?.attributeMappings)
                == ["primaryColor": "$source.paintColor"])
    }

    @Test("Inference follows two attributes that exchange their names")
    func exchangedNames() throws {
        let source = makeModel(entity("E", [attribute("a", .string), attribute("b", .string)]))
        let a = attribute("a", .string)
        a.renamingIdentifier = "b"
        let b = attribute("b", .string)
        b.renamingIdentifier = "a"
        let destination = makeModel(entity("E", [a, b]))
        #expect(
            try expressions(infer(source, destination).values.first?.attributeMappings)
                == ["a": "$source.b", "b": "$source.a"])
        // The identifiers stay in the next version, in which nothing is exchanged.
        let again = try #require(destination.copy() as? NSManagedObjectModel)
        #expect(
            try expressions(infer(destination, again)["IEM_Copy_E"]?.attributeMappings)
                == ["a": "$source.a", "b": "$source.b"])
    }

    @Test("Inference refuses two properties or entities with one origin")
    func twoOfOneOriginAreRefused() {
        let source = makeModel(entity("E", [attribute("a", .string)]))
        let b = attribute("b", .string)
        b.renamingIdentifier = "a"
        let error = error(source, makeModel(entity("E", [attribute("a", .string), b])))
        #expect(error?.userInfo["property"] as? String == "b")
        let other = entity("F", [])
        other.renamingIdentifier = "E"
        #expect(
            self.error(source, makeModel(entity("E", []), other))?.userInfo["entity"] as? String == "F")
    }

    @Test("Inference maps an optional attribute to a required one and back")
    func optionalAndMandatoryAreExchanged() throws {
        let source = makeModel(
            entity("E", [attribute("a", .string), attribute("b", .string, optional: false)]))
        let a = attribute("a", .string, optional: false)
        a.defaultValue = ""
        let destination = makeModel(entity("E", [a, attribute("b", .string)]))
        #expect(
            try expressions(infer(source, destination)["IEM_Transform_E"]?.attributeMappings)
                == ["a": "$source.a", "b": "$source.b"])
    }

    @Test(
        "Inference accepts a change of type only to a wider integer",
        arguments: [
            (NSAttributeType.integer16AttributeType, NSAttributeType.integer64AttributeType, true),
            (.integer64AttributeType, .integer16AttributeType, false),
            (.integer32AttributeType, .doubleAttributeType, false),
            (.stringAttributeType, .integer32AttributeType, false),
            (.dateAttributeType, .dateAttributeType, true),
        ])
    func typesOfAttributes(old: NSAttributeType, new: NSAttributeType, isInferred: Bool) throws {
        let source = makeModel(entity("E", [attribute("a", .init(rawValue: old))]))
        let destination = makeModel(entity("E", [attribute("a", .init(rawValue: new))]))
        if isInferred {
            #expect(
                try expressions(infer(source, destination).values.first?.attributeMappings)
                    == ["a": "$source.a"])
        } else {
            let error = error(source, destination)
            #expect(error?.code.rawValue == 134190)
            #expect(error?.userInfo["entity"] as? String == "E")
            #expect(error?.userInfo["property"] as? String == "a")
            let reason = error?.userInfo["reason"] as? String
            #expect(reason?.hasPrefix("Source and destination attribute types are incompatible") == true)
        }
    }

    @Test("Inference makes a relationship to-many or ordered, but not to-one")
    func relationshipsBecomeToManyAndOrdered() throws {
        func model(max: Int, ordered: Bool) -> NSManagedObjectModel {
            let page = entity("Page", [])
            let pages = relationship("pages", to: page, max: max)
            pages.isOrdered = ordered
            return makeModel(entity("Book", [pages]), page)
        }
        let expected = [
            "pages":
                "FUNCTION($manager, \"destinationInstancesForSourceRelationshipNamed:sourceInstances:\", "
                + "\"pages\", $source.pages)"
        ]
        for (source, destination) in [
            (model(max: 1, ordered: false), model(max: 0, ordered: false)),
            (model(max: 0, ordered: false), model(max: 0, ordered: true)),
            (model(max: 0, ordered: true), model(max: 0, ordered: false)),
            (model(max: 1, ordered: false), model(max: 0, ordered: true)),
        ] {
            #expect(
                try expressions(infer(source, destination)["IEM_Transform_Book"]?.relationshipMappings)
                    == expected)
        }
        let error = error(model(max: 0, ordered: false), model(max: 1, ordered: false))
        #expect(error?.userInfo["property"] as? String == "pages")
    }

    @Test("Inference refuses a relationship with another destination")
    func aRelationshipCannotLeadElsewhere() {
        func model(to name: String) -> NSManagedObjectModel {
            let (a, b) = (entity("A", []), entity("B", []))
            return makeModel(a, b, entity("E", [relationship("r", to: name == "A" ? a : b)]))
        }
        let error = error(model(to: "A"), model(to: "B"))
        #expect(error?.code.rawValue == 134190)
        #expect(error?.userInfo["property"] as? String == "r")
    }

    @Test("Inference follows an attribute that moves to a superentity or subentity")
    func propertiesMoveInTheHierarchy() throws {
        func model(up: Bool) -> NSManagedObjectModel {
            let moved = attribute("moved", .string)
            let child = entity("Child", up ? [] : [moved])
            return makeModel(entity("Parent", up ? [moved] : [], subentities: [child]), child)
        }
        let up = try infer(model(up: false), model(up: true))
        #expect(expressions(up["IEM_Transform_Child"]?.attributeMappings) == ["moved": "$source.moved"])
        #expect(expressions(up["IEM_Transform_Parent"]?.attributeMappings) == ["moved": "nothing"])
        let down = try infer(model(up: true), model(up: false))
        #expect(expressions(down["IEM_Transform_Child"]?.attributeMappings) == ["moved": "$source.moved"])
        #expect(expressions(down["IEM_Transform_Parent"]?.attributeMappings) == [:])
    }

    @Test("Inference moves an entity out of a hierarchy or below a new superentity")
    func entitiesMoveOutOfAHierarchyAndUnderANewParent() throws {
        let child = entity("Child", [attribute("a", .string)])
        let together = makeModel(entity("Parent", [], subentities: [child]), child)
        let apart = makeModel(entity("Parent", []), entity("Child", [attribute("a", .string)]))
        #expect(try infer(together, apart)["IEM_Transform_Child"]?.mappingType == .transformEntityMappingType)
        let below = entity("Child", [attribute("a", .string)])
        let alone = makeModel(entity("Child", [attribute("a", .string)]))
        let mappings = try infer(alone, makeModel(entity("New", [], subentities: [below]), below))
        #expect(Set(mappings.keys) == ["IEM_Add_New", "IEM_Transform_Child"])

        // Into one as well, unless others are in it.
        #expect(try infer(apart, together)["IEM_Transform_Child"] != nil)
        let (first, second) = (entity("First", []), entity("Second", []))
        let siblings = makeModel(entity("Parent", [], subentities: [first, second]), first, second)
        let error = error(makeModel(entity("First", []), entity("Second", [])), siblings)
        #expect((error?.userInfo["reason"] as? String)?.contains("common parent") == true)
        #expect(error?.code.rawValue == 134190)
    }

    @Test("Inference leaves derived and transient attributes without an expression")
    func derivedAndTransientAttributesHaveNoExpression() throws {
        func model() -> NSManagedObjectModel {
            let derived = NSDerivedAttributeDescription()
            derived.name = "derived"
            derived.attributeType = .stringAttributeType
            derived.derivationExpression = NSExpression(forKeyPath: "plain")
            let transient = attribute("transient", .string)
            transient.isTransient = true
            return makeModel(entity("E", [derived, transient, attribute("plain", .string)]))
        }
        #expect(
            try expressions(infer(model(), model())["IEM_Copy_E"]?.attributeMappings)
                == ["derived": "nothing", "transient": "nothing", "plain": "$source.plain"])
    }
}
