import Testing

@testable import ManagedObjectModel

/// Fetch requests as values: their defaults, copies, and what the runtime sees of them.
struct FetchRequestTests {
    @Test("A new fetch request has the default settings of Core Data")
    func defaults() {
        let request = NSFetchRequest<NSDictionary>(entityName: "Book")
        #expect(request.requestType == .fetchRequestType)
        #expect(request.entityName == "Book" && request.entity == nil)
        #expect(request.predicate == nil && request.sortDescriptors == nil && request.havingPredicate == nil)
        #expect(request.fetchLimit == 0 && request.fetchOffset == 0 && request.fetchBatchSize == 0)
        #expect(request.resultType == .managedObjectResultType)
        #expect(
            request.includesSubentities && request.includesPropertyValues && request.includesPendingChanges)
        #expect(request.returnsObjectsAsFaults && !request.returnsDistinctResults)
        #expect(!request.shouldRefreshRefetchedObjects)
        #expect(request.relationshipKeyPathsForPrefetching == nil)
        #expect(request.propertiesToFetch == nil && request.propertiesToGroupBy == nil)
        #expect(NSFetchRequest<NSNumber>().entityName == nil)
    }

    @Test("A copy of a fetch request does not change with the original")
    func aCopyIsIndependent() throws {
        let book = entity("Book", [])
        let request = NSFetchRequest<any NSFetchRequestResult>()
        request.entity = book
        request.fetchLimit = 3
        request.propertiesToFetch = ["title"]
        request.resultType = .dictionaryResultType
        request.affectedStoreObjects = [book]
        let copy = try #require(request.copy() as? NSFetchRequest<any NSFetchRequestResult>)
        request.fetchLimit = 4
        request.entity = nil
        #expect(copy.fetchLimit == 3 && copy.entity === book && copy.entityName == "Book")
        #expect(copy.propertiesToFetch as? [String] == ["title"] && copy.resultType == .dictionaryResultType)
        #expect(copy.affectedStoreObjects?.count == 1)
        #expect(request.entityName == nil)
    }

    @Test("A request of any result type has a specification with its entity name and result class")
    func theRuntimeSeesAnyRequestAlike() throws {
        let requests: [NSPersistentStoreRequest] = [
            NSFetchRequest<NSDictionary>(entityName: "A"), NSFetchRequest<NSNumber>(entityName: "B"),
            NSFetchRequest<any NSFetchRequestResult>(entityName: "C"),
        ]
        #expect(requests.map { $0.fetchSpecification?.entityName } == ["A", "B", "C"])
        #expect(requests[0].fetchSpecification?.resultClass == NSDictionary.self)
        #expect(requests[1].fetchSpecification?.resultClass == NSNumber.self)
        #expect(NSPersistentStoreRequest().fetchSpecification == nil)
        let specification = try #require(requests[0].fetchSpecification)
        let other = NSFetchRequest<NSNumber>(specification: specification)
        #expect(other.entityName == "A" && other.fetchSpecification?.resultClass == NSNumber.self)
    }

    @Test("Resolving a request by name sets its entity")
    func theRuntimePutsTheEntityInPlace() {
        let book = entity("Book", [])
        let request = NSFetchRequest<NSDictionary>(entityName: "Book")
        (request as NSPersistentStoreRequest).resolveEntity(book)
        #expect(request.entity === book)
    }

    @Test("A copy of a subclass of a fetch request has the same class")
    func aSubclassIsCopiedAsItself() {
        final class Special: NSFetchRequest<NSNumber> {}
        let request = Special(entityName: "Book")
        #expect((request.copy() as? Special)?.entityName == "Book")
    }
}
