import CoreData
import Foundation
import TestSupport
import Testing

/// Conditions of a few hundred bytes whose SQL could grow with each level of nesting take little time and little room.
@Suite struct NestedConditionTests {
    /// A person of age 1 with three books of 1, 1 and 2 pages, each read first by a person of age 0 and
    /// then by a person of age 1.
    private func inTown(_ body: (NSManagedObjectContext) throws -> Void) throws {
        try TestStack(RandomTown.model()).inContext { context throws in
            func person(_ serial: Int, age: Int) -> NSManagedObject {
                let person = NSEntityDescription.insertNewObject(forEntityName: "Person", into: context)
                person.setValue(serial, forKey: "serial")
                person.setValue(age, forKey: "age")
                return person
            }
            let (owner, first, second) = (person(0, age: 1), person(1, age: 0), person(2, age: 1))
            for (serial, pages) in [1, 1, 2].enumerated() {
                let book = NSEntityDescription.insertNewObject(forEntityName: "Book", into: context)
                book.setValue(serial, forKey: "serial")
                book.setValue(pages, forKey: "pages")
                book.setValue(owner, forKey: "owner")
                book.setValue(NSOrderedSet(array: [first, second]), forKey: "readers")
            }
            try context.save()
            context.reset()
            try body(context)
        }
    }

    private func request(_ entity: String, _ format: String) -> NSFetchRequest<NSManagedObject> {
        let request = NSFetchRequest<NSManagedObject>(entityName: entity)
        request.predicate = NSPredicate(format: format)
        return request
    }

    private func serials(_ entity: String, _ format: String, _ context: NSManagedObjectContext) throws
        -> [Int]
    {
        try context.fetch(request(entity, format)).compactMap { $0.value(forKey: "serial") as? Int }.sorted()
    }

    private func modes(_ depth: Int) -> String {
        (0..<depth).reduce("books.pages") { inner, _ in "mode:(\(inner) UNION books.serial)" }
    }

    @Test("The SQL of nested modes grows by the same length with each level")
    func nestedModesGrowLinearly() throws {
        try inTown { context throws in
            // Of 1, 2 and 0, 1, 2 each is there once.
            #expect(try serials("Person", "ANY \(modes(3)) == 0", context) == [0])
            #expect(try serials("Person", "ANY mode:(books.pages) == 2", context) == [])
            #expect(try serials("Person", "ANY mode:(books.pages) == 1", context) == [0])
            let lengths = try (1...3).map { depth in
                let request = request("Person", "ANY \(modes(depth)) == 1")
                return try #require(try context.explanations(of: request).first).statement.utf8.count
            }
            let steps = zip(lengths.dropFirst(), lengths).map(-)
            #expect(steps.allSatisfy { $0 < steps[0] + 20 }, "\(lengths)")
        }
    }

    @Test("A nested condition whose SQL grows too long is refused")
    func tooLongSQLIsRefused() throws {
        let between = (0..<40).reduce("serial") { inner, _ in "TERNARY(\(inner) BETWEEN {1, 2}, 1, 2)" }
        let element = (0..<40).reduce("name") { inner, _ in
            "TERNARY(\(inner) IN[c] books.title, 'a', 'b')"
        }
        let sum = (0..<40).reduce("serial") { inner, _ in "min:(TERNARY(\(inner) BETWEEN {1, 2}, 1, 2), 3)" }
        try inTown { context throws in
            for format in [
                "\(between) == 1", "\(element) == 'a'", "ANY {\(between), \(between)} == 2", "\(sum) == 1",
            ] {
                let error = #expect(throws: NSError.self) { try serials("Person", format, context) }
                #expect(error?.code == 134060)
                #expect(error?.localizedDescription.contains("too long in SQL") ?? false, "\(error as Any)")
            }
            let column = NSExpressionDescription()
            column.name = "x"
            column.expression = NSExpression(format: between)
            let request = NSFetchRequest<NSDictionary>(entityName: "Person")
            request.resultType = .dictionaryResultType
            request.propertiesToFetch = [column]
            let error = #expect(throws: NSError.self) { try context.fetch(request) }
            #expect(error?.localizedDescription.contains("too long in SQL") ?? false)
            // A few levels are no harm.
            let three = (0..<3).reduce("serial") { inner, _ in "TERNARY(\(inner) BETWEEN {1, 2}, 1, 2)" }
            #expect(try serials("Person", "\(three) == 1", context) == [0, 1, 2])
        }
    }

    /// Each level was compiled twice: 2^24 times the innermost.
    @Test(
        "Deeply nested indexes into ordered relationships are compiled once",
        arguments: ["median:", "average:", "stddev:"])
    func nestedIndexesAreCompiledOnce(_ name: String) throws {
        let inner = name == "average:" ? "readers[$].age" : "\(name)(readers[$].age)"
        let path = (0..<24).reduce("pages") { index, _ in inner.replacingOccurrences(of: "$", with: index) }
        try inTown { context throws in
            switch name {
            case "median:":
                // From 1 to 0 and back; there is no third reader.
                #expect(try serials("Book", "median:(\(path)) == 1", context) == [0, 1])
            case "stddev:":
                // Of one number it is 0, and the first reader's age too.
                #expect(try serials("Book", "stddev:(\(path)) == 0", context) == [0, 1])
            default:
                let error = #expect(throws: NSError.self) {
                    try serials("Book", "average:(\(path)) == 1", context)
                }
                #expect(error?.code == 134060)
            }
        }
    }
}
