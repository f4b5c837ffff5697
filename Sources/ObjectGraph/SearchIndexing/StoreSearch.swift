import CocoaFoundation
import Foundation
import FullTextSearch
import ManagedObjectModel
import Synchronization

/// The search index of a store, kept up to date from its changes.
///
/// The index is in no transaction of the store: it follows what was committed, so that saves neither wait for it nor fail with it.
/// Work is done in steps, each in a transaction of the index together with the position that it reached: the next one, after a crash or in
/// another process, goes on from there. A step reads the objects as they are now, so that it does not matter if a change
/// is read twice.
package final class StoreSearch: StoreCompanion, @unchecked Sendable {
    // Unchecked: what is not constant is behind a lock.

    /// An open index, with what it is made of: another file may have other numbers for the entities.
    package struct Opened: Sendable {
        package let index: any SearchIndex
        package let contents: any IndexedContents
    }

    /// Thrown when another process has emptied the index while it was read.
    private struct Rebuild: Error {}

    private weak let store: (any ObjectStore)?
    private let source: any SearchSource
    /// What tells the index from others of the store; nil for that of `NSPredicate(searching:)`.
    private let name: String?
    private let contents: @Sendable (any ObjectStore) -> any IndexedContents
    private let opened = Mutex<Opened?>(nil)
    private let steps: SearchIndexSteps
    /// How an indexing in the background makes room for saves.
    package let pace = IndexingPace()
    /// The damage that a fetch has found, which does not write to the index.
    private let left = Mutex<SearchIndexDamage?>(nil)
    /// Whether the log says already that there is no room.
    private let isShort = Mutex(false)
    private let background = Mutex<StoreIndexing?>(nil)
    private let listeners = Mutex<[UUID: @Sendable () -> Void]>([:])

    /// The search of a store; made at the first call.
    ///
    /// - Parameters:
    ///   - name: tells the index from others of the store; nil for that of `NSPredicate(searching:)`.
    ///   - owner: what the contents come from; nil for the model.
    ///   - readsRows: whether the rows of a database without persistent history are indexed anew after each change, as they are of one
    ///     that is only read.
    ///   - contents: what the index has in it.
    /// - Throws: 134060 for a store that can be changed and has no persistent history, and for one of a type that cannot be searched.
    package static func of(
        _ store: any ObjectStore, named name: String? = nil, for owner: AnyObject? = nil,
        readsRows: Bool = false,
        _ contents: @escaping @Sendable (any ObjectStore) -> any IndexedContents = { SearchSchema($0) }
    ) throws -> StoreSearch {
        let companionName = companionName(name, owner)
        if let known = store.companions.first(where: { $0.companionName == companionName }) as? StoreSearch {
            return known
        }
        let source: any SearchSource
        if let store = store as? any IndexedStore {
            if store.recordsHistory {
                source = HistorySource(store)
            } else if store.isReadOnly || readsRows, let followed = store as? any FollowedStore {
                source = RowsSource(followed)
            } else {
                throw NSError.coreData(
                    .coreData,
                    """
                    The store at \(store.url?.path ?? "") cannot be searched: its index follows the persistent history. Open the \
                    store with the option NSPersistentHistoryTrackingKey set to true.
                    """, [NSAffectedStoresErrorKey: [store]])
            }
        } else if store.isChangedBySavesAlone {
            source = SavedChangesSource()
        } else {
            throw NSError.coreData(
                .coreData,
                "A store of type \(store.type) cannot be searched: its changes cannot be followed.",
                [NSAffectedStoresErrorKey: [store]])
        }
        let search = StoreSearch(store, source, name, companionName, contents)
        return store.keepCompanion(search) as? StoreSearch ?? search
    }

    private init(
        _ store: any ObjectStore, _ source: any SearchSource, _ name: String?, _ companionName: String,
        _ contents: @escaping @Sendable (any ObjectStore) -> any IndexedContents
    ) {
        self.store = store
        self.source = source
        self.name = name
        self.contents = contents
        steps = SearchIndexSteps(store, source)
        super.init(named: companionName)
    }

    private static func companionName(_ name: String?, _ owner: AnyObject?) -> String {
        "search \(name ?? "") \(owner.map { "\(ObjectIdentifier($0))" } ?? "")"
    }

    // MARK: Changes of the store

    package override func storeDidChange(_ keys: (() -> [(storedEntity: StoredEntity, reference: Int64)])?) {
        pace.noteChange()
        source.note(keys)
        for listener in listeners.withLock({ Array($0.values) }) { listener() }
    }

    package override func storeDidClose() {
        // Threads that use it end that; the file is closed after the last.
        opened.withLock { $0 = nil }
        pace.noteClosing()
    }

    /// Whether there is an index already that was made by other flags, or of another version of the model.
    ///
    /// - Throws: an error of the index or the file system.
    package func hasOtherContents() throws -> Bool {
        do {
            guard let present = try present(), let state = try present.index.state() else { return false }
            return state.signature != present.contents.signature
        } catch is SearchIndexDamage {
            return false
        }
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
        try attempt { opened in
            try update(opened, progress, isCancelled)
            return opened
        }
    }

    /// Brings the index up to date while nothing waits for that, and saves are to go on as if there were no indexing.
    ///
    /// - Parameters:
    ///   - progress: counts the objects that are indexed for the first time.
    ///   - turn: says when to rest, and whether the indexing is cancelled.
    /// - Throws: as `current(_:isCancelled:)`.
    func follow(_ progress: Progress, _ turn: IndexingTurn) throws {
        try attempt { try takeSteps($0, progress, turn, turn.isCancelled) }
    }

    /// Brings the index up to date in parts, each as long as a caller likes.
    ///
    /// - Parameters:
    ///   - finishes: whether a build that an earlier call has begun is brought to its end as of then, without a look at what was committed
    ///     since. Beside a process that saves all the time, a build in parts would begin anew otherwise, each time that it ends.
    ///   - isCancelled: is called between two steps.
    /// - Returns: whether the index is complete; false when `isCancelled` has ended the call.
    /// - Throws: as `current(_:isCancelled:)`.
    package func advance(
        _ progress: Progress, finishes: Bool, isCancelled: () -> Bool
    ) throws -> Bool {
        do {
            try attempt { try update($0, progress, finishes: finishes, isCancelled) }
            return true
        } catch  where FetchCancellation.isError(error) {
            return false
        }
    }

    /// Whether complete indexes are read as they are.
    @TaskLocal private static var readsAsIndexed = false

    /// Has all searches of a block read indexes as they are, where these are complete: several of them see one state, and what others
    /// commit meanwhile is not waited for.
    package static func asIndexed<Value>(_ body: () throws -> Value) rethrows -> Value {
        try $readsAsIndexed.withValue(true) { try body() }
    }

    /// What ends the reading of indexes, and of stores for conditions, before its end; nil where nothing does.
    @TaskLocal package static var readingCancellation: FetchCancellation?

    /// Has all searches of a block end when they are cancelled: between two reads of an index, and in the middle of one where a database
    /// can be interrupted.
    ///
    /// - Throws: `NSUserCancelledError`; what the block throws.
    package static func ended<Value>(
        by cancellation: FetchCancellation, _ body: () throws -> Value
    ) throws -> Value {
        try $readingCancellation.withValue(cancellation) {
            try cancellation.check()
            return try body()
        }
    }

    /// - Throws: `NSUserCancelledError` when the searches were cancelled.
    static func checkCancellation() throws { try readingCancellation?.check() }

    /// Reads the index with all changes that were committed before the call.
    ///
    /// - Parameter body: may be called more than once, where the index turns out to be damaged, or is emptied meanwhile by a process that
    ///   builds it anew.
    package func read<Value>(_ body: (Opened) throws -> Value) throws -> Value {
        try attempt { opened in
            try Self.checkCancellation()
            if try !Self.readsAsIndexed || completeState(opened) == nil {
                try update(opened, nil) { Self.readingCancellation?.isCancelled ?? false }
            }
            guard let before = try completeState(opened) else { throw Rebuild() }
            let value = try body(opened)
            // A build has a number of its own: one that has begun and ended meanwhile is noticed, too.
            guard let after = try completeState(opened), after.build == before.build else { throw Rebuild() }
            return value
        }
    }

    /// How often a damaged index is replaced, or opened or read anew when another thread or process has removed or emptied it, before
    /// that is an error.
    private static let maxAttempts = 5

    private func attempt<Value>(_ body: (Opened) throws -> Value) throws -> Value {
        var attempts = 1
        while true {
            var used: Opened?
            do {
                let opened = try open()
                used = opened
                let damage = left.withLock { left in
                    defer { left = nil }
                    return left
                }
                if let damage { throw damage }
                let value = try body(opened)
                isShort.withLock { $0 = false }
                // Removed meanwhile, its connections may have been of two files.
                if opened.index.isInPlace || attempts >= Self.maxAttempts { return value }
                attempts += 1
            } catch let shortage as SearchIndexShortage {
                let isFirst = isShort.withLock { isShort in
                    defer { isShort = true }
                    return !isShort
                }
                if isFirst {
                    Log.store.error(
                        """
                        The search index of \(store?.url?.path ?? "") is removed, since the disk is full: it is rebuilt at the \
                        next search, or in the background after a while.
                        """)
                }
                try remove()
                throw shortage.cause
            } catch is Rebuild {
                guard attempts < Self.maxAttempts else { throw rebuilt }
                attempts += 1
            } catch let damage as SearchIndexDamage {
                guard attempts < Self.maxAttempts else { throw unreadable(damage) }
                attempts += 1
                try discard(used, damage)
            }
        }
    }

    /// Closes a damaged index, which the next indexing removes.
    func leave(_ damaged: Opened?, _ damage: SearchIndexDamage) {
        _ = drop(damaged)
        left.withLock { $0 = damage }
    }

    /// Closes a damaged index, unless another thread has done so.
    ///
    /// - Returns: whether this has.
    private func drop(_ damaged: Opened?) -> Bool {
        opened.withLock { opened in
            guard let damaged, opened?.index === damaged.index else { return false }
            opened = nil
            return true
        }
    }

    /// Removes a damaged index, unless another thread has done so.
    private func discard(_ damaged: Opened?, _ damage: SearchIndexDamage) throws {
        let isOpen = drop(damaged)
        // Another process may have put a new one there.
        guard isOpen, damaged?.index.isInPlace ?? false else { return }
        Log.store.warning(
            "The search index of \(store?.url?.path ?? "") is rebuilt: \(damage.description).")
        try (store as? any IndexedStore)?.removeSearchIndex(named: name)
    }

    private func unreadable(_ damage: SearchIndexDamage) -> NSError {
        .coreData(
            .persistentStoreOperation,
            "The search index of the store at \(store?.url?.path ?? "") cannot be read: \(damage.description)."
        )
    }

    private var rebuilt: NSError {
        .coreData(
            .persistentStoreOperation,
            """
            The search index of the store at \(store?.url?.path ?? "") cannot be read: another process keeps rebuilding it, \
            perhaps for a model with other flags.
            """)
    }

    /// Removes the index; the next search builds it anew.
    package func remove() throws {
        opened.withLock { $0 = nil }
        try (store as? any IndexedStore)?.removeSearchIndex(named: name)
    }

    /// The position of the index in the history of the store; nil when it is not complete.
    package func position() throws -> SearchIndexState.Position? {
        let opened = try open()
        return try completeState(opened)?.position
    }

    /// How often a search empties the index to build it anew: two processes with other models could do so in turns without end.
    private static let maxBeginnings = 20

    /// Brings the index up to date for a caller that waits for it.
    private func update(
        _ opened: Opened, _ progress: Progress?, finishes: Bool = false, _ isCancelled: () -> Bool
    ) throws {
        try pace.hurrying { try takeSteps(opened, progress, finishes: finishes, nil, isCancelled) }
    }

    /// - Parameter turn: the rests of an indexing that nothing waits for; nil for another one.
    private func takeSteps(
        _ opened: Opened, _ progress: Progress?, finishes: Bool = false, _ turn: IndexingTurn?,
        _ isCancelled: () -> Bool
    ) throws {
        // What is committed later is indexed later: with others that save without a pause there would be no end.
        let end = try (finishes ? begunPosition(opened) : nil) ?? source.end()
        if let state = try completeState(opened), state.position == end { return }
        var beginnings = 0
        while try steps.take(opened, progress, upTo: end, &beginnings, turn) {
            guard beginnings <= Self.maxBeginnings else { throw rebuilt }
            guard isCancelled() else {
                turn?.restBetweenSteps()
                continue
            }
            // With others that save all the time, what this step has completed is not complete at the next call.
            if try completeState(opened)?.position == end { return }
            throw FetchCancellation.error
        }
    }

    /// The position of a build that has begun and not ended; nil when there is none.
    private func begunPosition(_ opened: Opened) throws -> SearchIndexState.Position? {
        guard let state = try opened.index.state(), state.signature == opened.contents.signature,
            state.progress != nil
        else { return nil }
        return state.position
    }

    private func completeState(_ opened: Opened) throws -> SearchIndexState? {
        guard let state = try opened.index.state(), state.signature == opened.contents.signature,
            state.progress == nil
        else { return nil }
        return state
    }

    private func open() throws -> Opened {
        if let known { return known }
        guard let store else { throw NSError.removedStore }
        return keep(
            try (store as? any IndexedStore)?.openSearchIndex(named: name) ?? MemorySearchIndex(), of: store)
    }

    /// The index if there is one, as it is: it is neither made nor brought up to date, and nothing is waited for.
    ///
    /// - Throws: as `current(_:isCancelled:)`; `SearchIndexDamage`.
    func present() throws -> Opened? {
        if let known { return known }
        guard let store else { throw NSError.removedStore }
        return try (store as? any IndexedStore)?.openPresentSearchIndex(named: name).map {
            keep($0, of: store)
        }
    }

    /// The open index, while its file is there.
    private var known: Opened? {
        opened.withLock { opened in
            if let known = opened, !known.index.isInPlace { opened = nil }
            return opened
        }
    }

    private func keep(_ index: any SearchIndex, of store: any ObjectStore) -> Opened {
        let contents = contents(store)
        // Opened by two threads at once it is the same file; the first one stays.
        let made = Opened(index: index, contents: contents)
        return opened.withLock { opened in
            if let known = opened { return known }
            opened = made
            contents.logIgnored()
            return made
        }
    }

    // MARK: In the background

    /// Begins to index in the background, unless that has begun.
    ///
    /// - Returns: the progress of the first indexing, in objects.
    package func startIndexing() throws -> Progress {
        guard let store else { throw NSError.removedStore }
        let made = StoreIndexing(store, self) { _, _ in }
        let running = background.withLock { background in
            if let known = background { return known }
            background = made
            return made
        }
        if running === made { made.begin() }
        return running.progress
    }

    package func stopIndexing() {
        let ended = background.withLock { background in
            defer { background = nil }
            return background
        }
        ended?.end()
    }

    /// How many objects there are to be indexed.
    package func objectCount() throws -> Int {
        guard let store else { throw NSError.removedStore }
        return try contents(store).entities.reduce(0) { count, storedEntity in
            var query = FetchQuery(storedEntity: storedEntity)
            query.includesSubentities = false
            return count + (try store.count(for: query))
        }
    }
}
