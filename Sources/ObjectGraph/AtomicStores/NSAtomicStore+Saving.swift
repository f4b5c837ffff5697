import Foundation
import ManagedObjectModel

extension NSAtomicStore {
    package final func save(_ unit: UnitOfWork) throws -> SaveOutcome {
        try access.withLock {
            guard !isReadOnly else { throw readOnlyError }
            try checkConflicts(unit)
            let change = NodeChange(self)
            defer { nodes.endPreparation() }
            do {
                try change.apply(unit)
                let outcome = try change.outcome(unit)
                try save()
                noteSavedMetadata()
                return outcome
            } catch {
                change.revert()
                throw error
            }
        }
    }

    private func checkConflicts(_ unit: UnitOfWork) throws {
        var conflicts: [SaveConflicts.Conflict] = []
        func check(_ storedEntity: StoredEntity, _ old: Row, isDeletion: Bool) throws {
            let key = ObjectKey(table: storedEntity.table, reference: old.reference)
            let current = try nodes.savedNode(key).map(row)
            guard current?.version != old.version, !(isDeletion && current == nil) else { return }
            conflicts.append(.init(storedEntity: storedEntity, old: old, cached: current, current: current))
        }
        for update in unit.updates { try check(update.storedEntity, update.old, isDeletion: false) }
        for lock in unit.locks { try check(lock.storedEntity, lock.old, isDeletion: false) }
        for deletion in unit.deletions { try check(deletion.storedEntity, deletion.old, isDeletion: true) }
        if !conflicts.isEmpty { throw SaveConflicts(conflicts) }
        let missing = missingDestinations(unit)
        if !missing.isEmpty { throw DanglingLinks(store: self, owners: [], missing: Array(missing)) }
    }

    /// The destinations of relationships without inverse that others have deleted: for any other relationship, the destination
    /// itself is compared. O(changed links).
    private func missingDestinations(_ unit: UnitOfWork) -> Set<ObjectKey> {
        var wanted: Set<ObjectKey> = []
        func want(_ row: Row, _ storedEntity: StoredEntity, changed: PropertySet?) {
            for slot in storedEntity.layout.relationshipIndexes {
                let info = storedEntity.layout.slots[slot]
                guard info.kind == .toOne, info.isStored, changed?.contains(slot) ?? true,
                    info.relationship?.inverseRelationship == nil,
                    let destination = row.destinationStoredEntity(info, self)
                else { continue }
                wanted.insert(ObjectKey(table: destination.table, reference: row.integer(info.rowSlot)))
            }
        }
        for insert in unit.inserts { want(insert.row, insert.storedEntity, changed: nil) }
        for update in unit.updates { want(update.row, update.storedEntity, changed: update.changed) }
        for link in unit.addedLinks where link.relationship.inverseRelationship == nil {
            wanted.insert(link.destination)
        }
        guard !wanted.isEmpty else { return [] }
        let made = Set(
            unit.inserts.map { ObjectKey(table: $0.storedEntity.table, reference: $0.row.reference) })
        return wanted.subtracting(made).filter { nodes.savedNode($0) == nil }
    }

    /// The values of a node as a row.
    final func row(_ node: NSAtomicStoreCacheNode) throws -> Row {
        try node.row(node.objectID.storedEntity, version: nodes.version(node.objectID.key)) {
            nodes.node($0.key) != nil
        }
    }
}

/// The changes of one save to the nodes, kept to revert them.
private final class NodeChange {
    private let store: NSAtomicStore
    private var nodes: NodeTable { store.nodes }
    private var removed: [NSAtomicStoreCacheNode] = []
    private var removedVersions: [Int64] = []
    private var added: [NSAtomicStoreCacheNode] = []
    private var former: [ObjectKey: FormerNode] = [:]

    init(_ store: NSAtomicStore) { self.store = store }

    func apply(_ unit: UnitOfWork) throws {
        remove(unit)
        try add(unit)
        var changed = added.map { (node: $0, before: Links()) }
        for (update, object) in zip(unit.updates, unit.objects.updated) {
            guard let node = nodes.savedNode(object.objectID.key) else { continue }
            changed.append((node, links(of: node)))
            remember(node)
            store.updateCacheNode(node, from: object)
            node.row = nil
            nodes.setVersion(object.objectID.key, update.old.version &+ 1)
        }
        // The objects have set both ends of most links by now.
        for (node, before) in changed { keepInverses(of: node, before) }
    }

    private func remove(_ unit: UnitOfWork) {
        removed = unit.deletions.compactMap {
            nodes.savedNode(ObjectKey(table: $0.storedEntity.table, reference: $0.old.reference))
        }
        removedVersions = removed.map { nodes.version($0.objectID.key) }
        if !removed.isEmpty { store.willRemoveCacheNodes(Set(removed)) }
        for node in removed {
            let before = links(of: node)
            nodes.remove(node)
            for (relationship, destinations) in before {
                for destination in destinations { unlink(node, from: destination, relationship) }
            }
        }
        if !removed.isEmpty { dropOneWayLinks() }
    }

    /// Ends the links to the removed nodes whose relationships have no inverse, which only a search of all nodes finds. O(n)
    /// where there are such relationships.
    private func dropOneWayLinks() {
        let gone = Set(removed.map(\.objectID.key))
        for storedEntity in store.storedEntities {
            let relationships = storedEntity.layout.slots.filter(\.isStored).compactMap(\.relationship).filter
            {
                $0.inverseRelationship == nil
            }
            guard !relationships.isEmpty else { continue }
            for node in nodes.nodes(ofEntities: [storedEntity.entityNumber]) {
                for relationship in relationships {
                    guard let keys = try? node.destinations(relationship).map(\.key),
                        keys.contains(where: gone.contains)
                    else { continue }
                    remember(node)
                    set(
                        keys.filter { !gone.contains($0) }.compactMap { nodes.savedNode($0) },
                        of: relationship, in: node)
                }
            }
        }
    }

    private func add(_ unit: UnitOfWork) throws {
        let objects = unit.objects.inserted
        try checkIdentities(of: objects)
        for object in objects { nodes.prepare(NSAtomicStoreCacheNode(objectID: object.objectID)) }
        var isReplaced = false
        var made: [NSAtomicStoreCacheNode] = []
        for object in objects {
            let node = store.newCacheNode(for: object)
            guard node.objectID == object.objectID else {
                throw refusal(
                    object,
                    "newCacheNode(for:) made a node of \(node.objectID.uriRepresentation().absoluteString)")
            }
            isReplaced = isReplaced || !nodes.isPrepared(node)
            made.append(node)
        }
        added = made
        for (insert, node) in zip(unit.inserts, added) {
            nodes.add(node)
            nodes.setVersion(node.objectID.key, insert.row.version)
        }
        // A class makes nodes of its own: links to their placeholders are moved to them.
        if isReplaced { for node in added { leadToNodes(node) } }
        for node in added { node.row = nil }
    }

    /// Checks the identities of new objects: one saved under another identity could not be read again.
    ///
    /// - Throws: 134060.
    private func checkIdentities(of objects: [NSManagedObject]) throws {
        var keys: Set<ObjectKey> = []
        for object in objects {
            let id = object.objectID
            guard !id.isTemporaryID, store.storedEntity(of: object.entity) === id.storedEntity else {
                throw refusal(object, "it has no permanent ID of the store")
            }
            guard keys.insert(id.key).inserted, nodes.savedNode(id.key) == nil else {
                throw refusal(object, "another object has the same reference object")
            }
        }
    }

    private func refusal(_ object: NSManagedObject, _ reason: String) -> NSError {
        .coreData(
            .coreData,
            "The new object \(object.objectID.uriRepresentation().absoluteString) cannot be saved: \(reason).",
            [NSAffectedObjectsErrorKey: [object]])
    }

    private func leadToNodes(_ node: NSAtomicStoreCacheNode) {
        for slot in node.objectID.storedEntity.layout.slots where slot.isStored && slot.kind.isRelationship {
            guard let relationship = slot.relationship, let ids = try? node.destinations(relationship),
                !ids.isEmpty
            else { continue }
            let found = ids.compactMap { nodes.savedNode($0.key) }
            set(found, of: relationship, in: node)
        }
    }

    /// The rows as stored.
    func outcome(_ unit: UnitOfWork) throws -> SaveOutcome {
        var outcome = SaveOutcome()
        outcome.inserted = try added.map(store.row)
        outcome.updated = try zip(unit.updates, unit.objects.updated).map { update, object in
            try nodes.savedNode(object.objectID.key).map(store.row) ?? update.row
        }
        return outcome
    }

    // MARK: Inverses

    private typealias Links = [(relationship: NSRelationshipDescription, destinations: [ObjectKey])]

    private func links(of node: NSAtomicStoreCacheNode) -> Links {
        guard store.keepsInverses else { return [] }
        return node.objectID.storedEntity.layout.slots.compactMap { slot in
            guard slot.isStored, let relationship = slot.relationship,
                relationship.inverseRelationship != nil, let ids = try? node.destinations(relationship)
            else { return nil }
            return (relationship, ids.map(\.key))
        }
    }

    /// A context does not change objects that it does not have: the other ends of ended and new links are set here.
    private func keepInverses(of node: NSAtomicStoreCacheNode, _ before: Links) {
        guard store.keepsInverses else { return }
        let former = Dictionary(
            before.map { (ObjectIdentifier($0.relationship), Set($0.destinations)) },
            uniquingKeysWith: { a, _ in a })
        for (relationship, destinations) in links(of: node) {
            let old = former[ObjectIdentifier(relationship)] ?? []
            for key in old.subtracting(destinations) { unlink(node, from: key, relationship) }
            for key in destinations where !old.contains(key) { link(node, to: key, relationship) }
        }
    }

    private func unlink(
        _ node: NSAtomicStoreCacheNode, from key: ObjectKey, _ relationship: NSRelationshipDescription
    ) {
        guard let inverse = relationship.inverseRelationship, let other = nodes.savedNode(key),
            other.leads(to: node, by: inverse), let ids = try? other.destinations(inverse)
        else { return }
        remember(other)
        set(
            ids.compactMap { $0.key == node.objectID.key ? nil : nodes.savedNode($0.key) }, of: inverse,
            in: other)
    }

    private func link(
        _ node: NSAtomicStoreCacheNode, to key: ObjectKey, _ relationship: NSRelationshipDescription
    ) {
        guard let inverse = relationship.inverseRelationship, let other = nodes.savedNode(key),
            !other.leads(to: node, by: inverse), let ids = try? other.destinations(inverse)
        else { return }
        remember(other)
        guard inverse.isToMany else {
            // Its former partner loses it.
            for id in ids {
                guard let partner = nodes.savedNode(id.key),
                    let links = try? partner.destinations(relationship)
                else { continue }
                remember(partner)
                set(
                    links.compactMap { $0.key == key ? nil : nodes.savedNode($0.key) }, of: relationship,
                    in: partner)
            }
            return set([node], of: inverse, in: other)
        }
        set(ids.compactMap { nodes.savedNode($0.key) } + [node], of: inverse, in: other)
    }

    private func set(
        _ destinations: [NSAtomicStoreCacheNode], of relationship: NSRelationshipDescription,
        in node: NSAtomicStoreCacheNode
    ) {
        if !relationship.isToMany {
            node.setValue(destinations.first, forKey: relationship.name)
        } else {
            let value: Any =
                relationship.isOrdered ? NSOrderedSet(array: destinations) : NSSet(array: destinations)
            node.setValue(value, forKey: relationship.name)
        }
    }

    // MARK: Reverting

    private func remember(_ node: NSAtomicStoreCacheNode) {
        let key = node.objectID.key
        if former[key] == nil { former[key] = FormerNode(node, version: nodes.version(key)) }
    }

    func revert() {
        for node in added { nodes.remove(node) }
        for (node, version) in zip(removed, removedVersions) {
            nodes.add(node)
            nodes.setVersion(node.objectID.key, version)
        }
        for (key, node) in former {
            node.revert()
            nodes.setVersion(key, node.version)
        }
    }
}

/// A node as it was before a save.
private struct FormerNode {
    let version: Int64
    private let node: NSAtomicStoreCacheNode
    private let cache: NSMutableDictionary?
    /// The values of a class that keeps them elsewhere, by key.
    private let answers: [String: Any?]

    init(_ node: NSAtomicStoreCacheNode, version: Int64) {
        self.node = node
        self.version = version
        cache = node.propertyCache?.mutableCopy() as? NSMutableDictionary
        let hasOwnStorage = type(of: node) != NSAtomicStoreCacheNode.self
        let slots = hasOwnStorage ? node.objectID.storedEntity.layout.slots.filter(\.isStored) : []
        answers = Dictionary(
            slots.map { ($0.name, Self.copied(node.value(forKey: $0.name))) }, uniquingKeysWith: { a, _ in a }
        )
    }

    /// A collection may be changed in place.
    private static func copied(_ value: Any?) -> Any? {
        switch value {
        case let value as NSMutableOrderedSet: NSOrderedSet(orderedSet: value)
        case let value as NSMutableSet: NSSet(set: value)
        case let value as NSMutableArray: NSArray(array: Array(value))
        default: value
        }
    }

    func revert() {
        node.propertyCache = cache
        for (key, value) in answers where !isSame(node.value(forKey: key), value) {
            node.setValue(value, forKey: key)
        }
    }

    private func isSame(_ a: Any?, _ b: Any?) -> Bool {
        switch (a, b) {
        case (nil, nil): true
        case (let a?, let b?): ValueTransformer.areEqual(a, b)
        default: false
        }
    }
}

extension NSAtomicStoreCacheNode {
    /// Whether a relationship leads to a node. O(1).
    fileprivate func leads(to node: NSAtomicStoreCacheNode, by relationship: NSRelationshipDescription)
        -> Bool
    {
        switch value(forKey: relationship.name) {
        case let set as NSSet: set.contains(node)
        case let set as NSOrderedSet: set.contains(node)
        case let value: value as AnyObject? === node
        }
    }
}
