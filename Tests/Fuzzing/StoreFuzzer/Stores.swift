import CoreData
import FuzzerDriver
import StoreTools

/// Files of stores, and the queries to stores.
enum Stores {
    static var subjects: [FuzzedSubject] {
        [
            document("xml-stores", NSXMLStoreType, longestInput: 8192),
            document("binary-stores", NSBinaryStoreType, longestInput: 8192), database, fetches,
        ]
    }

    private static func document(_ name: String, _ type: String, longestInput: Int) -> FuzzedSubject {
        let folder = ScratchFolder()
        let model = Shelf.model(derives: false)
        return FuzzedSubject(name, longestInput: longestInput) { data in
            let file = try folder.file("Store", data)
            // Tools look at files which the store itself refuses.
            _ = try? DocumentContents(file, type: type).objects.map(\.valueCount)
            _ = try? NSPersistentStoreCoordinator.reconstructedModelForPersistentStore(
                ofType: type, at: file
            ).entityVersionHashesByName
            try use(file, type, model)
        }
    }

    private static var database: FuzzedSubject {
        let folder = ScratchFolder()
        let model = Shelf.model(derives: true)
        return FuzzedSubject("sqlite-stores", longestInput: 64 << 10, seconds: 30) { data in
            let file = try folder.file("Store.sqlite", data)
            _ = try? StoreCheck(file).findings().map(\.description)
            _ = try? NSPersistentStoreCoordinator.reconstructedModelForPersistentStore(
                ofType: NSSQLiteStoreType, at: file
            ).entityVersionHashesByName
            try use(file, NSSQLiteStoreType, model)
        }
    }

    /// Opens a store, reads every value, follows every relationship and saves changes. What was read is used once more
    /// when context and store are gone.
    private static func use(_ file: URL, _ type: String, _ model: NSManagedObjectModel) throws {
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        let store = try coordinator.addPersistentStore(
            ofType: type, configurationName: nil, at: file,
            options: [NSSQLitePragmasOption: ["synchronous": "OFF"]])
        defer { try? coordinator.remove(store) }
        var kept: [NSManagedObject] = []
        do {
            let context = NSManagedObjectContext(.privateQueue)
            context.persistentStoreCoordinator = coordinator
            context.mergePolicy = NSMergePolicy.mergeByPropertyObjectTrump
            try context.performAndWait {
                for name in ["Author", "Book"] {
                    for object in try context.fetch(NSFetchRequest<NSManagedObject>(entityName: name)) {
                        read(object)
                        object.setValue("changed", forKey: "name")
                        kept.append(object)
                    }
                    let new = NSEntityDescription.insertNewObject(forEntityName: name, into: context)
                    new.setValue("new", forKey: "name")
                }
                try context.save()
                if let first = kept.first { context.delete(first) }
                try context.save()
                context.refreshAllObjects()
                for object in kept.prefix(3) where !object.isDeleted {
                    _ = try? context.existingObject(with: object.objectID)
                }
            }
        }
        for object in kept {
            _ = (object.managedObjectContext, object.objectID.uriRepresentation(), object.description)
        }
    }

    private static func read(_ object: NSManagedObject) {
        for key in object.entity.attributesByName.keys { _ = object.value(forKey: key) }
        for (key, relationship) in object.entity.relationshipsByName {
            if relationship.isOrdered {
                _ = (object.value(forKey: key) as? NSOrderedSet)?.count
            } else if relationship.isToMany {
                _ = (object.value(forKey: key) as? NSSet)?.count
            } else {
                _ = (object.value(forKey: key) as? NSManagedObject)?.value(forKey: "name")
            }
        }
    }

    /// Predicates that a database and objects in memory evaluate.
    private static var fetches: FuzzedSubject {
        let folder = ScratchFolder()
        var contexts: [NSManagedObjectContext] = []
        return FuzzedSubject("fetches", longestInput: 512, seconds: 20) { data in
            guard let text = String(validating: data, as: UTF8.self) else { return }
            let predicate = try NSPredicate(parsing: text)
            if contexts.isEmpty {
                contexts = try [NSSQLiteStoreType, NSInMemoryStoreType].map { type in
                    try Shelf.filledContext(type, folder.url.appendingPathComponent("Shelf.sqlite"))
                }
            }
            for context in contexts {
                try? context.performAndWait {
                    let request = NSFetchRequest<NSManagedObject>(entityName: "Book")
                    request.predicate = predicate
                    _ = try context.fetch(request).count
                }
            }
        }
    }
}
