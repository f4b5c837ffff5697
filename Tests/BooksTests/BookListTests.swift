import CoreData
import Testing

@testable import BooksApp

@Suite struct BookListTests {
    /// Books of every month of some years, some of one month, some without a date.
    private static func lines(_ count: Int) -> String {
        var lines = ["title,author,date,price"]
        for index in 0..<count {
            let date =
                index % 17 == 0
                ? ""
                : index % 5 == 0
                    ? "1999-07" : "\(1990 + index % 20)-\(index % 3 == 0 ? "02" : "11")-1\(index % 9)"
            lines.append("Book \(1000 + index),Author \(index % 7),\(date),1")
        }
        return lines.joined(separator: "\n")
    }

    @Test("Paging shows every book once, forwards and backwards", arguments: [0, 1, 99, 100, 101, 200, 457])
    func pagesShowEveryBookOnceThereAndBack(count: Int) async throws {
        let library = try await TestLibrary()
        _ = try library.importText(Self.lines(count))
        var query = BookListQuery()
        var pages: [[String]] = []
        var months: [PublishMonth?] = []
        while true {
            let list = try await library.document.list(query)
            #expect(list.found == count && list.count <= BookListQuery.pageSize)
            pages.append(list.sections.flatMap(\.books).map(\.title))
            months += list.sections.map(\.month)
            guard let next = list.next else { break }
            query.position = next
        }
        let titles = pages.flatMap(\.self)
        #expect(titles.count == count && Set(titles).count == count)
        #expect(months.compactMap(\.self) == months.compactMap(\.self).sorted(by: >))
        // All pages are full but the last one, and the one before the undated books.
        #expect(pages.count <= count / BookListQuery.pageSize + 2)

        var back: [[String]] = []
        while true {
            let list = try await library.document.list(query)
            back.append(list.sections.flatMap(\.books).map(\.title))
            guard let previous = list.previous else { break }
            query.position = previous
        }
        #expect(Set(back.flatMap(\.self)) == Set(titles))
    }

    @Test("A list that starts at a year begins with its newest month")
    func aYearBeginsWithItsNewestMonth() async throws {
        let library = try await TestLibrary()
        try library.add("A,,1999-12-31,", "B,,1999-01-01,", "C,,2000-01-01,", "D,,1998-12-31,", "E,,,")
        var query = BookListQuery()
        query.position.start = PublishMonth(year: 1999, month: 12).map(BookListQuery.Position.Start.month)
        #expect(try await library.titles(query) == ["A", "B", "D"])
        let list = try await library.document.list(query)
        #expect(list.next == .init(start: .undated))
        #expect(list.previous == .init())
        query.position.start = .undated
        #expect(try await library.titles(query) == ["E"])
        #expect(try await library.titles() == ["C", "A", "B", "D", "E"])
    }

    @Test(
        "Both searches by CONTAINS find titles regardless of case and accents",
        arguments: [SearchMethod.canonical, .plain])
    func titlesAreFoundWhateverTheirAccents(method: SearchMethod) async throws {
        let library = try await TestLibrary()
        try library.add("Über die Dörfer,,1981,", "Exuberance,,1990,", "Straße,,1991,", "Emma,,1815,")
        func find(_ text: String) async throws -> Set<String> {
            Set(try await library.titles(BookListQuery(text: text, method: method)))
        }
        #expect(try await find("uber") == ["Über die Dörfer", "Exuberance"])
        #expect(try await find("ÜBER") == ["Über die Dörfer", "Exuberance"])
        #expect(try await find("strasse") == ["Straße"])
        #expect(try await find("' OR 1=1 --") == [])
        #expect(try await find("%") == [])
        #expect(try await find("*") == [])
    }

    @Test("A search has the timings of all methods, or of the one that was chosen")
    func searchesAreTimed() async throws {
        let library = try await TestLibrary()
        try library.add("Über die Dörfer,,1981,", "Emma,,1815,")
        let list = try await library.document.list(BookListQuery(text: "uber"))
        #expect(list.timings.map(\.method) == [.words, .canonical, .plain])
        #expect(list.timings.allSatisfy { $0.found == 1 && $0.duration > .zero })
        for method in [SearchMethod.words, .canonical, .plain] {
            let one = try await library.document.list(BookListQuery(text: "uber", method: method))
            #expect(one.timings.map(\.method) == [method] && one.found == 1)
        }
        #expect(try await library.document.list(BookListQuery()).timings.isEmpty)
    }

    /// Apple's text: the canonical title will not change before the context is saved.
    @Test("The canonical title finds a changed title only after a save")
    func anUnsavedTitleIsFoundByTheOtherSearchOnly() async throws {
        let library = try await TestLibrary()
        try library.add("Emma,,1815,")
        let uuid = try #require(try await library.uuid("Emma"))
        _ = try await library.change(uuid) { $0[.title] = "Persuasion" }
        let canonical = BookListQuery(text: "persuasion", method: .canonical)
        let plain = BookListQuery(text: "persuasion", method: .plain)
        #expect(try await library.titles(canonical) == [])
        #expect(try await library.titles(plain) == ["Persuasion"])
        _ = try await library.document.save()
        #expect(try await library.titles(canonical) == ["Persuasion"])
    }

    @Test("The timeline counts books by year, and undated ones")
    func theTimelineCountsYears() async throws {
        let library = try await TestLibrary()
        try library.add("A,,1999-12-31,", "B,,1999-01-01,", "C,,2000-01-01,", "D,,,")
        let timeline = try await library.document.timeline()
        #expect(timeline.years == [.init(year: 2000, count: 1), .init(year: 1999, count: 2)])
        #expect(timeline.undated == 1)
        let uuid = try #require(try await library.uuid("D"))
        _ = try await library.change(uuid) { $0[.publishDate] = "1815" }
        let changed = try await library.document.timeline()
        #expect(changed.years.last == .init(year: 1815, count: 1))
        #expect(changed.undated == 0)
    }

    @Test("Authors are listed by name, number of books or price")
    func authorsAreOrderedAndPaged() async throws {
        let library = try await TestLibrary()
        try library.add("A,Zoë,1999,1", "B,Zoë,1999,2", "C,Ada,2000,10", "D,Bo,2000,")
        func names(_ order: AuthorListQuery.Order) async throws -> [String] {
            try await library.document.authors(.init(order: order)).authors.map(\.name)
        }
        #expect(try await names(.name) == ["Ada", "Bo", "Zoë"])
        #expect(try await names(.books) == ["Zoë", "Ada", "Bo"])
        #expect(try await names(.price) == ["Ada", "Zoë", "Bo"])
        #expect(try await library.document.authorNames(beginningWith: "ZOE", limit: 5) == ["Zoë"])
    }

    @Test("A query is restored from its address")
    func addressesAndQueriesAreTheSame() throws {
        var query = BookListQuery(text: "a & b=ü", method: .plain, author: "Ada?")
        query.position = .init(start: PublishMonth(year: 1925, month: 4).map { .month($0) }, skip: 200)
        let text = query.address().text
        let fields = try Fields(decoding: text.dropFirst(2).utf8)
        #expect(BookListQuery(fields) == query)
        #expect(BookListQuery().address().text == "/")
    }

    @Test(
        "An invalid address shows the list from its start",
        arguments: [
            "from=x", "from=1925-13", "from=0000-01", "skip=-5", "skip=99999999999999999999", "by=x",
            "from=٠٠٠١-٠١",
        ])
    func addressesThatMakeNoSenseShowTheList(query: String) throws {
        let query = BookListQuery(try Fields(decoding: query.utf8))
        #expect(query.position.start == nil && query.position.skip >= 0 && query.position.skip <= 10_000_000)
    }
}
