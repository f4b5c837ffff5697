import Foundation

/// Turns keyed archives into objects, and back, with secure coding only.
///
/// This is what transformable attributes use that name no other transformer. It works the way its name says:
/// ``transformedValue(_:)`` makes an object from data, ``reverseTransformedValue(_:)`` data from an object. For
/// classes of your own, subclass it, name them, and register an object:
///
/// ```swift
/// final class ColorTransformer: NSSecureUnarchiveFromDataTransformer {
///     override class var allowedTopLevelClasses: [AnyClass] { [Color.self] }
/// }
/// ```
///
/// The classes must conform to `NSSecureCoding`. Archives are in the form of Apple's `NSKeyedArchiver`, but
/// Foundation's archivers take no part: on Linux they end the program on surprises, and a store's data may come
/// from anyone. See `KeyedArchiveReader` for the rules. A class's `init(coder:)` and `encode(with:)` therefore get
/// a coder that is not an `NSKeyedUnarchiver`, and is to be used by keys.
///
/// A failure gives `nil`; ``ValueTransformer/checkedTransformedValue(_:)`` throws the reason: a
/// `CocoaError.coderReadCorrupt` for damaged archives and for classes that are not allowed, which it names,
/// a `.coderInvalidValue` for values that cannot be archived.
open class NSSecureUnarchiveFromDataTransformer: ValueTransformer {
    /// The classes that the outermost object of an archive may be of, subclasses included.
    ///
    /// The default is Apple's list: arrays, dictionaries, sets, strings, numbers, dates, data, URLs, UUIDs and null.
    /// The elements of collections must be of these classes too, or be property lists; what is inside an object
    /// of another class is for that class to decide.
    open class var allowedTopLevelClasses: [AnyClass] {
        [
            NSArray.self, NSDictionary.self, NSSet.self, NSString.self, NSNumber.self, NSDate.self,
            NSData.self,
            NSURL.self, NSUUID.self, NSNull.self,
        ]
    }

    /// Makes a transformer.
    public override init() { super.init() }

    /// `NSObject`: the archive decides. Subclasses for one class return that one.
    open override class func transformedValueClass() -> AnyClass { NSObject.self }

    /// `true`.
    open override class func allowsReverseTransformation() -> Bool { true }

    /// The object that an archive holds.
    open override func transformedValue(_ value: Any?) -> Any? {
        guard let value else { return nil }
        guard let data = value as? Data else {
            return transformationFailed(
                with: CocoaError.coding(
                    .coderInvalidValue, "An archive must be data, not a value of the type \(type(of: value))."
                ))
        }
        do {
            return try KeyedArchiveReader.root(of: Self.allowedTopLevelClasses, from: data)
        } catch {
            return transformationFailed(with: error)
        }
    }

    /// The archive of an object.
    open override func reverseTransformedValue(_ value: Any?) -> Any? {
        guard let value else { return nil }
        let allowed = Self.allowedTopLevelClasses
        let object = value as AnyObject
        guard let object = object as? NSObject, allowed.contains(where: { object.isKind(of: $0) }) else {
            return transformationFailed(with: Self.refusal(of: object))
        }
        // An archive that reading would refuse must not replace the value that it was made from.
        var seen: Set<ObjectIdentifier> = []
        if let element = Self.element(of: object, refusedBy: allowed, &seen) {
            return transformationFailed(with: Self.refusal(of: element))
        }
        do {
            return try KeyedArchiveWriter.archivedData(withRootObject: object)
        } catch {
            return transformationFailed(with: error)
        }
    }

    private static func refusal(of object: AnyObject) -> CocoaError {
        let names = allowedTopLevelClasses.map { NSStringFromClass($0) }.joined(separator: ", ")
        return CocoaError.coding(
            .coderInvalidValue,
            "An object of the class \(NSStringFromClass(type(of: object))) is not among the allowed top-level classes: "
                + "\(names).")
    }

    /// The first element of a collection, or of one in it, that is neither of the classes nor of a property list's.
    private static func element(
        of object: NSObject, refusedBy allowed: [AnyClass], _ seen: inout Set<ObjectIdentifier>
    ) -> AnyObject? {
        guard let elements = FoundationArchiveClass.elements(of: object),
            seen.insert(ObjectIdentifier(object)).inserted
        else {
            return nil
        }
        for element in elements {
            let element = element as AnyObject
            guard let object = element as? NSObject,
                (allowed + FoundationArchiveClass.propertyListClasses).contains(where: {
                    object.isKind(of: $0)
                })
            else { return element }
            if let refused = Self.element(of: object, refusedBy: allowed, &seen) { return refused }
        }
        return nil
    }
}
