import Foundation
import Hummingbird
import HummingbirdTesting
import Testing

/// The browser's answers about a store, as the page gets them.
@Suite struct BrowsingRouteTests {
    private func withPage(_ body: @Sendable (TestPage) async throws -> Void) async throws {
        let store = try TestStore()
        try await TestPage.with(store.url, body)
        withExtendedLifetime(store) {}
    }

    @Test("The page and all files that it imports are served, without inline code")
    func thePageAndAllThatItImportsIsThere() async throws {
        try await withPage { page in
            var seen: Set<String> = []
            var rest = ["/"]
            while let path = rest.popLast() {
                guard seen.insert(path).inserted else { continue }
                let answer = try await page.get(path)
                #expect(answer.status == .ok, "\(path)")
                let text = String(buffer: answer.body)
                #expect(!text.contains("innerHTML") && !text.contains("eval("), "\(path)")
                #expect(!text.contains("style=\"") && !text.contains("<script>"), "\(path)")
                for match in text.matches(of: /from "\.\/([a-z]+\.js)"/) { rest.append("/files/\(match.1)") }
                for match in text.matches(of: /(?:src|href)="(\/files\/[a-z.]+)"/) {
                    rest.append(String(match.1))
                }
            }
            #expect(seen.count > 17)
        }
    }

    @Test(
        "Pages of a table have every object once and in order, without OFFSET",
        arguments: ["", "&sort=age", "&sort=age&descending=1", "&sort=name", "&sort=born&descending=1"])
    func pagesByKeyHaveEveryObjectOnceInOrder(_ order: String) async throws {
        try await withPage { page in
            var ids: [String] = []
            var ages: [Int?] = []
            var after = ""
            var count = 0
            while true {
                let found = try await page.read(
                    "/api/rows?entity=Person&limit=20\(order)\(after)", as: Answers.Page.self)
                let column = try #require(found.columns.firstIndex(of: "age"))
                ids += found.rows.map(\.id)
                ages += found.rows.map { Int($0.values[column].text) }
                #expect(found.statements.allSatisfy { !$0.sql.contains("OFFSET") && !$0.plan.isEmpty })
                count += 1
                guard let next = found.next else { break }
                after = "&after=\(next)"
            }
            #expect(count == 7 && Set(ids).count == TestStore.count && ids.count == TestStore.count)
            // No value comes before all others, as in the database.
            let sorted = ages.map { $0 ?? -1 }.sorted()
            if order == "&sort=age" { #expect(ages.map { $0 ?? -1 } == sorted) }
            if order == "&sort=age&descending=1" { #expect(ages.map { $0 ?? -1 } == sorted.reversed()) }
        }
    }

    @Test("Every answer has the SQL statements that it was read by")
    func everyAnswerHasItsStatements() async throws {
        try await withPage { page in
            let rows = try await page.read("/api/rows?entity=Person&sort=age&limit=5", as: Answers.Page.self)
            #expect(rows.statements.map(\.title) == ["Keys of the page", "Rows of the page"])
            #expect(rows.statements[0].sql.contains("LIMIT 6"))
            #expect(rows.statements[1].sql.contains("ZBORN") && !rows.statements[1].plan.isEmpty)
            let count = try await page.read("/api/count?entity=Person", as: Answers.Count.self)
            #expect(count.statements.map(\.title) == ["Number of the objects"])
            let city = try await page.read("/api/object?id=City/1", as: Answers.Object.self)
            #expect(city.statements.map(\.title) == ["Row of the object"])
            #expect(city.statements[0].sql.contains("ZNAME"))
            #expect(
                city.relationships.flatMap(\.statements).map(\.title) == [
                    "Number of people", "Links of people", "Rows of people",
                ])
            #expect(city.relationships[0].links.count == 20 && city.relationships[0].count == 65)
            #expect(city.relationships[0].links[1].label == "person 2")
            #expect(city.relationships[0].statements[1].sql.contains("ZCITY"))
            let person = try await page.read("/api/object?id=Person/1", as: Answers.Object.self)
            #expect(person.relationships.flatMap(\.statements).map(\.title) == ["Rows of city"])
        }
    }

    @Test("The number of rows of a page has a lower and an upper bound")
    func aPageHasAtMostTwoHundredRows() async throws {
        try await withPage { page in
            let all = try await page.read("/api/rows?entity=Person&limit=100000", as: Answers.Page.self)
            #expect(all.rows.count == TestStore.count)
            let one = try await page.read("/api/rows?entity=Person&limit=-5", as: Answers.Page.self)
            #expect(one.rows.count == 1 && one.next == "\(one.rows[0].id.split(separator: "/")[1])")
        }
    }

    @Test("A page after a missing object is an error")
    func aPageAfterAMissingObjectIsAnError() async throws {
        try await withPage { page in
            let answer = try await page.get("/api/rows?entity=Person&sort=age&after=9999")
            #expect(answer.status == .unprocessableContent)
        }
    }

    @Test("Objects are filtered, counted and grouped")
    func objectsAreFilteredCountedAndGrouped() async throws {
        try await withPage { page in
            let predicate = "predicate=city.name%20%3D%3D%20'Oslo'%20AND%20age%20%3D%3D%20nil"
            let count = try await page.read("/api/count?entity=Person&\(predicate)", as: Answers.Count.self)
            #expect(count.count == 13)
            let months = try await page.read(
                "/api/groups?entity=Person&by=born&unit=year", as: Answers.Groups.self)
            #expect(months.groups.map(\.value) == ["2001", "2002", "2003", "2004"])
            #expect(months.groups.map(\.count) == [37, 36, 37, 20])
            let ages = try await page.read("/api/groups?entity=Person&by=age", as: Answers.Groups.self)
            #expect(ages.groups.first?.value == nil && ages.groups.first?.count == 26)
            #expect(ages.groups.reduce(0) { $0 + $1.count } == TestStore.count)
        }
    }

    @Test("The objects of a relationship are a table")
    func objectsOfARelationshipAreATable() async throws {
        try await withPage { page in
            let count = try await page.read(
                "/api/count?entity=Person&of=City/1&relationship=people", as: Answers.Count.self)
            #expect(count.count == 65)
            let missing = try await page.get("/api/rows?entity=Person&of=City/77&relationship=people")
            #expect(missing.status == .notFound)
            let unknown = try await page.get("/api/rows?entity=Person&of=City/1&relationship=none")
            #expect(unknown.status == .unprocessableContent)
        }
    }

    @Test(
        "An invalid request is refused with a status and a code",
        arguments: [
            ("/api/rows?entity=None", 422, "browse"), ("/api/rows?entity=Person&sort=face", 422, "browse"),
            ("/api/rows?entity=Person&sort=nothing", 422, "browse"),
            ("/api/rows?entity=Person&predicate=name%20%3D%3D", 422, "predicate"),
            ("/api/rows?entity=Person&predicate=nome%20%3D%3D%201", 422, "store"),
            ("/api/groups?entity=Person&by=face", 422, "browse"), ("/api/object?id=Person", 400, "request"),
            ("/api/object?id=Person/9999", 404, "missing"), ("/api/object?id=None/1", 422, "browse"),
            ("/api/image?id=Person/1&key=face", 404, "missing"),
            ("/api/text?id=Person/1&key=none", 404, "missing"),
            ("/api/export?entity=Person&format=exe", 400, "request"), ("/api/nothing", 404, "request"),
            ("/api/export/check?entity=Person&format=exe", 400, "request"),
            ("/api/export/check?entity=Person&format=csv&sort=nothing", 422, "store"),
            ("/api/export/check?entity=Person&format=csv&predicate=name%20%3D%3D", 422, "predicate"),
        ] as [(String, Int, String)])
    func wrongQuestionsAreRefused(_ path: String, _ status: Int, _ code: String) async throws {
        try await withPage { page in
            let answer = try await page.get(path)
            #expect(answer.status.code == status)
            let failure = try JSONDecoder().decode(
                Answers.Failure.self, from: Data(answer.body.readableBytesView))
            #expect(failure.error.code == code && !failure.error.message.isEmpty)
        }
    }

    @Test("The check of a predicate names the column or the unknown property")
    func aPredicateIsCheckedWithThePlace() async throws {
        try await withPage { page in
            let wrong = try await page.get("/api/check?entity=Person&predicate=name%20%3D%3D")
            #expect(String(buffer: wrong.body).contains(#""column":8"#))
            let unknown = try await page.get("/api/check?entity=Person&predicate=nome%20%3D%3D%201")
            #expect(String(buffer: unknown.body).contains("nome"))
            let right = try await page.get("/api/check?entity=Person&predicate=age%20%3E%201")
            #expect(String(buffer: right.body) == "{}")
        }
    }

    @Test("The history has transactions with their changes")
    func theHistoryHasTransactionsWithTheirChanges() async throws {
        try await withPage { page in
            let text = String(buffer: try await page.get("/api/history").body)
            #expect(text.contains(#""author":"test""#) && text.contains(#""changeCount":132"#))
            #expect(text.ranges(of: #""kind":"insert""#).count == 100 && text.contains(#""isKept":true"#))
            let older = String(buffer: try await page.get("/api/history?before=1").body)
            #expect(older.contains(#""transactions":[]"#) && older.contains(#""isKept":true"#))
        }
    }

    @Test("A table is exported as CSV or JSON")
    func tablesAreExported() async throws {
        try await withPage { page in
            let csv = try await page.get("/api/export?entity=Person&format=csv&sort=name&descending=1")
            let lines = String(buffer: csv.body).split(separator: "\n")
            #expect(
                lines.count == TestStore.count + 1
                    && lines[0] == "objectID,age,born,city,face,name,portrait,position,strange,tags")
            #expect(lines[1].contains(",City/2,,person 99,,"))
            #expect(csv.headers[.contentDisposition] == #"attachment; filename="Person.csv""#)
            let json = try await page.get("/api/export?entity=City&format=json")
            let cities =
                try JSONSerialization.jsonObject(with: Data(json.body.readableBytesView)) as? [[String: Any]]
            #expect(cities?.compactMap { $0["name"] as? String } == ["Oslo", "Rome"])
        }
    }
}
