import Foundation
import Testing

import CoreData
@testable import ObjectGraph

/// Hash tables whose keys come and go, as those of a context that goes through very many objects, a batch at a time.
@Suite struct TableCapacityTests {
    private static let roundCount = 2000
    private static let batchSize = 64
    /// At most half of the entries are used, and as many vacated as are used makes it twice that.
    private static let largest = batchSize * 8

    @Test("A table of objects does not grow with objects that come and go")
    func objects() throws {
        let folder = try StoreFolder()
        let coordinator = try folder.open(
            NSManagedObjectModel(of: NSEntityDescription("Item", attribute("name", .string))))
        try coordinator.inContext { context in
            let objects = try (0..<Self.batchSize).map { _ in try context.insert("Item") }
            let references = objects.map(\.reference)
            defer { for (object, reference) in zip(objects, references) { object.reference = reference } }
            let table = ObjectTable()
            for round in 0..<Self.roundCount {
                table.reserve(objects.count)
                for (index, object) in objects.enumerated() {
                    object.reference = Int64(round * Self.batchSize + index)
                    _ = table.add(Unmanaged.passUnretained(object).toOpaque(), object.reference)
                }
                #expect(table.count == Self.batchSize)
                for object in objects {
                    table.remove(Unmanaged.passUnretained(object).toOpaque(), object.reference)
                }
            }
            #expect(table.count == 0)
            #expect(table.capacity <= Self.largest)
        }
    }

    @Test("A map of references does not grow with values that come and go")
    func values() {
        let map = ReferenceMap<Int64>()
        for round in 0..<Self.roundCount {
            map.reserve(Self.batchSize)
            let references = (0..<Self.batchSize).map { Int64(round * Self.batchSize + $0) }
            for reference in references { map.set(reference, for: reference) }
            #expect(map.count == Self.batchSize)
            #expect(references.allSatisfy { map.remove($0) == $0 })
        }
        #expect(map.count == 0)
        #expect(map.capacity <= Self.largest)
    }

    @Test("A table that is asked for more room gets it at once")
    func room() {
        #expect(tableCapacity(for: 8, count: 0, vacatedCount: 0, 16) == nil)
        #expect(tableCapacity(for: 9, count: 0, vacatedCount: 0, 16) == 32)
        #expect(tableCapacity(for: 1000, count: 24, vacatedCount: 3, 16) == 2048)
        // Many vacated entries go; for few ones, the table is doubled.
        #expect(tableCapacity(for: 100, count: 100, vacatedCount: 400, 1024) == 1024)
        #expect(tableCapacity(for: 300, count: 100, vacatedCount: 200, 1024) == 2048)
    }
}
