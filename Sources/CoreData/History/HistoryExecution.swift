import CocoaFoundation
import Foundation
import ManagedObjectModel

/// Runs a request for history.
struct HistoryExecution {
    let request: NSPersistentHistoryChangeRequest
    let stores: [SQLiteStore]

    /// - Throws: 134091 for a request whose parts do not fit, or a store that is not one of the coordinator's.
    init(_ request: NSPersistentHistoryChangeRequest, _ coordinator: NSPersistentStoreCoordinator) throws {
        self.request = request
        let all = coordinator.persistentStores
        for store in request.affectedStores ?? [] where !all.contains(where: { $0 === store }) {
            throw Self.error("a store of the request is not one of the coordinator's")
        }
        stores = (request.affectedStores ?? all).compactMap { $0 as? SQLiteStore }.filter {
            $0.history != nil
        }
    }

    static func error(_ reason: String) -> NSError {
        .coreData(
            .persistentStoreUnsupportedRequestType, "The history request cannot be executed: \(reason).")
    }

    func run() throws -> NSPersistentHistoryResult { request.deletes ? try delete() : try fetch() }

    // MARK: Deleting

    private func delete() throws -> NSPersistentHistoryResult {
        guard request.fetchRequest == nil else { throw Self.error("a deletion takes no fetch request") }
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
        for store in stores {
            switch request.limit {
            case .none: count += try store.deleteHistory(before: .number(.max))
            case .date(let date):
                count += try store.deleteHistory(before: .time(date.timeIntervalSinceReferenceDate))
            case .token(let token):
                guard let number = token.numbers[store.identifier ?? ""] else { continue }
                count += try store.deleteHistory(before: .number(number))
            }
        }
        return NSPersistentHistoryResult(
            request.resultType == .count ? count as Any : true, request.resultType)
    }
}
