import CoreData
import Testing

/// Unsaved changes of other objects than those that are fetched count as saved ones do.
@Suite struct RelatedChangeTests {
    @Test("Fetches over a relationship see the destination's unsaved change")
    func renamedDestinationCounts() throws {
        try SampleBooks.stack().inContext { context throws in
            let zola = try #require(try context.book("Germinal").author)
            zola.name = "Aaron Zola"
            #expect(
                try context.titles(.books("author.name BEGINSWITH 'A'", by: "title")) == [
                    "Germinal", "L'Œuvre",
                ])
            #expect(try context.titles(.books("author.name BEGINSWITH 'É'")) == [])
            #expect(try context.count(for: .books("author.name BEGINSWITH 'A'")) == 2)
            #expect(try context.count(for: .books("author.name BEGINSWITH 'É'")) == 0)
            let ordered = try context.titles(
                .books("author.name != nil", by: "author.name", "title", limit: 3))
            #expect(ordered == ["Germinal", "L'Œuvre", "Emma"])
            try context.save()
            #expect(
                try context.titles(.books("author.name != nil", by: "author.name", "title", limit: 3))
                    == ordered)
        }
    }

    @Test("Conditions on members see unsaved changes and deletions of members")
    func changedMemberCounts() throws {
        try SampleBooks.stack().inContext { context throws in
            func names(_ format: String) throws -> [String] {
                let request = NSFetchRequest<Author>(entityName: "Author")
                request.predicate = NSPredicate(format: format)
                return try context.fetch(request).map { $0.name ?? "nil" }.sorted()
            }
            try context.book("Persuasion").pages = 1000
            #expect(try names("ANY books.pages == 1000") == ["Jane Austen"])
            #expect(try names("books.@max.pages == 1000") == ["Jane Austen"])
            #expect(try names("SUBQUERY(books, $b, $b.pages < 300).@count == 0") == ["Jane Austen"])
            #expect(try names("ANY books.author.books.pages == 1000") == ["Jane Austen"])
            context.delete(try context.book("Persuasion"))
            #expect(try names("ANY books.pages == 1000") == [])
            #expect(try names("books.@count == 1 AND name != nil") == ["Jane Austen"])
            context.delete(try #require(try context.book("Germinal").author))
            #expect(try context.titles(.books("author.name CONTAINS 'Zola'")) == [])
        }
    }

    @Test("An owner whose member moved away matches the same before and after a save")
    func ownerOfMovedMember() throws {
        try SampleBooks.stack().inContext { context throws in
            func names() throws -> [String] {
                let request = NSFetchRequest<Author>(entityName: "Author")
                request.predicate = NSPredicate(format: "books.@count == 1")
                return try context.fetch(request).map { $0.name ?? "nil" }.sorted()
            }
            let emma = try context.book("Emma")
            let austen = try #require(emma.author)
            let zola = try #require(try context.book("Germinal").author)
            context.refresh(austen, mergeChanges: false)
            // Its books are not loaded, and this one is among them already.
            austen.mutableSetValue(forKey: "books").add(emma)
            emma.author = zola
            let before = try names()
            #expect(before.contains("Jane Austen"))
            try context.save()
            #expect(try names() == before)
        }
    }

    @Test("A nested dictionary fetch stands for the values of its only column")
    func dictionaryFetchInCondition() throws {
        try SampleBooks.stack().inContext { context throws in
            let inner = NSFetchRequest<any NSFetchRequestResult>(entityName: "Book")
            inner.predicate = NSPredicate(format: "pages > 400")
            inner.resultType = .dictionaryResultType
            inner.propertiesToFetch = ["title"]
            let fetch = NSFetchRequestExpression.expression(
                forFetch: NSExpression(forConstantValue: inner),
                context: NSExpression(forConstantValue: context),
                countOnly: false)
            let request = NSFetchRequest<Book>.books(nil, by: "title")
            request.predicate = NSComparisonPredicate(
                leftExpression: NSExpression(forKeyPath: "title"), rightExpression: fetch, modifier: .direct,
                type: .in)
            #expect(try context.titles(request) == ["Emma", "Germinal"])
            let counting = NSFetchRequestExpression.expression(
                forFetch: NSExpression(forConstantValue: inner),
                context: NSExpression(forConstantValue: context),
                countOnly: true)
            request.predicate = NSComparisonPredicate(
                leftExpression: NSExpression(forKeyPath: "pages"), rightExpression: counting,
                modifier: .direct,
                type: .greaterThan)
            #expect(try context.fetch(request).count == 4)
        }
    }
}
