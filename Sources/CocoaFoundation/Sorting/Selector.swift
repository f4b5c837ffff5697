/// The name of a method, where Apple's API takes a selector.
///
/// Linux has no Objective-C runtime and no `#selector`. Sort descriptors need no more than the name of a comparison:
///
/// ```swift
/// NSSortDescriptor(key: "name", ascending: true, selector: Selector("localizedStandardCompare:"))
/// ```
///
/// A selector cannot call a method. An API that takes one lists the names that it supports.
public struct Selector: Sendable, Hashable, ExpressibleByStringLiteral, CustomStringConvertible {
    /// The method's name with its colons.
    public let description: String

    /// Makes a selector from a method's name with its colons.
    public init(_ name: String) { description = name }

    /// Makes a selector from a method's name with its colons.
    public init(stringLiteral name: String) { description = name }
}

/// The selector of a method's name.
public func NSSelectorFromString(_ aSelectorName: String) -> Selector {
    Selector(aSelectorName)
}

/// The method's name of a selector.
public func NSStringFromSelector(_ aSelector: Selector) -> String {
    aSelector.description
}
