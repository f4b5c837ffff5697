import CocoaFoundation
import Testing

@testable import ManagedObjectModel

/// Models in the compiled form, written and read.
struct CompiledModelTests {
    @Test("A model read from its compiled form or model cache equals the model written")
    func everythingIsReadAsItWasWritten() throws {
        let model = try CompiledSample.model()
        for read in [
            try NSManagedObjectModel(compiled: model.compiledData()),
            try NSManagedObjectModel(modelCacheArchive: model.modelCacheArchive()),
        ] {
            #expect(read.inconsistencies().isEmpty)
            #expect(read.entityVersionHashesByName == model.entityVersionHashesByName)
            #expect(read.versionChecksum == model.versionChecksum)
            #expect(read.versionIdentifiers == ["v1"])
            #expect(read.configurations == ["c"])
            for entity in model.entities {
                let other = try #require(read.entitiesByName[entity.name ?? ""])
                for property in entity.ownPropertiesByNameOrder {
                    let found = try #require(other.propertiesByName[property.name])
                    // The copy has the implied index of the title like that of a property marked as indexed.
                    if property.name == "title" { found.isIndexedAlone = false }
                    #expect(found == property)
                }
                #expect(other.uniquenessConstraintNames == entity.uniquenessConstraintNames)
                #expect(other.managedObjectClassName == entity.managedObjectClassName)
                #expect(other.explicitRenamingIdentifier == entity.explicitRenamingIdentifier)
                #expect(other.userInfo as? [String: String] == entity.userInfo as? [String: String])
                #expect(other.spotlightExpression == entity.spotlightExpression)
            }
            let request = try #require(read.fetchRequestTemplate(forName: "all"))
            let original = try #require(model.fetchRequestTemplate(forName: "all"))
            #expect(request.entity === read.entitiesByName["Book"])
            #expect(request.predicate == original.predicate)
            #expect(request.fetchLimit == 5 && request.fetchBatchSize == 3)
            #expect(request.resultType == .managedObjectIDResultType)
            #expect(request.returnsDistinctResults && !request.includesSubentities)
            #expect(!request.includesPropertyValues && request.includesPendingChanges)
        }
        let compiled = try NSManagedObjectModel(compiled: model.compiledData())
        #expect(compiled == model)
        #expect(compiled.entitiesByName["Book"]?.indexes == model.entitiesByName["Book"]?.indexes)
    }

    @Test("A model cache has the indexes that Apple's framework derives from indexed properties")
    func aCopyForAStoreHasTheIndexesThatAppleImplies() throws {
        let model = try CompiledSample.model()
        let copy = try NSManagedObjectModel(modelCacheArchive: model.modelCacheArchive())
        let book = try #require(copy.entitiesByName["Book"])
        #expect(book.indexes.map(\.name) == ["title", "year", "year_isRead", "byTitle", "byBoth"])
        #expect(book.storeIndexes.count == 5)
        let again = try NSManagedObjectModel(modelCacheArchive: copy.modelCacheArchive())
        #expect(again == copy)
    }

    /// The flags that archives of Apple's tools have for properties of these kinds.
    @Test(
        "A compiled property has the flags that Apple's tools write for its kind",
        arguments: [
            ("bought", 251), ("count", 247), ("isRead", 241), ("price", 243), ("same", 255), ("tags", 179),
            ("title", 65), ("year", 193),
        ])
    func propertyFlags(name: String, bits: Int64) throws {
        let editor = try ArchiveEditor(CompiledSample.model().compiledData())
        let classes = [
            "NSAttributeDescription", "NSDerivedAttributeDescription", "NSFetchedPropertyDescription",
        ]
        let position = try #require(
            try classes.lazy.compactMap { try editor.position($0, where: "NSPropertyName", is: name) }.first)
        #expect(try editor.integer("_P", of: position) == bits)
    }

    @Test("An attribute with external storage has the flags that Apple's tools write")
    func largeValuesAreMarkedAsApplesAre() throws {
        let editor = try ArchiveEditor(CompiledSample.model().compiledData())
        let cover = try #require(
            try editor.position("NSAttributeDescription", where: "NSPropertyName", is: "cover"))
        #expect(try editor.integer("NSFlagsKey", of: cover) == 4 | 16)
    }

    @Test("A block predicate or a default value that cannot be archived is refused")
    func unarchivableValuesAreRefused() throws {
        let model = try CompiledSample.model()
        let book = try #require(model.entitiesByName["Book"])
        book.attributesByName["year"]?.setValidationPredicates(
            [NSPredicate { _, _ in true }], withValidationWarnings: ["no"])
        let error = #expect(throws: ModelFileError.self) { try model.compiledData() }
        #expect(error?.element == "Book.year" && error?.detail.contains("no archived form") == true)

        let transformed = try CompiledSample.model()
        transformed.entitiesByName["Book"]?.attributesByName["tags"]?.defaultValue = Unarchivable()
        let refusal = #expect(throws: ModelFileError.self) { try transformed.modelCacheArchive() }
        #expect(refusal?.element == "Book.tags")
    }

    private final class Unarchivable: NSObject {}

    @Test("A model with duplicate entities, a lost destination or a composite cycle is not compiled")
    func aModelThatContradictsItselfIsNotCompiled() throws {
        let model = NSManagedObjectModel()
        let one = NSEntityDescription()
        one.name = "A"
        let other = NSEntityDescription()
        other.name = "A"
        model.entities = [one, other]
        #expect(#expect(throws: ModelFileError.self) { try model.compiledData() }?.reason == .duplicateName)

        let lost = NSRelationshipDescription()
        lost.name = "r"
        let entity = NSEntityDescription()
        entity.name = "B"
        entity.properties = [lost]
        model.entities = [entity]
        let error = #expect(throws: ModelFileError.self) { try model.compiledData() }
        #expect(error?.reason == .unknownName && error?.element == "B.r")

        let circle = NSCompositeAttributeDescription()
        circle.name = "c"
        circle.elements = [circle]
        entity.properties = [circle]
        #expect(#expect(throws: ModelFileError.self) { try model.compiledData() }?.reason == .cycle)
        circle.elements = []
    }

    @Test("A model without entities is read back without entities")
    func aModelWithoutEntities() throws {
        let empty = NSManagedObjectModel()
        #expect(try NSManagedObjectModel(compiled: empty.compiledData()).entities.isEmpty)
        #expect(try NSManagedObjectModel(modelCacheArchive: empty.modelCacheArchive()).entities.isEmpty)
    }
}
