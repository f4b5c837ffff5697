import CoreData
import Testing

/// Results as dictionaries.
@Suite struct DictionaryResultTests {
    private let stack: TestStack

    init() throws { stack = try SampleBooks.stack() }

    private func request(_ properties: [Any], by keys: String...) -> NSFetchRequest<NSDictionary> {
        let request = NSFetchRequest<NSDictionary>(entityName: "Book")
        request.resultType = .dictionaryResultType
        request.propertiesToFetch = properties
        request.sortDescriptors = keys.map { NSSortDescriptor(key: $0, ascending: true) }
        return request
    }

    private func expression(
        _ name: String, _ format: String, _ type: NSAttributeType
    ) -> NSExpressionDescription {
        let description = NSExpressionDescription()
        description.name = name
        description.expression = NSExpression(format: format)
        description.expressionResultType = type
        return description
    }

    @Test("A dictionary has the requested properties that have values")
    func someProperties() throws {
        try stack.inContext { context in
            let request = request(["title", "pages", "price", "isRead", "publishDate", "uuid"], by: "pages")
            request.predicate = NSPredicate(format: "title IN {'Emma', 'Été'}")
            let found = try context.fetch(request)
            try #require(found.count == 2)
            #expect(found[0]["title"] as? String == "Été" && found[0]["pages"] as? Int == -1)
            // What has no value is left out.
            #expect(Set(found[0].allKeys as? [String] ?? []) == ["title", "pages", "isRead"])
            #expect(found[1]["title"] as? String == "Emma")
            #expect(found[1]["pages"] as? Int == 474)
            #expect(found[1]["price"] as? NSDecimalNumber == NSDecimalNumber(string: "9.99"))
            #expect(found[1]["isRead"] as? Bool == true)
            #expect(found[1]["publishDate"] as? Date == Date(timeIntervalSinceReferenceDate: 1000.25))
            #expect(found[1]["uuid"] as? UUID == SampleBooks.emmaID)
            #expect(found[1].count == 6)
        }
    }

    @Test("Properties, relationships and key paths are columns of dictionaries")
    func descriptionsOfPropertiesRelationshipsAndKeyPaths() throws {
        try stack.inContext { context in
            let entity = try #require(NSEntityDescription.entity(forEntityName: "Book", in: context))
            let title = try #require(entity.propertiesByName["title"])
            let request = request([title, "author", "author.name"])
            request.predicate = NSPredicate(format: "title == 'Emma'")
            let found = try context.fetch(request)
            try #require(found.count == 1)
            #expect(found[0]["title"] as? String == "Emma")
            #expect(found[0]["author.name"] as? String == "Jane Austen")
            #expect(found[0]["author"] as? NSManagedObjectID == (try context.book("Emma").author?.objectID))
        }
    }

    @Test("Without properties to fetch, a dictionary has all stored attributes")
    func withoutAListAllStoredProperties() throws {
        try stack.inContext { context in
            let request = NSFetchRequest<NSDictionary>(entityName: "Author")
            request.resultType = .dictionaryResultType
            request.predicate = NSPredicate(format: "name BEGINSWITH 'J'")
            let found = try context.fetch(request)
            try #require(found.count == 1)
            #expect(found[0]["name"] as? String == "Jane Austen")
            #expect(found[0]["bookCount"] as? Int == 2)
            #expect(found[0]["shoutedName"] as? String == "JANE AUSTEN")
            #expect(found[0]["books"] == nil)
        }
    }

    @Test("Aggregate expressions give one dictionary for all rows")
    func aggregates() throws {
        try stack.inContext { context in
            let request = request([
                expression("most", "max:(pages)", .integer32AttributeType),
                expression("least", "min:(pages)", .integer32AttributeType),
                expression("sum", "sum:(pages)", .integer64AttributeType),
                expression("mean", "average:(rating)", .doubleAttributeType),
                expression("number", "count:(title)", .integer64AttributeType),
                expression("rated", "count:(rating)", .integer64AttributeType),
            ])
            let found = try context.fetch(request)
            try #require(found.count == 1)
            #expect(found[0]["most"] as? Int == 591)
            #expect(found[0]["least"] as? Int == -1)
            #expect(found[0]["sum"] as? Int == 1323)
            #expect(found[0]["mean"] as? Double == 4.25)
            #expect(found[0]["number"] as? Int == 6)
            #expect(found[0]["rated"] as? Int == 2)
        }
    }

    @Test("Groups of dictionaries follow the predicate and the having predicate")
    func groups() throws {
        try stack.inContext { context throws in
            let number = expression("number", "count:(title)", .integer64AttributeType)
            let request = request(["author.name", number], by: "author.name")
            request.propertiesToGroupBy = ["author.name"]
            func rows() throws -> [String] {
                try context.fetch(request).map { "\($0["author.name"] ?? "nil") \($0["number"] ?? "nil")" }
            }
            #expect(try rows() == ["nil 2", "Jane Austen 2", "Émile Zola 2"])
            request.predicate = NSPredicate(format: "pages > 0")
            #expect(try rows() == ["nil 1", "Jane Austen 2", "Émile Zola 1"])
            request.havingPredicate = NSPredicate(format: "count:(title) > 1")
            #expect(try rows() == ["Jane Austen 2"])
            request.havingPredicate = NSPredicate(format: "author.name BEGINSWITH 'J'")
            #expect(try rows() == ["Jane Austen 2"])
        }
    }

    @Test("Groups are sorted and limited by an aggregate")
    func groupsSortedByAggregate() throws {
        try stack.inContext { context throws in
            let sum = expression("sum", "sum:(pages)", .integer64AttributeType)
            let request = request(["isRead", sum], by: "sum")
            request.propertiesToGroupBy = ["isRead"]
            #expect(try context.fetch(request).map { $0["sum"] as? Int } == [258, 1065])
            request.fetchLimit = 1
            request.fetchOffset = 1
            #expect(try context.fetch(request).map { $0["isRead"] as? Bool } == [true])
        }
    }

    @Test("Distinct results leave out equal dictionaries")
    func distinctValues() throws {
        try stack.inContext { context throws in
            let request = request(["isRead"], by: "isRead")
            #expect(try context.fetch(request).count == 6)
            request.returnsDistinctResults = true
            #expect(try context.fetch(request).map { $0["isRead"] as? Bool } == [false, true])
        }
    }

    @Test("A dictionary request does not see unsaved changes")
    func unsavedChangesAreNotSeen() throws {
        try stack.inContext { context in
            try context.book("Emma").title = "Changed"
            SampleBooks.book("New", 1, nil, nil, context)
            let titles = try context.fetch(request(["title"], by: "pages")).map { $0["title"] as? String }
            #expect(titles == ["Été", "L'Œuvre", "EMMA* WAR?", "Persuasion", "Emma", "Germinal"])
        }
    }

    @Test("Contradictory or unknown parts of a dictionary request are errors that name them")
    func contradictoryRequests() throws {
        try stack.inContext { context throws in
            func text(_ change: (NSFetchRequest<NSDictionary>) -> Void) throws -> String {
                let request = request(["title"])
                change(request)
                let failure = try error { _ = try context.fetch(request) }
                #expect(failure.domain == NSCocoaErrorDomain && failure.code == 134060)
                return failure.localizedDescription
            }
            #expect(
                try text { $0.havingPredicate = NSPredicate(value: true) }.contains("propertiesToGroupBy"))
            #expect(
                try text {
                    $0.resultType = .managedObjectResultType
                    $0.propertiesToGroupBy = ["title"]
                }.contains("dictionaryResultType"))
            #expect(try text { $0.propertiesToFetch = ["nothing"] }.contains("nothing"))
            #expect(try text { $0.propertiesToFetch = ["note"] }.contains("note"))
            #expect(try text { $0.propertiesToGroupBy = ["author.books"] }.contains("author.books"))
            #expect(try text { $0.propertiesToFetch = [NSExpressionDescription()] }.contains("no expression"))
            #expect(try text { $0.propertiesToFetch = [7] }.contains("7"))
        }
    }

    @Test("A to-many relationship is refused as a column of dictionaries")
    func toManyRelationshipIsNotAColumn() throws {
        try stack.inContext { context in
            let request = NSFetchRequest<NSDictionary>(entityName: "Author")
            request.resultType = .dictionaryResultType
            request.propertiesToFetch = ["books"]
            let failure = try error { _ = try context.fetch(request) }
            #expect(failure.localizedDescription.contains("books"))
        }
    }

    @Test("A having predicate and a sort descriptor may use the name of a computed column")
    func groupsByNamesOfTheirColumns() throws {
        try stack.inContext { context throws in
            let total = expression("total", "sum:(price)", .decimalAttributeType)
            let request = request(["author.name", total], by: "total")
            request.propertiesToGroupBy = ["author.name"]
            request.havingPredicate = NSPredicate(format: "total > 1 AND count:(title) == 2")
            let found = try context.fetch(request)
            #expect(found.map { $0["author.name"] as? String } == ["Émile Zola", "Jane Austen"])
            #expect(
                found.map { $0["total"] as? NSDecimalNumber } == [
                    NSDecimalNumber(string: "12.5"), NSDecimalNumber(string: "14.99"),
                ])
        }
    }

    @Test("Counts and aggregates of to-many relationships are columns of dictionaries")
    func rowsOfRelationships() throws {
        try stack.inContext { context throws in
            let request = NSFetchRequest<NSDictionary>(entityName: "Author")
            request.resultType = .dictionaryResultType
            request.propertiesToFetch = [
                "name", expression("count", "books.@count", .integer64AttributeType),
                expression("thick", "SUBQUERY(books, $b, $b.pages > 300).@count", .integer64AttributeType),
                expression("value", "books.@sum.price", .decimalAttributeType),
                expression("pages", "max:(books.pages)", .integer64AttributeType),
            ]
            request.sortDescriptors = [NSSortDescriptor(key: "value", ascending: false)]
            let found = try context.fetch(request)
            #expect(found.map { $0["name"] as? String } == ["Jane Austen", "Émile Zola", nil])
            #expect(found.map { $0["count"] as? Int } == [2, 2, 1])
            #expect(found.map { $0["thick"] as? Int } == [1, 1, 0])
            #expect(found.map { $0["pages"] as? Int } == [474, 591, -1])
            #expect(found.first?["value"] as? NSDecimalNumber == NSDecimalNumber(string: "14.99"))
        }
    }

    @Test("Computed decimals are exact")
    func decimalsAreAddedAsDecimals() throws {
        try TestStack().inContext { context throws in
            for index in 0..<10 { SampleBooks.book("\(index)", 1, "0.1", nil, context) }
            try context.save()
            let request = request([
                expression("sum", "sum:(price)", .decimalAttributeType),
                expression("average", "average:(price)", .decimalAttributeType),
                expression("double", "max:(price * 3)", .decimalAttributeType),
            ])
            let found = try #require(try context.fetch(request).first)
            #expect(found["sum"] as? NSDecimalNumber == 1)
            #expect(found["average"] as? NSDecimalNumber == NSDecimalNumber(string: "0.1"))
            #expect(found["double"] as? NSDecimalNumber == NSDecimalNumber(string: "0.3"))
        }
    }

    @Test("Distinct results change nothing for a fetch of objects")
    func objectsAreDistinctAnyway() throws {
        try stack.inContext { context throws in
            let request = NSFetchRequest<Book>.books(by: "title")
            let books = try context.fetch(request)
            request.returnsDistinctResults = true
            #expect(try context.fetch(request) == books && !books.isEmpty)
            #expect(try context.count(for: request) == books.count)
        }
    }
}
