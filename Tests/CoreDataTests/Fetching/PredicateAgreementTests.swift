import CoreData
import Testing

/// Every condition finds the same books in the store and among unsaved objects.
@Suite struct PredicateAgreementTests {
    struct Condition: CustomTestStringConvertible, @unchecked Sendable {
        let format: String
        let arguments: [Any]
        let titles: Set<String>
        var testDescription: String { "\(format) \(arguments)" }

        init(_ format: String, _ titles: Set<String>) { self.init(format, [], titles) }

        init(_ format: String, _ arguments: [Any], _ titles: Set<String>) {
            self.format = format
            self.arguments = arguments
            self.titles = titles
        }
    }

    private static let all: Set<String> = [
        "Emma", "Persuasion", "Germinal", "L'Œuvre", "Été", "EMMA* WAR?",
    ]

    static let text: [Condition] = [
        .init("title == 'Emma'", ["Emma"]),
        .init("'Emma' = title", ["Emma"]),
        .init("title == 'emma'", []),
        .init("title ==[c] 'EMMA'", ["Emma"]),
        .init("title ==[cd] 'ete'", ["Été"]),
        .init("title ==[d] 'Ete'", ["Été"]),
        .init("title ==[d] 'ete'", []),
        .init("title !=[cd] 'ete'", all.subtracting(["Été"])),
        .init("title != 'Emma'", all.subtracting(["Emma"])),
        .init("title < 'F'", ["Emma", "EMMA* WAR?"]),
        .init("title <[c] 'f'", ["Emma", "EMMA* WAR?"]),
        .init("title BEGINSWITH 'Em'", ["Emma"]),
        .init("title BEGINSWITH[c] 'em'", ["Emma", "EMMA* WAR?"]),
        .init("title BEGINSWITH[cd] 'e'", ["Emma", "EMMA* WAR?", "Été"]),
        .init("title BEGINSWITH ''", all),
        .init("title ENDSWITH 'nal'", ["Germinal"]),
        .init("title ENDSWITH[cd] 'TE'", ["Été"]),
        .init("title CONTAINS 'mm'", ["Emma"]),
        .init("title CONTAINS[c] 'mm'", ["Emma", "EMMA* WAR?"]),
        .init("title CONTAINS '%'", []),
        .init("'Emma and Germinal' CONTAINS title", ["Emma", "Germinal"]),
        .init("title IN 'Emma and Germinal'", ["Emma", "Germinal"]),
        .init("title LIKE 'E*'", ["Emma", "EMMA* WAR?"]),
        .init("title LIKE 'Emm?'", ["Emma"]),
        .init("title LIKE[c] 'EMM*'", ["Emma", "EMMA* WAR?"]),
        .init("title LIKE %@", [#"EMMA\* WAR\?"#], ["EMMA* WAR?"]),
        .init("title LIKE[cd] '*t*'", ["Été"]),
        .init("title MATCHES '[A-Z][a-z]+'", ["Emma", "Persuasion", "Germinal"]),
        .init("title MATCHES 'mm'", []),
        .init("title MATCHES[c] '.*EMMA.*'", ["Emma", "EMMA* WAR?"]),
        .init("title == %@", ["L'Œuvre"], ["L'Œuvre"]),
        .init("title == %@", ["'; DROP TABLE ZBOOK; --"], []),
        .init("uppercase:(title) == 'EMMA'", ["Emma"]),
        .init("lowercase:(title) == 'emma'", ["Emma"]),
        .init("length:(title) == 4", ["Emma"]),
        .init("title == authorName", []),
    ]

    static let values: [Condition] = [
        .init("pages == 474", ["Emma"]),
        .init("pages > 10", ["Emma", "Persuasion", "Germinal"]),
        .init("pages >= 10 AND pages <= 249", ["Persuasion", "EMMA* WAR?"]),
        .init("10 < pages", ["Emma", "Persuasion", "Germinal"]),
        .init("pages < 0.5", ["L'Œuvre", "Été"]),
        .init("pages BETWEEN {0, 249}", ["Persuasion", "L'Œuvre", "EMMA* WAR?"]),
        .init("pages BETWEEN %@", [[10, 10]], ["EMMA* WAR?"]),
        .init("pages BETWEEN {10, 0}", []),
        .init("abs:(pages) == 1", ["Été"]),
        .init("rating == 4.5", ["Emma"]),
        .init("rating < 5", ["Emma", "Persuasion"]),
        .init("rating > pages", []),
        .init("isRead == YES", ["Emma", "Germinal"]),
        .init("isRead == %@", [true], ["Emma", "Germinal"]),
        .init("isRead == 0", ["Persuasion", "L'Œuvre", "Été", "EMMA* WAR?"]),
        .init("isRead != TRUE", ["Persuasion", "L'Œuvre", "Été", "EMMA* WAR?"]),
        .init("price == 9.99", ["Emma"]),
        .init("price == %@", [NSDecimalNumber(string: "0.1")], ["EMMA* WAR?"]),
        .init("price == %@", [NSDecimalNumber(string: "5")], ["Persuasion"]),
        .init("price > %@", [NSDecimalNumber(string: "9.99")], ["Germinal"]),
        .init("publishDate == %@", [Date(timeIntervalSinceReferenceDate: 1000.25)], ["Emma"]),
        .init(
            "publishDate > %@", [Date(timeIntervalSinceReferenceDate: 1000.25)], ["Persuasion", "Germinal"]),
        .init(
            "publishDate BETWEEN %@",
            [[Date(timeIntervalSinceReferenceDate: 0), Date(timeIntervalSinceReferenceDate: 2000)]],
            ["Emma", "Persuasion"]),
        .init("publishDate < now()", ["Emma", "Persuasion", "Germinal"]),
        .init("uuid == %@", [SampleBooks.emmaID], ["Emma"]),
        .init("uuid IN %@", [[SampleBooks.emmaID, UUID()]], ["Emma"]),
        .init("cover == %@", [Data([1, 2])], ["Emma"]),
        .init("cover == %@", [Data()], ["Persuasion"]),
        .init("url == %@", [URL(string: "https://example.org/emma") as Any], ["Emma"]),
        .init("url != nil", ["Emma", "Persuasion", "Germinal"]),
    ]

    static let logic: [Condition] = [
        .init("TRUEPREDICATE", all),
        .init("FALSEPREDICATE", []),
        .init("NOT TRUEPREDICATE", []),
        .init("price == nil", ["L'Œuvre", "Été"]),
        .init("price != nil", ["Emma", "Persuasion", "Germinal", "EMMA* WAR?"]),
        .init("price == %@", [NSNull()], ["L'Œuvre", "Été"]),
        .init("price < nil", []),
        .init("NOT (price == nil)", ["Emma", "Persuasion", "Germinal", "EMMA* WAR?"]),
        .init("rating != 4.5", ["Persuasion"]),
        .init("NOT (rating == 4.5)", ["Persuasion"]),
        .init("rating == 4.5 OR pages == 0", ["Emma", "L'Œuvre"]),
        .init("NOT (rating == 4.5 OR pages == 0)", ["Persuasion"]),
        .init("NOT (rating == 4.5 AND pages == 0)", all.subtracting(["L'Œuvre"])),
        .init(
            "(pages > 400 OR isRead == NO) AND NOT title BEGINSWITH 'E'",
            ["Persuasion", "Germinal", "L'Œuvre", "Été"]),
        .init("title IN {'Emma', 'Germinal', 'x'}", ["Emma", "Germinal"]),
        .init("title IN[c] {'EMMA', 'x'}", ["Emma"]),
        .init("NOT title IN {'Emma', 'Germinal'}", all.subtracting(["Emma", "Germinal"])),
        .init("pages IN {0, 10}", ["L'Œuvre", "EMMA* WAR?"]),
        .init("title IN %@", [[String]()], []),
        .init("NOT title IN %@", [[String]()], all),
        .init("rating IN %@", [[Double]()], []),
        .init("NOT rating IN %@", [[Double]()], all),
        .init("NOT rating IN {4.5}", ["Persuasion"]),
        .init("rating IN %@", [[4.5, NSNull()] as [Any]], ["Emma"]),
        .init("author == nil", ["EMMA* WAR?"]),
        .init("author != nil", all.subtracting(["EMMA* WAR?"])),
        .init("author.name == 'Jane Austen'", ["Emma", "Persuasion"]),
        .init("author.name != 'Jane Austen'", ["Germinal", "L'Œuvre"]),
        .init("author.name == nil", ["Été", "EMMA* WAR?"]),
        .init("author.name CONTAINS[cd] 'emile'", ["Germinal", "L'Œuvre"]),
        .init("author.name BEGINSWITH 'J' AND author.name ENDSWITH 'n'", ["Emma", "Persuasion"]),
        .init("SELF.title == 'Emma'", ["Emma"]),
        .init("%K == %@", ["title", "Emma"], ["Emma"]),
        .init("%K > %d", ["pages", 400], ["Emma", "Germinal"]),
    ]

    /// Constants of another type that stands for the attribute's.
    static let converted: [Condition] = [
        .init("publishDate > 1500", ["Persuasion", "Germinal"]),
        .init("publishDate == 1000.25", ["Emma"]),
        .init("url == 'https://example.org/emma'", ["Emma"]),
        .init("url BEGINSWITH 'https'", ["Emma", "Persuasion"]),
        .init("url CONTAINS[c] 'EXAMPLE.NET'", ["Germinal"]),
        .init("url IN %@", [["https://example.org/emma"]], ["Emma"]),
        .init("uuid == %@", [SampleBooks.emmaID.uuidString], ["Emma"]),
        .init("isRead == 1", ["Emma", "Germinal"]),
        .init("isRead == 1.0", ["Emma", "Germinal"]),
        .init("pages == 474.0", ["Emma"]),
        .init("pages == %@", [Int8(10)], ["EMMA* WAR?"]),
        .init("pages < %@", [UInt64.max], all),
        .init("rating == 4", ["Persuasion"]),
        .init("price == 5", ["Persuasion"]),
        .init("price == %@", [Decimal(5)], ["Persuasion"]),
        .init("price < 0.100000001 AND price > 0.099999999", ["EMMA* WAR?"]),
        .init("pages == '474'", ["Emma"]),
        .init("'474.0' == pages", ["Emma"]),
        .init("pages IN {'10', 474, 'ten'}", ["Emma", "EMMA* WAR?"]),
        .init("price == '5'", ["Persuasion"]),
        .init("pages == 'ten'", []),
        .init("title == 5", []),
        .init("NOT title == 5", all),
        .init("title CONTAINS 1", []),
    ]

    /// Operators beside `==` and `!=` with no value.
    static let nothing: [Condition] = [
        .init("title BEGINSWITH nil", []),
        .init("title LIKE nil", []),
        .init("title CONTAINS nil", []),
        .init("NOT title BEGINSWITH nil", []),
        .init("NOT title CONTAINS[c] nil", []),
        .init("title ==[c] nil", []),
        .init("title !=[c] nil", all),
        .init("author.name ==[cd] nil", ["Été", "EMMA* WAR?"]),
        .init("nil == author", ["EMMA* WAR?"]),
    ]

    private static func titles(_ condition: Condition, _ context: NSManagedObjectContext) throws -> [String] {
        try context.titles(.books(condition.format, condition.arguments)).sorted()
    }

    @Test(
        "A condition finds the expected books in the store",
        arguments: text + values + logic + converted + nothing)
    func saved(_ condition: Condition) throws {
        try SampleBooks.stack().inContext { context throws in
            #expect(try Self.titles(condition, context) == condition.titles.sorted())
            let request = NSFetchRequest<Book>.books(condition.format, condition.arguments)
            #expect(try context.count(for: request) == condition.titles.count)
        }
    }

    @Test(
        "A condition finds the expected books among unsaved objects",
        arguments: text + values + logic + converted + nothing)
    func unsaved(_ condition: Condition) throws {
        try TestStack().inContext { context throws in
            SampleBooks.fill(context)
            #expect(try Self.titles(condition, context) == condition.titles.sorted())
            let request = NSFetchRequest<Book>.books(condition.format, condition.arguments)
            #expect(try context.count(for: request) == condition.titles.count)
        }
    }

    @Test("Lists of five thousand values find the same books in the store and in memory")
    func fiveThousandValues() throws {
        let texts = (0..<5000).map { "it's \"\($0)\" \\ \u{1F600}" } + ["Emma"]
        let numbers = Array(400..<5400)
        let ids = (0..<5000).map { _ in UUID() } + [SampleBooks.emmaID]
        for stack in [try SampleBooks.stack(), try TestStack()] {
            try stack.inContext { context in
                if try context.fetch(.books()).isEmpty { SampleBooks.fill(context) }
                #expect(try context.titles(.books("title IN %@", [texts])) == ["Emma"])
                #expect(
                    try context.titles(.books("pages IN %@", [numbers], by: "pages")) == ["Emma", "Germinal"])
                #expect(
                    try context.titles(.books("pages IN %@", [Set(numbers)], by: "pages")) == [
                        "Emma", "Germinal",
                    ])
                #expect(try context.titles(.books("uuid IN %@", [ids])) == ["Emma"])
                #expect(try context.count(for: .books("NOT title IN %@", [texts])) == 5)
            }
        }
    }

    /// What does not depend on which numbers come.
    @Test(
        "Conditions on random numbers find the same number of books in the store and in memory",
        arguments: [
            ("random() >= 0 AND random() < 1", 6), ("random() < 0", 0), ("pages + random() < pages + 1", 6),
            ("randomn:(1) == 0", 6), ("randomn:(6) BETWEEN {0, 5}", 6), ("randomn:(6) >= 6", 0),
            ("randomn:(-5) == 0", 6), ("randomn:(pages) < 1 OR randomn:(pages) < pages", 6),
        ])
    func randomNumbers(_ format: String, _ count: Int) throws {
        try SampleBooks.stack().inContext { context in
            #expect(try context.fetch(.books(format)).count == count)
            for book in try context.fetch(.books()) { book.pages += 1 }
            #expect(try context.fetch(.books(format)).count == count)
        }
    }

    @Test("Conditions accept objects, IDs and lists of both")
    func objectsAndTheirIDs() throws {
        try SampleBooks.stack().inContext { context in
            let emma = try context.book("Emma")
            let germinal = try context.book("Germinal")
            let austen = try #require(emma.author)
            let both = ["Emma", "Persuasion"]
            func check() throws {
                #expect(try context.titles(.books("author == %@", [austen], by: "title")) == both)
                #expect(try context.titles(.books("author == %@", [austen.objectID], by: "title")) == both)
                #expect(try context.titles(.books("author IN %@", [[austen]], by: "title")) == both)
                #expect(try context.titles(.books("author IN %@", [Set([austen])], by: "title")) == both)
                #expect(try context.titles(.books("SELF == %@", [emma])) == ["Emma"])
                #expect(
                    try context.titles(.books("SELF IN %@", [[emma, germinal]], by: "title")) == [
                        "Emma", "Germinal",
                    ])
                #expect(try context.titles(.books("SELF IN %@", [[emma.objectID]])) == ["Emma"])
                #expect(try context.titles(.books("objectID == %@", [emma.objectID])) == ["Emma"])
                #expect(
                    try context.titles(.books("author.objectID == %@", [austen.objectID], by: "title"))
                        == both)
                #expect(try context.count(for: .books("NOT SELF IN %@", [[emma]])) == 5)
                #expect(try context.count(for: .books("author != %@", [austen])) == 3)
            }
            try check()
            // With changes, conditions are evaluated in memory.
            for book in try context.fetch(.books()) { book.pages += 1 }
            try check()
        }
    }
}
