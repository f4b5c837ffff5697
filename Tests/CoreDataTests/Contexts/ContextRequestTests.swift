import CoreData
import Foundation
import Testing

/// Requests that find their context or coordinator by themselves, and small parts of the interface of contexts and objects.
@Suite struct ContextRequestTests {
    private let stack: TestStack

    init() throws { stack = try TestStack.books(3) }

    @Test("A request's execute() uses the context whose block runs")
    func requestRunsInTheCurrentContext() throws {
        let request = NSFetchRequest<Book>.books(by: "pages")
        try stack.inContext { context throws in
            let books = try request.execute()
            #expect(books.map(\.title) == ["b0", "b1", "b2"])
            #expect(books.allSatisfy { $0.managedObjectContext === context })
            try stack.inContext { other throws in
                let own = try request.execute()
                #expect(own.allSatisfy { $0.managedObjectContext === other })
                // Back in the outer one's block.
                try context.performAndWait { () throws in
                    #expect(try request.execute().first?.managedObjectContext === context)
                }
            }
            #expect(try request.execute() == books)
        }
        #expect(try error { _ = try request.execute() }.code == 134060)
    }

    @Test("A coordinator executes requests against the stores alone")
    func coordinatorExecutesWithoutUnsavedChanges() throws {
        try stack.inContext { context throws in
            try context.book("b1").title = "changed"
            context.insertBook("new")
            let found = try stack.coordinator.execute(
                NSFetchRequest<Book>.books("title == 'b1'"), with: context)
            #expect((found as? [Book])?.map(\.title) == ["changed"])
            let count = NSFetchRequest<NSNumber>(entityName: "Book")
            count.resultType = .countResultType
            #expect(try stack.coordinator.execute(count, with: context) as? [NSNumber] == [3])
            let deletion = NSBatchDeleteRequest(
                fetchRequest: NSFetchRequest<any NSFetchRequestResult>(entityName: "Author"))
            deletion.resultType = .resultTypeCount
            let result = try stack.coordinator.execute(deletion, with: context) as? NSBatchDeleteResult
            #expect(result?.result as? Int ?? 0 > 0)
        }
        let other = try TestStack()
        try other.inContext { context throws in
            #expect(
                try error { _ = try stack.coordinator.execute(NSFetchRequest<Book>.books(), with: context) }
                    .code
                    == 134060)
        }
    }

    @Test("observeValue(forKeyPath:) marks a primitive change as unsaved")
    func observeValueMarksAPrimitiveChange() throws {
        try stack.inContext { context throws in
            let book = try context.book("b0")
            book.setPrimitiveValue("new", forKey: "title")
            #expect(!book.hasChanges)
            context.observeValue(forKeyPath: "nothing", of: book, change: nil, context: nil)
            #expect(!book.hasChanges)
            context.observeValue(forKeyPath: "title", of: book, change: nil, context: nil)
            #expect(book.isUpdated && context.hasChanges)
            try context.save()
        }
        try stack.inContext { context throws in #expect(try context.book("new").pages == 0) }
    }

    @Test("An object keeps its observation info pointer")
    func observationInfoIsKept() throws {
        try stack.inContext { context throws in
            let book = try context.book("b0")
            #expect(book.observationInfo() == nil)
            let position = UnsafeMutableRawPointer.allocate(byteCount: 1, alignment: 1)
            defer { position.deallocate() }
            book.setObservationInfo(position)
            #expect(book.observationInfo() == position)
            book.setObservationInfo(nil)
            #expect(book.observationInfo() == nil)
        }
    }

    @Test("A coordinator posts one notification for each store that is added or removed")
    func addedAndRemovedStoresArePosted() throws {
        let folder = try StoreFolder()
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: Library.model())
        let log = NotificationLog(
            .NSPersistentStoreCoordinatorStoresWillChange, .NSPersistentStoreCoordinatorStoresDidChange,
            from: coordinator)
        let store = try coordinator.addPersistentStore(type: .sqlite, at: folder.file)
        try coordinator.remove(store)
        #expect(
            log.names == [
                .NSPersistentStoreCoordinatorStoresDidChange, .NSPersistentStoreCoordinatorStoresDidChange,
            ])
        let keys = log.all.map { $0.userInfo?.keys.compactMap { $0 as? String } }
        #expect(keys == [["added"], ["removed"]])
    }

    @Test("A subclass of a container may override its initializer")
    func containersCanBeSubclassed() throws {
        final class Shelf: NSPersistentContainer, @unchecked Sendable {
            override init(name: String, managedObjectModel model: NSManagedObjectModel) {
                super.init(name: name + "2", managedObjectModel: model)
            }
        }
        let container = Shelf(name: "Books", managedObjectModel: Library.model())
        #expect(container.name == "Books2")
        #expect(container.persistentStoreDescriptions.first?.url?.lastPathComponent == "Books2.sqlite")
        let plain = NSPersistentContainer(name: "Books", managedObjectModel: Library.model())
        #expect(plain.viewContext.persistentStoreCoordinator === plain.persistentStoreCoordinator)
    }
}
