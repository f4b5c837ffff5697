import CoreData
import Foundation
import Testing

/// What a new context is set to.
@Suite struct ContextDefaultsTests {
    private func check(_ context: NSManagedObjectContext) {
        context.performAndWait {
            #expect(context.undoManager == nil && context.transactionAuthor == nil)
            #expect(context.mergePolicy as? NSMergePolicy === NSMergePolicy.error)
            #expect(context.mergePolicy as AnyObject === NSErrorMergePolicy)
            #expect((context.mergePolicy as? NSMergePolicy)?.mergeType == .errorMergePolicyType)
            #expect(context.propagatesDeletesAtEndOfEvent && context.shouldDeleteInaccessibleFaults)
            #expect(!context.retainsRegisteredObjects && !context.automaticallyMergesChangesFromParent)
            #expect(context.stalenessInterval < 0)
            #expect(!context.hasChanges && context.registeredObjects.isEmpty && context.userInfo.count == 0)
        }
    }

    @Test("A new context has the documented defaults")
    func newContext() throws {
        let stack = try TestStack()
        let context = stack.context()
        check(context)
        #expect(context.name == nil)
        #expect(context.concurrencyType == .privateQueueConcurrencyType && context.parent == nil)
        #expect(context.persistentStoreCoordinator === stack.coordinator)
    }

    @Test("A child context has the defaults and not its parent's settings")
    func childContext() throws {
        let stack = try TestStack()
        let parent = stack.context()
        parent.mergePolicy = NSMergePolicy.overwrite
        parent.performAndWait { parent.undoManager = UndoManager() }
        let child = NSManagedObjectContext(.privateQueue)
        child.parent = parent
        // Nothing of the parent's settings comes down.
        check(child)
        #expect(child.parent === parent)
    }

    @Test("The contexts of a container have the documented defaults")
    func containerContexts() async throws {
        let container = NSPersistentContainer(name: "Library", managedObjectModel: Library.model())
        #expect(container.viewContext.concurrencyType == .mainQueueConcurrencyType)
        await MainActor.run { check(container.viewContext) }
        let background = container.newBackgroundContext()
        #expect(background.concurrencyType == .privateQueueConcurrencyType)
        #expect(background.persistentStoreCoordinator === container.persistentStoreCoordinator)
        check(background)
    }
}
