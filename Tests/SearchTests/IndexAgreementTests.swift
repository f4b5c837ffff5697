import FullTextSearch
import GRDB
import TestSupport
import Testing

@testable import CoreDataSQLite

/// The index in SQLite, the index in memory and a look at each document find the same.
struct IndexAgreementTests {
    /// Documents with two fields, of two kinds.
    private struct Documents {
        var texts: [Int64: [(field: Int, text: String)]] = [:]

        func document(_ key: Int64) -> SearchDocument {
            var document = SearchDocument()
            for (field, text) in texts[key] ?? [] { document.setText(text, ofField: field) }
            return document
        }

        func keys(_ search: IndexedSearch) -> [Int64] {
            texts.keys.filter { key in
                (search.kinds?.contains(Int32(key % 2)) ?? true)
                    && search.query.isMet(by: document(key), search.scope)
            }.sorted()
        }
    }

    private func indexes() throws -> [any SearchIndex] {
        let indexes: [any SearchIndex] = [MemorySearchIndex(), try SQLiteSearchIndex(at: nil)]
        for index in indexes {
            let state = try index.state()
            #expect(state == nil)
            try index.update { writer in
                try writer.reset(fieldCounts: [1, 2])
                try writer.setState(
                    .init(signature: "s", position: .init(number: 0), build: 1, progress: nil))
            }
        }
        return indexes
    }

    @Test(
        "Random queries over random texts of many scripts find the same documents, with the same ranks",
        .timeLimit(.minutes(40)), arguments: 0..<Fuzzing.rounds(3, long: 6))
    func agreement(_ seed: Int) throws {
        var random = RandomTexts(seed: UInt64(seed))
        let indexes = try indexes()
        var documents = Documents()
        for round in 0..<6 {
            var changes: [(key: Int64, texts: [(field: Int, text: String)]?)] = []
            for _ in 0..<60 {
                let key = Int64(1 + random.number(below: 120))
                if random.number(below: 5) == 0 {
                    changes.append((key, nil))
                    documents.texts[key] = nil
                } else {
                    var texts = [(field: 0, text: random.text(ofWords: 6))]
                    if random.number(below: 2) == 0 { texts.append((1, random.text(ofWords: 30))) }
                    changes.append((key, texts))
                    documents.texts[key] = texts
                }
            }
            for index in indexes {
                try index.update { writer in
                    for (key, texts) in changes {
                        if let texts {
                            try writer.set(texts, for: key, kind: Int32(key % 2), in: 1, isNew: false)
                        } else {
                            try writer.remove(key, from: 1)
                        }
                    }
                    try writer.setState(
                        .init(signature: "s", position: .init(number: Int64(round)), build: 1, progress: nil))
                }
            }
            for _ in 0..<60 {
                let text = random.query()
                var search = IndexedSearch(
                    query: SearchQuery(text, completesLastWord: random.number(below: 2) == 0), collection: 1)
                if random.number(below: 4) == 0 { search.scope = .only([random.number(below: 2)]) }
                if random.number(below: 4) == 0 { search.kinds = [Int32(random.number(below: 2))] }
                try check(search, text, documents, indexes)
            }
        }
    }

    private func check(
        _ search: IndexedSearch, _ text: String, _ documents: Documents, _ indexes: [any SearchIndex]
    ) throws {
        let expected = documents.keys(search)
        var ranks: [[Int64: Double]] = []
        for index in indexes {
            #expect(try index.keys(search, limit: nil, offset: 0) == expected, "\(text)")
            #expect(try index.count(search) == expected.count, "\(text)")
            #expect(try index.keys(search, limit: 2, offset: 1) == Array(expected.dropFirst().prefix(2)))
            #expect(
                try index.counts(search)
                    == Dictionary(grouping: expected, by: { Int32($0 % 2) }).mapValues(\.count))
            let found = try index.ranks(search)
            ranks.append(Dictionary(uniqueKeysWithValues: found.map { ($0.key, $0.rank) }))
            let sorted = found.sorted { ($1.rank, $0.key) < ($0.rank, $1.key) }
            for limit in [0, 1, 3, nil] {
                #expect(found.best(limit) == limit.map { Array(sorted.prefix($0)) } ?? sorted)
            }
        }
        #expect(ranks[0] == ranks[1], "\(text)")
        #expect(ranks[0].keys.sorted() == expected)
        // Nothing is counted for a query that finds nothing.
        if search.query.isEmpty { return }
        let statistics = try indexes.map { try $0.statistics(search) }
        #expect(statistics[0].documentCounts == statistics[1].documentCounts)
        #expect(statistics[0].documentCount == statistics[1].documentCount)
        #expect(statistics[0].wordCount == statistics[1].wordCount)
        for key in expected {
            let rank = SearchRanking.rank(
                of: documents.document(key), search.query, search.scope, statistics[1])
            #expect(rank == ranks[1][key], "\(text)")
        }
    }

    @Test("Words are listed by the number of their documents, then alphabetically")
    func words() throws {
        for index in try indexes() {
            try index.update { writer in
                for (key, text) in ["über Uber", "uber Udo", "übermut Udo udo", "東京"].enumerated() {
                    try writer.set(
                        [(0, text)], for: Int64(key + 1), kind: Int32(key), in: 1, isNew: true)
                }
            }
            func words(_ prefix: String, _ kinds: Set<Int32>? = nil, _ limit: Int = 9) throws -> [IndexedWord]
            {
                try index.words(beginningWith: prefix, in: 1, ofKinds: kinds, limit: limit)
            }
            let uber = IndexedWord(key: "uber", documentCount: 2, document: 1)
            let udo = IndexedWord(key: "udo", documentCount: 2, document: 2)
            let ubermut = IndexedWord(key: "ubermut", documentCount: 1, document: 3)
            #expect(try words("u") == [uber, udo, ubermut])
            #expect(try words("u", nil, 2) == [uber, udo])
            #expect(try words("ub") == [uber, ubermut])
            #expect(
                try words("u", [2]) == [ubermut, IndexedWord(key: "udo", documentCount: 1, document: 3)])
            #expect(try words("x").isEmpty)
            #expect(try words("東").map(\.key) == ["東"])
        }
    }

    @Test(
        "Of the words with a beginning the 1,000 that most documents have are examined",
        arguments: [999, 1_000])
    func examinedWords(_ count: Int) throws {
        let text = (0..<count).map { "w\($0)" }.joined(separator: " ")
        for index in try indexes() {
            try index.update { writer in
                for key: Int64 in 1...2 { try writer.set([(0, text)], for: key, kind: 1, in: 1, isNew: true) }
                try writer.set([(0, "wrare")], for: 3, kind: 0, in: 1, isNew: true)
            }
            let found = try index.words(beginningWith: "w", in: 1, ofKinds: [0], limit: 5)
            #expect(found.map(\.key) == (count < 1_000 ? ["wrare"] : []))
        }
    }

    @Test("A failed change leaves the index as it was, or to be rebuilt")
    func failedChange() throws {
        struct Failure: Error {}
        for index in try indexes() {
            let search = IndexedSearch(query: SearchQuery("war"), collection: 1)
            #expect(throws: Failure.self) {
                try index.update { writer in
                    try writer.set([(0, "war")], for: 1, kind: 0, in: 1, isNew: true)
                    throw Failure()
                }
            }
            if try index.state() != nil {
                #expect(try index.keys(search, limit: nil, offset: 0).isEmpty)
            }
        }
    }
}
