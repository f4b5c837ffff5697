import CoreData
import Foundation
import Testing

/// The effect of a child's save on the parent, and its notifications.
@Suite(.onEveryStore) struct ChildSavingTests {
    let family: ContextFamily
    private var root: NSManagedObjectContext { family.root }
    private var child: NSManagedObjectContext { family.child }

    init() throws {
        family = try ContextFamily()
        try family.root.event { root throws in
            root.insertBook("A").pages = 1
            root.insertBook("B").pages = 2
            try root.save()
        }
    }

    private func log(_ context: NSManagedObjectContext) -> NotificationLog {
        NotificationLog(
            .NSManagedObjectContextWillSave, .NSManagedObjectContextDidSave,
            .NSManagedObjectContextDidSaveObjectIDs, .NSManagedObjectContextObjectsDidChange, from: context)
    }

    @Test("A child's save notifies its observers and changes the parent")
    func savePostsNotifications() throws {
        let (above, below) = (log(root), log(child))
        let kept = try root.event { try $0.fetch(NSFetchRequest<Book>(entityName: "Book")) }
        try child.event { child throws in
            child.insertBook("new")
            try child.book("A").pages = 10
            child.delete(try child.book("B"))
            child.processPendingChanges()
            below.clear()
            try child.save()
        }
        #expect(
            below.names == [
                .NSManagedObjectContextWillSave, .NSManagedObjectContextDidSave,
                .NSManagedObjectContextDidSaveObjectIDs,
            ])
        try child.event { _ in
            #expect(
                below.contents(of: .NSManagedObjectContextDidSave, by: "title")
                    == [["inserted": ["new"], "updated": ["A"], "deleted": ["B"]]])
        }
        let ids = below.all.last?.userInfo?[NSInsertedObjectIDsKey] as? Set<NSManagedObjectID>
        #expect(ids?.map(\.isTemporaryID) == [true])
        #expect(above.names == [.NSManagedObjectContextObjectsDidChange])
        try root.event { root throws in
            #expect(
                above.contents(of: .NSManagedObjectContextObjectsDidChange, by: "title")
                    == [["inserted": ["new"], "updated": ["A"], "deleted": ["B"]]])
            #expect(root.insertedObjects.count == 1 && root.insertedObjects.first?.objectID == ids?.first)
            #expect(root.updatedObjects == Set(kept.filter { $0.title == "A" }))
            #expect(root.deletedObjects == Set(kept.filter { $0.title == "B" }))
        }
        try root.saveAndWait()
        #expect(try family.storedTitles() == ["A", "new"])
    }

    @Test("A child's save changes only the properties that the child changed")
    func onlyChangedPropertiesGoUp() throws {
        let book = try root.event { try $0.book("A") }
        let mine = try child.event { child throws in
            let mine = try child.book("A")
            #expect(mine.pages == 1)
            mine.title = "from the child"
            return mine
        }
        try root.event { _ throws in
            book.pages = 100
            book.title = "from the parent"
        }
        try child.saveAndWait()
        try root.event { _ throws in
            // The child's changed property wins; what it did not change stays.
            #expect(book.title == "from the child" && book.pages == 100)
            #expect(book.changedValues().keys.sorted() == ["pages", "title"])
        }
        try child.event { child throws in
            #expect(mine.pages == 1 && !child.hasChanges)
            child.refresh(mine, mergeChanges: true)
            #expect(mine.pages == 100)
        }
        try root.saveAndWait()
        try family.stack.inContext { context throws in
            #expect(try context.book("from the child").pages == 100)
        }
    }

    @Test("A child's save passes values of every type")
    func everyTypeOfValueGoesUp() throws {
        let date = Date(timeIntervalSinceReferenceDate: 86_400.25)
        let uuid = UUID()
        let values: [String: Any] = [
            "title": "Ä🎼", "publishDate": date, "price": NSDecimalNumber(string: "12.345"),
            "pages": Int32(7), "rating": 0.1, "isRead": true, "uuid": uuid,
            "url": URL(fileURLWithPath: "/a b"), "cover": Data([0, 255, 7]), "note": "kept",
            "score": Int64(9),
        ]
        func check(_ book: NSManagedObject, stored: Bool) {
            for (key, value) in values where !(stored && ["note", "score"].contains(key)) {
                #expect(
                    (book.value(forKey: key) as? NSObject) == (value as? NSObject)
                        || "\(book.value(forKey: key) ?? "nil")" == "\(value)", "\(key)")
            }
        }
        let book = try family.grandchild.event { leaf throws in
            let book = leaf.insertBook("")
            for (key, value) in values { book.setValue(value, forKey: key) }
            try leaf.save()
            check(book, stored: false)
            return book
        }
        try child.event { child throws in
            let found = try child.book("Ä🎼")
            check(found, stored: false)
            try child.save()
        }
        try root.event { root throws in
            check(try root.book("Ä🎼"), stored: false)
            try root.save()
        }
        try family.stack.inContext { check(try $0.book("Ä🎼"), stored: true) }
        try family.grandchild.event { leaf throws in
            leaf.refresh(book, mergeChanges: false)
            check(book, stored: true)
        }
    }

    @Test("A child's save passes changed transient values")
    func transientValuesGoUp() throws {
        let book = try root.event { try $0.book("A") }
        try child.event { child throws in
            let mine = try child.book("A")
            mine.note = "noted"
            #expect(child.hasChanges)
            try child.save()
            #expect(!child.hasChanges && mine.note == "noted")
        }
        try root.event { root throws in
            #expect(book.note == "noted" && book.isUpdated && !book.hasPersistentChangedValues)
        }
    }

    @Test("A child's save passes nothing for values that were set back")
    func revertedValuesDoNotGoUp() throws {
        let book = try root.event { try $0.book("A") }
        try child.event { child throws in
            let mine = try child.book("A")
            mine.pages = 5
            mine.pages = 1
            try child.save()
            #expect(!mine.isUpdated)
        }
        try root.event { root throws in #expect(!book.isUpdated && !root.hasChanges) }
    }

    @Test("A child that saves without changes posts that it saved; its parent learns nothing")
    func aSaveWithoutChanges() throws {
        let (above, below) = (log(root), log(child))
        try child.event { child throws in
            #expect(try ContextFamily.titles(child) == ["A", "B"])
            try child.save()
        }
        #expect(above.all.isEmpty)
        #expect(below.names == [.NSManagedObjectContextDidSave])
    }

    @Test("Hooks and validation run in the context that saves")
    func hooksRunInTheSavingContext() throws {
        HookedBook.log.withLock { $0 = [] }
        let family = try ContextFamily(HookedBook.model())
        try family.child.event { child throws in
            let book = HookedBook(context: child)
            book.setValue("new", forKey: "title")
            try child.save()
            #expect(book.value(forKey: "title") as? String == "willSave")
        }
        #expect(HookedBook.log.withLock { $0 } == ["awake", "validate", "didSave"])
        try family.root.event { root throws in
            #expect(
                root.insertedObjects.map { $0.value(forKey: "title") as? String } == ["willSave"])
            try root.save()
        }
        #expect(HookedBook.log.withLock { $0 } == ["awake", "validate", "didSave", "validate", "didSave"])
    }

    @Test("A store assigned in a grandchild is used by the root's save")
    func assignedStoresGoUp() throws {
        let other = family.stack.folder.appendingPathComponent("Other.sqlite")
        let store = try family.stack.coordinator.addPersistentStore(type: .sqlite, at: other)
        let book = try family.grandchild.event { leaf throws in
            let book = leaf.insertBook("there")
            leaf.assign(book, to: store)
            try leaf.save()
            return book
        }
        try child.saveAndWait()
        try root.saveAndWait()
        try family.grandchild.event { _ throws in #expect(book.objectID.persistentStore === store) }
    }

    @Test("A child has derived values after the root saved and it refreshed")
    func derivedValuesAfterRootSave() throws {
        guard StoreKind.current.derives else { return }
        let book = try child.event { child throws in
            let book = child.insertBook("Été")
            try child.save()
            return book
        }
        try root.saveAndWait()
        try child.event { child throws in
            child.refresh(book, mergeChanges: true)
            #expect(book.canonicalTitle == "ete")
        }
    }
}
