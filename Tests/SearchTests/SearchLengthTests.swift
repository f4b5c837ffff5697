import CoreData
import Foundation
import FullTextSearch
import GRDB
import Testing

@testable import CoreDataSQLite

/// The lengths of documents, which their ranks depend on, in an index of SQLite.
struct SearchLengthTests {
    @Test("Documents with keys far apart, and very long ones, have the same ranks as in memory")
    func keysAndLengths() throws {
        let indexes: [any SearchIndex] = [MemorySearchIndex(), try SQLiteSearchIndex(at: nil)]
        let long = String(repeating: "war ", count: 10_000)
        let keys: [Int64] = [
            -1_001, -1_000, -1, 0, 1, 999, 1_000, 1_001, 123_456, .max - 1_000, .max, .min,
        ]
        var ranks: [[Int64: Double]] = []
        for index in indexes {
            try index.update { writer in
                try writer.reset(fieldCounts: [8])
                for (number, key) in keys.enumerated() {
                    let text = "war" + String(repeating: " peace", count: number)
                    try writer.set([(0, text)], for: key, kind: 1, in: 0, isNew: true)
                }
                try writer.setState(
                    .init(signature: "s", position: .init(number: 0), build: 1, progress: nil))
            }
            try index.update { writer in
                // 80,001 words are more than two bytes can say.
                try writer.set(
                    (0..<8).map { ($0, long + "\($0)") }, for: 1, kind: 1, in: 0, isNew: false)
                try writer.set([(1, "peace war")], for: 999, kind: 1, in: 0, isNew: false)
                try writer.remove(1_000, from: 0)
                try writer.set([(1, "--")], for: 1_001, kind: 1, in: 0, isNew: false)
            }
            let found = try index.ranks(IndexedSearch(query: SearchQuery("war"), collection: 0))
            ranks.append(Dictionary(uniqueKeysWithValues: found.map { ($0.key, $0.rank) }))
        }
        #expect(ranks[0].count == keys.count - 2)
        #expect(ranks[0] == ranks[1])
    }

    @Test("An index that lost the lengths of its documents is built anew", arguments: [false, true])
    func missingLengths(_ isTableMissing: Bool) throws {
        let stack = try SearchStack()
        try stack.context.run { context throws in
            for title in ["war", "war and peace"] { context.add(["title": title]) }
            try context.save()
            #expect(try context.search(context.request("war")).titles == ["war", "war and peace"])
        }
        try DatabaseQueue(path: stack.index.path).write { database in
            for collection in 0..<2 {
                try database.execute(
                    sql: isTableMissing ? "DROP TABLE l\(collection)" : "DELETE FROM l\(collection)")
            }
        }
        try stack.context.run { context throws in
            #expect(try context.search(context.request("war")).titles == ["war", "war and peace"])
        }
    }

    @Test("Pages of a ranked search are parts of the same order, also of objects of subentities")
    func pages() throws {
        let stack = try SearchStack()
        try stack.context.run { context throws in
            for number in 0..<60 {
                let title = "war" + String(repeating: " and peace", count: number % 7)
                context.add(number % 3 == 0 ? "Novel" : "Book", ["title": "\(title) \(number)"])
            }
            try context.save()
            var request = context.request("war")
            request.fetchLimit = 0
            let all = try context.search(request)
            #expect(all.count == 60 && all.isRanked)
            #expect(all.hits.map { $0.rank ?? 0 } == all.hits.map { $0.rank ?? 0 }.sorted(by: >))
            #expect(all.hits.count { $0.object.entity.name == "Novel" } == 20)
            request.fetchLimit = 7
            for offset in stride(from: 0, through: 63, by: 7) {
                request.fetchOffset = offset
                let page = try context.search(request)
                #expect(page.count == 60)
                #expect(page.titles == Array(all.titles.dropFirst(offset).prefix(7)))
            }
            request = context.request("war", entity: "Novel")
            request.fetchLimit = 100
            #expect(
                try context.search(request).titles
                    == all.hits.filter { $0.object.entity.name == "Novel" }
                    .map { $0.object.value(forKey: "title") as? String })
        }
    }
}
