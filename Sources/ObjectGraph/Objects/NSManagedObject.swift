import CSwiftRuntime
import CocoaFoundation
import Foundation
import ManagedObjectModel

/// An object of an entity: a model describes its properties, a context manages it, and a store keeps its values.
///
/// Subclass it for typed properties, with the macros of `CoreDataMacros`, with generated code, or by hand:
///
/// ```swift
/// final class Book: NSManagedObject {
///     static let titleKey = ManagedKey<String?>("title")
///     var title: String? {
///         get { self[Self.titleKey] }
///         set { self[Self.titleKey] = newValue }
///     }
/// }
/// ```
///
/// A fetched object may be a fault: its values are loaded from the store when one of them is first read. Changes are in the object
/// alone until its context saves. The context has one object for each `objectID`, so two fetches return the same instance.
///
/// An object belongs to one context and is used on that context's queue only; debug builds check it. Pass its `objectID`, or the values
/// of a ``snapshot(of:)``, to other contexts and threads. Objects are compared by identity: `isEqual(_:)` and `hash` cannot be overridden.
///
/// The values are in the row, a packed buffer that the object shares with the row cache; values that were set or decoded override it,
/// by slot index.
open class NSManagedObject: NSObject, NSFetchRequestResult, KeyValueObserving {
    // An object is used on one queue only, which the compiler's checks at run time cannot know; on each access of a
    // value they would cost more than the access.

    // What the object refers to is in plain pointers, which are read without counting references:
    // - the stored entity, with its layout: the object has a reference of its own, or its registry keeps it (`ownsStoredEntity`);
    // - the context: it clears the pointer when it goes, so that never dangles while the object can be used;
    // - the registry, the identity map that has the object: it keeps itself alive while there is such an object, also when the
    //   context goes, so that an object may be released on any thread;
    // - the row: the object has a reference of its block.
    //
    // Objects are many: what only few have is in the attachment.

    @exclusivity(unchecked) private final var storedEntityPointer: Unmanaged<StoredEntity>
    /// The reference in the store; negative while temporary.
    @exclusivity(unchecked) package final var reference: Int64
    @exclusivity(unchecked) private(set) final var contextPointer: Unmanaged<NSManagedObjectContext>?
    @exclusivity(unchecked) private(set) final var registryPointer: Unmanaged<IdentityMap>?
    @exclusivity(unchecked) private(set) final var rowPointer: RowPointer?
    /// Set and decoded values by slot; empty until there is one.
    @exclusivity(unchecked) package final var values: ContiguousArray<SlotValue> = []
    /// The first word of `touched`.
    @exclusivity(unchecked) final var touchedLow: UInt64 = 0
    /// What few objects have: observers, changes of the current event, a source of the row that a fault waits for.
    @exclusivity(unchecked) final var attachment = ObjectAttachment.nothing
    /// Which of the first 32 slots had their strings read from the row; see `string(at:)`.
    @exclusivity(unchecked) final var stringsRead: UInt32 = 0
    @exclusivity(unchecked) package final var state: ObjectState = []
    @exclusivity(unchecked) private final var ownsStoredEntity: Bool

    /// Where the object is kept, or that it has no store yet.
    package final var storedEntity: StoredEntity {
        get { storedEntityPointer.takeUnretainedValue() }
        set {
            let former = storedEntityPointer
            storedEntityPointer = .passRetained(newValue)
            if ownsStoredEntity { former.release() }
            ownsStoredEntity = true
        }
    }

    @inline(__always)
    final var unretainedStoredEntity: Unmanaged<StoredEntity> { storedEntityPointer }

    package final var layout: EntityLayout { layoutPointer.takeUnretainedValue() }

    @inline(__always)
    final var layoutPointer: Unmanaged<EntityLayout> {
        storedEntityPointer._withUnsafeGuaranteedRef { $0.layoutPointer }
    }

    package final var context: NSManagedObjectContext? {
        get { contextPointer?.takeUnretainedValue() }
        set { contextPointer = newValue.map(Unmanaged.passUnretained) }
    }

    /// Makes the object one of a context, without counting references of that.
    @inline(__always)
    final func enter(_ context: Unmanaged<NSManagedObjectContext>) { contextPointer = context }

    /// The values last fetched or saved; nil for a fault whose row was not read yet and for a new object.
    package final var row: Row? {
        get { rowPointer?.row }
        set {
            let former = rowPointer
            if let newValue { _ = Unmanaged.passRetained(newValue.block) }
            rowPointer = newValue?.pointer
            if !attachment.isNothing { dropFaultSource() }
            former?.block.release()
        }
    }

    /// Has the row brought near.
    @inline(__always)
    final func approachRow() {
        guard let row = rowPointer else { return }
        coredata_prefetch(row.words)
        coredata_prefetch(row.words + 8)
    }

    /// Whether the object is in a context, without counting references of it.
    @inline(__always)
    final func isRegistered(in context: NSManagedObjectContext) -> Bool {
        contextPointer?.toOpaque() == Unmanaged.passUnretained(context).toOpaque()
    }

    /// Whether another object is in the same context, or both are in none, without counting references of it.
    @inline(__always)
    final func sharesContext(with other: NSManagedObject) -> Bool {
        contextPointer?.toOpaque() == other.contextPointer?.toOpaque()
    }

    /// Makes a new object, which the context is about to register, a fault of the context with a row, for which the caller counts a
    /// reference of the row's block.
    @inline(__always)
    final func becomeFault(of context: Unmanaged<NSManagedObjectContext>, countedRow row: RowPointer) {
        contextPointer = context
        assert(rowPointer == nil && faultSource == nil, "Only a new object has no row to release.")
        rowPointer = row
        state.insert(.fault)
    }

    /// Makes a new object, which the context is about to register, a fault of the context without a row.
    @inline(__always)
    final func becomeFault(of context: Unmanaged<NSManagedObjectContext>) {
        contextPointer = context
        assert(rowPointer == nil && faultSource == nil, "Only a new object has no row to release.")
        state.insert(.fault)
    }

    /// Notes the identity map that has the object and counts it, or that none has it any more.
    final func setRegistry(_ registry: Unmanaged<IdentityMap>?) {
        registryPointer = registry
        // What was kept by the former registry.
        if registry == nil { ownStoredEntity() }
    }

    /// Whether no store has the object, and an identity map has it.
    @inline(__always)
    final var isNewInRegistry: Bool {
        registryPointer != nil && storedEntityPointer._withUnsafeGuaranteedRef { $0.isTemporary }
    }

    /// Gives the object an entity binding that its registry keeps.
    ///
    /// - Returns: the former one, for the caller to release; nil if the object had no reference of it.
    @inline(__always)
    final func adopt(_ storedEntity: Unmanaged<StoredEntity>) -> Unmanaged<StoredEntity>? {
        assert(registryPointer != nil, "The registry keeps the entity binding.")
        let former = ownsStoredEntity ? storedEntityPointer : nil
        storedEntityPointer = storedEntity
        ownsStoredEntity = false
        return former
    }

    /// Whether the object keeps its stored entity itself.
    final var hasStoredEntity: Bool { ownsStoredEntity }

    /// Makes the object keep its stored entity itself.
    @inline(__always)
    final func ownStoredEntity() {
        guard !ownsStoredEntity else { return }
        _ = storedEntityPointer.retain()
        ownsStoredEntity = true
    }

    /// What each access of a slot needs.
    @inline(__always)
    final func traits(at slot: Int) -> SlotTraits {
        layoutPointer._withUnsafeGuaranteedRef { $0.traits[slot] }
    }

    /// Whether a set of slots takes more than one word.
    @inline(__always)
    final var hasManySlots: Bool { layoutPointer._withUnsafeGuaranteedRef { $0.hasManySlots } }

    @inline(__always)
    final var hasToManyRelationships: Bool {
        layoutPointer._withUnsafeGuaranteedRef { !$0.toManyIndexes.isEmpty }
    }

    @inline(__always)
    final var hasTransientDefaults: Bool {
        layoutPointer._withUnsafeGuaranteedRef { !$0.transientDefaults.isEmpty }
    }

    /// Makes the context, if any, check the queue, without counting references of it.
    @inline(__always)
    final func assertOnContextQueue() { contextPointer?._withUnsafeGuaranteedRef { $0.assertOnQueue() } }

    /// Whether the context, if there is one, takes a row as new enough; checks the queue.
    @inline(__always)
    final func isAcceptable(_ row: RowPointer) -> Bool {
        contextPointer?._withUnsafeGuaranteedRef { context in
            context.assertOnQueue()
            return context.accepts(row)
        } ?? false
    }

    /// Whether the object has links from one to one, without counting references of the layout.
    @inline(__always)
    final var hasPairs: Bool { layoutPointer._withUnsafeGuaranteedRef { !$0.pairIndexes.isEmpty } }

    /// The slot of a key's property.
    @inline(__always)
    final func slot<Value>(_ key: ManagedKey<Value>) -> Int {
        declaredSlot(key) ?? layoutPointer._withUnsafeGuaranteedRef { key.find(in: $0) }
    }

    /// The slot of a key's property, if the key has it already.
    @inline(__always)
    private final func declaredSlot<Value>(_ key: ManagedKey<Value>) -> Int? {
        storedEntityPointer._withUnsafeGuaranteedRef { key.indexIfKnown($0.declarations) }
    }

    /// The slot of a key's property, if its value can be read at once: the key has the slot, the object is not a fault, and the
    /// thread does not track. Debug builds check the queue.
    @inline(__always)
    final func readableSlot<Value>(_ key: ManagedKey<Value>) -> Int? {
        #if DEBUG
        assertOnContextQueue()
        #endif
        return state.contains(.fault) || coredata_may_be_tracking() ? nil : declaredSlot(key)
    }

    /// Makes an object of an entity and, with a context, inserts it there.
    ///
    /// A new object has its default values and, in a context, a temporary ID; then `awakeFromInsert()` runs.
    public required init(entity: NSEntityDescription, insertInto context: NSManagedObjectContext?) {
        reference = 0
        if context == nil, let claim = StoredEntity.claim(entity) {
            // The context instantiates an object for a row and sets the rest.
            storedEntityPointer = claim.storedEntity
            ownsStoredEntity = claim.isOwned
            super.init()
            if !claim.isOwned {
                // The context has this reference counted once for many objects, and uses it for the next one.
                _ = Unmanaged.passRetained(entity)
                StoredEntity.leaveReference()
            }
            return
        }
        if let known = context?.lastUnstoredEntity(entity) {
            storedEntityPointer = known.retain()
        } else {
            if entity.isAbstract {
                require(
                    context == nil, "Cannot insert an object of the abstract entity '\(entity.name ?? "")'.")
            }
            let layout = EntityLayout.layout(of: entity)
            storedEntityPointer = .passRetained(
                context?.unstoredEntity(layout) ?? StoredEntity(unstored: layout))
        }
        ownsStoredEntity = true
        super.init()
        reference = StoredEntity.newTemporaryReference()
        values = layoutPointer._withUnsafeGuaranteedRef { layout in
            layout.adopt(type(of: self) as NSManagedObject.Type)
            return layout.newValues()
        }
        context?.insertNew(self)
    }

    /// Makes an object of this class's entity in the context's model and inserts it.
    ///
    /// Required, so that generic code can write `Object(context: context)` as it can on Apple's platforms.
    public required convenience init(context moc: NSManagedObjectContext) {
        self.init(entity: moc.entity(for: type(of: self) as NSManagedObject.Type), insertInto: moc)
    }

    /// Makes an object of no entity, without properties.
    ///
    /// Apple's framework has the initializer of every `NSObject`, of which the documentation says not to call it. As there, the
    /// object is only a placeholder, and the call logs an error for a subclass.
    public override convenience init() {
        let type = Self.self as NSManagedObject.Type
        if type != NSManagedObject.self {
            Log.objects.error("Failed to call designated initializer on NSManagedObject class '\(type)'")
        }
        let entity = NSEntityDescription()
        self.init(entity: entity, insertInto: nil)
        withExtendedLifetime(entity) {}
    }

    deinit {
        if registryPointer != nil {
            // The context may be going at the same time, on another thread.
            contextPointer = nil
            announceEnd()
            if !isFault {
                willTurnIntoFault()
                releaseValues()
                state.insert(.fault)
                didTurnIntoFault()
            }
        }
        releaseValues()
        if let rowPointer {
            rowPointer.approachNext()
            rowPointer.block.release()
        }
        if let registryPointer {
            // Last, since the registry may keep the stored entity, and go with its last object.
            let isLast = registryPointer._withUnsafeGuaranteedRef { $0.forgetReleased(self) }
            if isLast { registryPointer.release() }
        }
        if ownsStoredEntity { storedEntityPointer.release() }
    }

    /// Notifies a store that wants to know, before the hooks of this object can make another one of the same identity.
    private final func announceEnd() {
        guard storedEntityPointer._withUnsafeGuaranteedRef({ $0.notifiesStore }) else { return }
        registryPointer?._withUnsafeGuaranteedRef { $0.announceEnd(of: self) }
    }

    @inline(__always)
    private final func releaseValues() {
        if !values.isEmpty { ReleaseQueue.release(&values, layout) }
    }

    // MARK: Identity

    // Sets of objects hash this again.
    public final override var hash: Int { Int(bitPattern: ObjectIdentifier(self)) >> 4 }

    public final override func isEqual(_ object: Any?) -> Bool {
        // Sets of objects compare those with close hashes.
        firstWord(of: object) == UInt(bitPattern: Unmanaged.passUnretained(self).toOpaque())
            && object as AnyObject? === self
    }

    open override var description: String {
        let name = entity.name ?? ""
        let id = objectID.uriRepresentation().absoluteString
        guard !isFault, context != nil || row != nil else {
            return "<\(type(of: self))> (entity: \(name); id: \(id); data: <fault>)"
        }
        let data = layout.slots.indices.map { "    \(layout.slots[$0].name) = \(describeValue(at: $0));" }
        return "<\(type(of: self))> (entity: \(name); id: \(id); data: {\n\(data.joined(separator: "\n"))\n})"
    }

    /// The entity of this class, in the model that came into use last. Of a class that no model in use names, an entity without
    /// a name.
    ///
    /// A class whose entity is made in code may override it. `init(context:)` then takes the entity of that name in the
    /// context's model, where none names the class.
    open class func entity() -> NSEntityDescription {
        EntitySources.entity(for: self) ?? NSEntityDescription()
    }

    // MARK: Hooks

    /// Called once, when the object was inserted for the first time. Set values by primitive setters here, so that
    /// they are the baseline and not changes.
    open func awakeFromInsert() {}

    /// Called after the values were loaded. Setting values here does not mark the object as changed.
    open func awakeFromFetch() {}

    /// Called after undo, redo, rollback or refresh has restored values.
    open func awake(fromSnapshotEvents flags: NSSnapshotEventType) {}

    /// Called when the object is about to be deleted, before delete rules are applied.
    open func prepareForDeletion() {}

    /// Called before the save of a context in which the object was inserted, changed or deleted. Changes made here
    /// are part of the save, and the method is called again for them.
    open func willSave() {}

    /// Called after such a save.
    open func didSave() {}

    /// Called before the object discards its values: it becomes a fault, leaves its context, or is released. A released object
    /// no longer has a context, and the call is on the thread that released it.
    open func willTurnIntoFault() {}

    /// Called after the object has discarded its values, transient ones included.
    open func didTurnIntoFault() {}

    /// Whether a context ignores changes of properties outside the model; true by default. If it is false,
    /// `didChangeValue(forKey:)` with such a property marks the object as updated.
    open class var contextShouldIgnoreUnmodeledPropertyChanges: Bool { true }

    // MARK: Key-value coding; the rules are in NSManagedObject+KeyValueCoding.swift

    /// The value of a property by name: through the class's own accessor when it registered one, else as stored.
    open func value(forKey key: String) -> Any? { codedValue(forKey: key) }

    /// Sets a property by name, as its accessor would.
    open func setValue(_ value: Any?, forKey key: String) { setCodedValue(value, forKey: key) }

    /// Called for a key that the entity does not have. Stops with a message unless overridden.
    open func value(forUndefinedKey key: String) -> Any? {
        let message = unknownKeyMessage(key)
        if UnknownKeys.note(message) { return nil }
        fatalError(message)
    }

    /// Called when a key is set that the entity does not have. Stops with a message unless overridden.
    open func setValue(_ value: Any?, forUndefinedKey key: String) {
        fatalError(unknownKeyMessage(key))
    }

    /// Called when `setValue(_:forKey:)` gives nil to an accessor of the class's own whose type is not optional, such as `Int`.
    /// Stops with a message unless overridden.
    open func setNilValueForKey(_ key: String) {
        fatalError(
            "[\(type(of: self)) setNilValueForKey]: could not set nil as the value for the key \(key): its type has no nil."
        )
    }

    /// The observers of the object by key; nil without any.
    public final var observationCenter: ObservationCenter? {
        get { extras?.observers }
        set { if newValue != nil || extras != nil { madeExtras.observers = newValue } }
    }

    /// What an override of `setObservationInfo(_:)` or its caller has kept; nil when nothing was set.
    ///
    /// Apple's framework keeps its observers behind this pointer. Here they are in `observationCenter`; the pointer is for
    /// code that keeps something of its own there.
    open func observationInfo() -> UnsafeMutableRawPointer? { extras?.observationInfo }

    /// Keeps a pointer for `observationInfo()`; the caller owns what it points to.
    open func setObservationInfo(_ inObservationInfo: UnsafeMutableRawPointer?) {
        if inObservationInfo != nil || extras != nil { madeExtras.observationInfo = inObservationInfo }
    }

    /// Announces that a property will be read: loads the object's values.
    open func willAccessValue(forKey key: String?) {
        beginAccess(key)
        fireWithoutContext()
    }

    /// Ends what `willAccessValue(forKey:)` began.
    open func didAccessValue(forKey key: String?) {}

    /// Announces that a property will be set by its primitive accessor.
    open func willChangeValue(forKey key: String) { beginChange(key) }

    /// Ends what `willChangeValue(forKey:)` began: notes the change, sets inverses, notifies observers.
    open func didChangeValue(forKey key: String) { endChange(key) }

    // MARK: Validation; the rules are in Validation/

    /// Checks the values before the object's first save.
    ///
    /// - Throws: a validation error (1550–1690), or 1560 with several under `NSDetailedErrorsKey`.
    open func validateForInsert() throws { try validateProperties(event: .insert) }

    /// Checks the values before a changed object is saved.
    ///
    /// - Throws: as `validateForInsert()`.
    open func validateForUpdate() throws { try validateProperties(event: .update) }

    /// Checks whether the object may be deleted.
    ///
    /// - Throws: 1600 when a relationship with the rule Deny has destinations.
    open func validateForDelete() throws { try validateDeletion() }

    /// Checks one value, and may replace it: the model's constraints, then the class's own `validate<Key>` method if
    /// it is registered.
    ///
    /// Apple's signature takes a pointer to an object; here the value is passed `inout`. Rules of your own go into
    /// `validate<Key>(_:)` methods, which the class macro registers, or into an override of this method that calls
    /// `super`.
    ///
    /// - Throws: a validation error.
    open func validateValue(_ value: inout Any?, forKey key: String) throws {
        try validateModelConstraints(&value, forKey: key)
        let validators = ClassProperties.of(self).validators
        if !validators.isEmpty { try validators[key]?.check(self, &value) }
    }

    /// The keys whose change changes the value of `key`: what the class's
    /// `keyPathsForValuesAffecting<Key>` says, when the class macro found one.
    open class func keyPathsForValuesAffectingValue(forKey key: String) -> Set<String> {
        registeredDependencies[key] ?? []
    }

    /// Properties that can be reached by name and by key path, own accessors included. The class macro writes it;
    /// a class without the macro may override it, and add to what `super` has: the properties that the model plugin
    /// generated for this very class.
    open class var managedProperties: [ManagedProperty] {
        EmbeddedModels.propertyKeys(of: self).map { .generated($0.key, $0.keyPath) }
    }

    /// For each key, the keys that its value depends on. The class macro writes it from the class's
    /// `keyPathsForValuesAffecting<Key>()` methods.
    open class var registeredDependencies: [String: Set<String>] { [:] }

    /// For each key, the class's own check of its values. The class macro writes it from the class's
    /// `validate<Key>(_:)` methods.
    open class var registeredValidators: [String: ManagedValidator] { [:] }
}
