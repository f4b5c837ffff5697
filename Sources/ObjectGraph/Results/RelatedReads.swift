import CocoaFoundation
import Foundation
import ManagedObjectModel

/// The properties of other objects that results read over relationships, for the condition, the order and the names of
/// sections.
struct RelatedReads {
    private let paths: RelatedPaths
    /// The keys on all paths.
    private let keys: Set<String>
    /// Whether a key is of a computed property, whose dependencies are unknown.
    private let readsComputed: Bool
    /// The entities of the objects that are read, with their subentities; nil when any object may be read.
    let entities: [NSEntityDescription]?

    /// - Parameter sectionNameKeyPath: the key path of the sections' names.
    init(_ fetch: ResolvedFetch, sectionNameKeyPath: String?) {
        let names = sectionNameKeyPath.map { [NSSortDescriptor(key: $0, ascending: true)] } ?? []
        let order = fetch.sortDescriptors + names
        paths = RelatedPaths(fetch.entity, fetch.specification.predicate, order)
        entities = paths.entities.map(\.withSubentities)
        var keys: Set<String> = []
        func read(_ keyPath: String) {
            for case .key(let key) in KeyPathSteps(keyPath).steps { keys.insert(key) }
        }
        for case let key? in order.map(\.key) { read(key) }
        fetch.specification.predicate?.visitExpressions {
            if case .keyPath(_, let path) = $0.kind { read(path) }
        }
        let known = [fetch.entity] + (paths.entities ?? [])
        self.keys = keys
        let classes = known.withSubentities.map { EntityLayout.layout(of: $0).classProperties }
        readsComputed = keys.contains { key in
            !known.contains { entity in entity.propertiesByName[key].map { !$0.isTransient } ?? false }
                || classes.contains { $0.custom[key] != nil }
        }
    }

    /// Whether no other objects are read.
    var isEmpty: Bool { entities?.isEmpty ?? false }

    /// The objects whose membership, position or section may differ since others changed.
    ///
    /// Costs a request to the store, and a check of the unsaved objects of the entity, but only for an event that changed
    /// properties that are read.
    ///
    /// - Throws: an error of the store.
    func objects(
        readingFrom changes: ContextChanges, _ fetch: ResolvedFetch, _ context: NSManagedObjectContext
    ) throws -> [NSManagedObject] {
        guard !isEmpty else { return [] }
        // Objects that lead to a new one were changed by the same event, or later.
        let changed =
            changes.updated.filter { isRead($0, changes) } + changes.deleted.filter { isReadable($0) }
            + changes.refreshed.filter { isReadable($0) }
        guard !changed.isEmpty else { return [] }
        // An intermediate object that leads elsewhere than its row is found by itself.
        let onTheWay =
            paths.isDeep ? (context.tracker.updated.all + context.tracker.deleted.all).filter(isReadable) : []
        let stored = try PendingMatches.objects(
            readingFrom: Array(Set(changed + onTheWay)), over: paths, fetch, context)
        return stored + context.tracker.inserted.all + context.tracker.updated.all
    }

    private func isReadable(_ object: NSManagedObject) -> Bool {
        entities?.contains { $0 === object.entity } ?? true
    }

    private func isRead(_ object: NSManagedObject, _ changes: ContextChanges) -> Bool {
        guard isReadable(object) else { return false }
        guard !readsComputed, let slots = changes.slots[ObjectIdentifier(object)] else { return true }
        return slots.contains { keys.contains(object.layout.slots[$0].name) }
    }
}

extension [NSEntityDescription] {
    /// The entities and all below them, each once.
    var withSubentities: [NSEntityDescription] {
        var found: [NSEntityDescription] = []
        var seen: Set<ObjectIdentifier> = []
        var rest = self
        while let entity = rest.popLast() {
            guard seen.insert(ObjectIdentifier(entity)).inserted else { continue }
            found.append(entity)
            rest += entity.subentities
        }
        return found
    }
}
