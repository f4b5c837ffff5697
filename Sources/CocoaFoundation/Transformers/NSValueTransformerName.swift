import Foundation

/// The name under which a value transformer is registered.
///
/// Transformable attributes carry such a name in the model. Declare one for each transformer of your own, and register the transformer
/// before a store is loaded:
///
/// ```swift
/// extension NSValueTransformerName {
///     static let colorToData = NSValueTransformerName("ColorToData")
/// }
///
/// ValueTransformer.setValueTransformer(ColorTransformer(), forName: .colorToData)
/// ```
///
/// Names are valid for the whole process; a second registration under a name replaces the first one.
public struct NSValueTransformerName: RawRepresentable, Hashable, Sendable {
    /// The name itself.
    public let rawValue: String

    /// Makes a name from a string.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// Makes a name from a string.
    public init(_ rawValue: String) { self.rawValue = rawValue }
}

extension NSValueTransformerName {
    /// A transformer that turns `true` into `false` and `false` into `true`.
    public static let negateBooleanTransformerName = NSValueTransformerName("NSNegateBoolean")

    /// A transformer that returns whether there is no value.
    public static let isNilTransformerName = NSValueTransformerName("NSIsNil")

    /// A transformer that returns whether there is a value.
    public static let isNotNilTransformerName = NSValueTransformerName("NSIsNotNil")

    /// A transformer that turns data into objects, ``NSSecureUnarchiveFromDataTransformer``.
    public static let secureUnarchiveFromDataTransformerName = NSValueTransformerName(
        "NSSecureUnarchiveFromData")

    /// The name of Apple's transformer that reads archives of `NSArchiver`.
    ///
    /// No transformer has this name: such archives cannot be read safely.
    @available(
        *, deprecated, message: "Use secureUnarchiveFromDataTransformerName; no transformer has this name."
    )
    public static let unarchiveFromDataTransformerName = NSValueTransformerName("NSUnarchiveFromData")

    /// The name of Apple's transformer that makes an object of any class that a keyed archive names.
    ///
    /// No transformer has this name, because the archive's author would choose the classes. The archives
    /// themselves are those of ``secureUnarchiveFromDataTransformerName``: for a model that still has the old name,
    /// register an ``NSSecureUnarchiveFromDataTransformer`` under it.
    @available(
        *, deprecated, message: "Use secureUnarchiveFromDataTransformerName; no transformer has this name."
    )
    public static let keyedUnarchiveFromDataTransformerName = NSValueTransformerName(
        "NSKeyedUnarchiveFromData")
}
