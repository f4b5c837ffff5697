import ObjectGraph
import Foundation
import GRDB
import GRDBSQLite

extension SQLiteStore: HistoryStore {
    package var hasHistory: Bool { history != nil }

    package func readHistory<Value>(_ body: (any HistoryReader) throws -> Value) throws -> Value {
        try readOwnHistory(body)
    }

    /// Reads the history, all in one state of the store, as only a store in SQLite has it.
    func readOwnHistory<Value>(_ body: (SQLiteHistoryReader) throws -> Value) throws -> Value {
        guard let history else { throw HistoryTables.damaged("it has none") }
        return try read("read the history") { database in
            try body(SQLiteHistoryReader(store: self, history: history, database: database))
        }
    }

    /// Deletes transactions and their changes, and the files of values that only these had; the number of the
    /// transactions.
    ///
    /// The strings that they refer to stay: a running program of Apple's may have noted their keys.
    package func deleteHistory(before end: HistoryPosition) throws -> Int {
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
    package func deleteHistory(_ numbers: [Int64]) throws -> Int {
        // A list of all would be a string as long as the history.
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
