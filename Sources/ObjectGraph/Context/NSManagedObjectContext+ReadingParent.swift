import CocoaFoundation
import Foundation
import ManagedObjectModel

// How a child reads: a block on the parent's queue returns rows and identities, which belong to no context. A row is the
// store's own if the parent has not changed the object; otherwise it is made of the parent's present values. References below
// zero stand for objects that the parent has not saved.

/// One object as a parent returns it to a child.
struct ParentRow {
    let identity: ObjectIdentity
    /// Nil if it has not been read.
    let row: Row?
}

extension NSManagedObjectContext {
    /// Runs a block on the parent's queue, and waits. Permanent IDs assigned meanwhile are adopted here afterwards.
    func readParent<Value, Failure: Error>(
        _ body: (NSManagedObjectContext) throws(Failure) -> Value
    ) throws(Failure) -> Value {
        guard let parentContext else { fatalError("The context has no parent.") }
        adoptPermanentIDs()
        let value = try parentContext.contextQueue.sync { () throws(Failure) -> Value in
            parentContext.adoptPermanentIDs()
            // The context at the top may have saved while this one waited. The request may name this one's objects, which are
            // not used meanwhile.
            adoptPermanentIDs()
            // A request of the main queue may run on another thread than the caller's.
            return try MatchBudget.sharing { () throws(Failure) -> Value in try body(parentContext) }
        }
        adoptPermanentIDs()
        return value
    }

    /// The present row of an object of the parent; nil when the parent has no such object.
    func parentRow(at identity: ObjectIdentity, notBefore: Double) throws -> Row? {
        try readParent { parent in try parent.presentRow(at: identity, notBefore: notBefore) }
    }

    /// The destinations of a to-many relationship as the parent has them; nil when they cannot be loaded.
    func parentDestinations(of object: NSManagedObject, _ slot: Int) -> [NSManagedObject]? {
        guard !object.isUnknownBelow else { return [] }
        let identity = ObjectIdentity(object)
        do {
            let found = try readParent { parent in try parent.presentDestinations(of: identity, slot) }
            return objects(found)
        } catch {
            Log.objects.error(
                "Could not load '\(object.layout.slots[slot].name)' of \(object.objectID): \(error.localizedDescription)"
            )
            session.faultingError = error as NSError
            return nil
        }
    }

    /// The destination of a to-one relationship that the parent had not saved when the row was made.
    func unsavedDestination(_ reference: Int64, _ slot: PropertySlot) -> NSManagedObject? {
        adoptPermanentIDs()
        if let known = identityMap.object(ObjectKey(table: 0, reference: reference)) { return known }
        if let entry = identities.permanent(reference, among: family.adoptedCount) {
            return object(storedEntity: entry.storedEntity, reference: entry.reference)
        }
        guard parentContext != nil, let destination = slot.relationship?.destinationEntity else { return nil }
        // The row does not say which subentity it is.
        let layout =
            readParent { parent in parent.layoutOfUnsaved(reference) } ?? EntityLayout.layout(of: destination)
        return object(storedEntity: unstoredEntity(layout), reference: reference)
    }

    private func layoutOfUnsaved(_ reference: Int64) -> EntityLayout? {
        if let known = identityMap.object(ObjectKey(table: 0, reference: reference)) { return known.layout }
        if let entry = identities.permanent(reference) { return entry.storedEntity.layout }
        return parentContext == nil ? nil : readParent { parent in parent.layoutOfUnsaved(reference) }
    }

    /// The objects that a parent has returned, one for each; new ones are faults. O(n).
    func objects(_ shown: [ParentRow], refreshing: Bool = false) -> [NSManagedObject] {
        identityMap.collectingRegistrations {
            shown.map { shown in
                let identity = identity(shown.identity)
                let object: NSManagedObject
                if let known = identityMap.object(identity.key) {
                    object = known
                } else {
                    object =
                        (identity.storedEntity.isTemporary
                        ? unstoredEntity(identity.storedEntity.layout) : identity.storedEntity)
                        .instantiate(reference: identity.reference)
                    adopt(object, nil)
                    register(object)
                }
                guard let row = shown.row, object.stands(for: row) else { return object }
                if object.isFault {
                    object.row = row
                } else if refreshing, !object.hasChanges, !row.isSame(as: object.row) {
                    refreshValues(of: object, row)
                }
                return object
            }
        }
    }

    // MARK: What a parent returns

    /// The values of an object as they are here, packed; nil when there is no such object, or it is deleted here.
    ///
    /// - Throws: an error of the store; 134060 for a value that cannot be packed because its transformer refuses it.
    func presentRow(at identity: ObjectIdentity, notBefore: Double) throws -> Row? {
        let identity = self.identity(identity)
        guard let object = identityMap.object(identity.key) else {
            return try row(at: identity, notBefore: max(notBefore, oldestAcceptable))
        }
        return try presentRow(of: object, notBefore: notBefore)
    }

    /// The values of an object as they are here, packed; nil for one that is deleted here or whose row is gone.
    func presentRow(of object: NSManagedObject, notBefore: Double = -.infinity) throws -> Row? {
        guard !object.isDeleted, !object.state.contains(.inaccessible) else { return nil }
        if object.isInserted { object.fireFault() }
        if object.isFault {
            let oldest = max(notBefore, oldestAcceptable)
            if let row = object.row, row.timestamp >= oldest { return row }
            return try storedRow(of: object, notBefore: oldest)
        }
        if let row = object.row, !object.hasPersistentChangedValues { return row }
        var encoder = RowEncoder(byteLimit: rowByteLimit)
        return try encoder.row(
            object, object.storedEntity, nil, timestamp: Date.timeIntervalSinceReferenceDate,
            version: object.row?.version ?? 0)
    }

    /// The destinations of a to-many relationship as they are here, in their order.
    ///
    /// - Throws: an error of the store.
    private func presentDestinations(of identity: ObjectIdentity, _ slot: Int) throws -> [ParentRow] {
        guard let owner = try loadedObject(at: identity) else { return [] }
        return try throwingFaultingErrors {
            owner.loadedToMany(at: slot).ordered.filter { !$0.isDeleted }.map {
                ParentRow(identity: ObjectIdentity($0), row: nil)
            }
        }
    }

    /// Runs a block that loads objects, and throws the errors of loading. The next save does not report it.
    func throwingFaultingErrors<Value>(_ body: () throws -> Value) throws -> Value {
        let before = session.faultingError
        session.faultingError = nil
        defer { session.faultingError = before }
        let value = try body()
        if let error = session.faultingError { throw error }
        return value
    }

    // MARK: Permanent IDs

    /// Makes the parent obtain permanent IDs for those of the objects that it has.
    func obtainPermanentIDsFromParent(for objects: [NSManagedObject]) throws {
        let objectIdentities = objects.filter { $0.storedEntity.isTemporary && !$0.isUnknownBelow }.map(
            ObjectIdentity.init)
        guard parentContext != nil, !objectIdentities.isEmpty else { return }
        try readParent { parent in
            try parent.obtainPermanentIDs(
                for: objectIdentities.map {
                    parent.object(storedEntity: $0.storedEntity, reference: $0.reference)
                })
        }
    }
}
