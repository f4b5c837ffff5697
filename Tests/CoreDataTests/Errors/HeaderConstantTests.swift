import CoreData
import Testing

/// The numbers that Apple's headers give to the cases of enumerations: archives, stores and `NSNumber`s have them.
@Suite struct HeaderConstantTests {
    @Test("Delete rules, request types and result types have Apple's raw values")
    func relationshipsAndRequests() {
        let rules: [NSDeleteRule] = [
            .noActionDeleteRule, .nullifyDeleteRule, .cascadeDeleteRule, .denyDeleteRule,
        ]
        #expect(rules.map(\.rawValue) == [0, 1, 2, 3])
        let requests: [NSPersistentStoreRequestType] = [
            .fetchRequestType, .saveRequestType, .batchInsertRequestType, .batchUpdateRequestType,
            .batchDeleteRequestType,
        ]
        #expect(requests.map(\.rawValue) == [1, 2, 5, 6, 7])
        let results: [NSFetchRequestResultType] = [
            .managedObjectResultType, .managedObjectIDResultType, .dictionaryResultType, .countResultType,
        ]
        #expect(results.map(\.rawValue) == [0, 1, 2, 4])
    }

    @Test("Concurrency types, merge policies and snapshot events have Apple's raw values")
    func contextsAndPolicies() {
        let queues: [NSManagedObjectContextConcurrencyType] = [
            .privateQueueConcurrencyType, .mainQueueConcurrencyType,
        ]
        #expect(queues.map(\.rawValue) == [1, 2])
        #expect(NSManagedObjectContext.ConcurrencyType.privateQueue.rawValue == .privateQueueConcurrencyType)
        let policies: [NSMergePolicyType] = [
            .errorMergePolicyType, .mergeByPropertyStoreTrumpMergePolicyType,
            .mergeByPropertyObjectTrumpMergePolicyType, .overwriteMergePolicyType, .rollbackMergePolicyType,
        ]
        #expect(policies.map(\.rawValue) == [0, 1, 2, 3, 4])
        let events: [NSSnapshotEventType] = [
            .undoInsertion, .undoDeletion, .undoUpdate, .rollback, .refresh, .mergePolicy,
        ]
        #expect(events.map(\.rawValue) == [2, 4, 8, 16, 32, 64])
    }

    @Test("Change types, history and batch result types have Apple's raw values")
    func resultsHistoryAndBatches() {
        let changes: [NSFetchedResultsChangeType] = [.insert, .delete, .move, .update]
        #expect(changes.map(\.rawValue) == [1, 2, 3, 4])
        let history: [NSPersistentHistoryChangeType] = [.insert, .update, .delete]
        #expect(history.map(\.rawValue) == [0, 1, 2])
        let histories: [NSPersistentHistoryResultType] = [
            .statusOnly, .objectIDs, .count, .transactionsOnly, .changesOnly, .transactionsAndChanges,
        ]
        #expect(histories.map(\.rawValue) == [0, 1, 2, 3, 4, 5])
        #expect(
            NSPersistentHistoryChangeRequest.fetchHistory(after: nil as NSPersistentHistoryToken?).resultType
                == .transactionsAndChanges)
        let inserts: [NSBatchInsertRequestResultType] = [.statusOnly, .objectIDs, .count]
        let updates: [NSBatchUpdateRequestResultType] = [
            .statusOnlyResultType, .updatedObjectIDsResultType, .updatedObjectsCountResultType,
        ]
        let deletions: [NSBatchDeleteRequestResultType] = [
            .resultTypeStatusOnly, .resultTypeObjectIDs, .resultTypeCount,
        ]
        #expect(inserts.map(\.rawValue) == [0, 1, 2] && updates.map(\.rawValue) == [0, 1, 2])
        #expect(deletions.map(\.rawValue) == [0, 1, 2])
    }

    @Test("The framework's version is later than all versions of the headers")
    func frameworkVersions() {
        let mac = [
            NSCoreDataVersionNumber10_4, NSCoreDataVersionNumber10_4_3, NSCoreDataVersionNumber10_5,
            NSCoreDataVersionNumber10_5_3, NSCoreDataVersionNumber10_6, NSCoreDataVersionNumber10_6_2,
            NSCoreDataVersionNumber10_6_3, NSCoreDataVersionNumber10_7, NSCoreDataVersionNumber10_7_2,
            NSCoreDataVersionNumber10_7_3, NSCoreDataVersionNumber10_7_4, NSCoreDataVersionNumber10_8,
            NSCoreDataVersionNumber10_8_2, NSCoreDataVersionNumber10_9, NSCoreDataVersionNumber10_9_2,
            NSCoreDataVersionNumber10_9_3, NSCoreDataVersionNumber10_10, NSCoreDataVersionNumber10_10_2,
            NSCoreDataVersionNumber10_10_3, NSCoreDataVersionNumber10_11, NSCoreDataVersionNumber10_11_3,
        ]
        let phone = [
            NSCoreDataVersionNumber_iPhoneOS_3_0, NSCoreDataVersionNumber_iPhoneOS_3_1,
            NSCoreDataVersionNumber_iPhoneOS_3_2, NSCoreDataVersionNumber_iPhoneOS_4_0,
            NSCoreDataVersionNumber_iPhoneOS_4_1, NSCoreDataVersionNumber_iPhoneOS_4_2,
            NSCoreDataVersionNumber_iPhoneOS_4_3, NSCoreDataVersionNumber_iPhoneOS_5_0,
            NSCoreDataVersionNumber_iPhoneOS_5_1, NSCoreDataVersionNumber_iPhoneOS_6_0,
            NSCoreDataVersionNumber_iPhoneOS_6_1, NSCoreDataVersionNumber_iPhoneOS_7_0,
            NSCoreDataVersionNumber_iPhoneOS_7_1, NSCoreDataVersionNumber_iPhoneOS_8_0,
            NSCoreDataVersionNumber_iPhoneOS_8_3, NSCoreDataVersionNumber_iPhoneOS_9_0,
            NSCoreDataVersionNumber_iPhoneOS_9_2, NSCoreDataVersionNumber_iPhoneOS_9_3,
        ]
        #expect((mac + phone).allSatisfy { $0 < NSCoreDataVersionNumber })
        #expect(Set(mac).count == 21 && Set(phone).count == 18)
    }

    /// The number in the metadata is the one that programs compare.
    @Test("The metadata of a new store has the framework's version")
    func newStoreHasTheVersion() throws {
        let folder = try StoreFolder()
        let coordinator = try folder.open(OwnerModel.model())
        let metadata = coordinator.metadata(for: try #require(coordinator.persistentStores.first))
        #expect(metadata["NSPersistenceFrameworkVersion"] as? Double == NSCoreDataVersionNumber)
    }
}
