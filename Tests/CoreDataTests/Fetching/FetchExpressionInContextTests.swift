import CoreData
import Testing

/// Fetch expressions are evaluated by the context that they name.
@Suite struct FetchExpressionInContextTests {
    @Test("A fetch expression returns objects or their count from its context")
    func expressionFetchesAndCounts() throws {
        try SampleBooks.stack().inContext { context in
            let request = NSFetchRequest<Book>.books(by: "pages", limit: 2, offset: 0)
            let expected = try context.titles(request)
            #expect(expected.count == 2)
            let variables = NSMutableDictionary(dictionary: ["r": request, "c": context])
            let fetch = NSFetchRequestExpression.expression(
                forFetch: NSExpression(forVariable: "r"), context: NSExpression(forVariable: "c"),
                countOnly: false)
            let books = try fetch.value(with: nil, context: variables) as? [Book]
            #expect(books?.map(\.title) == expected)
            let count = try NSExpression(parsing: "FETCH($r, $c, YES)")
            #expect(try count.value(with: nil, context: variables) as? Int == 2)
        }
    }
}
