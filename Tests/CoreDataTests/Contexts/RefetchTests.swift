import CoreData
import Testing

/// What a context shows after others saved, and what it keeps of its own.
@Suite struct RefetchTests {
    private let folder: StoreFolder
    private let coordinator: NSPersistentStoreCoordinator

    init() throws {
        folder = try StoreFolder()
        NSManagedObjectModel.register(Author.self, Book.self)
        coordinator = try folder.open(Library.model())
    }

    @Test("A refreshing refetch shows derived values that another context changed")
    func refetchRefreshesDerivedValues() throws {
        try coordinator.inContext { context in
            let author = try context.insert("Author", ["name": "author"])
            try context.insert(
                "Book", ["title": "book", "author": author, "price": NSDecimalNumber(value: 2)])
            try context.save()
        }
        try coordinator.inContext { context in
            let author = try context.only("Author")
            #expect(author.value(forKey: "totalPrice") as? NSDecimalNumber == 2)
            try coordinator.inContext { context in
                try context.only("Book").setValue(NSDecimalNumber(value: 3), forKey: "price")
                try context.save()
            }
            let request = NSFetchRequest<NSManagedObject>(entityName: "Author")
            request.shouldRefreshRefetchedObjects = true
            #expect(try context.fetch(request) == [author])
            #expect(author.value(forKey: "totalPrice") as? NSDecimalNumber == 3)
        }
    }

    @Test("A conflict resolved by rollback restores transient defaults")
    func rollbackConflictRestoresTransientDefaults() throws {
        try coordinator.inContext { context in
            try context.insert("Book", ["title": "old"])
            try context.save()
        }
        try coordinator.inContext { context in
            context.mergePolicy = NSMergePolicy.rollback
            let book = try context.only("Book")
            book.setValue(8, forKey: "score")
            book.setValue("mine", forKey: "title")
            try coordinator.inContext { context in
                try context.only("Book").setValue("theirs", forKey: "title")
                try context.save()
            }
            try context.save()
            #expect(book.value(forKey: "title") as? String == "theirs")
            #expect(book.value(forKey: "score") as? Int == 7)
        }
    }

    @Test("Turning automatic merging on twice merges each save once")
    func automaticMergingIsSubscribedOnce() throws {
        let context = coordinator.context()
        context.automaticallyMergesChangesFromParent = true
        context.automaticallyMergesChangesFromParent = true
        let log = NotificationLog(.NSManagedObjectContextDidMergeChangesObjectIDs, from: context)
        try coordinator.inContext { context in
            try context.insert("Book", ["title": "new"])
            try context.save()
        }
        context.performAndWait {}
        #expect(log.all.count == 1)
    }

    @Test("An object whose deletion was saved can be inserted again with its values")
    func deletedObjectIsInsertedAgain() throws {
        try coordinator.inContext { context in
            let book = try context.insert("Book", ["title": "kept", "pages": 12])
            try context.save()
            context.refresh(book, mergeChanges: false)
            context.delete(book)
            try context.save()
            context.insert(book)
            #expect(book.value(forKey: "title") as? String == "kept")
            try context.save()
            #expect(try folder.stored("ZTITLE", "ZPAGES", in: "ZBOOK") == ["text 'kept'", "integer 12"])
        }
    }

    @Test("A condition on an object does not match one of another table with the same key")
    func sameKeyOfAnotherTable() throws {
        try coordinator.inContext { context in
            let author = try context.insert("Author", ["name": "author"])
            let book = try context.insert("Book", ["title": "book", "author": author])
            try context.save()
            #expect(author.objectID.uriRepresentation().lastPathComponent == "p1")
            #expect(book.objectID.uriRepresentation().lastPathComponent == "p1")
            for (format, object, count) in [
                ("author == %@", author, 1), ("author == %@", book, 0), ("author IN {%@}", book, 0),
                ("SELF == %@", author, 0), ("SELF == %@", book, 1), ("author != %@", book, 1),
            ] {
                let found = try context.all("Book", where: NSPredicate(format: format, object))
                #expect(found.count == count, "\(format) \(object.entity.name ?? "")")
            }
        }
    }

    @Test(
        "Limits and offsets of any size work over unsaved changes",
        arguments: [(Int.max, 1), (1, Int.max), (Int.max, Int.max), (Int.max, 0)])
    func windowsOfAnySize(_ limit: Int, _ offset: Int) throws {
        try coordinator.inContext { context in
            try context.insert("Author", ["name": "a"])
            try context.insert("Author", ["name": "c"])
            try context.save()
            try context.all("Author", by: "name")[0].setValue("b", forKey: "name")
            let request = NSFetchRequest<NSManagedObject>(entityName: "Author")
            request.sortDescriptors = [NSSortDescriptor(key: "name", ascending: true)]
            request.fetchLimit = limit
            request.fetchOffset = offset
            let names = try context.fetch(request).map { $0.value(forKey: "name") as? String }
            #expect(names == (offset == 0 ? ["b", "c"] : offset == 1 ? ["c"] : []))
            #expect(try context.count(for: request) == names.count)
        }
    }

    @Test("An empty string is stored and found as a string")
    func emptyString() throws {
        try coordinator.inContext { context in
            try context.insert("Author", ["name": ""])
            try context.insert("Author", ["name": "x"])
            try context.save()
            let stored = try folder.rows("SELECT typeof(ZSHOUTEDNAME) FROM ZAUTHOR ORDER BY ZNAME")
            #expect(stored == [["text".databaseValue], ["text".databaseValue]])
            let empty = NSPredicate(format: "name == %@", "")
            #expect(try context.all("Author", where: empty).count == 1)
            #expect(try context.all("Author", where: NSPredicate(format: "name == ''")).count == 1)
        }
    }

    @Test("Unsaved objects are sorted by name as the store sorts them")
    func unsavedObjectsAreSortedAsStored() throws {
        let names = ["z", "Z", "a", "é", "e\u{301}", "ß", "😀", "\u{FFFD}", "ab", "aB", "_", "", "Ä"]
        try coordinator.inContext { context in
            for name in names.enumerated() where name.offset % 2 == 0 {
                try context.insert("Author", ["name": name.element])
            }
            try context.save()
            for name in names.enumerated() where name.offset % 2 == 1 {
                try context.insert("Author", ["name": name.element])
            }
            let before = try context.all("Author", by: "name").map { $0.value(forKey: "name") as? String }
            try context.save()
            let after = try context.all("Author", by: "name").map { $0.value(forKey: "name") as? String }
            #expect(before.map { $0.map { Array($0.utf8) } } == after.map { $0.map { Array($0.utf8) } })
        }
    }

    @Test(
        "A missing value matches the same conditions before and after a save",
        arguments: [
            "NOT (uppercase:(name) == 'Y')", "uppercase:(name) != 'Y'", "NOT (lowercase:(name) IN {'y'})",
        ])
    func missingValuesBeforeAndAfterASave(_ format: String) throws {
        try coordinator.inContext { context in
            try context.insert("Author", ["name": "x"])
            try context.insert("Author")
            let predicate = NSPredicate(format: format)
            let unsaved = try context.all("Author", where: predicate).count
            try context.save()
            #expect(try context.all("Author", where: predicate).count == unsaved)
        }
    }
}
