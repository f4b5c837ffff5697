import CocoaFoundation

/// The text of a derivation expression as version hashes have it.
///
/// A key path is unchanged; a function is its name, with the arguments in parentheses: `now()`,
/// `canonical:(title)`. A key path with an operator counts as the function that Apple's model compiler
/// makes of it: `pages.@count` is `count:(pages)`.
struct DerivationText {
    let text: String

    init(_ expression: NSExpression) {
        switch expression.kind {
        case .keyPath(_, let path):
            if case .aggregate(let aggregate, let collection) = Derivation(expression) {
                text = "\(aggregate.functionName)(\(collection))"
            } else {
                text = path
            }
        case .function(_, let name, let arguments):
            text = "\(name)(\(arguments.map { DerivationText($0).text }.joined(separator: ",")))"
        default:
            text = expression.description
        }
    }
}
