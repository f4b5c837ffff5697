import CoreData
import Testing

/// `AppleSources/Idioms.swift` as it is; its classes are found and its observers called.
@MainActor @Suite struct PortedIdiomTests {
    private let context: NSManagedObjectContext

    init() throws {
        let model = NSManagedObjectModel()
        model.entities = [try #require(Gadget.entity().copy() as? NSEntityDescription)]
        context = NSManagedObjectContext(concurrencyType: .mainQueueConcurrencyType)
        context.persistentStoreCoordinator = try .inMemory(model)
    }

    @Test("A class of another name is found, and overrides in its extension are called")
    func overridesOfExtensionsAreCalled() throws {
        let gadget = Gadget(context: context)
        gadget.name = "lamp"
        try context.save()
        #expect(gadget.events == ["awake", "willSave"])
        #expect(gadget.value(forKey: "label") as? String == "gadget lamp")
        #expect(Gadget.keyPathsForValuesAffectingValue(forKey: "label") == ["name"])
        let inserted = NSEntityDescription.insertNewObject(forEntityName: "Gadget", into: context)
        #expect(inserted is Gadget)
    }

    @Test("An override of setNilValueForKey(_:) is called for a property of a scalar type")
    func nilForAScalar() {
        let gadget = Gadget(context: context)
        gadget.setValue(2, forKey: "rank")
        gadget.setValue(nil, forKey: "rank")
        #expect(gadget.events == ["awake", "rank 2", "rank 0"])
    }

    @Test("A property named primitive is an attribute of its own")
    func primitiveIsAName() throws {
        let gadget = Gadget(context: context)
        gadget.primitiveKind = "a"
        try context.save()
        #expect(gadget.value(forKey: "primitiveKind") as? String == "a")
        #expect(NSSortDescriptor(keyPath: \Gadget.primitiveKind, ascending: true).key == "primitiveKind")
        #expect(Requests.name(of: \Gadget.name) == "name")
        #expect(Requests.name(of: \Gadget.self) == "self")
    }

    @Test("Fetch requests are cast between result types")
    func requestsAreCast() throws {
        _ = Gadget(context: context)
        try context.save()
        let erased = Requests.erased(Gadget.all)
        #expect(try context.fetch(erased).count == 1)
        #expect(try context.fetch(try #require(Requests.objects(erased))).first is Gadget)
        #expect(Requests.objects(NSBatchDeleteRequest(objectIDs: [])) == nil)
        #expect(Requests.deletion(context).fetchRequest.entityName == "Gadget")
        #expect(Requests.transformer("none") == nil)
    }

    @Test("Observers by selector are called")
    func observersAreCalled() throws {
        let follower = GadgetFollower(context)
        _ = Gadget(context: context)
        try context.save()
        follower.stop()
        _ = Gadget(context: context)
        try context.save()
        #expect(follower.heard == ["will save", "did save 1", "did save 1"])
    }

    @Test("Foundation modules that are separate on this platform are imported")
    func partsOfFoundationAreImported() {
        #expect(GadgetReader.names(in: "<a name='x'><b name='y'/></a>") == ["x", "y"])
    }

    @Test("A store with a custom initializer is instantiated")
    func storesAreMade() {
        let url = FileManager.default.temporaryDirectory.appendingPathComponent("none")
        #expect(ListStore(list: ["a"], at: url).list == ["a"])
    }
}
