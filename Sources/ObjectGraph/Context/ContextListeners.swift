import Foundation
import ManagedObjectModel

/// An object that follows the changes of a context, on its queue.
package protocol ContextListener: AnyObject {
    /// Reports the changes of the entities that the listener follows.
    func contextDidChange(_ changes: ContextChanges)
    /// The objects that the listener has; used for a listener that requires a value.
    var members: [NSManagedObject] { get }
}

/// The listeners of a context, held weakly, by the entities that they follow.
///
/// An event's changes are grouped by entity once, and a listener is notified of those of its entities only: the cost of an
/// event does not depend on the number of listeners to other entities. With many listeners that require a value, it does not
/// depend on the number of those that require other values either.
package final class ContextListeners {
    private struct Entry {
        weak var listener: (any ContextListener)?
        let identity: ObjectIdentifier
        let entities: Set<ObjectIdentifier>?
        let readsRelatedObjects: Bool
        let required: RequiredValue?
    }

    /// The least number of listeners that require values for looking them up by value.
    private static let indexSize = 16

    /// By numbers in the order in which the listeners were added.
    private var entries: [Int: Entry] = [:]
    private var numbers: [ObjectIdentifier: Int] = [:]
    private var followers: [ObjectIdentifier: Set<Int>] = [:]
    private var followersOfAll: Set<Int> = []
    private var nextNumber = 0
    /// The number of entries at which entries of released listeners are removed.
    private var cleaningSize = 32
    private var relatedReaders = 0
    /// The number of listeners that require a value.
    private var requiring = 0
    private var index: ListenerIndex?

    /// Whether there was no listener yet, or all known ones are gone.
    var isEmpty: Bool { entries.isEmpty }

    /// Whether a listener has to know which properties changed.
    var readRelatedObjects: Bool { relatedReaders > 0 }

    /// Adds a listener, or changes what it follows.
    ///
    /// - Parameters:
    ///   - entities: the entities whose objects it follows, those of subentities not included; nil for all.
    ///   - readsRelatedObjects: whether it has to know which properties changed.
    ///   - required: what it requires of its objects; it is not notified of others.
    func add(
        _ listener: any ContextListener, following entities: [NSEntityDescription]?,
        readsRelatedObjects: Bool, requiring required: RequiredValue?
    ) {
        if entries.count >= cleaningSize {
            for (number, entry) in entries where entry.listener == nil { remove(number) }
            cleaningSize = max(32, 2 * entries.count)
        }
        if let known = numbers[ObjectIdentifier(listener)] { remove(known) }
        let entry = Entry(
            listener: listener, identity: ObjectIdentifier(listener),
            entities: entities.map { Set($0.map(ObjectIdentifier.init)) },
            readsRelatedObjects: readsRelatedObjects,
            required: entities == nil || readsRelatedObjects ? nil : required)
        entries[nextNumber] = entry
        numbers[ObjectIdentifier(listener)] = nextNumber
        if readsRelatedObjects { relatedReaders += 1 }
        if entry.required != nil {
            requiring += 1
            if index == nil, requiring > Self.indexSize { makeIndex() }
        }
        follow(nextNumber, entry)
        nextNumber += 1
    }

    private func follow(_ number: Int, _ entry: Entry) {
        guard let entities = entry.entities else {
            followersOfAll.insert(number)
            return
        }
        if let required = entry.required, index != nil {
            index?.add(number, required, entities, entry.listener?.members ?? [])
        } else {
            for entity in entities { followers[entity, default: []].insert(number) }
        }
    }

    private func makeIndex() {
        index = ListenerIndex()
        for (number, entry) in entries where entry.required != nil && number != nextNumber {
            for entity in entry.entities ?? [] { followers[entity]?.remove(number) }
            follow(number, entry)
        }
    }

    /// Notes that objects may have become members of a listener, or ceased to be.
    ///
    /// - Parameter isMember: whether the listener has an object now.
    func noteMembers(
        of listener: any ContextListener, _ objects: [NSManagedObject], _ isMember: (NSManagedObject) -> Bool
    ) {
        guard index != nil, let number = numbers[ObjectIdentifier(listener)], entries[number]?.required != nil
        else { return }
        for object in objects { index?.note(number, object, isMember: isMember(object)) }
    }

    private func remove(_ number: Int) {
        guard let entry = entries.removeValue(forKey: number) else { return }
        for entity in entry.entities ?? [] { followers[entity]?.remove(number) }
        followersOfAll.remove(number)
        numbers[entry.identity] = nil
        if entry.readsRelatedObjects { relatedReaders -= 1 }
        guard let required = entry.required else { return }
        requiring -= 1
        index?.remove(number, required, entry.entities ?? [])
        if requiring == 0 { index = nil }
    }

    func notify(_ changes: ContextChanges) {
        guard !entries.isEmpty else { return }
        if changes.invalidatedAll || changes.isUnbounded {
            for number in entries.keys.sorted() { entries[number]?.listener?.contextDidChange(changes) }
            return
        }
        let groups = changes.byEntity
        let found = indexed(changes)
        var concerned = followersOfAll.union(found.keys)
        for entity in groups.keys { concerned.formUnion(followers[entity] ?? []) }
        // Listeners may add themselves again while they are notified.
        let notified = concerned.sorted().compactMap { number in entries[number].map { (number, $0) } }
        for (number, entry) in notified {
            guard let listener = entry.listener else { continue }
            if let own = found[number] {
                listener.contextDidChange(own)
                continue
            }
            guard let entities = entry.entities else {
                listener.contextDidChange(changes)
                continue
            }
            var own = ContextChanges()
            for (entity, group) in groups where entities.contains(entity) { own.append(group) }
            listener.contextDidChange(entry.readsRelatedObjects ? own.withSlots(of: changes) : own)
        }
    }

    /// The changes for the listeners that are looked up by required values.
    private func indexed(_ changes: ContextChanges) -> [Int: ContextChanges] {
        var found: [Int: ContextChanges] = [:]
        guard index != nil else { return found }
        func add(_ path: WritableKeyPath<ContextChanges, [NSManagedObject]>, exists: Bool = true) {
            for object in changes[keyPath: path] {
                // Loading it may run code of its class, which may follow the context itself.
                let held = exists ? values(of: object) : []
                for number in index?.listeners(of: object, held) ?? [] {
                    found[number, default: ContextChanges()][keyPath: path].append(object)
                }
            }
        }
        add(\.inserted)
        add(\.updated)
        add(\.deleted, exists: false)
        add(\.refreshed)
        return found
    }

    private func values(of object: NSManagedObject) -> [(key: String, value: SlotValue)] {
        guard object.context != nil, let keys = index?.keys(of: object.entity), !keys.isEmpty else {
            return []
        }
        object.fireFault()
        return keys.compactMap { key in object.layout.index(of: key).map { (key, object.value(at: $0)) } }
    }
}
