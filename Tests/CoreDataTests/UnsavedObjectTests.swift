import CoreData
import Testing

/// Objects that come and go before they were ever saved.
@Suite struct UnsavedObjectTests {
    private let audience = ResultsAudience()

    private func titles(_ controller: NSFetchedResultsController<Book>) -> [String?] {
        (controller.fetchedObjects ?? []).map(\.title)
    }

    private func controller(_ context: NSManagedObjectContext) throws -> NSFetchedResultsController<Book> {
        let request = NSFetchRequest<Book>(entityName: "Book")
        request.sortDescriptors = [NSSortDescriptor(key: "title", ascending: true)]
        let controller = NSFetchedResultsController(
            fetchRequest: request, managedObjectContext: context, sectionNameKeyPath: nil, cacheName: nil)
        controller.delegate = audience
        try controller.performFetch()
        return controller
    }

    @Test("A results controller drops a deleted object that was never saved")
    func controllerDropsAnUnsavedObject() throws {
        let stack = try TestStack()
        try stack.inContext { context in
            let controller = try controller(context)
            let book = Book(context: context)
            book.title = "Emma"
            context.processPendingChanges()
            #expect(titles(controller) == ["Emma"])
            context.delete(book)
            context.processPendingChanges()
            #expect(titles(controller) == [])
        }
    }

    @Test("A results controller follows the undo and redo of an insertion")
    func controllerFollowsUndo() throws {
        let stack = try TestStack()
        try stack.inContext { context in
            context.undoManager = UndoManager()
            let controller = try controller(context)
            let book = Book(context: context)
            book.title = "Emma"
            context.processPendingChanges()
            context.undo()
            #expect(titles(controller) == [])
            context.redo()
            #expect(titles(controller) == ["Emma"])
        }
    }

    @Test("The deletion of an object that was never saved is posted")
    func unsavedDeletionIsPosted() throws {
        let stack = try TestStack()
        try stack.inContext { context in
            nonisolated(unsafe) var deleted: [Int] = []
            let observer = NotificationCenter.default.addObserver(
                forName: .NSManagedObjectContextObjectsDidChange, object: context, queue: nil
            ) { note in
                deleted.append((note.userInfo?[NSDeletedObjectsKey] as? Set<NSManagedObject>)?.count ?? 0)
            }
            let book = Book(context: context)
            context.processPendingChanges()
            context.delete(book)
            context.processPendingChanges()
            NotificationCenter.default.removeObserver(observer)
            #expect(deleted == [0, 1])
        }
    }

    @Test("An object inserted and deleted in one event is not undoable")
    func briefObjectIsNotUndoable() throws {
        let stack = try TestStack()
        try stack.inContext { context in
            context.undoManager = UndoManager()
            let book = Book(context: context)
            book.title = "Emma"
            context.delete(book)
            context.processPendingChanges()
            #expect(context.undoManager?.canUndo == false)
            context.undo()
            #expect(context.insertedObjects.isEmpty)
            #expect(book.managedObjectContext == nil)
        }
    }
}
