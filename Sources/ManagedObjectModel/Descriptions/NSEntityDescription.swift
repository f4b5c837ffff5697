import CocoaFoundation
import Synchronization

/// The description of an entity: a kind of object that a store keeps, with its properties.
///
/// Entities form a tree: a subentity has all the properties of its superentity and may add some.
///
/// ```swift
/// let title = NSAttributeDescription()
/// title.name = "title"
/// title.type = .string
///
/// let book = NSEntityDescription()
/// book.name = "Book"
/// book.managedObjectClassName = "Book"
/// book.properties = [title]
///
/// let model = NSManagedObjectModel()
/// model.entities = [book]
/// ```
///
/// A description can be changed until its model is in use, see `NSPropertyDescription`. That is also why it
/// is `Sendable` without a check by the compiler.
open class NSEntityDescription: NSObject, NSCopying, @unchecked Sendable {
    /// The model that the entity belongs to, as long as there is one.
    package internal(set) weak var model: NSManagedObjectModel?

    weak var parent: NSEntityDescription?

    /// The properties that the entity itself declares, in the order in which they were set.
    package internal(set) var ownProperties: [NSPropertyDescription] = []

    private let derived = PublishedReference<EntityTables>()

    /// What is derived from the properties, once nothing can change any more.
    var tables: EntityTables? { derived.load() }

    private let runtimeCell = PublishedReference<_EntityRuntimeRecord>()

    /// What the runtime keeps with the entity, once there is something. Reading is lock-free.
    package var runtimeRecord: _EntityRuntimeRecord? { runtimeCell.load() }

    /// Keeps a record with the entity; the first one stays.
    package func publish(_ record: _EntityRuntimeRecord) { _ = runtimeCell.storeIfNil(record) }

    /// Creates an entity without a name and properties, for objects of class `NSManagedObject`.
    public required override init() {}

    /// The name, unique in the model.
    open var name: String? { willSet { willChange("name") } }

    /// The model that the entity belongs to.
    ///
    /// Reading it stops the program when the entity belongs to no model, or to one that is gone: an entity
    /// does not keep its model alive.
    open var managedObjectModel: NSManagedObjectModel {
        guard let model else {
            fatalError(
                "Entity '\(name ?? "?")' belongs to no model, or its model was deallocated: keep a reference to the model"
            )
        }
        return model
    }

    /// The name of the class of the entity's objects, `NSManagedObject` unless set.
    ///
    /// The forms are those of the model editor: `Book`, `Library.Book` with the module, and `.Book` for the
    /// module that the model is built into.
    open var managedObjectClassName: String! {
        get { explicitClassName ?? "NSManagedObject" }
        set {
            willChange("managedObjectClassName")
            explicitClassName = newValue
        }
    }

    /// The class name that was set, if any.
    package private(set) var explicitClassName: String?

    /// Whether there are objects of subentities only. The default is `false`.
    open var isAbstract = false { willSet { willChange("isAbstract") } }

    // MARK: Inheritance

    /// The entity whose properties this one inherits.
    open var superentity: NSEntityDescription? { parent }

    /// The entities that inherit from this one directly. Setting it takes an entity away from its former
    /// superentity.
    open var subentities: [NSEntityDescription] {
        get { children }
        set {
            willChange("subentities")
            let old = children
            children = newValue
            adopt(newValue, insteadOf: old)
        }
    }

    // Observers of a stored property would not run in a convenience initialiser that a client writes in an extension.
    private var children: [NSEntityDescription] = []

    /// The entities that inherit from this one directly, by name.
    open var subentitiesByName: [String: NSEntityDescription] {
        tables?.subentitiesByName ?? Dictionary(subentities.map { ($0.name ?? "", $0) }) { first, _ in first }
    }

    // MARK: Properties

    /// All properties: first those of the superentity, then its own.
    ///
    /// An inherited property in the array that it is set to is ignored, so that a property can be appended.
    open var properties: [NSPropertyDescription] {
        get { tables?.properties ?? inheritedProperties + ownProperties }
        set {
            willChange("properties")
            setOwnProperties(newValue)
        }
    }

    /// All properties, inherited ones included, by name.
    open var propertiesByName: [String: NSPropertyDescription] {
        tables?.propertiesByName ?? byName(properties)
    }

    /// All attributes, inherited ones included, by name.
    open var attributesByName: [String: NSAttributeDescription] {
        tables?.attributesByName ?? byName(properties.compactMap { $0 as? NSAttributeDescription })
    }

    /// All relationships, inherited ones included, by name.
    open var relationshipsByName: [String: NSRelationshipDescription] {
        tables?.relationshipsByName ?? byName(properties.compactMap { $0 as? NSRelationshipDescription })
    }

    // MARK: Settings

    /// Notes of the application about the entity, empty at first. They have no effect, and can be changed while the model
    /// is in use.
    open var userInfo: [AnyHashable: Any]? = [:]

    /// Text that makes the version hash differ where nothing else in the description does.
    open var versionHashModifier: String? { willSet { willChange("versionHashModifier") } }

    /// The name under which an inferred mapping looks for the entity in the older model.
    ///
    /// It is the name of the entity as long as nothing else is set.
    open var renamingIdentifier: String? {
        get { explicitRenamingIdentifier ?? name }
        set {
            willChange("renamingIdentifier")
            explicitRenamingIdentifier = newValue
        }
    }

    /// The renaming identifier that was set, if any.
    package private(set) var explicitRenamingIdentifier: String?

    /// The indexes that a store keeps for the entity: first one for each property that is marked as indexed, named
    /// after it, then those that were set.
    ///
    /// In a compiled model several may have one name; a store has the first of them, as with Apple's framework.
    open var indexes: [NSFetchIndexDescription] {
        get { tables?.indexes ?? indexesOfMarkedProperties + ownIndexes }
        set {
            willChange("indexes")
            for index in ownIndexes { index.leave(self) }
            ownIndexes = newValue
            for index in newValue { index.join(self) }
        }
    }

    private var ownIndexes: [NSFetchIndexDescription] = []

    /// The indexes that the mark `isIndexed` of own properties requests, where none of the name was set.
    private var indexesOfMarkedProperties: [NSFetchIndexDescription] {
        let marked = indexesOfMarks(besides: ownIndexes.map(\.name))
        for index in marked { index.join(self) }
        return marked
    }

    /// Whether several indexes may have one name, which Apple's framework writes into the copies of models.
    package internal(set) var allowsEqualIndexNames = false

    /// Indexes over several properties each: arrays of names or descriptions.
    @available(*, deprecated, message: "Use indexes instead")
    open var compoundIndexes: [[Any]] {
        get { indexedTuples }
        set {
            willChange("compoundIndexes")
            indexedTuples = newValue
        }
    }

    /// What `compoundIndexes` holds, for code of this package, which has to honour it without a warning.
    package internal(set) var indexedTuples: [[Any]] = []

    /// Whether Apple's framework also keeps an index of each property that a fetch index is over alone, under the name
    /// of the property. It does for entities that come from a model file: its compiler marks such properties as
    /// indexed, which is the older way to ask for an index.
    package internal(set) var impliesPropertyIndexes = false

    /// Combinations of values that no two objects may share: arrays of attribute names or descriptions.
    open var uniquenessConstraints: [[Any]] = [] { willSet { willChange("uniquenessConstraints") } }

    /// The expression for the text that stands for an object in a search, whose words are indexed.
    open var coreSpotlightDisplayNameExpression: NSExpression {
        get { spotlightExpression ?? NSExpression(forConstantValue: nil) }
        set {
            willChange("coreSpotlightDisplayNameExpression")
            spotlightExpression = newValue
        }
    }

    /// The display name expression that was set, if any.
    package private(set) var spotlightExpression: NSExpression?

    /// What code the model editor generates for the entity's class; `nil` if none.
    package var codeGenerationType: String? { willSet { willChange("codeGenerationType") } }

    /// Whether the entity takes part in a cloud service of old systems; kept for the model file's sake.
    package var isSyncable = false { willSet { willChange("isSyncable") } }

    /// A SHA-256 hash of what decides how objects are stored; stores carry it to distinguish models.
    ///
    /// As long as the model is not in use it is computed each time; `entityVersionHashesByName` of the model
    /// computes what entities inherit from each other only once.
    open var versionHash: Data { tables?.versionHash ?? computedVersionHash }

    // MARK: Immutability

    /// Stops the program if the description can no longer be changed.
    func willChange(_ property: String) {
        refuseChange(of: property, in: "entity '\(name ?? "?")'", if: tables != nil)
    }

    /// Ends the time in which the description can be changed and computes what it derives. The superentity
    /// has to be done first.
    ///
    /// - Parameter versionHash: computes the hashes of the entities of the model, each once.
    func makeImmutable(_ versionHash: (NSEntityDescription) -> Data) {
        guard tables == nil else { return }
        for property in ownProperties { property.makeImmutable() }
        let tables = EntityTables(self, versionHash: versionHash(self))
        _ = derived.storeIfNil(tables)
        // After the tables, in which the elements look up their properties.
        for index in tables.storeIndexes { index.makeImmutable() }
    }

    // MARK: Copying and equality

    /// A copy that can be changed, with copies of its own properties, indexes and subentities. It belongs
    /// to no model and has no superentity.
    open func copy(with zone: NSZone? = nil) -> Any {
        let copy = copyWithoutSubentities()
        copy.subentities = subentities.compactMap { $0.copy() as? NSEntityDescription }
        return copy
    }

    func copyWithoutSubentities() -> Self {
        let copy = Self()
        copy.name = name
        copy.explicitClassName = explicitClassName
        copy.isAbstract = isAbstract
        copy.userInfo = userInfo
        copy.versionHashModifier = versionHashModifier
        copy.explicitRenamingIdentifier = explicitRenamingIdentifier
        copy.uniquenessConstraints = uniquenessConstraints.map(propertyNames)
        copy.indexedTuples = indexedTuples.map(propertyNames)
        copy.spotlightExpression = spotlightExpression
        copy.codeGenerationType = codeGenerationType
        copy.impliesPropertyIndexes = impliesPropertyIndexes
        copy.allowsEqualIndexNames = allowsEqualIndexNames
        copy.isSyncable = isSyncable
        copy.properties = ownProperties.compactMap { $0.copy() as? NSPropertyDescription }
        copy.indexes = indexes.compactMap { $0.copy() as? NSFetchIndexDescription }
        return copy
    }

    /// Whether the other object describes the same entity: same name, position in the tree, settings and own
    /// properties.
    open override func isEqual(_ object: Any?) -> Bool {
        guard let other = object as? NSEntityDescription else { return false }
        return other === self || hasSameSettings(as: other)
    }

    open override var hash: Int { name.hashValue }

    open override var description: String { "<NSEntityDescription \(name ?? "?")>" }
}

/// Descriptions by name. Of several with one name the last is taken: an entity's own before an inherited one.
private func byName<Property: NSPropertyDescription>(_ properties: [Property]) -> [String: Property] {
    Dictionary(properties.map { ($0.name, $0) }) { _, last in last }
}
