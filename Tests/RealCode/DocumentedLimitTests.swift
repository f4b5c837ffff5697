import CoreData
import Testing

/// Of a class that archives can name.
final class Badge: NSObject, NSSecureCoding {
    static var supportsSecureCoding: Bool { true }
    let text: String

    init(_ text: String) { self.text = text }

    init?(coder: NSCoder) {
        text = coder.decodeObject(of: NSString.self, forKey: "text").map { "\($0)" } ?? ""
    }

    func encode(with coder: NSCoder) { coder.encode(text as NSString, forKey: "text") }
}

/// The same with a class that archives cannot name.
enum Cabinet {
    final class Badge: NSObject, NSSecureCoding {
        static var supportsSecureCoding: Bool { true }

        override init() {}
        init?(coder: NSCoder) {}
        func encode(with coder: NSCoder) {}
    }
}

private final class BadgeTransformer: NSSecureUnarchiveFromDataTransformer {
    override class var allowedTopLevelClasses: [AnyClass] { [Badge.self, Cabinet.Badge.self] }
}

/// Answers for its methods itself.
private final class Title: FunctionResponding {
    func result(ofFunction name: String, arguments: [Any?]) throws -> Any? {
        name == "substring2ToIndex:" ? "Al" : nil
    }
}

/// A manager with a method that a mapping model calls on Apple's platforms.
private final class BrandManager: NSMigrationManager {
    func brand(ofMaker maker: String) -> String { maker.uppercased() }
}

/// What is called in its place.
final class BrandPolicy: NSEntityMigrationPolicy, FunctionResponding {
    func result(ofFunction name: String, arguments: [Any?]) throws -> Any? {
        name == "brandOfMaker:" ? (arguments.first as? String)?.uppercased() : nil
    }
}

/// What cannot be done without an Objective-C runtime: the error says so, and what is documented in its place works.
@MainActor @Suite struct DocumentedLimitTests {
    private func model(_ name: String, _ type: NSAttributeType) -> NSManagedObjectModel {
        let attribute = NSAttributeDescription()
        attribute.name = name
        attribute.attributeType = type
        let entity = NSEntityDescription()
        entity.name = "Item"
        entity.properties = [attribute]
        let model = NSManagedObjectModel()
        model.entities = [entity]
        return model
    }

    private func open(
        _ model: NSManagedObjectModel, at url: URL = URL(fileURLWithPath: "/dev/null"),
        type: NSPersistentStore.StoreType = .sqlite
    ) throws -> NSManagedObjectContext {
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        try coordinator.addPersistentStore(type: type, at: url)
        let context = NSManagedObjectContext(.mainQueue)
        context.persistentStoreCoordinator = coordinator
        return context
    }

    @Test(
        "A value of a nested class is refused by the save, which says why; one of a class of the module is kept"
    )
    func archivesOfNestedClasses() throws {
        let name = NSValueTransformerName("DocumentedLimitBadge")
        ValueTransformer.setValueTransformer(BadgeTransformer(), forName: name)
        let model = model("badge", .transformableAttributeType)
        model.entities[0].attributesByName["badge"]?.valueTransformerName = name.rawValue
        let context = try open(model)
        let item = NSEntityDescription.insertNewObject(forEntityName: "Item", into: context)
        item.setValue(Cabinet.Badge(), forKey: "badge")
        let error = #expect(throws: NSError.self) { try context.save() }
        #expect(error?.code == 134060)
        #expect(error?.localizedDescription.contains("'badge'") == true)
        #expect(error?.localizedDescription.contains("Cabinet.Badge") == true)
        #expect(error?.localizedDescription.contains("nested") == true)
        item.setValue(Badge("gold"), forKey: "badge")
        try context.save()
        context.reset()
        let found = try context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Item"))
        #expect((found.first?.value(forKey: "badge") as? Badge)?.text == "gold")
    }

    @Test(
        "A method that an expression calls by its selector is an error that names it, unless the object answers for it"
    )
    func methodsBySelector() throws {
        let expression = NSExpression(format: "FUNCTION(SELF, 'substring2ToIndex:', 3)")
        let error = #expect(throws: PredicateEvaluationError.self) {
            try expression.value(with: "Alfa Romeo")
        }
        #expect(error.map { "\($0)".contains("has no method substring2ToIndex:") } == true)
        #expect(try expression.value(with: Title()) as? String == "Al")
        let request = NSFetchRequest<NSManagedObject>(entityName: "Item")
        request.predicate = NSPredicate(format: "FUNCTION(maker, 'substring2ToIndex:', 3) == 'Alf'")
        for type in [NSPersistentStore.StoreType.sqlite, .inMemory] {
            let context = try open(model("maker", .stringAttributeType), type: type)
            NSEntityDescription.insertNewObject(forEntityName: "Item", into: context)
                .setValue("Alfa Romeo", forKey: "maker")
            try context.save()
            let error = #expect(throws: (any Error).self) { try context.fetch(request) }
            let isNamed = error.map { "\($0) \($0.localizedDescription)".contains("substring2ToIndex:") }
            #expect(isNamed == true, "\(type.rawValue)")
        }
    }

    @Test(
        "A mapping that calls a method of a custom migration manager is an error with its name; a method of a policy is called"
    )
    func methodsOfManagers() throws {
        let folder = try TemporaryFolder()
        let old = folder.url.appendingPathComponent("Old.sqlite")
        let (first, second) = (model("maker", .stringAttributeType), model("brand", .stringAttributeType))
        let context = try open(first, at: old)
        NSEntityDescription.insertNewObject(forEntityName: "Item", into: context)
            .setValue("Fiat", forKey: "maker")
        try context.save()
        let coordinator = try #require(context.persistentStoreCoordinator)
        for store in coordinator.persistentStores { try coordinator.remove(store) }
        func migrate(_ expression: String, to url: URL) throws {
            let brand = NSPropertyMapping()
            brand.name = "brand"
            brand.valueExpression = NSExpression(format: expression)
            let items = NSEntityMapping()
            items.name = "ItemToItem"
            items.mappingType = .customEntityMappingType
            items.sourceEntityName = "Item"
            items.destinationEntityName = "Item"
            items.entityMigrationPolicyClassName = NSStringFromClass(BrandPolicy.self)
            items.sourceExpression = NSExpression(
                format: """
                    FETCH(FUNCTION($manager, 'fetchRequestForSourceEntityNamed:predicateString:', 'Item', \
                    'TRUEPREDICATE'), $manager.sourceContext, NO)
                    """)
            items.attributeMappings = [brand]
            let mapping = NSMappingModel()
            mapping.entityMappings = [items]
            try BrandManager(sourceModel: first, destinationModel: second).migrateStore(
                from: old, type: .sqlite, mapping: mapping, to: url, type: .sqlite)
        }
        let new = folder.url.appendingPathComponent("New.sqlite")
        let error = #expect(throws: NSError.self) {
            try migrate("FUNCTION($manager, 'brandOfMaker:', $source.maker)", to: new)
        }
        #expect(error?.code == 134110)
        #expect(error?.localizedDescription.contains("brandOfMaker:") == true)
        #expect(!FileManager.default.fileExists(atPath: new.path))
        try migrate("FUNCTION($entityPolicy, 'brandOfMaker:', $source.maker)", to: new)
        let migrated = try open(second, at: new)
        let found = try migrated.fetch(NSFetchRequest<NSManagedObject>(entityName: "Item"))
        #expect(found.map { $0.value(forKey: "brand") as? String } == ["FIAT"])
    }
}
