import Foundation

/// Something that a program lets people search for, beside the objects of its stores.
///
/// ```swift
/// let attributes = CSSearchableItemAttributeSet(itemContentType: "public.text")
/// attributes.title = "Getting started"
/// let item = CSSearchableItem(uniqueIdentifier: "help/1", domainIdentifier: "help", attributeSet: attributes)
/// try await CSSearchableIndex.default().indexSearchableItems([item])
/// ```
///
/// An item replaces the one with the same identifier in its index. Do not change it after that. The date of expiration is not acted on.
/// Queries also return items for the objects of a store, which have the URIs of the objects' IDs as identifiers.
open class CSSearchableItem: NSObject, @unchecked Sendable {
    // Unchecked: an item is given to an index and not changed after that.

    /// Identifies the item in its index.
    open var uniqueIdentifier: String
    /// The group of the item; groups of groups have dots between their names.
    open var domainIdentifier: String?
    /// When the item is not found any more; nil for never. Kept for the program.
    open var expirationDate: Date?
    /// What is known of the item.
    open var attributeSet: CSSearchableItemAttributeSet

    /// Makes an item; nil for the identifier makes a new one.
    public init(
        uniqueIdentifier: String?, domainIdentifier: String?, attributeSet: CSSearchableItemAttributeSet
    ) {
        self.uniqueIdentifier = uniqueIdentifier ?? UUID().uuidString
        self.domainIdentifier = domainIdentifier
        self.attributeSet = attributeSet
        super.init()
    }
}
