/// A compound predicate as the parser makes it.
///
/// Foundation's `NSCompoundPredicate` on Linux is Apple's class in name and structure, but its text, its
/// equality and its copies are wrong; this subclass puts them right.
package final class CompoundPredicate: NSCompoundPredicate {
    package override init(type: LogicalType, subpredicates: [NSPredicate]) {
        super.init(type: type, subpredicates: subpredicates)
    }

    package override func evaluate(with object: Any?, substitutionVariables bindings: [String: Any]?) -> Bool
    {
        evaluateOrStop(with: object, bindings)
    }

    package override var predicateFormat: String { formatString }
    package override var description: String { formatString }

    package override func isEqual(_ object: Any?) -> Bool {
        (object as? NSPredicate).map(hasSameStructure(as:)) ?? false
    }

    package override var hash: Int { structuralHash }

    package override func copy() -> Any { self }
    package override func copy(with zone: NSZone? = nil) -> Any { self }
}
