import CoreData
import Testing

/// Which types may be handed to other threads, as Apple's headers annotate them.
@Suite struct SendableTests {
    // The compiler takes the second one where it can.
    private static func isSendable<T>(_ type: T.Type) -> Bool { false }
    private static func isSendable<T: Sendable>(_ type: T.Type) -> Bool { true }

    @Test("Types that Apple's headers annotate are Sendable")
    func annotatedTypes() {
        #expect(Self.isSendable(NSManagedObjectID.self))
        #expect(Self.isSendable(NSPersistentContainer.self))
        #expect(Self.isSendable(NSPersistentStoreCoordinator.self))
        #expect(Self.isSendable(NSPersistentHistoryToken.self))
        #expect(Self.isSendable(NSFetchRequestExpression.self))
        #expect(Self.isSendable(NSAttributeType.self) && Self.isSendable(NSDeleteRule.self))
        #expect(Self.isSendable(NSBatchDeleteRequestResultType.self))
        #expect(Self.isSendable(NSBatchInsertRequestResultType.self))
        #expect(Self.isSendable(NSBatchUpdateRequestResultType.self))
        #expect(Self.isSendable(NSEntityMappingType.self) && Self.isSendable(NSFetchIndexElementType.self))
        #expect(Self.isSendable(NSFetchedResultsChangeType.self))
        #expect(Self.isSendable(NSManagedObjectContextConcurrencyType.self))
        #expect(Self.isSendable(NSMergePolicyType.self))
        #expect(Self.isSendable(NSPersistentHistoryChangeType.self))
        #expect(Self.isSendable(NSPersistentHistoryResultType.self))
        #expect(Self.isSendable(NSPersistentStoreRequestType.self))
        #expect(Self.isSendable(NSFetchRequestResultType.self))
        #expect(Self.isSendable(NSSnapshotEventType.self))
    }

    @Test("Types that belong to a context are not Sendable")
    func contextBoundTypes() {
        #expect(!Self.isSendable(NSManagedObject.self) && !Self.isSendable(Author.self))
        #expect(!Self.isSendable(NSFetchRequest<Author>.self))
        #expect(!Self.isSendable(NSBatchInsertRequest.self) && !Self.isSendable(NSBatchUpdateRequest.self))
        #expect(!Self.isSendable(NSFetchedResultsController<Author>.self))
        #expect(!Self.isSendable(NSMergeConflict.self) && !Self.isSendable(NSConstraintConflict.self))
        #expect(!Self.isSendable(NSPersistentStoreDescription.self))
        #expect(!Self.isSendable(NSPersistentStoreResult.self))
    }

    /// Where Apple's headers say nothing: a context checks its queue, and a model in use does not change.
    @Test("Contexts, models and stores are Sendable")
    func guardedTypes() {
        #expect(Self.isSendable(NSManagedObjectContext.self) && Self.isSendable(NSManagedObjectModel.self))
        #expect(Self.isSendable(NSEntityDescription.self) && Self.isSendable(NSMergePolicy.self))
        #expect(Self.isSendable(NSPersistentStore.self) && Self.isSendable(ManagedObjectSnapshot.self))
    }
}
