import FullTextSearch

/// What a query string means: comparisons of attributes with texts, and what joins them.
indirect enum ItemCondition {
    case words(SearchQuery, FieldScope)
    case and(ItemCondition, ItemCondition)
    case or(ItemCondition, ItemCondition)
    case not(ItemCondition)

    /// Reads a query string; nil for one that is not valid, or that only excludes.
    init?(_ text: String) {
        var parser = ItemConditionParser(text)
        guard let condition = parser.parse(), condition.finds else { return nil }
        self = condition
    }

    /// Whether the condition names what is found, and not only what is not.
    private var finds: Bool {
        switch self {
        case .words: true
        case .and(let a, let b): a.finds || b.finds
        case .or(let a, let b): a.finds && b.finds
        case .not(let a): !a.finds
        }
    }

    /// The keys of the found documents: the best first for words alone, else in ascending order.
    func keys(_ collection: ItemCollection) throws -> [Int64] {
        if case .words(let query, let scope) = self {
            return try collection.index.ranks(collection.search(query, scope)).sorted { a, b in
                a.value != b.value ? a.value > b.value : a.key < b.key
            }.map(\.key)
        }
        return try set(collection).keys.sorted()
    }

    /// Documents, or all but some.
    private func set(_ collection: ItemCollection) throws -> (keys: Set<Int64>, isExcluded: Bool) {
        switch self {
        case .words(let query, let scope):
            return (
                Set(try collection.index.keys(collection.search(query, scope), limit: nil, offset: 0)), false
            )
        case .not(let condition):
            let found = try condition.set(collection)
            return (found.keys, !found.isExcluded)
        case .and(let a, let b):
            let (a, b) = (try a.set(collection), try b.set(collection))
            switch (a.isExcluded, b.isExcluded) {
            case (false, false): return (a.keys.intersection(b.keys), false)
            case (false, true): return (a.keys.subtracting(b.keys), false)
            case (true, false): return (b.keys.subtracting(a.keys), false)
            case (true, true): return (a.keys.union(b.keys), true)
            }
        case .or(let a, let b):
            // As the opposite of AND of the opposites.
            return try ItemCondition.not(.and(.not(a), .not(b))).set(collection)
        }
    }
}

/// Reads query strings.
private struct ItemConditionParser {
    private let scalars: [Unicode.Scalar]
    private var index = 0
    private var depth = 0

    init(_ text: String) { scalars = Array(text.unicodeScalars) }

    mutating func parse() -> ItemCondition? {
        guard let condition = alternatives() else { return nil }
        skipSpaces()
        return index == scalars.count ? condition : nil
    }

    private mutating func alternatives() -> ItemCondition? {
        guard var condition = conjunction() else { return nil }
        while take("||") {
            guard let next = conjunction() else { return nil }
            condition = .or(condition, next)
        }
        return condition
    }

    private mutating func conjunction() -> ItemCondition? {
        guard var condition = factor() else { return nil }
        while take("&&") {
            guard let next = factor() else { return nil }
            condition = .and(condition, next)
        }
        return condition
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
