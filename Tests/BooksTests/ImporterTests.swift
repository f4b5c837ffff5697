import CoreData
import Testing

@testable import BooksApp

@Suite struct ImporterTests {
    @Test("Columns are found by name in any order")
    func columnsAreFoundByNameInAnyOrder() async throws {
        let library = try await TestLibrary()
        let progress = try library.importText("PRICE, Title ,extra,AUTHOR\n1.50,One,x,Ada\n,Two,,\n")
        #expect(progress?.imported == 2)
        let book = try #require(try await library.uuid("One"))
        let snapshot = try #require(try await library.document.book(book))
        #expect(snapshot.price == Decimal(string: "1.50") && snapshot.author == "Ada")
        #expect(snapshot.tint == TintColor(title: "One").hex)
        #expect(snapshot.abstract == "“One” is a book by Ada.")
    }

    @Test("Refused lines are reported with their numbers and reasons")
    func refusedLinesAreReported() async throws {
        let library = try await TestLibrary()
        var refused: [BookImporter.Refusal] = []
        let progress = try library.importText(
            "title,date,price\nOne,2001,1\n,2001,1\nTwo,2001-13,1\n\nThree,2001\nFour,2001,-1\nFive\"x,1,1\nSix,2002,2\n"
        ) { refused.append($0) }
        #expect(progress?.imported == 2 && progress?.refused == 5)
        #expect(refused.map(\.line) == [3, 4, 6, 7, 8])
        #expect(refused[0].reason == "no title")
        #expect(refused[2].reason == "2 fields instead of 3")
    }

    @Test(
        "A header without or with two titles, or malformed, is an error",
        arguments: ["author,date\nAda,2001\n", "title,title\nx,y\n", "\"title\nx\n"])
    func invalidHeadersAreErrors(text: String) async throws {
        let library = try await TestLibrary()
        #expect(throws: TextProblem.self) { _ = try library.importText(text) }
    }

    @Test("Empty input and input without books import nothing")
    func emptyInput() async throws {
        let library = try await TestLibrary()
        #expect(try library.importText("") == nil)
        #expect(try library.importText("title\n")?.imported == 0)
    }

    @Test("Authors are matched across batches and imports")
    func authorsAreMatchedAcrossBatchesAndImports() async throws {
        let library = try await TestLibrary()
        let count = BookImporter.batchSize * 2 + 10
        let text = "title,author\n" + (0..<count).map { "Book \($0),Author \($0 % 3)\n" }.joined()
        #expect(try library.importText(text)?.imported == count)
        #expect(try library.importText("title,author\nOne more,Author 1\n")?.imported == 1)
        let authors = try await library.document.authors(.init()).authors
        #expect(authors.map(\.name) == ["Author 0", "Author 1", "Author 2"])
        #expect(authors.reduce(0) { $0 + $1.bookCount } == Int64(count + 1))
    }

    @Test("The first launch fills an empty store once")
    func theFirstLaunchFillsAnEmptyStoreOnce() async throws {
        let library = try await TestLibrary()
        let made = try FirstLaunch.makeRecordsIfNeeded(in: library.container)
        #expect(made >= 15)
        #expect(try FirstLaunch.makeRecordsIfNeeded(in: library.container) == 0)
        #expect(try await library.document.list(BookListQuery()).found == made)
    }

    @Test("The report counts all refused lines, shows twenty and writes all to its file")
    func theReportCountsAllAndShowsTwenty() throws {
        let path = FileManager.default.temporaryDirectory.appendingPathComponent("report-\(UUID()).csv").path
        defer { try? FileManager.default.removeItem(atPath: path) }
        var report = try ImportReport(path: path)
        for line in 2..<52 { try report.add(.init(line: line, reason: "no \"title\"\u{1B}[2J")) }
        try report.close()
        let text = report.text(.init(imported: 1, refused: 50), seconds: 1)
        #expect(text.split(separator: "\n").count == 22)
        #expect(text.contains("… and 30 more"))
        #expect(!text.contains("\u{1B}"))
        let written = try CSVReader.lines(Data(contentsOf: URL(fileURLWithPath: path)))
        #expect(written.count == 51)
    }
}
