import CoreData
import Foundation
import TestSupport
import Testing

/// Random conditions find the same objects in a SQLite store and among unsaved ones, which are asked in memory.
@Suite struct PredicateFuzzTests {
    private static let entities = ["Person", "Book", "Tag"]

    @Test func storeAndMemoryAgree() throws {
        var numbers = Fuzzing.numbers(seed: 0x0C0A_DA7A)
        var counts = Counts()
        let towns = Fuzzing.rounds(50)
        let model = RandomTown.model()
        for town in 0..<towns {
            try compare(RandomTown(&numbers), town, model, &numbers, &counts)
            if counts.failures > 10 { break }
        }
        print(
            """
            predicates: \(counts.agreed) agreed, \(counts.found) of them found something, \(counts.refused) refused by both, \
            \(counts.failures) disagreed
            """)
        // The generator makes few predicates that a store refuses, and many that find something.
        #expect(counts.refused * 10 < counts.agreed)
        #expect(counts.found * 4 > counts.agreed)
    }

    private struct Counts {
        var agreed = 0
        var found = 0
        var refused = 0
        var failures = 0
    }

    private func compare(
        _ town: RandomTown, _ index: Int, _ model: NSManagedObjectModel, _ numbers: inout SeededNumbers,
        _ counts: inout Counts
    ) throws {
        let saved = try TestStack(model)
        let unsaved = try TestStack(model)
        let stored = saved.context()
        let pending = unsaved.context()
        try stored.performAndWait {
            town.fill(stored)
            try stored.save()
            stored.reset()
        }
        pending.performAndWait { town.fill(pending) }
        for _ in 0..<100 {
            let entity = Self.entities[Int.random(in: 0..<3, using: &numbers)]
            let predicate = RandomPredicate(
                about: entity, depth: Int.random(in: 1...6, using: &numbers), &numbers)
            let store = answer(predicate, entity, stored)
            let memory = answer(predicate, entity, pending)
            switch (store, memory) {
            case (.success(let store), .success(let memory)) where store == memory:
                counts.agreed += 1
                if !store.isEmpty { counts.found += 1 }
            case (.failure, .failure):
                counts.refused += 1
            default:
                counts.failures += 1
                Issue.record(
                    """
                    town \(index), \(entity): \(predicate.format)
                    \(predicate.arguments)
                    store: \(store)
                    memory: \(memory)
                    """)
            }
        }
    }

    private func answer(
        _ predicate: RandomPredicate, _ entity: String, _ context: NSManagedObjectContext
    ) -> Result<[Int], any Error> {
        context.performAndWait {
            Result {
                let request = NSFetchRequest<NSManagedObject>(entityName: entity)
                let arguments = try predicate.arguments.map { try value($0, context) }
                request.predicate = NSPredicate(format: predicate.format, argumentArray: arguments)
                return try serials(context.fetch(request))
            }
        }
    }

    private func value(_ argument: RandomPredicate.Argument, _ context: NSManagedObjectContext) throws -> Any
    {
        func object(_ entity: String, _ serial: Int) throws -> NSManagedObject {
            let request = NSFetchRequest<NSManagedObject>(entityName: entity)
            request.predicate = NSPredicate(format: "serial == %d", serial)
            return try #require(try context.fetch(request).first)
        }
        switch argument {
        case .value(let value): return value
        case .object(let entity, let serial): return try object(entity, serial)
        case .objects(let entity, let list): return try list.map { try object(entity, $0) }
        }
    }

    private func serials(_ objects: [NSManagedObject]) -> [Int] {
        objects.compactMap { $0.value(forKey: "serial") as? Int }.sorted()
    }
}
