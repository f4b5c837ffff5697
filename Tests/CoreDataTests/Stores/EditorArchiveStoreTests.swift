import CoreData
import TestSupport
import Testing

/// Stores of Apple's, opened with the models of Xcode 3 that their programs had: the version hashes are the same.
@Suite(.enabled(if: Corpus.isPresent, "\(Corpus.missing)"))
struct EditorArchiveStoreTests {
    struct Pair: CustomTestStringConvertible, Sendable {
        let store: String
        let model: String
        let counts: [String: Int]

        var testDescription: String { store }
    }

    private static let pairs = [
        Pair(
            store: "Sunic+DigitalOrder/CoreData.sqlite", model: "Sunic+DigitalOrder/Hotel.xcdatamodel",
            counts: ["Dishes": 7, "Type": 6]),
        Pair(
            store: "Lax+Learn-iOS-Swift-by-Examples/CoreDataBooks/CoreDataBooks.CDBStore",
            model:
                "Lax+Learn-iOS-Swift-by-Examples/CoreDataBooks/CoreDataBooks.xcdatamodeld/CoreDataBooks.xcdatamodel",
            counts: ["Book": 11]),
        Pair(
            store: "OgreSwamp+XCakeLabs_LocalizationLab/CoreDataBooks.CDBStore",
            model:
                "OgreSwamp+XCakeLabs_LocalizationLab/CoreDataBooks.xcdatamodeld/CoreDataBooks 2.xcdatamodel",
            counts: ["Book": 11]),
        Pair(
            store: "alanjrogers+Recipes2/RecipeData/Recipes.sqlite",
            model: "alanjrogers+Recipes2/Recipes.xcdatamodeld/Recipesv2.xcdatamodel",
            counts: ["Image": 6, "Ingredient": 35, "Recipe": 6, "RecipeType": 5]),
    ]

    @Test("An Apple store opens with the Xcode 3 model of its program", arguments: pairs)
    func storeOpensWithItsModel(_ pair: Pair) throws {
        let folder = try StoreFolder(copying: Corpus.url("stores/\(pair.store)"))
        let model = try #require(NSManagedObjectModel(contentsOf: Corpus.url("models/\(pair.model)")))
        // A store whose version hashes are others is refused.
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        try coordinator.addPersistentStore(
            ofType: NSSQLiteStoreType, configurationName: nil, at: folder.file,
            options: [NSReadOnlyPersistentStoreOption: true])
        let counts = try coordinator.inContext { context in
            try Dictionary(
                uniqueKeysWithValues: model.entitiesByName.keys.map { ($0, try context.all($0).count) })
        }
        #expect(counts == pair.counts)
    }

    @Test("An Apple store is refused with a model of another version")
    func otherVersionIsRefused() throws {
        let folder = try StoreFolder(
            copying: Corpus.url("stores/alanjrogers+Recipes2/RecipeData/Recipes.sqlite"))
        let model = try #require(
            NSManagedObjectModel(
                contentsOf: Corpus.url("models/alanjrogers+Recipes2/Recipes.xcdatamodeld/Recipes.xcdatamodel")
            ))
        let error = #expect(throws: NSError.self) {
            try NSPersistentStoreCoordinator(managedObjectModel: model).addPersistentStore(
                ofType: NSSQLiteStoreType, configurationName: nil, at: folder.file,
                options: [NSReadOnlyPersistentStoreOption: true])
        }
        #expect(error?.code == 134100)
    }
}
