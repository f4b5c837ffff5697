import CocoaFoundation

/// A description of objects to fetch: an entity, a predicate, an order, and the form of the result.
///
/// ```swift
/// let request = NSFetchRequest<Book>(entityName: "Book")
/// request.predicate = NSPredicate(format: "pages.@count > %d", 300)
/// request.sortDescriptors = [NSSortDescriptor(key: "title", ascending: true)]
/// let books = try context.fetch(request)
/// ```
///
/// A request that a model holds as a template cannot be changed once the model is in use; take a copy, or use
/// `NSManagedObjectModel.fetchRequestFromTemplate(withName:substitutionVariables:)`.
open class NSFetchRequest<ResultType>: NSPersistentStoreRequest {
    private var settings = FetchSettings(FetchSpecification(resultClass: ResultType.self))

    private var specification: FetchSpecification {
        get { settings.specification }
        // In place: a copy would be shared while it is changed.
        _modify { yield &settings.specification }
    }

    /// Creates a request without an entity: set `entity` before it is executed.
    public required init() {}

    /// Creates a request for the entity of a name, which is looked up in the model of the context that
    /// executes the request.
    public convenience init(entityName: String) {
        self.init()
        specification.entityName = entityName
    }

    /// Creates a request that says what the specification says.
    package convenience init(specification: FetchSpecification) {
        self.init()
        self.specification = specification.returning(ResultType.self)
    }

    open override var requestType: NSPersistentStoreRequestType { .fetchRequestType }

    open override func copy(with zone: NSZone? = nil) -> Any {
        let copy = super.copy(with: zone)
        if let request = copy as? NSFetchRequest<ResultType> {
            request.specification = specification.returning(ResultType.self)
        }
        return copy
    }

    package override var fetchSpecification: FetchSpecification? {
        // The settings may be shared with a request for results of another type.
        if specification.resultClass == ResultType.self { return specification }
        var specification = specification
        specification.resultClass = ResultType.self
        return specification
    }

    package override var fetchSettings: FetchSettings? { settings }

    package override var affectedStoreObjects: [AnyObject]? {
        get { settings.affectedStoreObjects }
        set { settings.affectedStoreObjects = newValue }
    }

    /// Makes a request that shares the settings of another one.
    package convenience init(sharing settings: FetchSettings) {
        self.init()
        self.settings = settings
    }

    // Two requests of different types with the same settings are one request of Apple's.

    open override func isEqual(_ object: Any?) -> Bool {
        (object as? NSPersistentStoreRequest)?.fetchSettings === settings
    }

    open override var hash: Int { ObjectIdentifier(settings).hashValue }

    /// A request that a model in use holds stays as it is: it has its entity, and several threads may execute it.
    package override func resolveEntity(_ entity: NSEntityDescription) {
        guard !settings.isImmutable else { return }
        specification.entity = entity
    }

    /// What a store answered to this very fetch already.
    package var answer: AnyObject? {
        get { specification.answer }
        set { specification.answer = newValue }
    }

    /// Makes the request part of a model: the model owns the entity.
    func joinModel() {
        specification.referenceEntityWeakly()
    }

    /// Ends the time in which the request can be changed.
    func makeImmutable() {
        settings.isImmutable = true
    }

    private func change(_ property: String, _ body: (inout FetchSpecification) -> Void) {
        refuseChange(
            of: property, in: "the fetch request for '\(entityName ?? "?")'", if: settings.isImmutable)
        body(&specification)
    }

    // MARK: What to fetch

    /// The entity to fetch. It is `nil` for a request made with a name until a context has executed the
    /// request.
    open var entity: NSEntityDescription? {
        get { specification.entity }
        set { change("entity") { $0.entity = newValue } }
    }

    /// The name of the entity to fetch.
    open var entityName: String? { specification.entityName }

    /// The condition that an object must meet; `nil` fetches all objects of the entity.
    open var predicate: NSPredicate? {
        get { specification.predicate }
        set { change("predicate") { $0.predicate = newValue } }
    }

    /// Whether objects of subentities are fetched as well. The default is `true`.
    open var includesSubentities: Bool {
        get { specification.includesSubentities }
        set { change("includesSubentities") { $0.includesSubentities = newValue } }
    }

    /// Whether changes that the context has not saved are taken into account. The default is `true`.
    ///
    /// Dictionaries and aggregates always show what the store holds: of a request for dictionaries the property reads as
    /// `false`, whatever was set.
    open var includesPendingChanges: Bool {
        get { specification.resultType != .dictionaryResultType && specification.includesPendingChanges }
        set { change("includesPendingChanges") { $0.includesPendingChanges = newValue } }
    }

    /// What was set for `includesPendingChanges`, also where the property reads as `false`.
    package var givenIncludesPendingChanges: Bool { specification.includesPendingChanges }

    // MARK: Order and window

    /// The order of the result, most significant first; `nil` leaves the order to the store.
    open var sortDescriptors: [NSSortDescriptor]? {
        get { specification.sortDescriptors }
        set { change("sortDescriptors") { $0.sortDescriptors = newValue } }
    }

    /// The largest number of objects to return; 0, the default, means no limit.
    open var fetchLimit: Int {
        get { specification.fetchLimit }
        set { change("fetchLimit") { $0.fetchLimit = newValue } }
    }

    /// How many of the objects found are left out at the start. The default is 0.
    open var fetchOffset: Int {
        get { specification.fetchOffset }
        set { change("fetchOffset") { $0.fetchOffset = newValue } }
    }

    /// Of how many objects the rows are read from the store at a time; 0, the default, reads all with the fetch.
    ///
    /// With a size, the fetch reads identities alone. The first property that is read of any object found loads the rows
    /// of the batch that it is in, and the relationships that are to be prefetched with them: a walk over n objects
    /// takes 1 + n / size requests. Without effect where the result is more, or less, than faults with their values
    /// (`returnsObjectsAsFaults`, `includesPropertyValues`, `shouldRefreshRefetchedObjects`), and for objects of several
    /// stores in an order. `NSManagedObjectContext.lazyResults(of:)` makes the objects themselves batch by batch.
    open var fetchBatchSize: Int {
        get { specification.fetchBatchSize }
        set { change("fetchBatchSize") { $0.fetchBatchSize = newValue } }
    }

    // MARK: Form of the result

    /// Whether objects, identifiers, dictionaries or a count is returned. The default is objects.
    open var resultType: NSFetchRequestResultType {
        get { specification.resultType }
        set { change("resultType") { $0.resultType = newValue } }
    }

    /// Whether the rows of the objects found are read along with their identifiers. The default is `true`.
    ///
    /// With `false` each object found is a fault whose row is read when it is used. Without effect when
    /// `returnsObjectsAsFaults` is `false` or `shouldRefreshRefetchedObjects` is `true`.
    open var includesPropertyValues: Bool {
        get { specification.includesPropertyValues }
        set { change("includesPropertyValues") { $0.includesPropertyValues = newValue } }
    }

    /// Whether objects come as faults, their values left in the row cache until used. The default is `true`.
    open var returnsObjectsAsFaults: Bool {
        get { specification.returnsObjectsAsFaults }
        set { change("returnsObjectsAsFaults") { $0.returnsObjectsAsFaults = newValue } }
    }

    /// Whether objects that the context already holds get the values of the store. The default is `false`.
    open var shouldRefreshRefetchedObjects: Bool {
        get { specification.shouldRefreshRefetchedObjects }
        set { change("shouldRefreshRefetchedObjects") { $0.shouldRefreshRefetchedObjects = newValue } }
    }

    /// Key paths of relationships whose destinations are fetched together with the objects.
    open var relationshipKeyPathsForPrefetching: [String]? {
        get { specification.relationshipKeyPathsForPrefetching }
        set {
            change("relationshipKeyPathsForPrefetching") { $0.relationshipKeyPathsForPrefetching = newValue }
        }
    }

    /// What the dictionaries of the result hold: property descriptions, expression descriptions or names.
    ///
    /// Of objects: the properties whose values are read along with the identities of faults. Any other property that is
    /// read loads the object. SQLite stores read only these columns then; with `fetchBatchSize`, in contexts with a parent
    /// and where the objects are not requested as faults, whole rows are read.
    open var propertiesToFetch: [Any]? {
        get { specification.propertiesToFetch }
        set { change("propertiesToFetch") { $0.propertiesToFetch = newValue } }
    }

    /// Whether equal dictionaries are returned once only; objects and IDs always are. The default is `false`.
    open var returnsDistinctResults: Bool {
        get { specification.returnsDistinctResults }
        set { change("returnsDistinctResults") { $0.returnsDistinctResults = newValue } }
    }

    /// What the rows are grouped by, for dictionaries: property descriptions, expression descriptions or
    /// names.
    open var propertiesToGroupBy: [Any]? {
        get { specification.propertiesToGroupBy }
        set { change("propertiesToGroupBy") { $0.propertiesToGroupBy = newValue } }
    }

    /// The condition that a group must meet. It needs `propertiesToGroupBy`.
    open var havingPredicate: NSPredicate? {
        get { specification.havingPredicate }
        set { change("havingPredicate") { $0.havingPredicate = newValue } }
    }
}

extension NSFetchRequest: FetchRequestTemplate {}
