import CoreData
import Testing

/// Numbers beyond 64 bits with a sign, and such that a real number would round, are the same to a store and to unsaved
/// objects.
@Suite struct LargeNumberTests {
    private static let power = 18_446_744_073_709_551_616.0

    private func found(_ format: String, _ context: NSManagedObjectContext) throws -> Int {
        let request = NSFetchRequest<NSManagedObject>(entityName: "Item")
        request.predicate = NSPredicate(format: format)
        return try context.count(for: request)
    }

    @Test(
        "A save does not change how large numbers compare",
        arguments: [
            ("score == 18446744073709551615", 1), ("score < 18446744073709551615", 0),
            ("score IN {18446744073709551615}", 1), ("score > 9223372036854775808", 1),
            ("whole < 9223372036854775808", 1), ("whole == 9223372036854775808", 0),
            ("born == 9007199254740993", 0), ("born < 9007199254740993", 1), ("born == 9007199254740992", 1),
            ("born IN {9007199254740993}", 0),
        ])
    func saveChangesNothing(_ format: String, _ count: Int) throws {
        let model = NSManagedObjectModel(
            of: NSEntityDescription(
                "Item", attribute("score", .double), attribute("whole", .integer64), attribute("born", .date))
        )
        try TestStack(model).inContext { context throws in
            let item = NSEntityDescription.insertNewObject(forEntityName: "Item", into: context)
            item.setValue(Self.power, forKey: "score")
            item.setValue(Int64.max, forKey: "whole")
            item.setValue(Date(timeIntervalSinceReferenceDate: 9_007_199_254_740_992), forKey: "born")
            #expect(try found(format, context) == count)
            try context.save()
            #expect(try found(format, context) == count)
        }
    }
}
