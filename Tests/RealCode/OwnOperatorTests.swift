import CoreData
import Testing

// Operators and methods of key paths as libraries for predicates declare them.

private struct Condition<Root> {
    let text: String
}

private func < <Root, Value: Comparable>(path: KeyPath<Root, Value>, value: Value) -> Condition<Root> {
    Condition(text: "< \(value)")
}

private func == <Root, Value: Equatable>(path: KeyPath<Root, Value>, value: Value) -> Condition<Root> {
    Condition(text: "== \(value)")
}

private func && <Root>(left: Condition<Root>, right: Condition<Root>) -> Condition<Root> {
    Condition(text: "\(left.text) && \(right.text)")
}

private prefix func ! <Root>(condition: Condition<Root>) -> Condition<Root> {
    Condition(text: "! \(condition.text)")
}

extension KeyPath where Value == String {
    fileprivate func contains(_ text: String) -> Condition<Root> { Condition(text: "contains \(text)") }
    fileprivate func beginsWith(_ text: String) -> Condition<Root> { Condition(text: "begins with \(text)") }
}

extension KeyPath where Value: Comparable {
    fileprivate func between(_ range: ClosedRange<Value>) -> Condition<Root> {
        Condition(text: "between \(range.lowerBound) and \(range.upperBound)")
    }
}

private struct Note {
    var text = ""
    var count = 0
}

@Suite struct OwnOperatorTests {
    @Test("A3: Core Data has no operators and methods of key paths beside those of other libraries")
    func operatorsOfLibrariesAreTaken() {
        let small = \Note.count < 42
        #expect(small.text == "< 42")
        let both = \Note.count == 1 && !(\Note.text == "a")
        #expect(both.text == "== 1 && ! == a")
        #expect((\Note.text).contains("x").text == "contains x")
        #expect((\Note.text).beginsWith("x").text == "begins with x")
        #expect((\Note.count).between(1...2).text == "between 1 and 2")
    }
}
