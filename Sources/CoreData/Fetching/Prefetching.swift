import Foundation
import ManagedObjectModel

// Loading the destinations of relationships for many objects at once, instead of one by one as they are read.

extension NSManagedObjectContext {
    /// Loads what the request wants prefetched.
    ///
    /// - Throws: for a key path that leads through anything but relationships.
    func prefetch(_ fetch: ResolvedFetch, _ found: [NSManagedObject]) throws {
        for path in fetch.specification.relationshipKeyPathsForPrefetching ?? [] {
            var objects = found
            var entity = fetch.entity
            for key in path.split(separator: ".").map(String.init) {
                guard let relationship = entity.relationshipsByName[key],
                    let destination = relationship.destinationEntity
                else {
                    throw NSError.coreData(
                        .coreData,
                        "keypath \(path) cannot be prefetched: \(entity.name ?? "") has no relationship '\(key)'."
                    )
                }
                objects = try prefetch(relationship, objects)
                entity = destination
            }
        }
    }

    /// Loads one relationship of objects; the destinations.
    func prefetch(
        _ relationship: NSRelationshipDescription, _ objects: [NSManagedObject]
    ) throws -> [NSManagedObject] {
        if parentContext != nil { return try prefetchFromParent(relationship, objects) }
        var destinations: [NSManagedObject] = []
        let saved = Dictionary(grouping: objects.filter { !$0.home.isTemporary }) {
            ObjectIdentifier($0.home)
        }
        for group in saved.values {
            guard let home = group.first?.home, let store = home.store as? any ObjectStore,
                let slot = home.layout.index(of: relationship.name)
            else { continue }
            let found =
                relationship.isToMany
                ? try loadToMany(group, slot, relationship, store) : group.flatMap { $0.fireAndRead(slot) }
            try loadRows(of: found, from: store)
            destinations += found
        }
        return destinations
    }

    private func loadToMany(
        _ owners: [NSManagedObject], _ slot: Int, _ relationship: NSRelationshipDescription,
        _ store: any ObjectStore
    ) throws -> [NSManagedObject] {
        let unloaded = owners.filter { !$0.toMany(at: slot).isLoaded }
        if let home = unloaded.first?.home {
            let found = try store.destinations(
                of: relationship, home: home, owners: unloaded.map(\.reference), in: self)
            for owner in unloaded {
                owner.toMany(at: slot).load(
                    (found[owner.reference] ?? []).compactMap { object($0, in: store) })
            }
        }
        return owners.flatMap { $0.toMany(at: slot).ordered }
    }

    /// Gives faults their rows, so that reading them asks the store no more.
    func loadRows(of objects: [NSManagedObject], from store: any ObjectStore) throws {
        let faults = objects.filter { $0.isFault && $0.row == nil && $0.home.store === store }
        for group in Dictionary(grouping: faults, by: { $0.home.table }).values {
            guard let first = group.first, let home = store.home(of: first.entity.rootEntity) else {
                continue
            }
            var query = FetchQuery(home: home)
            query.references = Array(Set(group.map(\.reference)))
            query.context = self
            _ = materialise(try store.rows(for: query), from: store, refreshing: false)
        }
    }
}

extension NSManagedObject {
    /// The destination of a to-one relationship, as a list.
    final func fireAndRead(_ slot: Int) -> [NSManagedObject] {
        fireFault()
        return destinations(at: slot)
    }
}
