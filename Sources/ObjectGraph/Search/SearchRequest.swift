import Foundation
import ManagedObjectModel

/// A search for objects by the words of their texts, as a person writes it.
///
/// ```swift
/// var request = SearchRequest("schloss -park", in: Book.self)
/// request.predicate = NSPredicate(format: "year > 1900")
/// let result = try context.search(request)
/// ```
///
/// The attributes with "Index in Spotlight" (`isIndexedBySpotlight`) are searched, and the display name of the entity. See
/// `NSPredicate(searching:)` for what the words may be.
public struct SearchRequest<Object: NSManagedObject> {
    /// What the person has written. Any text is valid.
    public var words: String
    /// The name of the entity; nil for that of `Object`.
    public var entityName: String?
    /// The names of the searched attributes; nil for all that are indexed.
    public var attributes: [String]?
    /// What else the objects have to meet.
    public var predicate: NSPredicate?
    /// The order; without one the best come first.
    public var sortDescriptors: [NSSortDescriptor] = []
    /// How many of the objects are left out, from the first on.
    public var fetchOffset = 0
    /// How many objects the result has at most.
    public var fetchLimit = 20
    /// Whether the last word may be the beginning of one: for a search while the person types.
    public var completesLastWord = false
    /// Whether objects of subentities are found.
    public var includesSubentities = true
    /// The stores that are searched; nil for all.
    public var affectedStores: [NSPersistentStore]?
    /// How many words of a text a snippet has.
    public var snippetWordCount = 16

    /// Makes a search of all objects of a class.
    public init(_ words: String, in type: Object.Type) { self.words = words }

    /// Makes a search of all objects of an entity.
    public init(_ words: String, entityName: String) where Object == NSManagedObject {
        self.words = words
        self.entityName = entityName
    }
}
