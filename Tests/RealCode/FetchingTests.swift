import CoreData
import Testing

private final class Truck: NSManagedObject {}

extension Truck {
    class func fetchRequest() -> NSFetchRequest<Truck> { NSFetchRequest<Truck>(entityName: "Truck") }
}

/// A delegate, without which a controller follows no changes.
private final class Follower: NSObject, NSFetchedResultsControllerDelegate {
    func controllerDidChangeContent(_ controller: NSFetchedResultsController<any NSFetchRequestResult>) {}
}

/// How requests and predicates are written.
@MainActor @Suite struct FetchingTests {
    @Test("B3: A class's own fetchRequest() is called where no type is written")
    func theOwnRequestIsTaken() {
        let request = Truck.fetchRequest()
        #expect(type(of: request) == NSFetchRequest<Truck>.self)
        #expect(request.entityName == "Truck")
    }

    @Test("A10: A results controller takes an empty list of sort descriptors")
    func resultsNeedNoOrder() throws {
        let stack = try CarStack()
        for number in 1...3 { stack.insert("Car", ["number": number]) }
        try stack.context.save()
        let request = NSFetchRequest<NSManagedObject>(entityName: "Car")
        request.sortDescriptors = []
        let controller = NSFetchedResultsController(
            fetchRequest: request, managedObjectContext: stack.context, sectionNameKeyPath: nil,
            cacheName: nil)
        let follower = Follower()
        controller.delegate = follower
        try controller.performFetch()
        #expect(controller.fetchedObjects?.count == 3)
        stack.insert("Car", ["number": 4])
        stack.context.processPendingChanges()
        #expect(controller.fetchedObjects?.count == 4)
    }

    @Test(
        "B7: Bitwise operators are parsed by their precedence, and evaluated in memory and in the store"
    )
    func bitwiseOperatorsAreParsed() throws {
        let predicate = try #require(NSPredicate(format: "(number & 1) > 0") as? NSComparisonPredicate)
        #expect(predicate.leftExpression.expressionType == .function)
        #expect(predicate.leftExpression.function == "bitwiseAnd:with:")
        #expect(predicate.leftExpression.arguments?.count == 2)
        // As in C: `6 | (1 ^ (3 & 2))`.
        #expect(NSExpression(format: "6 | 1 ^ 3 & 2").expressionValue(with: nil, context: nil) as? Int == 7)
        #expect(NSExpression(format: "(6 ^ 3)").function == "bitwiseXor:with:")
        #expect(NSExpression(format: "(6 | 3)").function == "bitwiseOr:with:")
        #expect(NSExpression(format: "1 + 2 & 6").expressionValue(with: nil, context: nil) as? Int == 2)

        let stack = try CarStack()
        for number in 1...4 { stack.insert("Car", ["number": number]) }
        try stack.context.save()
        let request = NSFetchRequest<NSManagedObject>(entityName: "Car")
        request.predicate = predicate
        #expect(Set(try stack.context.fetch(request).map { $0.value(forKey: "number") as? Int }) == [1, 3])
        let bare = try #require(NSPredicate(format: "number & 1 > 0") as? NSComparisonPredicate)
        #expect(bare == predicate)
    }
}
