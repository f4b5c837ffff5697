import Foundation

// What a store needs of a transformer.
extension ValueTransformer {
    /// Whether the stored data is what the transformer turns *into* a value.
    ///
    /// A transformable attribute's transformer makes data from a value. Only the ones that unarchive, named for the
    /// other way, are applied in reverse, as Apple's sample "Handling Different Data Types in Core Data" says.
    package var isAppliedInReverse: Bool { self is NSSecureUnarchiveFromDataTransformer }

    /// The data to store for an attribute's value.
    ///
    /// - Returns: `nil` for no value and when the transformer gives none.
    /// - Throws: The transformer's error; `CocoaError.coderInvalidValue` when what it makes is not data.
    package func storedData(for value: Any?) throws -> Data? {
        guard let value else { return nil }
        let made =
            isAppliedInReverse
            ? try checkedReverseTransformedValue(value) : try checkedTransformedValue(value)
        guard let made else { return nil }
        guard let data = made as? Data else {
            throw CocoaError.coding(
                .coderInvalidValue,
                "\(type(of: self)) made a value of the type \(type(of: made)) to be stored, not data.")
        }
        return data
    }

    /// The attribute's value that data was stored for.
    ///
    /// - Returns: `nil` for no data and when the transformer gives no value.
    /// - Throws: The transformer's error.
    package func value(fromStored data: Data?) throws -> Any? {
        guard let data else { return nil }
        return isAppliedInReverse
            ? try checkedTransformedValue(data) : try checkedReverseTransformedValue(data)
    }

    /// Whether two values of a transformable attribute are the same, as far as they can be compared.
    ///
    /// Objects compare themselves by `isEqual(_:)`, Swift values by `==`, dictionaries and arrays of anything element
    /// by element. Two values of a type that cannot be compared count as different, so that a change is rather stored
    /// in vain than lost.
    package static func areEqual(_ one: Any?, _ other: Any?) -> Bool {
        guard let one, let other else { return one == nil && other == nil }
        // A mutable array may equal an immutable one, so classes are not compared first.
        if type(of: one) is any AnyObject.Type, let one = one as? NSObject { return one.isEqual(other) }
        switch (one, other) {
        case (let one as any Equatable, _): return one.isEqual(to: other)
        case (let one as [String: Any], let other as [String: Any]):
            return one.count == other.count && one.allSatisfy { areEqual($1, other[$0]) }
        case (let one as [Any], let other as [Any]):
            return one.count == other.count && zip(one, other).allSatisfy { areEqual($0, $1) }
        default: return false
        }
    }
}

extension Equatable {
    fileprivate func isEqual(to other: Any) -> Bool {
        (other as? Self).map { $0 == self } ?? false
    }
}
