/// The methods of strings that sort descriptors order by.
package enum StringOrder: String, Sendable, CaseIterable {
    /// By code points.
    ///
    /// The order of SQLite's `BINARY` collation, so that a fetch and a sort in memory agree. Apple's `compare:`
    /// orders equivalent spellings of an accented letter as the same.
    case compare = "compare:"
    /// By code points of the texts without differences of case; see ``TextFolding``.
    case caseInsensitive = "caseInsensitiveCompare:"
    /// By the current locale's rules.
    case localized = "localizedCompare:"
    /// By the current locale's rules, without differences of case.
    case localizedCaseInsensitive = "localizedCaseInsensitiveCompare:"
    /// By the current locale's rules as file lists are sorted: `Part 2` before `Part 10`.
    case localizedStandard = "localizedStandardCompare:"

    /// Which of two texts comes first.
    package func order(_ lhs: String, _ rhs: String) -> ComparisonResult {
        switch self {
        case .compare: TextComparison(options: []).order(lhs, rhs)
        case .caseInsensitive: TextComparison(options: .caseInsensitive).order(lhs, rhs)
        case .localized: lhs.localizedCompare(rhs)
        case .localizedCaseInsensitive: lhs.localizedCaseInsensitiveCompare(rhs)
        case .localizedStandard: lhs.localizedStandardCompare(rhs)
        }
    }

    /// Which of two values comes first: no value before every value, texts by this method, all others in
    /// their natural order; values that have no common order are the same.
    func order(_ lhs: PredicateValue, _ rhs: PredicateValue) -> ComparisonResult {
        switch (lhs, rhs) {
        case (.absent, .absent): .orderedSame
        case (.absent, _): .orderedAscending
        case (_, .absent): .orderedDescending
        case (.text(let lhs), .text(let rhs)): order(lhs, rhs)
        default: lhs.order(rhs) ?? .orderedSame
        }
    }
}
