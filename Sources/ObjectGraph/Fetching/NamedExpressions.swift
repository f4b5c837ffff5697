import ManagedObjectModel

extension [NSPropertyDescription] {
    /// The expressions of a dictionary result's columns, by their names.
    package var namedExpressions: [String: NSExpression] {
        let pairs = compactMap { property in
            (property as? NSExpressionDescription).flatMap { description in
                description.expression.map { (description.name, $0) }
            }
        }
        return Dictionary(pairs) { first, _ in first }
    }
}
