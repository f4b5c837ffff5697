import Foundation
import ManagedObjectModel

// Loading the destinations of relationships for many objects at once, instead of one by one as they are read.

/// Relationships of an entity, and of those that they lead to, as key paths.
struct RelationshipPaths {
    let entity: NSEntityDescription
    let keyPaths: [String]
}

extension NSManagedObjectContext {
    /// Prefetches the relationships of a request, for some of the objects that it found.
    ///
    /// - Throws: for a key path that leads through anything but relationships.
    func prefetch(_ paths: RelationshipPaths, _ found: [NSManagedObject]) throws {
        for path in paths.keyPaths {
            var objects = found
            var entity = paths.entity
            let keys = path.split(separator: ".").map(String.init)
            for (index, key) in keys.enumerated() {
                guard let relationship = entity.relationshipsByName[key],
                    let destination = relationship.destinationEntity
                else {
                    throw NSError.coreData(
                        .coreData,
                        "keypath \(path) cannot be prefetched: \(entity.name ?? "") has no relationship '\(key)'."
                    )
                }
                guard index + 1 < keys.count else {
                    try prefetchEnds(relationship, objects)
                    break
                }
                // Many objects may lead to the same one.
                objects = try prefetch(relationship, objects).uniqued
                entity = destination
            }
        }
    }

    /// Loads one relationship of objects; the destinations, loaded too.
    func prefetch(
        _ relationship: NSRelationshipDescription, _ objects: [NSManagedObject]
    ) throws -> [NSManagedObject] {
        try destinations(relationship, of: objects) { found, store in
            try loadRows(of: found, from: store)
        }
    }

    /// Loads one relationship of objects, with its destinations, of which no list is made.
    private func prefetchEnds(
        _ relationship: NSRelationshipDescription, _ objects: [NSManagedObject]
    ) throws {
        guard relationship.isToMany, parentContext == nil else {
            _ = try prefetch(relationship, objects)
            return
        }
        try forEachEntity(of: objects) { group, store in
            guard let slot = group[0].layout.index(of: relationship.name) else { return }
            let others = try loadToMany(group, slot, relationship, store)
            try loadRows(of: others.flatMap { $0.toMany(at: slot).ordered }, from: store)
        }
    }

    /// Calls `body` with the saved objects of each entity and their store.
    private func forEachEntity(
        of objects: [NSManagedObject], _ body: ([NSManagedObject], any ObjectStore) throws -> Void
    ) throws {
        let saved = Dictionary(grouping: objects.filter { !$0.storedEntity.isTemporary }) {
            ObjectIdentifier($0.storedEntity)
        }
        for group in saved.values {
            if let store = group[0].storedEntity.store as? any ObjectStore { try body(group, store) }
        }
    }

    /// The destinations of one relationship of objects, read by one request for each of their entities.
    ///
    /// - Parameter load: receives the destinations of the objects of one store. With a parent, all are loaded.
    func destinations(
        _ relationship: NSRelationshipDescription, of objects: [NSManagedObject],
        load: ([NSManagedObject], any ObjectStore) throws -> Void = { _, _ in }
    ) throws -> [NSManagedObject] {
        if parentContext != nil { return try prefetchFromParent(relationship, objects) }
        var destinations: [NSManagedObject] = []
        try forEachEntity(of: objects) { group, store in
            guard let slot = group[0].layout.index(of: relationship.name) else { return }
            let found: [NSManagedObject]
            if relationship.isToMany {
                _ = try loadToMany(group, slot, relationship, store)
                found = group.flatMap { $0.toMany(at: slot).ordered }
            } else {
                found = group.flatMap { $0.readFiringFault(slot) }
            }
            try load(found, store)
            destinations += found
        }
        return destinations
    }

    /// Loads the members of a to-many relationship.
    ///
    /// - Returns: the owners whose members may be without their rows.
    private func loadToMany(
        _ owners: [NSManagedObject], _ slot: Int, _ relationship: NSRelationshipDescription,
        _ store: any ObjectStore
    ) throws -> [NSManagedObject] {
        var (loaded, unloaded): ([NSManagedObject], [NSManagedObject]) = ([], [])
        for owner in owners {
            if owner.toMany(at: slot).isLoaded { loaded.append(owner) } else { unloaded.append(owner) }
        }
        guard let storedEntity = unloaded.first?.storedEntity else { return owners }
        if try loadWithRows(unloaded, slot, relationship, store) { return loaded }
        let found = try store.destinations(
            of: relationship, storedEntity: storedEntity, owners: unloaded.map(\.reference),
            for: reader(of: store))
        for owner in unloaded {
            owner.toMany(at: slot).load(destinations(found[owner.reference] ?? [], in: store))
        }
        return owners
    }

    /// Loads a relationship by the rows of its destinations, where these have the keys of their owners, and if none of the
    /// destinations can be loaded already, whose rows need not be read again.
    ///
    /// - Returns: whether that is so.
    private func loadWithRows(
        _ owners: [NSManagedObject], _ slot: Int, _ relationship: NSRelationshipDescription,
        _ store: any ObjectStore
    ) throws -> Bool {
        guard let back = relationship.inverseRelationship,
            let table = relationship.destinationEntity.flatMap({
                store.storedEntity(of: $0.rootEntity)?.table
            }),
            identityMap.isEmpty(table: table),
            let rows = try store.destinationRows(
                of: relationship, owners: owners.map(\.reference), for: reader(of: store))
        else { return false }
        let indexes = ReferenceMap<Int>()
        indexes.reserve(owners.count)
        for (index, owner) in owners.enumerated() { indexes.set(index, for: owner.reference) }
        return rows.withPointers { rows in
            let groups = RowsByOwner(rows, owners: indexes, count: owners.count) { number in
                store.storedEntity(number: number)?.layout.index(of: back.name)
            }
            guard let groups,
                case (var members, let memberClass)? = groups.withRows(
                    rows, { instantiateNew($0, groups.ranges, table, from: store) })
            else { return false }
            // The members are handed on as they are: no references are counted of them.
            for owner in owners {
                var list: [NSManagedObject] = []
                if let index = indexes.value(owner.reference) { swap(&list, &members[index]) }
                owner.toMany(at: slot).loadDistinct(list, all: memberClass)
            }
            return true
        }
    }

    /// Loads the rows of faults, so that reading them takes no request.
    ///
    /// - Parameters:
    ///   - size: the usual number of objects in such a request; a smaller one is padded to use the same statement.
    ///   - isRefreshing: whether loaded objects without changes are refreshed too.
    func loadRows(
        of objects: [NSManagedObject], from store: any ObjectStore, paddedTo size: Int = 0,
        refreshing isRefreshing: Bool = false
    ) throws {
        for (root, references) in references(
            of: objects, from: store,
            where: { object in
                object.isFault ? object.rowPointer == nil : isRefreshing && !object.hasChanges
            })
        {
            var query = FetchQuery(storedEntity: root)
            query.references = references
            // Larger lists are one argument.
            if references.count < size, size <= FetchQuery.maxSingleReferences {
                query.references? += repeatElement(references[0], count: size - references.count)
            }
            query.reader = try reader(of: store)
            _ = instantiate(try store.rows(for: query), from: store, refreshing: isRefreshing)
        }
    }

    /// The references of those of the objects that a store has, each once, with the root entities of their tables.
    private func references(
        of objects: [NSManagedObject], from store: any ObjectStore,
        where isWanted: (NSManagedObject) -> Bool
    ) -> [(root: StoredEntity, references: [Int64])] {
        var tables: [UInt32: (root: StoredEntity, references: [Int64])] = [:]
        // The objects of one entity mostly follow each other.
        var last: StoredEntity?
        var ofLast: [Int64] = []
        func end() {
            defer { ofLast = [] }
            guard let last, last.store === store, let root = store.storedEntity(of: last.entity.rootEntity)
            else { return }
            tables[last.table, default: (root, [])].references += ofLast
        }
        for object in objects where isWanted(object) {
            if object.unretainedStoredEntity.toOpaque()
                != last.map({ Unmanaged.passUnretained($0).toOpaque() })
            {
                end()
                last = object.storedEntity
            }
            ofLast.append(object.reference)
        }
        end()
        return tables.values.map { root, references in
            let areDistinct = zip(references, references.dropFirst()).allSatisfy(<)
            return (root, areDistinct ? references : Array(Set(references)))
        }
    }
}

extension NSManagedObject {
    /// The destination of a to-one relationship, as a list.
    final func readFiringFault(_ slot: Int) -> [NSManagedObject] {
        fireFault()
        return destinations(at: slot)
    }
}
