import CocoaFoundation

/// Whether two values of unknown type are equal, as their Foundation classes compare them: the number 1 is
/// equal to the number 1, whether it came as `Int` or as `NSNumber`.
func areEqual(_ a: Any?, _ b: Any?) -> Bool {
    switch (a, b) {
    case (nil, nil): true
    case let (a?, b?): (a as AnyObject).isEqual(b)
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
