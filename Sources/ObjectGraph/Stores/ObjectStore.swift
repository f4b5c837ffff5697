import Foundation
import ManagedObjectModel

/// What a context needs of a store. Calls come from the queues of any context, several at once.
package protocol ObjectStore: StoreKind {
    /// Opens the store, or makes it, for the entities of a model.
    ///
    /// - Parameter old: a store of the same model whose objects this one adopts, by the same references.
    /// - Throws: see `NSPersistentStoreCoordinator.addPersistentStore(ofType:configurationName:at:options:)`; what is
    ///   stored is as it was.
    func open(model: NSManagedObjectModel, inPlaceOf old: (any ObjectStore)?) throws

    /// Whether a fetch returns rows. Otherwise it returns keys, and rows are requested one by one.
    var fetchesRows: Bool { get }
    /// Whether nothing but saves of this process changes what an open store has: it is in memory.
    var isChangedBySavesAlone: Bool { get }
    /// Whether new objects must have their references before they are saved.
    var needsReferencesBeforeSaving: Bool { get }

    /// Whether a save may read the values of the objects in a unit of work. A store that writes rows alone does not.
    var readsObjectsOfSaves: Bool { get }

    /// The objects that a query finds, as rows; includes no unsaved changes.
    func rows(for query: FetchQuery) throws -> RowList
    /// The primary keys that a query finds, with the numbers of their entities.
    func keys(for query: FetchQuery) throws -> [(entityNumber: Int32, reference: Int64)]
    /// How many objects a query finds.
    func count(for query: FetchQuery) throws -> Int
    /// The dictionaries that a query for properties finds.
    func dictionaries(for query: FetchQuery) throws -> [[String: Any]]

    /// The objects that a query finds, as rows in which only some properties have their values; nil where rows are always whole.
    func partialRows(for query: FetchQuery, _ slots: PropertySet) throws -> RowList?
    /// The identities of the objects that a query finds.
    func identities(for query: FetchQuery) throws -> IdentityList
    /// A fetch that any thread may execute; nil for one that is to be executed on the queue of its context.
    ///
    /// - Throws: 134060 for a condition that the store does not support.
    func prepared(_ query: FetchQuery) throws -> (any PreparedFetch)?
    /// What changes whenever something is saved to the store; nil where that is not known.
    var rowState: RowCache.State? { get }
    /// Whether the row of an object is in memory.
    func hasCachedRow(_ key: ObjectKey) -> Bool
    /// The store as it is now, to be read later; nil when it keeps no generations.
    ///
    /// - Throws: an error of the database.
    func makeGeneration() throws -> (any StoreGeneration)?

    /// The row of one object, from the cache unless it is older than `notBefore` (seconds since 2001); nil when
    /// there is no such row.
    func row(
        of storedEntity: StoredEntity, _ reference: Int64, notBefore: Double, for reader: StoreReader
    ) throws -> Row?
    /// The row of one object as the store is now, if it is cached and not older than `notBefore`; nil otherwise, or where the store
    /// keeps no rows.
    func cachedRow(of storedEntity: StoredEntity, _ reference: Int64, notBefore: Double) -> Row?
    /// Has the cached rows of objects of a table brought near, which may be read soon.
    func approachCachedRows(_ table: UInt32, _ keys: [(entityNumber: Int32, reference: Int64)])
    /// Drops a row from the cache, because others have changed it.
    func forgetRow(_ key: ObjectKey)

    /// External data that is not in its row, by the name that the row has for it. Only some stores keep any so.
    ///
    /// - Throws: 134060 when there is none, or it cannot be read.
    func externalData(named name: String) throws -> Data
    /// The destinations of a to-many relationship for each owner that has any, in order when it is ordered.
    func destinations(
        of relationship: NSRelationshipDescription, storedEntity: StoredEntity, owners: [Int64],
        for reader: StoreReader
    ) throws -> [Int64: [(entityNumber: Int32, reference: Int64)]]

    /// The rows that a to-many relationship leads to from any of its owners, where these rows have their owners' keys; nil
    /// where they have none or keep an order.
    func destinationRows(
        of relationship: NSRelationshipDescription, owners: [Int64], for reader: StoreReader
    ) throws -> RowList?

    /// References for new objects, one for each, entity by entity. They are not used again.
    func newReferences(for groups: [NewObjects]) throws -> [[Int64]]
    /// Makes the store find objects of another one by their references there.
    func keepReferences(of objects: [NSManagedObject]) throws
    /// Makes the first save create the store's file, which must not exist by then.
    ///
    /// - Parameter model: a file whose mode and owner the new one gets.
    func makesFile(like model: URL?)
    /// Writes a unit of work in one transaction, or throws and leaves the store as it was.
    ///
    /// - Throws: `SaveConflicts` when rows changed since they were read, else `ConstraintViolations` when objects share
    ///   values that may be there once, else `DanglingLinks` when others linked to what is deleted or deleted what is
    ///   linked to.
    func save(_ unit: UnitOfWork) throws -> SaveOutcome
    /// Writes new objects, for which `unit` has the references and the times of last saves, into a store that has none.
    func fill(with unit: UnitOfWork) throws
    /// Writes the metadata if they were set since they were written.
    func saveMetadata() throws
    /// Notes a save without changes, which writes the metadata too.
    func saveNothing(for client: any StoreClient) throws

    /// A copy of all that the store has, open at another URL in its place; nil for a kind of stores whose objects must be copied one
    /// by one.
    ///
    /// - Throws: see `NSPersistentStoreCoordinator.migratePersistentStore(_:to:options:withType:)`.
    func copied(
        to url: URL, _ options: [AnyHashable: Any]?, for coordinator: NSPersistentStoreCoordinator
    ) throws -> (any ObjectStore)?
    /// - Throws: 134070 when the caller is called from inside of a read or write of the store, which closing would wait for.
    func checkIsUnused(to action: String) throws

    /// Whether the store has a persistent history that its successor adopts.
    var keepsHistory: Bool { get }
    /// Adopts the history of the store that this one was migrated from.
    ///
    /// - Throws: an error of the database; 134020 for values of deleted objects that cannot be kept.
    func adoptHistory(of source: any ObjectStore, _ keeping: HistoryKeeping) throws
}

extension ObjectStore {
    package var fetchesRows: Bool { true }
    package var isChangedBySavesAlone: Bool { false }
    package var needsReferencesBeforeSaving: Bool { false }

    package var readsObjectsOfSaves: Bool { true }

    package func externalData(named name: String) throws -> Data { throw ExternalData.namesNoFile }

    package func partialRows(for query: FetchQuery, _ slots: PropertySet) throws -> RowList? { nil }

    package func identities(for query: FetchQuery) throws -> IdentityList {
        var list = IdentityList()
        for key in try keys(for: query) {
            if let storedEntity = storedEntity(number: key.entityNumber) {
                list.append(storedEntity, key.reference)
            }
        }
        return list
    }

    package func prepared(_ query: FetchQuery) throws -> (any PreparedFetch)? { nil }
    package var rowState: RowCache.State? { nil }
    package func hasCachedRow(_ key: ObjectKey) -> Bool { false }

    package func cachedRow(of storedEntity: StoredEntity, _ reference: Int64, notBefore: Double) -> Row? {
        nil
    }

    package func approachCachedRows(_ table: UInt32, _ keys: [(entityNumber: Int32, reference: Int64)]) {}
    package func makeGeneration() throws -> (any StoreGeneration)? { nil }
    package func saveNothing(for client: any StoreClient) throws { try saveMetadata() }
    package func keepReferences(of objects: [NSManagedObject]) throws {}
    package func makesFile(like model: URL?) {}
    package func fill(with unit: UnitOfWork) throws { _ = try save(unit) }

    package func copied(
        to url: URL, _ options: [AnyHashable: Any]?, for coordinator: NSPersistentStoreCoordinator
    ) throws -> (any ObjectStore)? { nil }

    package func checkIsUnused(to action: String) throws {}
    package var keepsHistory: Bool { false }
    package func adoptHistory(of source: any ObjectStore, _ keeping: HistoryKeeping) throws {}

    package func destinationRows(
        of relationship: NSRelationshipDescription, owners: [Int64], for reader: StoreReader
    ) throws -> RowList? { nil }
}

/// New objects of one entity.
package struct NewObjects {
    package let storedEntity: StoredEntity
    package let objects: [NSManagedObject]
}

/// A fetch request as a store executes it: resolved against the model, without pending changes.
package struct FetchQuery {
    package let storedEntity: StoredEntity
    package var includesSubentities = true
    package var predicate: NSPredicate?
    /// Only objects with these references, if given.
    package var references: [Int64]?
    /// A store may prepare a query once for each number of references up to this one; larger lists become one value.
    package static let maxSingleReferences = 64
    package var sortDescriptors: [NSSortDescriptor] = []
    package var limit = 0
    package var offset = 0
    /// Whether only a part of the rows is requested, so that the order matters.
    package var isWindow: Bool { limit > 0 || offset > 0 }
    /// For dictionaries: what to fetch, and how to group it.
    package var properties: [NSPropertyDescription] = []
    package var groupBy: [NSPropertyDescription] = []
    package var having: NSPredicate?
    package var isDistinct = false
    /// The requested form of the result.
    package var resultType: NSFetchRequestResultType = .managedObjectResultType
    /// The client and the generation that the query reads for.
    package var reader = StoreReader()
    /// How indexes of strings help with the condition, or why they do not, a sentence each; empty where no condition asks for one.
    package var indexNotes: [String] = []
    /// The caller's request, with options that do not change the result; nil for a request of the context itself.
    package var specification: FetchSpecification?

    package init(storedEntity: StoredEntity) { self.storedEntity = storedEntity }
}

/// What a save writes to one store.
///
/// The new rows are complete but for the version; to-one references below zero stand for objects of `inserts`, whose
/// own rows have the same references.
package struct UnitOfWork {
    package struct Insert {
        package let storedEntity: StoredEntity
        package let row: Row
        /// The reference that the row has before the save: a temporary one, or its own.
        package let reference: Int64

        package init(storedEntity: StoredEntity, row: Row) {
            self.init(storedEntity: storedEntity, row: row, reference: row.reference)
        }

        init(storedEntity: StoredEntity, row: Row, reference: Int64) {
            self.storedEntity = storedEntity
            self.row = row
            self.reference = reference
        }
    }

    package struct Update {
        package let storedEntity: StoredEntity
        package let old: Row
        package var row: Row
        /// The slots whose values differ, to-many relationships left out.
        package let changed: PropertySet
        /// The slots of to-many relationships that changed.
        package let changedLinks: PropertySet

        package init(
            storedEntity: StoredEntity, old: Row, row: Row, changed: PropertySet, changedLinks: PropertySet
        ) {
            self.storedEntity = storedEntity
            self.old = old
            self.row = row
            self.changed = changed
            self.changedLinks = changedLinks
        }
    }

    package struct Deletion {
        package let storedEntity: StoredEntity
        package let old: Row

        package init(storedEntity: StoredEntity, old: Row) {
            self.storedEntity = storedEntity
            self.old = old
        }
    }

    /// A row that must not have changed since it was read, though it is not written.
    package struct Lock {
        package let storedEntity: StoredEntity
        package let old: Row
    }

    /// A link of a relationship that is kept outside of its owner's row.
    package struct Link {
        package let relationship: NSRelationshipDescription
        package let owner: ObjectKey
        package let destination: ObjectKey

        package init(relationship: NSRelationshipDescription, owner: ObjectKey, destination: ObjectKey) {
            self.relationship = relationship
            self.owner = owner
            self.destination = destination
        }
    }

    /// An ordered relationship whose order must be written.
    package struct Order {
        package let relationship: NSRelationshipDescription
        package let owner: ObjectKey
        package let destinations: [ObjectKey]

        package init(
            relationship: NSRelationshipDescription, owner: ObjectKey, destinations: [ObjectKey]
        ) {
            self.relationship = relationship
            self.owner = owner
            self.destinations = destinations
        }
    }

    package var inserts = InsertList()
    package var updates: [Update] = []
    package var deletions: [Deletion] = []
    package var locks: [Lock] = []
    package var addedLinks: [Link] = []
    package var removedLinks: [Link] = []
    package var orders: [Order] = []
    /// The objects themselves, for stores that do not take rows.
    package var objects = SavedObjects()
    /// The author of the save, for history.
    package var author: String?
    /// The name of the context that saves, for history.
    package var contextName: String?

    package init() {}

    /// Whether there is nothing to write.
    package var isEmpty: Bool {
        inserts.isEmpty && updates.isEmpty && deletions.isEmpty && addedLinks.isEmpty && removedLinks.isEmpty
            && orders.isEmpty
    }
}

/// The objects that a save writes to one store.
package struct SavedObjects {
    /// In the order of the unit's inserts.
    package var inserted: [NSManagedObject] = []
    /// In the order of the unit's updates.
    package var updated: [NSManagedObject] = []
    package var deleted: [NSManagedObject] = []
    /// In the order of the unit's locks.
    package var locked: [NSManagedObject] = []
    /// The context that saves.
    package var client: (any StoreClient)?

    package init() {}
}

/// What a save did to a store.
package struct SaveOutcome {
    /// The rows as stored, in the order of the unit's inserts.
    package var inserted: [Row] = []
    /// The rows as stored, in the order of the unit's updates.
    package var updated: [Row] = []
    /// Other objects whose derived attributes the save changed.
    package var affected: [(storedEntity: StoredEntity, reference: Int64, values: [DerivedValue])] = []
    /// The number of the save in the store's persistent history; nil without one.
    package var historyNumber: Int64?

    package init() {}
}

/// What a store computed for a derived attribute.
package struct DerivedValue: Sendable {
    package let attribute: String
    package let value: SQLValue

    package init(attribute: String, value: SQLValue) {
        self.attribute = attribute
        self.value = value
    }
}

/// Thrown by a save that met rows changed or deleted by others since they were read.
package struct SaveConflicts: Error, @unchecked Sendable {
    package struct Conflict {
        package let storedEntity: StoredEntity
        package let old: Row
        /// The row as the row cache has it; nil when it is not there, or of another entity.
        package let cached: Row?
        /// The row as it is now; nil when it is gone, or of another entity.
        package let current: Row?

        /// A row that is now of another entity belongs to another object: the object of the conflict is gone then.
        package init(storedEntity: StoredEntity, old: Row, cached: Row?, current: Row?) {
            func own(_ row: Row?) -> Row? {
                row.flatMap { $0.entityNumber == storedEntity.entityNumber ? $0 : nil }
            }
            self.storedEntity = storedEntity
            self.old = old
            self.cached = own(cached)
            self.current = own(current)
        }
    }

    package let conflicts: [Conflict]
    package init(_ conflicts: [Conflict]) { self.conflicts = conflicts }
}

/// Thrown by a save of objects that violate uniqueness constraints.
package struct ConstraintViolations: Error, @unchecked Sendable {
    package struct Violation {
        /// The names of the constraint.
        package let constraint: [String]
        /// The row with the values; nil when only objects of the save have them.
        package let stored: Row?
        /// The objects of the save that have the values.
        package let objects: [NSManagedObject]

        package init(constraint: [String], stored: Row?, objects: [NSManagedObject]) {
            self.constraint = constraint
            self.stored = stored
            self.objects = objects
        }
    }

    package let store: any ObjectStore
    package let violations: [Violation]
    /// The database's error.
    package let cause: NSError

    package init(store: any ObjectStore, violations: [ConstraintViolations.Violation], cause: NSError) {
        self.store = store
        self.violations = violations
        self.cause = cause
    }
}
