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

    private static func error(_ reason: String) -> NSError {
        .coreData(
            .persistentStoreUnsupportedRequestType, "The history request cannot be executed: \(reason).")
    }

    func run() throws -> NSPersistentHistoryResult { request.deletes ? try delete() : try fetch() }

    // MARK: Fetching

    private func fetch() throws -> NSPersistentHistoryResult {
        try checkToken()
        let condition = try HistoryCondition(request.fetchRequest)
        let type = request.resultType
        let needsChanges =
            condition.concernsChanges || !(type == .transactionsOnly || type == .statusOnly)
        var transactions: [NSPersistentHistoryTransaction] = []
        for store in stores { transactions += try self.transactions(of: store, needsChanges) }
        if condition.concernsChanges {
            let changes = try condition.matches(in: transactions)
            return NSPersistentHistoryResult(result(of: changes), type)
        }
        transactions = try condition.matches(transactions)
        return NSPersistentHistoryResult(result(of: transactions), type)
    }

    /// A token of other stores than these says nothing about what these have after it.
    private func checkToken() throws {
        guard case .token(let token) = request.limit, !token.numbers.isEmpty, !stores.isEmpty,
            !stores.contains(where: { token.numbers[$0.identifier ?? ""] != nil })
        else { return }
        throw NSError.coreData(
            CocoaError.Code(rawValue: NSPersistentHistoryTokenExpiredError),
            "The history token has expired: it is of other stores than those that the coordinator has.")
    }

    private func transactions(
        of store: SQLiteStore, _ withChanges: Bool
    ) throws -> [NSPersistentHistoryTransaction] {
        try store.readHistory { reader in
            switch request.limit {
            case .none: return try reader.transactions(after: .number(.min), withChanges: withChanges)
            case .date(let date):
                return try reader.transactions(
                    after: .time(date.timeIntervalSinceReferenceDate), withChanges: withChanges)
            case .token(let token):
                // Of a store that was added later, all of the history comes after the token.
                guard let number = token.numbers[store.identifier ?? ""] else {
                    return try reader.transactions(after: .number(.min), withChanges: withChanges)
                }
                try reader.checkNotExpired(number)
                return try reader.transactions(after: .number(number), withChanges: withChanges)
            }
        }
    }

    private func result(of transactions: [NSPersistentHistoryTransaction]) -> Any {
        let changes = transactions.flatMap { $0.changes ?? [] }
        switch request.resultType {
        case .transactionsOnly, .transactionsAndChanges: return transactions
        default: return result(of: changes.map { ($0, nil) })
        }
    }

    /// The result for chosen changes; their transactions have only these.
    private func result(
        of changes: [(change: NSPersistentHistoryChange, transaction: NSPersistentHistoryTransaction?)]
    ) -> Any {
        switch request.resultType {
        case .statusOnly: return true
        case .count: return changes.count
        case .objectIDs:
            var seen: Set<NSManagedObjectID> = []
            return changes.map(\.change.changedObjectID).filter { seen.insert($0).inserted }
        case .changesOnly: return changes.map(\.change)
        case .transactionsOnly, .transactionsAndChanges:
            var order: [NSPersistentHistoryTransaction] = []
            var chosen: [ObjectIdentifier: [NSPersistentHistoryChange]] = [:]
            for case (let change, let transaction?) in changes {
                if chosen[ObjectIdentifier(transaction)] == nil { order.append(transaction) }
                chosen[ObjectIdentifier(transaction), default: []].append(change)
            }
            return order.map { transaction in
                transaction.with(
                    changes: request.resultType == .transactionsOnly
                        ? nil : chosen[ObjectIdentifier(transaction)])
            }
        }
    }

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

/// The conditions, the order and the window of a request for history.
private struct HistoryCondition {
    private let specification: FetchSpecification?
    let concernsChanges: Bool

    /// - Throws: 134091 when the request is for neither transactions nor changes.
    init(_ request: NSFetchRequest<any NSFetchRequestResult>?) throws {
        specification = request?.fetchSpecification
        let entities = HistoryEntities.shared
        switch specification?.entityName {
        case _ where request == nil, entities.transaction.name: concernsChanges = false
        case entities.change.name: concernsChanges = true
        case let name:
            throw NSError.coreData(
                .persistentStoreUnsupportedRequestType,
                """
                A history request takes a fetch request for the entity of NSPersistentHistoryTransaction or \
                NSPersistentHistoryChange, not for '\(name ?? "none")'.
                """)
        }
    }

    func matches(
        _ transactions: [NSPersistentHistoryTransaction]
    ) throws -> [NSPersistentHistoryTransaction] {
        try chosen(transactions) { HistoryFields($0) }
    }

    func matches(
        in transactions: [NSPersistentHistoryTransaction]
    ) throws -> [(change: NSPersistentHistoryChange, transaction: NSPersistentHistoryTransaction?)] {
        let all = transactions.flatMap { transaction in
            (transaction.changes ?? []).map {
                (change: $0, transaction: NSPersistentHistoryTransaction?.some(transaction))
            }
        }
        return try chosen(all) { HistoryFields($0.change, of: $0.transaction?.transactionNumber ?? 0) }
    }

    private func chosen<Element>(
        _ elements: [Element], _ fields: (Element) -> HistoryFields
    ) throws -> [Element] {
        guard let specification else { return elements }
        var chosen: [(fields: HistoryFields, element: Element)] = []
        for element in elements {
            let fields = fields(element)
            let isMet = try specification.predicate?.matches(fields) ?? true
            try check(fields)
            if isMet { chosen.append((fields, element)) }
        }
        if let descriptors = specification.sortDescriptors, !descriptors.isEmpty {
            let order = sorted(chosen.map(\.fields), by: descriptors)
            for fields in order { try check(fields) }
            let elements = Dictionary(
                chosen.map { (ObjectIdentifier($0.fields), $0.element) }, uniquingKeysWith: { a, _ in a })
            chosen = order.compactMap { fields in
                elements[ObjectIdentifier(fields)].map { (fields, $0) }
            }
        }
        let window = chosen.dropFirst(max(specification.fetchOffset, 0))
        let limit = specification.fetchLimit
        return (limit > 0 ? window.prefix(limit) : window).map(\.element)
    }

    private func check(_ fields: HistoryFields) throws {
        guard let key = fields.unknownKey else { return }
        throw NSError.coreData(
            .persistentStoreUnsupportedRequestType, "The history has no property named '\(key)'.")
    }
}

extension NSPersistentHistoryTransaction {
    /// The same transaction with some of its changes, or none.
    fileprivate func with(changes: [NSPersistentHistoryChange]?) -> NSPersistentHistoryTransaction {
        NSPersistentHistoryTransaction(
            HistoryRecord(
                number: transactionNumber, time: timestamp.timeIntervalSinceReferenceDate, author: author,
                bundleID: bundleID, contextName: contextName, processID: processID),
            storeID: storeID, changes: changes)
    }
}
