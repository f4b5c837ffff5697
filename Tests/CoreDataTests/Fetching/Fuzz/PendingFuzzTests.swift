import CoreData
import Foundation
import TestSupport
import Testing

/// Random requests find the same objects in the same order before and after a save of random changes.
@Suite struct PendingFuzzTests {
    @Test func aSaveChangesNoResult() throws {
        var numbers = Fuzzing.numbers(seed: 0x9E4D_1479)
        let model = RandomTown.model()
        var compared = 0
        for round in 0..<Fuzzing.rounds(25) {
            let stack = try TestStack(model)
            let town = RandomTown(&numbers)
            try stack.inContext { context in
                town.fill(context)
                try context.save()
            }
            let requests = (0..<40).map { _ in RandomRequest(&numbers) }
            try stack.inContext { context in
                try change(context, &numbers)
                let before = requests.map { $0.answer(context) }
                try context.save()
                for (request, old) in zip(requests, before) {
                    let new = request.answer(context)
                    switch (old, new) {
                    case (.success(let old), .success(let new)) where old == new: compared += 1
                    case (.failure, .failure): break
                    default: Issue.record("round \(round): \(request)\nbefore: \(old)\nafter: \(new)")
                    }
                }
            }
        }
        print("requests: \(compared) had the same result before and after a save")
        #expect(compared > 800)
    }

    /// Changes, moves, inserts and deletes some objects.
    private func change(_ context: NSManagedObjectContext, _ numbers: inout SeededNumbers) throws {
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

/// A request with a random condition, order and window.
private struct RandomRequest: CustomStringConvertible {
    private let entity: String
    private let predicate: RandomPredicate
    private let keys: [(key: String, isAscending: Bool)]
    private let limit: Int
    private let offset: Int

    private static let keys: [String: [String]] = [
        "Person": ["name", "age", "boss.name", "boss.age", "money", "born"],
        "Book": ["title", "pages", "owner.name", "owner.boss.age", "price"], "Tag": ["label", "rank"],
    ]

    init(_ numbers: inout SeededNumbers) {
        let entity = ["Person", "Book", "Tag"].randomElement(using: &numbers) ?? "Person"
        self.entity = entity
        predicate = RandomPredicate(
            about: entity, depth: Int.random(in: 1...3, using: &numbers), &numbers)
        keys = (0..<Int.random(in: 1...2, using: &numbers)).map { _ in
            (
                (Self.keys[entity] ?? []).randomElement(using: &numbers) ?? "serial",
                Bool.random(using: &numbers)
            )
        }
        limit = Int.random(in: 0..<5, using: &numbers)
        offset = Int.random(in: 0..<3, using: &numbers)
    }

    var description: String {
        "\(entity): \(predicate.format) \(predicate.arguments) by \(keys), \(limit) from \(offset)"
    }

    /// The objects' numbers and how many a count finds.
    func answer(_ context: NSManagedObjectContext) -> Result<[Int], any Error> {
        Result {
            let request = NSFetchRequest<NSManagedObject>(entityName: entity)
            // Without a condition on an object: it may be deleted.
            let arguments = predicate.arguments.map { argument -> Any in
                if case .value(let value) = argument { return value }
                if case .objects = argument { return [Any]() }
                return NSNull()
            }
            request.predicate = NSPredicate(format: predicate.format, argumentArray: arguments)
            request.sortDescriptors = keys.map { NSSortDescriptor(key: $0.key, ascending: $0.isAscending) }
            request.fetchLimit = limit
            request.fetchOffset = offset
            let found = try context.fetch(request).compactMap { $0.value(forKey: "serial") as? Int }
            return found + [try context.count(for: request)]
        }
    }
}
