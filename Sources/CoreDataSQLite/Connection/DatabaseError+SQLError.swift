import CoreDataSQL
import Foundation
import GRDB

extension DatabaseError: SQLError {
    // Triggers and conditions of the file, and keys that are there twice, violate no constraint of the model.
    package var isUniquenessViolation: Bool { extendedResultCode == .SQLITE_CONSTRAINT_UNIQUE }

    package var isBusy: Bool { resultCode == .SQLITE_BUSY || resultCode == .SQLITE_LOCKED }

    package var isInterrupted: Bool { resultCode == .SQLITE_INTERRUPT }

    package func error(during: String, store: URL?) -> NSError {
        .sqlite(self, during: during, store: store)
    }
}
