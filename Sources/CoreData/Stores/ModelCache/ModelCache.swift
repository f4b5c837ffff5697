import Foundation
import GRDB
import ManagedObjectModel

/// The copy of its model that a store keeps in the table `Z_MODELCACHE`: the archive of the model in raw deflate, one row.
///
/// Apple's framework takes the source model of a migration from it.
package enum ModelCache {
    package static let table = "Z_MODELCACHE"

    /// No model of a store that we know of has an archive of more than 3 MB.
    private static let sizeLimit = 64 << 20

    /// The statements that make the table and fill it.
    static func creationStatements(_ model: NSManagedObjectModel) throws -> [SQLStatement] {
        [
            SQLStatement("CREATE TABLE \(table) (Z_CONTENT BLOB)"),
            SQLStatement(
                "INSERT INTO \(table) (Z_CONTENT) VALUES (?)",
                [.blob(try RawDeflate.compress(try model.modelCacheArchive()))]),
        ]
    }

    /// Whether a store has a copy of its model.
    static func exists(_ database: Database) throws -> Bool {
        guard try database.tableExists(table) else { return false }
        return try Bool.fetchOne(database, sql: "SELECT EXISTS (SELECT 1 FROM \(table))") ?? false
    }

    /// Reads the model of a store.
    ///
    /// - Throws: 134060 when the store has no copy of its model, 134080 when the copy cannot be read or is not that of
    ///   the store.
    static func read(_ database: Database, metadata: [String: Any], _ url: URL) throws -> NSManagedObjectModel
    {
        guard try database.tableExists(table),
            let content = try Data.fetchOne(database, sql: "SELECT Z_CONTENT FROM \(table) LIMIT 1")
        else {
            throw NSError.coreData(
                .coreData,
                "The store at \(url.path) has no copy of its model; open it with the model it was made with.",
                [NSFilePathErrorKey: url.path])
        }
        let model: NSManagedObjectModel
        do {
            let archive = try RawDeflate.decompress(content, limit: sizeLimit)
            model = try NSManagedObjectModel(modelCacheArchive: archive)
        } catch {
            throw unreadable("cannot be read", url, error)
        }
        guard hasConfiguration(model, for: metadata) else {
            throw unreadable("is that of another model than the store's", url, nil)
        }
        return model
    }

    private static func hasConfiguration(_ model: NSManagedObjectModel, for metadata: [String: Any]) -> Bool {
        model.isConfiguration(withName: nil, compatibleWithStoreMetadata: metadata)
            || configuration(of: model, for: metadata) != nil
    }

    /// The configuration of a model whose entities a store has; nil when it has those of all, or of none.
    package static func configuration(of model: NSManagedObjectModel, for metadata: [String: Any]) -> String?
    {
        guard !model.isConfiguration(withName: nil, compatibleWithStoreMetadata: metadata) else { return nil }
        return model.configurations.sorted().first {
            model.isConfiguration(withName: $0, compatibleWithStoreMetadata: metadata)
        }
    }

    private static func unreadable(_ reason: String, _ url: URL, _ error: (any Error)?) -> NSError {
        var info: [String: Any] = [NSFilePathErrorKey: url.path]
        info[NSUnderlyingErrorKey] = error.map { $0 as NSError }
        let detail = error.map { ": \($0.localizedDescription)" } ?? "."
        return .coreData(
            .persistentStoreOpen, "The copy of its model in the store at \(url.path) \(reason)\(detail)", info
        )
    }
}
