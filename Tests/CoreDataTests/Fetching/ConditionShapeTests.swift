import CoreData
import Testing

/// Conditions put together in code, and what stands in other places of a request than its predicate.
@Suite struct ConditionShapeTests {
    /// The ID of an object before its save names it in a family of contexts, in conditions on groups, too.
    @Test("A having predicate matches a saved object by its former temporary ID")
    func groupsByTemporaryID() throws {
        try TestStack().inContext { context throws in
            let child = NSManagedObjectContext(.privateQueue)
            child.parent = context
            let author = Author(context: context)
            let id = author.objectID
            #expect(id.isTemporaryID)
            SampleBooks.book("Emma", 474, nil, author, context)
            SampleBooks.book("Other", 1, nil, nil, context)
            try context.save()
            let request = NSFetchRequest<NSDictionary>(entityName: "Book")
            request.resultType = .dictionaryResultType
            request.propertiesToFetch = ["author"]
            request.propertiesToGroupBy = ["author"]
            request.havingPredicate = NSPredicate(format: "author == %@", id)
            let found = try context.fetch(request).map { $0["author"] as? NSManagedObjectID }
            #expect(found == [author.objectID])
            withExtendedLifetime(child) {}
        }
    }

    /// Also by a store that has no objects of which it could find out.
    @Test("A Swift predicate without an equivalent is refused by every store", .onEveryStore)
    func swiftOnlyPredicateIsRefused() throws {
        try TestStack().inContext { context throws in
            let request = NSFetchRequest<Book>.books()
            request.predicate = NSPredicate(#Predicate<Book> { $0.title?.first != $0.title?.last })
            let error = #expect(throws: NSError.self) { try context.fetch(request) }
            #expect(error?.code == 134060)
        }
    }

    /// What Foundation's classes answer for themselves decides nothing: their copies and their equality are wrong on Linux.
    @Test("Compound predicates of Foundation keep their meaning in copies and controllers")
    func foundationPredicatesAreKept() throws {
        try SampleBooks.stack().inContext { context throws in
            let parts = [NSPredicate(format: "pages > 400"), NSPredicate(format: "isRead == YES")]
            let all = NSCompoundPredicate(andPredicateWithSubpredicates: parts + [NSPredicate(value: true)])
            let request = NSFetchRequest<Book>.books(nil, by: "title")
            request.predicate = all
            let copy = try #require(request.copy() as? NSFetchRequest<Book>)
            request.predicate = NSCompoundPredicate(notPredicateWithSubpredicate: all)
            #expect(try context.titles(copy) == ["Emma", "Germinal"])
            #expect(try context.titles(request) == ["EMMA* WAR?", "L'Œuvre", "Persuasion", "Été"])
            let controller = NSFetchedResultsController(
                fetchRequest: copy, managedObjectContext: context, sectionNameKeyPath: nil, cacheName: nil)
            try controller.performFetch()
            // Iterating the changes makes the controller follow its context.
            let changes = controller.changes()
            #expect(controller.fetchedObjects?.map(\.title) == ["Emma", "Germinal"])
            try context.book("Persuasion").pages = 500
            try context.book("Persuasion").setValue(true, forKey: "isRead")
            context.processPendingChanges()
            #expect(controller.fetchedObjects?.map(\.title) == ["Emma", "Germinal", "Persuasion"])
            withExtendedLifetime(changes) {}
        }
    }
}
