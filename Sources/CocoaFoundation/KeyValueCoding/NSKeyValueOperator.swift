/// The name of a collection operator, as key paths have it after an `@`.
///
/// ```swift
/// let sum = NSKeyValueOperator.sumKeyValueOperator
/// let total = order.value(forKeyPath: "items.@\(sum.rawValue).price")
/// ```
///
/// The constants are Apple's, and name all operators that key-value coding and predicates know.
public struct NSKeyValueOperator: RawRepresentable, Hashable, Sendable {
    /// The name, such as `sum`.
    public let rawValue: String

    /// Makes an operator of a name.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// The mean of numbers.
    public static let averageKeyValueOperator = NSKeyValueOperator(rawValue: "avg")
    /// The number of elements.
    public static let countKeyValueOperator = NSKeyValueOperator(rawValue: "count")
    /// The elements of collections, each once, as an array.
    public static let distinctUnionOfArraysKeyValueOperator = NSKeyValueOperator(
        rawValue: "distinctUnionOfArrays")
    /// Values, each once.
    public static let distinctUnionOfObjectsKeyValueOperator = NSKeyValueOperator(
        rawValue: "distinctUnionOfObjects")
    /// The elements of collections, each once, as a set.
    public static let distinctUnionOfSetsKeyValueOperator = NSKeyValueOperator(
        rawValue: "distinctUnionOfSets")
    /// The greatest value.
    public static let maximumKeyValueOperator = NSKeyValueOperator(rawValue: "max")
    /// The least value.
    public static let minimumKeyValueOperator = NSKeyValueOperator(rawValue: "min")
    /// The sum of numbers.
    public static let sumKeyValueOperator = NSKeyValueOperator(rawValue: "sum")
    /// The elements of collections, as an array.
    public static let unionOfArraysKeyValueOperator = NSKeyValueOperator(rawValue: "unionOfArrays")
    /// Values.
    public static let unionOfObjectsKeyValueOperator = NSKeyValueOperator(rawValue: "unionOfObjects")
    /// The elements of sets.
    public static let unionOfSetsKeyValueOperator = NSKeyValueOperator(rawValue: "unionOfSets")
}
