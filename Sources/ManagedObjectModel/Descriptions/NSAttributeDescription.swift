import CocoaFoundation

/// The description of an attribute: a value of one type that each object of an entity holds.
///
/// ```swift
/// let pages = NSAttributeDescription()
/// pages.name = "pages"
/// pages.type = .integer32
/// pages.defaultValue = 0
/// ```
///
/// The type says which values a store accepts and in which column it keeps them; a value of another type is refused when it is set. A
/// `transformable` attribute holds any object that its value transformer can turn into data. Large data and strings can be kept in
/// files of their own with `allowsExternalBinaryDataStorage`. A derived or composite attribute has a subclass of its own.
open class NSAttributeDescription: NSPropertyDescription, @unchecked Sendable {
    private var valueType: NSAttributeType = .undefinedAttributeType
    private var valueClassName: String?

    /// Creates an optional attribute without a name and of undefined type.
    public required init() {}

    /// The type of the values. Setting it sets `attributeValueClassName` to the class of that type.
    open var attributeType: NSAttributeType {
        get { valueType }
        set {
            willChange("attributeType")
            valueType = newValue
            valueClassName = newValue.valueClassName
        }
    }

    /// The type of the values, under its short name.
    open var type: AttributeType {
        get { AttributeType(rawValue: attributeType) }
        set { attributeType = newValue.rawValue }
    }

    /// The name of the class of the values: `NSNumber`, `NSString` and so on.
    ///
    /// For a transformable attribute it may be the name of any class, or `nil`.
    open var attributeValueClassName: String? {
        get { valueClassName }
        set {
            willChange("attributeValueClassName")
            valueClassName = newValue
        }
    }

    /// The value that a new object starts with. Dates, strings, data, UUIDs and URLs are Foundation's value
    /// types, numbers are `NSNumber` or `NSDecimalNumber`, in models that were read from a file.
    open var defaultValue: Any? { willSet { willChange("defaultValue") } }

    /// The name of the value transformer that turns a transformable value into data and back; `nil` uses
    /// a keyed archive.
    open var valueTransformerName: String? { willSet { willChange("valueTransformerName") } }

    /// Whether a large value may be kept in a file beside the store. The default is `false`.
    open var allowsExternalBinaryDataStorage = false {
        willSet { willChange("allowsExternalBinaryDataStorage") }
    }

    /// Whether persistent history keeps the value of a deleted object. The default is `false`.
    open var preservesValueInHistoryOnDeletion = false {
        willSet { willChange("preservesValueInHistoryOnDeletion") }
    }

    /// Whether a copy in the cloud may be encrypted. It is kept for the model's sake; nothing here uses a
    /// cloud.
    open var allowsCloudEncryption = false { willSet { willChange("allowsCloudEncryption") } }

    /// Whether generated code declares the attribute with a Swift number or `Bool` instead of `NSNumber`;
    /// `nil` if the model file does not say.
    package var usesScalarValueType: Bool? { willSet { willChange("usesScalarValueType") } }

    /// Whether the attribute takes part in a cloud service of old systems; kept for the model file's sake.
    package var isSyncable = false { willSet { willChange("isSyncable") } }

    /// A SHA-256 hash of what decides how values are stored.
    open override var versionHash: Data { super.versionHash }

    open override func copy(with zone: NSZone? = nil) -> Any {
        let copy = super.copy(with: zone)
        if let attribute = copy as? NSAttributeDescription {
            attribute.valueType = valueType
            attribute.valueClassName = valueClassName
            attribute.defaultValue = defaultValue
            attribute.valueTransformerName = valueTransformerName
            attribute.allowsExternalBinaryDataStorage = allowsExternalBinaryDataStorage
            attribute.preservesValueInHistoryOnDeletion = preservesValueInHistoryOnDeletion
            attribute.allowsCloudEncryption = allowsCloudEncryption
            attribute.usesScalarValueType = usesScalarValueType
            attribute.isSyncable = isSyncable
        }
        return copy
    }

    override func hasSameSettings(as other: NSPropertyDescription) -> Bool {
        guard let other = other as? NSAttributeDescription else { return false }
        return super.hasSameSettings(as: other)
            && attributeType == other.attributeType
            && attributeValueClassName == other.attributeValueClassName
            && areEqual(defaultValue, other.defaultValue)
            && valueTransformerName == other.valueTransformerName
            && allowsExternalBinaryDataStorage == other.allowsExternalBinaryDataStorage
            && preservesValueInHistoryOnDeletion == other.preservesValueInHistoryOnDeletion
            && allowsCloudEncryption == other.allowsCloudEncryption
    }
}
