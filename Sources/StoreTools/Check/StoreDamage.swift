import CoreData

/// Damage of a store that shows in an error while it is checked.
struct StoreDamage {
    let finding: StoreFinding

    /// - Returns: nil for an error that says nothing of what is in the store, or that the file is not a database.
    init?(_ error: any Error, _ url: URL) {
        let error = error as NSError
        guard let code = error.userInfo[NSSQLiteErrorDomain] as? NSNumber else { return nil }
        let reason = (error.userInfo[NSUnderlyingErrorKey] as? NSError)?.localizedDescription
        let message = reason ?? error.localizedDescription
        // The primary codes of SQLite, in the last byte.
        switch code.intValue & 0xFF {
        case 11: finding = StoreFinding(.error, .damagedDatabase, message)
        // The file begins as a database, so the rest of its head is damaged.
        case 26 where StoreFileReader.isDatabase(url.path):
            finding = StoreFinding(.error, .damagedDatabase, message)
        case 1 where message.hasPrefix("no such table") || message.hasPrefix("no such column"):
            finding = StoreFinding(.error, .missingTable, message)
        default: return nil
        }
    }
}
