import ObjectGraph
import CocoaFoundation
import Foundation
import GRDB
import ManagedObjectModel

/// What a store says of itself: a property list in the table `Z_METADATA`.
package enum SQLiteMetadata {
    /// The metadata of a new store.
    static func new(
        _ model: NSManagedObjectModel, configuration: String, autoVacuum: String
    ) -> [String: Any] {
        var metadata = StoreMetadata.new(model, configuration: configuration, type: NSSQLiteStoreType)
        metadata["_NSAutoVacuumLevel"] = autoVacuum
        return metadata
    }

    /// How many bytes of metadata are read; those of real stores have a few thousand.
    private static let maximumLength = 16 << 20

    /// - Throws: 134010 when the database is not a store; 134080 when the metadata cannot be read.
    static func read(_ database: Database, _ url: URL) throws -> [String: Any] {
        guard try columns(database).isSuperset(of: ["Z_VERSION", "Z_UUID", "Z_PLIST"]) else {
            throw NSError.coreData(
                .persistentStoreTypeMismatch,
                "The SQLite database at \(url.path) is not a Core Data store: it has no table Z_METADATA.")
        }
        func unreadable(_ reason: String) -> NSError {
            .coreData(
                .persistentStoreOpen, "The metadata of the store at \(url.path) cannot be read: \(reason).",
                [NSFilePathErrorKey: url.path])
        }
        guard
            let row = try GRDB.Row.fetchOne(
                database,
                sql: """
                    SELECT length(Z_PLIST), iif(length(Z_PLIST) <= ?, Z_PLIST, NULL), Z_UUID FROM Z_METADATA
                    ORDER BY Z_VERSION DESC LIMIT 1
                    """, arguments: [maximumLength])
        else { throw unreadable("there is none") }
        guard let list = Data.fromDatabaseValue(row[1]) else {
            let length = Int.fromDatabaseValue(row[0]) ?? 0
            throw unreadable(length > maximumLength ? "it has \(length) bytes" : "it is not data")
        }
        var metadata: [String: Any]
        do {
            metadata = try BinaryPropertyList.dictionary(list, maximumDepth: 64, maximumWeight: 1 << 20)
        } catch {
            throw unreadable("\(error)")
        }
        guard let identifier = String.fromDatabaseValue(row[2]) else {
            throw unreadable("it has no identifier")
        }
        metadata[NSStoreUUIDKey] = identifier
        if metadata[NSStoreTypeKey] == nil { metadata[NSStoreTypeKey] = NSSQLiteStoreType }
        return metadata
    }

    /// The columns of the table, which must not be a view.
    private static func columns(_ database: Database) throws -> Set<String> {
        try String.fetchSet(
            database,
            sql: """
                SELECT c.name FROM sqlite_master t JOIN pragma_table_info(t.name) c
                WHERE t.type = 'table' AND t.rootpage > 0 AND t.name = 'Z_METADATA'
                """)
    }

    /// The keys that say how the store is to be opened; all others are the application's, but for the type.
    package static let formatKeys = StoreMetadata.formatKeys

    /// What an application sets, in place of what it set before. Whatever says how the store is to be opened
    /// stays where the application does not set it; the type stays in any case.
    static func merging(_ new: [String: Any], into old: [String: Any]) -> [String: Any] {
        StoreMetadata.merging(new, into: old, type: NSSQLiteStoreType)
    }

    /// As `merging(_:into:)`, but all that says how the store is to be opened stays: the application may have read it
    /// before others replaced or migrated the store.
    static func mergingApplicationValues(
        of new: [String: Any], into old: [String: Any]
    ) -> [String: Any] {
        merging(new.filter { !formatKeys.contains($0.key) }, into: old)
    }

    /// Writes the metadata; the identifier has a column of its own.
    static func write(_ metadata: [String: Any], _ database: Database) throws {
        var list = metadata
        let identifier = list.removeValue(forKey: NSStoreUUIDKey) as? String ?? UUID().uuidString
        guard PropertyListSerialization.propertyList(list, isValidFor: .binary) else {
            throw NSError.coreData(
                .persistentStoreSave, "The store's metadata has a value that is not one of a property list.")
        }
        let data = try PropertyListSerialization.data(fromPropertyList: list, format: .binary, options: 0)
        // The row that is read: what else there is in the table stays.
        try database.execute(
            sql: """
                UPDATE Z_METADATA SET Z_UUID = ?, Z_PLIST = ?
                WHERE (Z_VERSION, Z_UUID) IS (SELECT Z_VERSION, Z_UUID FROM Z_METADATA ORDER BY Z_VERSION DESC LIMIT 1)
                """, arguments: [identifier, data])
        guard database.changesCount == 0 else { return }
        try database.execute(
            sql: "INSERT INTO Z_METADATA (Z_VERSION, Z_UUID, Z_PLIST) VALUES (1, ?, ?)",
            arguments: [identifier, data])
    }
}
