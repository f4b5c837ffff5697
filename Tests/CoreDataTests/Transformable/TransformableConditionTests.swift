import CoreData
import Testing

/// The column of a transformable attribute has an archive: it is there or not, and says no more.
@Suite struct TransformableConditionTests {
    private func request(_ format: String, _ arguments: [Any] = []) -> NSFetchRequest<NSManagedObject> {
        let request = NSFetchRequest<NSManagedObject>(entityName: "Thing")
        request.predicate = NSPredicate(format: format, argumentArray: arguments)
        return request
    }

    @Test("A transformable attribute can be compared with nil", arguments: [true, false])
    func comparisonWithNil(_ isSaved: Bool) throws {
        try TestStack(TransformableFixture.model).inContext { context throws in
            let full = try context.insert("Thing", ["plain": Data([1]) as NSData])
            let empty = try context.insert("Thing", [:])
            if isSaved { try context.save() }
            #expect(try context.fetch(request("plain != nil")) == [full])
            #expect(try context.fetch(request("plain == nil")) == [empty])
            #expect(try context.fetch(request("TERNARY(name == nil, plain, old) != nil")) == [full])
        }
    }

    @Test(
        "A comparison of a transformable attribute with a value is refused by name",
        arguments: [
            "plain == %@", "plain != %@", "%@ == plain", "plain IN {%@}", "plain == old", "plain > %@",
            "TERNARY(name == nil, plain, old) == %@", "NOT (plain == %@)", "plain BETWEEN {%@, %@}",
            "max:(plain, old) == %@", "plain IN %@",
        ])
    func comparisonsAreRefused(_ format: String) throws {
        for isSaved in [true, false] {
            try TestStack(TransformableFixture.model).inContext { context throws in
                try context.insert("Thing", ["plain": Data([1]) as NSData])
                if isSaved { try context.save() }
                let argument: Any = format.hasSuffix("IN %@") ? [Data([1])] : Data([1])
                let count = format.split(separator: "%@", omittingEmptySubsequences: false).count - 1
                let request = request(format, Array(repeating: argument, count: count))
                let error = #expect(throws: NSError.self) { try context.fetch(request) }
                #expect(error?.code == 134060)
                #expect(error?.localizedDescription.contains("'plain' is transformable") ?? false)
            }
        }
    }

    @Test("Sorting by a transformable attribute is refused by name")
    func sortIsRefused() throws {
        try TestStack(TransformableFixture.model).inContext { context throws in
            try context.insert("Thing", ["plain": Data([1]) as NSData])
            let request = request("TRUEPREDICATE")
            request.sortDescriptors = [NSSortDescriptor(key: "plain", ascending: true)]
            let error = #expect(throws: NSError.self) { try context.fetch(request) }
            #expect(error?.code == 134060)
            #expect(error?.localizedDescription.contains("'plain' is transformable") ?? false)
        }
    }
}
