import CoreDataSQL
import ObjectGraph
import Foundation
import GRDB

/// A part of a store's history, for tools that show much of it and keep little.
package struct HistoryPage<Element> {
    /// The latest transactions first.
    package let elements: [Element]
    /// Whether there are older ones.
    package let hasMore: Bool
    /// What was executed for it.
    package let executions: [FetchInspection.Execution]
}

extension HistoryPage: Sendable where Element: Sendable {}

extension SQLiteStore {
    /// Reads the latest transactions, and nothing of others.
    ///
    /// - Parameters:
    ///   - number: the number that those of all transactions are below.
    ///   - count: the most transactions.
    ///   - changeCount: the most changes that are read of a transaction.
    ///   - body: makes of a transaction and the number of all its changes what is wanted. What deleted objects left in files
    ///     is not read.
    /// - Returns: nil for a store without history.
    /// - Throws: an error of SQLite; `NSUserCancelledError`; what `body` throws.
    package func historyPage<Element>(
        before number: Int64, count: Int, changeCount: Int, _ cancellation: FetchCancellation,
        _ body: (NSPersistentHistoryTransaction, Int) throws -> Element
    ) throws -> HistoryPage<Element>? {
        guard let history else { return nil }
        return try read("read the history", cancellation) { database in
            let reader = SQLHistoryReader(self, history, SQLiteConnection(database), readsFiles: false)
            let (page, executions) = try StatementTrace.during(database) {
                let records = try reader.latestRecords(before: number, count: count + 1)
                let elements = try records.prefix(count).map { record in
                    let changes = try reader.firstChanges(of: record.number, count: changeCount)
                    let transaction = NSPersistentHistoryTransaction(
                        record, storeID: identifier ?? "", changes: changes)
                    return try body(transaction, reader.changeCount(of: record.number))
                }
                return (elements, records.count > count)
            }
            return HistoryPage(elements: page.0, hasMore: page.1, executions: executions)
        }
    }
}
