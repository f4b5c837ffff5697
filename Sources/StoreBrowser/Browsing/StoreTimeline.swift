import CoreData
import StoreTools

/// The persistent history of a store, the latest transactions first.
struct StoreTimeline: Encodable, Sendable {
    struct Transaction: Encodable, Sendable {
        let number: Int64
        let date: String
        let author: String?
        let context: String?
        let bundle: String
        let process: String
        let changes: [Change]
        let changeCount: Int
    }

    struct Change: Encodable, Sendable {
        let kind: String
        let object: String
        /// The names of the changed properties.
        let properties: [String]
        /// What a deleted object left.
        let tombstone: [String: String]
    }

    private static let maxTransactions = 50
    private static let maxChanges = 100

    /// Whether the store has a history.
    let isKept: Bool
    let transactions: [Transaction]
    /// The number to request older ones with; nil when there are none.
    let next: Int64?
    /// How they were read.
    let statements: [ShownStatement]

    /// - Parameter before: the number of the transaction whose predecessors are returned; nil for the latest.
    /// - Throws: an error of the store.
    init(before: Int64?, of store: BrowsedStore) async throws {
        let page = try await store.reading { _, cancellation in
            try store.source.store.historyPage(
                before: before ?? .max, count: Self.maxTransactions, changeCount: Self.maxChanges,
                cancellation,
                Self.transaction)
        }
        isKept = page != nil
        transactions = page?.elements ?? []
        statements = (page?.executions ?? []).map { ShownStatement($0, of: "History") }
        next = page?.hasMore == true ? transactions.last?.number : nil
    }

    private static func transaction(
        _ transaction: NSPersistentHistoryTransaction, _ changeCount: Int
    ) -> Transaction {
        let changes = transaction.changes ?? []
        let seconds = transaction.timestamp.timeIntervalSinceReferenceDate
        return Transaction(
            number: transaction.transactionNumber, date: MomentText.text(seconds) ?? "\(seconds)",
            author: transaction.author, context: transaction.contextName, bundle: transaction.bundleID,
            process: transaction.processID, changes: changes.map(change),
            changeCount: changeCount)
    }

    private static func change(_ change: NSPersistentHistoryChange) -> Change {
        let kind =
            switch change.changeType {
            case .insert: "insert"
            case .update: "update"
            case .delete: "delete"
            }
        let tombstone = (change.tombstone ?? [:]).map { key, value in
            ("\(key)", ShownValue(value, .undefinedAttributeType, 200).text)
        }
        return Change(
            kind: kind, object: "\(change.changedObjectID.toolReference)",
            properties: (change.updatedProperties ?? []).map(\.name).sorted(),
            tombstone: Dictionary(tombstone, uniquingKeysWith: { a, _ in a }))
    }
}
