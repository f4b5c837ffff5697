import FullTextSearch

/// A store that keeps its search index beside it.
package protocol IndexedStore: HistoryStore {
    /// Opens the index, or makes an empty one.
    ///
    /// - Throws: an error of the file system or of the database.
    func openSearchIndex() throws -> any SearchIndex

    /// Removes the index; nothing is lost with it.
    func removeSearchIndex() throws
}
