import CocoaFoundation
import Synchronization

/// A managed object model: the entities that an application's data consists of.
///
/// A model is read from a file that the model editor of Xcode wrote, or is built in code:
///
/// ```swift
/// let model = try NSManagedObjectModel(loading: URL(filePath: "Library.xcdatamodeld"))
/// ```
///
/// It can be changed until it is in use, which is when a coordinator is created with it. A change after
/// that stops the program with a message that begins with "Can't modify an immutable model". A copy can be
/// changed again.
///
/// ## Concurrency
///
/// A model and all of its descriptions are `Sendable` without a check by the compiler. Before the model is in
/// use it belongs to the code that builds it. Going into use computes everything that is derived and ends all
/// changes, so that any number of threads can read it without a lock.
open class NSManagedObjectModel: NSObject, NSCopying, @unchecked Sendable {
    private let lock = NSLock()

    private let derived = PublishedReference<ModelTables>()

    /// What is derived from the descriptions, once nothing can change any more. Any thread may ask, also while the model
    /// goes into use.
    var tables: ModelTables? { derived.load() }

    /// The entities of each configuration by name, in the order in which they were set.
    var configurationMembers: [String: [NSEntityDescription]] = [:]

    /// The fetch requests that the model holds, by name.
    var templates: [String: any FetchRequestTemplate] = [:]

    /// Creates a model without entities.
    public required override init() {
        Self.registerFetchExpressions()
    }

    /// The entities. An entity belongs to one model: adding it to another takes it away from the first.
    ///
    /// Relationships and fetched properties of the new entities that point out of the model, as those of
    /// copies do, are pointed to the entities with the same names in it.
    open var entities: [NSEntityDescription] {
        get { members }
        set {
            willChange("entities")
            let old = members
            members = newValue
            take(newValue, insteadOf: old)
        }
    }

    // Observers of a stored property would not run in a convenience initialiser that a client writes in an extension.
    private var members: [NSEntityDescription] = []

    /// The entities by name.
    open var entitiesByName: [String: NSEntityDescription] {
        tables?.entitiesByName ?? Dictionary(entities.map { ($0.name ?? "", $0) }) { first, _ in first }
    }

    /// The version hashes of all entities by name.
    open var entityVersionHashesByName: [String: Data] {
        if let tables { return tables.entityVersionHashesByName }
        return entitiesByName.mapValues(Self.versionHashing())
    }

    /// Names of the version of the model, for people. They do not decide whether a store fits the model.
    open var versionIdentifiers: Set<AnyHashable> = [] { willSet { willChange("versionIdentifiers") } }

    /// Strings for people by keys such as `Entity/Book` or `Property/title/Entity/Book`.
    open var localizationDictionary: [String: String]? { willSet { willChange("localizationDictionary") } }

    private var modules: [String] = []

    /// The modules whose containers use the model, the latest first: where its classes are looked for.
    package var classModules: [String] { lock.withLock { modules } }

    /// Notes a module that may hold the classes that the model names.
    package func noteClassModule(_ module: String) {
        lock.withLock {
            modules.removeAll { $0 == module }
            modules.insert(module, at: 0)
        }
    }

    // MARK: Immutability

    /// Whether the model is in use and cannot be changed any more.
    package var isImmutable: Bool { lock.withLock { tables != nil } }

    /// Ends the time in which the model can be changed, and computes what is derived from its descriptions.
    ///
    /// It may be called more than once and from several threads.
    package func makeImmutable() {
        lock.withLock {
            guard tables == nil else { return }
            bindNames()
            // Superentities first: the tables of an entity use those of the entities above it.
            let versionHash = Self.versionHashing()
            for entity in entities.flatMap(\.lineage) where entity.model === self {
                entity.makeImmutable(versionHash)
            }
            for request in templates.values { request.makeImmutable() }
            _ = derived.storeIfNil(ModelTables(self, versionHash))
        }
    }

    /// Stops the program if the model can no longer be changed.
    func willChange(_ property: String) {
        refuseChange(of: property, in: "the model", if: tables != nil)
    }

    /// Points what names an entity, but is not connected to the entity of this model, to it.
    func bindNames() {
        let byName = entitiesByName
        for entity in entities {
            for property in entity.ownProperties {
                property.bind(in: byName)
            }
        }
        for request in templates.values { bind(request, in: byName) }
    }

    /// Points a fetch request to the entity of its name in the model, and leaves the ownership of the entity
    /// to the model.
    func bind(
        _ request: any FetchRequestTemplate, in entitiesByName: [String: NSEntityDescription]
    ) {
        if let entity = request.entityName.flatMap({ entitiesByName[$0] }), request.entity !== entity {
            request.resolveEntity(entity)
        }
        request.joinModel()
    }

    private func take(_ new: [NSEntityDescription], insteadOf old: [NSEntityDescription]) {
        let kept = Set(new.map(ObjectIdentifier.init))
        for entity in old where entity.model === self && !kept.contains(ObjectIdentifier(entity)) {
            entity.model = nil
        }
        for entity in new where entity.model !== self {
            entity.willChange("managedObjectModel")
            entity.model?.entities.removeAll { $0 === entity }
            entity.model = self
        }
        bindNames()
    }

    // MARK: Copying and equality

    /// A copy of the model and all of its descriptions that can be changed.
    open func copy(with zone: NSZone? = nil) -> Any {
        let copy = Self()
        copy.entities = Self.copies(of: entities)
        let byName = copy.entitiesByName
        copy.configurationMembers = configurationMembers.mapValues { members in
            members.compactMap { byName[$0.name ?? ""] }
        }
        copy.templates = templates.compactMapValues {
            $0.copy(with: nil) as? any FetchRequestTemplate
        }
        copy.bindNames()
        copy.versionIdentifiers = versionIdentifiers
        copy.localizationDictionary = localizationDictionary
        return copy
    }

    /// Copies of the entities that inherit from each other as the originals do.
    static func copies(of entities: [NSEntityDescription]) -> [NSEntityDescription] {
        var copies: [ObjectIdentifier: NSEntityDescription] = [:]
        for entity in entities { copies[ObjectIdentifier(entity)] = entity.copyWithoutSubentities() }
        for entity in entities {
            copies[ObjectIdentifier(entity)]?.subentities = entity.subentities.compactMap {
                copies[ObjectIdentifier($0)]
            }
        }
        return entities.compactMap { copies[ObjectIdentifier($0)] }
    }

    /// Whether the other object is a model with equal entities, configurations and fetch request templates.
    open override func isEqual(_ object: Any?) -> Bool {
        guard let other = object as? NSManagedObjectModel else { return false }
        if other === self { return true }
        return entitiesByName == other.entitiesByName
            && configurationMembers.mapValues { Set($0.map(\.name)) }
                == other.configurationMembers.mapValues { Set($0.map(\.name)) }
            && templates.keys == other.templates.keys
            && templates.allSatisfy { name, request in
                request.entityName == other.templates[name]?.entityName
                    && areEqual(request.predicate, other.templates[name]?.predicate)
            }
    }

    open override var hash: Int { Set(entities.map(\.name)).hashValue }
}
