import CocoaFoundation

/// Everything that a fetch request says, as a value.
///
/// `NSFetchRequest<Book>` and `NSFetchRequest<NSDictionary>` are unrelated types. The runtime takes this
/// value from either (`NSPersistentStoreRequest.fetchSpecification`) and is safe from later changes to the
/// request.
///
/// A fetch hands it on from step to step: copies share what they say until one of them is changed.
package struct FetchSpecification {
    private var contents: Contents

    /// What copies share.
    private final class Contents {
        var resultClass: any Any.Type
        var predicate: NSPredicate?
        var sortDescriptors: [NSSortDescriptor]?
        var fetchLimit: Int = 0
        var fetchOffset: Int = 0
        var fetchBatchSize: Int = 0
        var resultType: NSFetchRequestResultType = .managedObjectResultType
        var includesSubentities: Bool = true
        var includesPropertyValues: Bool = true
        var includesPendingChanges: Bool = true
        var returnsObjectsAsFaults: Bool = true
        var returnsDistinctResults: Bool = false
        var shouldRefreshRefetchedObjects: Bool = false
        var relationshipKeyPathsForPrefetching: [String]?
        var propertiesToFetch: [Any]?
        var propertiesToGroupBy: [Any]?
        var havingPredicate: NSPredicate?
        var answer: AnyObject?
        var name: String?
        var ownedEntity: NSEntityDescription?
        weak var referencedEntity: NSEntityDescription?

        init(resultClass: any Any.Type) { self.resultClass = resultClass }

        init(_ other: Contents) {
            resultClass = other.resultClass
            predicate = other.predicate
            sortDescriptors = other.sortDescriptors
            fetchLimit = other.fetchLimit
            fetchOffset = other.fetchOffset
            fetchBatchSize = other.fetchBatchSize
            resultType = other.resultType
            includesSubentities = other.includesSubentities
            includesPropertyValues = other.includesPropertyValues
            includesPendingChanges = other.includesPendingChanges
            returnsObjectsAsFaults = other.returnsObjectsAsFaults
            returnsDistinctResults = other.returnsDistinctResults
            shouldRefreshRefetchedObjects = other.shouldRefreshRefetchedObjects
            relationshipKeyPathsForPrefetching = other.relationshipKeyPathsForPrefetching
            propertiesToFetch = other.propertiesToFetch
            propertiesToGroupBy = other.propertiesToGroupBy
            havingPredicate = other.havingPredicate
            answer = other.answer
            name = other.name
            ownedEntity = other.ownedEntity
            referencedEntity = other.referencedEntity
        }
    }

    package init(resultClass: any Any.Type) { contents = Contents(resultClass: resultClass) }

    /// What this value alone says, to be changed.
    private mutating func own() -> Contents {
        if !isKnownUniquelyReferenced(&contents) { contents = Contents(contents) }
        return contents
    }

    /// The generic argument of the request: what its elements are promised to be.
    package internal(set) var resultClass: any Any.Type {
        get { contents.resultClass }
        set { own().resultClass = newValue }
    }

    package var predicate: NSPredicate? {
        get { contents.predicate }
        set { own().predicate = newValue }
    }
    package var sortDescriptors: [NSSortDescriptor]? {
        get { contents.sortDescriptors }
        set { own().sortDescriptors = newValue }
    }
    package var fetchLimit: Int {
        get { contents.fetchLimit }
        set { own().fetchLimit = newValue }
    }
    package var fetchOffset: Int {
        get { contents.fetchOffset }
        set { own().fetchOffset = newValue }
    }
    package var fetchBatchSize: Int {
        get { contents.fetchBatchSize }
        set { own().fetchBatchSize = newValue }
    }
    package var resultType: NSFetchRequestResultType {
        get { contents.resultType }
        set { own().resultType = newValue }
    }
    package var includesSubentities: Bool {
        get { contents.includesSubentities }
        set { own().includesSubentities = newValue }
    }
    package var includesPropertyValues: Bool {
        get { contents.includesPropertyValues }
        set { own().includesPropertyValues = newValue }
    }
    package var includesPendingChanges: Bool {
        get { contents.includesPendingChanges }
        set { own().includesPendingChanges = newValue }
    }
    package var returnsObjectsAsFaults: Bool {
        get { contents.returnsObjectsAsFaults }
        set { own().returnsObjectsAsFaults = newValue }
    }
    package var returnsDistinctResults: Bool {
        get { contents.returnsDistinctResults }
        set { own().returnsDistinctResults = newValue }
    }
    package var shouldRefreshRefetchedObjects: Bool {
        get { contents.shouldRefreshRefetchedObjects }
        set { own().shouldRefreshRefetchedObjects = newValue }
    }
    package var relationshipKeyPathsForPrefetching: [String]? {
        get { contents.relationshipKeyPathsForPrefetching }
        set { own().relationshipKeyPathsForPrefetching = newValue }
    }
    package var propertiesToFetch: [Any]? {
        get { contents.propertiesToFetch }
        set { own().propertiesToFetch = newValue }
    }
    package var propertiesToGroupBy: [Any]? {
        get { contents.propertiesToGroupBy }
        set { own().propertiesToGroupBy = newValue }
    }
    package var havingPredicate: NSPredicate? {
        get { contents.havingPredicate }
        set { own().havingPredicate = newValue }
    }
    /// What a store answered to this very fetch already, for the context that takes it in.
    package var answer: AnyObject? {
        get { contents.answer }
        set { own().answer = newValue }
    }

    /// The entity to fetch, once it is known.
    package var entity: NSEntityDescription? {
        get { contents.ownedEntity ?? contents.referencedEntity }
        set {
            // As when one request is executed again. The name counts only without an entity.
            if let newValue, contents.ownedEntity === newValue { return }
            let contents = own()
            contents.ownedEntity = newValue
            contents.referencedEntity = nil
            contents.name = newValue?.name
        }
    }

    /// The name of the entity to fetch. A name that was set before its entity was known stays the name.
    package var entityName: String? {
        get { entity?.name ?? contents.name }
        set { own().name = newValue }
    }

    /// Drops ownership of the entity, for a request that a model owns: the model owns the entity as well, and
    /// an entity that owns a fetched property must not be kept alive by that property's request.
    mutating func referenceEntityWeakly() {
        guard let ownedEntity = contents.ownedEntity else { return }
        let contents = own()
        contents.referencedEntity = ownedEntity
        contents.ownedEntity = nil
    }

    /// The same fetch, promised to return elements of another type, and owner of its entity again.
    package func returning(_ resultClass: any Any.Type) -> FetchSpecification {
        var other = self
        let contents = other.own()
        contents.resultClass = resultClass
        contents.ownedEntity = entity
        contents.referencedEntity = nil
        return other
    }
}
