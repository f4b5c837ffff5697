import Foundation
import Testing

@testable import CocoaFoundation

/// All regular expressions of one request share a bound.
@Suite struct MatchBudgetTests {
    /// Texts that a pattern does not match, each after many steps, which double with each round.
    private static let pattern = "(a+)+b"
    private static let rounds = 14..<30

    private func text(_ round: Int) -> String { String(repeating: "a", count: round) + "c" }

    private func isOver(_ error: any Error) -> Bool {
        (error as? PredicateEvaluationError)?.reason.hasSuffix("takes too long.") == true
    }

    /// Whether the predicate can be evaluated.
    private func ends(_ predicate: NSPredicate, _ object: Any) throws -> Bool {
        do {
            #expect(try !predicate.matches(object))
            return true
        } catch let error where isOver(error) {
            return false
        }
    }

    @Test("A pattern that ends in time for one string may take too long for sixty")
    func strings() throws {
        let any = NSPredicate(format: "ANY SELF MATCHES %@", Self.pattern)
        let isFound = try Self.rounds.contains { round in
            let isQuick = try ends(any, [text(round)])
            return try isQuick && !ends(any, Array(repeating: text(round), count: 60))
        }
        #expect(isFound)
    }

    @Test("The comparisons of one predicate share the bound") func comparisons() throws {
        let one = NSPredicate(format: "SELF MATCHES %@", Self.pattern)
        let many = NSCompoundPredicate(
            orPredicateWithSubpredicates: (0..<60).map {
                NSPredicate(format: "SELF MATCHES %@", "\(Self.pattern)\($0)")
            })
        let isFound = try Self.rounds.contains { round in
            let isQuick = try ends(one, text(round))
            return try isQuick && !ends(many, text(round))
        }
        #expect(isFound)
    }

    @Test("Each request has a bound of its own") func requests() throws {
        let predicate = NSPredicate(format: "SELF MATCHES %@", Self.pattern)
        let round = try #require(try Self.rounds.last { try ends(predicate, text($0)) })
        // The most that one request may take, again and again.
        for _ in 0..<5 { #expect(try ends(predicate, text(round))) }
        // In one request that is too much.
        try MatchBudget.sharing { () throws(any Error) in
            #expect(try ends(predicate, text(round)))
            let others = try (0..<5).map { _ in try ends(predicate, text(round)) }
            #expect(others.contains(false))
        }
        #expect(try ends(predicate, text(round)))
    }

    @Test("An exhausted bound does not end a quick match")
    func quickAfterSlow() throws {
        try MatchBudget.sharing { () throws(any Error) in
            let slow = NSPredicate(format: "SELF MATCHES %@", Self.pattern)
            #expect(try !ends(slow, text(60)))
            #expect(try NSPredicate(format: "SELF MATCHES 'a+c'").matches(text(60)))
        }
    }

    @Test("A pattern whose steps are in proportion to the string may read long strings")
    func longStrings()
        throws
    {
        let long = String(repeating: "lorem ipsum ", count: 40_000)
        let predicate = NSPredicate(format: "SELF MATCHES '.*sit.*'")
        try MatchBudget.sharing { () throws(any Error) in
            for _ in 0..<40 { #expect(try !predicate.matches(long)) }
            #expect(try predicate.matches(long + "sit"))
        }
    }
}
