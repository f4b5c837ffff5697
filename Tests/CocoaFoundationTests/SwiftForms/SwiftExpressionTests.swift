import CocoaFoundation
import Testing

/// `NSExpression` made of `#Expression`, and sort descriptors of both kinds made of each other.
@Suite struct SwiftExpressionTests {
    @Test("A converted Swift expression prints as its key paths and has the same value")
    func textAndValue() throws {
        let swift = #Expression<Volume, Int> { $0.pages * 2 + 1 }
        let expression = try #require(NSExpression(swift))
        #expect(expression.description == "pages * 2 + 1")
        for entry in Catalogue.entries {
            #expect(
                expression.expressionValue(with: entry, context: nil) as? Int == (try swift.evaluate(entry)))
        }
    }

    @Test("A Boolean Swift expression becomes a conditional expression")
    func conditions() throws {
        let expression = try NSExpression(converting: #Expression<Volume, Bool> { $0.pages > 7 })
        #expect(expression.description == "TERNARY(pages > 7, 1, 0)")
    }

    @Test("A constant Swift expression becomes a constant")
    func constants() throws {
        let two = 2
        #expect(NSExpression(Expression<Int> { PredicateExpressions.build_Arg(two) })?.description == "2")
    }

    @Test("A Swift expression of several inputs cannot be converted")
    func severalInputs() {
        let sum = #Expression<Volume, Volume, Int> { $0.pages + $1.pages }
        #expect(NSExpression(sum) == nil)
        #expect(throws: SwiftPredicateError.self) { try NSExpression(converting: sum) }
    }

    @Test("A Swift expression with an unnamed key path cannot be converted")
    func unknownKeys() { #expect(NSExpression(#Expression<Volume, Int> { $0.secret }) == nil) }

    // MARK: Sort descriptors

    @Test("A Swift sort descriptor is converted and back with the same order")
    func descriptorsBothWays() throws {
        for order in [SortOrder.forward, .reverse] {
            let descriptor = NSSortDescriptor(SortDescriptor(\Volume.pages, order: order))
            #expect(descriptor.key == "pages")
            #expect(descriptor.ascending == (order == .forward))
            let back = try #require(SortDescriptor(descriptor, comparing: Volume.self))
            #expect(back.order == order && back.keyPath == \Volume.pages)
            let titles = Catalogue.entries.sorted(using: back).map(\.title)
            #expect(titles == sorted(Catalogue.entries, by: [descriptor]).map(\.title))
        }
    }

    @Test("A sort descriptor of an optional property converts to Swift")
    func optionalValues() throws {
        let descriptor = NSSortDescriptor(key: "date", ascending: true)
        let swift = try #require(SortDescriptor(descriptor, comparing: Volume.self))
        #expect(Catalogue.entries.sorted(using: swift).map(\.title) == ["Emma", "Atlas", "été"])
    }

    @Test("A sort descriptor without an equivalent in Swift converts to nil")
    func withoutEquivalent() {
        let none = [
            NSSortDescriptor(key: "secret", ascending: true), NSSortDescriptor(key: "tags", ascending: true),
            NSSortDescriptor(key: "title", ascending: true, selector: "localizedStandardCompare:"),
            NSSortDescriptor(key: nil, ascending: true),
            NSSortDescriptor(key: "title", ascending: true, comparator: { _, _ in .orderedSame }),
        ]
        for descriptor in none { #expect(SortDescriptor(descriptor, comparing: Volume.self) == nil) }
    }
}
