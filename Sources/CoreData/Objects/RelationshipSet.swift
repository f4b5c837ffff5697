import Foundation

/// What `mutableSetValue(forKey:)` gives: a set whose changes go to the object.
final class RelationshipSet: NSMutableSet {
    private let owner: NSManagedObject
    private let slot: Int

    init(owner: NSManagedObject, slot: Int) {
        self.owner = owner
        self.slot = slot
        super.init(capacity: 0)
    }

    required init(capacity numItems: Int) {
        fatalError("A relationship's set is made by mutableSetValue(forKey:) alone.")
    }

    required init?(coder: NSCoder) {
        // An archive holds plain sets; there is no object to edit.
        return nil
    }

    private var members: Set<NSManagedObject> {
        owner.fireFault()
        return owner.loadedToMany(at: slot).members
    }

    override var count: Int { members.count }

    override func member(_ object: Any) -> Any? {
        (object as? NSManagedObject).flatMap { members.contains($0) ? $0 : nil }
    }

    override func objectEnumerator() -> NSEnumerator { NSSet(set: members).objectEnumerator() }

    override func add(_ object: Any) { owner.addDestination(checked(object), at: slot) }

    override func remove(_ object: Any) {
        if let object = object as? NSManagedObject { owner.dropDestination(object, at: slot) }
    }

    override func copy(with zone: NSZone? = nil) -> Any { NSSet(set: members) }

    override func mutableCopy(with zone: NSZone? = nil) -> Any { NSMutableSet(set: members) }

    private func checked(_ object: Any) -> NSManagedObject {
        do {
            let info = owner.layout.slots[slot]
            if let destination = try owner.destinations(from: object, info).first { return destination }
            fatalError("nil cannot be added to relationship '\(info.name)'.")
        } catch {
            fatalError(error.localizedDescription)
        }
    }
}

/// What `mutableOrderedSetValue(forKey:)` gives: an ordered set whose changes go to the object.
final class RelationshipOrderedSet: NSMutableOrderedSet {
    private let owner: NSManagedObject
    private let slot: Int

    init(owner: NSManagedObject, slot: Int) {
        self.owner = owner
        self.slot = slot
        super.init(capacity: 0)
    }

    required init?(coder: NSCoder) { return nil }

    required init(arrayLiteral elements: Any...) {
        fatalError("A relationship's ordered set is made by mutableOrderedSetValue(forKey:) alone.")
    }

    private var order: [NSManagedObject] {
        owner.fireFault()
        return owner.loadedToMany(at: slot).order
    }

    override var count: Int { order.count }

    override func object(at index: Int) -> Any { order[index] }

    override func index(of object: Any) -> Int {
        (object as? NSManagedObject).flatMap { order.firstIndex(of: $0) } ?? NSNotFound
    }

    override func insert(_ object: Any, at index: Int) {
        guard let destination = checked(object), !order.contains(destination) else { return }
        owner.addDestination(destination, at: slot, index: index)
    }

    override func removeObject(at index: Int) { owner.dropDestination(order[index], at: slot) }

    override func replaceObject(at index: Int, with object: Any) {
        var objects = order
        guard let destination = checked(object) else { return }
        objects[index] = destination
        owner.setToMany(objects, at: slot)
    }

    private func checked(_ object: Any) -> NSManagedObject? {
        do {
            return try owner.destinations(from: object, owner.layout.slots[slot]).first
        } catch {
            fatalError(error.localizedDescription)
        }
    }
}
