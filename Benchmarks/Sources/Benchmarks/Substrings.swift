import CoreData
import Foundation

/// Parts of titles, found by the index of their trigrams, against a look at every title.
enum Substrings {
    private static func model(isIndexed: Bool) -> NSManagedObjectModel {
        let title = NSAttributeDescription()
        title.name = "title"
        title.type = .string
        if isIndexed { title.userInfo = ["OpenCoreDataTrigramIndex": "YES"] }
        let entity = NSEntityDescription()
        entity.name = "Book"
        entity.properties = [title]
        let model = NSManagedObjectModel()
        model.entities = [entity]
        return model
    }

    private static func coordinator(_ file: URL, isIndexed: Bool) throws -> NSPersistentStoreCoordinator {
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model(isIndexed: isIndexed))
        try coordinator.addPersistentStore(
            type: .sqlite, at: file, options: [NSPersistentHistoryTrackingKey: true])
        return coordinator
    }

    static func containing(_ count: Int, _ folder: Folder) throws -> Workload {
        let file = folder.file("substrings.sqlite")
        let indexed = try coordinator(file, isIndexed: true)
        let context = NSManagedObjectContext(.privateQueue)
        context.persistentStoreCoordinator = indexed
        try context.performAndWait {
            for start in stride(from: 0, to: count, by: 20_000) {
                let titles = (start..<min(start + 20_000, count)).map { ["title": Search.title($0)] }
                try context.execute(NSBatchInsertRequest(entityName: "Book", objects: titles))
            }
        }
        for progress in try indexed.startSearchIndexing() {
            while !progress.isFinished { Thread.sleep(forTimeInterval: 0.01) }
        }
        indexed.stopSearchIndexing()
        let plain = try coordinator(file, isIndexed: false)

        func matches(_ format: String, _ part: String, _ coordinator: NSPersistentStoreCoordinator) throws
            -> Int
        {
            let context = NSManagedObjectContext(.privateQueue)
            context.persistentStoreCoordinator = coordinator
            return try context.performAndWait {
                let request = NSFetchRequest<NSManagedObject>(entityName: "Book")
                request.predicate = NSPredicate(format: format, part)
                return try context.fetch(request).count
            }
        }
        func both(_ coordinator: NSPersistentStoreCoordinator) throws -> Int {
            try matches("title CONTAINS[cd] %@", "UBER 12345", coordinator)
                + matches("title LIKE[cd] %@", "*traße 54321*", coordinator)
        }
        return Workload(
            name: "CONTAINS[cd] and LIKE[cd] in \(count) titles",
            contestants: [
                .init(name: "trigram index") { try both(indexed) },
                .init(name: "every title") { try both(plain) },
            ],
            goals: [.ratio("trigram index", to: "every title", 0.05)])
    }
}
