// What the coding methods of expressions and predicates do.

extension NSExpression {
    /// What an archive's expression is made of; `nil` when the class does not know it.
    static func kind(in coder: NSCoder) -> Kind? { PredicateArchive.kind(PredicateArchive.fields(coder)) }

    /// Writes the fields that Apple's framework writes.
    func encodeFields(_ coder: NSCoder) { PredicateArchive.encode(self, coder) }
}

extension NSComparisonPredicate {
    /// The sides and the operator of an archive's comparison; `nil` when one is missing.
    static func parts(
        in coder: NSCoder
    ) -> (left: NSExpression, right: NSExpression, modifier: Modifier, type: Operator, options: Options)? {
        let fields = PredicateArchive.fields(coder)
        guard let left = fields["NSLeftExpression"] as? NSExpression,
            let right = fields["NSRightExpression"] as? NSExpression,
            let operation = fields["NSPredicateOperator"] as? ArchivedOperator
        else { return nil }
        return (left, right, operation.modifier, operation.type, operation.options)
    }

    /// Writes the fields that Apple's framework writes.
    func encodeFields(_ coder: NSCoder) { PredicateArchive.encode(self, coder) }
}

extension CompoundPredicate {
    /// Reads a predicate from a keyed archive; `nil` when the archive's predicate is not complete.
    convenience init?(coder: NSCoder) {
        let fields = PredicateArchive.fields(coder)
        guard let number = PredicateArchive.number(fields["NSCompoundPredicateType"]),
            let type = LogicalType(rawValue: number), let parts = fields["NSSubpredicates"] as? [NSPredicate],
            type != .not || !parts.isEmpty
        else { return nil }
        self.init(type: type, subpredicates: parts)
    }
}
