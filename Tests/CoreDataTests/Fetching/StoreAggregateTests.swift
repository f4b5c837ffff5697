import CoreData
import Testing

/// Aggregates are computed over what is saved.
@Suite struct StoreAggregateTests {
    @Test("An aggregate of a dictionary request leaves out unsaved changes")
    func unsavedChangesDoNotCount() throws {
        try SampleBooks.stack().inContext { context in
            let sum = NSExpressionDescription()
            sum.name = "sum"
            sum.expression = NSExpression(format: "sum:(pages)")
            sum.resultType = .integer64
            let request = NSFetchRequest<NSDictionary>(entityName: "Book")
            request.resultType = .dictionaryResultType
            request.propertiesToFetch = [sum]
            let before = try #require(try context.fetch(request).first?["sum"] as? Int)
            let germinal = try context.book("Germinal")
            germinal.pages += 1000
            request.includesPendingChanges = true
            #expect(!request.includesPendingChanges)
            #expect(try context.fetch(request).first?["sum"] as? Int == before)
            try context.save()
            #expect(try context.fetch(request).first?["sum"] as? Int == before + 1000)
        }
    }
}
