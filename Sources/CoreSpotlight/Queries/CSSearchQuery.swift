import Foundation
import FullTextSearch
import ObjectGraph
import Synchronization

/// A search for items of the program: those that were added to indexes, and the objects of stores that `NSCoreDataCoreSpotlightDelegate`
/// indexes, whose identifiers are the URIs of their object IDs.
///
/// ```swift
/// let query = CSSearchQuery(queryString: #"title == "war*"cd && textContent == "peace""#)
/// query.foundItemsHandler = { items in print(items.map(\.uniqueIdentifier)) }
/// query.completionHandler = { error in print(error ?? "done") }
/// query.start()
/// ```
///
/// A comparison finds the items whose attribute contains the words of the string next to each other, in any case and with or without
/// marks; `*` at the end makes the last word a prefix. `*` in the place of the attribute means all of them. `&&`, `||` and parentheses
/// combine comparisons; `!=` and `!` exclude, beside something that is found. Numbers and dates cannot be compared.
///
/// The handlers are called on a queue of the framework, the completion handler exactly once. A query whose string is not valid, that only
/// excludes or that has more than 256 comparisons ends with the error ``CSSearchQueryError/Code/invalidQuery``. For what a person has
/// typed use ``CSUserQuery``.
open class CSSearchQuery: NSObject, @unchecked Sendable {
    // Unchecked: what is not constant is behind a lock, or set before the start.

    /// The string of the query.
    public let queryString: String
    /// Called with the found items, a part at a time. Set it before the start.
    open var foundItemsHandler: (([CSSearchableItem]) -> Void)?
    /// Called at the end, with an error of ``CSSearchQueryError``, or nil.
    open var completionHandler: (((any Error)?) -> Void)?

    private struct State {
        var isStarted = false
        var isCancelled = false
        var count = 0
    }

    private let state = Mutex(State())
    /// Interrupts what reads an index.
    private let cancellation = FetchCancellation()
    private let condition: Result<ItemCondition, CSSearchQueryError>

    /// How many items are reported at once.
    private static let partSize = 100

    /// Makes a query.
    public init(queryString: String, queryContext: CSSearchQueryContext? = nil) {
        self.queryString = queryString
        condition = ItemCondition.read(queryString)
        super.init()
    }

    /// Makes a query; `attributes` are those that the program will read, and are there in any case.
    public convenience init(queryString: String, attributes: [String]?) {
        self.init(queryString: queryString)
    }

    init(_ text: String, _ query: SearchQuery) {
        queryString = text
        condition = .success(.words(query, .all))
        super.init()
    }

    /// Whether ``cancel()`` was called.
    open var isCancelled: Bool { state.withLock { $0.isCancelled } }

    /// How many items were reported so far.
    open var foundItemCount: Int { state.withLock { $0.count } }

    /// Begins the search, on a queue of its own. A query is started once.
    open func start() {
        let isFirst = state.withLock { state in
            defer { state.isStarted = true }
            return !state.isStarted
        }
        guard isFirst else { return }
        DispatchQueue.global(qos: .userInitiated).async { self.run() }
    }

    /// Ends the search; the completion handler gets ``CSSearchQueryError/Code/cancelled``.
    open func cancel() {
        state.withLock { $0.isCancelled = true }
        cancellation.cancel()
    }

    private func run() {
        do {
            let condition = try condition.get()
            for items in CSSearchableIndex.all + SpotlightStores.all { try report(condition, items) }
            try checkNotCancelled()
            completionHandler?(nil)
        } catch let error as CSSearchQueryError {
            completionHandler?(error)
        } catch {
            completionHandler?(
                isCancelled
                    ? CSSearchQueryError(.cancelled, "The query was cancelled.")
                    : CSSearchQueryError(.indexUnreachable, error.localizedDescription))
        }
    }

    private func report(_ condition: ItemCondition, _ items: any SearchedItems) throws {
        let found = try items.read({ isCancelled }) { collections in
            try StoreSearch.ended(by: cancellation) {
                try collections.map { (number: $0.number, keys: try condition.keys($0)) }
            }
        }
        for (number, keys) in found {
            for start in stride(from: 0, to: keys.count, by: Self.partSize) {
                try checkNotCancelled()
                let part = Array(keys[start..<min(start + Self.partSize, keys.count)])
                let found = try items.items(part, in: number)
                guard !found.isEmpty else { continue }
                state.withLock { $0.count += found.count }
                foundItemsHandler?(found)
            }
        }
    }

    private func checkNotCancelled() throws {
        if isCancelled { throw CSSearchQueryError(.cancelled, "The query was cancelled.") }
    }
}

/// Settings of a query, as Apple's API has them. `fetchAttributes` has no effect here: found items have all their attributes.
open class CSSearchQueryContext: NSObject {
    /// The attributes that the program will read. All are there in any case.
    open var fetchAttributes: [String] = []

    /// Makes a context.
    public override init() { super.init() }
}

/// A search for what a person has typed.
///
/// ```swift
/// let query = CSUserQuery(userQueryString: "war -peace", userQueryContext: nil)
/// query.foundItemsHandler = { items in print(items.map(\.uniqueIdentifier)) }
/// query.start()
/// ```
///
/// The string is read as `NSPredicate(searching:)` reads it: words, phrases in quotation marks, `OR`, `-` and `*`. The last word also
/// finds words that begin with it. Any string is valid. The best items of each index come first; items of different indexes are not ranked
/// against each other.
open class CSUserQuery: CSSearchQuery, @unchecked Sendable {
    /// Makes a query. Any text is valid; its last word may be the beginning of one.
    public init(userQueryString: String?, userQueryContext: CSUserQueryContext? = nil) {
        let text = userQueryString ?? ""
        super.init(text, SearchQuery(text, completesLastWord: true))
    }
}

/// Settings of a ``CSUserQuery``, as Apple's API has them. They have no effect here.
open class CSUserQueryContext: CSSearchQueryContext {}

/// The error with which a query ended, as its completion handler receives it.
///
/// `code` says whether the query string is at fault, the index could not be read, or ``CSSearchQuery/cancel()`` was called; items that
/// were reported before remain valid.
public struct CSSearchQueryError: Error, LocalizedError, Sendable {
    /// The reasons for which a query ends early. The raw values are Apple's.
    public enum Code: Int, Sendable {
        /// Something else.
        case unknown = -2000
        /// The index could not be read.
        case indexUnreachable = -2001
        /// The string is not a query.
        case invalidQuery = -2002
        /// The query was cancelled.
        case cancelled = -2003
    }

    /// What went wrong.
    public let code: Code
    /// A sentence for a person.
    public let errorDescription: String?

    init(_ code: Code, _ sentence: String) {
        self.code = code
        errorDescription = sentence
    }
}
