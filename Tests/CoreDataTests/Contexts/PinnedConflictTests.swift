import CoreData
import Testing

/// Conflicts of saves in contexts that are pinned to a generation: they are resolved by what the stores hold when the context
/// saves, for that is what must not keep keys of what is gone.
@Suite struct PinnedConflictTests {
    private let folder: StoreFolder

    init() throws { folder = try StoreFolder() }

    /// A store with owner "o", who has item "a", and owner "other", who has none.
    private func open(_ model: NSManagedObjectModel) throws -> NSPersistentStoreCoordinator {
        let coordinator = try folder.open(model)
        try coordinator.inContext { context in
            _ = try context.owner("o", items: "a")
            _ = try context.owner("other")
            try context.save()
        }
        return coordinator
    }

    /// Runs a block in a context that is pinned to what the store holds, after another one has saved what a second block says.
    private func pinned(
        _ coordinator: NSPersistentStoreCoordinator, rival: (NSManagedObjectContext) throws -> Void,
        _ body: (NSManagedObjectContext, _ owner: NSManagedObject) throws -> Void
    ) throws {
        try coordinator.inContext { context in
            context.mergePolicy = NSMergePolicy.mergeByPropertyObjectTrump
            try context.setQueryGenerationFrom(.current)
            let owner = try #require(try context.named("o", "Owner"))
            _ = owner.names("items")
            try coordinator.inContext { other in
                try rival(other)
                try other.save()
            }
            try body(context, owner)
        }
    }

    private func addItem(_ context: NSManagedObjectContext) throws {
        try context.insert("Item", ["name": "new", "owner": try #require(try context.named("o", "Owner"))])
    }

    /// How many items lead to owners that are not there.
    private var danglingKeys: String {
        get throws {
            try folder.value(
                "SELECT COUNT(*) FROM ZITEM WHERE ZOWNER NOT IN (SELECT Z_PK FROM ZOWNER)"
            ).description
        }
    }

    @Test("A deletion in a pinned context clears references that it cannot see")
    func deletionClearsUnseenReferences() throws {
        try pinned(try open(OwnerModel.model()), rival: addItem) { context, owner in
            let token = context.queryGenerationToken
            context.delete(owner)
            try context.save()
            #expect(try danglingKeys == "0")
            #expect(context.queryGenerationToken != token && context.queryGenerationToken != .current)
            #expect(try context.names("Item") == ["a", "new"])
        }
    }

    @Test("A deletion in a pinned context cascades to objects that it cannot see")
    func deletionCascadesToUnseenObjects() throws {
        try pinned(try open(OwnerModel.model(.cascadeDeleteRule)), rival: addItem) { context, owner in
            context.delete(owner)
            try context.save()
            #expect(try context.names("Item") == [] && context.names("Owner") == ["other"])
        }
    }

    @Test("An object that a pinned context cannot see denies a deletion")
    func unseenObjectDeniesDeletion() throws {
        let coordinator = try open(OwnerModel.model(.denyDeleteRule))
        try pinned(coordinator, rival: addItem) { context, owner in
            let token = context.queryGenerationToken
            for item in try context.all("Item") { context.delete(item) }
            context.delete(owner)
            #expect(try error { try context.save() }.code == 1600)
            // All is as before the save.
            #expect(owner.isDeleted && context.deletedObjects.count == 2)
            #expect(context.queryGenerationToken == token)
            #expect(try context.names("Owner") == ["other"])
            context.rollback()
            #expect(try context.names(of: "o", "Owner", "items") == ["a"])
            try context.setQueryGenerationFrom(nil)
            context.refreshAllObjects()
            #expect(try context.names(of: "o", "Owner", "items") == ["a", "new"])
        }
    }

    @Test("An object restored by a conflict does not refer to a deleted object")
    func restoredObjectHasNoDanglingReference() throws {
        try pinned(try open(OwnerModel.model())) { context in
            for entity in ["Item", "Owner"] {
                context.delete(try #require(try context.named(entity == "Item" ? "a" : "o", entity)))
            }
        } _: { context, _ in
            let item = try #require(try context.named("a", "Item"))
            item.setValue("mine", forKey: "name")
            try context.save()
            #expect(item.one("owner") == nil)
            #expect(try context.names("Item") == ["mine"] && context.names("Owner") == ["other"])
            #expect(try danglingKeys == "0")
        }
    }

    /// A saved object takes the unique value of another one, to which others lead by now, one way.
    @Test("References that a pinned context cannot see move to the object with the unique value")
    func unseenReferencesFollowUniqueness() throws {
        let book = NSEntityDescription("Book", attribute("isbn", .string))
        book.uniquenessConstraints = [["isbn"]]
        let loan = NSEntityDescription("Loan", attribute("name", .string))
        loan.relate("book", to: book)
        let coordinator = try folder.open(NSManagedObjectModel(of: book, loan))
        try coordinator.inContext { context in
            for isbn in ["1", "2"] { try context.insert("Book", ["isbn": isbn]) }
            try context.save()
            context.mergePolicy = NSMergePolicy.mergeByPropertyObjectTrump
            try context.setQueryGenerationFrom(.current)
            let books = try context.all("Book", by: "isbn")
            try coordinator.inContext { other in
                try other.insert("Loan", ["name": "new", "book": try other.all("Book", by: "isbn")[0]])
                try other.save()
            }
            #expect(try context.all("Loan").isEmpty)
            books[1].setValue("1", forKey: "isbn")
            try context.save()
            #expect(try context.only("Loan").one("book") === books[1])
            #expect(try context.only("Book") === books[1])
        }
    }
}
