import CocoaFoundation

extension AttributeLimits {
    /// Writes the limits of an attribute as the settings that they were made of.
    ///
    /// - Throws: `ModelFileError` (`.inexpressible`) for a validation predicate that no setting stands for.
    static func write(
        _ attribute: NSAttributeDescription, into element: inout ModelElement, at location: String
    ) throws {
        try checkWarnings(attribute, at: location)
        guard !attribute.validationPredicates.isEmpty else { return }
        let type = attribute.attributeType
        for name in settingNames(type) {
            for predicate in attribute.validationPredicates {
                guard case .comparison(let comparison) = predicate.shape,
                    setting(of: comparison, type) == name,
                    case .constant(let bound?) = comparison.rightExpression.kind
                else { continue }
                element[name] = text(of: bound)
            }
        }
        // The settings say what the reader makes of them; whatever differs from that has no place in the file.
        let read = try? AttributeLimits(ElementSettings(element), type: type)
        for (index, predicate) in attribute.validationPredicates.enumerated() {
            let warning =
                attribute.validationWarnings.indices.contains(index)
                ? attribute.validationWarnings[index] : nil
            let isKept = read.map { read in
                zip(read.predicates, read.warnings).contains {
                    $0.isEquivalent(to: predicate) && areEqual($1, warning)
                }
            }
            guard isKept == true, read?.predicates.count == attribute.validationPredicates.count else {
                let text = warning is NSNumber ? "" : " with the warning '\(warning ?? "none")'"
                throw ModelWriter.inexpressible(
                    "the validation predicate '\(predicate.formatString)'\(text)", at: location)
            }
        }
    }

    /// - Throws: `ModelFileError` (`.inexpressible`) for a validation warning that belongs to no predicate.
    static func checkWarnings(_ property: NSPropertyDescription, at location: String) throws {
        guard property.validationWarnings.count > property.validationPredicates.count,
            let warning = property.validationWarnings.last
        else { return }
        throw ModelWriter.inexpressible(
            "the validation warning '\(warning)' without a predicate", at: location)
    }

    /// The settings in the order of the model editor.
    private static func settingNames(_ type: NSAttributeType) -> [String] {
        type == .dateAttributeType
            ? ["minDateTimeInterval", "maxDateTimeInterval"]
            : ["minValueString", "maxValueString", "regularExpressionString"]
    }

    /// The setting that a comparison stands for.
    private static func setting(of comparison: NSComparisonPredicate, _ type: NSAttributeType) -> String? {
        switch comparison.predicateOperatorType {
        case .greaterThanOrEqualTo: type == .dateAttributeType ? "minDateTimeInterval" : "minValueString"
        case .lessThanOrEqualTo: type == .dateAttributeType ? "maxDateTimeInterval" : "maxValueString"
        case .matches: "regularExpressionString"
        default: nil
        }
    }

    private static func text(of bound: Any) -> String? {
        if let date = bound as? Date { return NumberText.text(date.timeIntervalSinceReferenceDate) }
        if let text = bound as? String { return text }
        return ((bound as AnyObject) as? NSNumber).flatMap(NumberText.text)
    }
}

/// Numbers as a model file has them: a point, no grouping, and no fraction where there is none.
enum NumberText {
    /// `nil` if the number is not finite.
    static func text(_ number: NSNumber) -> String? {
        if let decimal = number as? NSDecimalNumber {
            return decimal.decimalValue.isNaN ? nil : decimal.decimalValue.description
        }
        switch UInt8(bitPattern: number.objCType.pointee) {
        case UInt8(ascii: "d"), UInt8(ascii: "f"): return text(number.doubleValue)
        case UInt8(ascii: "Q"): return "\(number.uint64Value)"
        default: return "\(number.int64Value)"
        }
    }

    /// `nil` if the number is not finite.
    static func text(_ number: Double) -> String? {
        guard number.isFinite else { return nil }
        if let whole = Int64(exactly: number), abs(number) < 1e15 { return "\(whole)" }
        return "\(number)"
    }
}
