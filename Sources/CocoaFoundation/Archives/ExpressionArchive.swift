extension PredicateArchive {
    /// What an archived expression is made of; `nil` when a field is missing or of a wrong type.
    static func kind(_ fields: [String: Any]) -> NSExpression.Kind? {
        guard let type = number(fields["NSExpressionType"]) else { return nil }
        if type == symbolType {
            return (fields["NSSymbol"] as? String).flatMap(NSExpression.Symbol.init).map { .symbol($0) }
        }
        switch NSExpression.ExpressionType(rawValue: type) {
        case .constantValue:
            return .constant(fields["NSConstantValue"] ?? fields["NSConstantValueClassName"])
        case .evaluatedObject:
            return .evaluatedObject
        case .anyKey:
            return .anyKey
        case .variable:
            return (fields["NSVariable"] as? String).map { .variable($0) }
        case .keyPath:
            return keyPath(fields)
        case .function:
            return function(fields)
        case .aggregate:
            return (fields["NSCollection"] as? [NSExpression]).map { .aggregate($0) }
        case .unionSet:
            return set(.union, fields)
        case .intersectSet:
            return set(.intersect, fields)
        case .minusSet:
            return set(.minus, fields)
        case .subquery:
            guard let collection = fields["NSCollection"] as? NSExpression,
                let variable = fields["NSVariable"] as? String,
                let predicate = fields["NSPredicate"] as? NSPredicate
            else { return nil }
            return .subquery(collection, variable: variable, predicate)
        case .conditional:
            guard let predicate = fields["NSPredicate"] as? NSPredicate,
                let trueExpression = fields["NSTrueExpression"] as? NSExpression,
                let falseExpression = fields["NSFalseExpression"] as? NSExpression
            else { return nil }
            return .conditional(predicate, trueExpression, falseExpression)
        case .variableAssignment:
            guard let variable = fields["NSVariable"] as? String,
                let expression = fields["NSExpression"] as? NSExpression
            else { return nil }
            return .assignment(variable: variable, expression)
        case .block, .fetchRequest, nil:
            return nil
        }
    }

    /// Apple's number for the words that stand for an index, which has no public name.
    private static let symbolType: UInt = 11

    private static func keyPath(_ fields: [String: Any]) -> NSExpression.Kind? {
        let operand = fields["NSOperand"] as? NSExpression ?? .expressionForEvaluatedObject()
        let path: String?
        if let specifier = (fields["NSArguments"] as? [Any])?.first as? ArchivedKeyPath {
            path = specifier.path
        } else {
            path = fields["NSKeyPath"] as? String
        }
        return path.map { .keyPath(operand: operand, path: $0) }
    }

    private static func function(_ fields: [String: Any]) -> NSExpression.Kind? {
        guard let name = fields["NSSelectorName"] as? String else { return nil }
        // The key path of another object than the evaluated one: `$source.title` in a mapping model.
        if (fields["NSArguments"] as? [Any])?.first is ArchivedKeyPath { return keyPath(fields) }
        let arguments = fields["NSArguments"] as? [NSExpression] ?? []
        let target = fields["NSOperand"] as? NSExpression
        // Apple's receiver of a builtin function is a constant: the name of the class that has the functions.
        let receiver = fields["NSOperand"] as? ArchivedClassName
        let isBuiltin =
            switch target?.kind {
            case nil: receiver != nil || FunctionTable.function(named: name)?.name == name
            case .constant(let value as String): value == FunctionTable.className
            default: false
            }
        if isBuiltin { return .function(target: nil, name: name, arguments: arguments) }
        return target.map { .function(target: $0, name: name, arguments: arguments) }
    }

    private static func set(
        _ operation: NSExpression.SetOperation, _ fields: [String: Any]
    ) -> NSExpression.Kind? {
        guard let left = fields["NSLeftExpression"] as? NSExpression,
            let right = fields["NSRightExpression"] as? NSExpression
        else { return nil }
        return .set(operation, left, right)
    }

    /// The fields to archive of an expression; `nil` when it has no archived form.
    static func expressionRecord(_ expression: NSExpression) -> Record? {
        switch expression.kind {
        case .constant(let value):
            let constant = presentValue(value).map { [(key: "NSConstantValue", value: $0)] } ?? []
            return record("NSConstantValueExpression", 0, constant)
        case .evaluatedObject:
            return record("NSSelfExpression", 1, [])
        case .variable(let name):
            return record("NSVariableExpression", 2, [("NSVariable", name)])
        case .keyPath(let operand, let path):
            // Apple's counts as a function where it is not the evaluated object whose path it is.
            let type = if case .evaluatedObject = operand.kind { 3 } else { 4 }
            return Record(
                classNames: ["NSKeyPathExpression", "NSFunctionExpression", "NSExpression"],
                fields: [
                    ("NSExpressionType", type), ("NSOperand", operand),
                    ("NSSelectorName", expression.function),
                    ("NSArguments", [ArchivedKeyPath(path)]),
                ])
        case .function(let target, let name, let arguments):
            let target: Any = target ?? ArchivedClassName(FunctionTable.className)
            return record(
                "NSFunctionExpression", 4,
                [("NSOperand", target), ("NSSelectorName", name), ("NSArguments", arguments)])
        case .set(_, let left, let right):
            let type = Int(expression.expressionType.rawValue)
            return record(
                "NSSetExpression", type, [("NSLeftExpression", left), ("NSRightExpression", right)])
        case .symbol(let symbol):
            return record("NSSymbolicExpression", Int(symbolType), [("NSSymbol", symbol.rawValue)])
        case .assignment(let variable, let value):
            return record(
                "NSVariableAssignmentExpression", 12, [("NSVariable", variable), ("NSExpression", value)])
        case .subquery(let collection, let variable, let predicate):
            return record(
                "NSSubqueryExpression", 13,
                [("NSCollection", collection), ("NSVariable", variable), ("NSPredicate", predicate)])
        case .aggregate(let elements):
            return record("NSAggregateExpression", 14, [("NSCollection", elements)])
        case .anyKey:
            return record("NSAnyKeyExpression", 15, [])
        case .conditional(let predicate, let trueExpression, let falseExpression):
            return record(
                "NSTernaryExpression", 20,
                [
                    ("NSPredicate", predicate), ("NSTrueExpression", trueExpression),
                    ("NSFalseExpression", falseExpression),
                ])
        case .block, .custom:
            return nil
        }
    }

    private static func record(
        _ className: String, _ type: Int, _ fields: [(key: String, value: Any)]
    ) -> Record {
        Record(classNames: [className, "NSExpression"], fields: [("NSExpressionType", type)] + fields)
    }
}
