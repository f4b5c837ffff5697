import CoreData
import Foundation
import TestSupport
import Testing

/// Random dictionary requests have the same result in a child of a context with random unsaved changes, where it is computed
/// in memory, and after their save, where SQL computes it.
@Suite struct DictionaryFuzzTests {
    @Test("Random dictionary requests have the same result before and after a save")
    func saveChangesNoDictionary() throws {
        var numbers = Fuzzing.numbers(seed: 0xD1C7_10A7)
        let model = RandomTown.model()
        var (agreed, telling, refused, failures) = (0, 0, 0, 0)
        for round in 0..<Fuzzing.rounds(8) where failures < 10 {
            let town = RandomTown(&numbers)
            let stack = try TestStack(model)
            let root = stack.context()
            try root.event { context throws in
                town.fill(context)
                try context.save()
                try RandomTown.change(context, &numbers)
                // Without a change the child would ask the store.
                _ = NSEntityDescription.insertNewObject(forEntityName: "Tag", into: context)
            }
            let requests = (0..<50).map { _ in RandomDictionaryRequest(RandomTown.vocabulary, &numbers) }
            let child = ContextFamily.child(of: root)
            let before = try requests.map { request in try child.event { request.answer($0) } }
            try root.event { try $0.save() }
            for (request, old) in zip(requests, before) {
                let new = try root.event { request.answer($0) }
                switch (old, new) {
                // SQL refuses more, such as values of several types, before it reads a row.
                case (_, .failure): refused += 1
                case (.success(let old), .success(let new)) where old == new:
                    agreed += 1
                    if Set(new).count > 1 { telling += 1 }
                default:
                    failures += 1
                    Issue.record("town \(round): \(request)\nin memory: \(old)\nin SQL: \(new)")
                }
            }
        }
        print(
            "\(#function): \(agreed) results agreed, \(telling) of them with several rows, \(refused) refused, \(failures) disagreed"
        )
        #expect(agreed > 200 && refused * 3 < agreed && telling * 3 > agreed)
    }
}
