import CocoaFoundation
import Foundation
import ManagedObjectModel

/// A context for work with managed objects: it keeps one object for each identity, tracks changes, and saves them.
///
/// ```swift
/// let context = container.newBackgroundContext()
/// try await context.perform {
///     let book = Book(context: context)
///     book.title = "Emma"
///     try context.save()
/// }
/// ```
///
/// Use one context for the user interface (`NSPersistentContainer.viewContext`), and one for each task in the background. Changes are
/// seen by no other context until `save()`. A save writes all of them, in one transaction for each store, or throws; after an error the
/// objects still have their unsaved changes. What happens when another context has saved the same objects meanwhile is decided by the
/// `mergePolicy`; by default the save throws. Set `automaticallyMergesChangesFromParent` to see what others save.
///
/// A context with a `parent` saves into that context instead of a store, which is right for edits that may be discarded.
///
/// A context is used on its own queue only: inside `perform(_:)`, `performAndWait(_:)`, or, for the main-queue context, on the main
/// thread. Debug builds check it. It keeps unsaved objects alive, and others only while the program uses them.
///
/// The context coordinates parts that each do one thing: `IdentityMap` (which object has which identity), `ChangeTracker` (what
/// changed), `UndoRecorder` (how to undo it), `SaveSession` (the running save), `ContextListeners` (its followers).
open class NSManagedObjectContext: NSObject, @unchecked Sendable {
    package let identityMap = IdentityMap()
    let observationProbe = ObservationProbe()
    let contextQueue: ContextQueue
    /// Whether uses outside of the queue stop the program: a copy, since each access of a value would check whether the constant has
    /// been initialised.
    let checksQueue = ConcurrencyDebugging.isOn

    /// The kind of queue that the context is confined to.
    public let concurrencyType: NSManagedObjectContextConcurrencyType

    // The context is used on one queue only, which the compiler's checks of accesses at run time cannot know; they would cost
    // as much as the accesses.

    /// The unsaved changes.
    @exclusivity(unchecked) final var tracker = ChangeTracker()
    /// The state of the running save, and of the next one.
    @exclusivity(unchecked) final var session = SaveSession()
    /// The followers of the context's changes: results controllers.
    let listeners = ContextListeners()

    let undoRecorder = UndoRecorder()
    /// Keeps all registered objects, if requested.
    @exclusivity(unchecked) final var retained: [ObjectIdentifier: NSManagedObject]?
    /// The context that this one reads from and saves to; nil for one that works on a coordinator.
    private(set) final var parentContext: NSManagedObjectContext?
    /// The list that the contexts below this one share with it when this one is at the top. They read it from their own queues, so it
    /// is never assigned.
    private let ownIdentities = PermanentIdentities()
    /// The context's part of its family's IDs.
    @exclusivity(unchecked) final var family = FamilyIdentities()
    /// The contexts below this one that merge what it saves.
    let childSubscribers = SaveSubscribers()
    /// The entity bindings of new objects until they are saved.
    @exclusivity(unchecked) private final var unstored = UnstoredEntities()
    private var coordinator: NSPersistentStoreCoordinator?
    /// The merge policy; nil for the one that fails. See `Saving/Conflicts`.
    final var policy: AnyObject?
    /// The generation of the stores that is read; nil for what they hold at any time. See Generations/.
    final var generation: NSQueryGenerationToken?

    /// Makes a context with a queue of its own, or one for the main queue.
    public init(concurrencyType ct: NSManagedObjectContextConcurrencyType) {
        require(
            ct.rawValue != 0,
            "Confinement contexts are not supported; use a private-queue context and performAndWait(_:).")
        concurrencyType = ct
        contextQueue = ContextQueue(main: ct == .mainQueueConcurrencyType)
        super.init()
        contextQueue.owner = self
    }

    /// Makes a context with a queue of its own, or one for the main queue.
    public convenience init(_ type: ConcurrencyType) { self.init(concurrencyType: type.rawValue) }

    deinit {
        subscribersAbove?.remove(self)
        // Breaks the cycles of objects, which hold each other through relationships.
        var notified: [(storedEntity: StoredEntity, reference: Int64)] = []
        ReleaseQueue.sharing { releaseValues in
            for object in identityMap.all {
                object.context = nil
                object.turnIntoFault(keeping: nil)
                releaseValues()
                identityMap.disown(object)
                if object.storedEntity.notifiesStore {
                    notified.append((object.storedEntity, object.reference))
                }
            }
        }
        StoredEntity.noteUnregistered(notified)
    }

    /// The context that this one reads from and saves to, in place of a coordinator. Set it once, before the context is
    /// used.
    ///
    /// A child sees its parent's objects with their unsaved changes. Its `save()` applies its own changes to the parent; they
    /// are stored when the context at the top of the chain saves. The child keeps its parent alive.
    ///
    /// Stops with a message when the context has a coordinator, another parent or objects, and when the new parent is
    /// the context itself or one below it.
    public var parent: NSManagedObjectContext? {
        get { parentContext }
        set {
            guard newValue !== parentContext else { return }
            require(
                coordinator == nil,
                "A context works on a coordinator or on a parent: this one has a coordinator already.")
            require(
                parentContext == nil && identityMap.all.isEmpty,
                "The parent of a context cannot be changed once it has one, or has objects.")
            guard let newValue else { return }
            require(
                !sequence(first: newValue, next: \.parentContext).contains { $0 === self },
                "A context cannot be its own parent or ancestor.")
            parentContext = newValue
            generation = nil
            identities.share()
            family.adoptedCount = identities.count
            if automaticallyMergesChangesFromParent { subscribersAbove?.add(self) }
        }
    }

    /// The permanent IDs that objects of this context's family have got.
    final var identities: PermanentIdentities {
        guard let parentContext else { return ownIdentities }
        return parentContext.identities
    }

    /// The subscribers to saves in the parent or coordinator of this context.
    final var subscribersAbove: SaveSubscribers? {
        parentContext?.childSubscribers ?? coordinator?.subscribers
    }

    /// The coordinator whose stores the context reads and writes; of a context with a parent, that of the context at the
    /// top. Set it once, before the context is used, and not for a context with a parent.
    public var persistentStoreCoordinator: NSPersistentStoreCoordinator? {
        get {
            guard let parentContext else { return coordinator }
            return parentContext.persistentStoreCoordinator
        }
        set {
            require(
                parentContext == nil,
                "A context works on a coordinator or on a parent: this one has a parent already.")
            require(
                coordinator == nil || coordinator === newValue || identityMap.all.isEmpty,
                "The coordinator of a context cannot be changed once it has objects.")
            coordinator?.subscribers.remove(self)
            coordinator = newValue
            unstored = UnstoredEntities()
            if automaticallyMergesChangesFromParent { newValue?.subscribers.add(self) }
        }
    }

    /// The undo manager that changes are registered with; nil, the default, records none.
    public var undoManager: UndoManager? {
        get { undoRecorder.manager }
        set { undoRecorder.record(with: newValue, for: self) }
    }

    /// A name for logs and history.
    public var name: String?

    /// The author of the transactions that the context saves.
    public var transactionAuthor: String?

    /// The bytes that the strings and data of one object may take together when it is saved.
    package var rowByteLimit = RowBuilder.maxBytes

    /// A dictionary for the application's own use.
    public let userInfo = NSMutableDictionary()

    /// Whether delete rules are applied at the end of each event (the default) or only at save.
    public var propagatesDeletesAtEndOfEvent = true

    /// Whether an object whose row is gone becomes a deleted one (the default); otherwise reading it stops.
    public var shouldDeleteInaccessibleFaults = true

    /// How old cached values may be when a fault is loaded, in seconds; negative, the default, for any age.
    @exclusivity(unchecked) public var stalenessInterval: TimeInterval = -1

    /// Whether the context merges what others save to its coordinator or, with a parent, to the parent: other children,
    /// when they save, and the parent itself, when it saves. False by default.
    ///
    /// The merge is a later event of its own on this context's queue.
    public var automaticallyMergesChangesFromParent = false {
        didSet {
            if automaticallyMergesChangesFromParent {
                subscribersAbove?.add(self)
            } else {
                subscribersAbove?.remove(self)
            }
        }
    }

    /// Whether the context keeps every registered object; by default it keeps only those with changes.
    public var retainsRegisteredObjects = false {
        didSet {
            guard retainsRegisteredObjects != oldValue else { return }
            retained =
                retainsRegisteredObjects
                ? Dictionary(
                    identityMap.all.map { (ObjectIdentifier($0), $0) }, uniquingKeysWith: { a, _ in a })
                : nil
        }
    }

    /// Whether a fault whose row does not exist becomes a deleted object. Override it to decide case by case.
    open func shouldHandleInaccessibleFault(
        _ fault: NSManagedObject, for oid: NSManagedObjectID,
        triggeredByProperty property: NSPropertyDescription?
    ) -> Bool {
        shouldDeleteInaccessibleFaults
    }

    /// Notes a change of one of its objects without its accessors: by a primitive one, or in place. The object counts as
    /// changed then.
    ///
    /// Does nothing for other objects, and for keys that the model does not have. Apple's framework calls it as the observer of
    /// its objects; here objects notify their context themselves.
    open func observeValue(
        forKeyPath keyPath: String?, of object: Any?, change: [String: Any]?,
        context: UnsafeMutableRawPointer?
    ) {
        assertOnQueue()
        guard let object = object as? NSManagedObject, object.context === self, let keyPath,
            object.layout.index(of: keyPath) != nil
        else { return }
        object.fireFault()
        object.markChanged()
    }

    /// Writes all changes to the stores or, with a parent, applies them to the parent.
    ///
    /// Every object with changes gets `willSave()` and is validated before anything is written; the write is one
    /// transaction a store.
    ///
    /// The parent gets new objects with all values, deletions, and of changed objects the properties that were changed
    /// here, transient ones too; for these the child's values win over what the parent has. There they are changes to
    /// save and to undo, and `NSManagedObjectContextObjectsDidChange` reports them; `awakeFromInsert()` and
    /// `prepareForDeletion()` have run here and do not run again.
    /// An object that the parent has deleted meanwhile is a conflict for this context's merge policy. New objects keep
    /// their temporary IDs until the context at the top saves.
    ///
    /// - Throws: a validation error (1550–1690), 1560 for several; 133020 when rows changed since they were read and
    ///   the merge policy does not resolve that; an error of the store. Context and store are then as before.
    open func save() throws { try saveChanges() }

    // MARK: Entities

    /// The entity binding of new objects of an entity until they are saved.
    func unstoredEntity(_ layout: EntityLayout) -> StoredEntity { unstored.entity(layout) }

    /// The same, if the last new object was of the entity; nil for any other. The context keeps it.
    @inline(__always)
    func lastUnstoredEntity(_ entity: NSEntityDescription) -> Unmanaged<StoredEntity>? {
        unstored.lastEntity(entity)
    }

    /// The entity of a class in this context's model.
    func entity(for type: NSManagedObject.Type) -> NSEntityDescription {
        if let known = unstored.entity(of: type) { return known }
        guard let coordinator = persistentStoreCoordinator else {
            fatalError(
                "The context has no persistent store coordinator, so no model to find \(type) in.")
        }
        let named = { type.entity().name.flatMap { coordinator.managedObjectModel.entitiesByName[$0] } }
        guard let entity = coordinator.entity(for: type) ?? named() else {
            fatalError(
                """
                No entity of the model names the class \(type). Check the class name in the model, and that the class is \
                found: NSManagedObjectModel.register(_:).
                """)
        }
        // The coordinator of a parent may still change, without notice here.
        if parentContext == nil { unstored.note(entity, of: type) }
        return entity
    }

    // MARK: Registered objects

    /// All objects that the context knows and that are alive.
    public var registeredObjects: Set<NSManagedObject> { Set(identityMap.all) }

    /// Objects that were inserted and not saved yet.
    public var insertedObjects: Set<NSManagedObject> { Set(tracker.inserted.all) }

    /// Objects that have changes to save.
    public var updatedObjects: Set<NSManagedObject> {
        Set(tracker.updated.all.filter { !$0.isInserted && !$0.isDeleted })
    }

    /// Objects that the next save deletes.
    public var deletedObjects: Set<NSManagedObject> { Set(tracker.deleted.all) }

    /// Whether there is anything to save, changed transient properties included.
    public var hasChanges: Bool {
        assertOnQueue()
        return tracker.hasChanges
    }
}
