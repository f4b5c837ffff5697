extension SearchQuery {
    /// How many words of a query count. Later ones are left out.
    package static let mostWords = 256

    /// Reads what a person has written.
    ///
    /// - Words, all of which are to be found, in any order: `war peace`. One that ends in `*` is the beginning of a word.
    /// - A phrase: `"war and peace"`. Words that are written without a space between them, as in `well-known` or in Chinese, are one
    ///   too.
    /// - `OR` between alternatives; it binds less than what stands beside each other. `AND` changes nothing.
    /// - `NOT`, or `-` before a word or phrase, excludes it.
    ///
    /// Any text is a query. A quotation mark without a partner ends with the text. An operator that lacks what it belongs to is left
    /// out; operators alone are words. Signs that are not a part of words count as spaces. What only excludes finds nothing.
    ///
    /// - Parameter completesLastWord: whether the last word, if nothing follows it, is the beginning of one: for a search while a
    ///   person types.
    package init(_ text: String, completesLastWord: Bool = false) {
        var parser = SearchQueryParser(text, completesLastWord: completesLastWord)
        groups = parser.parse()
    }
}

/// Reads a query from a text.
private struct SearchQueryParser {
    private enum Part {
        case phrase(SearchPhrase, isExcluded: Bool)
        case and(String)
        case or(String)
        case not(String)
    }

    private let scalars: [Unicode.Scalar]
    private let completesLastWord: Bool
    private var index = 0
    private var wordCount = 0

    init(_ text: String, completesLastWord: Bool) {
        scalars = Array(text.unicodeScalars)
        self.completesLastWord = completesLastWord
    }

    mutating func parse() -> [SearchQuery.Group] {
        var parts: [Part] = []
        while wordCount < SearchQuery.mostWords, let part = nextPart() {
            if let part = part { parts.append(part) }
        }
        let hasPhrases = parts.contains { if case .phrase = $0 { true } else { false } }
        return hasPhrases ? groups(parts) : groups(parts.map(Self.asWord))
    }

    private static func asWord(_ part: Part) -> Part {
        switch part {
        case .and(let word), .or(let word), .not(let word):
            .phrase(SearchPhrase(words: SearchTokenizer.keys(of: word)), isExcluded: false)
        case .phrase: part
        }
    }

    private func groups(_ parts: [Part]) -> [SearchQuery.Group] {
        var groups: [SearchQuery.Group] = []
        var required: [SearchPhrase] = []
        var excluded: [SearchPhrase] = []
        var isNegated = false
        func endGroup() {
            if !required.isEmpty {
                let group = SearchQuery.Group(required: required, excluded: excluded)
                if !groups.contains(group) { groups.append(group) }
            }
            (required, excluded, isNegated) = ([], [], false)
        }
        for part in parts {
            switch part {
            case .and: isNegated = false
            case .not: isNegated = true
            case .or: endGroup()
            case .phrase(let phrase, let isExcluded):
                if isExcluded || isNegated {
                    if !excluded.contains(phrase) { excluded.append(phrase) }
                } else if !required.contains(phrase) {
                    required.append(phrase)
                }
                isNegated = false
            }
        }
        endGroup()
        return groups
    }

    /// The next part; an inner nil for what has no words; nil at the end.
    private mutating func nextPart() -> Part?? {
        while index < scalars.count, scalars[index].properties.isWhitespace { index += 1 }
        guard index < scalars.count else { return nil }
        var isExcluded = false
        while index + 1 < scalars.count, scalars[index] == "-", !scalars[index + 1].properties.isWhitespace {
            isExcluded = true
            index += 1
        }
        if Self.isQuotationMark(scalars[index]) {
            index += 1
            return .some(quoted(isExcluded))
        }
        let start = index
        while index < scalars.count, !scalars[index].properties.isWhitespace,
            !Self.isQuotationMark(scalars[index])
        {
            index += 1
        }
        var word = scalars[start..<index]
        if !isExcluded, let operation = Self.operation(word) { return .some(operation) }
        let isBeginning = word.last == "*"
        while word.last == "*" { word.removeLast() }
        let isLast = index == scalars.count && completesLastWord
        return .some(phrase(word, isBeginning || isLast, isExcluded))
    }

    private mutating func quoted(_ isExcluded: Bool) -> Part? {
        let start = index
        while index < scalars.count, !Self.isQuotationMark(scalars[index]) { index += 1 }
        let content = scalars[start..<index]
        guard index < scalars.count else { return phrase(content, completesLastWord, isExcluded) }
        index += 1
        let isBeginning = index < scalars.count && scalars[index] == "*"
        if isBeginning { index += 1 }
        return phrase(content, isBeginning, isExcluded)
    }

    private mutating func phrase(
        _ content: ArraySlice<Unicode.Scalar>, _ isPrefix: Bool, _ isExcluded: Bool
    ) -> Part? {
        var text = ""
        text.unicodeScalars.append(contentsOf: content)
        let tokens = SearchTokenizer.tokens(of: text, upTo: SearchQuery.mostWords - wordCount)
        guard let last = tokens.last else { return nil }
        wordCount += tokens.count
        // A sign behind the last word ends it.
        let isOpen = last.range.upperBound == text.utf8.count
        return .phrase(
            SearchPhrase(words: tokens.map(\.key), isPrefix: isPrefix && isOpen), isExcluded: isExcluded)
    }

    private static func operation(_ word: ArraySlice<Unicode.Scalar>) -> Part? {
        var text = ""
        text.unicodeScalars.append(contentsOf: word)
        switch text {
        case "AND": return .and(text)
        case "OR": return .or(text)
        case "NOT": return .not(text)
        default: return nil
        }
    }

    private static func isQuotationMark(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar {
        case "\"", "\u{201C}", "\u{201D}", "\u{201E}", "\u{201F}": true
        default: false
        }
    }
}
