extension NSComparisonPredicate {
    /// Whether the comparison holds, inside an evaluation that has begun.
    func comparisonHolds(for object: Any?, scope: EvaluationScope) throws -> Bool {
        if comparisonPredicateModifier == .direct {
            let left = try leftExpression.value(with: object, scope: scope)
            return try comparedOperand(with: object, scope: scope).holds(for: PredicateValue(left))
        }
        let right = try comparedOperand(with: object, scope: scope)
        let left = try elements(with: object, scope: scope, right)
        return comparisonPredicateModifier == .any
            ? try left.contains { try right.holds(for: PredicateValue($0)) }
            : try left.allSatisfy { try right.holds(for: PredicateValue($0)) }
    }

    /// The right side, prepared for comparing; kept when it is a constant.
    private func comparedOperand(with object: Any?, scope: EvaluationScope) throws -> ComparedOperand {
        let isConstant = rightExpression.isConstant
        if isConstant, let kept = constantOperands.withLock({ $0.predicate?.current }) { return kept }
        let value = try rightExpression.value(with: object, scope: scope)
        func operand() throws -> ComparedOperand {
            try ComparedOperand(predicateOperatorType, value, options: options)
        }
        guard isConstant else { return try operand() }
        let made = try ConstantOperand(of: value, operand)
        constantOperands.withLock { $0.predicate = made }
        return try made.current ?? operand()
    }

    /// The value of the right side, prepared for comparing by the logic of a store; kept when it is a constant.
    func storeSide(_ value: Any?) throws -> StoreSide {
        let isConstant = rightExpression.isConstant
        func side() throws -> StoreSide {
            try StoreSide(predicateOperatorType, value, options: options, isConstant: isConstant)
        }
        guard isConstant else { return try side() }
        if let kept = constantOperands.withLock({ $0.store?.current }) { return kept }
        let made = try ConstantOperand(of: value, side)
        constantOperands.withLock { $0.store = made }
        return try made.current ?? side()
    }

    /// The elements of the left side of `ANY` and `ALL`.
    ///
    /// A path over two collections, such as `authors.books.title`, gives a collection of collections; their
    /// elements are compared, as the joins of a SQL store do, unless the comparison itself is one of
    /// collections. No collection at all counts as an empty one.
    private func elements(
        with object: Any?, scope: EvaluationScope, _ right: ComparedOperand
    ) throws -> [Any] {
        if !right.comparesCollections, case .keyPath(let operand, _) = leftExpression.kind,
            let steps = leftExpression.steps,
            let ends = try steps.ends(of: operand.value(with: object, scope: scope))
        {
            return flattened(ends)
        }
        let left = try leftExpression.value(with: object, scope: scope)
        guard let left = presentValue(left) else { return [] }
        guard let collection = left as? any ValueCollection else {
            throw PredicateEvaluationError(
                .predicate,
                "The left hand side of ANY or ALL must be a collection, and is \(described(left)).")
        }
        return right.comparesCollections ? collection.collectionElements : flattened(collection)
    }

    private func flattened(_ collection: any ValueCollection) -> [Any] {
        collection.collectionElements.flatMap { element -> [Any] in
            guard let inner = presentValue(element) as? any ValueCollection else { return [element] }
            return flattened(inner)
        }
    }
}

extension NSExpression {
    /// Whether the expression has the same value for every object.
    var isConstant: Bool {
        switch kind {
        case .constant: true
        case .aggregate(let elements): elements.allSatisfy(\.isConstant)
        default: false
        }
    }
}

extension NSExpression {
    /// Whether the expression is a list that is written out, or a constant one.
    var isList: Bool {
        switch kind {
        case .constant(let value): value is any ValueCollection
        case .aggregate: true
        default: false
        }
    }
}
