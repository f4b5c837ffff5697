import Foundation
import ManagedObjectModel

/// What a batch request did to one store or several.
package struct BatchOutcome {
    private(set) var count = 0
    private(set) var objectIDs: [NSManagedObjectID] = []
    /// The number of the transaction in the history of the store; nil without one.
    package var historyNumber: Int64?
    private let keepsIDs: Bool

    package init(keepingIDs: Bool) { keepsIDs = keepingIDs }

    package mutating func add(_ storedEntity: StoredEntity, _ reference: Int64) {
        count += 1
        if keepsIDs { objectIDs.append(NSManagedObjectID(storedEntity: storedEntity, reference: reference)) }
    }

    mutating func add(_ other: BatchOutcome) {
        count += other.count
        objectIDs += other.objectIDs
    }
}

/// Runs batch requests on the stores of a context's coordinator, one transaction a store.
struct BatchExecution {
    let context: NSManagedObjectContext
    let coordinator: NSPersistentStoreCoordinator

    /// - Throws: see `NSBatchInsertRequest`.
    func insert(_ request: NSBatchInsertRequest) throws -> NSBatchInsertResult {
        let fetch = try resolve(request, request.givenEntity, request.entityName)
        let stores = try batchStores(fetch)
        let name = fetch.entity.name ?? ""
        guard !fetch.entity.isAbstract else {
            throw NSError.coreData(.coreData, "Cannot insert rows of the abstract entity '\(name)'.")
        }
        guard let store = stores.first(where: { !$0.isReadOnly }) else {
            throw stores.first?.readOnlyError
                ?? NSError.coreData(
                    .persistentStoreSave, "No store of the coordinator holds entity '\(name)'.")
        }
        let storedEntity = fetch.query(store).storedEntity
        let outcome = try store.insertBatch(
            request.source, into: storedEntity, policy: (context.mergePolicy as? NSMergePolicy)?.mergeType,
            terms(keepingIDs: request.resultType == .objectIDs))
        post(outcome, in: store)
        return NSBatchInsertResult(outcome, request.resultType)
    }

    /// - Throws: see `NSBatchUpdateRequest`; when one of several stores fails, what was written to others stays.
    func update(_ request: NSBatchUpdateRequest) throws -> NSBatchUpdateResult {
        let keepsIDs = request.resultType == .updatedObjectIDsResultType
        var outcome = BatchOutcome(keepingIDs: keepsIDs)
        let fetch = try resolve(request, request.givenEntity, request.entityName) {
            $0.predicate = request.predicate
            $0.includesSubentities = request.includesSubentities
        }
        for store in try batchStores(fetch) {
            let updated = try store.updateBatch(
                fetch.query(store), request.propertiesToUpdate ?? [:], terms(keepingIDs: keepsIDs))
            post(updated, in: store)
            outcome.add(updated)
        }
        return NSBatchUpdateResult(outcome, request.resultType)
    }

    /// - Throws: see `NSBatchDeleteRequest`; when one of several stores fails, what was deleted in others is gone.
    func delete(_ request: NSBatchDeleteRequest) throws -> NSBatchDeleteResult {
        var outcome = BatchOutcome(keepingIDs: request.resultType == .resultTypeObjectIDs)
        if request.isEmptyObjectList { return NSBatchDeleteResult(outcome, request.resultType) }
        let found = request.fetchRequest
        found.affectedStores = request.affectedStores ?? found.affectedStores
        found.resultType = .managedObjectIDResultType
        let fetch = try ResolvedFetch(found, context)
        let stores = try batchStores(fetch)
        guard stores.count < 2 || !fetch.isWindow else {
            throw NSError.coreData(
                .coreData,
                """
                The entity '\(fetch.entity.name ?? "")' is in several stores, so a batch deletion cannot have a limit or an \
                offset; name one store in affectedStores.
                """)
        }
        for store in stores {
            let deleted = try store.deleteBatch(
                fetch.query(store), terms(keepingIDs: request.resultType == .resultTypeObjectIDs))
            post(deleted, in: store)
            outcome.add(deleted)
        }
        return NSBatchDeleteResult(outcome, request.resultType)
    }

    private func resolve(
        _ request: NSPersistentStoreRequest, _ entity: NSEntityDescription?, _ name: String,
        _ configure: (NSFetchRequest<any NSFetchRequestResult>) -> Void = { _ in }
    ) throws -> ResolvedFetch {
        guard entity != nil || !name.isEmpty else {
            throw NSError.coreData(.coreData, "A batch request must have an entity.")
        }
        let fetch = NSFetchRequest<any NSFetchRequestResult>(entityName: name)
        if let entity { fetch.entity = entity }
        fetch.affectedStores = request.affectedStores
        configure(fetch)
        return try ResolvedFetch(fetch, context)
    }

    private func batchStores(_ fetch: ResolvedFetch) throws -> [any BatchStore] {
        try fetch.stores.map { store in
            guard let store = store as? any BatchStore else {
                throw NSError.coreData(
                    .persistentStoreUnsupportedRequestType,
                    """
                    Batch requests are supported by SQLite stores only; the store of entity '\(fetch.entity.name ?? "")' is of the type \
                    \(store.type).
                    """, [NSAffectedStoresErrorKey: [store]])
            }
            return store
        }
    }

    /// The transaction is that of the context that is next to the store, as the author of a save is.
    private func terms(keepingIDs keepsIDs: Bool) -> BatchTerms {
        var writer = context
        while let parent = writer.parentContext { writer = parent }
        return BatchTerms(keepsIDs: keepsIDs, author: writer.transactionAuthor, contextName: writer.name)
    }

    private func post(_ outcome: BatchOutcome, in store: any BatchStore) {
        guard outcome.count > 0 else { return }
        coordinator.postRemoteChange(store, historyNumber: outcome.historyNumber)
        for companion in store.companions { companion.storeDidChange(nil) }
    }
}
