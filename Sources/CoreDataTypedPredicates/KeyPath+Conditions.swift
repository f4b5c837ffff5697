import CoreData

// Conditions that read better as methods: `(\Book.title).beginsWith("War")`.

/// `String` and `String?`, whose key paths have conditions on text.
public protocol _PredicateText {}

extension String: _PredicateText {}
extension Optional: _PredicateText where Wrapped == String {}

extension KeyPath where Value: _PredicateText {
    /// The text is the same under options, such as `.caseInsensitive`.
    public func equals(_ text: String, _ options: NSComparisonPredicate.Options) -> TypedPredicate<Root> {
        TypedPredicate(self, .equalTo, text, options)
    }

    /// The text has another in it.
    public func contains(
        _ text: String, _ options: NSComparisonPredicate.Options = []
    ) -> TypedPredicate<Root> {
        TypedPredicate(self, .contains, text, options)
    }

    /// The text begins with another.
    public func beginsWith(
        _ text: String, _ options: NSComparisonPredicate.Options = []
    ) -> TypedPredicate<Root> {
        TypedPredicate(self, .beginsWith, text, options)
    }

    /// The text ends with another.
    public func endsWith(
        _ text: String, _ options: NSComparisonPredicate.Options = []
    ) -> TypedPredicate<Root> {
        TypedPredicate(self, .endsWith, text, options)
    }

    /// The whole string fits a pattern, in which `?` stands for one and `*` for any number of characters.
    public func like(
        _ pattern: String, _ options: NSComparisonPredicate.Options = []
    ) -> TypedPredicate<Root> {
        TypedPredicate(self, .like, pattern, options)
    }

    /// The whole string matches a regular expression of ICU.
    public func matches(
        _ pattern: String, _ options: NSComparisonPredicate.Options = []
    ) -> TypedPredicate<Root> {
        TypedPredicate(self, .matches, pattern, options)
    }
}

extension KeyPath {
    /// The value is one of several.
    public func `in`<Values: Sequence>(_ values: Values) -> TypedPredicate<Root>
    where Values.Element == Value, Value: Equatable {
        TypedPredicate(self, .in, Array(values))
    }

    /// The value is there and one of several.
    public func `in`<Values: Sequence>(_ values: Values) -> TypedPredicate<Root>
    where Value == Values.Element?, Values.Element: Equatable {
        TypedPredicate(self, .in, Array(values))
    }
}

extension KeyPath {
    /// The value is between two bounds, or one of them.
    public func between(_ bounds: ClosedRange<Value>) -> TypedPredicate<Root> where Value: Comparable {
        TypedPredicate(self, .between, [bounds.lowerBound, bounds.upperBound])
    }

    /// The value is there, and between two bounds, or one of them.
    public func between<Bound: Comparable>(_ bounds: ClosedRange<Bound>) -> TypedPredicate<Root>
    where Value == Bound? {
        TypedPredicate(self, .between, [bounds.lowerBound, bounds.upperBound])
    }
}

extension KeyPath where Value: Collection {
    /// At least one element meets a condition.
    public func any(_ condition: TypedPredicate<Value.Element>) -> TypedPredicate<Root> {
        count(of: condition.predicate, .notEqualTo)
    }

    /// Every element meets a condition; so it is when there is none.
    public func all(_ condition: TypedPredicate<Value.Element>) -> TypedPredicate<Root> {
        // An element of which it is unknown whether it meets the condition does not.
        let all = NSExpression(forKeyPath: self)
        return TypedPredicate(
            .comparison(
                all.elements(meeting: condition.predicate).appending(key: "@count"), .equalTo,
                all.appending(key: "@count")))
    }

    /// No element meets a condition.
    public func none(_ condition: TypedPredicate<Value.Element>) -> TypedPredicate<Root> {
        count(of: condition.predicate, .equalTo)
    }

    private func count(
        of condition: NSPredicate, _ type: NSComparisonPredicate.Operator
    ) -> TypedPredicate<Root> {
        TypedPredicate(
            .comparison(
                NSExpression(forKeyPath: self).elements(meeting: condition).appending(key: "@count"), type,
                NSExpression(forConstantValue: 0)))
    }
}

extension NSExpression {
    /// The elements of a collection that meet a condition on them.
    fileprivate func elements(meeting condition: NSPredicate) -> NSExpression {
        var names: Set<String> = []
        condition.visitExpressions { expression in
            if let name = expression.variableName { names.insert(name) }
        }
        var name = "element"
        while names.contains(name) { name += "1" }
        let element = NSExpression(forVariable: name)
        return NSExpression(
            forSubquery: self, usingIteratorVariable: name,
            predicate: condition.replacing { expression, _ in
                if case .evaluatedObject = expression.kind { element } else { nil }
            })
    }

    /// The name of a variable, or of that of a subquery; nil for other expressions.
    fileprivate var variableName: String? {
        switch kind {
        case .variable(let name), .subquery(_, let name, _): name
        default: nil
        }
    }
}
