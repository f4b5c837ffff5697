import CSwiftRuntime
import CocoaFoundation
import Foundation

/// The objects of a context, one for each identity, held weakly.
///
/// A released object removes itself, on any thread; hence the lock. A Swift `weak`
/// reference would cost each object a side table. Here the map keeps plain pointers: an entry is removed before
/// its object's memory goes, and `swift_tryRetain` refuses an object whose deinitialisation has begun.
///
/// An identity is that of one object. When another object gets it, the map returns the former one, which the context
/// discards: the map does not have it any more, so nothing else would clear its pointer to the context.
///
/// An object refers to the map, its registry, by a plain pointer. The map counts its objects, and keeps itself alive while there
/// are any: the last one releases it. It also keeps the entity bindings of its objects, so that these need not.
///
/// Invariant: no object is created, released or called while the lock is held.
package final class IdentityMap: @unchecked Sendable {
    private typealias Table = ObjectTable

    private let lock = SystemLock()
    @exclusivity(unchecked) private var tables: [UInt32: Table] = [:]
    /// The table that was used last, and its number: most objects have the neighbours of their kind around them.
    @exclusivity(unchecked) private var last: (number: UInt32, table: Table)? {
        didSet {
            lastNumber = last?.number ?? .max
            lastTable = last.map { .passUnretained($0.table) }
        }
    }
    /// The same, to be read without counting references: `tables` keeps all of its tables. No table has the number for none.
    @exclusivity(unchecked) private var lastNumber = UInt32.max
    @exclusivity(unchecked) private var lastTable: Unmanaged<Table>?
    /// The objects of the running batch that their stores will be notified of, in order; nil without a batch.
    @exclusivity(unchecked) private var unannounced:
        [UnsafeMutableRawPointer: (position: Int, storedEntity: StoredEntity, reference: Int64)]?
    private var lastIndex = 0
    /// How many objects have the map as their registry. It has a reference of itself while there are any.
    @exclusivity(unchecked) private var memberCount = 0
    /// How many objects have left the map before they were released, or changed their identities. To be read on the context's queue.
    @exclusivity(unchecked) private(set) var departures = 0
    /// The entity bindings that objects without references of their own may have.
    @exclusivity(unchecked) private var storedEntities: [ObjectIdentifier: StoredEntity] = [:]

    package init() {}

    deinit {
        assert(memberCount == 0, "The objects of the map keep it.")
        lock.destroy()
    }

    /// Makes an object one of the map's, if it is not yet. With the lock.
    @inline(__always)
    private func join(_ object: NSManagedObject) {
        if becomeRegistry(of: object) { countMembers(1) }
    }

    /// Makes the map the registry of an object; false if it is already. The caller counts the object.
    @inline(__always)
    private func becomeRegistry(of object: NSManagedObject) -> Bool {
        guard object.registryPointer == nil else {
            assert(
                object.registryPointer?.toOpaque() == Unmanaged.passUnretained(self).toOpaque(),
                "An object has one context, and one registry.")
            return false
        }
        object.setRegistry(.passUnretained(self))
        return true
    }

    /// Counts objects whose registry the map has become. With the lock.
    @inline(__always)
    private func countMembers(_ count: Int) {
        if memberCount == 0, count > 0 { _ = Unmanaged.passRetained(self) }
        memberCount += count
    }

    /// Counts an object no more; whether it was the last one. With the lock.
    private func leave(_ object: NSManagedObject) -> Bool {
        guard object.registryPointer != nil else { return false }
        memberCount -= 1
        return memberCount == 0
    }

    /// Ends being the registry of an object that has left. Without the lock; the caller has a reference of the map.
    private func endRegistry(of object: NSManagedObject, wasLast: Bool) {
        if object.registryPointer != nil { object.setRegistry(nil) }
        if wasLast { Unmanaged.passUnretained(self).release() }
    }

    /// Ends being the registry of an object that stays under its identity: the context goes.
    func disown(_ object: NSManagedObject) {
        lock.lock()
        let wasLast = leave(object)
        lock.unlock()
        endRegistry(of: object, wasLast: wasLast)
    }

    /// Keeps an entity binding for objects that have no references of it, as long as the context lives: an initialiser that is running
    /// may be of such an object.
    func keep(_ storedEntity: StoredEntity) {
        lock.lock()
        storedEntities[ObjectIdentifier(storedEntity)] = storedEntity
        lock.unlock()
    }

    /// The objects of one table, if there are any. With the lock.
    private func table(_ number: UInt32) -> Table? {
        if let last, last.number == number { return last.table }
        guard let table = tables[number] else { return nil }
        last = (number, table)
        return table
    }

    /// The objects of one table. With the lock.
    private func madeTable(_ number: UInt32) -> Table {
        if let table = table(number) { return table }
        let table = Table()
        tables[number] = table
        last = (number, table)
        return table
    }

    /// The object with this identity. O(1).
    package func object(_ key: ObjectKey) -> NSManagedObject? {
        lock.lock()
        let retained = table(key.table)?.object(key.reference).flatMap(swift_tryRetain)
        lock.unlock()
        return retained.map(Self.take)
    }

    /// The objects with these references in one table, nil where there is none; empty when the table has none at all. O(n),
    /// one lock.
    package func objects(table: UInt32, references: some Collection<Int64>) -> [NSManagedObject?] {
        lock.lock()
        guard let table = self.table(table), table.count > 0 else {
            lock.unlock()
            return []
        }
        var retained: [UnsafeMutableRawPointer?] = []
        retained.reserveCapacity(references.count)
        for reference in references { retained.append(table.object(reference).flatMap(swift_tryRetain)) }
        lock.unlock()
        return retained.map { $0.map(Self.take) }
    }

    /// Whether there is no object of a table.
    package func isEmpty(table number: UInt32) -> Bool {
        lock.lock()
        defer { lock.unlock() }
        return (table(number)?.count ?? 0) == 0
    }

    /// Adds an object under its present identity.
    ///
    /// - Returns: the other object that had the identity, if any.
    package func register(_ object: NSManagedObject) -> NSManagedObject? {
        let storedEntity = object.unretainedStoredEntity
        let number = storedEntity._withUnsafeGuaranteedRef { $0.table }
        let displaced: UnsafeMutableRawPointer?
        lock.lock()
        if let last, last.number == number {
            displaced = Self.set(Self.pointer(object), object.reference, in: last.table)
        } else {
            displaced = Self.set(Self.pointer(object), object.reference, in: madeTable(number))
        }
        join(object)
        lock.unlock()
        if storedEntity._withUnsafeGuaranteedRef({ $0.notifiesStore }) { announce([object]) }
        return displaced.map(Self.take)
    }

    /// Adds objects of one table. O(n), one lock.
    ///
    /// - Returns: other objects that had the identities, also those of the objects that come before another with the same
    ///   identity.
    package func register(_ objects: [NSManagedObject], table: UInt32) -> [NSManagedObject] {
        objects.withUnsafeBufferPointer { register($0, table: table) }
    }

    /// The same for objects that the caller keeps.
    func register(_ objects: UnsafeBufferPointer<NSManagedObject>, table: UInt32) -> [NSManagedObject] {
        guard let first = objects.first else { return [] }
        var displaced: [UnsafeMutableRawPointer] = []
        lock.lock()
        let entries = madeTable(table)
        entries.reserve(objects.count)
        add(objects, to: entries, &displaced)
        lock.unlock()
        if first.storedEntity.notifiesStore { announce(objects) }
        return displaced.map(Self.take)
    }

    /// Makes room for more objects of a table. O(n).
    func reserve(_ count: Int, table: UInt32) {
        lock.lock()
        madeTable(table).reserve(count)
        lock.unlock()
    }

    /// With the lock.
    private func add(
        _ objects: UnsafeBufferPointer<NSManagedObject>, to entries: Table,
        _ displaced: inout [UnsafeMutableRawPointer]
    ) {
        // The caller has the objects: no references are counted in a loop over very many.
        var joined = 0
        for index in objects.indices {
            // The objects and the table are far away, if they are many.
            if index + 16 < objects.count {
                coredata_prefetch(Self.pointer(objects[index + 16]))
                entries.approach(
                    Unmanaged.passUnretained(objects[index + 8])._withUnsafeGuaranteedRef { $0.reference }
                )
            }
            Unmanaged.passUnretained(objects[index])._withUnsafeGuaranteedRef { object in
                if let other = Self.set(Self.pointer(object), object.reference, in: entries) {
                    displaced.append(other)
                }
                if becomeRegistry(of: object) { joined += 1 }
            }
        }
        countMembers(joined)
    }

    /// Enters an object; the other object, retained, that was there. With the lock.
    @inline(__always)
    private static func set(
        _ pointer: UnsafeMutableRawPointer, _ reference: Int64, in entries: Table
    ) -> UnsafeMutableRawPointer? {
        guard let former = entries.add(pointer, reference), former != pointer else { return nil }
        return swift_tryRetain(former)
    }

    // MARK: Notifying stores

    /// Notifies stores once of the objects that a block registers, when it has ended. Blocks may be nested.
    package func collectingRegistrations<Value>(_ body: () throws -> Value) rethrows -> Value {
        lock.lock()
        let isOuter = unannounced == nil
        if isOuter { unannounced = [:] }
        lock.unlock()
        defer { if isOuter { announceCollected() } }
        return try body()
    }

    private func announceCollected() {
        lock.lock()
        let registered = unannounced ?? [:]
        unannounced = nil
        lock.unlock()
        guard !registered.isEmpty else { return }
        let collected = registered.values.sorted { $0.position < $1.position }
        StoredEntity.noteRegistered(collected.map { ($0.storedEntity, $0.reference) })
    }

    private func announce(_ objects: some Collection<NSManagedObject>) {
        lock.lock()
        let isCollecting = unannounced != nil
        if isCollecting {
            for object in objects {
                lastIndex += 1
                unannounced?[Self.pointer(object)] = (lastIndex, object.storedEntity, object.reference)
            }
        }
        lock.unlock()
        if !isCollecting { StoredEntity.noteRegistered(objects.map { ($0.storedEntity, $0.reference) }) }
    }

    /// Changes the identities of objects. O(n), one lock.
    ///
    /// - Returns: other objects that had the identities, also those of the list that come before another with the same
    ///   identity.
    package func rename(
        _ names: [(object: NSManagedObject, storedEntity: StoredEntity, reference: Int64)]
    ) -> [NSManagedObject] {
        defer { IdentityChanges.note() }
        var displaced: [UnsafeMutableRawPointer] = []
        guard names.count > 1,
            !names.contains(where: { $0.object.storedEntity.notifiesStore || $0.storedEntity.notifiesStore })
        else {
            // All are removed before one is added: they may exchange their identities.
            for (object, _, _) in names { forget(object) }
            return names.compactMap { object, storedEntity, reference in
                object.storedEntity = storedEntity
                object.reference = reference
                return register(object)
            }
        }
        // The caller has the objects and their new entities: no references are counted in loops over very many.
        let pointers = names.map { (Self.pointer($0.object), $0.storedEntity.table, $0.reference) }
        lock.lock()
        for (pointer, _, _) in pointers {
            Unmanaged<NSManagedObject>.fromOpaque(pointer)._withUnsafeGuaranteedRef { object in
                table(object.storedEntity.table)?.remove(pointer, object.reference)
            }
        }
        if let (_, table, _) = pointers.first { madeTable(table).reserve(pointers.count) }
        for (pointer, table, reference) in pointers {
            Unmanaged<NSManagedObject>.fromOpaque(pointer)._withUnsafeGuaranteedRef { object in
                object.reference = reference
                if let other = Self.set(pointer, reference, in: madeTable(table)) {
                    displaced.append(other)
                }
                join(object)
            }
        }
        lock.unlock()
        for (object, storedEntity, _) in names {
            object.storedEntity = storedEntity
        }
        return displaced.map(Self.take)
    }

    /// Gives new objects of the map the identities of the rows that a save has written. O(n), one lock. The map keeps their entity
    /// bindings.
    ///
    /// - Parameters:
    ///   - rows: one for each object.
    ///   - runs: the entity bindings of the rows; no store of them is notified of objects.
    /// - Returns: other objects that had the identities, also those of the list that come before another with the same
    ///   identity.
    func adopt(
        _ objects: [NSManagedObject], _ rows: [Row], _ runs: EntityRuns
    ) -> [NSManagedObject] {
        defer { IdentityChanges.note() }
        var displaced: [UnsafeMutableRawPointer] = []
        // The former bindings of the objects, with the number of references to release.
        var former: [(storedEntity: Unmanaged<StoredEntity>, count: Int)] = []
        lock.lock()
        // The new objects of the context are in one table. Mostly all of them are saved: then it goes as a whole.
        let unsaved = table(0)
        let isAll = unsaved?.count == objects.count
        // Then it can become the table of the saved ones.
        if isAll, let unsaved, let number = runs.first?.storedEntity.table,
            table(number)?.count ?? 0 == 0
        {
            unsaved.removeAll()
            tables[number] = unsaved
            (tables[0], last) = (nil, nil)
        }
        for run in runs {
            storedEntities[ObjectIdentifier(run.storedEntity)] = run.storedEntity
            let kept = Unmanaged.passUnretained(run.storedEntity)
            let entries = madeTable(run.storedEntity.table)
            entries.reserve(run.indexes.count)
            for index in run.indexes {
                if index + 8 < objects.count {
                    Unmanaged.passUnretained(objects[index + 8]).approach()
                    entries.approach(rows[index + 8].reference)
                }
                let pointer = Self.pointer(objects[index])
                let reference = rows[index].reference
                Unmanaged<NSManagedObject>.fromOpaque(pointer)._withUnsafeGuaranteedRef { object in
                    assert(object.isNewInRegistry, "An object that is not saved is in the table of these.")
                    if !isAll { unsaved?.remove(pointer, object.reference) }
                    object.reference = reference
                    if let other = Self.set(pointer, reference, in: entries) { displaced.append(other) }
                    guard let released = object.adopt(kept) else { return }
                    if former.last?.storedEntity.toOpaque() != released.toOpaque() {
                        former.append((released, 0))
                    }
                    former[former.count - 1].count += 1
                }
            }
        }
        if isAll { (tables[0], last) = (nil, nil) }
        lock.unlock()
        for (storedEntity, count) in former { for _ in 0..<count { storedEntity.release() } }
        return displaced.map(Self.take)
    }

    /// Removes an object; nothing if another one has taken its identity since.
    package func forget(_ object: NSManagedObject) {
        let pointer = Self.pointer(object)
        let table = object.storedEntity.table
        let reference = object.reference
        lock.lock()
        self.table(table)?.remove(pointer, reference)
        // A store that was not notified of an object need not be notified of its end.
        let isUnannounced = unannounced?.removeValue(forKey: pointer) != nil
        let wasLast = leave(object)
        departures += 1
        lock.unlock()
        endRegistry(of: object, wasLast: wasLast)
        if object.storedEntity.notifiesStore, !isUnannounced {
            StoredEntity.noteUnregistered([(object.storedEntity, object.reference)])
        }
    }

    /// Removes an object that is being released: nothing else has it.
    ///
    /// - Returns: whether it was the last object: the caller releases the map then, and uses neither the map nor an entity
    ///   binding that the map keeps afterwards.
    func forgetReleased(_ object: NSManagedObject) -> Bool {
        let storedEntity = object.unretainedStoredEntity
        let table = storedEntity._withUnsafeGuaranteedRef { $0.table }
        let pointer = Self.pointer(object)
        let reference = object.reference
        lock.lock()
        // `tables` keeps the table: no reference is counted.
        let entries = lastNumber == table ? lastTable : self.table(table).map(Unmanaged.passUnretained)
        entries?._withUnsafeGuaranteedRef { $0.remove(pointer, reference) }
        // A store that was not notified of an object need not be notified of its end.
        if unannounced != nil { unannounced?.removeValue(forKey: pointer) }
        memberCount -= 1
        let wasLast = memberCount == 0
        lock.unlock()
        return wasLast
    }

    /// Removes an object that is being released, and notifies its store. The map still counts it.
    func announceEnd(of object: NSManagedObject) {
        let (storedEntity, reference) = (object.storedEntity, object.reference)
        let pointer = Self.pointer(object)
        lock.lock()
        self.table(storedEntity.table)?.remove(pointer, reference)
        let isUnannounced = unannounced?.removeValue(forKey: pointer) != nil
        lock.unlock()
        if !isUnannounced { StoredEntity.noteUnregistered([(storedEntity, reference)]) }
    }

    /// All objects that are alive. O(n).
    package var all: [NSManagedObject] {
        lock.lock()
        var retained: [UnsafeMutableRawPointer] = []
        for table in tables.values where table.count > 0 {
            table.forEach { pointer in if let object = swift_tryRetain(pointer) { retained.append(object) } }
        }
        lock.unlock()
        return retained.map(Self.take)
    }

    private static func pointer(_ object: NSManagedObject) -> UnsafeMutableRawPointer {
        Unmanaged.passUnretained(object).toOpaque()
    }

    private static func take(_ pointer: UnsafeMutableRawPointer) -> NSManagedObject {
        Unmanaged<NSManagedObject>.fromOpaque(pointer).takeRetainedValue()
    }
}
