/// Predicates and expressions as objects of keyed archives, in the layout of Apple's framework.
///
/// Compiled models and archived fetch requests contain predicates. Apple archives each kind of expression and
/// of operator as a class of its own; the classes here are fewer, so that an archive's objects are converted:
/// ``object(className:fields:)`` makes a predicate of the fields of an archived object, ``record(of:)`` returns
/// the fields and the class names to write. Both work bottom-up: the values of fields are predicates and
/// expressions themselves, ``ArchivedKeyPath``, ``ArchivedOperator``, arrays of these, or plain values.
///
/// The layout of comparisons, compounds, constants, variables and key paths is that of models that Xcode
/// compiled. Of the rarer kinds no archive of Apple's was at hand; their keys follow the same manner.
package enum PredicateArchive {
    /// The fields of an archived object.
    package struct Record {
        /// The object's class and its superclasses, but for `NSObject`.
        package let classNames: [String]
        /// Keys with values; a key without a value is not there.
        package let fields: [(key: String, value: Any)]
    }

    /// The predicate, the expression or the part of one that an archived object is.
    ///
    /// - Parameters:
    ///   - className: the name of its class.
    ///   - fields: the values of its keys, converted already.
    /// - Returns: `nil` when the class is not that of a predicate or an expression, or when a field is missing or
    ///   of a wrong type.
    package static func object(className: String, fields: [String: Any]) -> Any? {
        switch className {
        case "NSTruePredicate": ConstantPredicate(value: true)
        case "NSFalsePredicate": ConstantPredicate(value: false)
        case "NSComparisonPredicate": comparison(fields)
        case "NSCompoundPredicate": compound(fields)
        case "NSKeyPathSpecifierExpression": (fields["NSKeyPath"] as? String).map(ArchivedKeyPath.init)
        case _ where className.hasSuffix("PredicateOperator"): ArchivedOperator(fields)
        case _ where className.hasSuffix("Expression"): kind(fields).map(NSExpression.init(kind:))
        default: nil
        }
    }

    /// The fields to archive of a predicate, an expression, or a part of one.
    ///
    /// - Returns: `nil` for other objects, and for predicates and expressions that have no archived form:
    ///   those made of closures, and subclasses of clients' own.
    package static func record(of object: Any) -> Record? {
        switch object {
        case let predicate as NSPredicate: predicateRecord(predicate)
        case let expression as NSExpression: expressionRecord(expression)
        case let specifier as ArchivedKeyPath:
            Record(
                classNames: ["NSKeyPathSpecifierExpression", "NSExpression"],
                fields: [("NSExpressionType", 10), ("NSKeyPath", specifier.path)])
        case let constant as ArchivedClassName:
            Record(
                classNames: ["NSConstantValueExpression", "NSExpression"],
                fields: [("NSExpressionType", 0), ("NSConstantValueClassName", constant.name)])
        case let operation as ArchivedOperator: operatorRecord(operation)
        default: nil
        }
    }

    /// An unsigned number of an archive.
    static func number(_ value: Any?) -> UInt? {
        guard let number = Number(value)?.truncated else { return nil }
        return UInt(exactly: number)
    }
}

extension PredicateArchive {
    private static func comparison(_ fields: [String: Any]) -> NSComparisonPredicate? {
        guard let left = fields["NSLeftExpression"] as? NSExpression,
            let right = fields["NSRightExpression"] as? NSExpression,
            let operation = fields["NSPredicateOperator"] as? ArchivedOperator
        else { return nil }
        return NSComparisonPredicate(
            leftExpression: left, rightExpression: right, modifier: operation.modifier, type: operation.type,
            options: operation.options)
    }

    private static func compound(_ fields: [String: Any]) -> CompoundPredicate? {
        guard let type = number(fields["NSCompoundPredicateType"]),
            let type = NSCompoundPredicate.LogicalType(rawValue: type),
            let parts = fields["NSSubpredicates"] as? [NSPredicate],
            type != .not || !parts.isEmpty
        else { return nil }
        return CompoundPredicate(type: type, subpredicates: parts)
    }

    private static func predicateRecord(_ predicate: NSPredicate) -> Record? {
        switch predicate.shape {
        case .value(let value):
            return Record(
                classNames: [value ? "NSTruePredicate" : "NSFalsePredicate", "NSPredicate"], fields: [])
        case .comparison(let comparison):
            let operation = ArchivedOperator(
                comparison.predicateOperatorType, comparison.comparisonPredicateModifier, comparison.options)
            return Record(
                classNames: ["NSComparisonPredicate", "NSPredicate"],
                fields: [
                    ("NSLeftExpression", comparison.leftExpression),
                    ("NSRightExpression", comparison.rightExpression), ("NSPredicateOperator", operation),
                ])
        case .compound(let type, let parts):
            return Record(
                classNames: ["NSCompoundPredicate", "NSPredicate"],
                fields: [("NSCompoundPredicateType", Int(type.rawValue)), ("NSSubpredicates", parts)])
        case .opaque:
            return nil
        }
    }

    private static func operatorRecord(_ operation: ArchivedOperator) -> Record {
        var fields: [(key: String, value: Any)] = [
            ("NSOperatorType", Int(operation.type.rawValue)),
            ("NSModifier", Int(operation.modifier.rawValue)),
            ("NSOptions", Int(operation.options.rawValue)),
        ]
        let className: String
        switch operation.type {
        case .equalTo, .notEqualTo:
            className = "NSEqualityPredicateOperator"
            fields.append(("NSNegate", operation.type == .notEqualTo))
        case .lessThan, .lessThanOrEqualTo, .greaterThan, .greaterThanOrEqualTo:
            className = "NSComparisonPredicateOperator"
            fields.append(("NSVariant", Int(operation.type.rawValue)))
        case .like:
            className = "NSLikePredicateOperator"
        case .matches:
            className = "NSMatchingPredicateOperator"
        case .beginsWith, .endsWith:
            className = "NSSubstringPredicateOperator"
        case .in, .contains:
            className = "NSInPredicateOperator"
        case .between:
            className = "NSBetweenPredicateOperator"
        case .customSelector:
            className = "NSCustomPredicateOperator"
        }
        return Record(classNames: [className, "NSPredicateOperator"], fields: fields)
    }
}
