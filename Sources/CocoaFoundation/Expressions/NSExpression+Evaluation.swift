extension NSExpression {
    /// The value of the expression inside an evaluation that has begun.
    func value(with object: Any?, scope: EvaluationScope) throws -> Any? {
        let value = try plainValue(with: object, scope: scope)
        return scope.logic == .store ? StoredValue.kept(value) : value
    }

    private func plainValue(with object: Any?, scope: EvaluationScope) throws -> Any? {
        switch kind {
        case .constant(let value):
            return presentValue(value)
        case .evaluatedObject:
            return presentValue(object)
        case .variable(let name):
            return try scope.value(of: name)
        case .keyPath(let operand, let path):
            let start = try operand.value(with: object, scope: scope)
            let steps = steps ?? KeyPathSteps(path)
            guard scope.logic == .store else { return try steps.value(of: start) }
            let value = try JoinedKeyPath(steps).value(of: start)
            return steps.isSum ? try typedZero(value, object, scope) : value
        case .function(let target, let name, let arguments):
            if scope.logic == .store, target == nil, name == "objectFrom:withIndex:", arguments.count == 2 {
                return try NSExpression.element(arguments[0], at: arguments[1], object, scope)
            }
            var values = try arguments.map { try $0.value(with: object, scope: scope) }
            // Behind a missing object there are no rows to count.
            if scope.logic == .store, target == nil, isOfRows(name, arguments), values[0] == nil {
                values[0] = [Any]()
            }
            if scope.logic == .store, target == nil, name == "sum:", arguments.count == 1,
                let rows = values[0] as? [Any]
            {
                let sum = try JoinedKeyPath.sum(CollectionOperator.sum.numbers(rows)).any
                return try arguments[0].typedZero(sum, object, scope)
            }
            if let target {
                let receiver = try target.value(with: object, scope: scope)
                return try ObjectMethods.result(of: name, target: receiver, arguments: values)
            }
            return try NSExpression.result(ofFunction: name, values)
        case .aggregate(let elements):
            return try elements.map { try $0.value(with: object, scope: scope) ?? NSNull() }
        case .set(let operation, let left, let right):
            return try operation.result(
                left.value(with: object, scope: scope), right.value(with: object, scope: scope), scope.logic)
        case .subquery(let collection, let variable, let predicate):
            let value = try collection.value(with: object, scope: scope)
            // Where there is no object that leads to rows, a store has no rows to test a condition on.
            if value == nil, scope.logic == .store { return nil }
            return try NSExpression.elements(of: value) { element in
                // The element is the iterator's value only: key paths still start at the evaluated object.
                try predicate.holds(
                    for: object, scope: EvaluationScope(inside: scope, variable, element))
            }
        case .assignment(let variable, let expression):
            let value = try expression.value(with: object, scope: scope)
            scope.assign(value, to: variable)
            return value
        case .block(let block, let arguments):
            return presentValue(block(object, arguments, scope.dictionary))
        case .conditional(let predicate, let trueExpression, let falseExpression):
            let holds = try predicate.holds(for: object, scope: scope)
            return try (holds ? trueExpression : falseExpression).value(with: object, scope: scope)
        case .symbol(let symbol):
            return symbol
        case .anyKey:
            throw PredicateEvaluationError(.predicate, "ANYKEY has a value only in Spotlight queries.")
        case .custom:
            return presentValue(try value(with: object, context: scope.dictionary))
        }
    }

    /// Whether a function is one of the rows that a relationship leads to.
    private func isOfRows(_ name: String, _ arguments: [NSExpression]) -> Bool {
        guard arguments.count == 1, arguments[0].isOfRows else { return false }
        switch name {
        case "sum:", "count:", "average:", "min:", "max:", "median:", "stddev:": return true
        default: return false
        }
    }

    /// Whether it is a collection that a store has as rows.
    private var isOfRows: Bool {
        switch kind {
        case .keyPath, .set, .subquery: true
        default: false
        }
    }

    /// An element of a collection, or how many there are, by the logic of a store: only an ordered relationship has an
    /// order.
    private static func element(
        _ collection: NSExpression, at index: NSExpression, _ object: Any?, _ scope: EvaluationScope
    ) throws -> Any? {
        let index = try index.value(with: object, scope: scope)
        if let symbol = index as? Symbol, symbol == .size {
            let value = try collection.value(with: object, scope: scope)
            // Behind a missing object there are no rows to count.
            return value == nil && collection.isOfRows ? 0 : try ElementAccess.element(of: value, at: index)
        }
        if collection.isComposed { throw JoinedKeyPath.noOrder }
        switch collection.kind {
        case .keyPath(let operand, let path):
            let start = try operand.value(with: object, scope: scope)
            let elements = try JoinedKeyPath(collection.steps ?? KeyPathSteps(path)).orderedCollection(
                of: start)
            return try ElementAccess.element(of: elements, at: index)
        default: return try ElementAccess.element(of: collection.value(with: object, scope: scope), at: index)
        }
    }

    private static func result(ofFunction name: String, _ arguments: [Any?]) throws -> Any? {
        guard let function = FunctionTable.function(named: name) else {
            throw PredicateEvaluationError(.predicate, "There is no function \(name).")
        }
        guard function.arity.contains(arguments.count) else {
            throw PredicateEvaluationError(
                .predicate, "The function \(name) does not take \(arguments.count) arguments.")
        }
        return presentValue(try function.evaluate(arguments))
    }

    /// The elements of a collection that meet a condition, as an array.
    private static func elements(of value: Any?, where condition: (Any) throws -> Bool) throws -> [Any] {
        guard let value = presentValue(value) else { return [] }
        guard let collection = value as? any ValueCollection else {
            throw PredicateEvaluationError(
                .predicate, "SUBQUERY needs a collection, but got \(described(value)).")
        }
        return try collection.collectionElements.filter(condition)
    }
}

extension NSExpression.SetOperation {
    /// The elements of the result, each once, those of the left side first; `nil` when a side is absent.
    ///
    /// The result is a set when the left side is one, and otherwise an array.
    fileprivate func result(_ left: Any?, _ right: Any?, _ logic: EvaluationLogic) throws -> Any? {
        guard let left = presentValue(left), let right = presentValue(right) else { return nil }
        guard let left = left as? any ValueCollection, let right = right as? any ValueCollection else {
            throw PredicateEvaluationError(
                .values,
                "\(rawValue) needs two collections, but got \(described(left)) and \(described(right)).")
        }
        func values(_ collection: any ValueCollection) -> [Any] {
            let elements = collection.collectionElements
            return logic == .store ? elements.compactMap(StoredValue.kept) : elements
        }
        let rights = values(right)
        let others = self == .union ? [] : Set(rights.map(PredicateValue.init))
        let elements =
            switch self {
            case .union: values(left) + rights
            case .intersect: values(left).filter { others.contains(PredicateValue($0)) }
            case .minus: values(left).filter { !others.contains(PredicateValue($0)) }
            }
        return left.collectionKind == .set ? distinctSet(elements) : distinctValues(elements)
    }
}

extension NSExpression {
    /// Whether it is a collection that is picked or put together from others, perhaps with key paths after it: it has no
    /// order in a store.
    package var isComposed: Bool {
        var start = self
        while case .keyPath(let operand, _) = start.kind { start = operand }
        switch start.kind {
        case .set, .subquery: return true
        default: return false
        }
    }

    /// Whether it is a key path.
    package var isKeyPath: Bool {
        if case .keyPath = kind { true } else { false }
    }

    /// Whether it is `nil` itself.
    package var isNothing: Bool {
        if case .constant(let value) = kind { presentValue(value) == nil } else { false }
    }

    /// Whether the value is the same for every object, of an expression that is not nested too deep.
    package var isFixed: Bool { isFixed(depth: 0) }

    private func isFixed(depth: Int) -> Bool {
        guard depth < NSPredicate.depthLimit else { return false }
        func isFixed(_ part: NSExpression) -> Bool { part.isFixed(depth: depth + 1) }
        switch kind {
        case .constant, .symbol: return true
        case .aggregate(let parts): return parts.allSatisfy(isFixed)
        // Of a constant object, such as the one that stands for `$FETCH_SOURCE`.
        case .keyPath(let operand, _): return isFixed(operand)
        case .function(let target, let name, let arguments):
            // Another one for each object.
            if target == nil, name.hasPrefix("random") { return false }
            return (target.map(isFixed) ?? true) && arguments.allSatisfy(isFixed)
        case .set(_, let left, let right): return isFixed(left) && isFixed(right)
        default: return false
        }
    }

    /// The value of an expression that is the same for every object of a store.
    ///
    /// - Throws: ``PredicateEvaluationError`` for one that has no value.
    package func valueInStore() throws -> Any? {
        if let kept = plainConstant { return kept }
        return try valueInStore(for: nil)
    }

    /// The constant that the expression is, if it is a number or a string, which stores keep as it is.
    private var plainConstant: Any? {
        guard type(of: self) == NSExpression.self, case .constant(let value?) = kind else { return nil }
        let type = type(of: value)
        return type == Int.self || type == Int64.self || type == String.self ? value : nil
    }

    /// The value for an object of a store.
    ///
    /// - Throws: ``PredicateEvaluationError`` for one that has no value.
    package func valueInStore(for object: Any?, variables: [String: Any] = [:]) throws -> Any? {
        try MatchBudget.sharing {
            try value(with: object, scope: EvaluationScope(context: nil, values: variables, logic: .store))
        }
    }
}
