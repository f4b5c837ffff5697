import CoreData
import Foundation
import Testing

/// IDs that an object had before the root saved it, in conditions of other contexts of the family; the stores that objects
/// were assigned to.
@Suite struct FamilyIdentityTests {
    /// An author and a book of his in the root, not saved, as the leaf has them.
    private func unsaved(_ family: ContextFamily) throws -> (
        author: NSManagedObjectID, other: NSManagedObjectID
    ) {
        try family.root.event { root throws in
            let author = Author(context: root)
            author.name = "author"
            let book = root.insertBook("book")
            book.author = author
            let other = Author(context: root)
            other.name = "other"
            return (author.objectID, other.objectID)
        }
    }

    private func titles(_ leaf: NSManagedObjectContext, _ format: String, _ id: Any) throws -> [String] {
        try leaf.titles(.books(format, [id]))
    }

    @Test("A temporary ID works in conditions before and after the root's save")
    func temporaryIDsInConditions() throws {
        let family = try ContextFamily()
        let (author, other) = try unsaved(family)
        for isSaved in [false, true] {
            if isSaved { try family.root.saveAndWait() }
            try family.grandchild.event { leaf throws in
                #expect(author.isTemporaryID)
                #expect(try titles(leaf, "author == %@", author) == ["book"])
                #expect(try titles(leaf, "author IN %@", [other, author]) == ["book"])
                #expect(try titles(leaf, "author IN %@", NSSet(object: author)) == ["book"])
                #expect(try titles(leaf, "author == %@", other) == [])
                #expect(try titles(leaf, "NOT author == %@", other) == ["book"])
                #expect(try leaf.count(for: NSFetchRequest<Book>.books("author == %@", [author])) == 1)
                leaf.reset()
            }
        }
    }

    @Test("A condition on a temporary ID works when the root saves in the middle of the fetch")
    func rootSavesDuringAFetch() throws {
        let family = try ContextFamily()
        let (author, _) = try unsaved(family)
        try family.grandchild.event { leaf throws in
            leaf.insertBook("own")
            // The fetch processes the insertion, which is reported before the parents fetch.
            let token = NotificationCenter.default.addObserver(
                forName: .NSManagedObjectContextObjectsDidChange, object: leaf, queue: nil
            ) { _ in try? family.root.saveAndWait() }
            defer { NotificationCenter.default.removeObserver(token) }
            #expect(try titles(leaf, "author == %@", author) == ["book"])
        }
        #expect(try family.storedTitles() == ["book"])
    }

    @Test("A fetch by affected stores in a grandchild uses a store assigned in the root")
    func assignedStoreIsKnownAtThreeLevels() throws {
        let folders = [try StoreFolder(), try StoreFolder()]
        let coordinator = try folders[0].open(Library.model())
        let second = try coordinator.addPersistentStore(type: .sqlite, at: folders[1].file)
        let root = coordinator.context()
        let leaf = ContextFamily.child(of: ContextFamily.child(of: root))
        try root.event { root in
            let book = root.insertBook("second")
            root.assign(book, to: second)
            root.insertBook("first")
        }
        try leaf.event { leaf throws in
            for book in try leaf.fetch(.books()) { book.pages = 7 }
            let request = NSFetchRequest<Book>.books("pages == 7")
            request.affectedStores = [second]
            #expect(try leaf.titles(request) == ["second"])
        }
    }
}
