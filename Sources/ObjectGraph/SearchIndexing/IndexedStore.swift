import FullTextSearch

/// A store that keeps its search indexes beside it. An index without a name is that of `NSPredicate(searching:)`.
package protocol IndexedStore: HistoryStore {
    /// Opens the index, or makes an empty one.
    ///
    /// - Throws: an error of the file system or of the database.
    func openSearchIndex(named name: String?) throws -> any SearchIndex

    /// Removes the index; nothing is lost with it.
    func removeSearchIndex(named name: String?) throws

    /// Whether the history has all changes that programs make: this one records its own, or, where it only reads, others have recorded
    /// theirs. A history without records may be one that no program keeps.
    var recordsHistory: Bool { get }

    /// Whether indexes are files, and not in memory.
    var keepsSearchFiles: Bool { get }

    /// Opens the file of an index, and makes none.
    ///
    /// - Returns: nil where there is none.
    /// - Throws: as `openSearchIndex(named:)`; `SearchIndexDamage`.
    func openPresentSearchIndex(named name: String?) throws -> (any SearchIndex)?

    /// The changes after a position, in the state of the store that a reader sees.
    ///
    /// - Parameter limit: as many are counted, and one more.
    func changeCount(
        after position: SearchIndexState.Position, limit: Int, for reader: StoreReader
    ) throws -> SearchIndexChanges
}

/// What has changed since an index was brought up to date.
package enum SearchIndexChanges: Hashable, Sendable {
    case count(Int)
    /// Some changes are not in the history any more, or the position is that of another file.
    case unknown
    /// The reader sees an older state than the present one.
    case olderGeneration
}

extension ObjectStore {
    /// Whether an index can follow the changes of the store: by its history, or by the saves of this process.
    package var canBeIndexed: Bool { self is any IndexedStore || isChangedBySavesAlone }
}
