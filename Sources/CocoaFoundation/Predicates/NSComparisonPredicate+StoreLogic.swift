extension NSComparisonPredicate {
    /// Whether the comparison holds by the logic of a store; nil for unknown.
    func truth(for object: Any?, _ scope: EvaluationScope) throws -> Bool? {
        let right = try StoreOperand(self, object, scope)
        switch comparisonPredicateModifier {
        case .direct:
            return try right.truth(of: leftExpression.value(with: object, scope: scope))
        case .any:
            return try rows(object, scope).contains { try right.truth(of: $0) == true }
        case .all:
            return try rows(object, scope).allSatisfy { try right.truth(of: $0) == true }
        }
    }

    /// The rows that `ANY` and `ALL` ask about.
    private func rows(_ object: Any?, _ scope: EvaluationScope) throws -> [Any?] {
        if case .keyPath(let operand, _) = leftExpression.kind, let steps = leftExpression.steps {
            if let rows = try JoinedKeyPath(steps).rows(of: operand.value(with: object, scope: scope)) {
                return rows.map(StoredValue.kept)
            }
        } else {
            guard let value = try leftExpression.value(with: object, scope: scope) else { return [] }
            if let collection = value as? any ValueCollection {
                return collection.collectionElements.map(StoredValue.kept)
            }
        }
        throw PredicateEvaluationError(
            .predicate, "The left hand side of ANY or ALL must be a collection: \(leftExpression).")
    }
}

/// The right side of a comparison by the logic of a store.
private struct StoreOperand {
    private let comparison: NSComparisonPredicate
    private let value: Any?
    private let operand: ComparedOperand
    private let isNilTest: Bool
    /// The values of `IN`'s list that is written out and depends on the object, but for `nil` itself.
    private let parts: [Any]?
    private var type: NSComparisonPredicate.Operator { comparison.predicateOperatorType }

    init(_ comparison: NSComparisonPredicate, _ object: Any?, _ scope: EvaluationScope) throws {
        self.comparison = comparison
        isNilTest = comparison.leftExpression.isNothing || comparison.rightExpression.isNothing
        value = try comparison.rightExpression.value(with: object, scope: scope)
        operand = try comparison.comparedOperand(value, .store)
        if comparison.predicateOperatorType == .in, let values = value as? [Any],
            case .aggregate(let list) = comparison.rightExpression.kind, !comparison.rightExpression.isFixed
        {
            parts = zip(list, values).filter { !$0.0.isNothing }.map(\.1)
        } else {
            parts = nil
        }
    }

    /// Whether the comparison holds for a value of the left side; nil for unknown.
    func truth(of left: Any?) throws -> Bool? {
        if isNilTest { return nilTruth(left) }
        if let elements = value as? any ValueCollection {
            if let parts { return try isAnyTruth(left, parts) }
            if type == .in, operand.hasNoElements { return false }
            if type == .between { return try betweenTruth(left, elements.collectionElements) }
        }
        if type == .contains, let elements = left as? any ValueCollection, elements.collectionCount == 0 {
            return false
        }
        guard var left = presentValue(left), value != nil else { return nil }
        if type == .contains, comparison.leftExpression.isConstant {
            left = StoredValue.keptElements(left) ?? left
        }
        if let (left, right) = texts(left) {
            return try ComparedOperand(type, right, options: comparison.options)
                .holds(for: PredicateValue(left))
        }
        return try operand.holds(for: PredicateValue(left))
    }

    /// `left == a OR left == b OR …`
    private func isAnyTruth(_ left: Any?, _ parts: [Any]) throws -> Bool? {
        var isUnknown = false
        for part in parts {
            guard let left = presentValue(left), let part = presentValue(part) else {
                isUnknown = true
                continue
            }
            let other = try ComparedOperand(.equalTo, part, options: comparison.options)
            if try other.holds(for: PredicateValue(left)) { return true }
        }
        return isUnknown ? nil : false
    }

    /// The truth of a comparison with `nil` itself.
    private func nilTruth(_ left: Any?) -> Bool? {
        let isNothing = presentValue(left) == nil && value == nil
        switch type {
        case .equalTo: return isNothing
        case .notEqualTo: return !isNothing
        // No text is known to be in nothing, or to be like it.
        case .beginsWith, .endsWith, .like, .matches, .contains: return nil
        default: return false
        }
    }

    /// `a >= lower AND a <= upper`.
    private func betweenTruth(_ left: Any?, _ bounds: [Any]) throws -> Bool? {
        guard bounds.count == 2 else { return try operand.holds(for: PredicateValue(left)) }
        func side(_ bound: Any, _ type: NSComparisonPredicate.Operator) throws -> Bool? {
            guard let left = presentValue(left), let bound = StoredValue.kept(presentValue(bound)) else {
                return nil
            }
            return try ComparedOperand(type, bound, options: comparison.options)
                .holds(for: PredicateValue(left))
        }
        let isAbove = try side(bounds[0], .greaterThanOrEqualTo)
        let isBelow = try side(bounds[1], .lessThanOrEqualTo)
        if isAbove == false || isBelow == false { return false }
        return isAbove == nil || isBelow == nil ? nil : true
    }

    /// Both sides as texts when one is a URL or a UUID, and the other is or has text, which stores let stand for it, or
    /// options ask for a comparison of texts; nil for other values.
    private func texts(_ left: Any) -> (Any?, Any?)? {
        guard let value else { return nil }
        let isTextual = left is URL || left is UUID
        let hasTextual = value is URL || value is UUID
        guard isTextual || hasTextual else { return nil }
        let hasText =
            value is String || left is String
            || (value as? any ValueCollection)?.collectionElements.contains { $0 is String } ?? false
        return hasText || comparison.options.rawValue != 0 ? (Self.text(left), Self.text(value)) : nil
    }

    /// URLs and UUIDs as texts, those in collections, too.
    private static func text(_ value: Any?) -> Any? {
        switch value {
        case let url as URL: url.absoluteString
        case let uuid as UUID: uuid.uuidString
        case let text as String: UUID(uuidString: text)?.uuidString ?? text
        case let collection as any ValueCollection:
            collection.collectionElements.map { text($0) ?? NSNull() }
        default: value
        }
    }
}
