import CoreData
import Foundation
import TestSupport
import Testing

/// Random requests over random unsaved changes find the same objects with the same values, in the same order, at once, in
/// batches, lazily, and with only some of the properties; in a context on the store, and in a child of one.
@Suite struct BatchedFetchTests {
    @Test("Batches, lazy results and partial properties change no result", arguments: [false, true])
    func batchesAndLazinessKeepTheResult(_ inChild: Bool) throws {
        var numbers = Fuzzing.numbers(seed: inChild ? 0x5EED_0B47 : 0x5EED_0B46)
        let model = RandomTown.model()
        var compared = 0
        for round in 0..<Fuzzing.rounds(12) {
            let stack = try TestStack(model)
            let town = RandomTown(&numbers)
            try stack.inContext { context in
                town.fill(context)
                try context.save()
            }
            let root = stack.context()
            if inChild { try root.event { try RandomTown.change($0, &numbers) } }
            let context = inChild ? ContextFamily.child(of: root) : root
            if !round.isMultiple(of: 4) { try context.event { try RandomTown.change($0, &numbers) } }
            for _ in 0..<30 {
                let random = RandomRequest(RandomTown.vocabulary, &numbers)
                let size = Int.random(in: 1...4, using: &numbers)
                try context.event { context throws in
                    guard let plain = try? values(context.fetch(random.request())) else { return }
                    let batched = random.request()
                    batched.fetchBatchSize = size
                    let partial = random.request()
                    partial.propertiesToFetch = ["serial"]
                    for request in [batched, partial] {
                        if Bool.random(using: &numbers) { context.refreshAllObjects() }
                        #expect(try values(context.fetch(request)) == plain, "round \(round): \(random)")
                    }
                    if Bool.random(using: &numbers) { context.refreshAllObjects() }
                    let lazy = try context.lazyResults(of: batched)
                    #expect(values(Array(lazy)) == plain, "lazy, round \(round): \(random)")
                    compared += 1
                }
            }
        }
        #expect(compared > 150)
    }

    private func values(_ objects: [NSManagedObject]) -> [String] {
        objects.map { object in
            // The property that was fetched first, so that a partial fault answers for it.
            let serial = object.value(forKey: "serial") as? Int ?? -1
            let names = ["name", "age", "title", "pages", "price", "label", "rank", "born"]
            let values = names.filter { object.entity.attributesByName[$0] != nil }
                .map { "\(object.value(forKey: $0) ?? "nil")" }
            let owner = (["owner", "boss"].first { object.entity.relationshipsByName[$0] != nil })
                .flatMap { (object.value(forKey: $0) as? NSManagedObject)?.value(forKey: "serial") }
            return "\(serial) \(values) \(owner ?? "none")"
        }
    }
}
