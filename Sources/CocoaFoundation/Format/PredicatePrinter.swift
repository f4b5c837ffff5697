extension NSPredicate {
    /// The predicate's text, right for every predicate.
    ///
    /// The same as Apple's `predicateFormat`, which Foundation marks as deprecated on Linux and which is wrong
    /// there for compound predicates. `init(parsing:arguments:)` reads the text back, unless the predicate
    /// contains closures or objects that have no literal.
    public var formatString: String {
        switch shape {
        case .value(let value): value ? "TRUEPREDICATE" : "FALSEPREDICATE"
        case .opaque: "BLOCKPREDICATE"
        case .comparison(let comparison): comparison.comparisonText
        case .compound(let type, let parts): NSPredicate.compoundText(type, parts)
        }
    }

    private static func compoundText(
        _ type: NSCompoundPredicate.LogicalType, _ parts: [NSPredicate]
    ) -> String {
        switch type {
        case .not:
            let part = parts.first?.nestedText(isPartOfNot: true) ?? "TRUEPREDICATE"
            return "NOT \(part)"
        case .and:
            if parts.isEmpty { return "TRUEPREDICATE" }
            return parts.map { $0.nestedText(isPartOfNot: false) }.joined(separator: " AND ")
        case .or:
            if parts.isEmpty { return "FALSEPREDICATE" }
            return parts.map { $0.nestedText(isPartOfNot: false) }.joined(separator: " OR ")
        }
    }

    /// The text as a part of a compound predicate.
    private func nestedText(isPartOfNot: Bool) -> String {
        guard case .compound(let type, let parts) = shape else { return formatString }
        let standsAlone = parts.isEmpty || (type == .not && !isPartOfNot)
        return standsAlone ? formatString : "(\(formatString))"
    }
}

extension NSComparisonPredicate {
    fileprivate var comparisonText: String {
        let prefix =
            switch comparisonPredicateModifier {
            case .direct: ""
            case .any: "ANY "
            case .all: "ALL "
            }
        let operatorText = predicateOperatorType.keyword + options.text
        return "\(prefix)\(leftExpression.operandText) \(operatorText) \(rightExpression.operandText)"
    }
}

extension NSExpression {
    /// The text as a side of a comparison, where an assignment would be ambiguous.
    fileprivate var operandText: String {
        if case .assignment = kind { "(\(description))" } else { description }
    }
}

extension NSComparisonPredicate.Operator {
    /// The operator as it is printed.
    var keyword: String {
        switch self {
        case .lessThan: "<"
        case .lessThanOrEqualTo: "<="
        case .greaterThan: ">"
        case .greaterThanOrEqualTo: ">="
        case .equalTo: "=="
        case .notEqualTo: "!="
        case .matches: "MATCHES"
        case .like: "LIKE"
        case .beginsWith: "BEGINSWITH"
        case .endsWith: "ENDSWITH"
        case .in: "IN"
        case .customSelector: "CUSTOMSELECTOR"
        case .contains: "CONTAINS"
        case .between: "BETWEEN"
        }
    }
}

extension NSComparisonPredicate.Options {
    /// The letters of the options and what each of them means.
    static let letters: [(letter: Character, option: Self)] = [
        ("c", .caseInsensitive), ("d", .diacriticInsensitive), ("n", .normalized), ("l", .localeSensitive),
        ("w", .wholeWords),
    ]

    /// The options in brackets; nothing when there are none.
    fileprivate var text: String {
        let letters = Self.letters.filter { contains($0.option) }.map(\.letter)
        return letters.isEmpty ? "" : "[\(String(letters))]"
    }
}
