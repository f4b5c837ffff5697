/// A regular expression of ICU that is to match whole strings: the operator `MATCHES`.
final class WholeMatch: @unchecked Sendable {
    // `NSRegularExpression` does not change after it was made and may be used on several threads at once, as
    // Apple documents; on Linux the class is not declared so, hence "unchecked".
    private let expression: NSRegularExpression
    private let folding: TextFolding

    /// How many UTF-16 units of a string go with one report of ICU, which comes after some ten thousand steps. An expression
    /// that looks at each unit of a string a few times stays below; what is beyond is taken from ``MatchBudget``.
    private static let unitsPerReport = 256

    /// Compiles an expression.
    ///
    /// - Throws: ``PredicateEvaluationError`` when it is not valid.
    init(_ pattern: String, folding: TextFolding) throws {
        self.folding = TextFolding(ignoresCase: false, ignoresMarks: folding.ignoresMarks)
        let pattern = self.folding.folded(pattern)
        let options: NSRegularExpression.Options = folding.ignoresCase ? [.caseInsensitive] : []
        // The expression is compiled alone first: `a)|(b` is an error, although it is valid in parentheses.
        // ICU takes no empty expression, which matches the empty string.
        guard pattern.isEmpty || (try? NSRegularExpression(pattern: pattern, options: options)) != nil,
            let whole = WholeMatch.wholeExpression(pattern, options)
        else {
            throw PredicateEvaluationError(
                .values, "The regular expression \"\(pattern)\" is not valid.",
                isOfPattern: true)
        }
        expression = whole
    }

    /// The expression that matches only whole strings. ICU takes the first alternative that fits, so that
    /// matching and then looking at the length would not find `ab` by `a|ab`.
    private static func wholeExpression(
        _ pattern: String, _ options: NSRegularExpression.Options
    ) -> NSRegularExpression? {
        // The other forms are for expressions that end in a comment, which runs to the end of the line, or in
        // a quotation (`\Q`), which runs to the end of the expression.
        for whole in ["\\A(?:\(pattern))\\z", "\\A(?:\(pattern)\n)\\z", "\\A(?:\(pattern)\\E)\\z"] {
            if let expression = try? NSRegularExpression(pattern: whole, options: options) {
                return expression
            }
        }
        return nil
    }

    /// Whether the expression matches all of a string.
    ///
    /// An expression like `(a+)+b` needs exponential time and would otherwise never end.
    ///
    /// - Throws: ``PredicateEvaluationError`` when the expressions of the request take too long; see ``MatchBudget``.
    func matches(_ text: String) throws -> Bool {
        let text = folding.folded(text)
        let range = NSRange(location: 0, length: text.utf16.count)
        var isMatch = false
        var isOver = false
        var free = 1 + range.length / Self.unitsPerReport
        MatchBudget.sharing {
            expression.enumerateMatches(in: text, options: [.anchored, .reportProgress], range: range) {
                result, _, stop in
                if result != nil {
                    isMatch = true
                    stop.pointee = true
                } else if free > 0 {
                    free -= 1
                } else if !MatchBudget.take() {
                    isOver = true
                    stop.pointee = true
                }
            }
        }
        if !isMatch && isOver {
            throw PredicateEvaluationError(
                .values, "The regular expression \"\(expression.pattern)\" takes too long.",
                isOfPattern: true)
        }
        return isMatch
    }
}
