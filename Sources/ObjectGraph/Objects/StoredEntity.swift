import CSwiftRuntime
import CocoaFoundation
import Foundation
import ManagedObjectModel
import Synchronization

/// An entity in one store, or in no store yet: a part of the identity of an object.
///
/// Objects and object IDs keep it, and with it the entity, its model and its layout, alive; the store itself is
/// not retained.
package final class StoredEntity: @unchecked Sendable {
    package let layout: EntityLayout
    /// The same, to be read without counting references.
    let layoutPointer: Unmanaged<EntityLayout>
    /// Those of the layout, which every access of a property reads.
    let declarations: Declarations
    package let entity: NSEntityDescription
    private let model: NSManagedObjectModel?
    private let attachment = Mutex(Attachment())
    /// The number of the entity in the store (`Z_ENT`); 0 without a store.
    package let entityNumber: Int32
    /// Identifies the root entity's table of this store in this process; 0 for objects without a store.
    package let table: UInt32
    /// The class of the objects, if it is not the entity's current one.
    private let fixedClass: NSManagedObject.Type?
    /// Whether the store is notified which objects contexts have.
    let notifiesStore: Bool

    private struct Attachment: Sendable {
        weak var store: NSPersistentStore?
        /// The same as what a context needs, found once: each fault would repeat the cast.
        weak var objectStore: (any ObjectStore)?

        mutating func set(_ store: NSPersistentStore) {
            self.store = store
            objectStore = store as? any ObjectStore
        }
    }

    /// The store; nil when it is gone.
    package var store: NSPersistentStore? { attachment.withLock { $0.store } }

    /// The store as a context uses it; nil when it is gone.
    package var objectStore: (any ObjectStore)? { attachment.withLock { $0.objectStore } }

    /// Moves all objects and IDs of this entity to another store, which has the same rows.
    package func move(to store: NSPersistentStore) { attachment.withLock { $0.set(store) } }

    package var isTemporary: Bool { table == 0 }

    /// The binding of objects without a store.
    package init(unstored layout: EntityLayout) {
        self.layout = layout
        layoutPointer = .passUnretained(layout)
        declarations = layout.declarations
        entity = layout.entity
        model = entity.model
        entityNumber = 0
        table = 0
        notifiesStore = false
        fixedClass = nil
    }

    package init(layout: EntityLayout, store: NSPersistentStore, entityNumber: Int32, table: UInt32) {
        self.layout = layout
        layoutPointer = .passUnretained(layout)
        declarations = layout.declarations
        entity = layout.entity
        model = entity.model
        attachment.withLock { $0.set(store) }
        self.entityNumber = entityNumber
        self.table = table
        notifiesStore = store.followsObjects
        let isPlain = store.persistentStoreCoordinator?.makesPlainObjects ?? false
        fixedClass = isPlain ? NSManagedObject.self : nil
    }

    /// Notifies stores that a context has objects from now on: each store once.
    static func noteRegistered(_ objects: [(storedEntity: StoredEntity, reference: Int64)]) {
        for (store, ids) in byStore(objects) { store.noteRegistered(ids) }
    }

    /// Notifies stores that a context no longer has objects: each store once.
    static func noteUnregistered(_ objects: [(storedEntity: StoredEntity, reference: Int64)]) {
        for (store, ids) in byStore(objects) { store.noteUnregistered(ids) }
    }

    private static func byStore(
        _ objects: [(storedEntity: StoredEntity, reference: Int64)]
    ) -> [(NSPersistentStore, [NSManagedObjectID])] {
        var found: [(store: NSPersistentStore, ids: [NSManagedObjectID])] = []
        for (storedEntity, reference) in objects {
            guard let store = storedEntity.store else { continue }
            let id = NSManagedObjectID(storedEntity: storedEntity, reference: reference)
            if let attachment = found.lastIndex(where: { $0.store === store }) {
                found[attachment].ids.append(id)
            } else {
                found.append((store, [id]))
            }
        }
        return found
    }

    private static let lastTable = Atomic<UInt32>(0)

    /// A table number that no store in this process has.
    package static func newTable() -> UInt32 { lastTable.add(1, ordering: .relaxed).newValue }

    private static let lastTemporaryReference = Atomic<Int64>(0)

    /// A reference for a new object; negative, so that it never meets one of a store.
    package static func newTemporaryReference() -> Int64 {
        lastTemporaryReference.subtract(1, ordering: .relaxed).newValue
    }
}

extension StoredEntity {
    /// The entity binding that this thread's context is making an object for, and whether the object that claims it has got a reference
    /// of it; nil for an object of another entity, which is new.
    ///
    /// An initialiser of a subclass has only Apple's two parameters; this is how it learns that the object is not new. The first
    /// object gets no reference: the code that makes it cares for that.
    @inline(__always)
    static func claim(_ entity: NSEntityDescription) -> (
        storedEntity: Unmanaged<StoredEntity>, isOwned: Bool
    )? {
        guard let pointer = coredata_instantiating() else { return nil }
        let storedEntity = Unmanaged<StoredEntity>.fromOpaque(pointer)
        guard storedEntity._withUnsafeGuaranteedRef({ $0.entity === entity }) else { return nil }
        // A subclass's initialiser may make others, before or after the one that it is called for.
        let isOwned = coredata_claim_instantiating()
        return (isOwned ? storedEntity.retain() : storedEntity, isOwned)
    }

    /// Notes that an object has left its reference of the entity to the code that makes it.
    @inline(__always)
    static func leaveReference() { coredata_leave_reference() }

    /// Makes an object of this entity for a row of a store, without inserting it anywhere.
    func instantiate(reference: Int64) -> NSManagedObject {
        let object = instantiateUnowned(reference: reference)
        object.ownStoredEntity()
        return object
    }

    /// Makes an object of this entity for a row of a store, which has no reference of the entity binding: until an identity map that
    /// keeps the binding has registered the object, the caller keeps both.
    func instantiateUnowned(reference: Int64) -> NSManagedObject {
        let entityReference = Unmanaged.passRetained(entity)
        let object = instantiate(objectClass, reference, entityReference)
        entityReference.release()
        return object
    }

    /// The class of the objects.
    var objectClass: NSManagedObject.Type { fixedClass ?? layout.objectClass }

    /// As `instantiateUnowned(reference:)`, many times.
    ///
    /// An initialiser gets a reference of the entity that it gives back, in memory that all contexts on all threads count in. The
    /// object leaves it to the caller, who therefore counts one for all objects.
    ///
    /// - Parameters:
    ///   - objectClass: that of the objects.
    ///   - entityReference: the entity, with a reference that the caller has before and afterwards.
    @inline(__always)
    func instantiate(
        _ objectClass: NSManagedObject.Type, _ reference: Int64,
        _ entityReference: Unmanaged<NSEntityDescription>
    ) -> NSManagedObject {
        let outer = coredata_begin_instantiating(Unmanaged.passUnretained(self).toOpaque())
        let object = objectClass.init(entity: entityReference.takeRetainedValue(), insertInto: nil)
        // One of another entity has given it back.
        if !coredata_end_instantiating(outer) { _ = entityReference.retain() }
        if object.hasStoredEntity { keepForUnknownObject() }
        object.reference = reference
        return object
    }

    /// Keeps the binding for as long as the program runs, for an object that an initialiser has made before its own and that has
    /// no reference of it.
    private func keepForUnknownObject() { _ = Unmanaged.passRetained(self) }
}

/// The identity of an object in this process, as two numbers.
package struct ObjectKey: Hashable, Sendable {
    package let table: UInt32
    package let reference: Int64

    package init(table: UInt32, reference: Int64) {
        self.table = table
        self.reference = reference
    }
}

extension ObjectKey: OrderedIdentity {
    /// Keys of a store by their numbers; then those of new objects, whose numbers count down from -1, in the order in
    /// which these were made.
    package func order(_ other: ObjectKey) -> ComparisonResult {
        if self == other { return .orderedSame }
        let isFirst: Bool
        if table != other.table {
            isFirst = other.table == 0 || table != 0 && table < other.table
        } else {
            isFirst = table == 0 ? reference > other.reference : reference < other.reference
        }
        return isFirst ? .orderedAscending : .orderedDescending
    }
}
