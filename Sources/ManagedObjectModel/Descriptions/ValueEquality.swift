import CocoaFoundation

/// Whether two values of unknown type are equal, as their Foundation classes compare them: the number 1 is
/// equal to the number 1, whether it came as `Int` or as `NSNumber`.
func areEqual(_ a: Any?, _ b: Any?) -> Bool {
    switch (a, b) {
    case (nil, nil): true
    case let (a?, b?): (a as AnyObject as? NSObject)?.isEqual(b as AnyObject) ?? false
    default: false
    }
}

/// Whether two arrays of values of unknown type are equal element by element.
func areEqual(_ a: [Any], _ b: [Any]) -> Bool {
    a.count == b.count && zip(a, b).allSatisfy { areEqual($0, $1) }
}

/// Whether two dictionaries of values of unknown type have equal values under the same keys.
func areEqual(_ a: [AnyHashable: Any], _ b: [AnyHashable: Any]) -> Bool {
    a.count == b.count && a.allSatisfy { key, value in areEqual(value, b[key]) }
}

/// Whether two predicates, either of which may be missing, have the same structure and values.
func areEqual(_ a: NSPredicate?, _ b: NSPredicate?) -> Bool {
    switch (a, b) {
    case (nil, nil): true
    case let (a?, b?): a === b || a.isEquivalent(to: b)
    default: false
    }
}

/// Whether two arrays of predicates have the same predicates in the same order.
func areEqual(_ a: [NSPredicate], _ b: [NSPredicate]) -> Bool {
    a.count == b.count && zip(a, b).allSatisfy { $0 === $1 || $0.isEquivalent(to: $1) }
}

/// Whether two expressions, either of which may be missing, have the same structure and values.
func areEqual(_ a: NSExpression?, _ b: NSExpression?) -> Bool {
    switch (a, b) {
    case (nil, nil): true
    case let (a?, b?): a.isEquivalent(to: b)
    default: false
    }
}
