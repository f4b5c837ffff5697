import Foundation
import Testing

@testable import CocoaFoundation

/// Collections as elements of collections. Collections of equal length have different hashes, so that
/// elements of a long list are not all compared with each other.
@Suite struct CollectionHashTests {
    private func hashes(_ values: [Any]) -> Int { Set(values.map { PredicateValue($0).hashValue }).count }

    @Test("Lists, sets and dictionaries hash by their contents")
    func distinct() {
        let numbers = Array(0..<500)
        #expect(hashes(numbers.map { [$0, 1] }) == 500)
        #expect(hashes(numbers.map { [1, [[$0]]] as [Any] }) == 500)
        #expect(hashes(numbers.map { Set([$0, 1_000]) }) == 500)
        #expect(hashes(numbers.map { [$0: "a"] }) == 500)
        #expect(hashes(numbers.map { ["a": $0] }) == 500)
        #expect(hashes(numbers.map { NSArray(object: $0) }) == 500)
        #expect(hashes(numbers.map { NSSet(object: $0) }) == 500)
        #expect(hashes(numbers.map { NSOrderedSet(object: $0) }) == 500)
    }

    @Test("Equal collections have equal hashes") func equal() {
        let mixed: [Any] = [Int64(1), Decimal(2)]
        let lists: [Any] = [
            [1, 2], [1.0, 2.0], mixed, NSArray(array: [1, 2]), NSOrderedSet(array: [1, 2]),
        ]
        let sets: [Any] = [Set([1, 2, 3]), Set([3.0, 2.0, 1.0]), NSSet(array: [1, 2, 3])]
        let one: [String: Any] = ["a": 1, "b": [2]]
        let other: [String: Any] = ["b": [2.0], "a": 1.0]
        let empty: [Any] = [[Int](), [String](), NSArray()]
        let nested: [Any] = [[Set([1, 2])], [Set([2.0, 1.0])]]
        let groups: [[Any]] = [lists, sets, [one, other], empty, nested]
        for group in groups {
            for value in group {
                #expect(PredicateValue(value) == PredicateValue(group[0]))
                #expect(PredicateValue(value).hashValue == PredicateValue(group[0]).hashValue)
            }
        }
        #expect(Set(groups.flatMap { $0 }.map { PredicateValue($0) }).count == groups.count)
    }

    @Test("A predicate finds lists among lists") func membership() throws {
        let lists = (0..<5_000).map { "{\($0), 1}" }.joined(separator: ", ")
        let predicate = try NSPredicate(parsing: "SELF IN {\(lists)}")
        #expect(try predicate.matches([4_999, 1]))
        #expect(try predicate.matches([7.0, 1.0]))
        #expect(try !predicate.matches([4_999, 2]))
    }
}
