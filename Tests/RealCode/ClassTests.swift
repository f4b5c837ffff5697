import CoreData
import Observation
import Testing

private func entity(_ name: String, class className: String?) -> NSEntityDescription {
    let entity = NSEntityDescription()
    entity.name = name
    entity.managedObjectClassName = className
    let title = NSAttributeDescription()
    title.name = "title"
    title.attributeType = .stringAttributeType
    entity.properties = [title]
    return entity
}

private func model(_ entities: NSEntityDescription...) -> NSManagedObjectModel {
    let model = NSManagedObjectModel()
    model.entities = entities
    return model
}

/// A stack as a library makes it: with a plain coordinator.
@MainActor private func stack(_ model: NSManagedObjectModel) throws -> NSManagedObjectContext {
    let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
    try coordinator.addPersistentStore(ofType: NSInMemoryStoreType, configurationName: nil, at: nil)
    let context = NSManagedObjectContext(concurrencyType: .mainQueueConcurrencyType)
    context.persistentStoreCoordinator = coordinator
    return context
}

final class Tricycle: NSManagedObject {}
final class Unicycle: NSManagedObject {}
private final class Sidecar: NSManagedObject {}

private enum Yard {
    final class Wagon: NSManagedObject {}
}

private enum Depot {
    final class Handcart: NSManagedObject {}
    final class Trolley: NSManagedObject {}
    final class Barrow: NSManagedObject {}
    final class Bogie: NSManagedObject {}
}

private enum Shed {
    final class Handcart: NSManagedObject {}
    final class Trolley: NSManagedObject {}
    final class Barrow: NSManagedObject {}
    final class Bogie: NSManagedObject {}
}

private final class Unnamed: NSManagedObject {}

/// With the initializer that other classes only inherit.
private final class Scooter: NSManagedObject {
    convenience init() {
        self.init(entity: Rickshaw.entity(), insertInto: nil)
        setValue("new", forKey: "title")
    }
}

private final class Rickshaw: NSManagedObject {
    static let description: NSEntityDescription = {
        let description = NSEntityDescription()
        description.name = "Rickshaw"
        description.managedObjectClassName = NSStringFromClass(Rickshaw.self)
        let title = NSAttributeDescription()
        title.name = "title"
        title.attributeType = .stringAttributeType
        description.properties = [title]
        return description
    }()

    override class func entity() -> NSEntityDescription { description }
}

/// Of an entity that belongs to no model.
private final class Sledge: NSManagedObject {
    convenience init() {
        let description = NSEntityDescription()
        description.name = "Sledge"
        description.managedObjectClassName = NSStringFromClass(Sledge.self)
        self.init(entity: description, insertInto: nil)
    }
}

/// With a property of a type that has no nil.
private class Lorry: NSManagedObject {
    override class var managedProperties: [ManagedProperty] {
        super.managedProperties + [.custom("wheels", \Lorry.wheels), .custom("plate", \Lorry.plate)]
    }

    var wheels = 4
    var plate: String? = "A"
}

/// Has a value for what has no nil.
private final class Trailer: Lorry {
    private(set) var nilKeys: [String] = []

    override func setNilValueForKey(_ key: String) {
        nilKeys.append(key)
        if key == "wheels" { wheels = 0 } else { super.setNilValueForKey(key) }
    }
}

private final class Bicycle: NSManagedObject {
    static let titleKey = ManagedKey<String?>("title")
    var title: String? {
        get { self[Self.titleKey] }
        set { self[Self.titleKey] = newValue }
    }
}

extension Bicycle: Observable {}

/// How classes are found by the names that models have for them.
@MainActor @Suite struct ClassTests {
    @Test("A37: A plain coordinator finds a class by its name alone")
    func aPlainCoordinatorFindsClasses() throws {
        let context = try stack(model(entity("Tricycle", class: "Tricycle")))
        #expect(NSEntityDescription.insertNewObject(forEntityName: "Tricycle", into: context) is Tricycle)
        #expect(Tricycle(context: context).entity.name == "Tricycle")
        #expect(Tricycle.entity().name == "Tricycle")
        #expect(Tricycle.fetchRequest().entityName == "Tricycle")
    }

    @Test("A37: A class is found by the name of another module")
    func anotherModulesNameIsTaken() throws {
        let context = try stack(model(entity("Unicycle", class: "Elsewhere.Unicycle")))
        #expect(NSEntityDescription.insertNewObject(forEntityName: "Unicycle", into: context) is Unicycle)
    }

    @Test("Private and nested classes are found by their names")
    func nestedClassesAreFound() throws {
        let context = try stack(
            model(entity("Sidecar", class: "Sidecar"), entity("Wagon", class: "Yard.Wagon")))
        #expect(NSEntityDescription.insertNewObject(forEntityName: "Sidecar", into: context) is Sidecar)
        #expect(NSEntityDescription.insertNewObject(forEntityName: "Wagon", into: context) is Yard.Wagon)
        #expect(Yard.Wagon(context: context).entity.name == "Wagon")
    }

    @Test("A37: Of classes with one name, the one whose initializer is called becomes that of the entity")
    func theClassAtHandIsTaken() throws {
        let context = try stack(model(entity("Cart", class: "Handcart")))
        #expect(
            !(NSEntityDescription.insertNewObject(forEntityName: "Cart", into: context) is Shed.Handcart))
        #expect(Shed.Handcart(context: context).entity.name == "Cart")
        #expect(NSEntityDescription.insertNewObject(forEntityName: "Cart", into: context) is Shed.Handcart)
    }

    @Test("An object made for an entity makes its class that of the entity")
    func theClassOfAnObjectIsTaken() throws {
        let description = entity("Cart", class: "Trolley")
        let context = try stack(model(description))
        _ = Depot.Trolley(entity: description, insertInto: context)
        try context.save()
        context.reset()
        let request = NSFetchRequest<NSManagedObject>(entityName: "Cart")
        #expect(try context.fetch(request).first is Depot.Trolley)
    }

    @Test("A37: A request for objects of a class makes it that of the entity")
    func theClassOfARequestIsTaken() throws {
        let context = try stack(model(entity("Cart", class: "Elsewhere.Bogie")))
        NSEntityDescription.insertNewObject(forEntityName: "Cart", into: context).setValue(
            "a", forKey: "title")
        try context.save()
        context.reset()
        let request = NSFetchRequest<Depot.Bogie>(entityName: "Cart")
        #expect(try context.fetch(request).first?.value(forKey: "title") as? String == "a")
    }

    @Test("B13: The name of a private or nested class leads to it")
    func namesOfClassesLeadToThem() throws {
        let name = NSStringFromClass(Yard.Wagon.self)
        #expect(name.hasSuffix("Yard.Wagon"))
        let context = try stack(
            model(
                entity("A", class: NSStringFromClass(Depot.Barrow.self)),
                entity("B", class: NSStringFromClass(Shed.Barrow.self)), entity("C", class: name)))
        #expect(NSEntityDescription.insertNewObject(forEntityName: "A", into: context) is Depot.Barrow)
        #expect(NSEntityDescription.insertNewObject(forEntityName: "B", into: context) is Shed.Barrow)
        #expect(NSEntityDescription.insertNewObject(forEntityName: "C", into: context) is Yard.Wagon)
        #expect(NSStringFromClass(NSString.self) == "NSString")
    }

    @Test("A27: The entity of a class that no model names has no name")
    func anUnknownClassHasNoEntity() {
        #expect(Unnamed.entity().name == nil)
        #expect(Unnamed.entity().properties.isEmpty)
    }

    @Test("B17: A model is made of the entity that a class overrides, and its objects are of the class")
    func entitiesAreOverridden() throws {
        let context = try stack(model(Rickshaw.entity()))
        let object = Rickshaw(context: context)
        object.setValue("a", forKey: "title")
        try context.save()
        context.reset()
        let request = NSFetchRequest<Rickshaw>(entityName: try #require(Rickshaw.entity().name))
        #expect(try context.fetch(request).first?.value(forKey: "title") as? String == "a")
        #expect(Rickshaw.fetchRequest().entityName == "Rickshaw")
    }

    @Test(
        "setNilValueForKey(_:) is called when a property of a scalar type is set to nil, and may be overridden"
    )
    func nilForAScalar() async throws {
        let context = try stack(model(entity("Trailer", class: NSStringFromClass(Trailer.self))))
        let trailer = Trailer(context: context)
        trailer.setValue(6, forKey: "wheels")
        #expect(trailer.wheels == 6)
        trailer.setValue(nil, forKey: "wheels")
        #expect(trailer.wheels == 0)
        trailer.wheels = 2
        trailer.setValuesForKeys(["wheels": NSNull(), "plate": NSNull()])
        #expect(trailer.wheels == 0 && trailer.plate == nil)
        trailer.setValue(nil, forKey: "title")
        #expect(trailer.nilKeys == ["wheels", "wheels"])
        await #expect(processExitsWith: .failure) {
            let entity = NSEntityDescription()
            entity.name = "Lorry"
            entity.managedObjectClassName = NSStringFromClass(Lorry.self)
            Lorry(entity: entity, insertInto: nil).setValue(nil, forKey: "wheels")
        }
    }

    @Test("B9: A class may be declared observable, and its properties are observed one by one")
    func classesAreObservable() throws {
        let context = try stack(model(entity("Bicycle", class: "Bicycle")))
        let bicycle = Bicycle(context: context)
        let changes = Changes()
        withObservationTracking {
            _ = bicycle.title
        } onChange: {
            changes.count += 1
        }
        bicycle.title = "a"
        #expect(changes.count == 1)
        #expect((bicycle as Any) is any Observable)
    }

    private final class Changes: @unchecked Sendable {
        var count = 0
    }

    @Test("A33, A44, B16: Objects, object IDs and conflicts have initializers without arguments")
    func objectsAreMadeOfNothing() {
        let object = NSManagedObject()
        #expect(object.entity.name == nil)
        #expect(object.managedObjectContext == nil)
        #expect(Unnamed().objectID.isTemporaryID)
        #expect(Scooter().value(forKey: "title") as? String == "new")
        #expect(Sledge().entity.name == "Sledge")
        #expect(NSManagedObjectID().isTemporaryID)
        #expect(NSManagedObjectID() != NSManagedObjectID())
        #expect(NSManagedObjectID().entity.name == nil)
        #expect(NSConstraintConflict().conflictingObjects.isEmpty)
        #expect(Unnamed.classForCoder() == Unnamed.self)
    }
}

private final class NotedStore: NSAtomicStore, @unchecked Sendable {
    let note: String

    init(note: String, at url: URL) {
        self.note = note
        super.init(persistentStoreCoordinator: nil, configurationName: nil, at: url, options: nil)
    }

    override init(
        persistentStoreCoordinator root: NSPersistentStoreCoordinator?, configurationName name: String?,
        at url: URL, options: [AnyHashable: Any]? = nil
    ) {
        note = "made by a coordinator"
        super.init(persistentStoreCoordinator: root, configurationName: name, at: url, options: options)
    }

    override var type: String { "Noted" }
    override func load() throws {}
    override func save() throws {}
    override func newReferenceObject(for managedObject: NSManagedObject) -> Any { UUID().uuidString }
}

/// Stores that programs write themselves.
@MainActor @Suite struct OwnStoreTests {
    @Test("A34: A store overrides its initializer and has others of its own")
    func storesHaveInitializersOfTheirOwn() throws {
        let folder = try TemporaryFolder()
        let url = folder.url.appendingPathComponent("Cars.noted")
        NSPersistentStoreCoordinator.registerStoreClass(
            NotedStore.self, type: NSPersistentStore.StoreType(rawValue: "Noted"))
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: CarStack.model())
        let store = try coordinator.addPersistentStore(
            ofType: "Noted", configurationName: nil, at: url, options: nil)
        #expect((store as? NotedStore)?.note == "made by a coordinator")
        #expect(NotedStore(note: "by hand", at: url).note == "by hand")
    }
}
