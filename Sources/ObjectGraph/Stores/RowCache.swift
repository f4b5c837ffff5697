import CSwiftRuntime
import Foundation

/// The rows of a store that were read or written last, shared by all contexts, so that loading a fault need not query the
/// store.
///
/// It is bounded by cost. New rows go into a young generation; when that is half full, it becomes the old one and
/// the rows of the former old one that were not read meanwhile are dropped.
///
/// The rows of a large fetch wait as a list. They get entries in a hash table when a few rows of the same table are added or removed, or
/// when many rows have been looked for; this takes as long as it would have taken the fetch. Mostly another fetch of the same objects
/// replaces them before.
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
    package func row(_ key: ObjectKey) -> Row? {
        let (row, gone) = lock.withLock { (contents.row(key), contents.takeGone()) }
        withExtendedLifetime(gone) {}
        return row
    }

    /// Has the rows of some objects brought near that will be read soon, one by one and in any order: each would wait for its memory.
    /// O(n).
    package func approachRows(_ table: UInt32, _ keys: [(entityNumber: Int32, reference: Int64)]) {
        // More would not be near any more when they are read.
        guard keys.count <= 2048 else { return }
        lock.withLock { contents.approachRows(table, keys) }
    }

    /// Adds rows of one table that were read, replacing older ones; does nothing if there was a save in between.
    package func insert(_ rows: RowList, table: UInt32, readAt state: State) {
        // Without the lock: it goes through many blocks, as releasing rows does.
        let waiting = rows.count < WaitingRows.leastCount ? nil : WaitingRows(rows)
        let gone = lock.withLock { () -> [Contents.Gone] in
            guard state == current, !rows.isEmpty else { return [] }
            if state.read >= lastRead {
                lastRead = state.read
                if let waiting { contents.add(waiting, table) } else { contents.add(rows, table) }
            } else {
                contents.addMissing(rows, table)
            }
            return contents.takeGone()
        }
        withExtendedLifetime(gone) {}
    }

    /// Applies what a save wrote, all at once.
    package func update(_ body: (inout Contents) -> Void) {
        let gone = lock.withLock {
            current.saves += 1
            body(&contents)
            return contents.takeGone()
        }
        withExtendedLifetime(gone) {}
    }

    package func removeAll() { update { $0.removeAll() } }

    /// The rows of both generations.
    package struct Contents {
        private typealias Tables = [UInt32: RowTable]

        private var recent: Tables = [:]
        private var old: Tables = [:]
        /// The rows of both generations that have no entries yet, newer than those of the same table and generation that have.
        private var recentWaiting: [UInt32: WaitingRows] = [:]
        private var oldWaiting: [UInt32: WaitingRows] = [:]
        /// The tables of `recent` that have the rows of one list and no others.
        private var filled: [UInt32: FilledTable] = [:]
        /// What is to be released without the lock.
        private var gone: [Gone] = []
        private var recentCost = 0
        /// The table of `recent` that was used last. No recent rows of it wait.
        private var last: (number: UInt32, rows: RowTable)?
        private let limit: Int

        /// A table whose rows are those of a list, of which it has what tells whether another list has the same references.
        private struct FilledTable {
            let form: RowList.Form
            let cost: Int
        }

        /// Rows that are in the cache no more.
        fileprivate typealias Gone = (tables: [RowTable], waiting: [WaitingRows])

        fileprivate init(limit: Int) { self.limit = limit }

        /// What has left the cache, for the caller to release.
        fileprivate mutating func takeGone() -> [Gone] {
            guard !gone.isEmpty else { return [] }
            defer { gone = [] }
            return gone
        }

        /// The row of an object, if it is cached. O(1); O(log n) for a row that waits.
        package mutating func row(_ key: ObjectKey) -> Row? {
            if let last, last.number == key.table {
                if let row = last.rows.row(key.reference) { return row }
            } else {
                if let waiting = searchableRows(key.table), let row = waiting.row(key.reference) {
                    return row
                }
                if let rows = recent[key.table] {
                    if recentWaiting[key.table] == nil { last = (key.table, rows) }
                    if let row = rows.row(key.reference) { return row }
                }
            }
            return oldRow(key)
        }

        /// The recent rows of a table that wait, unless they are to get entries now.
        private mutating func searchableRows(_ table: UInt32) -> WaitingRows? {
            guard let waiting = recentWaiting[table] else { return nil }
            if waiting.isWorthSearching { return waiting }
            indexRecentWaiting(table)
            return nil
        }

        /// A row of the old generation, which becomes a recent one. The recent rows of the table do not have the key.
        private mutating func oldRow(_ key: ObjectKey) -> Row? {
            if let waiting = oldWaiting[key.table] {
                if !waiting.isWorthSearching {
                    indexOldWaiting(key.table)
                } else if let row = waiting.row(key.reference) {
                    keep(row, key.table)
                    return row
                }
            }
            guard let row = old[key.table]?.remove(key.reference) else { return nil }
            keep(row, key.table)
            return row
        }

        /// Enters a row whose key no recent row has, whether others wait or not.
        private mutating func keep(_ row: Row, _ table: UInt32) {
            let rowsOfTable = recent[table] ?? RowTable()
            recent[table] = rowsOfTable
            noteChange(table)
            enter(row, in: rowsOfTable)
            if recentCost > limit / 2 { age() }
        }

        fileprivate func approachRows(
            _ table: UInt32, _ keys: [(entityNumber: Int32, reference: Int64)]
        ) {
            recent[table]?.approachRows(keys)
            old[table]?.approachRows(keys)
        }

        /// Adds a row, replacing an older one. O(1).
        package mutating func add(_ row: Row, _ table: UInt32) {
            indexWaiting(table)
            noteChange(table)
            var rowsOfTable = recentTable(table)
            enter(row, in: rowsOfTable)
            ageIfFull(&rowsOfTable, table)
        }

        /// Adds rows of one table, replacing older ones. O(n).
        package mutating func add(_ rows: ArraySlice<Row>, _ table: UInt32) {
            indexWaiting(table)
            let (rows, left) = newest(of: rows)
            for row in left where hasRows(table) { remove(ObjectKey(table: table, reference: row.reference)) }
            // The list has the rows.
            var pointers: ContiguousArray<RowPointer> = []
            pointers.reserveCapacity(rows.count)
            for index in rows.indices { pointers.append(rows[index].pointer) }
            withExtendedLifetime(rows) { pointers.withUnsafeBufferPointer { add($0, table) } }
        }

        /// Adds a few rows of one table, replacing older ones. O(n).
        fileprivate mutating func add(_ rows: RowList, _ table: UInt32) {
            indexWaiting(table)
            rows.withPointers { add($0, table) }
        }

        /// Adds many rows of one table, replacing older ones. O(1), but for those that wait already and do not all go.
        fileprivate mutating func add(_ rows: WaitingRows, _ table: UInt32) {
            guard rows.cost <= limit / 2 else { return add(rows.list, table) }
            if let waiting = recentWaiting[table], rows.list.form == waiting.list.form {
                recentWaiting[table] = nil
                recentCost -= waiting.cost
                gone.append(([], [waiting]))
            } else {
                indexRecentWaiting(table)
            }
            if let former = filled[table], rows.list.form == former.form, let rowsOfTable = recent[table] {
                (recent[table], filled[table]) = (nil, nil)
                recentCost -= former.cost
                gone.append(([rowsOfTable], []))
            }
            if recentCost + rows.cost > limit / 2 { age() }
            recentWaiting[table] = rows
            recentCost += rows.cost
            if last?.number == table { last = nil }
        }

        /// Gives the rows of a table that wait their entries. Everything that changes rows one by one calls this first.
        @inline(__always)
        private mutating func indexWaiting(_ table: UInt32) {
            guard !recentWaiting.isEmpty || !oldWaiting.isEmpty else { return }
            indexOldWaiting(table)
            indexRecentWaiting(table)
        }

        /// Notes that a recent table is going to have other rows than those of one list.
        @inline(__always)
        private mutating func noteChange(_ table: UInt32) {
            if !filled.isEmpty { filled[table] = nil }
        }

        @inline(never)
        private mutating func indexRecentWaiting(_ table: UInt32) {
            guard let waiting = recentWaiting.removeValue(forKey: table) else { return }
            recentCost -= waiting.cost
            let (isNew, cost) = (recent[table]?.count ?? 0 == 0, recentCost)
            waiting.list.withPointers { add($0, table) }
            // Otherwise a part is old already.
            guard isNew, recentCost >= cost, recent[table]?.count == waiting.list.count else { return }
            filled[table] = FilledTable(form: waiting.list.form, cost: recentCost - cost)
        }

        @inline(never)
        private mutating func indexOldWaiting(_ table: UInt32) {
            guard let waiting = oldWaiting.removeValue(forKey: table) else { return }
            let rowsOfTable = old[table] ?? RowTable()
            old[table] = rowsOfTable
            rowsOfTable.reserve(max(0, waiting.list.count - rowsOfTable.count))
            waiting.list.withPointers { rows in
                for row in rows {
                    row.block.retain(1)
                    rowsOfTable.add(row)?.block.release()
                }
            }
        }

        /// Adds rows of one table, which the caller keeps until this returns, replacing older ones. O(n).
        private mutating func add(_ rows: UnsafeBufferPointer<RowPointer>, _ table: UInt32) {
            guard let first = rows.first else { return }
            noteChange(table)
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

        /// Enters a row.
        private mutating func enter(_ row: Row, in rowsOfTable: RowTable) {
            row.reading { row in
                row.block.retain(1)
                enter(row, in: .passUnretained(rowsOfTable))?.block.release()
            }
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
            age()
            rowsOfTable = recentTable(table)
        }

        /// Makes the recent rows of all tables the old ones.
        private mutating func age() {
            if !old.isEmpty || !oldWaiting.isEmpty {
                gone.append((Array(old.values), Array(oldWaiting.values)))
            }
            (old, oldWaiting) = (recent, recentWaiting)
            (recent, recentWaiting, filled) = ([:], [:], [:])
            last = nil
            recentCost = 0
        }

        /// Adds the rows of one table that are not cached. O(n).
        fileprivate mutating func addMissing(_ rows: RowList, _ table: UInt32) {
            if let waiting = recentWaiting[table], rows.form == waiting.list.form { return }
            indexWaiting(table)
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
            indexWaiting(key.table)
            noteChange(key.table)
            if let row = recent[key.table]?.remove(key.reference) { recentCost -= row.cost }
            old[key.table]?.remove(key.reference)
        }

        fileprivate mutating func removeAll() {
            // What is recent becomes old, and goes then.
            age()
            age()
        }
    }
}

/// Many rows of one table that were read together and have no entries in a table yet. Used with the cache's lock.
private final class WaitingRows {
    /// How many rows are worth it.
    static let leastCount = 256

    let list: RowList
    let cost: Int
    /// How many times a row was looked for.
    private var searchCount = 0

    init(_ rows: RowList) {
        list = rows
        cost = rows.cost
    }

    /// Whether a row is better looked for by bisection than by giving all rows entries, which takes as long as some searches.
    var isWorthSearching: Bool { list.isAscending && searchCount * 64 < list.count }

    /// The row with a reference, the last of several. O(log n).
    func row(_ reference: Int64) -> Row? {
        searchCount += 1
        return list.withPointers { rows in
            var (low, high) = (0, rows.count)
            while low < high {
                let middle = (low + high) / 2
                if rows[middle].reference <= reference { low = middle + 1 } else { high = middle }
            }
            return low > 0 && rows[low - 1].reference == reference ? rows[low - 1].row : nil
        }
    }
}
