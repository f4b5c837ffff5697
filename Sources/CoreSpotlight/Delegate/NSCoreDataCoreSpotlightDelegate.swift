import CoreData
import Foundation
import FullTextSearch
import ObjectGraph
import Synchronization

/// Indexes the objects of a store for `CSSearchQuery`, in the background: those of entities that have attributes with "Index in
/// Spotlight" or a display name expression.
///
/// ```swift
/// let delegate = NSCoreDataCoreSpotlightDelegate(
///     forStoreWith: description, coordinator: container.persistentStoreCoordinator)
/// container.loadPersistentStores { _, _ in delegate.startSpotlightIndexing() }
/// ```
///
/// The index is in a file beside the store, and follows its persistent history (`NSPersistentHistoryTrackingKey`), also batch requests and
/// other processes. It is built anew when the model's flags, the name of the index or the class of the delegate change. A subclass that
/// changes what it returns for the same objects calls ``deleteSpotlightIndex(completionHandler:)``.
///
/// Methods that a subclass overrides are called on queues of the framework.
open class NSCoreDataCoreSpotlightDelegate: NSObject, @unchecked Sendable {
    // Unchecked: what is not constant is behind a lock.

    private let storeURL: URL?
    private let storeType: String
    private let owner: Mutex<Owner>
    private let running = Mutex<StoreIndexing?>(nil)
    private let made = Mutex<StoreSearch?>(nil)

    /// Posted by the delegate when the index has taken changes, with the identifier of the store (`NSStoreUUIDKey`) and the position in
    /// its history (`NSPersistentHistoryTokenKey`).
    public static let indexDidUpdateNotification = Notification.Name
        .NSCoreDataCoreSpotlightDelegateIndexDidUpdate

    /// The coordinator that has the store, which may have the delegate among the options of the store.
    private struct Owner {
        weak var coordinator: NSPersistentStoreCoordinator?
        /// The store that was added with the delegate as an option; nil for the one at the URL.
        weak var store: NSPersistentStore?
        /// The version hashes of the model that the delegate was made with, if it was.
        var hashes: [String: Data]?
    }

    /// Makes a delegate of the store that a description describes, which may be added later. The program keeps the coordinator.
    public init(
        forStoreWith description: NSPersistentStoreDescription, coordinator psc: NSPersistentStoreCoordinator
    ) {
        // Not the description, which may have the delegate among its options.
        storeURL = description.url?.standardizedFileURL
        storeType = description.type
        owner = Mutex(Owner(coordinator: psc))
        super.init()
    }

    /// Makes a delegate that is set as the option `NSCoreDataCoreSpotlightExporter` of a store, and begins to index when the store is added.
    ///
    /// - Parameter model: the model of the coordinator that the store is added to. A store that is added with another one is not indexed,
    ///   which is logged.
    public convenience init(
        forStoreWith description: NSPersistentStoreDescription, model: NSManagedObjectModel
    ) {
        // A coordinator that is gone at once: the store's own one comes when the store is added.
        self.init(
            forStoreWith: description, coordinator: NSPersistentStoreCoordinator(managedObjectModel: model))
        owner.withLock { $0.hashes = model.entityVersionHashesByName }
    }

    /// The group of the objects among the items of the program: the store's identifier.
    open func domainIdentifier() -> String { store?.identifier ?? "" }

    /// The name of the index; nil for one without.
    open func indexName() -> String? { nil }

    /// What is indexed of an object; nil for one that is not. Called on the queue of the object's context.
    ///
    /// By default the display name and the texts of the attributes with "Index in Spotlight".
    open func attributeSet(for object: NSManagedObject) -> CSSearchableItemAttributeSet? {
        let fields = SearchedFields(object.entity)
        guard !fields.fields.isEmpty else { return nil }
        let texts = fields.texts(of: object).map(\.text)
        let set = CSSearchableItemAttributeSet(itemContentType: "public.data")
        set.displayName = fields.displayName(of: object)
        set.textContent = texts.joined(separator: "\n")
        return set
    }

    /// Whether objects are being indexed: from ``startSpotlightIndexing()`` to ``stopSpotlightIndexing()``.
    public final var isIndexingEnabled: Bool { running.withLock { $0 != nil } }

    /// Begins to index, or goes on where it was stopped. Call it when the store was added. What keeps the store from being indexed, such
    /// as a missing history, is logged.
    open func startSpotlightIndexing() {
        do {
            guard let store else {
                throw NSError.coreData(
                    .persistentStoreOpen,
                    "The coordinator has no store at \(storeURL?.path ?? ""); start indexing after it was added."
                )
            }
            let hashes = owner.withLock(\.hashes)
            let model = store.persistentStoreCoordinator?.managedObjectModel
            guard hashes == nil || hashes == model?.entityVersionHashesByName else {
                throw NSError.coreData(
                    .persistentStoreIncompatibleVersionHash,
                    "The delegate was made with another model than that of the coordinator."
                )
            }
            let search = try search(of: store)
            let indexing = StoreIndexing(store, search) { [weak self] store, position in
                self?.post(store, position)
            }
            let (isFirst, former) = running.withLock { running in
                if let running, running.follows(store) { return (false, StoreIndexing?.none) }
                defer { running = indexing }
                return (true, running)
            }
            guard isFirst else { return }
            // Of a store that was removed, or of another coordinator.
            former?.end()
            SpotlightStores.add(self)
            indexing.begin()
        } catch {
            Log.store.error("The store is not indexed: \(error.localizedDescription)")
        }
    }

    /// Ends indexing, after the step that is running.
    open func stopSpotlightIndexing() {
        let indexing = running.withLock { running in
            defer { running = nil }
            return running
        }
        indexing?.end()
    }

    /// Removes the index. Indexing that has begun builds it anew at the next change; stop it before.
    open func deleteSpotlightIndex(completionHandler: @escaping @Sendable ((any Error)?) -> Void) {
        do {
            if let store { try search(of: store).remove() }
            completionHandler(nil)
        } catch {
            completionHandler(error)
        }
    }

    /// Removes the index.
    ///
    /// - Throws: an error of the file system.
    open func deleteSpotlightIndex() async throws {
        if let store { try search(of: store).remove() }
    }

    /// Indexes all objects anew, in the background if indexing has begun.
    open func searchableIndex(
        _ searchableIndex: CSSearchableIndex,
        reindexAllSearchableItemsWithAcknowledgementHandler acknowledgementHandler: @escaping () -> Void
    ) {
        let wasIndexing = isIndexingEnabled
        stopSpotlightIndexing()
        deleteSpotlightIndex { error in
            if let error { Log.store.error("The index could not be removed: \(error.localizedDescription)") }
        }
        if wasIndexing { startSpotlightIndexing() }
        acknowledgementHandler()
    }

    /// Indexes objects anew: all of them, since the index holds no list of its own of what to read again.
    open func searchableIndex(
        _ searchableIndex: CSSearchableIndex, reindexSearchableItemsWithIdentifiers identifiers: [String],
        acknowledgementHandler: @escaping () -> Void
    ) {
        self.searchableIndex(
            searchableIndex, reindexAllSearchableItemsWithAcknowledgementHandler: acknowledgementHandler)
    }

    // MARK: The store

    var store: (any ObjectStore)? {
        let (coordinator, added) = owner.withLock { ($0.coordinator, $0.store) }
        return coordinator?.objectStores.first { store in
            if let added { return store === added }
            return store.type == storeType
                && (storeURL == nil || store.url?.standardizedFileURL == storeURL)
        }
    }

    /// The search of the delegate's own index.
    func search(of store: any ObjectStore) throws -> StoreSearch {
        let search = try StoreSearch.of(store, named: "spotlight \(indexName() ?? "")", for: self) {
            [weak self] store in SpotlightContents(store, self)
        }
        made.withLock { $0 = search }
        return search
    }

    deinit {
        // Another delegate may come to be at the same address.
        guard let store, let search = made.withLock({ $0 }) else { return }
        store.dropCompanion(search)
    }

    private func post(_ store: NSPersistentStore, _ position: SearchIndexState.Position) {
        let token =
            store is any HistoryStore
            ? NSPersistentHistoryToken([store.identifier ?? "": position.number]) : nil
        let message = IndexDidUpdateMessage(storeUUID: store.identifier ?? "", historyToken: token)
        let notification = IndexDidUpdateMessage.makeNotification(message)
        NotificationCenter.default.post(
            name: notification.name, object: self, userInfo: notification.userInfo)
        NotificationCenter.default.post(message, subject: self)
    }
}

extension NSCoreDataCoreSpotlightDelegate: StoreExporter {
    package func storeWasAdded(_ store: NSPersistentStore, to coordinator: NSPersistentStoreCoordinator) {
        owner.withLock {
            $0.coordinator = coordinator
            $0.store = store
        }
        startSpotlightIndexing()
    }
}

extension NSPersistentStore {
    /// The delegate that indexes the store, which the option `NSCoreDataCoreSpotlightExporter` named; nil for a store without it.
    public var coreSpotlightExporter: NSCoreDataCoreSpotlightDelegate! {
        options?[NSCoreDataCoreSpotlightExporter] as? NSCoreDataCoreSpotlightDelegate
    }
}

extension Notification.Name {
    /// See `NSCoreDataCoreSpotlightDelegate.indexDidUpdateNotification`.
    public static let NSCoreDataCoreSpotlightDelegateIndexDidUpdate = Notification.Name(
        "NSCoreDataCoreSpotlightDelegateIndexDidUpdateNotification")
}

extension SearchedFields {
    /// The display name of an object, if its entity has an expression for it.
    fileprivate func displayName(of object: NSManagedObject) -> String? {
        var next: NSEntityDescription? = entity
        while let candidate = next, candidate.spotlightExpression == nil { next = candidate.superentity }
        guard let expression = next?.spotlightExpression else { return nil }
        return (try? expression.valueInStore(for: object)) as? String
    }
}
