import CocoaFoundation

/// A property whose value is the result of a fetch.
///
/// ```swift
/// let request = NSFetchRequest<any NSFetchRequestResult>(entityName: "Book")
/// request.predicate = NSPredicate(format: "genre == $FETCH_SOURCE.favoriteGenre")
/// let suggestions = NSFetchedPropertyDescription()
/// suggestions.name = "suggestions"
/// suggestions.fetchRequest = request
/// ```
///
/// The predicate may use `$FETCH_SOURCE` for the object that has the property and `$FETCHED_PROPERTY` for this description. The value is
/// an array, fetched when it is first read; it does not follow later changes until the object is refreshed. Nothing of it is stored, so
/// that a fetched property cannot be a key of a predicate or a sort descriptor in a SQLite store. Unlike a relationship it may lead into
/// another store.
open class NSFetchedPropertyDescription: NSPropertyDescription, @unchecked Sendable {
    /// Creates a fetched property without a request.
    public required init() {
        super.init()
        isTransient = true
    }

    /// The request that yields the value. The property takes part in the ownership of the model: an entity
    /// that the request fetches is kept alive by the model and not by the request.
    open var fetchRequest: NSFetchRequest<any NSFetchRequestResult>? {
        get { request }
        set {
            willChange("fetchRequest")
            request = newValue
            newValue?.joinModel()
        }
    }

    /// Whether the property takes part in a cloud service of old systems; kept for the model file's sake.
    package var isSyncable = false { willSet { willChange("isSyncable") } }

    private var request: NSFetchRequest<any NSFetchRequestResult>?

    package override var isReadOnly: Bool { true }

    override var isFetched: Bool { true }

    /// Points the request to the entity of its name in a model.
    override func bind(in entitiesByName: [String: NSEntityDescription]) {
        guard let fetchRequest, let name = fetchRequest.entityName, let entity = entitiesByName[name],
            fetchRequest.entity !== entity
        else { return }
        fetchRequest.resolveEntity(entity)
        fetchRequest.joinModel()
    }

    override func makeImmutable() {
        fetchRequest?.makeImmutable()
        super.makeImmutable()
    }

    open override func copy(with zone: NSZone? = nil) -> Any {
        let copy = super.copy(with: zone)
        if let property = copy as? NSFetchedPropertyDescription {
            property.fetchRequest = fetchRequest?.copy() as? NSFetchRequest<any NSFetchRequestResult>
            property.isSyncable = isSyncable
        }
        return copy
    }

    override func hasSameSettings(as other: NSPropertyDescription) -> Bool {
        guard let other = other as? NSFetchedPropertyDescription else { return false }
        return super.hasSameSettings(as: other)
            && fetchRequest?.entityName == other.fetchRequest?.entityName
            && areEqual(fetchRequest?.predicate, other.fetchRequest?.predicate)
    }
}
