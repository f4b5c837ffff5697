import CoreData
import Foundation
import TestSupport
import Testing

/// Random conditions find the same objects in a SQLite store and among unsaved ones, for which they are
/// evaluated in memory: those of a town, whose model contains the known difficult cases, and those of
/// random models.
@Suite struct PredicateFuzzTests {
    private struct Counts {
        var agreed = 0
        var found = 0
        var refused = 0
        var failures = 0

        /// Whether the generator makes few predicates that a store refuses, and many that find something.
        var areTelling: Bool { refused * 8 < agreed && found * 4 > agreed }
    }

    /// Objects of some model, and the requests for them.
    private struct Population {
        let model: NSManagedObjectModel
        let vocabulary: ConditionVocabulary
        /// The description and the position of a failure.
        let name: String
        let fill: (NSManagedObjectContext) -> Void
    }

    @Test("Random conditions on a known model find the same objects in a store and in memory")
    func storeAndMemoryAgreeOnATown() {
        var numbers = Fuzzing.numbers(seed: 0x0C0A_DA7A)
        let model = RandomTown.model()
        compare(rounds: 20, &numbers) { round, numbers in
            let town = RandomTown(&numbers)
            return Population(
                model: model, vocabulary: RandomTown.vocabulary, name: "town \(round)", fill: town.fill)
        }
    }

    @Test("Random conditions on random models find the same objects in a store and in memory")
    func storeAndMemoryAgreeOnRandomModels() {
        var numbers = Fuzzing.numbers(seed: 0x5C4E_3A00)
        var schema = RandomSchema(&numbers)
        var model = schema.model()
        compare(rounds: 30, &numbers) { round, numbers in
            if round > 0, round.isMultiple(of: 2) {
                schema = RandomSchema(&numbers)
                model = schema.model()
            }
            let world = RandomWorld(schema, &numbers)
            return Population(
                model: model, vocabulary: world.vocabulary(), name: "world \(round) of\n\(schema)",
                fill: world.fill)
        }
    }

    private func compare(
        rounds: Int, _ numbers: inout SeededNumbers, _ name: String = #function,
        _ populate: (Int, inout SeededNumbers) -> Population
    ) {
        var counts = Counts()
        for round in 0..<Fuzzing.rounds(rounds) {
            let population = populate(round, &numbers)
            do {
                try compare(population, &numbers, &counts)
            } catch {
                counts.failures += 1
                Issue.record("\(population.name)\n\(error)")
            }
            if counts.failures > 10 { break }
        }
        print(
            """
            \(name): \(counts.agreed) predicates agreed, \(counts.found) of them found something; \
            not counted with them: \(counts.refused) that both refused; \(counts.failures) disagreed
            """)
        #expect(counts.areTelling)
    }

    private func compare(
        _ population: Population, _ numbers: inout SeededNumbers, _ counts: inout Counts
    ) throws {
        let saved = try TestStack(population.model)
        let unsaved = try TestStack(population.model)
        let stored = saved.context()
        let pending = unsaved.context()
        try stored.performAndWait {
            population.fill(stored)
            try stored.save()
            stored.reset()
        }
        pending.performAndWait { population.fill(pending) }
        let vocabulary = population.vocabulary
        for _ in 0..<100 {
            let entity = vocabulary.names[Int.random(in: vocabulary.names.indices, using: &numbers)]
            let predicate = RandomPredicate(
                about: entity, vocabulary, depth: Int.random(in: 1...6, using: &numbers), hasFetches: true,
                &numbers)
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
                    \(population.name)
                    \(entity): \(predicate.format)
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
        case .request(let entity, let bound, let isOfIDs):
            let request = NSFetchRequest<any NSFetchRequestResult>(entityName: entity)
            request.predicate = NSPredicate(format: "serial < %d", bound)
            if isOfIDs { request.resultType = .managedObjectIDResultType }
            return request
        case .context: return context
        }
    }

    private func serials(_ objects: [NSManagedObject]) -> [Int] {
        objects.compactMap { $0.value(forKey: "serial") as? Int }.sorted()
    }
}
