import CocoaFoundation

// Foundation exports shells of the same names; a target says once which it means.
typealias NSExpression = CocoaFoundation.NSExpression
typealias NSComparisonPredicate = CocoaFoundation.NSComparisonPredicate

/// An object with any properties.
final class Item: NSObject, KeyValueCoding {
    private var values: [String: Any]

    init(_ values: [String: Any] = [:]) { self.values = values }

    func value(forKey key: String) -> Any? { values[key] }
    func setValue(_ value: Any?, forKey key: String) { values[key] = value }
}

/// Whether a predicate without arguments holds for an object.
func holds(_ format: String, _ object: Any?, _ arguments: Any?...) throws -> Bool {
    try NSPredicate(parsing: format, arguments: arguments).matches(object)
}

/// The value of an expression without variables.
func value(_ format: String, _ object: Any? = nil, _ arguments: Any?...) throws -> Any? {
    try NSExpression(parsing: format, arguments: arguments).value(with: object)
}

/// The error of text that is not well formed.
func formatError(_ text: String, _ arguments: Any?...) -> PredicateFormatError? {
    do {
        _ = try NSPredicate(parsing: text, arguments: arguments)
        return nil
    } catch {
        return error as? PredicateFormatError
    }
}
