import ManagedObjectModel

extension CheckContext {
    /// Transformers, limits and the types of derived attributes.
    mutating func checkAttributes() {
        for entity in entities {
            for attribute in entity.ownAttributes {
                checkTransformer(attribute)
                checkLimits(attribute)
                if let derived = attribute as? NSDerivedAttributeDescription { checkType(derived, entity) }
            }
        }
    }

    private mutating func checkTransformer(_ attribute: NSAttributeDescription) {
        guard attribute.attributeType == .transformableAttributeType, !attribute.isTransient else { return }
        let secure = NSValueTransformerName.secureUnarchiveFromDataTransformerName.rawValue
        switch attribute.valueTransformerName ?? "" {
        case "":
            report(
                .missingTransformer, attribute,
                "a transformable attribute without a transformer reads archives of any class; use \(secure), "
                    + "or a transformer of your own for other classes")
        case "NSKeyedUnarchiveFromData", "NSUnarchiveFromData", "NSKeyedUnarchiveFromDataTransformerName",
            "NSUnarchiveFromDataTransformerName":
            report(
                .insecureTransformer, attribute,
                "the transformer '\(attribute.valueTransformerName ?? "")' decodes objects of any class; use "
                    + "\(secure) instead")
        default: break
        }
    }

    // MARK: Limits

    private mutating func checkLimits(_ attribute: NSAttributeDescription) {
        let comparisons = attribute.validationPredicates.compactMap { predicate -> NSComparisonPredicate? in
            if case .comparison(let comparison) = predicate.shape { comparison } else { nil }
        }
        for case let (least?, most?) in Self.bounds(comparisons) where Self.isGreater(least, most) {
            report(
                .minimumAboveMaximum, attribute, "the minimum \(least) is greater than the maximum \(most)")
            return
        }
        for comparison in comparisons where comparison.predicateOperatorType == .matches {
            guard case .constant(let pattern as String) = comparison.rightExpression.kind else { continue }
            if (try? NSRegularExpression(pattern: pattern)) == nil {
                report(.invalidPattern, attribute, "the regular expression '\(pattern)' cannot be read")
                return
            }
        }
        guard let value = attribute.defaultValue else { return }
        for predicate in attribute.validationPredicates {
            // A predicate that cannot be evaluated is not about the default value.
            guard (try? predicate.matches(value)) == false else { continue }
            report(
                .defaultOutsideLimits, attribute,
                "the default value '\(value)' does not meet the condition \(predicate.formatString)")
            return
        }
    }

    /// The constants that comparisons of one subject have as lower and as upper bound.
    private static func bounds(_ comparisons: [NSComparisonPredicate]) -> [(least: Any?, most: Any?)] {
        var subjects: [String: (least: Any?, most: Any?)] = [:]
        for comparison in comparisons {
            guard case .constant(let bound?) = comparison.rightExpression.kind else { continue }
            let subject = comparison.leftExpression.description
            switch comparison.predicateOperatorType {
            case .greaterThanOrEqualTo: subjects[subject, default: (nil, nil)].least = bound
            case .lessThanOrEqualTo: subjects[subject, default: (nil, nil)].most = bound
            default: break
            }
        }
        return Array(subjects.values)
    }

    private static func isGreater(_ a: Any, _ b: Any) -> Bool {
        let comparison = NSComparisonPredicate(
            leftExpression: NSExpression(forConstantValue: a),
            rightExpression: NSExpression(forConstantValue: b),
            modifier: .direct, type: .greaterThan)
        return (try? comparison.matches(nil)) ?? false
    }

    // MARK: Derived attributes

    private mutating func checkType(_ attribute: NSDerivedAttributeDescription, _ entity: NSEntityDescription)
    {
        let type = attribute.attributeType
        let problem: String?
        switch attribute.derivation {
        case .now:
            problem = type == .dateAttributeType ? nil : "now() is a date"
        case .text:
            problem = type == .stringAttributeType ? nil : "the derivation is a string"
        case .value(let keyPath):
            guard case .attribute(let source, _) = entity.walk(keyPath) else { return }
            problem =
                source.attributeType == type
                ? nil : "'\(keyPath)' is of type \(source.attributeType.displayName)"
        case .aggregate(.count, _):
            problem = type.isNumeric && type != .booleanAttributeType ? nil : "a count is a whole number"
        case .aggregate(let aggregate, let keyPath):
            guard case .attribute(let source, _) = entity.walk(keyPath) else { return }
            if source.attributeType == .dateAttributeType, aggregate == .minimum || aggregate == .maximum {
                problem = type == .dateAttributeType ? nil : "'\(keyPath)' is a date"
            } else {
                problem =
                    type.isNumeric && type != .booleanAttributeType
                    ? nil : "\(aggregate.rawValue) is a number"
            }
        case nil:
            return
        }
        if let problem {
            report(
                .derivationTypeMismatch, attribute,
                "\(problem), but the attribute is of type \(type.displayName)")
        }
    }
}
