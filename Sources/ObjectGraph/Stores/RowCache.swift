import CSwiftRuntime
import Foundation

/// The rows of a store that were read or written last, shared by all contexts, so that loading a fault need not query the
/// store.
///
/// It is bounded by cost. New rows go into a young generation; when that is half full, it becomes the old one and
/// the rows of the former old one that were not read meanwhile are dropped.
///
/// Readers do not wait for writers: a reader may return with rows that a save has replaced meanwhile. It passes
/// the state that the cache had when it began to read; when there was a save since, its rows are left out. Other processes
/// save too, and of two readers the one that began first may return last: its rows do not replace those of the other one.
package final class RowCache: @unchecked Sendable {
    /// Changes with every save.
    package struct State: Equatable {
        fileprivate var saves = 0
        /// The number of the read.
        fileprivate var read = 0

        /// Whether there was no save in between.
        package static func == (left: State, right: State) -> Bool { left.saves == right.saves }
    }

    // What follows is read and written with the lock, which the compiler's checks at run time cannot know.

    private let lock = NSLock()
    @exclusivity(unchecked) private var contents: Contents
    @exclusivity(unchecked) private var current = State()
    /// The last read, in the order in which they began, whose rows are here.
    @exclusivity(unchecked) private var lastRead = 0

    /// - Parameter limit: the memory that the rows of both generations may take, in bytes.
    package init(limit: Int = 64 << 20) { contents = Contents(limit: limit) }

    /// The state for `insert(_:table:readAt:)`; get it before the reading begins.
    package var state: State {
        lock.withLock {
            current.read += 1
            return current
        }
    }

    /// The row of an object, if it is cached. O(1).
    package func row(_ key: ObjectKey) -> Row? { lock.withLock { contents.row(key) } }

    /// Has the rows of some objects brought near that will be read soon, one by one and in any order: each would wait for its memory.
    /// O(n).
    package func approachRows(_ table: UInt32, _ keys: [(entityNumber: Int32, reference: Int64)]) {
        // More would not be near any more when they are read.
        guard keys.count <= 2048 else { return }
        lock.withLock { contents.approachRows(table, keys) }
    }

    /// Adds rows of one table that were read, replacing older ones; does nothing if there was a save in between.
    package func insert(_ rows: RowList, table: UInt32, readAt state: State) {
        lock.withLock {
            guard state == current, !rows.isEmpty else { return }
            if state.read >= lastRead {
                lastRead = state.read
                contents.add(rows, table)
            } else {
                contents.addMissing(rows, table)
            }
        }
    }

    /// Applies what a save wrote, all at once.
    package func update(_ body: (inout Contents) -> Void) {
        lock.withLock {
            current.saves += 1
            body(&contents)
        }
    }

    package func removeAll() { update { $0.removeAll() } }

    /// The rows of both generations.
    package struct Contents {
        private typealias Tables = [UInt32: RowTable]

        private var recent: Tables = [:]
        private var old: Tables = [:]
        private var recentCost = 0
        /// The table of `recent` that was used last.
        private var last: (number: UInt32, rows: RowTable)?
        private let limit: Int

        fileprivate init(limit: Int) { self.limit = limit }

        /// The row of an object, if it is cached. O(1).
        package mutating func row(_ key: ObjectKey) -> Row? {
            if let last, last.number == key.table {
                if let row = last.rows.row(key.reference) { return row }
            } else if let rows = recent[key.table] {
                last = (key.table, rows)
                if let row = rows.row(key.reference) { return row }
            }
            guard let row = old[key.table]?.remove(key.reference) else { return nil }
            add(row, key.table)
            return row
        }

        fileprivate func approachRows(_ table: UInt32, _ keys: [(entityNumber: Int32, reference: Int64)]) {
            recent[table]?.approachRows(keys)
            old[table]?.approachRows(keys)
        }

        /// Adds a row, replacing an older one. O(1).
        package mutating func add(_ row: Row, _ table: UInt32) {
            var rowsOfTable = recentTable(table)
            row.reading { row in
                row.block.retain(1)
                enter(row, in: .passUnretained(rowsOfTable))?.block.release()
            }
            ageIfFull(&rowsOfTable, table)
        }

        /// Adds rows of one table, replacing older ones. O(n).
        package mutating func add(_ rows: ArraySlice<Row>, _ table: UInt32) {
            let (rows, left) = newest(of: rows)
            for row in left where hasRows(table) { remove(ObjectKey(table: table, reference: row.reference)) }
            // The list has the rows.
            var pointers: ContiguousArray<RowPointer> = []
            pointers.reserveCapacity(rows.count)
            for index in rows.indices { pointers.append(rows[index].pointer) }
            withExtendedLifetime(rows) { pointers.withUnsafeBufferPointer { add($0, table) } }
        }

        /// Adds rows of one table, replacing older ones. O(n).
        fileprivate mutating func add(_ rows: RowList, _ table: UInt32) {
            rows.withPointers { add($0, table) }
        }

        /// Adds rows of one table, which the caller keeps until this returns, replacing older ones. O(n).
        private mutating func add(_ rows: UnsafeBufferPointer<RowPointer>, _ table: UInt32) {
            guard let first = rows.first else { return }
            var rowsOfTable = recentTable(table)
            makeRoom(for: rows.count, like: first, in: rowsOfTable)
            // `recent` has the table: no references are counted for each row.
            var present = Unmanaged.passUnretained(rowsOfTable)
            var coming = BlockReferences()
            var going = BlockReferences()
            for (index, row) in rows.enumerated() {
                // What is read of the rows, the table and the rows that they replace is far away, and does not depend on what is
                // done now.
                if index + 24 < rows.count {
                    coredata_prefetch(rows[index + 24].words)
                    present._withUnsafeGuaranteedRef {
                        $0.approach(rows[index + 16].reference)
                        $0.approachFormer(rows[index + 8].reference)
                    }
                }
                coming.add(row) { $0.retain($1) }
                if let replaced = enter(row, in: present) {
                    // It may be one of these rows, which the table has no reference of until it is counted.
                    going.add(replaced) { block, count in
                        coming.end { $0.retain($1) }
                        block.release(count)
                    }
                }
                guard recentCost > limit / 2 else { continue }
                // A table that goes gives back the references of all its rows.
                coming.end { $0.retain($1) }
                ageIfFull(&rowsOfTable, table)
                makeRoom(for: rows.count - index - 1, like: row, in: rowsOfTable)
                present = .passUnretained(rowsOfTable)
            }
            coming.end { $0.retain($1) }
            going.end { $0.release($1) }
        }

        /// Makes room for the next rows of a table, which are about as large as each other: no more than a generation can hold, and
        /// none for those that may replace present ones.
        private func makeRoom(for count: Int, like row: RowPointer, in rows: RowTable) {
            rows.reserve(max(0, min(count, limit / 2 / row.cost) - rows.count))
        }

        /// The last rows of a list, as many as both generations can hold, and those before them, which would be dropped at once. O(n).
        private func newest(of rows: ArraySlice<Row>) -> (kept: ArraySlice<Row>, left: ArraySlice<Row>) {
            // A row takes at least this much.
            guard rows.count > limit / Row.leastCost else { return (rows, []) }
            var start = rows.endIndex
            var cost = 0
            // A generation may exceed its half by one row.
            while start > rows.startIndex, cost <= limit - limit / 8 {
                start -= 1
                cost += rows[start].cost
            }
            return (rows[start...], rows[..<start])
        }

        /// Whether any row of a table is cached.
        private func hasRows(_ table: UInt32) -> Bool {
            recent[table]?.count ?? 0 > 0 || old[table]?.count ?? 0 > 0
        }

        /// Enters a row, for which the caller counts a reference of its block; it gives back that of the returned row, which this one
        /// replaces.
        @inline(__always)
        private mutating func enter(_ row: RowPointer, in rowsOfTable: Unmanaged<RowTable>) -> RowPointer? {
            recentCost += row.cost
            let replaced = rowsOfTable._withUnsafeGuaranteedRef { $0.add(row) }
            if let replaced { recentCost -= replaced.cost }
            return replaced
        }

        /// Makes the recent rows of all tables the old ones if they are too many, and begins a new table.
        @inline(__always)
        private mutating func ageIfFull(_ rowsOfTable: inout RowTable, _ table: UInt32) {
            guard recentCost > limit / 2 else { return }
            old = recent
            recent = [:]
            last = nil
            recentCost = 0
            rowsOfTable = recentTable(table)
        }

        /// Adds the rows of one table that are not cached. O(n).
        fileprivate mutating func addMissing(_ rows: RowList, _ table: UInt32) {
            let missing = rows.filter {
                recent[table]?.row($0.reference) == nil && old[table]?.row($0.reference) == nil
            }
            add(RowList(missing), table)
        }

        private mutating func recentTable(_ number: UInt32) -> RowTable {
            if let last, last.number == number { return last.rows }
            let table = recent[number] ?? RowTable()
            recent[number] = table
            last = (number, table)
            return table
        }

        package mutating func remove(_ key: ObjectKey) {
            if let row = recent[key.table]?.remove(key.reference) { recentCost -= row.cost }
            old[key.table]?.remove(key.reference)
        }

        fileprivate mutating func removeAll() {
            recent = [:]
            last = nil
            old = [:]
            recentCost = 0
        }
    }
}
