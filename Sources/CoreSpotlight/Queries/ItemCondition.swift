import FullTextSearch

/// What a query string means: comparisons of attributes with texts, and what joins them.
indirect enum ItemCondition {
    case words(SearchQuery, FieldScope)
    case and([ItemCondition])
    case or([ItemCondition])
    case not(ItemCondition)

    /// Reads a query string; an error for one that is not valid, that only excludes, or that has too many comparisons.
    static func read(_ text: String) -> Result<ItemCondition, CSSearchQueryError> {
        var parser = ItemConditionParser(text)
        if let condition = parser.parse(), condition.finds { return .success(condition) }
        return .failure(
            CSSearchQueryError(
                .invalidQuery,
                parser.hasTooMany
                    ? "The query has more than \(ItemConditionParser.mostComparisons) comparisons."
                    : "The query string is not valid: \(text)"))
    }

    /// Whether the condition names what is found, and not only what is not.
    private var finds: Bool {
        switch self {
        case .words: true
        case .and(let all): all.contains(where: \.finds)
        case .or(let all): all.allSatisfy(\.finds)
        case .not(let a): !a.finds
        }
    }

    /// The keys of the found documents: the best first for words alone, else in ascending order.
    func keys(_ collection: ItemCollection) throws -> [Int64] {
        if case .words(let query, let scope) = self {
            return try collection.index.ranks(collection.search(query, scope)).best(nil).map(\.key)
        }
        return try set(collection).keys.sorted()
    }

    private func set(_ collection: ItemCollection) throws -> Documents {
        switch self {
        case .words(let query, let scope):
            return Documents(
                keys: Set(try collection.index.keys(collection.search(query, scope), limit: nil, offset: 0)),
                isExcluded: false)
        case .not(let condition): return try condition.set(collection).opposite
        case .and(let all):
            return try all.reduce(Documents.all) { try $0.intersection($1.set(collection)) }
        case .or(let all):
            // As the opposite of AND of the opposites.
            return try all.reduce(Documents.all) { try $0.intersection($1.set(collection).opposite) }.opposite
        }
    }
}

/// Documents, or all but some.
private struct Documents {
    var keys: Set<Int64>
    var isExcluded: Bool

    static let all = Documents(keys: [], isExcluded: true)

    var opposite: Documents { Documents(keys: keys, isExcluded: !isExcluded) }

    func intersection(_ other: Documents) -> Documents {
        switch (isExcluded, other.isExcluded) {
        case (false, false): Documents(keys: keys.intersection(other.keys), isExcluded: false)
        case (false, true): Documents(keys: keys.subtracting(other.keys), isExcluded: false)
        case (true, false): Documents(keys: other.keys.subtracting(keys), isExcluded: false)
        case (true, true): Documents(keys: keys.union(other.keys), isExcluded: true)
        }
    }
}

/// Reads query strings.
private struct ItemConditionParser {
    private let scalars: [Unicode.Scalar]
    private var index = 0
    private var depth = 0
    private var comparisonCount = 0

    /// Each is a search of its own.
    static let mostComparisons = 256

    var hasTooMany: Bool { comparisonCount > Self.mostComparisons }

    init(_ text: String) { scalars = Array(text.unicodeScalars) }

    mutating func parse() -> ItemCondition? {
        guard let condition = alternatives() else { return nil }
        skipSpaces()
        return index == scalars.count ? condition : nil
    }

    private mutating func alternatives() -> ItemCondition? {
        guard let first = conjunction() else { return nil }
        var all = [first]
        while take("||") {
            guard let next = conjunction() else { return nil }
            all.append(next)
        }
        return all.count == 1 ? first : .or(all)
    }

    private mutating func conjunction() -> ItemCondition? {
        guard let first = factor() else { return nil }
        var all = [first]
        while take("&&") {
            guard let next = factor() else { return nil }
            all.append(next)
        }
        return all.count == 1 ? first : .and(all)
    }

    private mutating func factor() -> ItemCondition? {
        // What is nested deeper has no stack.
        guard depth < 100 else { return nil }
        depth += 1
        defer { depth -= 1 }
        if take("(") {
            guard let inner = alternatives(), take(")") else { return nil }
            return inner
        }
        if take("!") { return factor().map(ItemCondition.not) }
        return comparison()
    }

    private mutating func comparison() -> ItemCondition? {
        comparisonCount += 1
        guard !hasTooMany else { return nil }
        skipSpaces()
        var name = ""
        while index < scalars.count, Self.isName(scalars[index]) {
            name.unicodeScalars.append(scalars[index])
            index += 1
        }
        let isEqual = take("==")
        guard isEqual || take("!="), let value = string() else { return nil }
        while index < scalars.count, "cdwt".unicodeScalars.contains(scalars[index]) { index += 1 }
        let scope: FieldScope
        if name.allSatisfy({ $0 == "*" }), !name.isEmpty {
            scope = .all
        } else {
            guard let field = CSSearchableItemAttributeSet.fieldNames.firstIndex(of: name) else { return nil }
            scope = .only([field])
        }
        let words = SearchTokenizer.keys(of: value, upTo: SearchQuery.mostWords)
        guard !words.isEmpty else { return nil }
        let phrase = SearchPhrase(words: words, isPrefix: value.hasSuffix("*"))
        let condition = ItemCondition.words(SearchQuery(groups: [.init(required: [phrase])]), scope)
        return isEqual ? condition : .not(condition)
    }

    private mutating func string() -> String? {
        skipSpaces()
        guard index < scalars.count, scalars[index] == "\"" || scalars[index] == "'" else { return nil }
        let quotation = scalars[index]
        index += 1
        var text = ""
        while index < scalars.count, scalars[index] != quotation {
            if scalars[index] == "\\", index + 1 < scalars.count { index += 1 }
            text.unicodeScalars.append(scalars[index])
            index += 1
        }
        guard index < scalars.count else { return nil }
        index += 1
        return text
    }

    private mutating func take(_ sign: String) -> Bool {
        skipSpaces()
        let sign = Array(sign.unicodeScalars)
        guard scalars[index...].starts(with: sign) else { return false }
        index += sign.count
        return true
    }

    private mutating func skipSpaces() {
        while index < scalars.count, scalars[index].properties.isWhitespace { index += 1 }
    }

    private static func isName(_ scalar: Unicode.Scalar) -> Bool {
        scalar == "*" || scalar == "_" || (scalar.isASCII && scalar.properties.isAlphabetic)
            || ("0"..."9").contains(scalar)
    }
}
