import CoreData
import Foundation
import FullTextSearch
import ObjectGraph
import Synchronization

/// What a delegate's index has of a store: the texts of the attribute sets that the delegate returns.
struct SpotlightContents: IndexedContents {
    /// Raised when the same sets are indexed in another way.
    private static let version = 1

    private weak let delegate: NSCoreDataCoreSpotlightDelegate?
    let entities: [StoredEntity]
    let fieldCounts: [Int]
    let signature: String
    private let collections: [Int32: Int]

    init(_ store: any ObjectStore, _ delegate: NSCoreDataCoreSpotlightDelegate?) {
        self.delegate = delegate
        let schema = SearchSchema(store)
        entities = schema.entities
        collections = Dictionary(
            uniqueKeysWithValues: schema.kinds.map { ($0.storedEntity.entityNumber, $0.collection) })
        fieldCounts = schema.fieldCounts.map { _ in CSSearchableItemAttributeSet.fieldNames.count }
        signature = [
            "\(Self.version)", delegate.map { String(reflecting: type(of: $0)) } ?? "",
            delegate?.indexName() ?? "", schema.signature,
        ].joined(separator: "\n")
    }

    func collection(_ storedEntity: StoredEntity) -> Int? { collections[storedEntity.entityNumber] }
    func logIgnored() {}

    func texts(
        of references: [Int64], _ storedEntity: StoredEntity, in store: any ObjectStore
    ) throws -> [(key: Int64, texts: [(field: Int, text: String)])] {
        guard let delegate else { throw NSError.removedStore }
        return try SpotlightObjects.with(references, storedEntity, in: store) { objects in
            objects.compactMap { object in
                delegate.attributeSet(for: object).map { (object.objectID.reference, $0.fieldTexts) }
            }
        }
    }
}

/// Objects that are read for an index.
enum SpotlightObjects {
    /// Runs a block with those of some objects that are in the store, in a context of their own.
    static func with<Value>(
        _ references: [Int64], _ storedEntity: StoredEntity, in store: any ObjectStore,
        _ body: ([NSManagedObject]) throws -> [Value]
    ) throws -> [Value] {
        guard let coordinator = store.persistentStoreCoordinator else { throw NSError.removedStore }
        let context = NSManagedObjectContext(.privateQueue)
        context.persistentStoreCoordinator = coordinator
        context.undoManager = nil
        return try context.performAndWait {
            let request = NSFetchRequest<NSManagedObject>(entityName: storedEntity.entity.name ?? "")
            request.predicate = NSPredicate(
                format: "SELF IN %@",
                references.map { NSManagedObjectID(storedEntity: storedEntity, reference: $0) } as NSArray)
            request.includesSubentities = false
            request.affectedStores = [store]
            request.returnsObjectsAsFaults = false
            return try body(context.fetch(request))
        }
    }
}

/// The stores that delegates of this process index.
enum SpotlightStores {
    private struct Entry: Sendable {
        weak var delegate: NSCoreDataCoreSpotlightDelegate?
    }

    private static let known = Mutex<[Entry]>([])

    static func add(_ delegate: NSCoreDataCoreSpotlightDelegate) {
        known.withLock { known in
            known.removeAll { $0.delegate == nil || $0.delegate === delegate }
            known.append(Entry(delegate: delegate))
        }
    }

    static var all: [any SearchedItems] {
        known.withLock { $0.compactMap(\.delegate) }.map(SpotlightItems.init)
    }
}

/// The objects of a store as items.
private struct SpotlightItems: SearchedItems {
    let delegate: NSCoreDataCoreSpotlightDelegate

    func read<Value>(
        _ isCancelled: () -> Bool, _ body: ([ItemCollection]) throws -> [Value]
    ) throws -> [Value] {
        guard let store = delegate.store else { return [] }
        return try unlessRemoved(store) {
            let search = try delegate.search(of: store)
            _ = try search.current(isCancelled: isCancelled)
            return try search.read { opened in
                try body(
                    opened.contents.fieldCounts.indices.map {
                        ItemCollection(index: opened.index, number: $0)
                    })
            }
        }
    }

    /// What a block returns; nothing for a store that was removed from its coordinator meanwhile.
    private func unlessRemoved<Value>(
        _ store: any ObjectStore, _ body: () throws -> [Value]
    ) throws -> [Value] {
        do {
            return try body()
        } catch let error as NSError where error.isRemovedStore {
            // A store is closed before its coordinator is without it.
            return []
        } catch  where delegate.store !== store {
            return []
        }
    }

    func items(_ keys: [Int64], in collection: Int) throws -> [CSSearchableItem] {
        guard let store = delegate.store else { return [] }
        let contents = SpotlightContents(store, delegate)
        var items: [Int64: CSSearchableItem] = [:]
        for storedEntity in contents.entities where contents.collection(storedEntity) == collection {
            let found = try unlessRemoved(store) {
                try SpotlightObjects.with(keys, storedEntity, in: store) { $0.compactMap(item) }
            }
            for (key, item) in found { items[key] = item }
        }
        return keys.compactMap { items[$0] }
    }

    private func item(_ object: NSManagedObject) -> (Int64, CSSearchableItem)? {
        delegate.attributeSet(for: object).map { set in
            (
                object.objectID.reference,
                CSSearchableItem(
                    uniqueIdentifier: object.objectID.uriRepresentation().absoluteString,
                    domainIdentifier: delegate.domainIdentifier(), attributeSet: set)
            )
        }
    }
}
