import CoreData

/// Search on the canonical form of titles, which a derived attribute keeps, against a search that folds every title.
enum Search {
    static func model() -> NSManagedObjectModel {
        let title = NSAttributeDescription()
        title.name = "title"
        title.type = .string
        let canonical = NSDerivedAttributeDescription()
        canonical.name = "canonicalTitle"
        canonical.type = .string
        canonical.derivationExpression = NSExpression(format: "canonical:(title)")
        let entity = NSEntityDescription()
        entity.name = "Book"
        entity.properties = [title, canonical]
        let model = NSManagedObjectModel()
        model.entities = [entity]
        return model
    }

    static let words = [
        "Über", "Être", "Żółw", "Straße", "Naïveté", "São", "Über", "señor", "Мёртвые", "души", "Ίλιον",
        "Ødegård",
        "the", "history", "of", "the", "little", "house", "garden", "winter",
    ]

    /// A title that is the same in every run.
    static func title(_ index: Int) -> String {
        var state =
            UInt64(truncatingIfNeeded: index) &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return (0..<5).map { _ in
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return words[Int(state >> 33) % words.count]
        }.joined(separator: " ") + " \(index)"
    }

    static func searching(_ count: Int, _ folder: Folder) throws -> Workload {
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model())
        try coordinator.addPersistentStore(type: .sqlite, at: folder.file("search.sqlite"))
        for start in stride(from: 0, to: count, by: 20_000) {
            let context = NSManagedObjectContext(.privateQueue)
            context.persistentStoreCoordinator = coordinator
            try context.performAndWait {
                for index in start..<min(start + 20_000, count) {
                    let book = NSEntityDescription.insertNewObject(forEntityName: "Book", into: context)
                    book.setValue(title(index), forKey: "title")
                }
                try context.save()
            }
        }
        func matches(_ predicate: NSPredicate) throws -> Int {
            let context = NSManagedObjectContext(.privateQueue)
            context.persistentStoreCoordinator = coordinator
            return try context.performAndWait {
                let request = NSFetchRequest<NSManagedObject>(entityName: "Book")
                request.predicate = predicate
                return try context.count(for: request)
            }
        }
        return Workload(
            name: "search 12345 in \(count) titles",
            contestants: [
                .init(name: "canonicalTitle CONTAINS") {
                    try matches(NSPredicate(format: "canonicalTitle CONTAINS %@", "uber 12345"))
                },
                .init(name: "title CONTAINS[cd]") {
                    try matches(NSPredicate(format: "title CONTAINS[cd] %@", "uber 12345"))
                },
            ],
            goals: [.ratio("canonicalTitle CONTAINS", to: "title CONTAINS[cd]", 0.2)])
    }
}
