import Foundation

/// The result of `mutableSetValue(forKey:)`: a set whose changes are applied to the object.
///
/// It holds nothing itself, so that adding a new object, or one whose other end leads to one object, does not load the
/// others. A cast to a Swift `Set` bypasses it and is empty: use `allObjects`, or `value(forKey:)`.
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

    override func add(_ object: Any) { owner.addDestination(owner.destination(object, at: slot), at: slot) }

    override func remove(_ object: Any) {
        if let object = object as? NSManagedObject { owner.dropDestination(object, at: slot) }
    }

    override var description: String { NSSet(set: members).description }

    override func copy(with zone: NSZone? = nil) -> Any { NSSet(set: members) }

    override func mutableCopy(with zone: NSZone? = nil) -> Any { NSMutableSet(set: members) }
}
