import CocoaFoundation
import Foundation
import ManagedObjectModel

/// Runs a request for history.
struct HistoryExecution {
    let request: NSPersistentHistoryChangeRequest
    let stores: [any HistoryStore]

    /// - Throws: 134091 for a request whose parts do not fit, or a store that is not one of the coordinator's.
    init(_ request: NSPersistentHistoryChangeRequest, _ coordinator: NSPersistentStoreCoordinator) throws {
        self.request = request
        let all = coordinator.persistentStores
        for store in request.affectedStores ?? [] where !all.contains(where: { $0 === store }) {
            throw Self.error("a store of the request is not one of the coordinator's")
        }
        stores = (request.affectedStores ?? all).compactMap { $0 as? any HistoryStore }.filter(\.hasHistory)
    }

    static func error(_ reason: String) -> NSError {
        .coreData(
            .persistentStoreUnsupportedRequestType, "The history request cannot be executed: \(reason).")
    }

    func run() throws -> NSPersistentHistoryResult { request.deletes ? try delete() : try fetch() }

    // MARK: Deleting

    private func delete() throws -> NSPersistentHistoryResult {
        let specification = request.fetchRequest?.fetchSpecification
        guard try !concernsChanges(specification) else {
            throw Self.error("a deletion takes conditions on transactions, and not on changes")
        }
        guard request.resultType == .statusOnly || request.resultType == .count else {
            throw Self.error("a deletion returns the status or the number of deleted transactions")
        }
        for store in stores where store.isReadOnly {
            throw NSError.coreData(
                .persistentStoreSave,
                "The history of the store at \(store.url?.path ?? "") cannot be deleted: the store is read-only.",
                [NSAffectedStoresErrorKey: [store]])
        }
        var count = 0
        var selection = specification.map { HistorySelection<HistoryTransactionKey>($0) }
        for store in stores {
            guard let end = end(in: store) else { continue }
            if selection == nil {
                count += try store.deleteHistory(before: end)
            } else {
                try store.readHistory { reader in
                    try selection?.begin(reader)
                    try reader.forEachRecord(before: end) { record in
                        let shown = NSPersistentHistoryTransaction(
                            record, storeID: store.identifier ?? "", changes: nil)
                        try selection?.take(HistoryFields(shown)) {
                            HistoryTransactionKey(store, record.number)
                        }
                        return selection?.isFull == false
                    }
                }
            }
        }
        for (store, numbers) in try HistoryTransactionKey.byStore(selection?.window() ?? []) {
            count += try store.deleteHistory(numbers)
        }
        return NSPersistentHistoryResult(
            request.resultType == .count ? count as Any : true, request.resultType)
    }

    /// The position before which a request deletes in a store; nil where it deletes nothing.
    private func end(in store: any HistoryStore) -> HistoryPosition? {
        switch request.limit {
        case .none: .number(.max)
        case .date(let date): .time(date.timeIntervalSinceReferenceDate)
        case .token(let token): token.numbers[store.identifier ?? ""].map { .number($0) }
        }
    }
}

/// A transaction of a store.
private struct HistoryTransactionKey {
    private let store: any HistoryStore
    private let number: Int64

    init(_ store: any HistoryStore, _ number: Int64) {
        self.store = store
        self.number = number
    }

    static func byStore(_ transactions: [HistoryTransactionKey]) -> [(
        store: any HistoryStore, numbers: [Int64]
    )] {
        let groups = Dictionary(grouping: transactions) { ObjectIdentifier($0.store) }
        return groups.values.compactMap { group in
            group.first.map { ($0.store, group.map(\.number)) }
        }
    }
}
