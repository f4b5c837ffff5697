import CocoaFoundation

/// The description of an attribute that consists of several attributes, its elements.
///
/// ```swift
/// let location = NSCompositeAttributeDescription()
/// location.name = "location"
/// location.elements = [latitude, longitude]    // of the type NSAttributeDescription
/// ```
///
/// An object holds the values of the elements in one dictionary under the attribute's name; a key path reaches one of them
/// (`location.latitude`), in predicates and sort descriptors too. In a SQLite store each element has a column of its own. Elements can be
/// composite themselves.
open class NSCompositeAttributeDescription: NSAttributeDescription, @unchecked Sendable {
    /// Creates a composite attribute without elements.
    public required init() {
        super.init()
        attributeType = .compositeAttributeType
    }

    /// The attributes that the value consists of. An element may be a composite attribute itself.
    open var elements: [NSAttributeDescription] = [] { willSet { willChange("elements") } }

    /// The name of the composite type in the model file that the attribute was read from. Apple's compiled models
    /// do not have it, so it takes no part in comparisons.
    package var typeName: String? { willSet { willChange("typeName") } }

    override func makeImmutable() {
        guard !isImmutable else { return }
        // First, so that an attribute that contains itself, which the check of the model reports, ends the way down.
        super.makeImmutable()
        for element in elements { element.makeImmutable() }
    }

    open override func copy(with zone: NSZone? = nil) -> Any {
        let copy = super.copy(with: zone)
        if let composite = copy as? NSCompositeAttributeDescription {
            composite.typeName = typeName
            composite.elements = elements.compactMap { $0.copy() as? NSAttributeDescription }
        }
        return copy
    }

    override func hasSameSettings(as other: NSPropertyDescription) -> Bool {
        guard let other = other as? NSCompositeAttributeDescription else { return false }
        return super.hasSameSettings(as: other) && elements == other.elements
    }
}
