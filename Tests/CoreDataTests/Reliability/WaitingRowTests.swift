import Testing

@testable import ObjectGraph

/// The rows of large fetches, which the row cache gives entries in its tables when rows change or many are looked for.
@Suite struct WaitingRowTests {
    private let table: UInt32 = 1

    private func row(_ reference: Int64, _ version: Int64) throws -> Row {
        try #require(try rows([reference], version).first)
    }

    private func rows(_ references: some Sequence<Int64>, _ version: Int64) throws -> RowList {
        try rows(references.map { ($0, version) })
    }

    /// Rows in blocks that they share, as those of a fetch are.
    private func rows(_ versions: [(reference: Int64, version: Int64)]) throws -> RowList {
        var builder = RowBuilder(sharingBlocks: true)
        var list = RowList()
        for (reference, version) in versions {
            builder.begin(slotCount: 1)
            builder.set(0, integer: version)
            list.append(
                try builder.put(reference: reference, version: version, entityNumber: 1, timestamp: 0))
        }
        return list
    }

    private func version(_ cache: RowCache, _ reference: Int64, in table: UInt32 = 1) -> Int64? {
        guard let row = cache.row(ObjectKey(table: table, reference: reference)) else { return nil }
        // What the row has, so that one whose memory went would be noticed.
        return row.reference == reference && row.integer(0) == row.version ? row.version : -1
    }

    private func insert(_ references: some Sequence<Int64>, _ version: Int64, _ cache: RowCache) throws {
        cache.insert(try rows(references, version), table: table, readAt: cache.state)
    }

    @Test("Rows that are read again replace those that wait, whose memory goes")
    func again() throws {
        let cache = RowCache()
        weak var first: RowBlock?
        do {
            let list = try rows(1...300, 1)
            first = list.firstBlock
            cache.insert(list, table: table, readAt: cache.state)
        }
        #expect(first != nil && version(cache, 300) == 1)
        for version in Int64(2)...3 { try insert(1...300, version, cache) }
        #expect(first == nil)
        #expect((Int64(1)...300).allSatisfy { version(cache, $0) == 3 })
        #expect(version(cache, 0) == nil && version(cache, 301) == nil)
    }

    @Test("Of overlapping lists the newer rows stay, and what only the older one has")
    func overlapping() throws {
        let cache = RowCache()
        // In the table already when the others come.
        try insert([150, 600], 1, cache)
        try insert(1...300, 2, cache)
        try insert(200...500, 3, cache)
        // As many rows from the same first to the same last one, but others between.
        try insert(Array(200...299) + Array(301...501), 4, cache)
        try insert(Array(200...350) + Array(352...501), 5, cache)
        #expect(version(cache, 1) == 2 && version(cache, 150) == 2 && version(cache, 600) == 1)
        #expect(version(cache, 200) == 5 && version(cache, 300) == 5 && version(cache, 501) == 5)
        #expect(version(cache, 351) == 4)
    }

    @Test("Lists whose references do not ascend are found like others")
    func unordered() throws {
        let cache = RowCache()
        try insert((1...300).reversed(), 1, cache)
        #expect((Int64(1)...300).allSatisfy { version(cache, $0) == 1 })
        // Twice in a damaged table: the last one counts.
        for isAscending in [true, false] {
            let references = isAscending ? Array(Int64(1)...300) : (1...300).reversed()
            let list = try rows(
                references.flatMap { reference in (Int64(2)...3).map { (reference: reference, version: $0) } }
            )
            cache.insert(list, table: table, readAt: cache.state)
            #expect(version(cache, 150) == 3)
            #expect((Int64(1)...300).allSatisfy { version(cache, $0) == 3 })
            try insert(1...300, 1, cache)
        }
    }

    @Test("A row that is removed or replaced while others wait does not come back", arguments: [false, true])
    func changes(isLookedFor: Bool) throws {
        let cache = RowCache()
        try insert(1...300, 1, cache)
        if isLookedFor { #expect(version(cache, 5) == 1) }
        let saved = try row(7, 2)
        cache.update {
            $0.remove(ObjectKey(table: table, reference: 5))
            $0.add(saved, table)
        }
        #expect(version(cache, 5) == nil && version(cache, 7) == 2 && version(cache, 300) == 1)
        try insert(1...300, 3, cache)
        try insert([7], 4, cache)
        #expect(version(cache, 5) == 3 && version(cache, 7) == 4)
        cache.removeAll()
        #expect(version(cache, 7) == nil)
    }

    @Test("A list of an older read adds what is missing to those that wait")
    func olderRead() throws {
        let cache = RowCache()
        let (first, second, third) = (cache.state, cache.state, cache.state)
        cache.insert(try rows(1...300, 3), table: table, readAt: third)
        // The same rows, of which none is missing.
        cache.insert(try rows(1...300, 2), table: table, readAt: second)
        #expect(version(cache, 300) == 3)
        cache.insert(try rows(1...900, 1), table: table, readAt: first)
        #expect(version(cache, 300) == 3 && version(cache, 301) == 1 && version(cache, 900) == 1)
    }

    @Test(
        "Waiting rows age and are dropped like all others, but for those that were read",
        arguments: [false, true])
    func aging(areIndexed: Bool) throws {
        // Half of it takes the rows of one table, but not those of two, whether they wait or not.
        let cache = RowCache(limit: 70_000)
        func fill(_ table: UInt32) throws {
            cache.insert(try rows(1...300, Int64(table)), table: table, readAt: cache.state)
            if areIndexed {
                for reference in Int64(2)...20 {
                    #expect(version(cache, reference, in: table) == Int64(table))
                }
            }
        }
        try fill(1)
        try fill(2)
        // Those of the first table are old now; reading makes one recent.
        #expect(version(cache, 300, in: 1) == 1)
        try fill(3)
        #expect(
            version(cache, 300, in: 1) == 1 && version(cache, 1, in: 2) == 2 && version(cache, 1, in: 3) == 3)
        #expect(version(cache, 299, in: 1) == nil)
    }

    @Test("Of old and recent rows of a table, waiting or not, the newest is found")
    func generations() throws {
        let cache = RowCache(limit: 70_000)
        try insert([1, 2, 3, 4], 1, cache)
        try insert(2...280, 2, cache)
        // What another table gets makes these old.
        cache.insert(try rows(1...300, 9), table: 2, readAt: cache.state)
        // Found by bisection, and kept beside the old ones.
        #expect((Int64(1)...4).map { version(cache, $0) } == [1, 2, 2, 2])
        try insert([3], 3, cache)
        #expect((Int64(1)...5).map { version(cache, $0) } == [1, 2, 3, 2, 2])
        cache.update { $0.remove(ObjectKey(table: table, reference: 4)) }
        #expect(version(cache, 4) == nil && version(cache, 280) == 2)
    }

    @Test("An old row that is kept beside waiting rows does not come back after a newer one")
    func keptBesideWaiting() throws {
        let cache = RowCache(limit: 70_000)
        try insert([999], 1, cache)
        cache.insert(try rows(1...600, 9), table: 2, readAt: cache.state)
        try insert(1...300, 2, cache)
        // Twice, by bisection, and then until the list has entries.
        for reference in [999, 999] + Array(Int64(1)...20) + [999] {
            #expect(version(cache, reference) == (reference == 999 ? 1 : 2))
        }
        try insert(Array(1...300) + [999], 3, cache)
        #expect(version(cache, 999) == 3)
        cache.update { $0.remove(ObjectKey(table: table, reference: 999)) }
        #expect(version(cache, 999) == nil && version(cache, 300) == 3)
    }

    @Test("Reading rows between fetches of the same does not make others leave the cache")
    func fetchedAgain() throws {
        // Half of it takes the rows of both tables once.
        let cache = RowCache(limit: 100_000)
        cache.insert(try rows(1...300, 9), table: 2, readAt: cache.state)
        for round in Int64(1)...20 {
            try insert(1...300, round, cache)
            for reference in Int64(1)...20 { #expect(version(cache, reference) == round) }
        }
        #expect(version(cache, 300, in: 2) == 9)
    }

    @Test("A list that takes more than a generation leaves its last rows in the cache")
    func tooLarge() throws {
        let cache = RowCache(limit: 100_000)
        try insert(1...5_000, 1, cache)
        #expect(version(cache, 5_000) == 1 && version(cache, 1) == nil)
    }

    @Test("The rows of several large lists take no more memory than the limit")
    func limit() throws {
        let cache = RowCache(limit: 100_000)
        var blocks: [() -> RowBlock?] = []
        for table in UInt32(1)...8 {
            let list = try rows(1...700, Int64(table))
            for block in [list.firstBlock].compactMap(\.self) + list.blocks {
                blocks.append { [weak block] in block }
            }
            cache.insert(list, table: table, readAt: cache.state)
            if table.isMultiple(of: 2) {
                for reference in Int64(1)...40 {
                    #expect(version(cache, reference, in: table) == Int64(table))
                }
                cache.insert(list, table: table, readAt: cache.state)
            }
            let bytes = blocks.compactMap { $0() }.reduce(0) { $0 + $1.capacity * 8 }
            #expect(bytes <= 100_000, "after \(table) tables")
        }
        cache.removeAll()
        #expect(blocks.allSatisfy { $0() == nil })
    }
}
