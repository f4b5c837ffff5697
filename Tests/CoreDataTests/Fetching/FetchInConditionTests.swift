import CoreData
import Testing

/// `FETCH(request, context, countOnly)` as a part of a condition.
@Suite struct FetchInConditionTests {
    /// A request for authors, by their books.
    private func authors(_ format: String) -> NSFetchRequest<any NSFetchRequestResult> {
        let request = NSFetchRequest<any NSFetchRequestResult>(entityName: "Author")
        request.predicate = NSPredicate(format: format)
        return request
    }

    private func books(
        _ format: String, _ inner: NSFetchRequest<any NSFetchRequestResult>, _ context: NSManagedObjectContext
    ) throws -> [String] {
        let request = NSFetchRequest<Book>.books(format, [inner, context], by: "title")
        let titles = try context.titles(request)
        #expect(try context.count(for: request) == titles.count)
        return titles
    }

    @Test(
        "A nested fetch supplies objects or IDs to a condition",
        arguments: [NSFetchRequestResultType.managedObjectResultType, .managedObjectIDResultType])
    func objectsAndIDsAreElements(_ type: NSFetchRequestResultType) throws {
        try SampleBooks.stack().inContext { context throws in
            let inner = authors("ANY books.pages > 500")
            inner.resultType = type
            #expect(try books("author IN FETCH(%@, %@, NO)", inner, context) == ["Germinal", "L'Œuvre"])
            #expect(
                try books("NOT (author IN FETCH(%@, %@, NO))", inner, context)
                    == ["Emma", "Persuasion", "Été"])
            #expect(
                try books("FETCH(%@, %@, NO) CONTAINS author", inner, context) == ["Germinal", "L'Œuvre"])
            #expect(
                try books("pages > 100 AND NOT author IN FETCH(%@, %@, NO)", inner, context)
                    == ["Emma", "Persuasion"])
        }
    }

    @Test("A nested fetch works inside of subqueries, quantifiers, counts and ternaries")
    func nestedFetchInSubquery() throws {
        try SampleBooks.stack().inContext { context throws in
            let inner = NSFetchRequest<any NSFetchRequestResult>(entityName: "Book")
            inner.predicate = NSPredicate(format: "pages > 400")
            let request = NSFetchRequest<Author>(entityName: "Author")
            request.sortDescriptors = [NSSortDescriptor(key: "name", ascending: true)]
            func names(_ format: String, _ arguments: Any...) throws -> [String?] {
                request.predicate = NSPredicate(format: format, argumentArray: arguments)
                return try context.fetch(request).map(\.name)
            }
            let all = ["Jane Austen", "Émile Zola"]
            #expect(
                try names("SUBQUERY(books, $b, $b IN FETCH(%@, %@, NO)).@count == 1", inner, context) == all)
            #expect(
                try names(
                    "SUBQUERY(books, $b, NOT $b IN FETCH(%@, %@, NO)).@count == 1 AND name != nil", inner,
                    context) == all)
            #expect(try names("ANY books IN FETCH(%@, %@, NO)", inner, context) == all)
            #expect(try names("NONE books IN FETCH(%@, %@, NO)", inner, context) == [nil])
            #expect(try names("books.@count == FETCH(%@, %@, YES)", inner, context) == all)
            #expect(
                try names(
                    "TERNARY(FETCH(%@, %@, YES) == 2, name, 'x') BEGINSWITH 'J'", inner, context)
                    == ["Jane Austen"])
        }
    }

    @Test("A nested fetch includes unsaved changes, in a child context too")
    func unsavedChangesCountInside() throws {
        try SampleBooks.stack().inContext { context throws in
            let inner = authors("ANY books.pages > 500")
            try context.book("Persuasion").pages = 800
            try context.book("Germinal").pages = 1
            let new = Author(context: context)
            SampleBooks.book("New", 900, nil, new, context)
            let format = "author IN FETCH(%@, %@, NO)"
            let expected = ["Emma", "New", "Persuasion"]
            #expect(try books(format, inner, context) == expected)
            #expect(try books("NOT (\(format))", inner, context) == ["Germinal", "L'Œuvre", "Été"])
            inner.resultType = .managedObjectIDResultType
            #expect(try books(format, inner, context) == expected)
            // In a child, the parent is the context that fetches; its unsaved objects are the same ones
            // there.
            let child = NSManagedObjectContext(.privateQueue)
            child.parent = context
            let inChild = try child.performAndWait { try books(format, inner, child) }
            #expect(inChild == expected)
            try context.save()
            #expect(try books(format, inner, context) == expected)
            inner.resultType = .managedObjectResultType
            #expect(try books(format, inner, context) == expected)
        }
    }

    @Test("The request and context of a nested fetch may be substitution variables")
    func variablesAreSubstituted() throws {
        try SampleBooks.stack().inContext { context throws in
            let template = NSPredicate(format: "author IN FETCH($inner, $context, NO) AND pages > $least")
            let request = NSFetchRequest<Book>.books(nil, by: "title")
            request.predicate = template.withSubstitutionVariables([
                "inner": authors("name BEGINSWITH 'J'"), "context": context, "least": 300,
            ])
            #expect(try context.titles(request) == ["Emma"])
            request.predicate = template
            #expect(throws: NSError.self) { try context.fetch(request) }
        }
    }

    @Test("An unknown key in a nested fetch is an error that names it")
    func wrongNestedFetchIsAnError() throws {
        try SampleBooks.stack().inContext { context throws in
            let error = #expect(throws: NSError.self) {
                try books("author IN FETCH(%@, %@, NO)", authors("ghost == 1"), context)
            }
            #expect(error?.code == 134060 && error?.localizedDescription.contains("ghost") ?? false)
        }
    }
}
