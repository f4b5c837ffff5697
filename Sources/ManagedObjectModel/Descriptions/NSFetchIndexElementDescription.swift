import CocoaFoundation

/// The structure in which an index keeps the values of an element: sorted, or in an R-tree. All elements of an index have the same one.
/// The raw values are Apple's.
public enum NSFetchIndexElementType: UInt, Sendable {
    /// In order, for equality and ranges.
    case binary = 0
    /// In an R-tree, for ranges over several numeric elements at once, such as locations on a map.
    case rTree = 1
}

/// The description of one element of a fetch index: a property, or an expression, and its order.
///
/// ```swift
/// let newest = NSFetchIndexElementDescription(property: publishDate, collationType: .binary)
/// newest.isAscending = false
/// book.indexes = [NSFetchIndexDescription(name: "newest", elements: [newest])]
/// ```
///
/// An element with an expression is made with an `NSExpressionDescription` as its property. The type `rTree` is for coordinates: all
/// elements of such an index are numbers, and it serves conditions on ranges of them.
open class NSFetchIndexElementDescription: NSObject, NSCopying, @unchecked Sendable {
    private weak var index: NSFetchIndexDescription?
    private weak var describedProperty: NSPropertyDescription?
    private var ownedExpression: NSExpressionDescription?
    private var rememberedName: String?
    private var isImmutable = false

    /// Creates an element over an attribute, a to-one relationship or an expression.
    public init(property: NSPropertyDescription, collationType: NSFetchIndexElementType) {
        self.collationType = collationType
        if let expression = property as? NSExpressionDescription {
            ownedExpression = expression
        } else {
            describedProperty = property
        }
        rememberedName = property.name
        super.init()
    }

    /// Creates an element over the property that its entity has under a name.
    package init(propertyName: String, collationType: NSFetchIndexElementType) {
        self.collationType = collationType
        rememberedName = propertyName
        super.init()
    }

    /// The property, or the description of the expression; `nil` if the entity has no property of the name.
    open var property: NSPropertyDescription? {
        if let ownedExpression { return ownedExpression }
        guard let entity = index?.entity else { return describedProperty }
        if let describedProperty, entity.lineage.contains(where: { $0 === describedProperty.owner }) {
            return describedProperty
        }
        return propertyName.flatMap { entity.propertiesByName[$0] } ?? describedProperty
    }

    /// The name of the property. An index of Apple's may also name `self` or `entity`, which are columns of
    /// a store and no properties.
    open var propertyName: String? { (ownedExpression ?? describedProperty)?.name ?? rememberedName }

    /// Whether the element is the value of an expression and not a property.
    package var isOverExpression: Bool { ownedExpression != nil }

    /// How the index arranges the values.
    open var collationType: NSFetchIndexElementType { willSet { willChange("collationType") } }

    /// Whether small values come first. The default is `true`.
    open var isAscending = true { willSet { willChange("isAscending") } }

    /// The index that the element belongs to.
    open var indexDescription: NSFetchIndexDescription? { index }

    func join(_ index: NSFetchIndexDescription) {
        if self.index !== index { willChange("indexDescription") }
        self.index = index
    }

    func leave(_ index: NSFetchIndexDescription) {
        if self.index === index { self.index = nil }
    }

    func makeImmutable() {
        ownedExpression?.makeImmutable()
        if ownedExpression == nil { describedProperty = property }
        isImmutable = true
    }

    func willChange(_ property: String) {
        refuseChange(
            of: property, in: "element '\(propertyName ?? "?")' of index '\(index?.name ?? "?")'",
            if: isImmutable)
    }

    /// A copy that can be changed and belongs to no index. It finds its property by name.
    open func copy(with zone: NSZone? = nil) -> Any {
        let copy: NSFetchIndexElementDescription
        if let expression = ownedExpression?.copy() as? NSExpressionDescription {
            copy = NSFetchIndexElementDescription(property: expression, collationType: collationType)
        } else {
            copy = NSFetchIndexElementDescription(
                propertyName: propertyName ?? "", collationType: collationType)
        }
        copy.isAscending = isAscending
        return copy
    }

    /// Whether the other object describes the same element.
    open override func isEqual(_ object: Any?) -> Bool {
        guard let other = object as? NSFetchIndexElementDescription else { return false }
        return other === self
            || (propertyName == other.propertyName && collationType == other.collationType
                && isAscending == other.isAscending
                && areEqual(ownedExpression, other.ownedExpression))
    }

    open override var hash: Int { propertyName.hashValue }

    open override var description: String { "<NSFetchIndexElementDescription \(propertyName ?? "?")>" }
}
