import CoreData
import Testing

@testable import CoreDataSQL
@testable import CoreDataSQLite
@testable import ObjectGraph

/// What a database cannot compute is computed from rows, with the same result.
@Suite struct DecidedQueryTests {
    /// The store of the sample books, and what puts queries before a poor database.
    private struct Books {
        let store: any ObjectStore
        let storedEntity: StoredEntity
        let compiler: FetchCompiler

        init(_ context: NSManagedObjectContext) throws {
            let coordinator = try #require(context.persistentStoreCoordinator)
            let entity = try #require(coordinator.managedObjectModel.entitiesByName["Book"])
            store = try #require(coordinator.stores(for: entity).first)
            storedEntity = try #require(store.storedEntity(of: entity))
            compiler = FetchCompiler(
                schema: .design(storedEntities: store.storedEntities, dialect: PoorDialect()))
        }

        func titles(_ rows: RowList) throws -> [String] {
            let slot = storedEntity.layout.slots[try #require(storedEntity.layout.index(of: "title"))].rowSlot
            return rows.map { $0.string(slot) }
        }
    }

    @Test(
        "A condition that the database cannot evaluate is evaluated on rows, with the same result",
        arguments: PredicateAgreementTests.text + PredicateAgreementTests.logic
            + PredicateAgreementTests.nothing)
    func rowsDecideConditions(_ condition: PredicateAgreementTests.Condition) throws {
        try SampleBooks.stack().inContext { context in
            let books = try Books(context)
            var query = FetchQuery(storedEntity: books.storedEntity)
            query.predicate = NSPredicate(format: condition.format, argumentArray: condition.arguments)
            let rows = try DecidedQuery(query, books.compiler).rows(of: books.store)
            #expect(try books.titles(rows).sorted() == condition.titles.sorted())
        }
    }

    @Test("The database filters by the parts of a condition that it can evaluate")
    func databaseNarrows() throws {
        try SampleBooks.stack().inContext { context in
            let books = try Books(context)
            var query = FetchQuery(storedEntity: books.storedEntity)
            query.predicate = NSPredicate(format: "pages > 10 AND title CONTAINS[c] 'MM' AND isRead == YES")
            let decided = try DecidedQuery(query, books.compiler)
            #expect(decided.narrowed.predicate == NSPredicate(format: "pages > 10 AND isRead == YES"))
            #expect(try books.titles(decided.rows(of: books.store)) == ["Emma"])
        }
    }

    @Test("Rows are sorted in memory where the database lacks the order, with a limit and an offset")
    func rowsAreOrdered() throws {
        try SampleBooks.stack().inContext { context in
            let books = try Books(context)
            var query = FetchQuery(storedEntity: books.storedEntity)
            query.predicate = NSPredicate(format: "title CONTAINS[c] 'm'")
            query.sortDescriptors = [
                NSSortDescriptor(
                    key: "title", ascending: false, selector: Selector("caseInsensitiveCompare:"))
            ]
            query.limit = 2
            query.offset = 1
            #expect(throws: SQLObstacle.self) { try books.compiler.keys(query) }
            let rows = try DecidedQuery(query, books.compiler).rows(of: books.store)
            #expect(try books.titles(rows) == books.titles(books.store.rows(for: query)))
            #expect(rows.count == 2)
        }
    }

    @Test("Dictionaries with values that the database cannot compute are made from rows")
    func dictionariesAreMade() throws {
        try SampleBooks.stack().inContext { context in
            let books = try Books(context)
            var query = FetchQuery(storedEntity: books.storedEntity)
            query.resultType = .dictionaryResultType
            query.predicate = NSPredicate(format: "author.books.@count > 1 AND title CONTAINS 'm'")
            let name = NSExpressionDescription()
            name.name = "capitals"
            name.expression = NSExpression(format: "uppercase:(title)")
            name.expressionResultType = .stringAttributeType
            query.properties = [name]
            query.sortDescriptors = [NSSortDescriptor(key: "title", ascending: true)]
            #expect(throws: SQLObstacle.self) { try books.compiler.dictionaries(query) }
            let made = try DecidedQuery(query, books.compiler).dictionaries(of: books.store)
            let found = try books.store.dictionaries(for: query)
            #expect(made.map { $0["capitals"] as? String } == found.map { $0["capitals"] as? String })
            #expect(!made.isEmpty)
        }
    }

    @Test("Outside of a fetch, what the database cannot compute is the error 134060")
    func obstaclesAreErrors() {
        let error = SQLObstacle(reason: "it is poor") as NSError
        #expect(error.domain == NSCocoaErrorDomain && error.code == 134060)
        #expect(error.localizedDescription.contains("it is poor"))
    }
}
