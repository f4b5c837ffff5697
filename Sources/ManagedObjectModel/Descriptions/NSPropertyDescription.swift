import CocoaFoundation

/// The description of a property of an entity: what all attributes, relationships and fetched properties
/// share.
///
/// A description can be changed until its model is in use, which is when a coordinator is created with the
/// model. A change after that stops the program with a message that names the property. A copy can be
/// changed again.
///
/// Descriptions are `Sendable` without a check by the compiler: before its model is in use a description
/// belongs to the code that builds the model, and from then on nothing of it changes.
open class NSPropertyDescription: NSObject, NSCopying, @unchecked Sendable {
    /// The entity that declares the property, if it has been added to one.
    package internal(set) weak var owner: NSEntityDescription?

    /// Whether the model is in use.
    package private(set) var isImmutable = false

    private var frozenVersionHash: Data?

    /// Creates an optional property without a name.
    public required override init() {}

    /// The name of the property, which is the key under which an object holds the value.
    open var name = "" { willSet { willChange("name") } }

    /// Whether an object can be saved without a value. The default is `true`.
    open var isOptional = true { willSet { willChange("isOptional") } }

    /// Whether the value stays out of the store. The default is `false`.
    open var isTransient = false { willSet { willChange("isTransient") } }

    /// Whether the store had better keep an index over the property.
    @available(*, deprecated, message: "Use NSEntityDescription.indexes instead")
    open var isIndexed: Bool {
        get { isIndexedAlone }
        set {
            willChange("isIndexed")
            isIndexedAlone = newValue
        }
    }

    /// What `isIndexed` holds, for code of this package, which has to honour it without a warning.
    package internal(set) var isIndexedAlone = false

    /// Whether the words of the values are indexed for search: "Index in Spotlight".
    open var isIndexedBySpotlight = false { willSet { willChange("isIndexedBySpotlight") } }

    /// Whether values are written to a record beside the store, for a search index of old systems.
    @available(*, deprecated, message: "External records are no longer written")
    open var isStoredInExternalRecord: Bool {
        get { isInExternalRecord }
        set {
            willChange("isStoredInExternalRecord")
            isInExternalRecord = newValue
        }
    }

    package internal(set) var isInExternalRecord = false

    /// Notes of the application about the property, empty at first. They have no effect, and can be changed while the model
    /// is in use.
    open var userInfo: [AnyHashable: Any]? = [:]

    /// Text that makes the version hash differ where nothing else in the description does, because the
    /// meaning of the values has changed.
    open var versionHashModifier: String? { willSet { willChange("versionHashModifier") } }

    /// The name under which an inferred mapping looks for the property in the older model.
    ///
    /// It is the name of the property as long as nothing else is set.
    open var renamingIdentifier: String? {
        get { explicitRenamingIdentifier ?? (name.isEmpty ? nil : name) }
        set {
            willChange("renamingIdentifier")
            explicitRenamingIdentifier = newValue
        }
    }

    /// The renaming identifier that was set, if any.
    package internal(set) var explicitRenamingIdentifier: String?

    // MARK: Validation

    /// The conditions that a value must meet before it is saved.
    open private(set) var validationPredicates: [NSPredicate] = []

    /// What is wrong with a value that fails the predicate at the same index.
    ///
    /// An element is a string for the error's description, or the number of an error code: the model editor's
    /// limits are compiled to the latter (1620 for a number that is too small).
    open private(set) var validationWarnings: [Any] = []

    /// Sets the conditions that a value must meet.
    ///
    /// - Parameters:
    ///   - validationPredicates: conditions on the value, which they reach as `SELF`.
    ///   - validationWarnings: a string for each of them, for the error that says it was not met.
    open func setValidationPredicates(
        _ validationPredicates: [NSPredicate]?, withValidationWarnings validationWarnings: [String]?
    ) {
        setValidation(validationPredicates ?? [], warnings: validationWarnings ?? [])
    }

    /// Sets conditions whose warnings may be error codes (`NSNumber`) as well as strings.
    package func setValidation(_ predicates: [NSPredicate], warnings: [Any]) {
        willChange("validationPredicates")
        validationPredicates = predicates
        validationWarnings = warnings
    }

    // MARK: Place in the model

    /// The entity that declares the property: for an inherited property the ancestor that it comes from.
    ///
    /// Reading it stops the program when the property belongs to no entity, or to one that is gone.
    open var entity: NSEntityDescription {
        guard let owner else {
            fatalError(
                "Property '\(name)' belongs to no entity: add it to the properties of one first")
        }
        return owner
    }

    /// Whether the store or the model, not the application, decides about the value. Always so for derived attributes
    /// and fetched properties.
    package var isReadOnly: Bool { isMarkedReadOnly }

    /// Whether an archive says that the property is read-only. No API and no setting of a model file sets it; it counts
    /// for the version hash.
    package var isMarkedReadOnly = false { willSet { willChange("isReadOnly") } }

    /// A SHA-256 hash of what decides how values are stored; stores carry it to distinguish models.
    open var versionHash: Data { frozenVersionHash ?? computedVersionHash }

    /// Whether the value is the result of a fetch.
    var isFetched: Bool { false }

    /// Points the property to the entities that it names in a model.
    func bind(in entitiesByName: [String: NSEntityDescription]) {}

    /// Stops the program if the description can no longer be changed.
    func willChange(_ property: String) {
        refuseChange(of: property, in: qualifiedName, if: isImmutable)
    }

    /// The entity and property for a message, such as `Book.title`.
    package var qualifiedName: String { "\(owner?.name ?? "?").\(name.isEmpty ? "?" : name)" }

    /// Ends the time in which the description can be changed and computes what it derives.
    func makeImmutable() {
        guard !isImmutable else { return }
        frozenVersionHash = computedVersionHash
        isImmutable = true
    }

    // MARK: Copying

    /// A copy that can be changed and belongs to no entity.
    open func copy(with zone: NSZone? = nil) -> Any {
        let copy = Self()
        copy.name = name
        copy.isOptional = isOptional
        copy.isTransient = isTransient
        copy.isIndexedAlone = isIndexedAlone
        copy.isIndexedBySpotlight = isIndexedBySpotlight
        copy.isInExternalRecord = isInExternalRecord
        copy.isMarkedReadOnly = isMarkedReadOnly
        copy.userInfo = userInfo
        copy.versionHashModifier = versionHashModifier
        copy.explicitRenamingIdentifier = explicitRenamingIdentifier
        copy.validationPredicates = validationPredicates
        copy.validationWarnings = validationWarnings
        return copy
    }

    // MARK: Equality

    /// Whether the other object describes the same property: same class, name and settings. The entities
    /// that the two belong to are not compared.
    open override func isEqual(_ object: Any?) -> Bool {
        guard let other = object as? NSPropertyDescription else { return false }
        return other === self || (type(of: other) == type(of: self) && hasSameSettings(as: other))
    }

    open override var hash: Int { name.hashValue }

    /// Whether the settings are the same. A subclass adds its own to the comparison.
    func hasSameSettings(as other: NSPropertyDescription) -> Bool {
        name == other.name
            && isOptional == other.isOptional
            && isTransient == other.isTransient
            && isReadOnly == other.isReadOnly
            && isIndexedAlone == other.isIndexedAlone
            && isIndexedBySpotlight == other.isIndexedBySpotlight
            && isInExternalRecord == other.isInExternalRecord
            && versionHashModifier == other.versionHashModifier
            && renamingIdentifier == other.renamingIdentifier
            && areEqual(userInfo ?? [:], other.userInfo ?? [:])
            && areEqual(validationPredicates, other.validationPredicates)
            && areEqual(validationWarnings, other.validationWarnings)
    }

    open override var description: String { "<\(type(of: self)) \(qualifiedName)>" }
}
