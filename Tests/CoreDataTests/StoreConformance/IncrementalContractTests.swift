import CoreData
import Foundation
import Synchronization
import Testing

/// The calls to a custom incremental store, and how often they are made.
@Suite struct IncrementalContractTests {
    private func filled() throws -> (NSPersistentStoreCoordinator, Service) {
        let store = try ConformanceStore(.incremental)
        let coordinator = try store.open()
        try coordinator.inContext { context in
            try ConformanceModel.fill(context)
            try context.save()
        }
        return (coordinator, Service.at(store.url))
    }

    @Test("A fetch passes its settings to an incremental store")
    func requestHasItsSettings() throws {
        let (coordinator, service) = try filled()
        try coordinator.inContext { context in
            let request = NSFetchRequest<NSManagedObject>(entityName: "Person")
            request.predicate = NSPredicate(format: "age > 40")
            request.sortDescriptors = [NSSortDescriptor(key: "name", ascending: true)]
            request.fetchBatchSize = 20
            request.fetchLimit = 5
            request.includesSubentities = false
            request.includesPropertyValues = false
            request.returnsObjectsAsFaults = false
            request.includesPendingChanges = false
            request.shouldRefreshRefetchedObjects = true
            request.relationshipKeyPathsForPrefetching = ["team"]
            request.propertiesToFetch = ["name", "age"]
            let found = try context.fetch(request)
            #expect(found.map { $0.value(forKey: "name") as? String } == ["Alan"])
            let asked = try #require(service.fetches.last)
            #expect(asked !== request)
            #expect(asked.entity?.name == "Person" && asked.resultType == .managedObjectResultType)
            #expect(asked.predicate == request.predicate && asked.sortDescriptors == request.sortDescriptors)
            #expect(asked.fetchBatchSize == 20 && asked.fetchLimit == 5 && asked.fetchOffset == 0)
            #expect(!asked.includesSubentities && !asked.includesPropertyValues)
            #expect(!asked.returnsObjectsAsFaults && !asked.includesPendingChanges)
            #expect(asked.shouldRefreshRefetchedObjects)
            #expect(asked.relationshipKeyPathsForPrefetching == ["team"])
            #expect(
                asked.propertiesToFetch?.compactMap { ($0 as? NSAttributeDescription)?.name } == [
                    "name", "age",
                ])
            #expect(asked.affectedStores?.count == 1)
            // The caller's own request stays what it was.
            #expect(
                request.propertiesToFetch as? [String] == ["name", "age"] && request.affectedStores == nil)
        }
    }

    @Test("A count passes its settings to an incremental store")
    func countHasItsSettings() throws {
        let (coordinator, service) = try filled()
        try coordinator.inContext { context in
            let request = NSFetchRequest<NSManagedObject>(entityName: "Person")
            request.fetchBatchSize = 7
            let count = try context.count(for: request)
            #expect(count == 3)
            #expect(service.fetches.last?.resultType == .countResultType)
            #expect(service.fetches.last?.fetchBatchSize == 7)
        }
    }

    @Test("A dictionary request passes its settings to an incremental store")
    func dictionaryRequestHasItsSettings() throws {
        let (coordinator, service) = try filled()
        try coordinator.inContext { context in
            let request = NSFetchRequest<NSDictionary>(entityName: "Skill")
            request.resultType = .dictionaryResultType
            request.propertiesToFetch = ["name"]
            request.returnsDistinctResults = true
            _ = try context.fetch(request)
            let asked = try #require(service.fetches.last)
            #expect(asked.returnsDistinctResults && asked.propertiesToGroupBy == nil)
            #expect(asked.propertiesToFetch?.compactMap { ($0 as? NSAttributeDescription)?.name } == ["name"])
        }
    }

    @Test("Permanent IDs are obtained in one call for each save")
    func idsAreObtainedOnce() throws {
        let (coordinator, service) = try filled()
        // Three people, one of them a manager, a team, two skills and three chores.
        #expect(service.idRequests.map(\.count) == [9])
        #expect(Set(service.idRequests[0]) == ["Person", "Manager", "Team", "Skill", "Chore"])
        try coordinator.inContext { context in
            let team = try context.insert("Team", ["name": "new"])
            let skill = try context.insert("Skill", ["name": "new"])
            try context.obtainPermanentIDs(for: [team, skill])
            #expect(service.idRequests.count == 2)
            try context.save()
            #expect(service.idRequests.count == 2)
        }
    }

    @Test("Objects of a result are registered in one call")
    func objectsAreRegisteredTogether() throws {
        let (coordinator, service) = try filled()
        let before = service.registrations.count
        #expect(service.registrations == [9])
        let context = coordinator.context()
        try context.performAndWait {
            let people = try context.all("Person")
            #expect(Array(service.registrations[before...]) == [3])
            let team = try #require(people.compactMap { $0.value(forKey: "team") as? NSManagedObject }.first)
            #expect(Array(service.registrations[before...]) == [3, 1])
            context.reset()
            _ = team
        }
        try coordinator.inContext { context in
            let skills = try context.all("Skill", by: "name")
            #expect(skills[0].destinationNames("people").count == 3)
            #expect(Array(service.registrations[(before + 2)...]) == [2, 3])
        }
    }

    @Test("Every registration of an object is followed by one unregistration")
    func registrationsAreBalanced() throws {
        let (coordinator, service) = try filled()
        for _ in 0..<3 {
            let context = coordinator.context()
            try context.performAndWait {
                let request = NSFetchRequest<NSManagedObject>(entityName: "Person")
                request.fetchLimit = 1
                _ = try context.fetch(request)
                context.reset()
            }
        }
        #expect(service.registered.values.allSatisfy { $0 == 0 })
    }

    /// Adds one to a number in a context of its own, again and again while others were faster.
    private func count(_ coordinator: NSPersistentStoreCoordinator, times: Int) throws {
        try coordinator.inContext { context in
            let ada = try #require(try context.all("Person", by: "name").first)
            for _ in 0..<times {
                while true {
                    ada.setValue((ada.value(forKey: "age") as? Int ?? 0) + 1, forKey: "age")
                    do {
                        try context.save()
                        break
                    } catch CocoaError.managedObjectMerge {
                        context.refresh(ada, mergeChanges: false)
                    }
                }
            }
        }
    }

    @Test("Contexts that save at the same time lose no update")
    func concurrentUpdates() throws {
        let (coordinator, service) = try filled()
        let results = Mutex<[Result<Void, any Error>]>([])
        DispatchQueue.concurrentPerform(iterations: 4) { _ in
            let result = Result { try count(coordinator, times: 100) }
            results.withLock { $0.append(result) }
        }
        for result in results.withLock({ $0 }) { try result.get() }
        let ages = service.lock.withLock { service.records.values.map { $0.values["age"] as? Int } }
        #expect(ages.contains(36 + 400))
    }

    @Test("A save request has the objects with conflict detection")
    func saveNamesLockedObjects() throws {
        let (coordinator, service) = try filled()
        try coordinator.inContext { context in
            let people = try context.all("Person", by: "name")
            let (watched, changed) = (people[0], people[1])
            context.detectConflicts(for: watched)
            changed.setValue(77, forKey: "age")
            try context.save()
            #expect(service.locked == [watched.objectID])
            changed.setValue(78, forKey: "age")
            try context.save()
            #expect(service.locked.isEmpty)
        }
    }
}
