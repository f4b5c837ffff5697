import CoreData
import Foundation
import Testing

/// Changes that were made elsewhere, given by IDs or their URLs.
@Suite struct RemoteChangeTests {
    let family: ContextFamily
    private var root: NSManagedObjectContext { family.root }
    private var child: NSManagedObjectContext { family.child }
    private let a: Book
    private let b: Book

    /// The books A and B, which the child and the root have loaded.
    init() throws {
        family = try ContextFamily()
        try family.stack.inContext { context throws in
            context.insertBook("A").pages = 1
            context.insertBook("B").pages = 2
            try context.save()
        }
        for context in [family.root, family.child] {
            try context.event { context throws in
                context.retainsRegisteredObjects = true
                for book in try context.fetch(.books()) { #expect(book.pages > 0) }
            }
        }
        (a, b) = try family.child.event { (try $0.book("A"), try $0.book("B")) }
    }

    /// Changes A, deletes B and inserts C by another coordinator; the URLs of the three.
    private func changeElsewhere() throws -> (URL, URL, URL) {
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: Library.model())
        try coordinator.addPersistentStore(type: .sqlite, at: family.stack.file)
        let context = NSManagedObjectContext(.privateQueue)
        context.persistentStoreCoordinator = coordinator
        return try context.event { context throws in
            let (a, b, c) = (try context.book("A"), try context.book("B"), context.insertBook("C"))
            a.pages = 10
            let url = b.objectID.uriRepresentation()
            context.delete(b)
            try context.save()
            return (a.objectID.uriRepresentation(), url, c.objectID.uriRepresentation())
        }
    }

    private func expectChanges() throws {
        for context in [child, root] {
            try context.event { context throws in
                #expect(try context.book("A").pages == 10)
                #expect(try ContextFamily.titles(context) == ["A", "C"])
            }
        }
        try child.event { _ throws in #expect(a.pages == 10 && b.isDeleted) }
    }

    @Test("URIs of remote changes are merged into several contexts")
    func urlsAreMerged() throws {
        let (a, b, c) = try changeElsewhere()
        NSManagedObjectContext.mergeChanges(
            fromRemoteContextSave: [
                NSUpdatedObjectIDsKey: [a], NSDeletedObjectIDsKey: [b], NSInsertedObjectIDsKey: [c],
            ],
            into: [child, root])
        try expectChanges()
    }

    @Test("IDs under the keys of objects are merged")
    func idsUnderObjectKeys() throws {
        let urls = try changeElsewhere()
        let ids = [urls.0, urls.1, urls.2].compactMap {
            family.stack.coordinator.managedObjectID(forURIRepresentation: $0)
        }
        try #require(ids.count == 3)
        NSManagedObjectContext.mergeChanges(
            fromRemoteContextSave: [
                NSUpdatedObjectsKey: [ids[0]], NSDeletedObjectsKey: Set([ids[1]]),
                NSInsertedObjectsKey: NSSet(object: ids[2]),
            ],
            into: [child, root])
        try expectChanges()
    }

    @Test("Refreshed IDs are read again in the contexts that are named")
    func refreshedObjectsAreReadAgain() throws {
        let (a, _, _) = try changeElsewhere()
        let log = NotificationLog(.NSManagedObjectContextObjectsDidChange, from: root)
        NSManagedObjectContext.mergeChanges(
            fromRemoteContextSave: [NSRefreshedObjectIDsKey: [a]], into: [root])
        try root.event { root throws in
            #expect(
                log.contents(of: .NSManagedObjectContextObjectsDidChange, by: "title")
                    == [["refreshed": ["A"]]])
            #expect(try root.book("A").pages == 10)
        }
        // The child was not among them.
        try child.event { _ throws in #expect(self.a.pages == 1) }
    }

    @Test("URIs of other stores change nothing")
    func otherStoresAreIgnored() throws {
        let url = try #require(URL(string: "x-coredata://\(UUID().uuidString)/Book/p1"))
        NSManagedObjectContext.mergeChanges(
            fromRemoteContextSave: [NSDeletedObjectIDsKey: [url], "other": ["x"]], into: [root, child])
        try child.event { child throws in #expect(!child.hasChanges && !a.isDeleted) }
    }

    @Test("A value that is neither an ID nor a URI stops the process")
    func otherValuesStop() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let stack = try TestStack()
            NSManagedObjectContext.mergeChanges(
                fromRemoteContextSave: [NSDeletedObjectIDsKey: ["a text"]], into: [stack.context()])
        }
        #expect(
            result.map { String(decoding: $0.standardErrorContent, as: UTF8.self) }?
                .contains("NSManagedObjectIDs or their URLs") == true)
    }

    /// However many objects were changed, they are read at once.
    @Test("Loaded objects of a remote change are read again in one request")
    func loadedObjectsAreReadTogether() throws {
        let stack = try TestStack.books(40)
        let coordinator = stack.coordinator
        try stack.inContext { context in
            let books = try context.fetch(.books())
            for book in books { #expect(book.pages >= 0) }
            let other = NSPersistentStoreCoordinator(managedObjectModel: Library.model())
            try other.addPersistentStore(type: .sqlite, at: stack.file)
            try other.inContext { context in
                for book in try context.fetch(.books()) { book.pages += 100 }
                try context.save()
            }
            coordinator.expectReads(1) {
                NSManagedObjectContext.mergeChanges(
                    fromRemoteContextSave: [NSUpdatedObjectIDsKey: books.map(\.objectID)], into: [context])
            }
            #expect(books.allSatisfy { $0.pages >= 100 })
        }
    }
}
