import Foundation
import FullTextSearch
import Synchronization

/// An index of items that the program adds itself, in memory.
///
/// ```swift
/// let index = CSSearchableIndex(name: "help")
/// try await index.indexSearchableItems(items)
/// try await index.deleteAllSearchableItems()
/// ```
///
/// Its items are found by every `CSSearchQuery` and `CSUserQuery` of the program until they are removed or the process ends; add them
/// again at each start. All indexes of one name have the same items. Objects of a store need no items: `NSCoreDataCoreSpotlightDelegate`
/// keeps an index of them in a file beside the store. May be used on any thread; completion handlers are called before the methods return.
open class CSSearchableIndex: NSObject, @unchecked Sendable {
    // Unchecked: the items are behind a lock.

    private static let known = Mutex<[String: AddedItems]>([:])
    private static let shared = CSSearchableIndex(name: "")

    /// The name of the index.
    public let name: String
    private let items: AddedItems

    /// Makes an index with the items that other indexes of the name have.
    public init(name: String) {
        self.name = name
        items = Self.known.withLock { known in
            let items = known[name] ?? AddedItems()
            known[name] = items
            return items
        }
        super.init()
    }

    /// The index without a name.
    open class func `default`() -> CSSearchableIndex { shared }

    /// `true`: there is always an index.
    open class func isIndexingAvailable() -> Bool { true }

    /// Adds items, which replace those with the same identifiers.
    ///
    /// - Parameters:
    ///   - items: the items; not to be changed after that.
    ///   - completionHandler: is called with nil before the method returns.
    open func indexSearchableItems(
        _ items: [CSSearchableItem], completionHandler: (@Sendable ((any Error)?) -> Void)? = nil
    ) {
        self.items.add(items)
        completionHandler?(nil)
    }

    /// Adds items, which replace those with the same identifiers. Throws nothing: an index in memory does not fail.
    open func indexSearchableItems(_ items: [CSSearchableItem]) async throws { self.items.add(items) }

    /// Removes items.
    open func deleteSearchableItems(
        withIdentifiers identifiers: [String], completionHandler: (@Sendable ((any Error)?) -> Void)? = nil
    ) {
        let identifiers = Set(identifiers)
        items.remove { identifiers.contains($0.uniqueIdentifier) }
        completionHandler?(nil)
    }

    /// Removes the items of groups, and of groups in them.
    open func deleteSearchableItems(
        withDomainIdentifiers identifiers: [String],
        completionHandler: (@Sendable ((any Error)?) -> Void)? = nil
    ) {
        items.remove { item in
            guard let domain = item.domainIdentifier else { return false }
            return identifiers.contains { domain == $0 || domain.hasPrefix($0 + ".") }
        }
        completionHandler?(nil)
    }

    /// Removes all items.
    open func deleteAllSearchableItems(completionHandler: (@Sendable ((any Error)?) -> Void)? = nil) {
        items.remove { _ in true }
        completionHandler?(nil)
    }

    /// Removes all items. Throws nothing: an index in memory does not fail.
    open func deleteAllSearchableItems() async throws { items.remove { _ in true } }

    /// The items of all indexes.
    static var all: [any SearchedItems] { known.withLock { Array($0.values) } }
}

/// The items of an index in memory.
private final class AddedItems: SearchedItems, @unchecked Sendable {
    // Unchecked: used with the lock.

    private let lock = NSLock()
    private let index = MemorySearchIndex()
    private var items: [Int64: CSSearchableItem] = [:]
    private var keys: [String: Int64] = [:]
    private var lastKey: Int64 = 0

    init() {
        // Nothing that an index in memory does fails.
        try? index.update { try $0.reset(fieldCounts: [CSSearchableItemAttributeSet.fieldNames.count]) }
    }

    func add(_ added: [CSSearchableItem]) {
        lock.withLock {
            try? index.update { writer in
                for item in added {
                    let key = keys[item.uniqueIdentifier] ?? lastKey + 1
                    lastKey = max(lastKey, key)
                    keys[item.uniqueIdentifier] = key
                    items[key] = item
                    try writer.set(item.attributeSet.fieldTexts, for: key, kind: 0, in: 0, isNew: false)
                }
            }
        }
    }

    func remove(_ isRemoved: (CSSearchableItem) -> Bool) {
        lock.withLock {
            let removed = items.filter { isRemoved($0.value) }
            try? index.update { writer in
                for (key, item) in removed {
                    items[key] = nil
                    keys[item.uniqueIdentifier] = nil
                    try writer.remove(key, from: 0)
                }
            }
        }
    }

    func read<Value>(
        _ isCancelled: () -> Bool, _ body: ([ItemCollection]) throws -> [Value]
    ) throws -> [Value] {
        try body([ItemCollection(index: index, number: 0)])
    }

    func items(_ keys: [Int64], in collection: Int) -> [CSSearchableItem] {
        lock.withLock { keys.compactMap { items[$0] } }
    }
}
