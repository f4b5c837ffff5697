import Foundation
import ManagedObjectModel

// Objects by identity, and loading their values.

extension NSManagedObjectContext {
    /// The object with this ID if the context knows it; reads nothing.
    public func registeredObject(for objectID: NSManagedObjectID) -> NSManagedObject? {
        assertOnQueue()
        adoptPermanentIDs()
        let identity = identity(objectID)
        return identityMap.object(identity.key)
    }

    /// The object with this ID, as a fault if the context does not know it yet; reads nothing, so the object need
    /// not exist.
    public func object(with objectID: NSManagedObjectID) -> NSManagedObject {
        assertOnQueue()
        adoptPermanentIDs()
        return object(storedEntity: objectID.storedEntity, reference: objectID.reference)
    }

    /// The object with this ID, loaded.
    ///
    /// - Throws: 133000 when the store has no such object, or an error of the store.
    public func existingObject(with objectID: NSManagedObjectID) throws -> NSManagedObject {
        assertOnQueue()
        adoptPermanentIDs()
        let identity = identity(objectID)
        let known = identityMap.object(identity.key)
        if let known, !known.isFault {
            guard !known.state.contains(.inaccessible) else { throw missing(objectID) }
            return known
        }
        guard let row = try row(at: identity, notBefore: oldestAcceptable) else { throw missing(objectID) }
        // The object may have been registered, or got its permanent ID, while its row was read.
        let present = self.identity(objectID)
        let found = identityMap.object(present.key)
        if let found, !found.isFault { return found }
        let object = found.flatMap { $0.stands(for: row) ? $0 : nil } ?? instantiate(row, present)
        // The row was new enough when the object was requested; it is not compared with a later time.
        if object.isInserted { object.fireUnsaved() } else { object.fire(with: row) }
        return object
    }

    private func missing(_ objectID: NSManagedObjectID) -> NSError {
        .coreData(
            .managedObjectReferentialIntegrity,
            "The \(parentContext == nil ? "store" : "parent context") has no object \(objectID.uriRepresentation().absoluteString).",
            [NSAffectedObjectsErrorKey: [objectID]])
    }

    /// The time before which cached rows do not count.
    var oldestAcceptable: Double {
        stalenessInterval < 0 ? -.infinity : Date.timeIntervalSinceReferenceDate - stalenessInterval
    }

    /// Whether a row is new enough for an object.
    func accepts(_ row: Row) -> Bool { row.reading(accepts) }

    /// Whether a row is new enough for an object.
    @inline(__always)
    func accepts(_ row: RowPointer) -> Bool { stalenessInterval < 0 || isNewEnough(row) }

    @inline(never)
    private func isNewEnough(_ row: RowPointer) -> Bool { row.timestamp >= oldestAcceptable }

    /// The object with this identity; a new fault if there is none.
    func object(storedEntity: StoredEntity, reference: Int64) -> NSManagedObject {
        if let known = identityMap.object(ObjectKey(table: storedEntity.table, reference: reference)) {
            return known
        }
        var identity = identity(ObjectIdentity(storedEntity: storedEntity, reference: reference))
        if storedEntity.isTemporary, !identity.storedEntity.isTemporary {
            return object(storedEntity: identity.storedEntity, reference: identity.reference)
        }
        var row: Row?
        // Only the row says which subentity, and so which class, it is; the IDs of stores without rows do themselves.
        if !storedEntity.entity.subentities.isEmpty, let store = storedEntity.store as? any ObjectStore,
            store.fetchesRows
        {
            row = try? self.row(at: identity, notBefore: oldestAcceptable)
            identity = ObjectIdentity(
                storedEntity: row.flatMap { store.storedEntity(number: $0.entityNumber) } ?? storedEntity,
                reference: reference)
            // It may have been registered, or got this ID, while its row was read.
            if let known = identityMap.object(identity.key) { return known }
        }
        return instantiate(row, identity)
    }

    /// Loads a fault.
    ///
    /// - Parameter slot: the property that is read; nil for the object as a whole.
    func loadFault(_ object: NSManagedObject, reading slot: Int? = nil) {
        assertOnQueue()
        if object.isInserted { return object.fireUnsaved() }
        if let row = object.row, accepts(row) { return object.fire(with: row) }
        do {
            var oldest = oldestAcceptable
            switch object.faultSource {
            case nil: break
            case .batch(let batch):
                try batch.load(in: self)
                // Loading relationships of the batch may have loaded the object.
                guard object.isFault else { return }
                if let row = object.row { return object.fire(with: row) }
            // The row it came with may be newer than the cached one.
            case .part(let part): oldest = max(oldest, part.row.timestamp)
            }
            if let row = try storedRow(of: object, notBefore: oldest) {
                object.fire(with: row)
            } else {
                handleInaccessible(object, slot)
            }
        } catch {
            // Reading a property cannot throw; the next save does.
            Log.objects.error("Could not load \(object.objectID): \(error.localizedDescription)")
            session.faultingError = error as NSError
        }
    }

    /// The store's row of an object; nil when there is none, or one of another entity.
    func storedRow(of object: NSManagedObject, notBefore: Double) throws -> Row? {
        let row = try row(
            at: ObjectIdentity(storedEntity: object.storedEntity, reference: object.reference),
            notBefore: notBefore)
        return row.flatMap { object.stands(for: $0) ? $0 : nil }
    }

    /// The row below this context of an object: the parent's, else the store's; nil when there is none.
    func row(at identity: ObjectIdentity, notBefore: Double) throws -> Row? {
        if parentContext != nil { return try parentRow(at: identity, notBefore: notBefore) }
        guard let store = identity.storedEntity.objectStore else { return nil }
        // Most faults have cached rows, which need no reader.
        if generation == nil,
            let row = store.cachedRow(of: identity.storedEntity, identity.reference, notBefore: notBefore)
        {
            return row
        }
        return try store.row(
            of: identity.storedEntity, identity.reference, notBefore: notBefore, for: reader(of: store))
    }

    private func handleInaccessible(_ object: NSManagedObject, _ slot: Int?) {
        let property = slot.map { object.layout.slots[$0].property }
        guard shouldHandleInaccessibleFault(object, for: object.objectID, triggeredByProperty: property)
        else {
            fatalError("CoreData could not fulfill a fault for '\(object.objectID)'")
        }
        makeInaccessible(object)
        tracker.reportLoss(of: object)
        scheduleEventEnd()
    }

    /// Turns a fault whose row is gone into a deleted object without values.
    func makeInaccessible(_ object: NSManagedObject) {
        object.state.remove(.fault)
        object.state.insert(.inaccessible)
        object.values = ContiguousArray(
            object.layout.slots.map { $0.kind == .toMany ? .unloaded : .null })
        tracker.noteLoss(of: object)
    }

    /// The destination of a to-one relationship in a row.
    func destination(of object: NSManagedObject, _ slot: Int, _ row: Row) -> NSManagedObject? {
        let reference = row.integer(slot)
        if reference < 0 { return unsavedDestination(reference, object.layout.slots[slot]) }
        // An object of the parent that is not saved can lead to one that is.
        let unsaved = object.storedEntity.isTemporary
        guard let store = unsaved ? destinedStore(of: object) : object.storedEntity.store,
            let storedEntity = row.destinationStoredEntity(object.layout.slots[slot], store)
        else { return nil }
        let entitySlot = object.layout.slots[slot].entitySlot
        if entitySlot >= 0, !row.isNull(entitySlot),
            row.integer(entitySlot) == Int64(storedEntity.entityNumber)
        {
            // The subentity is stored beside the key, so the row need not be read to make a fault.
            let key = ObjectKey(table: storedEntity.table, reference: reference)
            return identityMap.object(key)
                ?? instantiate(
                    nil, identity(ObjectIdentity(storedEntity: storedEntity, reference: reference)))
        }
        return self.object(storedEntity: storedEntity, reference: reference)
    }

    /// The destinations of a to-many relationship as the store has them; nil when they cannot be loaded.
    func storedDestinations(of object: NSManagedObject, _ slot: Int) -> StoredDestinations? {
        if parentContext != nil {
            return parentDestinations(of: object, slot).map {
                StoredDestinations(objects: $0, areDistinct: false)
            }
        }
        guard let store = object.storedEntity.objectStore,
            let relationship = object.layout.slots[slot].relationship
        else { return StoredDestinations(objects: [], areDistinct: true) }
        do {
            let found = try store.destinations(
                of: relationship, storedEntity: object.storedEntity, owners: [object.reference],
                for: reader(of: store))
            let keys = found[object.reference] ?? []
            let destinations = destinations(keys, in: store)
            if generation == nil, let first = destinations.objects.first, first.isFault,
                first.rowPointer == nil
            {
                store.approachCachedRows(first.storedEntity.table, keys)
            }
            return destinations
        } catch {
            Log.objects.error(
                "Could not load '\(relationship.name)' of \(object.objectID): \(error.localizedDescription)")
            session.faultingError = error as NSError
            return nil
        }
    }

    /// The object with this key of a store, as a fault if it is not known yet.
    func object(
        _ key: (entityNumber: Int32, reference: Int64), in store: any ObjectStore
    ) -> NSManagedObject? {
        guard let storedEntity = store.storedEntity(number: key.entityNumber) else { return nil }
        if let known = identityMap.object(ObjectKey(table: storedEntity.table, reference: key.reference)) {
            return known
        }
        let object = storedEntity.instantiate(reference: key.reference)
        adopt(object, nil)
        register(object)
        return object
    }

    // MARK: Refreshing

    /// Makes an object take the store's values.
    ///
    /// - Parameters:
    ///   - object: an object of this context.
    ///   - flag: with false the object becomes a fault and forgets its changes and transient values; with true it
    ///     takes the values of the store under its own changes and keeps transient values. An unsaved one-to-many link is a
    ///     change of the object whose row has the key: forgotten there, it ends on both sides; the to-many object keeps such
    ///     links, and is then loaded.
    public func refresh(_ object: NSManagedObject, mergeChanges flag: Bool) {
        assertOnQueue()
        guard object.context === self else { return }
        guard !object.isInserted else {
            if !flag { object.turnIntoFaultKeepingValues() }
            return
        }
        guard !object.isUnknownBelow else { return }
        if flag {
            mergeFromStore(object)
            readingStore(of: object) { try agreeOnPairs(of: [object]) }
        } else {
            forgetReplacements(of: object)
            for other in object.revertOwnLinks() { tracker.noteRefresh(of: other) }
            let links = object.unsavedLinksOfOthers
            // The running event's changes of links that stay can still be undone, at both ends.
            let event =
                object.isDeleted ? nil : object.extras?.event?.ofToMany(where: object.hasLinksOfOthers)
            let given = object.isDeleted ? nil : DiscardedLinks(of: object)
            repeatDeletions(reachedFrom: object)
            tracker.forgetUpdate(of: object)
            object.extras?.event = event
            if event != nil { tracker.noteKeptEventUpdate(of: object) }
            object.willChangeAll()
            object.turnIntoFault(keeping: nil)
            if object.adoptLinksOfOthers(links) { tracker.noteKeptUpdate(of: object) }
            object.didChangeAll()
            given?.revert(isRefreshed: true)
            if object.isDeleted { readingStore(of: object) { try repeatStoredDeletions(of: [object]) } }
        }
        tracker.noteRefresh(of: object)
        scheduleEventEnd()
    }

    /// Makes all objects take the store's values when they are read next: those without changes become faults; those
    /// with changes keep them, transient values excepted.
    public func refreshAllObjects() { refreshAllObjects(nil) }

    /// - Parameter rows: the rows of the objects with changes as the parent has them; nil to request them.
    func refreshAllObjects(_ rows: RowsAbove?) {
        assertOnQueue()
        for object in identityMap.all where !object.isInserted {
            if object.isFault {
                // Its row came with a fetch.
                object.row = nil
            } else if object.isDeleted || object.hasPersistentChangedValues {
                object.dropTransientValues()
                if let rows {
                    merge(rows, into: object)
                } else {
                    mergeFromStore(object)
                }
                tracker.noteRefresh(of: object)
            } else {
                refresh(object, mergeChanges: false)
            }
        }
        let changed = tracker.updated.all
        if let first = changed.first { readingStore(of: first) { try agreeOnPairs(of: changed) } }
        scheduleEventEnd()
    }

    /// Replaces the row below an object's changes, unless the object's row is newer.
    private func merge(_ rows: RowsAbove, into object: NSManagedObject) {
        guard !object.isFault else {
            object.row = nil
            return
        }
        guard let row = rows.rows[object.objectID], object.stands(for: row),
            !rows.isOlder(row, than: object)
        else { return }
        guard object.isDeleted else { return refreshValues(of: object, row) }
        object.rebase(on: row, keeping: .ownChanges)
        repeatDeletion(of: object)
    }

    /// Replaces the row below an object's changes with the store's current one.
    private func mergeFromStore(_ object: NSManagedObject) {
        guard !object.isFault else {
            // Its row came with a fetch.
            object.row = nil
            return
        }
        readingStore(of: object) {
            guard let row = try storedRow(of: object, notBefore: .infinity) else { return }
            guard object.isDeleted else { return refreshValues(of: object, row) }
            object.rebase(on: row, keeping: .ownChanges)
            try repeatStoredDeletions(of: [object])
        }
    }

    /// Runs a block that reads an object's links again; the next save throws its error.
    func readingStore(of object: NSManagedObject, _ body: () throws -> Void) {
        do {
            try body()
        } catch {
            Log.objects.error(
                "Could not read the destinations of \(object.objectID) again: \(error.localizedDescription)")
            session.faultingError = error as NSError
        }
    }

    /// Replaces the row of a loaded object; what was set here stays, transient values too.
    func refreshValues(of object: NSManagedObject, _ row: Row) {
        object.changing(to: row) {
            object.rebase(on: row, keeping: .ownChanges)
            object.dropLoadedRelationships()
        }
        leaveOwners(of: object)
        object.withoutChangeTracking { object.awake(fromSnapshotEvents: .refresh) }
    }

    /// Assigns permanent IDs to the objects before they are saved. Objects that a parent has too get theirs there.
    ///
    /// - Throws: an error of the store; 134060 for an object of another context, or of none, and when the store gives an
    ///   object the ID of another one. No ID has changed then.
    public func obtainPermanentIDs(for objects: [NSManagedObject]) throws {
        assertOnQueue()
        if let foreign = objects.first(where: { $0.context !== self }) {
            throw NSError.coreData(
                .coreData, "Only an object's own context can obtain its permanent ID: \(foreign.objectID).",
                [NSAffectedObjectsErrorKey: [foreign]])
        }
        adoptPermanentIDs()
        try obtainPermanentIDsFromParent(for: objects)
        var byStore: [(store: any ObjectStore, groups: [NewObjects])] = []
        for (storedEntity, group) in try permanentStoredEntities(
            of: objects.filter(\.storedEntity.isTemporary))
        {
            guard let store = storedEntity.store as? any ObjectStore else { continue }
            let new = NewObjects(storedEntity: storedEntity, objects: group)
            if let identity = byStore.firstIndex(where: { $0.store === store }) {
                byStore[identity].groups.append(new)
            } else {
                byStore.append((store, [new]))
            }
        }
        let found = try byStore.map {
            (groups: $0.groups, references: try $0.store.newReferences(for: $0.groups))
        }
        for (groups, references) in found {
            for (group, references) in zip(groups, references) {
                try checkAreFree(references, group.storedEntity)
            }
        }
        identityMap.collectingRegistrations {
            for (group, references) in found.flatMap({ zip($0.groups, $0.references) }) {
                for (object, reference) in zip(group.objects, references) {
                    rename(object, storedEntity: group.storedEntity, reference: reference)
                }
            }
        }
    }

    /// Checks IDs that a store has given to new objects.
    ///
    /// - Throws: 134060 when one is that of an object that the context has loaded, or is there twice.
    private func checkAreFree(_ references: [Int64], _ storedEntity: StoredEntity) throws {
        var seen: Set<Int64> = []
        let taken =
            references.first { !seen.insert($0).inserted }
            ?? identityMap.objects(table: storedEntity.table, references: references)
            // A fault may have been made for an ID before there was an object.
            .first { $0.map { !$0.isFault } ?? false }??.reference
        guard let taken else { return }
        let id = NSManagedObjectID(storedEntity: storedEntity, reference: taken)
        throw NSError.coreData(
            .coreData,
            """
            The store gave a new object of entity '\(storedEntity.entity.name ?? "")' the ID of another object: \
            \(id.uriRepresentation().absoluteString).
            """, [NSAffectedStoresErrorKey: [storedEntity.store].compactMap(\.self)])
    }

    /// Changes the identity of an object.
    func rename(_ object: NSManagedObject, storedEntity: StoredEntity, reference: Int64) {
        rename([(object, storedEntity, reference)])
    }

    /// Changes the identities of objects.
    func rename(_ names: [(object: NSManagedObject, storedEntity: StoredEntity, reference: Int64)]) {
        if identities.isShared {
            for (object, storedEntity, reference) in names
            where object.storedEntity.isTemporary && !storedEntity.isTemporary {
                identities.note(object.reference, storedEntity, reference)
            }
        }
        displaceForSameIdentity(identityMap.rename(names))
        // This context uses the new identities at once.
        adoptPermanentIDs()
    }
}

extension NSManagedObject {
    /// Whether a row is of this object's entity. An ID, and a fault made for it, can name another entity of the table.
    ///
    /// The ID of an object without a stored row names its exact entity.
    final func stands(for row: Row) -> Bool {
        row.entityNumber == storedEntity.entityNumber || row.reference < 0
    }

    /// Whether a row differs from the object's. Values that the store computes change without a new version.
    final func differs(from newer: Row) -> Bool {
        guard let row, row.version == newer.version else { return true }
        // Unsaved changes of a parent have the version of the saved row.
        if context?.parentContext != nil { return !row.isSame(as: newer) }
        return layout.derivedIndexes.contains { !row.hasSameValue(as: newer, $0, layout.slots[$0]) }
    }
}
