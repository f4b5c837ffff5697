import CoreDataSQL
import Foundation
import GRDB
import ObjectGraph

extension SQLiteStore: HistoryStore {
    package var hasHistory: Bool { history != nil }

    package func readHistory<Value>(_ body: (any HistoryReader) throws -> Value) throws -> Value {
        try readOwnHistory(body)
    }

    /// Reads the history, all in one state of the store, as only a store in a database has it.
    func readOwnHistory<Value>(_ body: (SQLHistoryReader) throws -> Value) throws -> Value {
        guard let history else { throw HistoryTables.damaged("it has none") }
        return try read("read the history") { database in
            try body(SQLHistoryReader(self, history, SQLiteConnection(database)))
        }
    }

    /// Deletes transactions and their changes, and the files of values that only these had; the number of the
    /// transactions.
    ///
    /// The strings that they refer to stay: a running program of Apple's may have noted their keys.
    package func deleteHistory(before end: HistoryPosition) throws -> Int {
        try deleteHistory([.before(end)])
    }

    /// The number of the last transaction that was ever saved; nil without a history, or where it cannot be read.
    package var lastHistoryNumber: Int64? {
        history.flatMap { _ in try? readHistory { try $0.lastNumber() } }
    }

    /// Deletes the transactions of some numbers; how many there were.
    package func deleteHistory(_ numbers: [Int64]) throws -> Int {
        // A list of all would be a string as long as the history.
        try deleteHistory(numbers.map(HistoryDeletion.transaction))
    }

    private func deleteHistory(_ parts: [HistoryDeletion]) throws -> Int {
        // A deletion that was undone has given its file back to a row.
        try changingFiles { files in
            try write("delete history", files) { database in
                let preserved = history.map { PreservedFiles(schema, $0, database) }
                var named: Set<String> = []
                var count = 0
                for part in parts {
                    named.formUnion(try preserved?.namedByHistory(where: part.changes) ?? [])
                    count += try part.run(SQLiteConnection(database))
                }
                if let preserved, !named.isEmpty {
                    files.leave(try named.subtracting(preserved.namedByHistory()))
                }
                return count
            }
        }
    }
}
