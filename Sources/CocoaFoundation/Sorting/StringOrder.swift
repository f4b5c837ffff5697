/// The methods of strings that sort descriptors order by.
package enum StringOrder: String, Sendable, CaseIterable {
    /// By code points.
    ///
    /// The order of SQLite's `BINARY` collation, so that a fetch and a sort in memory agree. Apple's `compare:`
    /// orders equivalent spellings of an accented letter as the same.
    case compare = "compare:"
    /// By code points of the strings without differences of case; see ``TextFolding``.
    case caseInsensitive = "caseInsensitiveCompare:"
    /// By the current locale's rules.
    case localized = "localizedCompare:"
    /// By the current locale's rules, without differences of case.
    case localizedCaseInsensitive = "localizedCaseInsensitiveCompare:"
    /// By the current locale's rules as file lists are sorted: `Part 2` before `Part 10`.
    case localizedStandard = "localizedStandardCompare:"

    /// Which of two strings comes first.
    ///
    /// Each order is the same whichever string comes first in the call; a sort and a SQL store's collation agree.
    package func order(_ lhs: String, _ rhs: String) -> ComparisonResult {
        var lhs = lhs
        var rhs = rhs
        return lhs.withUTF8 { lhs in rhs.withUTF8 { order(utf8: lhs, $0) } }
    }

    /// Which of two strings, given as UTF-8, comes first. What is not well-formed counts as U+FFFD where more than code
    /// points is compared.
    ///
    /// Strings of ASCII, and equal ones, are compared in place by the orders that no locale decides.
    package func order(
        utf8 lhs: UnsafeBufferPointer<UInt8>, _ rhs: UnsafeBufferPointer<UInt8>
    ) -> ComparisonResult {
        let bytes = TextComparison.order(utf8: lhs, rhs)
        if bytes == .orderedSame || self == .compare { return bytes }
        if self == .caseInsensitive {
            return Self.foldedCase.withFolded(utf8: lhs) { lhs in
                Self.foldedCase.withFolded(utf8: rhs) { TextComparison.order(utf8: lhs, $0) }
            }
        }
        let left = Self.visible(lhs)
        let right = Self.visible(rhs)
        // Foundation's answers for (a, b) and (b, a) may contradict each other, so that only one is used.
        return bytes == .orderedAscending ? localOrder(left, right) : localOrder(right, left).reversed
    }

    /// The string without invisible characters, such as soft hyphens and joiners.
    ///
    /// The locale's rules ignore them, but Foundation on Linux does so in some places only: its order of strings that have
    /// them goes round in circles.
    private static func visible(_ utf8: UnsafeBufferPointer<UInt8>) -> String {
        let text = String(decoding: utf8, as: UTF8.self)
        if utf8.allSatisfy({ $0 > 0 && $0 < 0x80 }) { return text }
        let scalars = text.unicodeScalars.filter { scalar in
            scalar.value != 0 && !scalar.properties.isDefaultIgnorableCodePoint
        }
        return String(String.UnicodeScalarView(scalars))
    }

    private static let foldedCase = TextFolding(ignoresCase: true, ignoresMarks: false)

    private func localOrder(_ lhs: String, _ rhs: String) -> ComparisonResult {
        switch self {
        case .compare, .caseInsensitive:
            return .orderedSame
        case .localized:
            return lhs.localizedCompare(rhs)
        case .localizedCaseInsensitive:
            return Self.foldedCase.folded(lhs).localizedCompare(Self.foldedCase.folded(rhs))
        case .localizedStandard:
            // Foundation's own method contradicts itself for strings that differ in case and in length.
            let order = Self.foldedCase.folded(lhs).compare(
                Self.foldedCase.folded(rhs), options: [.numeric, .widthInsensitive], range: nil,
                locale: .current)
            return order == .orderedSame ? lhs.localizedCompare(rhs) : order
        }
    }

    /// Which of two values comes first: no value before every value, strings by this method, managed objects by their
    /// keys in the store, all others in their natural order; values that have no common order are the same.
    func order(_ lhs: PredicateValue, _ rhs: PredicateValue) -> ComparisonResult {
        switch (lhs, rhs) {
        case (.absent, .absent): .orderedSame
        case (.absent, _): .orderedAscending
        case (_, .absent): .orderedDescending
        case (.text(let lhs), .text(let rhs)): order(lhs, rhs)
        case (.identity(let lhs), .identity(let rhs)):
            (lhs.base as? any OrderedIdentity)?.order(rhs) ?? .orderedSame
        default: lhs.order(rhs) ?? lhs.columnOrderBesideNaN(rhs) ?? .orderedSame
        }
    }
}
