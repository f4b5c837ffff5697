import CoreData

// Migrations, whole stores that come, go and change places, and documents.

extension Scenario {
    private static let other = "Other.sqlite"
    private static let two = [
        StoreFile(name: Stage.mainName, type: .sqlite), StoreFile(name: other, type: .sqlite),
    ]
    private static var migrating: [String: Any] {
        [
            NSMigratePersistentStoresAutomaticallyOption: true, NSInferMappingModelAutomaticallyOption: true,
        ]
    }

    /// Expects an error.
    private static func refuse(_ body: () throws -> Void) throws {
        do { try body() } catch { return }
        throw TortureError("A store that is open was not spared.")
    }

    static let migrations = [
        Scenario("lightweight-migration", prepare: { try Contents.make($0, withCovers: true) }) { stage in
            try stage.step(isDurable: true) {
                try stage.open(TortureModel.second, options: stage.options(migrating))
            }
            try stage.step { try stage.context().change { $0.make("Shelf", "first") } }
        },
        Scenario(
            "manager-migration", files: two, prepare: { try Contents.make($0, withCovers: true) }
        ) { stage in
            try stage.step(isDurable: true) {
                let manager = NSMigrationManager(
                    sourceModel: TortureModel.first, destinationModel: TortureModel.second)
                let mapping = try NSMappingModel.inferredMappingModel(
                    forSourceModel: TortureModel.first, destinationModel: TortureModel.second)
                try manager.migrateStore(
                    from: stage.main, type: .sqlite, mapping: mapping, to: stage.url(other), type: .sqlite)
            }
        },
    ]

    static let files = [
        Scenario(
            "replace", files: two,
            prepare: { stage in
                try Contents.make(stage, withCovers: true)
                try Contents.make(stage, TortureModel.first, other, marks: "!", withCovers: true)
            }
        ) { stage in
            try stage.step(isDurable: true) {
                try NSPersistentStoreCoordinator(managedObjectModel: TortureModel.first)
                    .replacePersistentStore(
                        at: stage.main, withPersistentStoreFrom: stage.url(other), type: .sqlite)
            }
        },
        Scenario("replace-missing", files: two, prepare: { try Contents.make($0, withCovers: true) }) {
            stage in
            try stage.step(isDurable: true) {
                try NSPersistentStoreCoordinator(managedObjectModel: TortureModel.first)
                    .replacePersistentStore(
                        at: stage.url(other), withPersistentStoreFrom: stage.main, type: .sqlite)
            }
        },
        Scenario("destroy", prepare: { try Contents.make($0, withCovers: true) }) { stage in
            try stage.step(isDurable: true) {
                try NSPersistentStoreCoordinator(managedObjectModel: TortureModel.first)
                    .destroyPersistentStore(
                        at: stage.main, type: .sqlite)
            }
        },
        // While others have it open, a store stays, whatever keeps that from being found out.
        Scenario("destroy-in-use", prepare: { try Contents.make($0, withCovers: true) }) { stage in
            let other = try stage.foreignConnection()
            try stage.step {
                try refuse {
                    try NSPersistentStoreCoordinator(managedObjectModel: TortureModel.first)
                        .destroyPersistentStore(
                            at: stage.main, type: .sqlite, options: [NSPersistentStoreTimeoutOption: 0])
                }
            }
            try other.close()
            try stage.open()
            try stage.step { try stage.context().change { $0.make("Tag", "after") } }
        },
        Scenario(
            "replace-in-use", files: two,
            prepare: { stage in
                try Contents.make(stage, withCovers: true)
                try Contents.make(stage, TortureModel.first, other, marks: "!", withCovers: true)
            }
        ) { stage in
            let holder = try stage.foreignConnection()
            try stage.step {
                try refuse {
                    try NSPersistentStoreCoordinator(managedObjectModel: TortureModel.first)
                        .replacePersistentStore(
                            at: stage.main, destinationOptions: [NSPersistentStoreTimeoutOption: 0],
                            withPersistentStoreFrom: stage.url(other), type: .sqlite)
                }
            }
            try holder.close()
            try stage.open()
            try stage.step { try stage.context().change { $0.make("Tag", "after") } }
        },
        Scenario("copy", files: two, prepare: { try Contents.make($0, withCovers: true) }) { stage in
            let store = try stage.open()
            try stage.step(isDurable: true) {
                try stage.coordinator?.migratePersistentStore(
                    store, to: stage.url(other), options: stage.options(), type: .sqlite)
            }
            try stage.step { try stage.context().change { $0.make("Tag", "in the copy") } }
        },
        Scenario(
            "copy-to-document",
            files: [.init(name: Stage.mainName, type: .sqlite), .init(name: "Store.xml", type: .xml)],
            prepare: { try Contents.make($0, TortureModel.document) }
        ) { stage in
            let store = try stage.open(TortureModel.document)
            try stage.step(isDurable: true) {
                try stage.coordinator?.migratePersistentStore(store, to: stage.url("Store.xml"), type: .xml)
            }
            try stage.step(isDurable: true) { try stage.context().change { $0.make("Tag", "in the copy") } }
        },
        Scenario(
            "copy-from-document",
            files: [.init(name: Stage.mainName, type: .sqlite), .init(name: "Store.binary", type: .binary)],
            prepare: { try Contents.make($0, TortureModel.document, "Store.binary", type: .binary) }
        ) { stage in
            let store = try stage.open(TortureModel.document, "Store.binary", type: .binary)
            try stage.step(isDurable: true) {
                try stage.coordinator?.migratePersistentStore(
                    store, to: stage.main, options: stage.options(), type: .sqlite)
            }
            try stage.step { try stage.context().change { $0.make("Tag", "in the copy") } }
        },
    ]

    static let documents = [NSPersistentStore.StoreType.xml, .binary].flatMap { type -> [Scenario] in
        let kind = type == .xml ? "xml" : "binary"
        let name = "Store.\(kind)"
        let file = [StoreFile(name: name, type: type)]
        return [
            Scenario("\(kind)-create", files: file, usesSQLite: false, repeats: true) { stage in
                try stage.step(isDurable: true) { try stage.open(TortureModel.document, name, type: type) }
                try stage.step(isDurable: true) { try stage.context().change { $0.make("Author", "First") } }
            },
            Scenario(
                "\(kind)-save", files: file, usesSQLite: false, repeats: true,
                prepare: { try Contents.make($0, TortureModel.document, name, type: type) }
            ) { stage in
                let store = try stage.open(TortureModel.document, name, type: type)
                let context = stage.context()
                for number in 1...3 {
                    try stage.step(isDurable: true) {
                        store.metadata["TortureNumber"] = number
                        try context.change { context in
                            context.make("Author", "A\(number)")
                            try context.get("Book", "Ann1").setValue(number, forKey: "pages")
                        }
                    }
                }
                try stage.step(isDurable: true) {
                    try context.change { $0.delete(try $0.get("Author", "Ben")) }
                }
            },
            Scenario(
                "\(kind)-metadata", files: file, usesSQLite: false,
                prepare: { try Contents.make($0, TortureModel.document, name, type: type) }
            ) { stage in
                try stage.step(isDurable: true) {
                    try NSPersistentStoreCoordinator.setMetadata(
                        ["TortureNumber": 1], type: type, at: stage.url(name))
                }
            },
            Scenario(
                "\(kind)-replace", files: file + [StoreFile(name: "Other.\(kind)", type: type)],
                usesSQLite: false,
                prepare: { stage in
                    try Contents.make(stage, TortureModel.document, name, type: type)
                    try Contents.make(stage, TortureModel.document, "Other.\(kind)", type: type, marks: "!")
                }
            ) { stage in
                let coordinator = NSPersistentStoreCoordinator(managedObjectModel: TortureModel.document)
                try stage.step(isDurable: true) {
                    try coordinator.replacePersistentStore(
                        at: stage.url(name), withPersistentStoreFrom: stage.url("Other.\(kind)"), type: type)
                }
                try stage.step(isDurable: true) {
                    try coordinator.destroyPersistentStore(at: stage.url("Other.\(kind)"), type: type)
                }
            },
        ]
    }
}
