import Foundation
import FullTextSearch
import ManagedObjectModel
import Synchronization

/// The search index of a store, kept up to date from its changes.
///
/// The index is in no transaction of the store: it follows what was committed, so that saves neither wait for it nor fail with it.
/// Work is done in steps, each in a transaction of the index together with the position that it reached: whoever comes next, after a
/// crash or in another process, goes on from there. A step reads the objects as they are now, so that it does not matter if a change
/// is read twice.
package final class StoreSearch: StoreCompanion, @unchecked Sendable {
    // Unchecked: what is not constant is behind a lock.

    /// An open index, with what it is made of: another file may have other numbers for the entities.
    package struct Opened: Sendable {
        package let index: any SearchIndex
        package let schema: SearchSchema
    }

    private weak let store: (any ObjectStore)?
    private let source: any SearchSource
    private let opened = Mutex<Opened?>(nil)
    /// One thread at a time takes a step; others of this process wait.
    private let stepping = NSLock()
    /// What the first indexing is reading; used while stepping.
    private var reading: (kind: StoredEntity, keys: [Int64])?
    private let listeners = Mutex<[UUID: @Sendable () -> Void]>([:])

    /// How many objects a step of the first indexing reads.
    private static let stepSize = 1_000

    /// The search of a store; made at the first call.
    ///
    /// - Throws: 134060 for a store without persistent history, and for one of a type that cannot be searched.
    package static func of(_ store: any ObjectStore) throws -> StoreSearch {
        if let known = store.companion as? StoreSearch { return known }
        let source: any SearchSource
        if let store = store as? any IndexedStore {
            guard store.hasHistory else {
                throw NSError.coreData(
                    .coreData,
                    """
                    The store at \(store.url?.path ?? "") cannot be searched: its index follows the persistent history. Open the \
                    store with the option NSPersistentHistoryTrackingKey set to true.
                    """, [NSAffectedStoresErrorKey: [store]])
            }
            source = HistorySource(store)
        } else if store is NSAtomicStore {
            source = SavedChangesSource()
        } else {
            throw NSError.coreData(
                .coreData, "A store of type \(store.type) cannot be searched: its changes are not known.",
                [NSAffectedStoresErrorKey: [store]])
        }
        let search = StoreSearch(store, source)
        return store.keepCompanion(search) as? StoreSearch ?? search
    }

    private init(_ store: any ObjectStore, _ source: any SearchSource) {
        self.store = store
        self.source = source
        super.init()
    }

    // MARK: Changes of the store

    package override func storeDidChange(_ keys: (() -> [(home: StoredEntity, reference: Int64)])?) {
        if let source = source as? SavedChangesSource, let keys { source.note(keys()) }
        for listener in listeners.withLock({ Array($0.values) }) { listener() }
    }

    package override func storeDidClose() {
        // Threads that use it end that; the file is closed after the last.
        opened.withLock { $0 = nil }
    }

    /// Calls a block after each change of the store by this process.
    func addListener(_ id: UUID, _ block: @escaping @Sendable () -> Void) {
        listeners.withLock { $0[id] = block }
    }

    func removeListener(_ id: UUID) { listeners.withLock { $0[id] = nil } }

    // MARK: The index

    /// The index with all changes that were committed before the call.
    ///
    /// - Parameters:
    ///   - progress: counts the objects that are indexed for the first time.
    ///   - isCancelled: is called between two steps.
    /// - Throws: `NSUserCancelledError`; an error of the store, of the index, or of the file system.
    package func current(
        _ progress: Progress? = nil, isCancelled: () -> Bool = { false }
    ) throws -> Opened {
        // A damaged index is replaced once, not again and again.
        do {
            return try update(progress, isCancelled)
        } catch let damage as SearchIndexDamage {
            Log.store.warning(
                "The search index of \(store?.url?.path ?? "") is built anew: \(damage.description).")
            try remove()
            do {
                return try update(progress, isCancelled)
            } catch let damage as SearchIndexDamage {
                throw unreadable(damage)
            }
        }
    }

    /// Reads the index, and once more where it turns out to be damaged.
    package func read<Value>(_ body: (Opened) throws -> Value) throws -> Value {
        do {
            return try body(current())
        } catch let damage as SearchIndexDamage {
            Log.store.warning(
                "The search index of \(store?.url?.path ?? "") is built anew: \(damage.description).")
            try remove()
            do {
                return try body(current())
            } catch let damage as SearchIndexDamage {
                throw unreadable(damage)
            }
        }
    }

    private func unreadable(_ damage: SearchIndexDamage) -> NSError {
        .coreData(
            .persistentStoreOperation,
            "The search index of the store at \(store?.url?.path ?? "") cannot be read: \(damage.description)."
        )
    }

    /// Removes the index; the next search builds it anew.
    package func remove() throws {
        opened.withLock { $0 = nil }
        try (store as? any IndexedStore)?.removeSearchIndex()
    }

    /// The position of the index in the history of the store; nil when it is not complete.
    package func position() throws -> SearchIndexState.Position? {
        let opened = try open()
        return try completeState(opened)?.position
    }

    private func update(_ progress: Progress?, _ isCancelled: () -> Bool) throws -> Opened {
        let opened = try open()
        if let state = try completeState(opened), try state.position == source.end() { return opened }
        while try stepping.withLock({ try step(opened, progress) }) {
            if isCancelled() { throw FetchCancellation.error }
        }
        return opened
    }

    private func completeState(_ opened: Opened) throws -> SearchIndexState? {
        guard let state = try opened.index.state(), state.signature == opened.schema.signature,
            state.progress == nil
        else { return nil }
        return state
    }

    private func open() throws -> Opened {
        if let known = opened.withLock({ $0 }) { return known }
        guard let store else { throw NSError.removedStore }
        let schema = SearchSchema(store)
        // Opened by two threads at once it is the same file; the first one stays.
        let made = Opened(
            index: try (store as? any IndexedStore)?.openSearchIndex() ?? MemorySearchIndex(), schema: schema)
        return opened.withLock { opened in
            if let known = opened { return known }
            opened = made
            schema.logIgnored()
            return made
        }
    }

    // MARK: Steps

    /// Brings the index one step further.
    ///
    /// - Returns: whether there is more to do.
    private func step(_ opened: Opened, _ progress: Progress?) throws -> Bool {
        guard let store else { throw NSError.removedStore }
        let schema = opened.schema
        return try opened.index.update { writer in
            guard var state = try writer.state(), state.signature == schema.signature else {
                try begin(writer, schema)
                return true
            }
            if state.progress != nil {
                try build(writer, &state, store, schema, progress)
                try writer.setState(state)
                return true
            }
            guard let changes = try source.changes(after: state.position) else {
                Log.store.notice(
                    """
                    The search index of \(store.url?.path ?? "") is built anew: the history was deleted before it was indexed, \
                    or is that of another file.
                    """)
                try begin(writer, schema)
                return true
            }
            guard changes.position != state.position || !changes.keys.isEmpty else { return false }
            try apply(changes, writer, store, schema)
            state.position = changes.position
            try writer.setState(state)
            return try source.end() != state.position
        }
    }

    /// Empties the index, for all to be indexed.
    private func begin(_ writer: any SearchIndexWriter, _ schema: SearchSchema) throws {
        reading = nil
        let position = try source.end()
        try writer.reset(fieldCounts: schema.fieldCounts)
        try writer.setState(
            SearchIndexState(
                signature: schema.signature, position: position,
                progress: schema.kinds.isEmpty ? nil : .init(kind: 0, key: 0)))
    }

    /// Indexes the next objects that were there when indexing began. What has changed since comes after them.
    private func build(
        _ writer: any SearchIndexWriter, _ state: inout SearchIndexState, _ store: any ObjectStore,
        _ schema: SearchSchema, _ progress: Progress?
    ) throws {
        guard let done = state.progress, schema.kinds.indices.contains(done.kind) else {
            state.progress = nil
            reading = nil
            return
        }
        let kind = schema.kinds[done.kind]
        if reading?.kind !== kind.home {
            var query = FetchQuery(home: kind.home)
            query.includesSubentities = false
            reading = (kind.home, try store.keys(for: query).map(\.reference).sorted())
        }
        let keys = reading?.keys ?? []
        let start = keys.partitionIndex { $0 > done.key }
        let step = keys[start...].prefix(Self.stepSize)
        guard let last = step.last else {
            state.progress = .init(kind: done.kind + 1, key: 0)
            return
        }
        for row in try rows(kind, Array(step), store) {
            try writer.set(
                kind.fields.texts(of: row), for: row.reference, kind: kind.home.entityNumber,
                in: kind.collection, isNew: false)
        }
        state.progress = .init(kind: done.kind, key: last)
        progress?.completedUnitCount += Int64(step.count)
    }

    private func apply(
        _ changes: SearchChanges, _ writer: any SearchIndexWriter, _ store: any ObjectStore,
        _ schema: SearchSchema
    ) throws {
        let byKind = Dictionary(grouping: changes.keys, by: \.entityNumber)
        for (number, keys) in byKind.sorted(by: { $0.key < $1.key }) {
            guard let kind = schema.kind(number) else { continue }
            let references = keys.map(\.reference).sorted()
            for start in stride(from: 0, to: references.count, by: Self.stepSize) {
                let part = Array(references[start..<min(start + Self.stepSize, references.count)])
                var missing = Set(part)
                for row in try rows(kind, part, store) {
                    missing.remove(row.reference)
                    try writer.set(
                        kind.fields.texts(of: row), for: row.reference, kind: number, in: kind.collection,
                        isNew: false)
                }
                for reference in missing { try writer.remove(reference, from: kind.collection) }
            }
        }
    }

    private func rows(_ kind: SearchSchema.Kind, _ references: [Int64], _ store: any ObjectStore) throws
        -> [Row]
    {
        var query = FetchQuery(home: kind.home)
        query.includesSubentities = false
        query.references = references
        // Rows with some columns stay out of the store's cache.
        return try store.partialRows(for: query, kind.fields.slots) ?? store.rows(for: query)
    }

    /// How many objects there are to be indexed.
    package func objectCount() throws -> Int {
        guard let store else { throw NSError.removedStore }
        return try SearchSchema(store).kinds.reduce(0) { count, kind in
            var query = FetchQuery(home: kind.home)
            query.includesSubentities = false
            return count + (try store.count(for: query))
        }
    }
}

extension Array {
    /// The index of the first element that meets a condition, which all later ones meet too. O(log n).
    fileprivate func partitionIndex(_ isInSecondPart: (Element) -> Bool) -> Int {
        var (lower, upper) = (0, count)
        while lower < upper {
            let middle = (lower + upper) / 2
            if isInSecondPart(self[middle]) { upper = middle } else { lower = middle + 1 }
        }
        return lower
    }
}
