import Foundation
import GRDB
import ManagedObjectModel

/// The copy of its model that a store keeps in the table `Z_MODELCACHE`: the archive of the model in raw deflate, one row.
///
/// Apple's framework takes the source model of a migration from it.
package enum ModelCache {
    package static let table = "Z_MODELCACHE"

    /// The most bytes of an archive, compressed or not. No model of a store that we know of has one of more than 3 MB.
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
        guard try database.tableExists(table) else { throw missing(url) }
        guard try database.columns(in: table).contains(where: { $0.name.uppercased() == "Z_CONTENT" }) else {
            throw unreadable("cannot be read: the table \(table) has no column Z_CONTENT", url, nil)
        }
        let row = try GRDB.Row.fetchOne(
            database,
            sql: """
                SELECT length(Z_CONTENT), iif(typeof(Z_CONTENT) = 'blob' AND length(Z_CONTENT) <= ?, Z_CONTENT, NULL)
                FROM \(table) LIMIT 1
                """, arguments: [sizeLimit])
        guard let row, let length = Int.fromDatabaseValue(row[0]) else { throw missing(url) }
        guard let content = Data.fromDatabaseValue(row[1]) else {
            let reason = length > sizeLimit ? "it has \(length) bytes" : "it is not data"
            throw unreadable("cannot be read: \(reason)", url, nil)
        }
        let model: NSManagedObjectModel
        do {
            let archive = try RawDeflate.decompress(content, limit: sizeLimit)
            model = try NSManagedObjectModel(modelCacheArchive: archive)
        } catch {
            throw unreadable("cannot be read", url, error)
        }
        guard fits(model, nil, metadata) || configuration(of: model, for: metadata) != nil else {
            throw unreadable("is that of another model than the store's", url, nil)
        }
        return model
    }

    /// The configuration of a model whose entities a store has; nil when it has those of all, or of none.
    package static func configuration(of model: NSManagedObjectModel, for metadata: [String: Any]) -> String?
    {
        guard !fits(model, nil, metadata) else { return nil }
        return model.configurations.sorted().first { fits(model, $0, metadata) }
    }

    /// Whether a store's copy of its model has the entities that the metadata name. Of hashes that cannot be computed
    /// with certainty those of the metadata count.
    private static func fits(
        _ copy: NSManagedObjectModel, _ configuration: String?, _ metadata: [String: Any]
    ) -> Bool {
        comparison(of: copy, configuration, metadata).map(\.isUncertain)
            ?? copy.isConfiguration(withName: configuration, compatibleWithStoreMetadata: metadata)
    }

    /// Whether a model that is not the store's by its version hashes is so nevertheless: only hashes differ that cannot
    /// be computed with certainty, and the store's copy of its model has the same ones.
    static func confirms(
        _ model: NSManagedObjectModel, _ configuration: String?, metadata: [String: Any],
        _ database: Database,
        _ url: URL
    ) -> Bool {
        guard let comparison = comparison(of: model, configuration, metadata), comparison.isUncertain,
            let copy = try? read(database, metadata: metadata, url)
        else { return false }
        let (own, copied) = (model.entityVersionHashesByName, copy.entityVersionHashesByName)
        return comparison.uncertain.allSatisfy { own[$0.entity] == copied[$0.entity] }
    }

    /// The difference between a model and a store; nil when there is none, or none of single entities.
    static func comparison(
        of model: NSManagedObjectModel, _ configuration: String?, _ metadata: [String: Any]
    ) -> VersionHashComparison? {
        guard
            let written = metadata[NSStoreModelVersionHashesKey].flatMap({
                NSManagedObjectModel.versionHashes(in: $0)
            }),
            !model.isConfiguration(withName: configuration, compatibleWithStoreMetadata: metadata),
            configuration == nil || model.entities(forConfigurationName: configuration) != nil
        else { return nil }
        return VersionHashComparison(of: model, configuration: configuration, with: written)
    }

    private static func missing(_ url: URL) -> NSError {
        .coreData(
            .coreData,
            "The store at \(url.path) has no copy of its model; open it with the model it was made with.",
            [NSFilePathErrorKey: url.path])
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
