import CocoaFoundation
import Foundation
import ManagedObjectModel

// The history is read in pieces: elements that do not meet the conditions, or are not in the window, are released at once, and
// only the parts that the type of the result shows are made.

extension HistoryExecution {
    func fetch() throws -> NSPersistentHistoryResult {
        try checkToken()
        let specification = request.fetchRequest?.fetchSpecification
        let concernsChanges = try concernsChanges(specification)
        let type = request.resultType
        let showsTransactions = [.count, .transactionsOnly, .transactionsAndChanges].contains(type)
        let result = try MatchBudget.sharing {
            // Without conditions the changes are those of all transactions.
            try concernsChanges || (specification == nil && !showsTransactions)
                ? changes(HistorySelection(specification))
                : transactions(HistorySelection(specification))
        }
        return NSPersistentHistoryResult(result, type)
    }

    /// Whether a request is for changes rather than for transactions.
    ///
    /// - Throws: 134091 when it is for neither.
    func concernsChanges(_ specification: FetchSpecification?) throws -> Bool {
        let entities = HistoryEntities.shared
        switch specification?.entityName {
        case _ where request.fetchRequest == nil, entities.transaction.name: return false
        case entities.change.name: return true
        case let name:
            throw NSError.coreData(
                .persistentStoreUnsupportedRequestType,
                """
                A history request takes a fetch request for the entity of NSPersistentHistoryTransaction or \
                NSPersistentHistoryChange, not for '\(name ?? "none")'.
                """)
        }
    }

    /// A token of other stores has no position in these.
    private func checkToken() throws {
        guard case .token(let token) = request.limit, !token.numbers.isEmpty, !stores.isEmpty,
            !stores.contains(where: { token.numbers[$0.identifier ?? ""] != nil })
        else { return }
        throw NSError.coreData(
            CocoaError.Code(rawValue: NSPersistentHistoryTokenExpiredError),
            "The history token has expired: it belongs to other stores than the coordinator's.")
    }

    /// The start of the requested history of a store.
    ///
    /// - Throws: 134301 when something that was saved after the token is not there any more.
    private func start(_ reader: any HistoryReader) throws -> HistoryPosition {
        switch request.limit {
        case .none: return .number(.min)
        case .date(let date): return .time(date.timeIntervalSinceReferenceDate)
        case .token(let token):
            // The whole history of a store that was added later follows the token.
            guard let number = token.numbers[reader.storeIdentifier] else { return .number(.min) }
            try reader.checkNotExpired(number)
            return .number(number)
        }
    }

    // MARK: Transactions

    /// A transaction that is or may be in the result, with the parts of its changes that the result shows.
    private final class ChosenTransaction {
        let record: HistoryRecord
        let storeID: String
        var changes: [NSPersistentHistoryChange] = []
        var objectIDs: [NSManagedObjectID] = []
        var hasChanges = false

        init(_ record: HistoryRecord, storeID: String) {
            self.record = record
            self.storeID = storeID
        }

        func transaction(withChanges: Bool) -> NSPersistentHistoryTransaction {
            NSPersistentHistoryTransaction(record, storeID: storeID, changes: withChanges ? changes : nil)
        }
    }

    /// The result for transactions that meet the conditions.
    private func transactions(_ selection: HistorySelection<ChosenTransaction>) throws -> Any {
        var selection = selection
        let type = request.resultType
        for store in stores where !selection.isFull {
            try store.readHistory { reader in
                let storeID = store.identifier ?? ""
                try selection.begin(reader)
                try reader.forEachRecord(after: try start(reader)) { record in
                    let shown = NSPersistentHistoryTransaction(record, storeID: storeID, changes: nil)
                    try selection.take(HistoryFields(shown)) {
                        type == .statusOnly ? nil : ChosenTransaction(record, storeID: storeID)
                    }
                    return !selection.isFull
                }
                guard ![.statusOnly, .count, .transactionsOnly].contains(type) else { return }
                // The changes are read from the same state of the store.
                try selection.sort()
                try readChanges(of: selection.elements.filter { !$0.hasChanges }, reader)
            }
        }
        let chosen = try selection.window()
        switch type {
        case .statusOnly: return true
        case .count: return chosen.count
        case .objectIDs: return Self.distinct(chosen.lazy.flatMap(\.objectIDs))
        case .changesOnly: return chosen.flatMap(\.changes)
        case .transactionsOnly: return chosen.map { $0.transaction(withChanges: false) }
        case .transactionsAndChanges: return chosen.map { $0.transaction(withChanges: true) }
        }
    }

    /// Up to this number of transactions, changes are looked up one by one; for more, they are filtered from all in between.
    private static let fewTransactions = 64

    private func readChanges(of chosen: [ChosenTransaction], _ reader: any HistoryReader) throws {
        for transaction in chosen { transaction.hasChanges = true }
        let byNumber = Dictionary(
            chosen.map { ($0.record.number, $0) }, uniquingKeysWith: { first, _ in first })
        guard let lowest = byNumber.keys.min(), let highest = byNumber.keys.max() else { return }
        let ranges =
            byNumber.count <= Self.fewTransactions
            ? byNumber.keys.sorted().map { $0...$0 } : [lowest...highest]
        let type = request.resultType
        for range in ranges {
            try reader.forEachChange(of: range) { row in
                guard let transaction = byNumber[row.transactionNumber] else { return true }
                switch type {
                case .objectIDs: transaction.objectIDs.append(row.objectID)
                default: transaction.changes.append(reader.change(row))
                }
                return true
            }
        }
    }

    // MARK: Changes

    /// A change that is or may be in the result.
    private struct ChosenChange {
        var change: NSPersistentHistoryChange?
        var objectID: NSManagedObjectID?
        var transaction: ChosenTransaction?
    }

    /// The result for changes that meet the conditions; their transactions have only these.
    private func changes(_ selection: HistorySelection<ChosenChange>) throws -> Any {
        var selection = selection
        let type = request.resultType
        // Elements that are only counted are not kept, unless they have to be sorted into a window first.
        let isCounted = type == .statusOnly || (type == .count && !selection.isWindow)
        for store in stores where !selection.isFull {
            try store.readHistory { reader in
                let start = try start(reader)
                try selection.begin(reader)
                // The status does not depend on what would be read.
                if type == .statusOnly, request.fetchRequest == nil { return }
                guard let lowest = try reader.lowestNumber(after: start) else { return }
                var transaction: ChosenTransaction?
                var number: Int64?
                try reader.forEachChange(of: lowest...Int64.max) { row in
                    if row.transactionNumber != number {
                        number = row.transactionNumber
                        transaction = try reader.record(number: row.transactionNumber, after: start).map {
                            ChosenTransaction($0, storeID: store.identifier ?? "")
                        }
                    }
                    // A change without a transaction is left out.
                    guard let transaction else { return true }
                    try selection.take(HistoryFields(row)) {
                        if isCounted { return nil }
                        switch type {
                        case .statusOnly, .count: return ChosenChange()
                        case .objectIDs: return ChosenChange(objectID: row.objectID)
                        case .changesOnly: return ChosenChange(change: reader.change(row))
                        case .transactionsOnly: return ChosenChange(transaction: transaction)
                        case .transactionsAndChanges:
                            return ChosenChange(change: reader.change(row), transaction: transaction)
                        }
                    }
                    return !selection.isFull
                }
            }
        }
        if isCounted { return type == .statusOnly ? true : selection.metCount }
        let chosen = try selection.window()
        switch type {
        case .statusOnly: return true
        case .count: return chosen.count
        case .objectIDs: return Self.distinct(chosen.lazy.compactMap(\.objectID))
        case .changesOnly: return chosen.compactMap(\.change)
        case .transactionsOnly, .transactionsAndChanges:
            var order: [ChosenTransaction] = []
            var seen: Set<ObjectIdentifier> = []
            for case (let change, let transaction?) in chosen.lazy.map({ ($0.change, $0.transaction) }) {
                if seen.insert(ObjectIdentifier(transaction)).inserted { order.append(transaction) }
                if let change { transaction.changes.append(change) }
            }
            return order.map { $0.transaction(withChanges: type == .transactionsAndChanges) }
        }
    }

    private static func distinct(_ objectIDs: some Sequence<NSManagedObjectID>) -> [NSManagedObjectID] {
        var seen: Set<NSManagedObjectID> = []
        return objectIDs.filter { seen.insert($0).inserted }
    }
}
