import CoreData
import Testing

/// Which objects a request is about: subentities, stores, spellings of the entity.
@Suite struct FetchedEntityTests {
    private func names(
        _ context: NSManagedObjectContext, _ entity: String, subentities: Bool = true
    ) throws -> [String] {
        let request = NSFetchRequest<NSManagedObject>(entityName: entity)
        request.includesSubentities = subentities
        request.sortDescriptors = [NSSortDescriptor(key: "name", ascending: true)]
        let names = try context.fetch(request).map { "\($0.value(forKey: "name") ?? "nil")" }
        #expect(try context.count(for: request) == names.count)
        return names
    }

    @Test("A fetch includes subentities unless includesSubentities is false")
    func subentities() throws {
        let folder = try StoreFolder()
        try folder.open(Graph.model()).inContext { context in
            try context.insert("Node", ["name": "a"])
            try context.insert("Leaf", ["name": "b"])
            func check() throws {
                #expect(try names(context, "Node") == ["a", "b"])
                #expect(try names(context, "Node", subentities: false) == ["a"])
                #expect(try names(context, "Leaf") == ["b"])
                #expect(try names(context, "Leaf", subentities: false) == ["b"])
                #expect(try names(context, "Tag") == [])
            }
            try check()
            try context.save()
            try check()
        }
    }

    @Test("Only a request for the subentity may use the subentity's keys")
    func requestForASubentityHasItsKeys() throws {
        let folder = try StoreFolder()
        try folder.open(Graph.model()).inContext { context in
            try context.insert("Leaf", ["name": "a", "weight": 2.5])
            try context.save()
            #expect(
                try context.all("Leaf", by: "weight", where: NSPredicate(format: "weight > 2")).count == 1)
            let failure = try error {
                _ = try context.all("Node", where: NSPredicate(format: "weight > 2"))
            }
            #expect(failure.localizedDescription.contains("weight"))
            #expect(failure.localizedDescription.contains("Node"))
        }
    }

    @Test("A request may name its entity by class, by name or by description")
    func spellings() throws {
        try SampleBooks.stack().inContext { context throws in
            #expect(Book.entity().name == "Book")
            #expect(try context.fetch(Book.fetchRequest()).count == 6)
            #expect(try context.count(for: Book.fetchRequest()) == 6)
            let named = Author.fetchRequest()
            named.predicate = NSPredicate(format: "name != nil")
            #expect(
                try context.fetch(named).compactMap { ($0 as? Author)?.name }.sorted() == [
                    "Jane Austen", "Émile Zola",
                ])
            let request = NSFetchRequest<Book>()
            request.entity = NSEntityDescription.entity(forEntityName: "Book", in: context)
            #expect(request.entityName == "Book")
            #expect(try context.fetch(request).count == 6)
            request.entity = Library.model().entitiesByName["Book"]
            #expect(try context.fetch(request).count == 6)
        }
    }

    @Test("A request with no entity or an unknown entity is an error")
    func requestsWithoutAnEntity() throws {
        try SampleBooks.stack().inContext { context in
            let none = try error { _ = try context.fetch(NSFetchRequest<Book>()) }
            #expect(none.code == 134060 && none.localizedDescription.contains("entity"))
            let unknown = try error { _ = try context.fetch(NSFetchRequest<Book>(entityName: "Bok")) }
            #expect(unknown.code == 134060 && unknown.localizedDescription.contains("'Bok'"))
            #expect(NSEntityDescription.entity(forEntityName: "Bok", in: context) == nil)
        }
    }

    @Test("A fetch in a context without a coordinator is an error")
    func contextWithoutACoordinator() throws {
        let context = NSManagedObjectContext(.privateQueue)
        try context.performAndWait {
            let failure = try error { _ = try context.fetch(.books()) }
            #expect(failure.localizedDescription.contains("coordinator"))
        }
    }

    @Test("A fetch whose result type does not match the entity's class is an error")
    func resultOfAnotherType() throws {
        try SampleBooks.stack().inContext { context in
            let request = NSFetchRequest<Author>(entityName: "Book")
            let failure = try error { _ = try context.fetch(request) }
            #expect(failure.localizedDescription.contains("Author"))
            #expect(failure.localizedDescription.contains("Book"))
        }
    }

    @Test("A fetch merges the objects of two stores in order, or reads only the affected stores")
    func twoStores() throws {
        let folder = try StoreFolder()
        let files = ["1", "2"].map { folder.url.appendingPathComponent($0) }
        for (file, books) in zip(files, [["b": 2, "d": 4], ["a": 1, "c": 3]]) {
            let alone = NSPersistentStoreCoordinator(managedObjectModel: Library.model())
            try alone.addPersistentStore(type: .sqlite, at: file)
            try alone.inContext { context in
                for (title, pages) in books { SampleBooks.book(title, Int32(pages), nil, nil, context) }
                try context.save()
            }
            try alone.close()
        }
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: Library.model())
        try coordinator.addPersistentStore(type: .sqlite, at: files[0])
        let second = try coordinator.addPersistentStore(type: .sqlite, at: files[1])
        try coordinator.inContext { context in
            let request = NSFetchRequest<Book>.books(by: "-pages")
            #expect(try context.titles(request) == ["d", "c", "b", "a"])
            #expect(try context.count(for: request) == 4)
            request.fetchLimit = 2
            request.fetchOffset = 1
            #expect(try context.titles(request) == ["c", "b"])
            #expect(try context.count(for: request) == 2)
            let inSecond = NSFetchRequest<Book>.books(by: "pages")
            inSecond.affectedStores = [second]
            #expect(try context.titles(inSecond) == ["a", "c"])
            #expect(try context.count(for: inSecond) == 2)
            inSecond.affectedStores = []
            #expect(try context.titles(inSecond) == [])
            // Changed objects of a store that is not fetched from are not found either.
            try context.book("d").title = "d!"
            try context.book("c").title = "c!"
            inSecond.affectedStores = [second]
            #expect(try context.titles(inSecond) == ["a", "c!"])
            #expect(try context.count(for: inSecond) == 2)
        }
        try coordinator.close()
    }

    @Test("Objects are saved to the store whose configuration has their entity")
    func configurations() throws {
        let model = NSManagedObjectModel.of(
            .make("Local", [Library.attribute("name", .string)]),
            .make("Shared", [Library.attribute("name", .string)]))
        for name in ["Local", "Shared"] {
            model.setEntities(model.entities.filter { $0.name == name }, forConfigurationName: name)
        }
        let folder = try StoreFolder()
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        for name in ["Local", "Shared"] {
            try coordinator.addPersistentStore(
                type: .sqlite, configuration: name, at: folder.url.appendingPathComponent(name))
        }
        try coordinator.inContext { context in
            let local = try context.insert("Local", ["name": "l"])
            let shared = try context.insert("Shared", ["name": "s"])
            try context.save()
            #expect(local.objectID.persistentStore?.configurationName == "Local")
            #expect(shared.objectID.persistentStore?.configurationName == "Shared")
            #expect(try names(context, "Local") == ["l"])
            #expect(try names(context, "Shared") == ["s"])
        }
        try coordinator.close()
    }
}
