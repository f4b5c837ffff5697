/// The pattern of the operator `LIKE`: `?` stands for one code point, `*` for any number of them, and a
/// backslash makes the next code point stand for itself.
///
/// What is between the wildcards is folded; the pattern is then tested against folded strings. Each part between two `*` is
/// looked for once, from where the one before was found: in time linear to the string where the part has no `?`, or few code
/// points; see `WildcardSearch` for long parts with `?`.
final class LikePattern: Sendable {
    /// What must precede the first `*`, or be the whole string.
    private let prefix: Part
    /// What must be between, one after the other.
    private let middle: [Part]
    /// What must follow the last `*`; nil when there is none.
    private let suffix: Part?

    init(_ pattern: String, folding: TextFolding) {
        var parts: [Part] = []
        var elements: [Part.Element] = []
        var literal = ""
        var isEscaped = false

        func endLiteral() {
            elements += folding.folded(literal).unicodeScalars.map(Part.Element.scalar)
            literal = ""
        }

        for scalar in pattern.unicodeScalars {
            switch scalar {
            case _ where isEscaped:
                literal.unicodeScalars.append(scalar)
                isEscaped = false
            case "\\":
                isEscaped = true
            case "?":
                endLiteral()
                elements.append(.anyOne)
            case "*":
                endLiteral()
                parts.append(Part(elements))
                elements = []
            default:
                literal.unicodeScalars.append(scalar)
            }
        }
        if isEscaped { literal += "\\" }
        endLiteral()
        suffix = parts.isEmpty ? nil : Part(elements)
        prefix = parts.first ?? Part(elements)
        middle = parts.dropFirst().filter { !$0.isEmpty }
    }

    /// What is between the wildcards.
    var literals: [String] { ([prefix] + middle + (suffix.map { [$0] } ?? [])).flatMap(\.literals) }

    /// Whether all of a folded string is like the pattern.
    func matches(_ text: UnsafeBufferPointer<UInt8>) -> Bool {
        guard var position = prefix.end(in: text, from: 0) else { return false }
        guard let suffix else { return position == text.count }
        for part in middle {
            guard let end = part.endOfFirst(in: text, from: position) else { return false }
            position = end
        }
        guard let start = suffix.start(before: text), start >= position else { return false }
        return suffix.end(in: text, from: start) == text.count
    }
}

/// A part of a pattern without `*`.
private struct Part: Sendable {
    enum Element: Sendable {
        case scalar(Unicode.Scalar)
        case anyOne
    }

    private let elements: [Element]
    /// The search for a part without `?`.
    private let search: ByteSearch?
    /// The search for a part with `?`.
    private let wildcardSearch: WildcardSearch?
    /// How many bytes a part without `?` has.
    private let byteCount: Int
    var isEmpty: Bool { elements.isEmpty }

    init(_ elements: [Element]) {
        self.elements = elements
        var text = String.UnicodeScalarView()
        for case .scalar(let scalar) in elements { text.append(scalar) }
        let bytes = ContiguousArray(String(text).utf8)
        byteCount = bytes.count
        search = text.count == elements.count ? ByteSearch(for: bytes) : nil
        wildcardSearch =
            search == nil
            ? WildcardSearch(
                for: elements.map { element in
                    if case .scalar(let scalar) = element { scalar } else { nil }
                }) : nil
    }

    /// The runs of scalars between `?`.
    var literals: [String] {
        elements.split { if case .anyOne = $0 { true } else { false } }.map { run in
            var text = String.UnicodeScalarView()
            for case .scalar(let scalar) in run { text.append(scalar) }
            return String(text)
        }
    }

    /// Where the part ends that begins at a position; nil when something else is there.
    func end(in text: UnsafeBufferPointer<UInt8>, from start: Int) -> Int? {
        var position = start
        for element in elements {
            guard position < text.count else { return nil }
            let (scalar, next) = text.scalar(at: position)
            if case .scalar(let wanted) = element, wanted != scalar { return nil }
            position = next
        }
        return position
    }

    /// Where the first occurrence of the part at or after a position ends.
    func endOfFirst(in text: UnsafeBufferPointer<UInt8>, from start: Int) -> Int? {
        if let wildcardSearch { return wildcardSearch.endOfFirst(in: text, from: start) }
        return search?.firstRange(in: text, from: start)?.upperBound
    }

    /// Where a string would begin with the part as its end; nil when the string is too short.
    func start(before text: UnsafeBufferPointer<UInt8>) -> Int? {
        if search != nil { return byteCount <= text.count ? text.count - byteCount : nil }
        var position = text.count
        for _ in elements {
            guard position > 0 else { return nil }
            position -= 1
            while position > 0, text[position] & 0xC0 == 0x80 { position -= 1 }
        }
        return position
    }
}
