import CoreData
import Foundation
import GRDB

/// Opening a store of many entities.
enum Opening {
    static func entities(_ count: Int, _ folder: Folder) throws -> Workload {
        func makeModel() -> NSManagedObjectModel {
            let model = NSManagedObjectModel()
            model.entities = (0..<count).map { index in
                let entity = NSEntityDescription()
                entity.name = "Entity\(index)"
                entity.properties = ["name", "note", "code", "date"].enumerated().map { position, name in
                    let attribute = NSAttributeDescription()
                    attribute.name = name
                    attribute.type = [.string, .string, .integer64, .date][position]
                    return attribute
                }
                return entity
            }
            return model
        }
        let file = folder.file("entities.sqlite")
        let made = try NSPersistentStoreCoordinator.opening(file, makeModel())
        _ = try made.closingOnlyStore()
        // An application has its model before it opens a store.
        let models = Models(makeModel)
        return Workload(
            name: "open a store of \(count) entities",
            contestants: [
                .init(name: "SQLite, schema read") {
                    let queue = try DatabaseQueue(path: file.path)
                    let tables = try queue.read {
                        try Int.fetchOne(
                            $0, sql: "SELECT COUNT(*) FROM sqlite_master WHERE name LIKE 'ZENTITY%'")
                    }
                    return tables ?? 0
                },
                .init(name: "CoreData store", prepare: models.prepare) {
                    let coordinator = try NSPersistentStoreCoordinator.opening(file, models.next)
                    return coordinator.managedObjectModel.entities.count
                },
            ],
            goals: [.each("CoreData store", of: 1, 15, .milliseconds, less: "SQLite, schema read")])
    }

    private final class Models {
        private let make: () -> NSManagedObjectModel
        var next: NSManagedObjectModel

        init(_ make: @escaping () -> NSManagedObjectModel) {
            self.make = make
            next = make()
        }

        func prepare() { next = make() }
    }
}
