extension NSPredicate {
    /// The predicate's text, right for every predicate.
    ///
    /// The same as Apple's `predicateFormat`, which Foundation marks as deprecated on Linux and which is wrong there for
    /// compound predicates of its own class. `init(parsing:arguments:)` reads the text back as an equal predicate, unless
    /// the predicate contains closures or what has no literal: managed objects and their IDs, dictionaries, values of other
    /// types than those of attributes.
    public var formatString: String {
        // A loop and not a recursion: code may nest AND and OR tens of thousands deep.
        var text = ""
        var rest: [PrintedPiece] = [.predicate(self)]
        while let piece = rest.popLast() {
            switch piece {
            case .text(let part): text += part
            case .predicate(let predicate):
                switch predicate.shape {
                case .value(let value): text += value ? "TRUEPREDICATE" : "FALSEPREDICATE"
                case .opaque: text += (predicate as? any DescribedPredicate)?.text ?? "BLOCKPREDICATE"
                case .comparison(let comparison): text += comparison.comparisonText
                case .compound(let type, let parts): rest += NSPredicate.pieces(type, parts).reversed()
                }
            }
        }
        return text
    }

    /// A piece of a predicate's text.
    private enum PrintedPiece {
        case text(String)
        case predicate(NSPredicate)
    }

    private static func pieces(
        _ type: NSCompoundPredicate.LogicalType, _ parts: [NSPredicate]
    ) -> [PrintedPiece] {
        if type == .not {
            let part = parts.first?.nestedPieces(isPartOfNot: true) ?? [.text("TRUEPREDICATE")]
            return [.text("NOT ")] + part
        }
        guard let first = parts.first else {
            return [.text(type == .or ? "FALSEPREDICATE" : "TRUEPREDICATE")]
        }
        return first.nestedPieces(isPartOfNot: false)
            + parts.dropFirst().flatMap { part in
                [.text(type == .and ? " AND " : " OR ")] + part.nestedPieces(isPartOfNot: false)
            }
    }

    /// The pieces as a part of a compound predicate.
    private func nestedPieces(isPartOfNot: Bool) -> [PrintedPiece] {
        guard case .compound(let type, let parts) = shape, !parts.isEmpty, type != .not || isPartOfNot else {
            return [.predicate(self)]
        }
        return [.text("("), .predicate(self), .text(")")]
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
