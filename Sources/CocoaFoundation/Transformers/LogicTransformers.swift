import Foundation

/// The stock transformer `NSNegateBoolean`: the opposite of a truth value.
final class NegateBooleanTransformer: ValueTransformer {
    override class func transformedValueClass() -> AnyClass { NSNumber.self }

    /// No value counts as `false`.
    override func transformedValue(_ value: Any?) -> Any? {
        NSNumber(value: !((value as? NSNumber)?.boolValue ?? false))
    }
}

/// The stock transformer `NSIsNil`: whether there is no value.
final class IsNilTransformer: ValueTransformer {
    override class func transformedValueClass() -> AnyClass { NSNumber.self }

    override class func allowsReverseTransformation() -> Bool { false }

    override func transformedValue(_ value: Any?) -> Any? { NSNumber(value: value == nil) }
}

/// The stock transformer `NSIsNotNil`: whether there is a value.
final class IsNotNilTransformer: ValueTransformer {
    override class func transformedValueClass() -> AnyClass { NSNumber.self }

    override class func allowsReverseTransformation() -> Bool { false }

    override func transformedValue(_ value: Any?) -> Any? { NSNumber(value: value != nil) }
}
