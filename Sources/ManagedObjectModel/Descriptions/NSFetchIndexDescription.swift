import CocoaFoundation

/// The description of an index that a SQLite store keeps for an entity, so that fetches need not read every row.
///
/// ```swift
/// let byTitle = NSFetchIndexElementDescription(property: title, collationType: .binary)
/// book.indexes = [NSFetchIndexDescription(name: "byTitle", elements: [byTitle])]
/// ```
///
/// An index over several elements serves conditions on the first of them, and on the others if the ones before are compared for
/// equality. With a `partialIndexPredicate` it has only the rows that meet the condition. Stores of other types ignore indexes. Indexes
/// do not count in the version hash: a change needs no migration.
open class NSFetchIndexDescription: NSObject, NSCopying, @unchecked Sendable {
    private weak var owner: NSEntityDescription?
    private var isImmutable = false

    /// Creates an index over the elements, the most significant first.
    public init(name: String, elements: [NSFetchIndexElementDescription]?) {
        self.name = name
        members = elements ?? []
        super.init()
        for element in members { element.join(self) }
    }

    /// The name, unique in the entity; it becomes part of the name of the index in the database.
    open var name: String { willSet { willChange("name") } }

    /// What the index is over, the most significant element first.
    open var elements: [NSFetchIndexElementDescription] {
        get { members }
        set {
            willChange("elements")
            for element in members { element.leave(self) }
            members = newValue
            for element in newValue { element.join(self) }
        }
    }

    private var members: [NSFetchIndexElementDescription]

    /// The entity that the index belongs to.
    open var entity: NSEntityDescription? { owner }

    /// The condition that an object must meet to be in the index; `nil` includes all objects.
    open var partialIndexPredicate: NSPredicate? { willSet { willChange("partialIndexPredicate") } }

    /// Joins an entity, whose properties the elements then find by name.
    func join(_ entity: NSEntityDescription) {
        if owner !== entity { willChange("entity") }
        owner = entity
    }

    func leave(_ entity: NSEntityDescription) {
        if owner === entity { owner = nil }
    }

    func makeImmutable() {
        guard !isImmutable else { return }
        for element in elements { element.makeImmutable() }
        isImmutable = true
    }

    func willChange(_ property: String) {
        refuseChange(
            of: property, in: "index '\(name)' of entity '\(owner?.name ?? "?")'", if: isImmutable)
    }

    /// A copy that can be changed and belongs to no entity. Its elements name their properties.
    open func copy(with zone: NSZone? = nil) -> Any {
        let copy = NSFetchIndexDescription(
            name: name, elements: elements.compactMap { $0.copy() as? NSFetchIndexElementDescription })
        copy.partialIndexPredicate = partialIndexPredicate
        return copy
    }

    /// Whether the other object describes the same index.
    open override func isEqual(_ object: Any?) -> Bool {
        guard let other = object as? NSFetchIndexDescription else { return false }
        return other === self
            || (name == other.name && elements == other.elements
                && areEqual(partialIndexPredicate, other.partialIndexPredicate))
    }

    open override var hash: Int { name.hashValue }

    open override var description: String { "<NSFetchIndexDescription \(owner?.name ?? "?").\(name)>" }
}
