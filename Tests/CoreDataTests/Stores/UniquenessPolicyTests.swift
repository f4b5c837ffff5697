import CoreData
import GRDB
import Testing

/// What merge policies make of violated uniqueness constraints.
@Suite struct UniquenessPolicyTests {
    private static let model: NSManagedObjectModel = {
        let author = NSEntityDescription("Author", attribute("name", .string))
        let page = NSEntityDescription("Page", attribute("number", .integer32))
        let tag = NSEntityDescription("Tag", attribute("text", .string))
        let loan = NSEntityDescription("Loan", attribute("by", .string))
        let novel = NSEntityDescription("Novel", attribute("genre", .string))
        let book = NSEntityDescription(
            "Book", attribute("isbn", .string), attribute("title", .string),
            attribute("copies", .integer32, defaultValue: 1), subentities: [novel])
        book.uniquenessConstraints = [["isbn"]]
        pair(author.relate("books", to: book, many: true), book.relate("author", to: author))
        pair(
            book.relate("pages", to: page, many: true, ordered: true, rule: .cascadeDeleteRule),
            page.relate("book", to: book))
        pair(book.relate("tags", to: tag, many: true), tag.relate("books", to: book, many: true))
        loan.relate("book", to: book)
        let shelf = NSEntityDescription("Shelf", attribute("name", .string))
        shelf.relate("books", to: book, many: true)
        let cover = NSEntityDescription("Cover", attribute("color", .string))
        pair(book.relate("cover", to: cover), cover.relate("book", to: book))
        cover.relationshipsByName["book"]?.isOptional = false
        return NSManagedObjectModel(of: author, page, tag, loan, book, novel, shelf, cover)
    }()

    private let folder: StoreFolder
    private let coordinator: NSPersistentStoreCoordinator

    init() throws {
        folder = try StoreFolder()
        coordinator = try folder.open(Self.model)
        try coordinator.inContext { context in
            let author = try context.insert("Author", ["name": "theirs"])
            let book = try context.insert(
                "Book", ["isbn": "1", "title": "old", "copies": 5, "author": author])
            try context.insert("Page", ["number": 1, "book": book])
            try context.insert("Book", ["isbn": "2", "title": "second"])
            try context.save()
        }
    }

    private func rows() throws -> [String] {
        try folder.rows(
            """
            SELECT b.Z_PK || ' ' || b.ZISBN || ' ' || ifnull(b.ZTITLE, '-') || ' ' || ifnull(b.ZCOPIES, '-') || ' ' ||
            ifnull(a.ZNAME, '-') FROM ZBOOK b LEFT JOIN ZAUTHOR a ON a.Z_PK = b.ZAUTHOR ORDER BY b.Z_PK
            """
        ).map { String.fromDatabaseValue($0[0]) ?? "?" }
    }

    private func book(_ isbn: String, _ context: NSManagedObjectContext) throws -> NSManagedObject {
        try #require(try context.all("Book", where: NSPredicate(format: "isbn == %@", isbn)).first)
    }

    // MARK: A new object and a stored one

    /// The rows after a new object with the first book's number, a title and an author of its own was saved.
    private func insertSame(_ policy: NSMergePolicy) throws -> [String] {
        try coordinator.inContext { context in
            context.mergePolicy = policy
            let mine = try context.insert("Author", ["name": "mine"])
            let new = try context.insert("Book", ["isbn": "1", "title": "new", "author": mine])
            try context.save()
            #expect(!context.hasChanges)
            #expect(new.managedObjectContext == nil)
            #expect(try context.all("Book").count == 2)
            #expect(try context.all("Author").count == 2)
        }
        return try rows()
    }

    @Test("The object-trump policy updates the stored row with the values that were set")
    func objectTrump() throws {
        #expect(try insertSame(.mergeByPropertyObjectTrump) == ["1 1 new 5 mine", "2 2 second 1 -"])
    }

    @Test("The overwrite policy replaces all values of the stored row")
    func overwrite() throws {
        #expect(try insertSame(.overwrite) == ["1 1 new 1 mine", "2 2 second 1 -"])
    }

    @Test(
        "Store-trump and rollback policies keep the stored row",
        arguments: [NSMergePolicy.mergeByPropertyStoreTrump, .rollback])
    func storeWins(_ policy: NSMergePolicy) throws {
        #expect(try insertSame(policy) == ["1 1 old 5 theirs", "2 2 second 1 -"])
    }

    @Test(
        "References to the new object move to the stored one",
        arguments: [
            NSMergePolicy.mergeByPropertyObjectTrump, .mergeByPropertyStoreTrump, .overwrite, .rollback,
        ])
    func referencesMoveToTheStoredObject(_ policy: NSMergePolicy) throws {
        try coordinator.inContext { context in
            context.mergePolicy = policy
            let new = try context.insert("Book", ["isbn": "1"])
            let page = try context.insert("Page", ["number": 2, "book": new])
            let tag = try context.insert("Tag", ["text": "t", "books": Set([new])])
            let loan = try context.insert("Loan", ["by": "me", "book": new])
            try context.save()
            let stored = try book("1", context)
            #expect(page.value(forKey: "book") as? NSManagedObject === stored)
            #expect(tag.value(forKey: "books") as? Set<NSManagedObject> == [stored])
            #expect(loan.value(forKey: "book") as? NSManagedObject === stored)
            let pages = try #require(stored.value(forKey: "pages") as? NSOrderedSet)
            #expect(pages.map { ($0 as? NSManagedObject)?.value(forKey: "number") as? Int } == [1, 2])
        }
        #expect(
            try folder.rows("SELECT ZBOOK FROM ZPAGE").map { $0[0] } == [1.databaseValue, 1.databaseValue])
        #expect(try folder.value("SELECT ZBOOK FROM ZLOAN") == 1.databaseValue)
        #expect(try folder.value("SELECT COUNT(*) FROM ZBOOK") == 2.databaseValue)
    }

    @Test("Unsaved changes of the stored object are kept")
    func unsavedChangesStay() throws {
        try coordinator.inContext { context in
            context.mergePolicy = NSMergePolicy.mergeByPropertyObjectTrump
            try book("1", context).setValue(9, forKey: "copies")
            try context.insert("Book", ["isbn": "1", "title": "new"])
            try context.save()
        }
        #expect(try rows()[0] == "1 1 new 9 theirs")
    }

    @Test("A new object of a subentity replaces the stored row")
    func objectOfAnotherEntityReplacesTheRow() throws {
        try coordinator.inContext { context in
            context.mergePolicy = NSMergePolicy.overwrite
            try context.insert("Novel", ["isbn": "1", "title": "new", "genre": "crime"])
            try context.save()
            let novel = try book("1", context)
            #expect(novel.entity.name == "Novel" && novel.value(forKey: "genre") as? String == "crime")
            #expect((novel.value(forKey: "pages") as? NSOrderedSet)?.count == 1)
        }
        #expect(try rows() == ["2 2 second 1 -", "3 1 new 1 -"])
    }

    // MARK: Objects of one context

    @Test("New objects with equal unique values become one under object trump")
    func newObjectsAmongThemselves() throws {
        try coordinator.inContext { context in
            context.mergePolicy = NSMergePolicy.mergeByPropertyObjectTrump
            let first = try context.insert("Book", ["isbn": "3", "title": "a", "copies": 7])
            let last = try context.insert("Book", ["isbn": "3", "title": "b"])
            try context.save()
            #expect(first.managedObjectContext != nil && last.managedObjectContext == nil)
            #expect(first.value(forKey: "title") as? String == "b")
        }
        #expect(try rows()[2...] == ["3 3 b 7 -"])
    }

    @Test(
        "Store-trump and rollback policies keep the first of several new objects",
        arguments: [NSMergePolicy.mergeByPropertyStoreTrump, .rollback])
    func firstNewObjectStays(_ policy: NSMergePolicy) throws {
        try coordinator.inContext { context in
            context.mergePolicy = policy
            for title in ["a", "b", "c"] { try context.insert("Book", ["isbn": "3", "title": title]) }
            try context.save()
        }
        #expect(try rows()[2...] == ["3 3 a 1 -"])
    }

    // MARK: A changed object and a stored one

    private func takeValues(_ policy: NSMergePolicy) throws -> [String] {
        try coordinator.inContext { context in
            context.mergePolicy = policy
            let second = try book("2", context)
            second.setValue("1", forKey: "isbn")
            second.setValue("changed", forKey: "title")
            try context.save()
            #expect(!context.hasChanges && second.managedObjectContext != nil)
        }
        return try rows()
    }

    @Test("Under object trump a changed object replaces the one with its unique value")
    func changedObjectWins() throws {
        #expect(try takeValues(.mergeByPropertyObjectTrump) == ["2 1 changed 1 -"])
        // What belonged to the other one is the winner's now.
        #expect(try folder.value("SELECT ZBOOK FROM ZPAGE") == 2.databaseValue)
    }

    @Test("Under overwrite a changed object replaces the one with its unique value")
    func changedObjectOverwrites() throws {
        #expect(try takeValues(.overwrite) == ["2 1 changed 1 -"])
    }

    @Test("References that only the store has move to the winner")
    func unknownReferencesMove() throws {
        try coordinator.inContext { context in
            let first = try book("1", context)
            try context.insert("Loan", ["by": "me", "book": first])
            try context.insert("Shelf", ["name": "top", "books": NSSet(object: first)])
            try context.save()
        }
        #expect(try takeValues(.mergeByPropertyObjectTrump) == ["2 1 changed 1 -"])
        try coordinator.inContext { context in
            let winner = try context.only("Book")
            #expect(try context.only("Loan").value(forKey: "book") as? NSManagedObject === winner)
            #expect(try context.only("Shelf").value(forKey: "books") as? NSSet == NSSet(object: winner))
        }
    }

    /// Every book takes the number of the next, and the last one a number that is in use.
    @Test(
        "A long chain of violations is resolved",
        arguments: [NSMergePolicy.mergeByPropertyStoreTrump, .rollback])
    func longChain(_ policy: NSMergePolicy) throws {
        let numbers = (100..<300).map(String.init)
        try coordinator.inContext { context in
            for number in numbers + ["end"] { try context.insert("Book", ["isbn": number, "title": number]) }
            try context.save()
        }
        try coordinator.inContext { context in
            context.mergePolicy = policy
            for (number, next) in zip(numbers, numbers.dropFirst() + ["end"]) {
                try book(number, context).setValue(next, forKey: "isbn")
            }
            try context.save()
            #expect(!context.hasChanges)
        }
        #expect(
            try folder.value("SELECT COUNT(*) FROM ZBOOK WHERE ZISBN = ZTITLE") == 201.databaseValue)
    }

    @Test("A resolution that leaves an invalid object fails the save")
    func invalidResolution() throws {
        try coordinator.inContext { context in
            context.mergePolicy = NSMergePolicy.mergeByPropertyStoreTrump
            let new = try context.insert("Book", ["isbn": "1"])
            let cover = try context.insert("Cover", ["color": "red", "book": new])
            let refusal = try error { try context.save() }
            #expect(refusal.code == 1570)
            #expect(refusal.userInfo[NSValidationKeyErrorKey] as? String == "book")
            #expect(context.insertedObjects == [new, cover])
            #expect(cover.value(forKey: "book") as? NSManagedObject === new)
        }
        #expect(try folder.value("SELECT COUNT(*) FROM ZCOVER") == 0.databaseValue)
    }

    @Test("Under store trump a changed object gets its unique value back only")
    func changedObjectKeepsOtherChanges() throws {
        #expect(try takeValues(.mergeByPropertyStoreTrump) == ["1 1 old 5 theirs", "2 2 changed 1 -"])
    }

    @Test("Under rollback a changed object gets all its values back")
    func changedObjectIsRolledBack() throws {
        #expect(try takeValues(.rollback) == ["1 1 old 5 theirs", "2 2 second 1 -"])
    }

    // MARK: Versions and constraints

    @Test("Version conflicts are resolved before constraint conflicts")
    func versionsBeforeConstraints() throws {
        let policy = Recording(merge: .mergeByPropertyObjectTrumpMergePolicyType)
        let other = try folder.open(Self.model)
        try coordinator.inContext { context in
            context.mergePolicy = policy
            let second = try book("2", context)
            second.setValue("mine", forKey: "title")
            try other.inContext { context in
                try book("2", context).setValue(8, forKey: "copies")
                try context.save()
            }
            try context.insert("Book", ["isbn": "1", "title": "new"])
            try context.save()
        }
        #expect(policy.calls == ["merge", "versions 1", "merge", "constraints 1"])
        #expect(try rows() == ["1 1 new 5 theirs", "2 2 mine 8 -"])
    }

    private final class Recording: NSMergePolicy, @unchecked Sendable {
        private(set) var calls: [String] = []

        override func resolve(mergeConflicts list: [Any]) throws {
            calls.append("merge")
            try super.resolve(mergeConflicts: list)
        }

        override func resolve(optimisticLockingConflicts list: [NSMergeConflict]) throws {
            calls.append("versions \(list.count)")
            try super.resolve(optimisticLockingConflicts: list)
        }

        override func resolve(constraintConflicts list: [NSConstraintConflict]) throws {
            calls.append("constraints \(list.count)")
            try super.resolve(constraintConflicts: list)
        }
    }

    /// Gives new objects another number.
    private final class Renumbering: NSMergePolicy, @unchecked Sendable {
        override func resolve(constraintConflicts list: [NSConstraintConflict]) throws {
            for object in list.flatMap(\.conflictingObjects) {
                object.setValue("\(object.value(forKey: "isbn") ?? "")+", forKey: "isbn")
            }
        }
    }

    @Test("A merge policy subclass resolves constraint conflicts")
    func ownPolicy() throws {
        try coordinator.inContext { context in
            context.mergePolicy = Renumbering(merge: .errorMergePolicyType)
            try context.insert("Book", ["isbn": "1"])
            try context.save()
        }
        #expect(try rows()[2...] == ["3 1+ - 1 -"])
    }

    /// SQLite distinguishes canonically equivalent strings: an object with one of them does not conflict
    /// with one that has the other.
    @Test(
        "Canonically equivalent strings are not a violation",
        arguments: [NSMergePolicy.rollback, .mergeByPropertyStoreTrump])
    func equivalentStrings(_ policy: NSMergePolicy) throws {
        let (composed, decomposed) = ("\u{E4}", "a\u{308}")
        try coordinator.inContext { context in
            try context.insert("Book", ["isbn": composed, "title": "third"])
            try context.insert("Book", ["isbn": "4", "title": "fourth"])
            try context.save()
            context.mergePolicy = policy
            let third = try #require(
                try context.all("Book", where: NSPredicate(format: "title == 'third'")).first)
            let fourth = try book("4", context)
            third.setValue("1", forKey: "isbn")
            fourth.setValue(decomposed, forKey: "isbn")
            try context.save()
        }
        let codes = try folder.rows("SELECT ZISBN FROM ZBOOK WHERE Z_PK > 2 ORDER BY Z_PK").map {
            Array((String.fromDatabaseValue($0[0]) ?? "").utf8)
        }
        #expect(codes == [Array(composed.utf8), Array(decomposed.utf8)])
    }

    /// Resolves nothing.
    private final class Idle: NSMergePolicy, @unchecked Sendable {
        override func resolve(constraintConflicts list: [NSConstraintConflict]) throws {}
    }

    @Test("A merge policy that resolves nothing fails the save")
    func idlePolicy() throws {
        try coordinator.inContext { context in
            context.mergePolicy = Idle(merge: .errorMergePolicyType)
            let book = try context.insert("Book", ["isbn": "1"])
            #expect(try error { try context.save() }.code == 134050)
            #expect(book.isInserted)
        }
        #expect(try rows().count == 2)
    }

    /// Resolves conflicts, and fails then.
    private final class Failing: NSMergePolicy, @unchecked Sendable {
        override func resolve(constraintConflicts list: [NSConstraintConflict]) throws {
            try super.resolve(constraintConflicts: list)
            throw CocoaError(.featureUnsupported)
        }
    }

    @Test(
        "A save that fails after the resolution restores the unsaved state", arguments: [UInt(1), 2, 3, 4],
        [false, true])
    func failedSaveRevertsTheResolution(_ type: UInt, _ canUndo: Bool) throws {
        let type = try #require(NSMergePolicyType(rawValue: type))
        try coordinator.inContext { context in
            if canUndo { context.undoManager = UndoManager() }
            context.mergePolicy = Failing(merge: type)
            let (first, second) = (try book("1", context), try book("2", context))
            let new = try context.insert("Book", ["isbn": "1", "title": "new"])
            let page = try context.insert("Page", ["number": 7, "book": new])
            let loan = try context.insert("Loan", ["by": "me", "book": new])
            second.setValue("1", forKey: "isbn")
            let id = new.objectID
            for _ in 0..<2 {
                #expect(try error { try context.save() }.code == CocoaError.Code.featureUnsupported.rawValue)
                #expect(context.insertedObjects == [new, page, loan])
                #expect(context.deletedObjects.isEmpty)
                #expect(new.isInserted && new.managedObjectContext === context)
                #expect(new.objectID == id && context.registeredObject(for: id) === new)
                #expect(new.value(forKey: "title") as? String == "new")
                #expect((new.value(forKey: "pages") as? NSOrderedSet)?.array as? [NSManagedObject] == [page])
                #expect(page.value(forKey: "book") as? NSManagedObject === new)
                #expect(loan.value(forKey: "book") as? NSManagedObject === new)
                #expect(second.changedValues().keys.sorted() == ["isbn"])
                #expect(second.value(forKey: "isbn") as? String == "1")
                #expect(!first.hasPersistentChangedValues && !first.isDeleted)
                #expect((first.value(forKey: "pages") as? NSOrderedSet)?.count == 1)
            }
            #expect(try rows() == ["1 1 old 5 theirs", "2 2 second 1 -"])
            context.mergePolicy = NSMergePolicy.rollback
            try context.save()
        }
        #expect(try rows() == ["1 1 old 5 theirs", "2 2 second 1 -"])
        #expect(try folder.value("SELECT COUNT(*) FROM ZPAGE WHERE ZBOOK = 1") == 2.databaseValue)
    }

    @Test("A resolution can be undone and redone")
    func resolutionCanBeUndone() throws {
        try coordinator.inContext { context in
            context.undoManager = UndoManager()
            context.mergePolicy = NSMergePolicy.mergeByPropertyObjectTrump
            let first = try book("1", context)
            try context.insert("Book", ["isbn": "1", "title": "new"])
            try context.save()
            #expect(first.value(forKey: "title") as? String == "new")
            context.undo()
            // With the insertion, which is of the same group.
            #expect(first.value(forKey: "title") as? String == "old")
            #expect(context.insertedObjects.isEmpty)
            context.redo()
            #expect(first.value(forKey: "title") as? String == "new")
            #expect(context.insertedObjects.isEmpty)
        }
    }

    @Test("A constraint conflict made by a program is resolved by the policies")
    func conflictMadeManually() throws {
        try coordinator.inContext { context in
            let stored = try book("1", context)
            let new = try context.insert("Book", ["isbn": "1"])
            let conflict = NSConstraintConflict(
                constraint: ["isbn"], database: stored, databaseSnapshot: ["isbn": "1"], conflicting: [new],
                conflictingSnapshots: [["isbn": "1", "title": NSNull()] as [AnyHashable: Any]])
            #expect(conflict.constraintValues["isbn"] as? String == "1")
            #expect(conflict.databaseSnapshot?["isbn"] as? String == "1")
            let refusal = try error { try NSMergePolicy.error.resolve(mergeConflicts: [conflict]) }
            #expect(refusal.code == 133021)
            #expect(
                refusal.userInfo[NSPersistentStoreSaveConflictsErrorKey] as? [NSConstraintConflict] == [
                    conflict
                ])
            try NSMergePolicy.rollback.resolve(mergeConflicts: [conflict])
            #expect(context.insertedObjects == [] && !stored.hasChanges)
        }
    }
}
