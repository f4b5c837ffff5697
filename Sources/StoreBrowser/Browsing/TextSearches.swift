import CoreData
import StoreTools
import Synchronization

/// The searches of a store by words, each with a temporary index of its own, which is made when it is first used.
///
/// They read the store by connections of their own: what is searched waits for nothing that is shown, nor the other way round. What is
/// not saved plays no part.
final class TextSearches: Sendable {
    private struct Opened {
        let search: StoreTextSearch
        /// The file that it reads.
        let url: URL
    }

    private let opened = Mutex<[StoreTextSearch.Attributes: Opened]>([:])

    /// The search of some attributes.
    ///
    /// - Throws: an error of opening the store once more.
    func search(_ attributes: StoreTextSearch.Attributes, of source: OpenStore) throws -> StoreTextSearch {
        // An XML or binary store is shown as a copy, which is another one after it was read anew.
        let shown = source.store.url.flatMap { $0.path == "/dev/null" ? nil : $0 } ?? source.url
        return try opened.withLock { opened in
            if let known = opened[attributes], known.url == shown { return known.search }
            let search = try StoreTextSearch(shown, model: source.model, attributes: attributes)
            // One that is still in use is closed with the last use.
            opened[attributes] = Opened(search: search, url: shown)
            return search
        }
    }

    /// Closes them.
    ///
    /// - Throws: an error of a store.
    func close() throws {
        let closing = opened.withLock { opened in
            defer { opened = [:] }
            return Array(opened.values)
        }
        for opened in closing { try opened.search.close() }
    }
}
