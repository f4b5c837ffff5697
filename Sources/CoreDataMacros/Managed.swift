/// Makes a property one of the entity: its accessors read and write the object's value.
///
/// ```swift
/// @ManagedObject final class Book: NSManagedObject {
///     @Managed var title: String?
///     @Managed var pages: Int32
///     @Managed var author: Author?
///     @Managed var tags: Set<Tag>
///     @Managed("cover") var coverColor: Color?
///     @Managed private(set) var canonicalTitle: String?
/// }
/// ```
///
/// The type is written out. It is one that `ManagedValue` knows, with or without `?`, or for a transformable
/// attribute any optional type. Default values are the model's, or set in `awakeFromInsert()`.
///
/// With `primitive: true` the accessors reach the value as it is kept, for accessors of your own: reading does not
/// announce an access, writing is not noticed by the context.
///
/// ```swift
/// @Managed(primitive: true) var primitivePublishDate: Date?  // publishDate
/// public var publishDate: Date? {
///     get {
///         willAccessValue(forKey: "publishDate")
///         defer { didAccessValue(forKey: "publishDate") }
///         return primitivePublishDate
///     }
///     set { … }
/// }
/// ```
///
/// The property may be in the class or in an extension of it; see ``ManagedObject(stored:custom:)`` for what
/// extensions need beside.
///
/// - Parameters:
///   - key: The property's name in the model, where it is another than here.
///   - primitive: Whether the value is read and written as it is kept. The property's name is then `primitive` and
///     the name in the model, as in `primitivePublishDate`, unless `key` gives it.
@attached(accessor)
@attached(peer, names: prefixed(_managedKey_))
public macro Managed(_ key: String? = nil, primitive: Bool = false) =
    #externalMacro(module: "CoreDataMacrosPlugin", type: "ManagedMacro")
