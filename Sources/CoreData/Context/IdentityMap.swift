import CocoaFoundation
import CSwiftRuntime
import Foundation

/// The objects of a context, one for each identity, held weakly.
///
/// An object that is released takes itself out, on whatever thread that happens; hence the lock. A Swift `weak`
/// reference would cost each object a side table. Here the map keeps plain pointers: an entry is removed before
/// its object's memory goes, and `swift_tryRetain` refuses an object whose deinitialisation has begun.
///
/// Invariant: no object is created, released or called while the lock is held.
package final class IdentityMap: @unchecked Sendable {
    private typealias Table = ReferenceMap<UnsafeMutableRawPointer>

    private let lock = NSLock()
    @exclusivity(unchecked) private var tables: [UInt32: Table] = [:]
    /// The table that was used last, and its number: most objects have the neighbours of their kind around them.
    @exclusivity(unchecked) private var last: (number: UInt32, table: Table)?
    /// The objects of the running batch of which their stores will be told, in their order; nil without one.
    @exclusivity(unchecked) private var unannounced: [ObjectKey: (place: Int, home: StoredEntity)]?
    private var lastPlace = 0

    package init() {}

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
        let retained = table(key.table)?.value(key.reference).flatMap(swift_tryRetain)
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
        for reference in references { retained.append(table.value(reference).flatMap(swift_tryRetain)) }
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
    package func register(_ object: NSManagedObject) {
        lock.lock()
        madeTable(object.home.table).set(Self.pointer(object), for: object.reference)
        lock.unlock()
        object.registry = self
        if object.home.tellsStore { announce([object]) }
    }

    /// Adds objects of one table. O(n), one lock.
    package func register(_ objects: [NSManagedObject], table: UInt32) {
        guard !objects.isEmpty else { return }
        lock.lock()
        let entries = madeTable(table)
        entries.reserve(objects.count)
        for object in objects { entries.set(Self.pointer(object), for: object.reference) }
        lock.unlock()
        for object in objects { object.registry = self }
        if objects[0].home.tellsStore { announce(objects) }
    }

    // MARK: Telling stores

    /// Tells stores of the objects that a block registers once, when it has ended. Blocks may be nested.
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
        let collected = (unannounced ?? [:]).sorted { $0.value.place < $1.value.place }
        unannounced = nil
        lock.unlock()
        StoredEntity.noteRegistered(collected.map { ($0.value.home, $0.key.reference) })
    }

    private func announce(_ objects: [NSManagedObject]) {
        lock.lock()
        let isCollecting = unannounced != nil
        if isCollecting {
            for object in objects {
                lastPlace += 1
                unannounced?[object.key] = (lastPlace, object.home)
            }
        }
        lock.unlock()
        if !isCollecting { StoredEntity.noteRegistered(objects.map { ($0.home, $0.reference) }) }
    }

    /// Gives objects other identities. O(n), one lock.
    package func rename(_ names: [(object: NSManagedObject, home: StoredEntity, reference: Int64)]) {
        defer { IdentityChanges.note() }
        guard names.count > 1, !names.contains(where: { $0.object.home.tellsStore || $0.home.tellsStore })
        else {
            for (object, home, reference) in names {
                forget(object)
                object.home = home
                object.reference = reference
                register(object)
            }
            return
        }
        lock.lock()
        for (object, _, _) in names {
            let pointer = Self.pointer(object)
            if let entries = table(object.home.table), entries.value(object.reference) == pointer {
                entries.remove(object.reference)
            }
        }
        for (object, home, reference) in names {
            madeTable(home.table).set(Self.pointer(object), for: reference)
        }
        lock.unlock()
        for (object, home, reference) in names {
            object.home = home
            object.reference = reference
            object.registry = self
        }
    }

    /// Removes an object; nothing if another one has taken its identity since.
    package func forget(_ object: NSManagedObject) {
        let pointer = Self.pointer(object)
        let table = object.home.table
        let reference = object.reference
        lock.lock()
        if let entries = self.table(table), entries.value(reference) == pointer { entries.remove(reference) }
        // A store that was not told of an object need not be told of its end.
        let isUnannounced =
            unannounced?.removeValue(forKey: ObjectKey(table: table, reference: reference)) != nil
        lock.unlock()
        object.registry = nil
        if object.home.tellsStore, !isUnannounced {
            StoredEntity.noteUnregistered([(object.home, object.reference)])
        }
    }

    /// All objects that are alive. O(n).
    package var all: [NSManagedObject] {
        lock.lock()
        var retained: [UnsafeMutableRawPointer] = []
        for table in tables.values {
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
