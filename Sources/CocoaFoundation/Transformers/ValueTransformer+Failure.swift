import Foundation

extension ValueTransformer {
    /// The value that a given one is turned into, or the reason why there is none.
    ///
    /// An addition to Apple's API. Calls ``transformedValue(_:)``, also that of a subclass which knows nothing of
    /// errors, and throws what was given to ``transformationFailed(with:)`` meanwhile if the result is `nil`.
    ///
    /// - Parameter value: A value or none.
    /// - Returns: The new value; `nil` when the transformer gave none and no reason.
    /// - Throws: The transformer's error; `CocoaError` for those of this module.
    public func checkedTransformedValue(_ value: Any?) throws -> Any? {
        try TransformationFailure.rethrowing { transformedValue(value) }
    }

    /// The value that was turned into a given one, or the reason why there is none.
    ///
    /// An addition to Apple's API, to ``reverseTransformedValue(_:)`` as ``checkedTransformedValue(_:)`` is to
    /// ``transformedValue(_:)``.
    ///
    /// - Parameter value: A value or none.
    /// - Returns: The value before; `nil` when the transformer gave none and no reason.
    /// - Throws: The transformer's error; `CocoaError.featureUnsupported` when it turns nothing back.
    public func checkedReverseTransformedValue(_ value: Any?) throws -> Any? {
        guard type(of: self).allowsReverseTransformation() else {
            throw CocoaError.coding(.featureUnsupported, "\(type(of: self)) cannot reverse values.")
        }
        return try TransformationFailure.rethrowing { reverseTransformedValue(value) }
    }

    /// Says why a transformation failed, from inside a transformer.
    ///
    /// An addition to Apple's API, for overrides of ``transformedValue(_:)`` and ``reverseTransformedValue(_:)``:
    ///
    /// ```swift
    /// guard let color = value as? Color else { return transformationFailed(with: ColorError.notAColor) }
    /// ```
    ///
    /// - Parameter error: The reason. The first one counts.
    /// - Returns: `nil`, which is what a transformer answers then.
    public func transformationFailed(with error: any Error) -> Any? {
        TransformationFailure.current?.record(error)
        return nil
    }
}

/// What went wrong in the transformation that is under way.
///
/// The error goes around the methods in between, which are Apple's and cannot throw. A local value of the task
/// (or of the thread, outside tasks) leads to it, so that transformations on several threads do not mix.
private final class TransformationFailure: @unchecked Sendable {
    // Unchecked: a transformation is synchronous, so only its own thread finds this object.
    @TaskLocal static var current: TransformationFailure?

    private var error: (any Error)?

    func record(_ error: any Error) {
        if self.error == nil { self.error = error }
    }

    static func rethrowing(_ transform: () -> Any?) throws -> Any? {
        let failure = TransformationFailure()
        let result = $current.withValue(failure, operation: transform)
        if result == nil, let error = failure.error { throw error }
        return result
    }
}
