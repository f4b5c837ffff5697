import CocoaFoundation

/// Everything that a fetch request says, as a value.
///
/// `NSFetchRequest<Book>` and `NSFetchRequest<NSDictionary>` are unrelated types. The runtime takes this
/// value from either (`NSPersistentStoreRequest.fetchSpecification`) and is safe from later changes to the
/// request.
package struct FetchSpecification {
    /// The generic argument of the request: what its elements are promised to be.
    package internal(set) var resultClass: any Any.Type

    package var predicate: NSPredicate?
    package var sortDescriptors: [NSSortDescriptor]?
    package var fetchLimit = 0
    package var fetchOffset = 0
    package var fetchBatchSize = 0
    package var resultType: NSFetchRequestResultType = .managedObjectResultType
    package var includesSubentities = true
    package var includesPropertyValues = true
    package var includesPendingChanges = true
    package var returnsObjectsAsFaults = true
    package var returnsDistinctResults = false
    package var shouldRefreshRefetchedObjects = false
    package var relationshipKeyPathsForPrefetching: [String]?
    package var propertiesToFetch: [Any]?
    package var propertiesToGroupBy: [Any]?
    package var havingPredicate: NSPredicate?
    /// What a store answered to this very fetch already, for the context that takes it in.
    package var answer: AnyObject?

    private var name: String?
    private var ownedEntity: NSEntityDescription?
    private weak var referencedEntity: NSEntityDescription?

    package init(resultClass: any Any.Type) {
        self.resultClass = resultClass
    }

    /// The entity to fetch, once it is known.
    package var entity: NSEntityDescription? {
        get { ownedEntity ?? referencedEntity }
        set {
            ownedEntity = newValue
            referencedEntity = nil
            name = newValue?.name
        }
    }

    /// The name of the entity to fetch. A name that was set before its entity was known stays the name.
    package var entityName: String? {
        get { entity?.name ?? name }
        set { name = newValue }
    }

    /// Drops ownership of the entity, for a request that a model owns: the model owns the entity as well, and
    /// an entity that owns a fetched property must not be kept alive by that property's request.
    mutating func referenceEntityWeakly() {
        guard let ownedEntity else { return }
        referencedEntity = ownedEntity
        self.ownedEntity = nil
    }

    /// The same fetch, promised to return elements of another type, and owner of its entity again.
    package func returning(_ resultClass: any Any.Type) -> FetchSpecification {
        var other = self
        other.resultClass = resultClass
        other.ownedEntity = entity
        other.referencedEntity = nil
        return other
    }
}
