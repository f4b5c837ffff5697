import CocoaFoundation
import Foundation
import Testing

/// What clients write, in a file that imports Foundation, too.
@Suite struct ClientSpellingTests {
    final class Book: NSObject, KeyValueCoding {
        let title: String
        let pages: Int
        var author: String?

        init(_ title: String, _ pages: Int) {
            self.title = title
            self.pages = pages
        }

        func value(forKey key: String) -> Any? {
            switch key {
            case "title": title
            case "pages": pages
            default: author
            }
        }

        func setValue(_ value: Any?, forKey key: String) {}
    }

    private let books = [Book("Emma", 474), Book("Persuasion", 249)]

    @Test("The usual spellings of predicates compile and evaluate beside Foundation")
    func predicates() {
        let predicate = NSPredicate(format: "%K BEGINSWITH[cd] %@ AND pages > %d", "title", "e", 100)
        #expect(books.filter(predicate.evaluate(with:)).map(\.title) == ["Emma"])
        let all: [NSPredicate] = [predicate, NSPredicate(value: true), NSPredicate { _, _ in true }]
        let and = NSCompoundPredicate(andPredicateWithSubpredicates: all)
        #expect(and.evaluate(with: books[0]))
        let not = NSCompoundPredicate(notPredicateWithSubpredicate: predicate)
        #expect(not.formatString == "NOT (title BEGINSWITH[cd] \"e\" AND pages > 100)")
        #expect(not.isEquivalent(to: not) && !not.isEquivalent(to: and))
        predicate.allowEvaluation()
        let template: NSPredicate = NSPredicate(format: "title == $TITLE")
        #expect(template.withSubstitutionVariables(["TITLE": "Emma"]).evaluate(with: books[0]))
        #expect(template.evaluate(with: books[0], substitutionVariables: ["TITLE": "Emma"]))
        let comparison: NSComparisonPredicate = NSComparisonPredicate(
            leftExpression: NSExpression(forKeyPath: "title"),
            rightExpression: NSExpression(forConstantValue: "EMMA"),
            modifier: .direct, type: .equalTo, options: [.caseInsensitive])
        #expect(comparison.evaluate(with: books[0]))
        let argument: any CVarArg = NSNull()
        #expect(NSPredicate(format: "author == %@", argument).evaluate(with: books[0]))
        #expect(NSPredicate(format: "author == nil").evaluate(with: books[0]))
    }

    @Test("The usual spellings of expressions compile and evaluate beside Foundation")
    func expressions() {
        let sum: NSExpression = NSExpression(
            forFunction: "sum:", arguments: [NSExpression(forKeyPath: "pages")])
        #expect(sum.expressionValue(with: ["pages": [1, 2]], context: nil) as? Int == 3)
        #expect(
            NSExpression(format: "2 * (3 + %d)", 4).expressionValue(with: nil, context: nil) as? Int == 14)
    }

    @Test("The usual spellings of sort descriptors compile and compare beside Foundation")
    func sortDescriptors() {
        let descriptors: [NSSortDescriptor] = [
            NSSortDescriptor(key: "title", ascending: false),
            NSSortDescriptor(key: #"pages"#, ascending: true),
            NSSortDescriptor(keyPath: \Book.pages, ascending: true),
            NSSortDescriptor(keyPath: \Book.author, ascending: true),
            NSSortDescriptor(key: "title", ascending: true, selector: Selector("localizedStandardCompare:")),
            NSSortDescriptor(
                key: "title", ascending: true, selector: NSSelectorFromString("caseInsensitiveCompare:")),
            NSSortDescriptor(key: "title", ascending: true) { _, _ in .orderedSame },
        ]
        #expect((books as NSArray).sortedArray(using: descriptors).count == 2)
        let byLength = NSSortDescriptor(keyPath: \Book.title, ascending: false) { left, right in
            ((left as? String)?.count ?? 0) < ((right as? String)?.count ?? 0)
                ? .orderedAscending : .orderedDescending
        }
        #expect(byLength.compare(books[0], to: books[1]) == .orderedDescending)
        #expect(byLength.selector == nil)
        #expect(descriptors[2].selector == "compare:")
        #expect(descriptors[0].key == "title")
        #expect(descriptors[0].compare(books[0], to: books[1]) == .orderedDescending)
    }

    @Test("Foundation values, collections and dates may be arguments of format strings")
    func valuesInFormattedStrings() {
        #expect(String(format: "%@ %@", NSNumber(value: 3), "x") == "3 x")
        #expect(String(format: "%@ %@", [1] as any CVarArg, NSArray(array: [2])).contains("[1]"))
        #expect(String(format: "%@", Date(timeIntervalSinceReferenceDate: 0) as any CVarArg).contains("2001"))
    }
}
