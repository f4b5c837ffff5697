import ObjectGraph
import Foundation
import GRDB

extension NSError {
    /// Wraps what SQLite reported, keeping its code and message under Apple's keys.
    ///
    /// - Parameter during: what was being done, for the sentence ("open the store", "save").
    package static func sqlite(_ error: any Error, during: String, store: URL?) -> NSError {
        guard let database = error as? DatabaseError else {
            return .coreData(
                .persistentStoreOperation, "Could not \(during): \(error.localizedDescription)",
                [NSUnderlyingErrorKey: error as NSError])
        }
        let result = database.extendedResultCode.rawValue
        let message = database.message ?? "SQLite error \(result)"
        var details: [String: Any] = [
            NSSQLiteErrorDomain: NSNumber(value: result),
            NSUnderlyingErrorKey: NSError(
                domain: NSSQLiteErrorDomain, code: Int(result),
                userInfo: [NSLocalizedDescriptionKey: message]),
        ]
        if let store { details[NSFilePathErrorKey] = store.path }
        let location = store.map { " at \($0.path)" } ?? ""
        if message.contains("parser stack overflow") || message.contains("Expression tree is too large") {
            return .coreData(
                .coreData, "Could not \(during): the predicate is nested too deep for SQLite (\(message)).",
                details)
        }
        switch database.resultCode {
        case .SQLITE_BUSY, .SQLITE_LOCKED:
            return .coreData(
                .persistentStoreTimeout,
                "Could not \(during): the store\(location) is locked by another connection.", details)
        case .SQLITE_FULL:
            return .coreData(
                .persistentStoreSave, "Could not \(during): the disk of the store\(location) is full.",
                details)
        case .SQLITE_READONLY:
            return .coreData(
                .persistentStoreSave, "Could not \(during): the store\(location) is read-only.", details)
        case .SQLITE_NOTADB:
            return .coreData(
                .persistentStoreTypeMismatch,
                "Could not \(during): the file\(location) is not a SQLite database.", details)
        case .SQLITE_INTERRUPT:
            return .coreData(
                .persistentStoreSave,
                "Could not \(during): the triggers of the store\(location) did not end, and were stopped.",
                details)
        case .SQLITE_CANTOPEN:
            return .coreData(
                .persistentStoreOpen, "Could not \(during): the file\(location) cannot be opened.", details)
        default:
            return .coreData(.sqlite, "Could not \(during): \(message) (SQLite \(result)).", details)
        }
    }
}
