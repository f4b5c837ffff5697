import CoreData
import Foundation
import TestSupport
import Testing

/// Where nothing is missing, a store and `evaluate(with:)`, whose logic has no unknown, find the same objects.
@Suite struct PlainLogicFuzzTests {
    @Test("A store and evaluate(with:) find the same objects where no value is missing")
    func storeAndPredicateAgree() throws {
        var numbers = Fuzzing.numbers(seed: 0x9_1A1_4C0D)
        let model = RandomTown.model()
        let vocabulary = RandomTown.plainVocabulary
        var (agreed, found, unknown, failures) = (0, 0, 0, 0)
        for round in 0..<Fuzzing.rounds(12) where failures < 10 {
            let town = RandomTown(&numbers, isComplete: true)
            let stack = try TestStack(model)
            try stack.inContext { context in
                town.fill(context)
                try context.save()
            }
            try stack.inContext { context throws in
                for _ in 0..<100 {
                    let entity = vocabulary.names[Int.random(in: vocabulary.names.indices, using: &numbers)]
                    let random = RandomPredicate(
                        about: entity, vocabulary, depth: Int.random(in: 1...4, using: &numbers),
                        isPlain: true,
                        &numbers)
                    let predicate = try self.predicate(random, context)
                    let refuted = NSCompoundPredicate(notPredicateWithSubpredicate: predicate)
                    // What a store refuses has other tests.
                    guard let store = try? serials(entity, predicate, context),
                        let others = try? serials(entity, refuted, context)
                    else { continue }
                    let all = try fetch(entity, nil, context)
                    guard store.count + others.count == all.count else {
                        // A computed number may be none, and then a store does not know.
                        unknown += 1
                        continue
                    }
                    let memory = serials((all as NSArray).filtered(using: predicate))
                    if memory == store {
                        agreed += 1
                        if !store.isEmpty { found += 1 }
                    } else {
                        failures += 1
                        Issue.record(
                            """
                            town \(round), \(entity): \(random.format)
                            \(random.arguments)
                            store: \(store)
                            evaluate(with:): \(memory)
                            """)
                    }
                }
            }
        }
        print(
            "\(#function): \(agreed) predicates agreed, \(found) of them found something, \(unknown) were unknown, \(failures) disagreed"
        )
        #expect(agreed > 600 && unknown * 3 < agreed && found * 4 > agreed)
    }

    private func predicate(
        _ random: RandomPredicate, _ context: NSManagedObjectContext
    ) throws -> NSPredicate {
        func object(_ entity: String, _ serial: Int) throws -> NSManagedObject {
            try #require(
                try fetch(entity, NSPredicate(format: "serial == %d", serial), context).first)
        }
        let arguments = try random.arguments.map { argument -> Any in
            switch argument {
            case .value(let value): value
            case .object(let entity, let serial): try object(entity, serial)
            case .objects(let entity, let list): try list.map { try object(entity, $0) }
            case .request, .context: NSNull()
            }
        }
        return NSPredicate(format: random.format, argumentArray: arguments)
    }

    private func fetch(
        _ entity: String, _ predicate: NSPredicate?, _ context: NSManagedObjectContext
    ) throws -> [NSManagedObject] {
        let request = NSFetchRequest<NSManagedObject>(entityName: entity)
        request.predicate = predicate
        return try context.fetch(request)
    }

    private func serials(
        _ entity: String, _ predicate: NSPredicate, _ context: NSManagedObjectContext
    ) throws -> [Int] {
        serials(try fetch(entity, predicate, context))
    }

    private func serials(_ objects: [Any]) -> [Int] {
        objects.compactMap { ($0 as? NSManagedObject)?.value(forKey: "serial") as? Int }.sorted()
    }
}
