import CoreData
import Dispatch
import Testing

/// What several threads may read while one sets it.
@Suite struct SharedDescriptionTests {
    private static func model() -> NSManagedObjectModel {
        NSManagedObjectModel(of: NSEntityDescription("Item", attribute("name", .string)))
    }

    @Test("A coordinator's name can be set while other threads read it")
    func names() {
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: Self.model())
        coordinator.name = "first"
        DispatchQueue.concurrentPerform(iterations: 200) { index in
            if index % 4 == 0 { coordinator.name = "a name that is too long for a word, \(index)" }
            #expect(coordinator.name != nil)
        }
    }

    @Test("A model can be read by several threads while a coordinator begins to use it")
    func models() {
        for _ in 0..<20 {
            let model = Self.model()
            DispatchQueue.concurrentPerform(iterations: 8) { index in
                if index == 4 { _ = NSPersistentStoreCoordinator(managedObjectModel: model) }
                #expect(model.entitiesByName["Item"]?.attributesByName["name"] != nil)
                #expect(model.entityVersionHashesByName.count == 1)
            }
        }
    }

    @Test("A store can be read while its URL changes")
    func files() throws {
        let folder = try StoreFolder()
        let other = folder.url.appendingPathComponent("Other.sqlite")
        let coordinator = try folder.open(Self.model())
        try coordinator.inContext { context in
            try context.insert("Item", ["name": "one"])
            try context.save()
        }
        try NSPersistentStoreCoordinator(managedObjectModel: coordinator.managedObjectModel)
            .replacePersistentStore(
                at: other, withPersistentStoreFrom: folder.file, type: .sqlite)
        let store = try #require(coordinator.persistentStores.first)
        DispatchQueue.concurrentPerform(iterations: 4) { index in
            for round in 0..<25 {
                if index == 0 {
                    store.url = round % 2 == 0 ? other : folder.file
                } else {
                    // A read may find the file closed, which is an error and nothing else.
                    let context = coordinator.context()
                    let names = context.performAndWait {
                        try? context.all("Item").map { $0.value(forKey: "name") as? String }
                    }
                    #expect(names == nil || names == ["one"])
                }
            }
        }
        #expect(try coordinator.inContext { try $0.only("Item").value(forKey: "name") as? String } == "one")
    }
}
