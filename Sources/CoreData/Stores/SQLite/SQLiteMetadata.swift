import Foundation
import GRDB
import ManagedObjectModel

/// What a store says of itself: a property list in the table `Z_METADATA`.
enum SQLiteMetadata {
    /// The metadata of a new store.
    static func new(_ model: NSManagedObjectModel, configuration: String) -> [String: Any] {
        let name = configuration == defaultConfigurationName ? nil : configuration
        var hashes: [String: Data] = [:]
        for entity in model.entitiesInPreorder(configuration: name) {
            if let name = entity.name { hashes[name] = entity.versionHash }
        }
        return [
            NSStoreTypeKey: NSSQLiteStoreType,
            NSStoreUUIDKey: UUID().uuidString,
            NSStoreModelVersionHashesKey: hashes,
            "NSStoreModelVersionHashesVersion": NSNumber(value: 3),
            "NSStoreModelVersionHashesDigest": model.versionHashesDigest(configuration: name),
            "NSStoreModelVersionChecksumKey": model.versionChecksum,
            NSStoreModelVersionIdentifiersKey: model.versionIdentifiers.map(\.base),
            "NSPersistenceFrameworkVersion": NSNumber(value: frameworkVersion),
            "_NSAutoVacuumLevel": "2",
        ]
    }

    /// The version of Apple's framework whose format ours is.
    private static let frameworkVersion = 1447

    /// - Throws: 134010 when the database is no store; 134080 when the metadata cannot be read.
    static func read(_ database: Database, _ url: URL) throws -> [String: Any] {
        guard try database.tableExists("Z_METADATA") else {
            throw NSError.coreData(
                .persistentStoreTypeMismatch,
                "The SQLite database at \(url.path) is no Core Data store: it has no table Z_METADATA.")
        }
        guard
            let row = try GRDB.Row.fetchOne(
                database, sql: "SELECT Z_UUID, Z_PLIST FROM Z_METADATA ORDER BY Z_VERSION DESC LIMIT 1"),
            let list = row["Z_PLIST"] as Data?,
            var metadata = try? PropertyListSerialization.propertyList(from: list, format: nil)
                as? [String: Any]
        else {
            throw NSError.coreData(
                .persistentStoreOpen, "The metadata of the store at \(url.path) cannot be read.")
        }
        metadata[NSStoreUUIDKey] = row["Z_UUID"] as String?
        if metadata[NSStoreTypeKey] == nil { metadata[NSStoreTypeKey] = NSSQLiteStoreType }
        return metadata
    }

    /// What an application sets, in the place of what it set before. Whatever says how the store is to be opened
    /// stays where the application does not set it; the type stays in any case.
    static func merging(_ new: [String: Any], into old: [String: Any]) -> [String: Any] {
        var merged = new
        for key in [
            NSStoreUUIDKey, NSStoreModelVersionHashesKey, "NSStoreModelVersionHashesVersion",
            "NSStoreModelVersionHashesDigest", "NSStoreModelVersionChecksumKey",
            NSStoreModelVersionIdentifiersKey, "NSPersistenceFrameworkVersion", "_NSAutoVacuumLevel",
        ] where merged[key] == nil {
            merged[key] = old[key]
        }
        merged[NSStoreTypeKey] = old[NSStoreTypeKey] ?? NSSQLiteStoreType
        return merged
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
        try database.execute(
            sql: "INSERT OR REPLACE INTO Z_METADATA (Z_VERSION, Z_UUID, Z_PLIST) VALUES (1, ?, ?)",
            arguments: [identifier, data])
    }
}
