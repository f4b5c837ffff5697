import Foundation

/// The result of `mutableOrderedSetValue(forKey:)`: an ordered set whose changes are applied to the object.
///
/// Foundation's ordered set reads its own storage in `array`, `firstObject`, `objectEnumerator()` and others that a
/// subclass cannot override. So this one keeps a copy of the relationship there, which the object updates with every change.
/// When the object becomes a fault, the copy stays as it is until another method than those is called.
final class RelationshipOrderedSet: NSMutableOrderedSet {
    let owner: NSManagedObject
    let slot: Int
    /// Whether the owner has discarded its destinations since the copy was made.
    private var isStale = true

    init(owner: NSManagedObject, slot: Int) {
        self.owner = owner
        self.slot = slot
        super.init(capacity: 0)
        refill()
    }

    required init?(coder: NSCoder) {
        // An archive holds plain ordered sets; there is no object to edit.
        return nil
    }

    required init(arrayLiteral elements: Any...) {
        fatalError("A relationship's ordered set is made by mutableOrderedSetValue(forKey:) alone.")
    }

    private var order: [NSManagedObject] {
        owner.fireFault()
        return owner.loadedToMany(at: slot).order
    }

    // MARK: The copy

    /// Renews the copy.
    func refill() {
        isStale = false
        let order = order
        while super.count > 0 { super.removeObject(at: super.count - 1) }
        for (index, object) in order.enumerated() { super.insert(object, at: index) }
    }

    func mirrorInsertion(of object: NSManagedObject, at index: Int) {
        if isStale { refill() } else { super.insert(object, at: index) }
    }

    func mirrorRemoval(at index: Int) {
        if isStale { refill() } else { super.removeObject(at: index) }
    }

    /// The owner's destinations are to be loaded again before they are read.
    func markStale() { isStale = true }

    private func refresh() {
        if isStale { refill() }
    }

    // MARK: Reading

    override var count: Int {
        refresh()
        return super.count
    }

    override func object(at index: Int) -> Any {
        refresh()
        return super.object(at: index)
    }

    override func index(of object: Any) -> Int {
        refresh()
        return super.index(of: object)
    }

    override func contains(_ object: Any) -> Bool {
        refresh()
        return super.contains(object)
    }

    override func copy(with zone: NSZone? = nil) -> Any { NSOrderedSet(array: order) }

    override func mutableCopy(with zone: NSZone? = nil) -> Any { NSMutableOrderedSet(array: order) }

    // MARK: One change

    override func insert(_ object: Any, at index: Int) {
        owner.addDestination(owner.destination(object, at: slot), at: slot, index: index)
    }

    override func removeObject(at index: Int) { owner.dropDestination(order[index], at: slot) }

    override func replaceObject(at index: Int, with object: Any) {
        edit { $0.replaceObject(at: index, with: object) }
    }

    override func setObject(_ object: Any, at index: Int) { edit { $0.setObject(object, at: index) } }

    override subscript(index: Int) -> Any {
        get { self.object(at: index) }
        set { edit { $0[index] = newValue } }
    }

    override func add(_ object: Any) { owner.addDestination(owner.destination(object, at: slot), at: slot) }

    override func remove(_ object: Any) {
        if let object = object as? NSManagedObject { owner.dropDestination(object, at: slot) }
    }

    // MARK: Many changes at once

    /// Lets Foundation change a copy, and sets the relationship to the result.
    private func edit(_ body: (NSMutableOrderedSet) -> Void) {
        let copy = NSMutableOrderedSet(array: order)
        body(copy)
        owner.setToMany(copy.array.map { owner.destination($0, at: slot) }, at: slot)
    }

    override func add(_ objects: UnsafePointer<AnyObject>?, count: Int) {
        edit { $0.add(objects, count: count) }
    }

    override func addObjects(from array: [Any]) { edit { $0.addObjects(from: array) } }

    override func exchangeObject(at first: Int, withObjectAt second: Int) {
        edit { $0.exchangeObject(at: first, withObjectAt: second) }
    }

    override func moveObjects(at indexes: IndexSet, to index: Int) {
        edit { $0.moveObjects(at: indexes, to: index) }
    }

    override func insert(_ objects: [Any], at indexes: IndexSet) { edit { $0.insert(objects, at: indexes) } }

    override func replaceObjects(
        in range: NSRange, with objects: UnsafePointer<AnyObject>!, count: Int
    ) { edit { $0.replaceObjects(in: range, with: objects, count: count) } }

    override func replaceObjects(at indexes: IndexSet, with objects: [Any]) {
        edit { $0.replaceObjects(at: indexes, with: objects) }
    }

    override func removeObjects(in range: NSRange) { edit { $0.removeObjects(in: range) } }

    override func removeObjects(at indexes: IndexSet) { edit { $0.removeObjects(at: indexes) } }

    override func removeAllObjects() { owner.setToMany([], at: slot) }

    override func removeObjects(in array: [Any]) { edit { $0.removeObjects(in: array) } }

    // Foundation's own versions of these do not terminate when objects are removed.

    override func intersect(_ other: NSOrderedSet) { keep { other.contains($0) } }

    override func minus(_ other: NSOrderedSet) { keep { !other.contains($0) } }

    override func union(_ other: NSOrderedSet) { append((0..<other.count).map { other.object(at: $0) }) }

    override func intersectSet(_ other: Set<AnyHashable>) { keep { other.contains($0) } }

    override func minusSet(_ other: Set<AnyHashable>) { keep { !other.contains($0) } }

    override func unionSet(_ other: Set<AnyHashable>) { append(other.map(\.base)) }

    private func keep(_ isKept: (NSManagedObject) -> Bool) { owner.setToMany(order.filter(isKept), at: slot) }

    private func append(_ objects: [Any]) {
        var order = order
        var members = Set(order.map(ObjectIdentifier.init))
        for object in objects.map({ owner.destination($0, at: slot) })
        where members.insert(ObjectIdentifier(object)).inserted {
            order.append(object)
        }
        owner.setToMany(order, at: slot)
    }

    override func sort(comparator: (Any, Any) -> ComparisonResult) {
        edit { $0.sort(comparator: comparator) }
    }

    override func sort(
        options: NSSortOptions = [], usingComparator comparator: (Any, Any) -> ComparisonResult
    ) {
        edit { $0.sort(options: options, usingComparator: comparator) }
    }

    override func sortRange(
        _ range: NSRange, options: NSSortOptions = [],
        usingComparator comparator: (Any, Any) -> ComparisonResult
    ) { edit { $0.sortRange(range, options: options, usingComparator: comparator) } }

    override func sort(using sortDescriptors: [NSSortDescriptor]) { edit { $0.sort(using: sortDescriptors) } }
}

extension NSManagedObject {
    /// The ordered set that edits a relationship; the same one as long as it is in use, and until the end of the
    /// event, so that a loop that requests it repeatedly does not copy the relationship each time.
    final func orderedSet(at slot: Int) -> RelationshipOrderedSet {
        if let made = liveOrderedSet(at: slot) { return made }
        let made = RelationshipOrderedSet(owner: self, slot: slot)
        madeExtras.orderedSets.removeAll { $0.set == nil }
        madeExtras.orderedSets.append(WeakOrderedSet(set: made))
        context?.keepUntilEventEnds(made)
        return made
    }

    /// The ordered set that was made for a relationship and is still in use.
    final func liveOrderedSet(at slot: Int) -> RelationshipOrderedSet? {
        guard let sets = extras?.orderedSets, !sets.isEmpty else { return nil }
        return sets.lazy.compactMap(\.set).first { $0.slot == slot }
    }

    /// Marks the ordered sets, so that they load the destinations again.
    final func markOrderedSetsStale() {
        for entry in extras?.orderedSets ?? [] { entry.set?.markStale() }
    }
}

/// A weak reference of an object to an ordered set.
struct WeakOrderedSet {
    weak var set: RelationshipOrderedSet?
}
