import CoreData
import Testing

/// What unsaved changes do to fetches.
@Suite struct PendingFetchTests {
    private let stack: TestStack

    init() throws { stack = try SampleBooks.stack() }

    @Test("A fetch includes unsaved insertions, updates and deletions")
    func insertsUpdatesAndDeletesCount() throws {
        try stack.inContext { context in
            SampleBooks.book("New", 700, nil, nil, context)
            try context.book("Emma").pages = 1
            try context.book("L'Œuvre").pages = 800
            context.delete(try context.book("Germinal"))
            let request = NSFetchRequest<Book>.books("pages > 200", by: "pages")
            #expect(try context.titles(request) == ["Persuasion", "New", "L'Œuvre"])
            #expect(try context.count(for: request) == 3)
        }
    }

    @Test("A fetch without pending changes matches the stored values")
    func withoutPendingChanges() throws {
        try stack.inContext { context in
            SampleBooks.book("New", 700, nil, nil, context)
            let emma = try context.book("Emma")
            emma.pages = 1
            context.delete(try context.book("Germinal"))
            let request = NSFetchRequest<Book>.books("pages > 200", by: "pages")
            request.includesPendingChanges = false
            let found = try context.fetch(request)
            #expect(found.map(\.title) == ["Persuasion", "Emma", "Germinal"])
            #expect(try context.count(for: request) == 3)
            // The objects themselves keep their changes.
            #expect(found[1] === emma && emma.pages == 1)
            #expect(found[2].isDeleted)
            request.fetchLimit = 1
            request.fetchOffset = 1
            #expect(try context.titles(request) == ["Emma"])
        }
    }

    @Test("A count result includes unsaved objects unless pending changes are excluded")
    func countsAsAResult() throws {
        try stack.inContext { context throws in
            SampleBooks.book("New", 700, nil, nil, context)
            let request = NSFetchRequest<NSNumber>(entityName: "Book")
            request.resultType = .countResultType
            #expect(try context.fetch(request) == [7])
            request.includesPendingChanges = false
            #expect(try context.fetch(request) == [6])
        }
    }

    @Test("A fetch of IDs includes those of unsaved objects in order")
    func identifiersOfUnsavedObjects() throws {
        try stack.inContext { context in
            let new = SampleBooks.book("New", 700, nil, nil, context)
            let request = NSFetchRequest<NSManagedObjectID>(entityName: "Book")
            request.resultType = .managedObjectIDResultType
            request.sortDescriptors = [NSSortDescriptor(key: "pages", ascending: false)]
            let germinal = try context.book("Germinal").objectID
            #expect(try context.fetch(request).prefix(2) == [new.objectID, germinal])
            request.includesPendingChanges = false
            #expect(try context.fetch(request).first == germinal)
        }
    }

    @Test("A fetch returns the same instances for known objects")
    func fetchReturnsTheSameObjects() throws {
        try stack.inContext { context throws in
            let new = SampleBooks.book("New", 700, nil, nil, context)
            let emma = try context.book("Emma")
            #expect(try context.book("Emma") === emma)
            #expect(try context.book("New") === new)
        }
    }

    @Test("A fetch sees another context's changes once they are saved")
    func otherContextsChangesCountOnceSaved() throws {
        try stack.inContext { other in
            SampleBooks.book("New", 700, nil, nil, other)
            #expect(try stack.inContext { try $0.count(for: .books()) } == 6)
            try other.save()
            #expect(try stack.inContext { try $0.count(for: .books()) } == 7)
        }
    }

    @Test("A fetch by a relationship sees unsaved changes of the relationship")
    func unsavedRelationshipChanges() throws {
        try stack.inContext { context in
            let austen = try #require(try context.book("Emma").author)
            try context.book("Emma").author = nil
            try context.book("Germinal").author = austen
            #expect(
                try context.titles(.books("author == %@", [austen], by: "title")) == [
                    "Germinal", "Persuasion",
                ])
            #expect(
                try context.titles(.books("author.name == 'Jane Austen'", by: "title")) == [
                    "Germinal", "Persuasion",
                ])
            #expect(try context.titles(.books("author == nil", by: "title")) == ["EMMA* WAR?", "Emma"])
        }
    }

    @Test("A condition on an unsaved destination finds unsaved references to it")
    func unsavedAuthorHasOnlyUnsavedBooks() throws {
        try stack.inContext { context in
            let author = Author(context: context)
            author.name = "New"
            #expect(try context.fetch(.books("author == %@", [author])).isEmpty)
            try context.book("Emma").author = author
            #expect(try context.titles(.books("author == %@", [author])) == ["Emma"])
        }
    }

    @Test("After a rollback a fetch returns the stored objects")
    func rollbackRestoresResults() throws {
        try stack.inContext { context in
            SampleBooks.book("New", 700, nil, nil, context)
            context.delete(try context.book("Emma"))
            #expect(try context.count(for: .books()) == 6)
            context.rollback()
            #expect(try context.count(for: .books()) == 6)
            #expect(try context.titles(.books("title IN {'New', 'Emma'}")) == ["Emma"])
        }
    }
}
