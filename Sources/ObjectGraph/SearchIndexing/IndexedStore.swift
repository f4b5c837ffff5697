import FullTextSearch

/// A store that keeps its search indexes beside it. An index without a name is that of `NSPredicate(searching:)`.
package protocol IndexedStore: HistoryStore {
    /// Opens the index, or makes an empty one.
    ///
    /// - Throws: an error of the file system or of the database.
    func openSearchIndex(named name: String?) throws -> any SearchIndex

    /// Removes the index; nothing is lost with it.
    func removeSearchIndex(named name: String?) throws
}

extension ObjectStore {
    /// Whether an index can follow the changes of the store: by its history, or by the saves of this process.
    package var canBeIndexed: Bool { self is any IndexedStore || isChangedBySavesAlone }
}
