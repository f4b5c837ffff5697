/// The right side of a comparison, prepared so that many left sides can be compared with it.
///
/// A string is folded once, a regular expression compiled once, and a collection becomes a set: `IN` with a
/// thousand constants looks at one of them per object.
struct ComparedOperand: @unchecked Sendable {
    // Unchecked: the values are those of a constant expression, which do not change.

    private enum Form {
        case value(PredicateValue)
        case pattern(TextPattern)
        /// A string that the left side contains, as a part or, if that is a collection, as an element.
        case part(TextPattern, element: TextPattern)
        case elements(Set<PredicateValue>)
        /// Elements that are compared one by one, because a locale decides about their strings.
        case localElements([PredicateValue])
        case bounds(PredicateValue, PredicateValue)
        /// The text that the left side must be a part of.
        case whole(String)
        case never
    }

    private let type: NSComparisonPredicate.Operator
    private let comparison: TextComparison
    private let form: Form

    /// - Throws: ``PredicateEvaluationError`` when the operator does not take the value.
    init(
        _ type: NSComparisonPredicate.Operator, _ value: Any?, options: NSComparisonPredicate.Options
    ) throws {
        self.type = type
        comparison = TextComparison(options: options)
        form = try ComparedOperand.form(type, PredicateValue(value), comparison)
    }

    private static func form(
        _ type: NSComparisonPredicate.Operator, _ value: PredicateValue, _ comparison: TextComparison
    ) throws -> Form {
        switch (type, value) {
        case (.customSelector, _):
            throw PredicateEvaluationError(.predicate, "Comparing by a selector is not supported on Linux.")
        case (.equalTo, .text(let text)), (.notEqualTo, .text(let text)):
            return .pattern(TextPattern(equalTo: text, comparison: comparison))
        case (.contains, .text(let text)):
            return .part(
                TextPattern(containing: text, comparison: comparison),
                element: TextPattern(equalTo: text, comparison: comparison))
        case (.beginsWith, _), (.endsWith, _), (.like, _), (.matches, _):
            if value.isAbsent { return .never }
            guard let text = value.textForm,
                let pattern = try TextPattern(type, text, comparison: comparison)
            else { throw wrongOperand(type, "a string") }
            return .pattern(pattern)
        case (.in, .absent), (.between, .absent):
            return .never
        case (.in, .text(let text)):
            return .whole(text)
        case (.in, .collection(let collection)):
            // NaN is equal to nothing, and would make a set's only bucket long.
            let values = collection.collectionElements.map { comparison.element(PredicateValue($0)) }
                .filter { $0.isAbsent || !$0.isNoStoredValue }
            return comparison.isLocal ? .localElements(values) : .elements(Set(values))
        case (.in, _):
            throw wrongOperand(type, "a collection or a string")
        case (.between, .collection(let collection)):
            let bounds = collection.collectionElements
            guard bounds.count == 2, collection.collectionKind.isOrdered else { fallthrough }
            return .bounds(PredicateValue(bounds[0]), PredicateValue(bounds[1]))
        case (.between, _):
            throw wrongOperand(type, "two bounds")
        default:
            return .value(value)
        }
    }

    /// Whether the left side of the comparison may be a collection itself.
    var comparesCollections: Bool {
        if type == .contains { return true }
        if case .value(.collection) = form { return true }
        return false
    }

    /// Whether the right side of `IN` is a collection without any values.
    var hasNoElements: Bool {
        switch form {
        case .elements(let elements): elements.allSatisfy(\.isNoStoredValue)
        case .localElements(let elements): elements.allSatisfy(\.isNoStoredValue)
        default: false
        }
    }

    /// Whether the comparison holds for a left side.
    func holds(for left: PredicateValue) throws -> Bool {
        switch type {
        case .equalTo: return try isEqual(to: left)
        case .notEqualTo: return try !isEqual(to: left)
        case .lessThan: return order(left) == .orderedAscending
        case .lessThanOrEqualTo: return order(left).map { $0 != .orderedDescending } ?? false
        case .greaterThan: return order(left) == .orderedDescending
        case .greaterThanOrEqualTo: return order(left).map { $0 != .orderedAscending } ?? false
        case .between: return isBetween(left)
        case .in: return try holdsIn(left)
        case .contains: return try isContained(by: left)
        case .beginsWith, .endsWith, .like, .matches: return try matchesPattern(left)
        case .customSelector: return false
        }
    }

    private func isEqual(to left: PredicateValue) throws -> Bool {
        switch (form, left) {
        case (.pattern(let pattern), .text(let text)): try pattern.matches(text)
        case (.value(let value), _): value == left
        default: false
        }
    }

    private func order(_ left: PredicateValue) -> ComparisonResult? {
        guard case .value(let right) = form else { return nil }
        return order(left, right)
    }

    private func order(_ left: PredicateValue, _ right: PredicateValue) -> ComparisonResult? {
        switch (left, right) {
        case (.absent, _), (_, .absent): nil
        case (.text(let left), .text(let right)): comparison.order(left, right)
        default: left.order(right)
        }
    }

    private func isBetween(_ left: PredicateValue) -> Bool {
        guard case .bounds(let low, let high) = form, let above = order(left, low),
            let below = order(left, high)
        else { return false }
        return above != .orderedAscending && below != .orderedDescending
    }

    private func holdsIn(_ left: PredicateValue) throws -> Bool {
        if left.isAbsent { return false }
        switch form {
        case .elements(let elements):
            return elements.contains(comparison.element(left))
        case .localElements(let elements):
            return elements.contains { comparison.areEqual($0, left) }
        case .whole(let whole):
            guard let part = left.textForm else { throw ComparedOperand.wrongOperand(type, "a string") }
            return comparison.contains(whole, part)
        default:
            return false
        }
    }

    private func isContained(by left: PredicateValue) throws -> Bool {
        switch (left, form) {
        case (.absent, _):
            return false
        case (.collection(let collection), .part(_, let element)):
            return try collection.collectionElements.contains {
                try PredicateValue($0).text.map(element.matches) ?? false
            }
        case (.collection(let collection), .value(let right)):
            return !right.isAbsent && collection.collectionElements.contains { PredicateValue($0) == right }
        case (_, .part(let pattern, _)):
            guard let text = left.textForm else {
                throw ComparedOperand.wrongOperand(type, "a collection or a string")
            }
            return try pattern.matches(text)
        case (_, .value(.absent)):
            return false
        default:
            throw ComparedOperand.wrongOperand(type, "a collection, or two strings")
        }
    }

    private func matchesPattern(_ left: PredicateValue) throws -> Bool {
        guard !left.isAbsent, case .pattern(let pattern) = form else { return false }
        guard let text = left.textForm else { throw ComparedOperand.wrongOperand(type, "a string") }
        return try pattern.matches(text)
    }

    private static func wrongOperand(
        _ type: NSComparisonPredicate.Operator, _ wanted: String
    ) -> PredicateEvaluationError {
        PredicateEvaluationError(.values, "\(type.keyword) needs \(wanted), but got another value.")
    }
}

extension PredicateValue {
    /// The value as the operators of text see it: URLs are their strings, as in a SQL store.
    fileprivate var textForm: String? {
        switch self {
        case .text(let text): text
        case .url(let url): url.absoluteString
        default: nil
        }
    }
}

extension TextComparison {
    /// A value in the form in which equal values are the same under the options.
    fileprivate func element(_ value: PredicateValue) -> PredicateValue {
        guard case .text(let text) = value, !folding.isIdentity, !isLocal else { return value }
        return .text(folding.folded(text))
    }

    /// Whether two values are the same under the options.
    fileprivate func areEqual(_ lhs: PredicateValue, _ rhs: PredicateValue) -> Bool {
        if case (.text(let lhs), .text(let rhs)) = (lhs, rhs) { return areEqual(lhs, rhs) }
        return lhs == rhs
    }
}
