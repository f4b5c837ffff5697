import CoreData
import Foundation
import Testing

/// The model as a part of the program.
@Suite struct EmbeddedModelTests {
    @Test("A container finds the current version of an embedded model by name")
    func theCurrentVersionIsFoundByName() {
        let model = NSPersistentContainer(name: "Awkward").managedObjectModel
        #expect(model.entitiesByName["Everything"] != nil)
        #expect(model.entities.count == 10)
    }

    @Test("A container of another module finds the embedded model")
    func aModuleOfAnotherNameFindsItToo() throws {
        let container = NSPersistentContainer(name: "Awkward", fileID: "Elsewhere/File.swift")
        let context = container.newBackgroundContext()
        context.performAndWait {
            let entity = container.managedObjectModel.entitiesByName["Novel"]
            let object = entity.map { NSManagedObject(entity: $0, insertInto: nil) }
            #expect(object?.entity.name == "Novel")
            #expect(Author(context: context).entity === container.managedObjectModel.entitiesByName["Author"])
        }
    }

    @Test("The merged model of the program has the embedded model")
    func theMergedModelOfTheProgramHasIt() throws {
        let model = try #require(NSManagedObjectModel.mergedModel(from: nil))
        #expect(model.entitiesByName["Everything"] != nil)
        #expect(NSManagedObjectModel(byMerging: nil)?.entitiesByName["Novel"] != nil)
    }

    @Test("Store metadata of an older version find its embedded model")
    func aStoreOfAnOlderVersionFindsItsModel() throws {
        let old = NSManagedObjectModel()
        let author = NSEntityDescription()
        author.name = "Author"
        let name = NSAttributeDescription()
        name.name = "name"
        name.type = .string
        author.properties = [name]
        old.entities = [author]
        let metadata = [NSStoreModelVersionHashesKey: old.entityVersionHashesByName]
        let found = try #require(NSManagedObjectModel.mergedModel(from: nil, forStoreMetadata: metadata))
        #expect(found.entities.map(\.name) == ["Author"])
        #expect(found.entitiesByName["Author"]?.attributesByName.keys.sorted() == ["name"])
    }

    /// Both modules have types of these names; the target's own names decide, in a file that imports both.
    @Test("Names that Foundation has too mean those of Core Data")
    func namesMeanThoseOfCoreData() {
        let expression: NSExpression = NSExpression(forConstantValue: 1)
        let predicate: NSComparisonPredicate? = NSPredicate(format: "a == 1") as? NSComparisonPredicate
        #expect(expression.constantValue as? Int == 1)
        #expect(predicate?.rightExpression.constantValue as? Int == 1)
    }
}
