import CocoaFoundation
import Testing

@testable import ManagedObjectModel

/// Reading of mapping model files.
struct MappingFileTests {
    private func mapping(_ name: String) throws -> NSEntityMapping {
        try #require(MappingText.file(MappingText.whole).mappingModel.entityMappingsByName[name])
    }

    private func expression(_ mapping: NSEntityMapping, _ property: String) -> String? {
        ((mapping.attributeMappings ?? []) + (mapping.relationshipMappings ?? []))
            .first { $0.name == property }?.valueExpression?.description
    }

    @Test("A mapping file lists its entity mappings by number, with their types")
    func entityMappingsComeInTheOrderOfTheirNumbers() throws {
        let file = try MappingText.file(MappingText.whole)
        #expect(
            file.mappingModel.entityMappings.map(\.name) == ["BookToBook", "PageToPage", "Shelf", "Lamp"])
        #expect(
            file.mappingModel.entityMappings.map(\.mappingType) == [
                .transformEntityMappingType, .transformEntityMappingType, .addEntityMappingType,
                .removeEntityMappingType,
            ])
    }

    @Test("A mapping file gives its source and destination models and its metadata")
    func theFileHasModelsAndMetadata() throws {
        let file = try MappingText.file(MappingText.whole)
        #expect(file.sourceModelPath == "Shelf.xcdatamodeld/Shelf.xcdatamodel")
        #expect(file.destinationModelPath == "Shelf.xcdatamodeld/Shelf 2.xcdatamodel")
        #expect(file.sourceModel?.entities.map(\.name) == ["Book", "Lamp", "Page"])
        #expect(file.destinationModel?.entities.map(\.name) == ["Book", "Page", "Shelf"])
        #expect(file.sourceModel?.versionIdentifiers == ["1"])
        #expect(file.metadata["NSPersistenceFrameworkVersion"] as? Int == 754)
        let hashes = file.metadata["NSStoreModelVersionHashes"] as? [String: Data]
        #expect(hashes?["XDDevMappingModel"]?.count == 32)
    }

    @Test("A model inside a mapping file keeps types, optionality and inverses")
    func embeddedModelsHaveTheirSettings() throws {
        let model = try #require(MappingText.file(MappingText.whole).sourceModel)
        let book = try #require(model.entitiesByName["Book"])
        #expect(book.attributesByName["price"]?.attributeType == .integer32AttributeType)
        #expect(book.attributesByName["price"]?.isOptional == true)
        #expect(book.relationshipsByName["pages"]?.isToMany == true)
        #expect(book.relationshipsByName["pages"]?.inverseRelationship?.name == "book")
        #expect(book.relationshipsByName["pages"]?.inverseRelationship?.isToMany == false)
    }

    @Test("Value expressions that a mapping file leaves out are generated")
    func missingExpressionsAreGenerated() throws {
        let book = try mapping("BookToBook")
        #expect(expression(book, "name") == "$source.title")
        #expect(expression(book, "price") == "$source.price")
        #expect(
            expression(book, "pages")
                == "FUNCTION($manager, \"destinationInstancesForEntityMappingNamed:sourceInstances:\", "
                + "\"PageToPage\", $source.pages)")
        #expect(
            try expression(mapping("PageToPage"), "book")
                == "FUNCTION($manager, \"destinationInstancesForEntityMappingNamed:sourceInstances:\", "
                + "\"BookToBook\", $source.book)")
        #expect(try mapping("Shelf").attributeMappings?.map(\.name) == ["length"])
        #expect(try mapping("Shelf").attributeMappings?.first?.valueExpression == nil)
        #expect(book.userInfo as? [String: String] == ["reason": "renamed"])
        #expect(book.entityMigrationPolicyClassName == nil)
    }

    @Test("The source filter of a mapping becomes the predicate of its fetch")
    func theFilterNarrowsTheFetch() throws {
        let fetch = try #require(mapping("BookToBook").sourceExpression as? NSFetchRequestExpression)
        #expect(fetch.isCountOnlyRequest == false)
        #expect(fetch.contextExpression.description == "$manager.sourceContext")
        guard case .function(_, let name, let arguments) = fetch.requestExpression.kind,
            case .constant(let filter) = arguments.last?.kind
        else {
            Issue.record("\(fetch)")
            return
        }
        #expect(name == "fetchRequestForSourceEntityNamed:predicateString:")
        #expect(filter as? String == "price < 10000 AND title MATCHES '\\\\w+'")
        #expect(
            try mapping("Lamp").sourceExpression?.description
                == "FETCH(FUNCTION($manager, \"fetchRequestForSourceEntityNamed:predicateString:\", \"Lamp\", "
                + "\"TRUEPREDICATE\"), $manager.sourceContext, NO)")
        #expect(try mapping("Shelf").sourceExpression == nil)
    }

    @Test("A mapping model leads from its source to its destination only")
    func aMappingModelLeadsBetweenItsModelsOnly() throws {
        let file = try MappingText.file(MappingText.whole)
        let source = try #require(file.sourceModel)
        let destination = try #require(file.destinationModel)
        #expect(file.mappingModel.leads(from: source, to: destination))
        #expect(!file.mappingModel.leads(from: destination, to: source))
        #expect(!file.mappingModel.leads(from: source, to: source))
        #expect(!NSMappingModel().leads(from: source, to: destination))
    }

    @Test("A migration policy class makes a mapping custom")
    func aPolicyMakesTheTypeCustom() throws {
        let text = MappingText.whole.replacingOccurrences(
            of: "<attribute name=\"migrationpolicyclassname\" type=\"string\"></attribute>",
            with: "<attribute name=\"migrationpolicyclassname\" type=\"string\">Shop.Lamps</attribute>")
        let lamp = try #require(MappingText.file(text).mappingModel.entityMappingsByName["Lamp"])
        #expect(lamp.mappingType == .customEntityMappingType)
        #expect(lamp.entityMigrationPolicyClassName == "Shop.Lamps")
    }

    @Test(
        "A mapping keeps the type of the file, and an undefined one becomes a transform",
        arguments: [
            ("Custom", NSEntityMappingType.customEntityMappingType), ("Add", .addEntityMappingType),
            ("Remove", .removeEntityMappingType), ("Copy", .copyEntityMappingType),
            ("Transform", .transformEntityMappingType), ("Undefined", .transformEntityMappingType),
        ])
    func theTypeOfTheFileIsKept(name: String, type: NSEntityMappingType) throws {
        let text = MappingText.whole.replacingOccurrences(of: ">Undefined<", with: ">\(name)<")
        #expect(
            try MappingText.file(text).mappingModel.entityMappingsByName["BookToBook"]?.mappingType == type)
    }

    @Test("Entity mapping types have Apple's raw values")
    func rawValuesAreThoseOfApple() {
        let types: [NSEntityMappingType] = [
            .undefinedEntityMappingType, .customEntityMappingType, .addEntityMappingType,
            .removeEntityMappingType, .copyEntityMappingType, .transformEntityMappingType,
        ]
        #expect(types.map(\.rawValue) == [0, 1, 2, 3, 4, 5])
        #expect(NSEntityMappingType(rawValue: 6) == nil)
    }

    @Test("Escape sequences of XML stores are decoded")
    func escapesOfXMLStores() {
        #expect(XMLStoreText.unescaped("a \\u3c00 b \\u2600\\u2600 c") == "a < b && c")
        #expect(XMLStoreText.unescaped("\\\\u3c00 \\\\\\\\ \\n \\u12") == "\\u3c00 \\\\ \\n \\u12")
        #expect(XMLStoreText.unescaped("\\u3dd8\\u00de") == "\u{1F600}")
        #expect(XMLStoreText.unescaped("é\\u0001") == "é\u{100}")
    }

    @Test("A mapping model is read from a folder, an XML file or a compiled archive")
    func readsAFolderAFileAndAnArchive() throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        defer { try? FileManager.default.removeItem(at: folder) }
        let mapping = folder.appendingPathComponent("A.xcmappingmodel")
        try FileManager.default.createDirectory(at: mapping, withIntermediateDirectories: true)
        let xml = mapping.appendingPathComponent("xcmapping.xml")
        #expect(NSMappingModel(contentsOf: mapping) == nil)
        #expect(throws: ModelFileError.self) { try NSMappingModel(loading: mapping) }
        try Data(MappingText.whole.utf8).write(to: xml)
        #expect(NSMappingModel(contentsOf: mapping)?.entityMappings.count == 4)
        let plain = folder.appendingPathComponent("B.xcmappingmodel")
        try FileManager.default.copyItem(at: xml, to: plain)
        #expect(NSMappingModel(contentsOf: plain)?.entityMappings.count == 4)
        let compiled = folder.appendingPathComponent("C.cdm")
        try CompiledMappingTests.archive.write(to: compiled)
        #expect(NSMappingModel(contentsOf: compiled)?.entityMappings.count == 1)
        #expect(NSMappingModel(contentsOf: folder.appendingPathComponent("D.cdm")) == nil)
        #expect(NSMappingModel(contentsOf: nil) == nil)

        try Data(MappingText.whole.replacingOccurrences(of: "idrefs=\"z30\"", with: "idrefs=\"z99\"").utf8)
            .write(to: xml)
        let error = #expect(throws: ModelFileError.self) { try NSMappingModel(loading: mapping) }
        #expect(error?.file?.lastPathComponent == "xcmapping.xml")
        #expect(error?.line != nil)
    }

    @Test("A bundle finds the mapping model between two models, past broken files")
    func findsTheMappingModelInABundle() throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID()).bundle")
        defer { try? FileManager.default.removeItem(at: folder) }
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        try Data("broken".utf8).write(to: folder.appendingPathComponent("A.cdm"))
        try Data(MappingText.whole.utf8).write(to: folder.appendingPathComponent("B.xcmappingmodel"))
        let bundle = try #require(Bundle(path: folder.path))
        let file = try MappingText.file(MappingText.whole)
        let found = NSMappingModel(
            from: [bundle], forSourceModel: file.sourceModel, destinationModel: file.destinationModel)
        #expect(found?.entityMappings.count == 4)
        #expect(
            NSMappingModel(
                from: [bundle], forSourceModel: file.destinationModel, destinationModel: file.sourceModel)
                == nil)
        #expect(
            NSMappingModel(from: [bundle], forSourceModel: nil, destinationModel: file.destinationModel)
                == nil)
        #expect(
            NSMappingModel(
                from: [], forSourceModel: file.sourceModel, destinationModel: file.destinationModel)
                == nil)
    }
}
