import CoreData

/// Writes the changes of a context to the file of an XML or binary store. The context's own store is a copy of the
/// file, whose objects have the numbers of the file as their keys.
///
/// The file is read, gets the changes, and is written as a whole by the store that reads it, for which only what changed is
/// set: everything else stays as the file has it.
struct DocumentSave {
    /// A file that was written.
    struct Written {
        let contents: Data
        /// The new objects, with their numbers.
        let numbers: [(object: NSManagedObject, number: Int64)]
    }

    let url: URL
    let storeType: String
    let configuration: String?
    let model: NSManagedObjectModel

    /// - Parameter known: what the file must hold.
    /// - Throws: 1550 to 1699 for objects that do not meet the model's rules; 133020 when the file holds something else than
    ///   what is known, 134080 when it is gone; an error of the store. The file is as it was then.
    func write(_ context: NSManagedObjectContext, replacing known: Data?) throws -> Written {
        try context.validateChanges()
        // Validation may have replaced values.
        context.processPendingChanges()
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        let opened = try coordinator.addPersistentStore(
            ofType: storeType, configurationName: configuration, at: url,
            options: [DocumentStore.guardsFileOption: true])
        defer { try? coordinator.remove(opened) }
        guard let document = opened as? any GuardedDocument, document.knownContents == known else {
            throw NSError.changedByOthers(url)
        }
        let changes = try Changes(context)
        let mirror = NSManagedObjectContext(.privateQueue)
        mirror.persistentStoreCoordinator = coordinator
        let numbers = try mirror.performAndWait {
            let new = try Mirror(mirror, document).take(changes)
            try mirror.save()
            return new.map { document.referenceObject(for: $0.objectID) as? Int64 ?? 0 }
        }
        guard let contents = document.knownContents else {
            throw StoreToolError("The store at \(url.path) was not written.")
        }
        return Written(contents: contents, numbers: Array(zip(changes.inserted.map(\.object), numbers)))
    }

    /// What a context has changed, as values.
    private struct Changes {
        struct Link {
            let key: String
            /// All destinations, or only the added ones if removed ones are given.
            let destinations: [NSManagedObjectID]
            /// Those that went: the file may have others that the copy has not. Nil for all but the members of a saved object
            /// that have no order.
            var removed: [NSManagedObjectID]?
        }

        struct Change {
            let object: NSManagedObject
            let id: NSManagedObjectID
            var values: [(key: String, value: Any?)] = []
            var links: [Link] = []
        }

        var inserted: [Change] = []
        var updated: [Change] = []
        var deleted: [NSManagedObjectID] = []

        init(_ context: NSManagedObjectContext) throws {
            let gone = context.deletedObjects
            deleted = gone.map(\.objectID)
            let lost = Set(deleted)
            let new = context.insertedObjects.sorted { $0.objectID.reference > $1.objectID.reference }
            inserted = new.map { object in
                Self.change(object, object.entity.propertiesByName.values.map { $0 }, without: lost)
            }
            for object in context.updatedObjects.subtracting(gone).subtracting(context.insertedObjects) {
                let keys = object.changedValues().keys
                let properties = keys.compactMap { object.entity.propertiesByName[$0] }
                updated.append(Self.change(object, properties, without: lost))
            }
            try addOrders(without: lost)
        }

        private static func change(
            _ object: NSManagedObject, _ properties: [NSPropertyDescription],
            without lost: Set<NSManagedObjectID>
        ) -> Change {
            var change = Change(object: object, id: object.objectID)
            for property in properties where !property.isTransient {
                switch property {
                case is NSAttributeDescription:
                    change.values.append((property.name, object.primitiveValue(forKey: property.name)))
                case let relationship as NSRelationshipDescription:
                    let ids = object.objectIDs(forRelationshipNamed: property.name).filter {
                        !lost.contains($0)
                    }
                    guard relationship.isToMany, !relationship.isOrdered, !object.isInserted else {
                        change.links.append(Link(key: property.name, destinations: ids))
                        continue
                    }
                    let old = committedMembers(of: object, property.name)
                    let removed = old.subtracting(ids).subtracting(lost)
                    change.links.append(
                        Link(
                            key: property.name, destinations: ids.filter { !old.contains($0) },
                            removed: Array(removed)))
                default: continue
                }
            }
            return change
        }

        private static func committedMembers(of object: NSManagedObject, _ key: String) -> Set<
            NSManagedObjectID
        > {
            let members = object.committedValues(forKeys: [key])[key] as? Set<NSManagedObject> ?? []
            return Set(members.map(\.objectID))
        }

        /// Adds the order of the other end of a changed link, where that is ordered: it may not have been loaded, and
        /// the file would get another one than the copy.
        private mutating func addOrders(without lost: Set<NSManagedObjectID>) throws {
            var known = Set(
                (inserted + updated).flatMap { change in
                    change.links.map { [change.id] + [$0.key] as [AnyHashable] }
                })
            for change in inserted + updated {
                for link in change.links {
                    guard
                        let inverse = change.object.entity.relationshipsByName[link.key]?.inverseRelationship,
                        inverse.isOrdered, let context = change.object.managedObjectContext
                    else { continue }
                    for id in link.destinations where known.insert([id, inverse.name]).inserted {
                        let owner = try context.existingObject(with: id)
                        guard !owner.isDeleted else { continue }
                        updated.append(Self.change(owner, [inverse], without: lost))
                    }
                }
            }
        }
    }

    /// The same changes, made to the objects of the file.
    private struct Mirror {
        private let context: NSManagedObjectContext
        private let document: any GuardedDocument

        init(_ context: NSManagedObjectContext, _ document: any GuardedDocument) {
            self.context = context
            self.document = document
        }

        /// - Returns: the new objects, in their order.
        func take(_ changes: Changes) throws -> [NSManagedObject] {
            var new: [NSManagedObjectID: NSManagedObject] = [:]
            let made = try changes.inserted.map { change in
                let object = NSManagedObject(entity: try entity(change.id), insertInto: context)
                new[change.id] = object
                return object
            }
            for (change, object) in zip(changes.inserted, made) { try set(change, object, new) }
            for change in changes.updated { try set(change, try object(change.id, new), new) }
            for id in changes.deleted { context.delete(try object(id, new)) }
            context.processPendingChanges()
            // Delete rules follow the links of the file, whose ends need not agree.
            guard context.deletedObjects.count == changes.deleted.count else {
                throw StoreToolError(
                    """
                    Not saved: the two ends of relationships do not agree in the file, so that other objects than those \
                    that are shown would be deleted. `coredata store check` lists the places.
                    """)
            }
            return made
        }

        private func entity(_ id: NSManagedObjectID) throws -> NSEntityDescription {
            guard let entity = document.storedEntity(of: id.entity)?.entity else {
                throw StoreToolError("The store has no entity '\(id.entity.name ?? "")'.")
            }
            return entity
        }

        private func object(
            _ id: NSManagedObjectID, _ new: [NSManagedObjectID: NSManagedObject]
        ) throws -> NSManagedObject {
            if let object = new[id] { return object }
            return try context.existingObject(
                with: document.objectID(for: try entity(id), withReferenceObject: id.reference))
        }

        private func set(
            _ change: Changes.Change, _ object: NSManagedObject, _ new: [NSManagedObjectID: NSManagedObject]
        ) throws {
            for (key, value) in change.values { try object.setValue(checking: value, forKey: key) }
            for link in change.links {
                let key = link.key
                let objects = try link.destinations.map { try self.object($0, new) }
                if let removed = link.removed {
                    let members = object.mutableSetValue(forKey: key)
                    for id in removed { members.remove(try self.object(id, new)) }
                    for member in objects { members.add(member) }
                    continue
                }
                switch object.entity.relationshipsByName[key] {
                case let relationship? where relationship.isOrdered:
                    try object.setValue(checking: NSOrderedSet(array: objects), forKey: key)
                case let relationship? where relationship.isToMany:
                    try object.setValue(checking: NSSet(array: objects), forKey: key)
                default: try object.setValue(checking: objects.first, forKey: key)
                }
            }
        }
    }
}
