import CoreDataSQL
import ObjectGraph
import Foundation
import GRDB

extension SQLiteStore {
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
