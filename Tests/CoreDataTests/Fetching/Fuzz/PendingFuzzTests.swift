import CoreData
import Foundation
import TestSupport
import Testing

/// Random requests find the same objects in the same order before and after a save of random changes.
@Suite struct PendingFuzzTests {
    @Test("A save changes no result of random requests on a known model")
    func saveChangesNoResultOfATown() {
        var numbers = Fuzzing.numbers(seed: 0x9E4D_1479)
        let model = RandomTown.model()
        compare(rounds: 15, &numbers) { round, numbers in
            let town = RandomTown(&numbers)
            return Population(
                model: model, vocabulary: RandomTown.vocabulary, name: "town \(round)", fill: town.fill,
                change: RandomTown.change)
        }
    }

    @Test("A save changes no result of random requests on random models")
    func saveChangesNoResultOfARandomModel() {
        var numbers = Fuzzing.numbers(seed: 0x9E4D_5C4E)
        compare(rounds: 10, &numbers) { round, numbers in
            let schema = RandomSchema(&numbers)
            let world = RandomWorld(schema, &numbers)
            return Population(
                model: schema.model(), vocabulary: world.vocabulary(),
                name: "world \(round) of\n\(schema)", fill: world.fill, change: world.change)
        }
    }

    /// Objects of some model, the requests for them, and how they change.
    private struct Population {
        let model: NSManagedObjectModel
        let vocabulary: ConditionVocabulary
        /// The description and the position of a failure.
        let name: String
        let fill: (NSManagedObjectContext) -> Void
        let change: (NSManagedObjectContext, inout SeededNumbers) throws -> Void
    }

    private struct Counts {
        var compared = 0
        var refused = 0
        var failures = 0
    }

    private func compare(
        rounds: Int, _ numbers: inout SeededNumbers, _ name: String = #function,
        _ populate: (Int, inout SeededNumbers) -> Population
    ) {
        var counts = Counts()
        for round in 0..<Fuzzing.rounds(rounds) where counts.failures < 10 {
            let population = populate(round, &numbers)
            do {
                try compare(population, &numbers, &counts)
            } catch {
                counts.failures += 1
                Issue.record("\(population.name)\n\(error)")
            }
        }
        print(
            """
            \(name): \(counts.compared) requests had the same result before and after a save, \
            \(counts.refused) were refused, \(counts.failures) disagreed
            """)
        #expect(counts.refused * 4 < counts.compared)
    }

    private func compare(
        _ population: Population, _ numbers: inout SeededNumbers, _ counts: inout Counts
    ) throws {
        let stack = try TestStack(population.model)
        try stack.inContext { context in
            population.fill(context)
            try context.save()
        }
        let requests = (0..<40).map { _ in RandomRequest(population.vocabulary, &numbers) }
        try stack.inContext { context in
            try population.change(context, &numbers)
            let before = requests.map { $0.answer(context) }
            try context.save()
            for (request, old) in zip(requests, before) {
                let new = request.answer(context)
                switch (old, new) {
                case (.success(let old), .success(let new)) where old == new: counts.compared += 1
                case (.failure, .failure): counts.refused += 1
                default:
                    counts.failures += 1
                    Issue.record("\(population.name)\n\(request)\nbefore: \(old)\nafter: \(new)")
                }
            }
        }
    }
}

extension RandomTown {
    /// Changes, moves, inserts and deletes some objects.
    static func change(_ context: NSManagedObjectContext, _ numbers: inout SeededNumbers) throws {
        func all(_ name: String) throws -> [NSManagedObject] {
            let request = NSFetchRequest<NSManagedObject>(entityName: name)
            request.sortDescriptors = [NSSortDescriptor(key: "serial", ascending: true)]
            return try context.fetch(request)
        }
        var people = try all("Person")
        let books = try all("Book")
        let tags = try all("Tag")
        for step in 0..<10 {
            guard let person = people.randomElement(using: &numbers),
                let book = books.randomElement(using: &numbers),
                let tag = tags.randomElement(using: &numbers),
                !book.isDeleted, !person.isDeleted
            else { continue }
            switch Int.random(in: 0..<12, using: &numbers) {
            case 0: person.setValue(Pools.texts.randomElement(using: &numbers), forKey: "name")
            case 1: person.setValue(Pools.small.randomElement(using: &numbers), forKey: "age")
            case 2: book.setValue(person, forKey: "owner")
            case 3: book.setValue(nil, forKey: "owner")
            case 4: book.setValue(Pools.decimals.randomElement(using: &numbers), forKey: "price")
            case 5: tag.setValue(Pools.texts.randomElement(using: &numbers), forKey: "label")
            case 6: person.mutableSetValue(forKey: "tags").add(tag)
            case 7:
                let new = NSEntityDescription.insertNewObject(
                    forEntityName: step.isMultiple(of: 2) ? "Person" : "Writer", into: context)
                new.setValue(100 + step, forKey: "serial")
                new.setValue(Pools.small.randomElement(using: &numbers), forKey: "age")
                new.setValue(person, forKey: "boss")
                people.append(new)
            case 8: context.delete(book)
            case 9: book.mutableOrderedSetValue(forKey: "readers").insert(person, at: 0)
            case 10: book.mutableOrderedSetValue(forKey: "readers").remove(person)
            default: person.setValue(people.randomElement(using: &numbers), forKey: "boss")
            }
        }
    }
}
