import CoreData
import Synchronization
import Testing

/// Fetches whose store is read on another thread.
struct AsynchronousFetchTests {
    private let folder: StoreFolder
    private let coordinator: NSPersistentStoreCoordinator

    init() throws {
        folder = try StoreFolder()
        coordinator = try folder.open(BatchModel.model())
        try coordinator.inContext { context in
            let rows = (0..<3000).map { ["name": "product \($0)", "price": Double($0)] as [String: Any] }
            try context.execute(NSBatchInsertRequest(entityName: "Product", objects: rows))
        }
    }

    /// A fetch of the cheapest products.
    private func cheap(_ limit: Int = 0) -> NSFetchRequest<NSManagedObject> {
        let request = NSFetchRequest<NSManagedObject>(entityName: "Product")
        request.predicate = NSPredicate(format: "price < 5")
        request.sortDescriptors = [NSSortDescriptor(key: "price", ascending: true)]
        request.fetchLimit = limit
        return request
    }

    /// What a fetch ends with, after a block of the same event; the state of the result when `execute` had returned.
    private func outcome<T: Sendable>(
        _ context: NSManagedObjectContext, _ fetch: @escaping () -> NSFetchRequest<NSManagedObject>,
        then body: @escaping (NSAsynchronousFetchResult<NSManagedObject>) throws -> Void = { _ in },
        _ read: @escaping (NSAsynchronousFetchResult<NSManagedObject>) -> T
    ) async throws -> T {
        try await withCheckedThrowingContinuation { continuation in
            context.perform {
                do {
                    let request = NSAsynchronousFetchRequest(fetchRequest: fetch()) { result in
                        continuation.resume(returning: read(result))
                    }
                    let result = try #require(
                        try context.execute(request) as? NSAsynchronousFetchResult<NSManagedObject>)
                    #expect(result.finalResult == nil && result.operationError == nil)
                    #expect(result.fetchRequest === request && result.managedObjectContext === context)
                    try body(result)
                } catch {
                    Issue.record(error)
                }
            }
        }
    }

    private func names(_ result: NSAsynchronousFetchResult<NSManagedObject>) -> [String] {
        (result.finalResult ?? []).map { $0.value(forKey: "name") as? String ?? "?" }
    }

    @Test("An asynchronous fetch returns its objects in order and finishes its progress")
    func resultComesOnTheContextQueue() async throws {
        let context = coordinator.context()
        let found = try await outcome(context, { cheap() }) { result in
            #expect(result.operationError == nil)
            #expect(result.progress?.isFinished == true && result.progress?.totalUnitCount == 5)
            return names(result)
        }
        #expect(found == (0..<5).map { "product \($0)" })
    }

    @Test("An asynchronous fetch includes unsaved changes")
    func unsavedChangesCount() async throws {
        let context = coordinator.context()
        let found = try await outcome(context, { cheap(3) }) { _ in
            try context.insert("Product", ["name": "new", "price": 0.5])
            let first = try #require(
                try context.all("Product", where: NSPredicate(format: "price == 1")).first)
            context.delete(first)
        } _: {
            names($0)
        }
        #expect(found == ["product 0", "new", "product 2"])
    }

    @Test("An asynchronous fetch includes changes saved while it ran")
    func changesSavedMeanwhileCount() async throws {
        let context = coordinator.context()
        let found = try await outcome(context, { cheap() }) { _ in
            let gone = try #require(
                try context.all("Product", where: NSPredicate(format: "price == 1")).first)
            context.delete(gone)
            try context.insert("Product", ["name": "new", "price": 0.5])
            try context.save()
        } _: {
            names($0)
        }
        #expect(found == ["product 0", "new", "product 2", "product 3", "product 4"])
    }

    /// What was read ahead does not count when unsaved changes ask for more: the objects come as faults, and their rows
    /// batch by batch.
    @Test(
        "A batched asynchronous fetch reads rows ahead only without pending deletions",
        arguments: [false, true])
    func batchesAreReadTogether(needsMore: Bool) async throws {
        let context = coordinator.context()
        let coordinator = coordinator
        let (found, reads) = try await outcome(context) {
            let request = NSFetchRequest<NSManagedObject>(entityName: "Product")
            request.sortDescriptors = [NSSortDescriptor(key: "price", ascending: true)]
            request.fetchLimit = 100
            request.fetchBatchSize = 20
            return request
        } then: { _ in
            guard needsMore else { return }
            let first = try #require(
                try context.all("Product", where: NSPredicate(format: "price == 1")).first)
            context.delete(first)
        } _: { result in
            var found: [String] = []
            let reads = coordinator.reads { found = names(result) }
            return (found, reads)
        }
        let numbers = needsMore ? [0] + Array(2...100) : Array(0..<100)
        #expect(found == numbers.map { "product \($0)" })
        // The store found 101.
        #expect(reads == (needsMore ? 6 : 0))
    }

    /// Notes on which threads it is read.
    private final class Witness: NSObject, KeyValueCoding, @unchecked Sendable {
        private(set) var threads: [Thread] = []

        func value(forKey key: String) -> Any? {
            threads.append(.current)
            return "product 3"
        }

        func setValue(_ value: Any?, forKey key: String) {}
    }

    /// Another thread must not read what may be an object of the context.
    @Test("The predicate of an asynchronous fetch is evaluated on the context's queue")
    func conditionIsReadOnTheContextQueue() async throws {
        let context = coordinator.context()
        let witness = Witness()
        let found = try await outcome(context) {
            let request = cheap()
            request.predicate = NSPredicate(
                format: "name == FUNCTION(%@, 'valueForKeyPath:', 'name')", witness)
            return request
        } then: { _ in
            #expect(witness.threads.contains(.current))
            #expect(witness.threads.allSatisfy { $0 == .current })
        } _: {
            names($0)
        }
        #expect(found == ["product 3"])
    }

    @Test("A predicate without SQL is reported by the result's operation error")
    func unsupportedPredicateIsTheResultsError() async throws {
        let context = coordinator.context()
        let error = try await outcome(context) {
            let request = cheap()
            request.predicate = NSPredicate { _, _ in true }
            return request
        } _: {
            $0.operationError as NSError?
        }
        #expect(error?.code == 134060)
    }

    @Test("A condition on an unsaved object matches once both objects are saved")
    func unsavedObjectInCondition() async throws {
        let context = coordinator.context()
        let shop = try await context.perform { try context.insert("Shop").objectID }
        let found = try await outcome(context) {
            let request = cheap()
            request.predicate = NSPredicate(format: "shop == %@", context.object(with: shop))
            return request
        } then: { _ in
            try context.insert("Product", ["name": "new", "price": 0.5, "shop": context.object(with: shop)])
            try context.save()
        } _: {
            names($0)
        }
        #expect(found == ["new"])
    }

    @Test("A cancelled asynchronous fetch returns no objects and no error")
    func cancelledFetchFindsNothing() async throws {
        let context = coordinator.context()
        let error = try await outcome(context, { cheap() }) {
            $0.cancel()
        } _: { result in
            #expect(result.finalResult == [])
            return result.operationError as NSError?
        }
        #expect(error == nil)
    }

    /// Without the interruption, this one looks at nine million pairs, each with a search in a text.
    @Test("Cancelling the progress of an asynchronous fetch interrupts SQL", .timeLimit(.minutes(40)))
    func cancellingInterruptsSQL() async throws {
        let context = coordinator.context()
        try await context.perform {
            let shop = try context.insert("Shop")
            try context.save()
            let all = NSBatchUpdateRequest(entityName: "Product")
            all.propertiesToUpdate = ["shop": shop]
            try context.execute(all)
        }
        let error = try await outcome(context) {
            let request = NSFetchRequest<NSManagedObject>(entityName: "Product")
            request.predicate = NSPredicate(
                format: "SUBQUERY(shop.products, $p, $p.name MATCHES '(p|q)+r*o.*(d+|u+)*c.*zz').@count > 0")
            return request
        } then: { result in
            let progress = try #require(result.progress)
            #expect(progress.isIndeterminate && progress.isCancellable)
            // Most likely the database is at work by then; if it is not, the fetch is cancelled all the same.
            DispatchQueue.global().asyncAfter(deadline: .now() + .milliseconds(200)) { progress.cancel() }
        } _: { result in
            #expect(result.finalResult == [])
            return result.operationError as NSError?
        }
        #expect(error == nil)
    }

    @Test("An asynchronous fetch adds its progress to the current progress")
    func progressIsAPartOfTheCurrentOne() async throws {
        let context = coordinator.context()
        let whole = Progress(totalUnitCount: 2)
        let isDone = try await outcome(context) {
            whole.becomeCurrent(withPendingUnitCount: 1)
            return cheap()
        } then: { _ in
            whole.resignCurrent()
        } _: { _ in
            whole.fractionCompleted
        }
        #expect(isDone == 0.5)
        let failed = Progress(totalUnitCount: 1)
        let isEnded = try await outcome(context) {
            failed.becomeCurrent(withPendingUnitCount: 1)
            return cheap()
        } then: { result in
            failed.resignCurrent()
            result.cancel()
        } _: { _ in
            failed.fractionCompleted
        }
        #expect(isEnded == 1)
    }

    @Test("Asynchronous fetches return dictionaries and work on other store types")
    func dictionariesAndOtherStores() async throws {
        let context = coordinator.context()
        let prices = await withCheckedContinuation { (continuation: CheckedContinuation<[Double?], Never>) in
            context.perform {
                let fetch = NSFetchRequest<NSDictionary>(entityName: "Product")
                fetch.resultType = .dictionaryResultType
                fetch.propertiesToFetch = ["price"]
                fetch.fetchLimit = 2
                fetch.sortDescriptors = [NSSortDescriptor(key: "price", ascending: false)]
                let request = NSAsynchronousFetchRequest(fetchRequest: fetch) { result in
                    continuation.resume(
                        returning: (result.finalResult ?? []).map { $0["price"] as? Double })
                }
                do { try context.execute(request) } catch { Issue.record(error) }
            }
        }
        #expect(prices == [2999, 2998])

        let memory = NSPersistentStoreCoordinator(
            managedObjectModel: NSManagedObjectModel(
                of: NSEntityDescription("Product", attribute("name", .string), attribute("price", .double))))
        try memory.addPersistentStore(type: .inMemory, at: URL(fileURLWithPath: "/dev/null"))
        let other = memory.context()
        let found = try await outcome(other) {
            cheap()
        } then: { _ in
            try other.insert("Product", ["name": "only", "price": 1.0])
        } _: {
            names($0)
        }
        #expect(found == ["only"])
    }

    @Test("An asynchronous fetch of an unknown entity throws at once")
    func wrongRequestIsRefusedAtOnce() throws {
        try coordinator.inContext { context throws in
            let fetch = NSFetchRequest<NSManagedObject>(entityName: "Nothing")
            #expect(
                try error { try context.execute(NSAsynchronousFetchRequest(fetchRequest: fetch)) }.code
                    == 134060)
        }
    }

    @Test("A copy of an asynchronous request copies its settings and its fetch request")
    func copiesKeepTheirSettings() throws {
        let request = NSAsynchronousFetchRequest(fetchRequest: cheap())
        request.estimatedResultCount = 7
        let copy = try #require(request.copy() as? NSAsynchronousFetchRequest<NSManagedObject>)
        #expect(copy.estimatedResultCount == 7 && copy.fetchRequest !== request.fetchRequest)
        #expect(copy.fetchRequest.predicate == request.fetchRequest.predicate)
        #expect(copy.requestType == .fetchRequestType)
    }
}
