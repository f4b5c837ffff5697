import CoreData
import CoreDataSQLite

/// Triggers that call functions which Apple's framework does not have: those of derived attributes with `canonical:`,
/// `uppercase:` and `lowercase:`. A store with them is read there, and not saved.
package enum ForeignTriggers {
    /// Drops the triggers of a store.
    ///
    /// - Returns: their names.
    /// - Throws: 259, 134010, 134080 or 134090 when the file is not a store or cannot be written; it is as it was.
    package static func drop(from url: URL) throws -> [String] {
        guard try !names(in: url).isEmpty else { return [] }
        return try SQLiteStoreTables(url).dropForeignTriggers()
    }

    /// The names in a store, sorted; the store does not change. Stores of other types than SQLite have none.
    ///
    /// - Throws: as `drop(from:)`.
    package static func names(in url: URL) throws -> [String] {
        guard StoreFileType(url) == .sqlite else {
            _ = try StoreMetadata(url).values()
            return []
        }
        let tables = SQLiteStoreTables(url)
        _ = try tables.metadata()
        return try tables.foreignTriggers()
    }
}
