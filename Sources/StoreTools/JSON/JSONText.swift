import CocoaFoundation
import Foundation

/// JSON in one line, written piece by piece. What the pieces are, and that they fit, is up to the writer.
package struct JSONText {
    package private(set) var text = ""
    /// Whether the next member of the open object or list needs a comma.
    private var needsComma = false

    package init() {}

    package mutating func begin(_ bracket: Character) {
        separate()
        text.append(bracket)
        needsComma = false
    }

    package mutating func end(_ bracket: Character) {
        text.append(bracket)
        needsComma = true
    }

    package mutating func key(_ name: String) {
        separate()
        quote(name)
        text += ":"
        needsComma = false
    }

    package mutating func null() { raw("null") }
    package mutating func bool(_ value: Bool) { raw(value ? "true" : "false") }
    package mutating func integer(_ value: Int64) { raw(String(value)) }

    /// A number by the fewest digits that stand for it and no other; a string for what JSON has no number for.
    package mutating func double(_ value: Double) {
        if value.isFinite { raw("\(value)") } else { string("\(value)") }
    }

    package mutating func string(_ value: String) {
        separate()
        quote(value)
        needsComma = true
    }

    package mutating func value(_ value: JSONValue) {
        switch value {
        case .null: null()
        case .bool(let value): bool(value)
        case .number(let text): raw(text)
        case .string(let text): string(text)
        case .array(let elements):
            begin("[")
            for element in elements { self.value(element) }
            end("]")
        case .object(let members):
            begin("{")
            for (name, member) in members.sorted(by: { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }) {
                key(name)
                self.value(member)
            }
            end("}")
        }
    }

    private mutating func raw(_ value: String) {
        separate()
        text += value
        needsComma = true
    }

    private mutating func separate() { if needsComma { text += "," } }

    private mutating func quote(_ value: String) { EscapedText.append(value, to: &text) }
}
