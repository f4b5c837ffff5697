extension TextComparison {
    /// How strings are compared under the options of a predicate.
    // Literals are options of the other type, which has the same.
    @_disfavoredOverload
    package init(options: NSComparisonPredicate.Options) {
        self.init(options: TextOptions(rawValue: options.rawValue))
    }
}

extension TextPattern {
    /// The pattern of a text operator; `nil` when `type` is not one.
    ///
    /// - Throws: ``PredicateEvaluationError`` when a regular expression is not valid.
    package convenience init?(
        _ type: NSComparisonPredicate.Operator, _ text: String, comparison: TextComparison
    ) throws {
        switch type {
        case .equalTo: self.init(equalTo: text, comparison: comparison)
        case .contains: self.init(containing: text, comparison: comparison)
        case .beginsWith: self.init(beginningWith: text, comparison: comparison)
        case .endsWith: self.init(endingWith: text, comparison: comparison)
        case .like: self.init(like: text, comparison: comparison)
        case .matches: try self.init(matching: text, comparison: comparison)
        default: return nil
        }
    }
}
