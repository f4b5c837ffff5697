import Foundation

/// Something that a program has, and that can be searched for.
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
