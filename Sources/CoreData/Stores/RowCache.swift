import Foundation

/// The rows of a store that were read or written last, shared by all contexts, so that loading a fault need not ask
/// the store.
///
/// It is bounded by cost. New rows go into a young generation; when that is half full, it becomes the old one and
/// the rows of the former old one that nobody asked for meanwhile are dropped.
package final class RowCache: @unchecked Sendable {
    private let lock = NSLock()
    private var young: [ObjectKey: Row] = [:]
    private var old: [ObjectKey: Row] = [:]
    private var youngCost = 0
    private let limit: Int

    /// - Parameter limit: the memory that the rows of both generations may take, in bytes.
    package init(limit: Int = 64 << 20) { self.limit = limit }

    /// The row of an object, if it is there. O(1).
    package func row(_ key: ObjectKey) -> Row? {
        lock.withLock {
            if let row = young[key] { return row }
            guard let row = old.removeValue(forKey: key) else { return nil }
            add(row, key)
            return row
        }
    }

    /// Adds the rows of one table, in place of older ones.
    package func insert(_ rows: [Row], table: UInt32) {
        lock.withLock {
            for row in rows { add(row, ObjectKey(table: table, reference: row.reference)) }
        }
    }

    package func remove(_ keys: [ObjectKey]) {
        lock.withLock {
            for key in keys {
                if let row = young.removeValue(forKey: key) { youngCost -= row.cost }
                old[key] = nil
            }
        }
    }

    package func removeAll() {
        lock.withLock {
            young = [:]
            old = [:]
            youngCost = 0
        }
    }

    private func add(_ row: Row, _ key: ObjectKey) {
        if let replaced = young.updateValue(row, forKey: key) { youngCost -= replaced.cost }
        youngCost += row.cost
        guard youngCost > limit / 2 else { return }
        old = young
        young = [:]
        youngCost = 0
    }
}
