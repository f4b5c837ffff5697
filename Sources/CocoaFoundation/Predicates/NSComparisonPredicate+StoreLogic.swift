extension NSComparisonPredicate {
    /// Whether the comparison holds by the logic of a store; nil for unknown.
    func truth(for object: Any?, _ scope: EvaluationScope) throws -> Bool? {
        if let membership, !rightExpression.isNothing { return try membership.truth(for: object, scope) }
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
            // The one value of an attribute.
            if comparisonPredicateModifier == .any {
                return [StoredValue.kept(try leftExpression.value(with: object, scope: scope))]
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
    private let side: StoreSide
    private var operand: ComparedOperand { side.operand }
    private let isNilTest: Bool
    /// The values of `IN`'s list that is written out and depends on the object, but for `nil` itself.
    private let parts: [Part]?
    private var type: NSComparisonPredicate.Operator { comparison.predicateOperatorType }

    /// A value of a list, and whether it is the same for every object.
    private struct Part {
        let value: Any
        let isConstant: Bool
    }

    init(_ comparison: NSComparisonPredicate, _ object: Any?, _ scope: EvaluationScope) throws {
        self.comparison = comparison
        isNilTest = comparison.leftExpression.isNothing || comparison.rightExpression.isNothing
        value = try comparison.rightExpression.value(with: object, scope: scope)
        side = try comparison.storeSide(value)
        // The cast copies the list: it comes last.
        if comparison.predicateOperatorType == .in,
            case .aggregate(let list) = comparison.rightExpression.kind, !comparison.rightExpression.isFixed,
            let values = value as? [Any]
        {
            parts = zip(list, values).filter { !$0.0.isNothing }.map {
                Part(value: $0.1, isConstant: $0.0.isFixed)
            }
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
        if let value, let truth = Self.truthBesideNaN(left, type, value) { return truth }
        return try holds(left, side, isRightConstant: comparison.rightExpression.isFixed)
    }

    /// Whether a comparison holds of which one side is a decimal that is not a number; nil for any others.
    private static func truthBesideNaN(
        _ left: Any, _ type: NSComparisonPredicate.Operator, _ right: Any
    ) -> Bool? {
        guard let order = PredicateValue(left).columnOrderBesideNaN(PredicateValue(right)) else { return nil }
        return switch type {
        case .equalTo: order == .orderedSame
        case .notEqualTo: order != .orderedSame
        case .lessThan: order == .orderedAscending
        case .lessThanOrEqualTo: order != .orderedDescending
        case .greaterThan: order == .orderedDescending
        case .greaterThanOrEqualTo: order != .orderedAscending
        default: nil
        }
    }

    /// `left == a OR left == b OR …`
    private func isAnyTruth(_ left: Any?, _ parts: [Part]) throws -> Bool? {
        var isUnknown = false
        for part in parts {
            guard let left = presentValue(left), let value = presentValue(part.value) else {
                isUnknown = true
                continue
            }
            if try holds(left, .equalTo, value, isRightConstant: part.isConstant) { return true }
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
        func side(_ index: Int, _ type: NSComparisonPredicate.Operator) throws -> Bool? {
            guard let left = presentValue(left), let bound = StoredValue.kept(presentValue(bounds[index]))
            else { return nil }
            let list = comparison.rightExpression
            let isConstant =
                if case .aggregate(let parts) = list.kind { parts[index].isFixed } else { list.isFixed }
            return try holds(left, type, bound, isRightConstant: isConstant)
        }
        let isAbove = try side(0, .greaterThanOrEqualTo)
        let isBelow = try side(1, .lessThanOrEqualTo)
        if isAbove == false || isBelow == false { return false }
        return isAbove == nil || isBelow == nil ? nil : true
    }

    /// Whether two values that are there compare.
    private func holds(
        _ left: Any, _ type: NSComparisonPredicate.Operator, _ right: Any, isRightConstant: Bool
    ) throws -> Bool {
        if let truth = Self.truthBesideNaN(left, type, right) { return truth }
        let side = try StoreSide(type, right, options: comparison.options, isConstant: false)
        return try holds(left, side, isRightConstant: isRightConstant)
    }

    private func holds(
        _ left: Any, _ side: StoreSide, isRightConstant: @autoclosure () -> Bool
    ) throws -> Bool {
        if let holds = try side.holdsAsText(for: left) { return holds }
        let converted = try side.holdsConverted(
            for: left, isLeftConstant: comparison.leftExpression.isFixed, isRightConstant: isRightConstant())
        return try converted ?? side.operand.holds(for: PredicateValue(left))
    }
}
