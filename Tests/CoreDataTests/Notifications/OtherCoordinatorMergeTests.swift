import CoreData
import Foundation
import Testing

/// A context merges what a context of another coordinator has saved to the same file.
@Suite struct OtherCoordinatorMergeTests {
    private let stack: TestStack
    private let context: NSManagedObjectContext
    private let other: NSPersistentStoreCoordinator
    private let books: [String: Book]

    /// The books "A" and "B" of the author "x", loaded here.
    init() throws {
        stack = try TestStack()
        context = stack.context()
        let context = context
        books = try context.performAndWait { () throws in
            let author = Author(context: context)
            author.name = "x"
            var books: [String: Book] = [:]
            for (title, pages) in [("A", Int32(1)), ("B", 2)] {
                books[title] = SampleBooks.book(title, pages, nil, author, context)
            }
            try context.save()
            return books
        }
        other = NSPersistentStoreCoordinator(managedObjectModel: Library.model())
        try other.addPersistentStore(type: .sqlite, at: stack.file)
    }

    private func book(_ title: String) throws -> Book { try #require(books[title]) }

    /// What a context of the other coordinator posts when it saves what a block changes.
    private func savedElsewhere(
        _ name: Notification.Name = .NSManagedObjectContextDidSave,
        _ change: (NSManagedObjectContext) throws -> Void
    ) throws -> Notification {
        let context = other.context()
        let log = NotificationLog(name, from: context)
        try context.performAndWait { () throws in
            try change(context)
            try context.save()
        }
        return try #require(log.all.last)
    }

    /// The titles of the books that notifications report as inserted.
    private func inserted(_ log: NotificationLog) -> [String?] {
        log.all.flatMap { $0.userInfo?[NSInsertedObjectsKey] as? Set<NSManagedObject> ?? [] }
            .map { ($0 as? Book)?.title }
    }

    private static let kinds = [
        Notification.Name.NSManagedObjectContextDidSave, .NSManagedObjectContextDidSaveObjectIDs,
    ]

    @Test("A merge from another coordinator updates values without a later conflict", arguments: kinds)
    func changedValues(_ kind: Notification.Name) throws {
        let saved = try savedElsewhere(kind) { try $0.book("A").pages = 10 }
        try context.performAndWait { () throws in
            #expect(try book("A").pages == 1)
            context.mergeChanges(fromContextDidSave: saved)
            #expect(try book("A").pages == 10)
            #expect(try !book("A").hasChanges)
            // The context knows the newest row: its own change is not a conflict.
            try book("A").title = "A2"
            try context.save()
        }
        try other.inContext { context throws in #expect(try context.book("A2").pages == 10) }
    }

    /// Another context of this coordinator finds the newest row in the row cache too.
    @Test("A merge from another coordinator updates the row cache")
    func rowCacheIsUpdated() throws {
        let saved = try savedElsewhere { try $0.book("A").pages = 10 }
        let id = try context.performAndWait { () throws in
            context.mergeChanges(fromContextDidSave: saved)
            context.reset()
            return try book("A").objectID
        }
        try stack.inContext { third in
            let book = try #require(third.object(with: id) as? Book)
            #expect(book.isFault && book.pages == 10)
        }
    }

    /// The other coordinator's rows are as new as its own context, and stay cached.
    @Test("The other coordinator's row cache keeps its rows")
    func otherRowCacheKeepsItsRows() throws {
        var id: NSManagedObjectID?
        let saved = try savedElsewhere { context in
            let book = try context.book("A")
            book.pages = 10
            id = book.objectID
        }
        context.performAndWait { context.mergeChanges(fromContextDidSave: saved) }
        try other.inContext { third in
            let book = third.object(with: try #require(id)) as? Book
            other.expectReads(0) { #expect(book?.pages == 10) }
        }
    }

    @Test("A merge from another coordinator registers inserted objects", arguments: kinds)
    func insertedObjects(_ kind: Notification.Name) throws {
        let saved = try savedElsewhere(kind) { context in
            SampleBooks.book("C", 3, nil, try context.only("Author") as? Author, context)
        }
        let log = NotificationLog(.NSManagedObjectContextObjectsDidChange, from: context)
        try context.performAndWait { () throws in
            #expect(try book("A").author?.books.count == 2)
            log.clear()
            context.mergeChanges(fromContextDidSave: saved)
            #expect(inserted(log) == ["C"])
            #expect(try book("A").author?.books.compactMap(\.title).sorted() == ["A", "B", "C"])
            #expect(!context.hasChanges)
        }
    }

    @Test("A merge from another coordinator marks deleted objects", arguments: kinds)
    func deletedObjects(_ kind: Notification.Name) throws {
        let saved = try savedElsewhere(kind) { $0.delete(try $0.book("B")) }
        try context.performAndWait { () throws in
            let (a, b) = (try book("A"), try book("B"))
            #expect(a.author?.books == [a, b])
            context.mergeChanges(fromContextDidSave: saved)
            #expect(b.isDeleted && b.title == "B" && a.author?.books == [a])
            try context.save()
            #expect(b.managedObjectContext == nil && !context.hasChanges)
        }
    }

    @Test("A merge from another coordinator updates relationships")
    func changedRelationships() throws {
        let saved = try savedElsewhere { context in
            let author = Author(context: context)
            author.name = "y"
            try context.book("B").author = author
        }
        try context.performAndWait { () throws in
            let (a, b) = (try book("A"), try book("B"))
            let x = try #require(a.author)
            #expect(x.books == [a, b])
            context.mergeChanges(fromContextDidSave: saved)
            #expect(x.books == [a])
            #expect(b.author?.name == "y" && b.author?.books == [b])
        }
    }

    @Test("A merge from another coordinator posts this coordinator's IDs")
    func idsOfThisCoordinator() throws {
        let saved = try savedElsewhere { try $0.book("A").pages = 10 }
        let log = NotificationLog(.NSManagedObjectContextDidMergeChangesObjectIDs, from: context)
        try context.performAndWait { () throws in
            context.mergeChanges(fromContextDidSave: saved)
            let merged = try #require(log.all.first?.userInfo)
            #expect(merged[NSUpdatedObjectIDsKey] as? Set<NSManagedObjectID> == [try book("A").objectID])
        }
    }

    @Test("mergeChanges(fromRemoteContextSave:) accepts another coordinator's IDs")
    func remoteContextSave() throws {
        let saved = try savedElsewhere(.NSManagedObjectContextDidSaveObjectIDs) { context in
            try context.book("A").pages = 10
            context.delete(try context.book("B"))
        }
        NSManagedObjectContext.mergeChanges(fromRemoteContextSave: saved.userInfo ?? [:], into: [context])
        try context.performAndWait { () throws in
            #expect(try book("A").pages == 10)
            #expect(try book("B").isDeleted)
        }
    }

    /// A child adopts changes of the store below its parent through the parent.
    @Test("A child merges another coordinator's save after its parent")
    func familyOfContexts() throws {
        let child = NSManagedObjectContext(.privateQueue)
        child.parent = context
        let id = try context.performAndWait { () throws in try book("A").objectID }
        let mine = try child.performAndWait { () throws in try child.existingObject(with: id) as? Book }
        let saved = try savedElsewhere { try $0.book("A").pages = 10 }
        for each in [context, child] {
            each.performAndWait { each.mergeChanges(fromContextDidSave: saved) }
        }
        child.performAndWait { #expect(mine?.pages == 10) }
    }

    // MARK: Other stores

    /// A book in a store that only the other coordinator has, whose key is that of the book here.
    @Test("Objects of a store that only the other coordinator has are ignored")
    func storesThatAreNotHere() throws {
        let second = stack.folder.appendingPathComponent("Second.sqlite")
        let store = try other.addPersistentStore(type: .sqlite, at: second)
        let (inserted, changed, deleted) = try other.inContext { context in
            let log = NotificationLog(.NSManagedObjectContextDidSave, from: context)
            let books = ["P", "Q"].map { SampleBooks.book($0, 1, nil, nil, context) }
            for book in books { context.assign(book, to: store) }
            try context.save()
            books[0].pages = 99
            try context.save()
            for book in books { context.delete(book) }
            try context.save()
            try #require(log.all.count == 3)
            return (log.all[0], log.all[1], log.all[2])
        }
        let log = NotificationLog(.NSManagedObjectContextObjectsDidChange, from: context)
        try context.performAndWait { () throws in
            for saved in [inserted, changed, deleted] { context.mergeChanges(fromContextDidSave: saved) }
            #expect(log.all.isEmpty && !context.hasChanges)
            #expect(try book("A").pages == 1 && book("B").pages == 2)
            #expect(try !book("A").isDeleted)
        }
    }

    @Test("Objects of a shared store are merged beside those of another store")
    func storesThatBothHave() throws {
        let second = stack.folder.appendingPathComponent("Second.sqlite")
        let store = try other.addPersistentStore(type: .sqlite, at: second)
        let saved = try savedElsewhere { context in
            try context.book("A").pages = 10
            context.assign(SampleBooks.book("P", 1, nil, nil, context), to: store)
        }
        try context.performAndWait { () throws in
            context.mergeChanges(fromContextDidSave: saved)
            #expect(try book("A").pages == 10)
            #expect(context.registeredObjects.compactMap { ($0 as? Book)?.title }.sorted() == ["A", "B"])
        }
    }

    // MARK: Forms of notifications

    enum Form: CaseIterable {
        case arrayOfObjects, arrayOfIDs, setOfURLs, arrayOfURLs, nsArray, nsSet
    }

    private func list(_ objects: [NSManagedObject], _ form: Form) -> Any {
        let ids = objects.map(\.objectID)
        let urls = ids.map { $0.uriRepresentation() }
        return switch form {
        case .arrayOfObjects: objects
        case .arrayOfIDs: ids
        case .setOfURLs: Set(urls)
        case .arrayOfURLs: urls
        case .nsArray: NSArray(array: ids)
        case .nsSet: NSSet(array: objects)
        }
    }

    /// Of another coordinator, and of this one.
    @Test("A merge accepts objects, IDs and URIs in any collection", arguments: Form.allCases, [true, false])
    func collectionsOfAnyForm(_ form: Form, isElsewhere: Bool) throws {
        let rival = isElsewhere ? other.context() : stack.context()
        var info: [AnyHashable: Any] = [:]
        let kept = try rival.performAndWait { () throws in
            let (a, b) = (try rival.book("A"), try rival.book("B"))
            a.pages = 10
            rival.delete(b)
            let c = SampleBooks.book("C", 3, nil, nil, rival)
            try rival.save()
            info[NSUpdatedObjectsKey] = list([a], form)
            info[NSDeletedObjectIDsKey] = list([b], form)
            info[NSInsertedObjectsKey] = list([c], form)
            return [a, b, c]
        }
        let notification = Notification(
            name: .NSManagedObjectContextDidSave, object: nil, userInfo: info)
        let log = NotificationLog(.NSManagedObjectContextObjectsDidChange, from: context)
        try context.performAndWait { () throws in
            context.mergeChanges(fromContextDidSave: notification)
            #expect(try book("A").pages == 10)
            #expect(try book("B").isDeleted)
            #expect(inserted(log) == ["C"])
        }
        rival.performAndWait { withExtendedLifetime(kept) {} }
    }

    @Test("A merge of other values stops the process", arguments: [true, false])
    func otherValuesStop(isList: Bool) async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            [isList] in
            let context = try TestStack().context()
            let wrong: Any = isList ? ["a text"] : "a text"
            let notification = Notification(
                name: .NSManagedObjectContextDidSave, object: nil, userInfo: [NSUpdatedObjectsKey: wrong])
            context.performAndWait { context.mergeChanges(fromContextDidSave: notification) }
        }
        let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        #expect(
            text.contains(
                isList
                    ? "Changes are given as objects, NSManagedObjectIDs or their URLs, not as a String."
                    : "The value of 'updated' must be an array or a set of objects"))
    }
}
