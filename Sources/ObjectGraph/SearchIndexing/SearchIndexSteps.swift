import CocoaFoundation
import Foundation
import FullTextSearch
import ManagedObjectModel

/// The steps that bring an index of a store up to date, each in one transaction of the index. One thread at a time takes a step; others of
/// this process wait.
final class SearchIndexSteps: @unchecked Sendable {
    // Unchecked: what is not constant is used with the lock.

    /// The keys of the objects of an entity, in ascending order. Those of another build may be without objects that were saved since.
    private struct Reading {
        let kind: StoredEntity
        let build: Int64
        let position: SearchIndexState.Position
        let keys: [Int64]

        func isOf(_ kind: StoredEntity, _ state: SearchIndexState) -> Bool {
            self.kind === kind && build == state.build && position == state.position
        }
    }

    private weak let store: (any ObjectStore)?
    private let source: any SearchSource
    private let lock = NSLock()
    /// What the first indexing is reading.
    private var reading: Reading?

    /// How many objects a step of the first indexing reads at most: what it writes at once need not be merged later.
    private static let stepSize = 10_000
    /// About how many bytes of texts a step of the first indexing reads at most.
    private static let stepBytes = 8_000_000

    init(_ store: any ObjectStore, _ source: any SearchSource) {
        self.store = store
        self.source = source
    }

    /// Brings an index one step further.
    ///
    /// - Parameters:
    ///   - progress: counts the objects that are indexed for the first time.
    ///   - beginnings: counts how often the index was emptied for all to be indexed.
    ///   - turn: the rests of an indexing in the background.
    /// - Returns: whether there is more to do until the end.
    func take(
        _ opened: StoreSearch.Opened, _ progress: Progress?, upTo end: SearchIndexState.Position,
        _ beginnings: inout Int, _ turn: IndexingTurn?
    ) throws -> Bool {
        try lock.withLock { try step(opened, progress, upTo: end, &beginnings, turn) }
    }

    private func step(
        _ opened: StoreSearch.Opened, _ progress: Progress?, upTo end: SearchIndexState.Position,
        _ beginnings: inout Int, _ turn: IndexingTurn?
    ) throws -> Bool {
        guard let store else { throw NSError.removedStore }
        let contents = opened.contents
        return try opened.index.update { writer in
            // Who reads an index that has one connection would wait for the rests of a step.
            turn?.beginStep(canRest: opened.index.isReadDuringUpdates)
            guard var state = try writer.state(), state.signature == contents.signature else {
                beginnings += 1
                try begin(writer, contents)
                return true
            }
            if state.progress != nil {
                try build(writer, &state, store, contents, progress, turn)
                try writer.setState(state)
                return true
            }
            reading = nil
            turn?.share = .following
            guard let changes = try source.changes(after: state.position) else {
                Log.store.notice(
                    """
                    The search index of \(store.url?.path ?? "") is rebuilt: \(source.gap).
                    """)
                beginnings += 1
                try begin(writer, contents)
                return true
            }
            guard changes.position != state.position || !changes.keys.isEmpty else { return false }
            try apply(changes, writer, store, contents, turn)
            state.position = changes.position
            try writer.setState(state)
            return state.position.number < end.number
        }
    }

    /// Empties the index, for all to be indexed.
    private func begin(_ writer: any SearchIndexWriter, _ contents: any IndexedContents) throws {
        reading = nil
        let position = try source.end()
        try writer.reset(fieldCounts: contents.fieldCounts)
        try writer.setState(
            SearchIndexState(
                signature: contents.signature, position: position, build: Int64.random(in: 1...Int64.max),
                progress: contents.entities.isEmpty ? nil : .init(kind: 0, key: 0)))
    }

    /// Indexes the next objects that were there when indexing began. What has changed since comes after them.
    private func build(
        _ writer: any SearchIndexWriter, _ state: inout SearchIndexState, _ store: any ObjectStore,
        _ contents: any IndexedContents, _ progress: Progress?, _ turn: IndexingTurn?
    ) throws {
        guard let done = state.progress, contents.entities.indices.contains(done.kind) else {
            state.progress = nil
            reading = nil
            return
        }
        let storedEntity = contents.entities[done.kind]
        let keys = try keys(of: storedEntity, state, store)
        let start = keys.partitionIndex { $0 > done.key }
        let step = keys[start...].prefix(Self.stepSize)
        guard !step.isEmpty, let collection = contents.collection(storedEntity) else {
            state.progress = .init(kind: done.kind + 1, key: 0)
            return
        }
        let count = try TextPieces.forEach(
            of: Array(step), storedEntity, in: store, contents, upTo: Self.stepBytes,
            until: { turn?.endsStep ?? false }
        ) { _, documents in
            for (key, texts) in documents {
                // What was indexed before was removed when indexing began, and changes come later.
                try writer.set(texts, for: key, kind: storedEntity.entityNumber, in: collection, isNew: true)
                turn?.rest()
            }
        }
        state.progress = .init(kind: done.kind, key: step[step.startIndex + count - 1])
        if let progress {
            let done = progress.completedUnitCount + Int64(count)
            let total = progress.totalUnitCount
            // Objects may have come since they were counted: the last unit is done when the index is complete.
            progress.completedUnitCount = total > 0 ? min(done, total - 1) : done
        }
    }

    private func keys(
        of storedEntity: StoredEntity, _ state: SearchIndexState, _ store: any ObjectStore
    ) throws -> [Int64] {
        // Another process may have begun anew since the last step of this one.
        if let reading, reading.isOf(storedEntity, state) { return reading.keys }
        var query = FetchQuery(storedEntity: storedEntity)
        query.includesSubentities = false
        let keys = try store.keys(for: query).map(\.reference).sorted()
        reading = Reading(kind: storedEntity, build: state.build, position: state.position, keys: keys)
        return keys
    }

    private func apply(
        _ changes: SearchChanges, _ writer: any SearchIndexWriter, _ store: any ObjectStore,
        _ contents: any IndexedContents, _ turn: IndexingTurn?
    ) throws {
        let byEntity = Dictionary(grouping: changes.keys, by: \.entityNumber)
        for storedEntity in contents.entities {
            guard let keys = byEntity[storedEntity.entityNumber],
                let collection = contents.collection(storedEntity)
            else {
                continue
            }
            let references = keys.map(\.reference).sorted()
            try TextPieces.forEach(of: references, storedEntity, in: store, contents) { piece, documents in
                var missing = Set(piece)
                for (key, texts) in documents {
                    missing.remove(key)
                    try writer.set(
                        texts, for: key, kind: storedEntity.entityNumber, in: collection, isNew: false)
                    turn?.rest()
                }
                for key in missing { try writer.remove(key, from: collection) }
            }
        }
    }
}
