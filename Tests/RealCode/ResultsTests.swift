import CoreData
import Testing

/// Keeps the reports of a results controller.
private final class Listener: NSObject, NSFetchedResultsControllerDelegate {
    var changes: [NSFetchedResultsChangeType] = []
    var deletedSections: [(name: String, count: Int, objects: Int?)] = []

    func controller(
        _ controller: NSFetchedResultsController<any NSFetchRequestResult>, didChange anObject: Any,
        at indexPath: IndexPath?, for type: NSFetchedResultsChangeType, newIndexPath: IndexPath?
    ) {
        changes.append(type)
    }

    func controller(
        _ controller: NSFetchedResultsController<any NSFetchRequestResult>,
        didChange sectionInfo: any NSFetchedResultsSectionInfo, atSectionIndex sectionIndex: Int,
        for type: NSFetchedResultsChangeType
    ) {
        guard type == .delete else { return }
        deletedSections.append((sectionInfo.name, sectionInfo.numberOfObjects, sectionInfo.objects?.count))
    }
}

/// The reports to delegates of results controllers.
@MainActor @Suite struct ResultsTests {
    private func controller(_ stack: CarStack, _ listener: Listener) throws -> NSFetchedResultsController<
        NSManagedObject
    > {
        let request = NSFetchRequest<NSManagedObject>(entityName: "Car")
        request.sortDescriptors = [NSSortDescriptor(key: "maker", ascending: true)]
        let controller = NSFetchedResultsController(
            fetchRequest: request, managedObjectContext: stack.context, sectionNameKeyPath: "maker",
            cacheName: nil)
        controller.delegate = listener
        try controller.performFetch()
        return controller
    }

    @Test("A17: A reset is not reported to the delegate; later changes are")
    func reset() throws {
        let stack = try CarStack()
        for maker in ["a", "b"] { stack.insert("Car", ["maker": maker]) }
        try stack.context.save()
        let listener = Listener()
        let controller = try controller(stack, listener)
        stack.context.reset()
        #expect(listener.changes.isEmpty)
        #expect(controller.fetchedObjects?.count == 2)
        stack.insert("Car", ["maker": "c"])
        stack.context.processPendingChanges()
        #expect(listener.changes == [.insert])
        #expect(controller.fetchedObjects?.count == 3)
    }

    @Test("A32: A deleted section has no objects when it is reported to the delegate")
    func deletedSections() throws {
        let stack = try CarStack()
        let car = stack.insert("Car", ["maker": "a"])
        stack.insert("Car", ["maker": "b"])
        try stack.context.save()
        let listener = Listener()
        let controller = try controller(stack, listener)
        stack.context.delete(car)
        stack.context.processPendingChanges()
        #expect(listener.deletedSections.map(\.name) == ["a"])
        #expect(listener.deletedSections.map(\.count) == [0])
        #expect(listener.deletedSections.map(\.objects) == [0])
        #expect(controller.sections?.count == 1)
    }
}
