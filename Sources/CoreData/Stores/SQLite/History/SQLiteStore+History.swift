import Foundation
import GRDB
import GRDBSQLite

extension SQLiteStore {
    /// Reads the history, all in one state of the store.
    func readHistory<Value>(_ body: (HistoryReader) throws -> Value) throws -> Value {
        guard let history else { throw HistoryTables.damaged("it has none") }
        return try read("read the history") { database in
            try body(HistoryReader(store: self, history: history, database: database))
        }
    }

    /// Deletes transactions and their changes, and the files of values that only these had; the number of the
    /// transactions.
    ///
    /// The texts that they refer to stay: a running program of Apple's may have noted their keys.
    func deleteHistory(before end: HistoryReader.Start) throws -> Int {
        switch end {
        case .number(let number): try deleteHistory([("Z_PK < ?", number.databaseValue)])
        case .time(let time): try deleteHistory([("ZTIMESTAMP < ?", time.databaseValue)])
        }
    }

    /// The number of the last transaction that was ever saved; nil without a history, or where it cannot be read.
    package var lastHistoryNumber: Int64? {
        history.flatMap { _ in try? readHistory { try $0.lastNumber() } }
    }

    /// Deletes the transactions of some numbers; how many there were.
    func deleteHistory(_ numbers: [Int64]) throws -> Int {
        // A list of all would be a text as long as the history.
        try deleteHistory(numbers.map { ("Z_PK = ?", $0.databaseValue) })
    }

    private func deleteHistory(_ parts: [(condition: String, argument: DatabaseValue)]) throws -> Int {
        // A deletion that was undone has given its file back to a row.
        try changingFiles { files in
            try write("delete history", files) { database in
                let preserved = history.map { PreservedFiles(self, $0, database) }
                var named: Set<String> = []
                var count = 0
                for (condition, argument) in parts {
                    let changes = "ZTRANSACTIONID IN (SELECT Z_PK FROM ATRANSACTION WHERE \(condition))"
                    named.formUnion(try preserved?.namedByHistory(where: changes, argument) ?? [])
                    try database.execute(sql: "DELETE FROM ACHANGE WHERE \(changes)", arguments: [argument])
                    try database.execute(
                        sql: "DELETE FROM ATRANSACTION WHERE \(condition)", arguments: [argument])
                    count += database.changesCount
                }
                if let preserved, !named.isEmpty {
                    files.leave(try named.subtracting(preserved.namedByHistory()))
                }
                return count
            }
        }
    }
}

extension NSPersistentStoreCoordinator {
    /// The place in the history of stores where it ends now.
    ///
    /// - Parameter stores: `[NSPersistentStore]`; nil for all.
    /// - Returns: nil when none of the stores has history, or it cannot be read.
    public func currentPersistentHistoryToken(fromStores stores: [Any]?) -> NSPersistentHistoryToken? {
        var numbers: [String: Int64] = [:]
        for case let store as SQLiteStore in stores ?? persistentStores where store.history != nil {
            do {
                numbers[store.identifier ?? ""] = try store.readHistory { try $0.lastNumber() }
            } catch {
                Log.store.error("Could not read the history token: \(error.localizedDescription)")
                return nil
            }
        }
        return numbers.isEmpty ? nil : NSPersistentHistoryToken(numbers)
    }

    /// Executes a request for the history of this coordinator's stores.
    func execute(_ request: NSPersistentHistoryChangeRequest) throws -> NSPersistentHistoryResult {
        try HistoryExecution(request, self).run()
    }

    /// Tells that a context or a batch request of this coordinator has changed a store.
    func noteOwnChange(of store: NSPersistentStore, historyNumber: Int64?) {
        if let historyNumber { remoteChanges.noteOwn(historyNumber, of: store) }
        postRemoteChange(store, historyNumber: historyNumber)
    }

    /// Tells that a store was changed, by whomever.
    ///
    /// - Parameter historyNumber: the last transaction of its history; nil without one.
    func postRemoteChange(_ store: NSPersistentStore, historyNumber: Int64?) {
        guard store.postsRemoteChanges else { return }
        var userInfo: [AnyHashable: Any] = [:]
        userInfo[NSPersistentStoreURLKey] = store.url
        userInfo[NSStoreUUIDKey] = store.identifier
        if let historyNumber, let identifier = store.identifier {
            userInfo[NSPersistentHistoryTokenKey] = NSPersistentHistoryToken([identifier: historyNumber])
        }
        let notification = Notification(
            name: .NSPersistentStoreRemoteChange, object: self, userInfo: userInfo)
        NotificationCenter.default.post(notification)
        if let message = RemoteChangeMessage.makeMessage(notification) {
            NotificationCenter.default.post(message, subject: self)
        }
    }
}
