import Foundation
import ManagedObjectModel

/// The writes of a save to one store.
final class StorePlan: LinkDestinations {
    let store: any ObjectStore
    @exclusivity(unchecked) private(set) var unit = UnitOfWork()
    @exclusivity(unchecked) private(set) var inserted: [NSManagedObject] = []
    @exclusivity(unchecked) private(set) var updated: [NSManagedObject] = []
    /// Changed objects with nothing to write.
    private(set) var transientlyUpdated: [NSManagedObject] = []
    private(set) var deleted: [NSManagedObject] = []
    /// The new objects with their entity bindings.
    @exclusivity(unchecked) private var assigned = AssignedObjects()
    /// The indexes in `assigned`, once all objects are there.
    @exclusivity(unchecked) private var assignedIndexes: TemporaryReferences?
    @exclusivity(unchecked) private var encoder: RowEncoder
    /// Whether new objects have lost their values to their rows.
    @exclusivity(unchecked) private var hasDroppedValues = false
    /// Whether the store has written the unit.
    @exclusivity(unchecked) private(set) var isWritten = false
    private let now = Date.timeIntervalSinceReferenceDate
    /// If the values of all new objects take more bytes than this, their rows go into small blocks, which fit into the gaps that the values
    /// leave. Large blocks are quicker to read and to release.
    private static let mostFreedBytes = 64 << 20

    init(
        _ store: any ObjectStore, author: String?, contextName: String?,
        byteLimit: Int = RowBuilder.maxBytes
    ) {
        self.store = store
        encoder = RowEncoder(byteLimit: byteLimit, sharingBlocks: true)
        unit.author = author
        unit.contextName = contextName
    }

    /// Adds new objects to this store.
    func assign(_ objects: ArraySlice<NSManagedObject>, to storedEntity: StoredEntity) {
        assigned.append(objects, storedEntity)
    }

    /// Adds all new objects to this store, which has none yet.
    func assign(_ objects: AssignedObjects) { assigned = objects }

    /// Whether packing the new objects runs no code of a program, such as a transformer.
    var packsPlainValues: Bool { assigned.runs.allSatisfy { $0.storedEntity.layout.isWholeInRows } }

    /// Inserts the new objects, in their order.
    ///
    /// - Parameter isPlain: whether the whole plan runs no code of a program, which could read the objects. If the store writes
    ///   rows alone, each object then loses its values to its row: of very many objects they take more memory than all else.
    func insertAssigned(packsPlainValues isPlain: Bool = false) throws {
        let assigned = assigned
        let objects = assigned.objects
        assignedIndexes = TemporaryReferences(count: objects.count) { index in
            // An object with a permanent identity is known by that.
            objects[index].storedEntity.isTemporary ? objects[index].reference : 0
        }
        unit.inserts.reserveCapacity(objects.count)
        hasDroppedValues = isPlain && !store.readsObjectsOfSaves
        // Released in batches: an allocator joins what is freed side by side, and the next rows take its place. If there is much of it,
        // they are in blocks as small as the values of one object: larger ones do not fit into the gaps between the objects.
        var dropped: [ContiguousArray<SlotValue>] = []
        try objects.withUncounted { pointers in
            for run in assigned.runs {
                for index in run.indexes {
                    try pointers[index]._withUnsafeGuaranteedRef { object in
                        let row = try encoder.row(object, run.storedEntity, self, timestamp: now, version: 1)
                        unit.inserts.append(row, of: run.storedEntity)
                        if !hasDroppedValues {
                            if object.hasToManyRelationships { try addLinks(object) }
                        } else if object.rowPointer == nil {
                            dropped.append(object.takeSetValues())
                            if dropped.count == 1024 {
                                let bytes = dropped[0].freedBytes
                                if bytes > Self.mostFreedBytes / objects.count {
                                    encoder.fitBlocks(into: bytes)
                                }
                                dropped = []
                            }
                        }
                    }
                }
            }
        }
        inserted = objects
    }

    /// Releases what the store has written, before its objects adopt the rows that it returned.
    func endWriting() {
        isWritten = true
        hasDroppedValues = false
        unit = UnitOfWork()
    }

    /// Gives new objects back the values that they lost to their rows.
    func restoreValues() {
        guard hasDroppedValues else { return }
        hasDroppedValues = false
        // One that was saved has its row.
        for (insert, object) in zip(unit.inserts, assigned.objects)
        where object.row == nil && object.values.isEmpty {
            object.restoreSetValues(from: insert.row)
        }
    }

    func update(_ object: NSManagedObject) throws {
        let storedEntity = object.storedEntity
        var changed = PropertySet()
        var changedLinks = PropertySet()
        for slot in object.touched {
            let traits = object.traits(at: slot)
            guard traits.isStored, !traits.isDerived, object.differsFromRow(at: slot) else { continue }
            if traits.kind == .toMany {
                changedLinks.insert(slot)
            } else {
                changed.insert(slot)
            }
        }
        guard !(changed.isEmpty && changedLinks.isEmpty), let old = object.row else {
            transientlyUpdated.append(object)
            return
        }
        let row = try encoder.row(object, storedEntity, self, timestamp: now, version: old.version &+ 1)
        unit.updates.append(
            .init(
                storedEntity: storedEntity, old: consume old, row: consume row, changed: changed,
                changedLinks: changedLinks))
        updated.append(object)
        if object.hasToManyRelationships { try addLinks(object) }
    }

    func delete(_ object: NSManagedObject) {
        deleted.append(object)
        guard let row = object.row, !object.state.contains(.inaccessible) else { return }
        unit.deletions.append(.init(storedEntity: object.storedEntity, old: row))
    }

    /// Adds an object to compare without writing it.
    func lock(_ object: NSManagedObject) {
        guard let row = object.row, !object.state.contains(.inaccessible) else { return }
        unit.locks.append(.init(storedEntity: object.storedEntity, old: row))
        unit.objects.locked.append(object)
    }

    /// Adds the objects themselves.
    func complete(_ context: NSManagedObjectContext) {
        unit.objects.inserted = inserted
        unit.objects.updated = updated
        unit.objects.deleted = deleted
        unit.objects.client = context
        assignedIndexes = nil
    }

    /// The links that are not columns of this object's row.
    private func addLinks(_ object: NSManagedObject) throws {
        for slot in object.layout.toManyIndexes where slot < object.values.count {
            guard case .toMany(let contents) = object.values[slot], contents.hasChanges,
                let relationship = object.layout.slots[slot].relationship, object.layout.slots[slot].isStored
            else { continue }
            let owner = key(of: object)
            if relationship.keepsOwnLinks {
                unit.addedLinks += try contents.added.filter { !$0.isDeleted }.map {
                    .init(
                        relationship: relationship, owner: owner,
                        destination: try checkedKey(of: $0, relationship))
                }
                unit.removedLinks += contents.removed.filter { !$0.isDeleted && !$0.storedEntity.isTemporary }
                    .map {
                        .init(relationship: relationship, owner: owner, destination: key(of: $0))
                    }
            }
            if contents.isOrdered {
                unit.orders.append(
                    .init(
                        relationship: relationship, owner: owner,
                        destinations: try contents.order.map { try checkedKey(of: $0, relationship) }))
            }
        }
    }

    private func key(of object: NSManagedObject) -> ObjectKey {
        let storedEntity = newStoredEntity(of: object) ?? object.storedEntity
        return ObjectKey(table: storedEntity.table, reference: object.reference)
    }

    /// The entity binding that a new object gets from the save; nil for another object.
    private func newStoredEntity(of object: NSManagedObject) -> StoredEntity? {
        guard object.storedEntity.isTemporary else { return nil }
        return assignedIndexes?.index(of: object.reference).map(assigned.runs.storedEntity(at:))
    }

    private func checkedKey(
        of object: NSManagedObject, _ relationship: NSRelationshipDescription
    ) throws -> ObjectKey {
        _ = try destinationStoredEntity(of: object, relationship)
        return key(of: object)
    }

    /// The entity binding of a destination.
    ///
    /// - Throws: 133010 when that is another store; 1550 when the deletion of the destination was saved.
    func destinationStoredEntity(
        of object: NSManagedObject, _ relationship: NSRelationshipDescription
    ) throws -> StoredEntity {
        guard object.context != nil else {
            throw NSError.coreData(
                .managedObjectValidation,
                """
                Dangling reference to an invalid object: relationship '\(relationship.name)' of entity \
                '\(relationship.entity.name ?? "")' leads to \(object.objectID), which was deleted.
                """,
                [NSValidationKeyErrorKey: relationship.name, NSAffectedObjectsErrorKey: [object]])
        }
        if object.storedEntity.isTemporary {
            if let storedEntity = newStoredEntity(of: object) { return storedEntity }
        } else if object.storedEntity.store === store {
            return object.storedEntity
        }
        throw NSError.coreData(
            .managedObjectExternalRelationship,
            """
            Relationship '\(relationship.name)' of entity '\(relationship.entity.name ?? "")' leads to \
            \(object.objectID), which is in another store, or will not be saved.
            """, [NSAffectedObjectsErrorKey: [object]])
    }
}

extension NSRelationshipDescription {
    /// Whether the links are kept by this relationship itself and not by its to-one inverse: many-to-many, from one
    /// of its ends, and to-many without inverse.
    package var keepsOwnLinks: Bool {
        guard isToMany else { return false }
        guard let inverse = inverseRelationship else { return true }
        return inverse.isToMany && (inverse === self || isFirstOfPair(inverse))
    }

    /// Of the two ends of a many-to-many relationship, the one that the join table is named after.
    private func isFirstOfPair(_ inverse: NSRelationshipDescription) -> Bool {
        let mine = (entity.name ?? "", name)
        let other = (inverse.entity.name ?? "", inverse.name)
        return mine.0 == other.0 ? mine.1 <= other.1 : mine.0 < other.0
    }
}

extension ContiguousArray<SlotValue> {
    /// About how many bytes an allocator gets back when the list is released, if nothing else has its strings.
    fileprivate var freedBytes: Int {
        func allocation(_ bytes: Int) -> Int { (bytes + 8 + 15) & ~15 }
        let object = 32
        return reduce(allocation(object + count * MemoryLayout<SlotValue>.stride)) { bytes, value in
            // Shorter strings are in their values.
            guard case .string(let text) = value, text.utf8.count > 15 else { return bytes }
            return bytes + allocation(object + text.utf8.count + 1)
        }
    }
}
