// Variables, key paths and constants.

extension PredicateExpressions.Variable: ConvertibleExpression {
    func converted(in scope: ConversionScope) throws -> ConvertedExpression {
        .value(try scope.meaning(of: key))
    }
}

extension PredicateExpressions.KeyPath: ConvertibleExpression {
    func converted(in scope: ConversionScope) throws -> ConvertedExpression {
        let root = try scope.value(root)
        let isText = Root.Output.self is any StringProtocol.Type
        guard let kind else {
            if keyPath == \Root.Output.self { return .value(root) }
            guard let name = KeyPathNames.name(of: keyPath) else {
                guard !isText else {
                    throw SwiftPredicateError("The characters of a string have no equivalent in NSPredicate.")
                }
                throw SwiftPredicateError(
                    "No key is registered for a key path from \(Root.Output.self) to \(Output.self).")
            }
            return .value(root.appending(key: name))
        }
        switch kind {
        case .collectionCount where isText:
            return .value(NSExpression(forFunction: "length:", arguments: [root]))
        case .collectionCount:
            return .value(root.appending(key: "@count"))
        case .collectionIsEmpty where isText:
            return .predicate(.comparison(root, .equalTo, NSExpression(forConstantValue: "")))
        case .collectionIsEmpty:
            return .predicate(
                .comparison(root.appending(key: "@count"), .equalTo, NSExpression(forConstantValue: 0)))
        case .collectionFirst where !isText:
            return .value(root.element(at: NSExpression(kind: .symbol(.first))))
        case .bidirectionalCollectionLast where !isText:
            return .value(root.element(at: NSExpression(kind: .symbol(.last))))
        default:
            throw SwiftPredicateError("The characters of a string have no equivalent in NSPredicate.")
        }
    }
}

extension PredicateExpressions.Value: ConvertibleExpression {
    func converted(in scope: ConversionScope) throws -> ConvertedExpression {
        .value(NSExpression(forConstantValue: try predicateConstant(value)))
    }
}

extension PredicateExpressions.NilLiteral: ConvertibleExpression {
    func converted(in scope: ConversionScope) throws -> ConvertedExpression {
        .value(NSExpression(forConstantValue: nil))
    }
}

/// A value as a constant of a predicate; nil for no value.
///
/// - Throws: ``SwiftPredicateError`` for a value that predicates cannot compare.
func predicateConstant(_ value: Any) throws -> Any? {
    guard let value = presentValue(value) else { return nil }
    if let character = value as? Character { return String(character) }
    switch PredicateValue(value) {
    case .text(let text): return text
    case .collection(let collection):
        for element in collection.collectionElements { _ = try predicateConstant(element) }
        return value
    case .other:
        throw SwiftPredicateError("A value of type \(type(of: value)) is not a constant of NSPredicate.")
    default: return value
    }
}

extension NSExpression {
    /// The element of a collection at an index, a word such as `FIRST`, or a key of a dictionary.
    func element(at index: NSExpression) -> NSExpression {
        NSExpression(forFunction: "objectFrom:withIndex:", arguments: [self, index])
    }
}
