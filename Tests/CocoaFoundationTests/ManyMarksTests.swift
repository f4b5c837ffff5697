import Foundation
import Testing

@testable import CocoaFoundation

/// Texts with more marks upon one letter than any script has.
@Suite struct ManyMarksTests {
    private let folding = TextFolding(ignoresCase: true, ignoresMarks: false)

    private func scalars(_ text: String) -> [Unicode.Scalar] { Array(text.unicodeScalars) }

    @Test("The order of marks matters within a class of marks only")
    func order() {
        // Above, below, overlaid; those of each class keep their order.
        let above = String(repeating: "\u{301}\u{300}", count: 40)
        let below = String(repeating: "\u{316}\u{317}", count: 40)
        let over = String(repeating: "\u{338}", count: 40)
        func mixed(_ parts: String...) -> String {
            let lists = parts.map { Array($0.unicodeScalars) }
            var text = "E".unicodeScalars
            for index in 0..<80 { for list in lists where index < list.count { text.append(list[index]) } }
            return String(text)
        }
        let ordered = folding.folded("E" + over + below + above)
        #expect(scalars(folding.folded(mixed(above, below, over))) == scalars(ordered))
        #expect(scalars(folding.folded(mixed(below, over, above))) == scalars(ordered))
        // As Foundation composes it.
        #expect(
            scalars(ordered) == scalars(("e" + over + below + above).precomposedStringWithCanonicalMapping))
        let other = String(repeating: "\u{300}\u{301}", count: 40)
        #expect(scalars(folding.folded("E" + over + below + other)) != scalars(ordered))
    }

    @Test("Letters between marks keep their positions")
    func letters() {
        let text = (0..<60).map { "\($0)É\u{316}" + String(repeating: "\u{301}\u{316}", count: $0) }.joined()
        #expect(
            scalars(folding.folded(text)) == scalars(text.lowercased().precomposedStringWithCanonicalMapping))
    }

    @Test("A hundred thousand marks in the worst order are folded") func many() {
        // Exchanged with their neighbours they would take thousands of millions of steps.
        let marks = String(repeating: "\u{301}\u{316}", count: 100_000)
        let folded = folding.folded("E" + marks)
        #expect(folded.unicodeScalars.count == 200_000)
        #expect(scalars(folded).dropFirst().first == "\u{316}")
    }
}
