import Foundation
import ObjectGraph

/// Damage of a store that shows in an error while it is read.
package enum SQLiteDamage {
    /// The file is not a sound database; SQLite's message.
    case database(String)
    /// A table or column is missing; SQLite's message.
    case missingTable(String)

    /// - Returns: nil for an error that says nothing of what is in the store, or that the file is not a database.
    package init?(_ error: any Error, _ url: URL) {
        let error = error as NSError
        guard let code = error.userInfo[NSSQLiteErrorDomain] as? NSNumber else { return nil }
        let reason = (error.userInfo[NSUnderlyingErrorKey] as? NSError)?.localizedDescription
        let message = reason ?? error.localizedDescription
        // The primary codes of SQLite, in the last byte.
        switch code.intValue & 0xFF {
        case 11: self = .database(message)
        // The file begins as a database, so the rest of its head is damaged.
        case 26 where StoreFileReader.isDatabase(url.path): self = .database(message)
        case 1 where message.hasPrefix("no such table") || message.hasPrefix("no such column"):
            self = .missingTable(message)
        default: return nil
        }
    }
}
