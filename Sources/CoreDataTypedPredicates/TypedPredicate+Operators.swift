import CoreData

// The operators between a key path and a value.

// MARK: Equality

/// The value is the same.
public func == <Root, Value: Equatable>(lhs: KeyPath<Root, Value>, rhs: Value) -> TypedPredicate<Root> {
    TypedPredicate(lhs, .equalTo, rhs)
}

/// The value is the same; with nil, there is none.
public func == <Root, Value: Equatable>(lhs: KeyPath<Root, Value?>, rhs: Value?) -> TypedPredicate<Root> {
    TypedPredicate(lhs, .equalTo, rhs)
}

/// The value is another one.
public func != <Root, Value: Equatable>(lhs: KeyPath<Root, Value>, rhs: Value) -> TypedPredicate<Root> {
    TypedPredicate(lhs, .notEqualTo, rhs)
}

/// The value is another one; with nil, there is one.
public func != <Root, Value: Equatable>(lhs: KeyPath<Root, Value?>, rhs: Value?) -> TypedPredicate<Root> {
    TypedPredicate(lhs, .notEqualTo, rhs)
}

/// The relationship leads to this object; with nil, to none.
public func === <Root, Object: NSObject>(lhs: KeyPath<Root, Object?>, rhs: Object?) -> TypedPredicate<Root> {
    TypedPredicate(lhs, .equalTo, rhs)
}

/// The relationship leads to another object; with nil, to any.
public func !== <Root, Object: NSObject>(lhs: KeyPath<Root, Object?>, rhs: Object?) -> TypedPredicate<Root> {
    TypedPredicate(lhs, .notEqualTo, rhs)
}

// MARK: Order

/// The value comes before another one.
public func < <Root, Value: Comparable>(lhs: KeyPath<Root, Value>, rhs: Value) -> TypedPredicate<Root> {
    TypedPredicate(lhs, .lessThan, rhs)
}

/// The value is there and comes before another one.
public func < <Root, Value: Comparable>(lhs: KeyPath<Root, Value?>, rhs: Value) -> TypedPredicate<Root> {
    TypedPredicate(lhs, .lessThan, rhs)
}

/// The number is there and less than another one.
public func < <Root, Value: NSNumber>(lhs: KeyPath<Root, Value?>, rhs: Value) -> TypedPredicate<Root> {
    TypedPredicate(lhs, .lessThan, rhs)
}

/// The value does not come after another one.
public func <= <Root, Value: Comparable>(lhs: KeyPath<Root, Value>, rhs: Value) -> TypedPredicate<Root> {
    TypedPredicate(lhs, .lessThanOrEqualTo, rhs)
}

/// The value is there and does not come after another one.
public func <= <Root, Value: Comparable>(lhs: KeyPath<Root, Value?>, rhs: Value) -> TypedPredicate<Root> {
    TypedPredicate(lhs, .lessThanOrEqualTo, rhs)
}

/// The number is there and not greater than another one.
public func <= <Root, Value: NSNumber>(lhs: KeyPath<Root, Value?>, rhs: Value) -> TypedPredicate<Root> {
    TypedPredicate(lhs, .lessThanOrEqualTo, rhs)
}

/// The value comes after another one.
public func > <Root, Value: Comparable>(lhs: KeyPath<Root, Value>, rhs: Value) -> TypedPredicate<Root> {
    TypedPredicate(lhs, .greaterThan, rhs)
}

/// The value is there and comes after another one.
public func > <Root, Value: Comparable>(lhs: KeyPath<Root, Value?>, rhs: Value) -> TypedPredicate<Root> {
    TypedPredicate(lhs, .greaterThan, rhs)
}

/// The number is there and greater than another one.
public func > <Root, Value: NSNumber>(lhs: KeyPath<Root, Value?>, rhs: Value) -> TypedPredicate<Root> {
    TypedPredicate(lhs, .greaterThan, rhs)
}

/// The value does not come before another one.
public func >= <Root, Value: Comparable>(lhs: KeyPath<Root, Value>, rhs: Value) -> TypedPredicate<Root> {
    TypedPredicate(lhs, .greaterThanOrEqualTo, rhs)
}

/// The value is there and does not come before another one.
public func >= <Root, Value: Comparable>(lhs: KeyPath<Root, Value?>, rhs: Value) -> TypedPredicate<Root> {
    TypedPredicate(lhs, .greaterThanOrEqualTo, rhs)
}

/// The number is there and not less than another one.
public func >= <Root, Value: NSNumber>(lhs: KeyPath<Root, Value?>, rhs: Value) -> TypedPredicate<Root> {
    TypedPredicate(lhs, .greaterThanOrEqualTo, rhs)
}

// MARK: Ranges and values

/// The value is in a range, its upper bound included.
public func ~= <Root, Value: Comparable>(
    lhs: ClosedRange<Value>, rhs: KeyPath<Root, Value>
) -> TypedPredicate<Root> {
    TypedPredicate(rhs, .between, [lhs.lowerBound, lhs.upperBound])
}

/// The value is there and in a range, its upper bound included.
public func ~= <Root, Value: Comparable>(
    lhs: ClosedRange<Value>, rhs: KeyPath<Root, Value?>
) -> TypedPredicate<Root> {
    TypedPredicate(rhs, .between, [lhs.lowerBound, lhs.upperBound])
}

/// The value is in a range without its upper bound.
public func ~= <Root, Value: Comparable>(
    lhs: Range<Value>, rhs: KeyPath<Root, Value>
) -> TypedPredicate<Root> {
    rhs >= lhs.lowerBound && rhs < lhs.upperBound
}

/// The value is there and in a range without its upper bound.
public func ~= <Root, Value: Comparable>(
    lhs: Range<Value>, rhs: KeyPath<Root, Value?>
) -> TypedPredicate<Root> {
    rhs >= lhs.lowerBound && rhs < lhs.upperBound
}

/// The value is one of several.
public func ~= <Root, Value: Equatable>(lhs: [Value], rhs: KeyPath<Root, Value>) -> TypedPredicate<Root> {
    TypedPredicate(rhs, .in, lhs)
}

/// The value is there and one of several.
public func ~= <Root, Value: Equatable>(lhs: [Value], rhs: KeyPath<Root, Value?>) -> TypedPredicate<Root> {
    TypedPredicate(rhs, .in, lhs)
}
