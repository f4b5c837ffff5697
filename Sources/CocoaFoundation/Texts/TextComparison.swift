/// How strings are compared: the options of a comparison predicate, with their raw values.
package struct TextOptions: OptionSet, Hashable, Sendable {
    package let rawValue: UInt

    package init(rawValue: UInt) { self.rawValue = rawValue }

    package static let caseInsensitive = TextOptions(rawValue: 1)
    package static let diacriticInsensitive = TextOptions(rawValue: 2)
    package static let normalized = TextOptions(rawValue: 4)
    package static let localeSensitive = TextOptions(rawValue: 8)
    package static let wholeWords = TextOptions(rawValue: 16)
}

/// How two strings are compared under the options of a predicate.
///
/// Without options strings are compared by their UTF-8 bytes: equal are the same code points, and the order is
/// that of code points, which is also the order of SQLite's `BINARY` collation. With `[c]` or `[d]` the folded
/// forms of ``TextFolding`` are compared in the same way. `[n]` says that the strings were brought to one form
/// before, so that it goes before `[c]` and `[d]`. `[l]` compares by the current locale instead. `[w]` makes
/// `CONTAINS`, `BEGINSWITH` and `ENDSWITH` find whole words only.
package struct TextComparison: Hashable, Sendable {
    package let options: TextOptions
    package let folding: TextFolding

    package init(options: TextOptions) {
        self.options = options
        let isPrepared = options.contains(.normalized)
        folding = TextFolding(
            ignoresCase: !isPrepared && options.contains(.caseInsensitive),
            ignoresMarks: !isPrepared && options.contains(.diacriticInsensitive))
    }

    /// Whether two strings are the same.
    package func areEqual(_ lhs: String, _ rhs: String) -> Bool {
        order(lhs, rhs) == .orderedSame
    }

    /// Which of two strings comes first.
    package func order(_ lhs: String, _ rhs: String) -> ComparisonResult {
        if isLocal { return lhs.compare(rhs, options: localOptions, range: nil, locale: .current) }
        return folding.withFolded(lhs) { lhs in
            folding.withFolded(rhs) { rhs in TextComparison.order(utf8: lhs, rhs) }
        }
    }

    /// Whether `text` has `part` in it; the empty string is in every string.
    package func contains(_ text: String, _ part: String) -> Bool {
        TextPattern(containing: part, comparison: self).matchesText(text)
    }

    /// Whether `text` begins with `part`.
    package func beginsWith(_ text: String, _ part: String) -> Bool {
        TextPattern(beginningWith: part, comparison: self).matchesText(text)
    }

    /// Whether `text` ends with `part`.
    package func endsWith(_ text: String, _ part: String) -> Bool {
        TextPattern(endingWith: part, comparison: self).matchesText(text)
    }

    /// Whether all of `text` is like a pattern, in which `?` stands for one and `*` for any number of code
    /// points, and a backslash makes the next one stand for itself.
    package func like(_ text: String, _ pattern: String) -> Bool {
        TextPattern(like: pattern, comparison: self).matchesText(text)
    }

    /// Whether all of `text` matches a regular expression of ICU.
    ///
    /// - Throws: ``PredicateEvaluationError`` when the expression is not valid or takes too long.
    package func matches(_ text: String, _ pattern: String) throws -> Bool {
        try TextPattern(matching: pattern, comparison: self).matches(text)
    }

    /// Whether the current locale's rules decide.
    var isLocal: Bool { options.contains(.localeSensitive) && !options.contains(.normalized) }

    /// The options for Foundation's comparison by locale.
    var localOptions: String.CompareOptions {
        var local: String.CompareOptions = []
        if options.contains(.caseInsensitive) { local.insert(.caseInsensitive) }
        if options.contains(.diacriticInsensitive) { local.insert(.diacriticInsensitive) }
        return local
    }

    /// The order of two strings by their bytes.
    static func order(
        utf8 lhs: UnsafeBufferPointer<UInt8>, _ rhs: UnsafeBufferPointer<UInt8>
    ) -> ComparisonResult {
        let count = min(lhs.count, rhs.count)
        if count > 0, let left = lhs.baseAddress, let right = rhs.baseAddress {
            let difference = memcmp(left, right, count)
            if difference != 0 { return difference < 0 ? .orderedAscending : .orderedDescending }
        }
        if lhs.count == rhs.count { return .orderedSame }
        return lhs.count < rhs.count ? .orderedAscending : .orderedDescending
    }
}
