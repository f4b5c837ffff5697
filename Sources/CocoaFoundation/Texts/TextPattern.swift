/// The constant side of a text operator, prepared once and tested against many strings.
///
/// The pattern is folded when it is made; strings of ASCII letters are then tested without a call to Foundation
/// and without an allocation on the heap. A class, because copies of a structure of arrays would be counted at
/// each test.
package final class TextPattern: Sendable {
    /// Where a part of a string is looked for by the rules of the locale.
    private enum Position: Sendable {
        case whole, anywhere, start, end
    }

    private enum Form: Sendable {
        case equal(ContiguousArray<UInt8>)
        case contains(ByteSearch)
        case beginsWith(ContiguousArray<UInt8>)
        case endsWith(ContiguousArray<UInt8>)
        case like(LikePattern)
        case matches(WholeMatch)
        case local(Position, String)
    }

    private let form: Form
    private let comparison: TextComparison

    /// The pattern for strings that are the same as `text`.
    package convenience init(equalTo text: String, comparison: TextComparison) {
        self.init(comparison, .whole, text) { .equal(ContiguousArray($0.utf8)) }
    }

    /// The pattern for strings that have `part` in them.
    package convenience init(containing part: String, comparison: TextComparison) {
        self.init(comparison, .anywhere, part) { .contains(ByteSearch(for: ContiguousArray($0.utf8))) }
    }

    /// The pattern for strings that begin with `part`.
    package convenience init(beginningWith part: String, comparison: TextComparison) {
        self.init(comparison, .start, part) { .beginsWith(ContiguousArray($0.utf8)) }
    }

    /// The pattern for strings that end with `part`.
    package convenience init(endingWith part: String, comparison: TextComparison) {
        self.init(comparison, .end, part) { .endsWith(ContiguousArray($0.utf8)) }
    }

    /// The pattern of the operator `LIKE`.
    package init(like pattern: String, comparison: TextComparison) {
        self.comparison = comparison
        form = .like(LikePattern(pattern, folding: comparison.folding))
    }

    /// The regular expression of the operator `MATCHES`.
    ///
    /// - Throws: ``PredicateEvaluationError`` when the expression is not valid.
    package init(matching pattern: String, comparison: TextComparison) throws {
        self.comparison = comparison
        form = .matches(try WholeMatch(pattern, folding: comparison.folding))
    }

    private init(
        _ comparison: TextComparison, _ position: Position, _ text: String,
        _ form: (String) -> Form
    ) {
        self.comparison = comparison
        self.form = comparison.isLocal ? .local(position, text) : form(comparison.folding.folded(text))
    }

    /// Folded strings that each string which meets the pattern has in it, folded in the same way; none where that cannot be said, as of
    /// regular expressions and of what the rules of a locale decide.
    package var requiredParts: [String] {
        if comparison.isLocal { return [] }
        return switch form {
        case .contains(let search): [String(decoding: search.pattern, as: UTF8.self)]
        case .equal(let bytes), .beginsWith(let bytes), .endsWith(let bytes):
            [String(decoding: bytes, as: UTF8.self)]
        case .like(let pattern): pattern.literals
        case .matches, .local: []
        }
    }

    /// Whether a string meets the pattern.
    ///
    /// - Throws: ``PredicateEvaluationError`` when a regular expression takes too long; other patterns never
    ///   throw.
    package func matches(_ text: String) throws -> Bool {
        if case .matches(let expression) = form { return try expression.matches(text) }
        return matchesText(text)
    }

    /// Whether a string, given by its UTF-8 bytes, meets the pattern.
    ///
    /// - Throws: ``PredicateEvaluationError`` when a regular expression takes too long; other patterns never
    ///   throw.
    package func matches(utf8: UnsafeBufferPointer<UInt8>) throws -> Bool {
        switch form {
        case .matches(let expression): try expression.matches(String(decoding: utf8, as: UTF8.self))
        case .local(let position, let part):
            matchesLocally(String(decoding: utf8, as: UTF8.self), position, part)
        default: comparison.folding.withFolded(utf8: utf8) { matchesFolded($0) }
        }
    }

    /// Whether a string meets a pattern other than a regular expression.
    func matchesText(_ text: String) -> Bool {
        if case .local(let position, let part) = form { return matchesLocally(text, position, part) }
        return comparison.folding.withFolded(text) { matchesFolded($0) }
    }

    private func matchesFolded(_ text: UnsafeBufferPointer<UInt8>) -> Bool {
        let wholeWords = comparison.options.contains(.wholeWords)
        switch form {
        case .equal(let bytes):
            return text.elementsEqual(bytes)
        case .contains(let search):
            if !wholeWords { return search.firstRange(in: text) != nil }
            let word = search.firstRange(in: text) { range in
                text.isWordBoundary(range.lowerBound) && text.isWordBoundary(range.upperBound)
            }
            return word != nil
        case .beginsWith(let bytes):
            return text.starts(with: bytes) && (!wholeWords || text.isWordBoundary(bytes.count))
        case .endsWith(let bytes):
            let start = text.count - bytes.count
            guard start >= 0, text[start...].elementsEqual(bytes) else { return false }
            return !wholeWords || text.isWordBoundary(start)
        case .like(let pattern):
            return pattern.matches(text)
        case .matches, .local:
            return false
        }
    }

    private func matchesLocally(
        _ text: String, _ position: Position, _ part: String
    ) -> Bool {
        var options = comparison.localOptions
        switch position {
        case .start: options.insert(.anchored)
        case .end: options.formUnion([.anchored, .backwards])
        case .anywhere: break
        case .whole: return comparison.areEqual(text, part)
        }
        return part.isEmpty || text.range(of: part, options: options, range: nil, locale: .current) != nil
    }
}

extension UnsafeBufferPointer<UInt8> {
    /// Whether no word goes on over a position between two scalars.
    fileprivate func isWordBoundary(_ position: Int) -> Bool {
        guard position > 0, position < count else { return true }
        var before = position - 1
        while before > 0, self[before] & 0xC0 == 0x80 { before -= 1 }
        return !isWordPart(at: before) || !isWordPart(at: position)
    }

    private func isWordPart(at position: Int) -> Bool {
        let (scalar, _) = scalar(at: position)
        switch scalar.properties.generalCategory {
        case .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter, .otherLetter,
            .decimalNumber, .letterNumber, .otherNumber, .nonspacingMark, .spacingMark, .enclosingMark:
            return true
        default:
            return false
        }
    }

    /// The scalar that begins at a position, and the position after it; bytes that are not well-formed
    /// UTF-8 count as U+FFFD each.
    func scalar(at position: Int) -> (Unicode.Scalar, next: Int) {
        let first = self[position]
        if first < 0x80 { return (Unicode.Scalar(first), position + 1) }
        let length = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2
        var value = UInt32(first) & (0xFF >> (UInt32(length) + 1))
        guard first >= 0xC2, position + length <= count else { return ("\u{FFFD}", position + 1) }
        for index in (position + 1)..<(position + length) {
            guard self[index] & 0xC0 == 0x80 else { return ("\u{FFFD}", position + 1) }
            value = value << 6 | UInt32(self[index] & 0x3F)
        }
        return (Unicode.Scalar(value) ?? "\u{FFFD}", position + length)
    }
}
