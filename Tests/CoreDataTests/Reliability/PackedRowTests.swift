import Testing

import CoreData
@testable import ObjectGraph

/// Lists of keys and rows that take less memory than their elements, and rows in small blocks.
@Suite struct PackedRowTests {
    enum Keys: CaseIterable, Sendable {
        case ascending, descending, close, far, aroundEnds, overHighest, overLowest, broken, few

        var list: [Int64] {
            switch self {
            case .ascending: Array(1...20_000)
            case .descending: (1...20_000).map { -$0 }
            case .close: (0..<20_000).map { $0 &* 7919 % 100_003 }
            case .far: (0..<20_000).map { $0 % 2 == 0 ? $0 : Int64.max - $0 }
            case .aroundEnds: (0..<10_000).map { Int64.min + $0 } + (0..<10_000).map { Int64.max - $0 }
            case .overHighest: (0..<8192).map { (Int64.max - 100) &+ $0 }
            case .overLowest: (0..<8192).map { (Int64.min + 100) &- $0 }
            case .broken: Array(1...8191) + [1] + Array(1...8192)
            case .few: [5, 4, 3]
            }
        }
    }

    @Test("A list of keys has the keys that were added", arguments: Keys.allCases)
    func keys(_ test: Keys) {
        let keys = test.list
        var list = ReferenceList()
        for key in keys { list.append(key) }
        #expect(list.count == keys.count)
        #expect(keys.indices.allSatisfy { list[$0] == keys[$0] })
        var other = ReferenceList()
        keys.withUnsafeBufferPointer { other.append(contentsOf: $0) }
        #expect(keys.indices.allSatisfy { other[$0] == keys[$0] })
    }

    private func row(_ reference: Int64, _ text: String, _ builder: inout RowBuilder) throws -> Row {
        builder.begin(slotCount: 2)
        builder.set(0, integer: reference * 3)
        builder.set(1, string: text)
        return try builder.finish(reference: reference, version: 1, entityNumber: 1, timestamp: 0)
    }

    private func text(_ index: Int64) -> String { String(repeating: "ä", count: Int(index * 37 % 90)) }

    @Test("New rows have the entity bindings and the references with which they were added")
    func inserts() throws {
        let entities = ["A", "B"].map { NSEntityDescription($0) }
        let bindings = entities.map { StoredEntity(unstored: EntityLayout.layout(of: $0)) }
        func binding(_ index: Int) -> StoredEntity { bindings[index / 40 % 2] }
        var builder = RowBuilder(sharingBlocks: true)
        var list = InsertList()
        for index in 0..<1000 {
            list.append(try row(Int64(-1 - index), text(Int64(index)), &builder), of: binding(index))
        }
        #expect(list.count == 1000 && list.runs.count == 25)
        // As a save assigns keys.
        for index in list.indices { list.rows[index].assign(reference: Int64(index) + 500) }
        for (index, insert) in list.enumerated() {
            #expect(insert.storedEntity === binding(index) && list.storedEntity(at: index) === binding(index))
            #expect(insert.reference == Int64(-1 - index) && list.reference(at: index) == insert.reference)
            #expect(insert.row.reference == Int64(index) + 500)
        }
        withExtendedLifetime(entities) {}
    }

    @Test(
        "Rows in blocks of any size keep their values when their neighbours go",
        arguments: [0, 40, 232, 1000, 9999])
    func blocks(_ bytes: Int) throws {
        var builder = RowBuilder(sharingBlocks: true)
        var rows: [Row] = []
        for index in 0..<Int64(1000) {
            if index == 100 { builder.fitBlocks(into: bytes) }
            rows.append(try row(index, text(index), &builder))
        }
        rows = rows.enumerated().filter { $0.offset % 3 == 0 }.map(\.element)
        for row in rows {
            #expect(row.integer(0) == row.reference * 3 && row.string(1) == text(row.reference))
        }
    }
}
