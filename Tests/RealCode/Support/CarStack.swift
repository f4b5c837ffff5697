import CoreData

/// A stack of cars and their owners in memory, made in code as tests of libraries make it.
@MainActor struct CarStack {
    let container: NSPersistentContainer
    var context: NSManagedObjectContext { container.viewContext }

    /// - Parameter subentity: an entity that inherits from `Car`.
    init(
        storeAt url: URL? = nil, type: String = NSSQLiteStoreType, options: [String: NSObject] = [:],
        adding subentity: NSEntityDescription? = nil, model: NSManagedObjectModel = Self.model()
    ) throws {
        if let subentity {
            model.entitiesByName["Car"]?.subentities = [subentity]
            model.entities.append(subentity)
        }
        container = NSPersistentContainer(name: "Cars", managedObjectModel: model)
        let description = NSPersistentStoreDescription()
        description.type = type
        if let url { description.url = url }
        for (key, option) in options { description.setOption(option, forKey: key) }
        container.persistentStoreDescriptions = [description]
        var failure: (any Error)?
        container.loadPersistentStores { _, error in failure = error }
        if let failure { throw failure }
    }

    static func model() -> NSManagedObjectModel {
        let car = NSEntityDescription()
        car.name = "Car"
        let owner = NSEntityDescription()
        owner.name = "Owner"
        let maker = attribute("maker", .stringAttributeType)
        let number = attribute("number", .integer64AttributeType)
        let name = attribute("name", .stringAttributeType)
        let carOwner = NSRelationshipDescription()
        carOwner.name = "owner"
        carOwner.maxCount = 1
        carOwner.destinationEntity = owner
        let cars = NSRelationshipDescription()
        cars.name = "cars"
        cars.destinationEntity = car
        cars.inverseRelationship = carOwner
        carOwner.inverseRelationship = cars
        car.properties = [maker, number, carOwner]
        owner.properties = [name, cars]
        let model = NSManagedObjectModel()
        model.entities = [car, owner]
        return model
    }

    private static func attribute(_ name: String, _ type: NSAttributeType) -> NSAttributeDescription {
        let attribute = NSAttributeDescription()
        attribute.name = name
        attribute.attributeType = type
        return attribute
    }

    @discardableResult
    func insert(_ entity: String, _ values: [String: Any] = [:]) -> NSManagedObject {
        let object = NSEntityDescription.insertNewObject(forEntityName: entity, into: context)
        object.setValuesForKeys(values)
        return object
    }
}

/// A folder for one test's files, removed when the test ends.
final class TemporaryFolder {
    let url: URL

    init() throws {
        url = FileManager.default.temporaryDirectory.appendingPathComponent("RealCode-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(at: url) }
}
