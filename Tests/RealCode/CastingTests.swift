import CoreData
import Testing

private final class Lorry: NSManagedObject {}

extension Lorry {
    class func fetchRequest() -> NSFetchRequest<Lorry> { NSFetchRequest<Lorry>(entityName: "Lorry") }
}

/// What Apple's programs get by casts between types of requests, which have no type parameters at run time there.
@MainActor @Suite struct CastingTests {
    @Test("A1: A request cast to another type shares its settings and is equal to it")
    func aCastSharesSettings() throws {
        let request = NSFetchRequest<NSManagedObject>(entityName: "Car")
        let any = try #require(NSFetchRequest<any NSFetchRequestResult>.cast(request))
        #expect(any == request)
        #expect(any.hashValue == request.hashValue)
        any.fetchLimit = 2
        request.predicate = NSPredicate(value: true)
        #expect(request.fetchLimit == 2)
        #expect(any.predicate == NSPredicate(value: true))
        #expect(any.entityName == "Car")
        #expect(NSFetchRequest<NSManagedObject>.cast(request) === request)
        #expect(NSFetchRequest<NSManagedObject>.cast(any as NSPersistentStoreRequest) == request)
        let copy = try #require(any.copy() as? NSFetchRequest<any NSFetchRequestResult>)
        #expect(copy != any)
        copy.fetchLimit = 3
        #expect(request.fetchLimit == 2)
    }

    @Test("Only a request is cast to one")
    func othersAreNotCast() {
        #expect(NSFetchRequest<NSManagedObject>.cast(nil) == nil)
        #expect(NSFetchRequest<NSManagedObject>.cast("Car") == nil)
        #expect(NSFetchRequest<NSManagedObject>.cast(NSBatchDeleteRequest(objectIDs: [])) == nil)
        #expect(NSFetchedResultsController<NSManagedObject>.cast(NSObject()) == nil)
    }

    @Test("Stores that a request cast to another type is limited to are those of the request")
    func affectedStoresAreShared() throws {
        let stack = try CarStack()
        let request = NSFetchRequest<NSManagedObject>(entityName: "Car")
        let numbers = try #require(NSFetchRequest<NSNumber>.cast(request))
        request.affectedStores = stack.container.persistentStoreCoordinator.persistentStores
        #expect(numbers.affectedStores?.count == 1)
    }

    @Test("A request cast to another type is executed")
    func aCastIsExecuted() throws {
        let stack = try CarStack()
        for number in 1...3 { stack.insert("Car", ["number": number]) }
        try stack.context.save()
        let request = NSFetchRequest<NSManagedObject>(entityName: "Car")
        request.predicate = NSPredicate(format: "number > 1")
        request.resultType = .managedObjectIDResultType
        let ids = try #require(NSFetchRequest<NSManagedObjectID>.cast(request))
        #expect(try stack.context.fetch(ids).count == 2)
        request.resultType = .dictionaryResultType
        request.propertiesToFetch = ["number"]
        let rows = try #require(NSFetchRequest<NSDictionary>.cast(request))
        #expect(Set(try stack.context.fetch(rows).map { $0["number"] as? Int }) == [2, 3])
    }

    @Test("A1: A batch deletion and a template take requests of any type")
    func requestsOfAnyTypeAreTaken() throws {
        let folder = try TemporaryFolder()
        let stack = try CarStack(storeAt: folder.url.appendingPathComponent("Cars.sqlite"))
        for number in 1...3 { stack.insert("Car", ["number": number]) }
        try stack.context.save()
        let request = NSFetchRequest<NSManagedObject>(entityName: "Car")
        request.predicate = NSPredicate(format: "number > 1")
        let deletion = NSBatchDeleteRequest(fetchRequest: request)
        deletion.resultType = .resultTypeCount
        #expect((try stack.context.execute(deletion) as? NSBatchDeleteResult)?.result as? Int == 2)
        #expect(deletion.fetchRequest.predicate == request.predicate)
        let model = CarStack.model()
        model.setFetchRequestTemplate(request, forName: "large")
        #expect(model.fetchRequestTemplate(forName: "large")?.predicate == request.predicate)
    }

    @Test("B3: A batch deletion takes a class's own request")
    func ownRequestsAreTaken() {
        #expect(NSBatchDeleteRequest(fetchRequest: Lorry.fetchRequest()).fetchRequest.entityName == "Lorry")
        let any: NSFetchRequest<any NSFetchRequestResult> = Lorry.fetchRequest()
        #expect(NSBatchDeleteRequest(fetchRequest: any).fetchRequest.predicate == nil)
    }

    @Test("A results controller cast to another type shows the same results")
    func aControllerIsCast() throws {
        let stack = try CarStack()
        stack.insert("Car", ["number": 1])
        try stack.context.save()
        let request = NSFetchRequest<NSManagedObject>(entityName: "Car")
        request.sortDescriptors = [NSSortDescriptor(key: "number", ascending: true)]
        let controller = NSFetchedResultsController(
            fetchRequest: request, managedObjectContext: stack.context, sectionNameKeyPath: nil,
            cacheName: nil)
        try controller.performFetch()
        let any = try #require(NSFetchedResultsController<any NSFetchRequestResult>.cast(controller))
        #expect(any == controller)
        #expect(any.fetchedObjects?.count == 1)
        #expect(NSFetchedResultsController<NSManagedObject>.cast(any)?.fetchedObjects?.count == 1)
    }
}
