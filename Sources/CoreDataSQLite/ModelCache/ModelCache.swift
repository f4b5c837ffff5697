import CoreDataSQL
import ObjectGraph
import Foundation
import GRDB
import ManagedObjectModel
import Synchronization

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
            "CREATE TABLE \(name: table) (Z_CONTENT \(.columnType(.data)))",
            """
            INSERT INTO \(name: table) (Z_CONTENT) \
            VALUES (\(value: .blob(try RawDeflate.compress(try model.modelCacheArchive()))))
            """,
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
        let model: NSManagedObjectModel
        do {
            guard let content = try content(database) else { throw missing(url) }
            model = try Self.model(content)
        } catch let fault as Fault {
            throw unreadable(fault.reason, url, fault.cause)
        }
        guard model.hasEntities(ofStoreWith: metadata) || model.configuration(ofStoreWith: metadata) != nil
        else {
            throw unreadable("does not match the version hashes of the store", url, nil)
        }
        return model
    }

    /// Why a copy cannot be read, as the end of a sentence.
    private struct Fault: Error {
        let reason: String
        var cause: (any Error)?
    }

    /// The bytes of the copy; nil when the store has none.
    private static func content(_ database: Database) throws -> Data? {
        guard try database.tableExists(table) else { return nil }
        guard try database.columns(in: table).contains(where: { $0.name.uppercased() == "Z_CONTENT" }) else {
            throw Fault(reason: "cannot be read: the table \(table) has no column Z_CONTENT")
        }
        let row = try GRDB.Row.fetchOne(
            database,
            sql: """
                SELECT length(Z_CONTENT), iif(typeof(Z_CONTENT) = 'blob' AND length(Z_CONTENT) <= ?, Z_CONTENT, NULL)
                FROM \(table) LIMIT 1
                """, arguments: [sizeLimit])
        guard let row, let length = Int.fromDatabaseValue(row[0]) else { return nil }
        guard let content = Data.fromDatabaseValue(row[1]) else {
            let reason = length > sizeLimit ? "it has \(length) bytes" : "it is not data"
            throw Fault(reason: "cannot be read: \(reason)")
        }
        return content
    }

    private static func model(_ content: Data) throws -> NSManagedObjectModel {
        do {
            return try NSManagedObjectModel(
                modelCacheArchive: try RawDeflate.decompress(content, limit: sizeLimit))
        } catch {
            throw Fault(reason: "cannot be read", cause: error)
        }
    }

    // MARK: Damaged copies

    /// Whether a store has a copy that cannot be read.
    ///
    /// To read one takes longer than all else of opening a store, so those that could be read are remembered.
    package static func isDamaged(_ database: Database) throws -> Bool {
        do {
            guard let content = try content(database) else { return false }
            let digest = SHA2.sha256([UInt8](content))
            if validCopies.withLock({ $0.contains(digest) }) { return false }
            _ = try model(content)
            validCopies.withLock { known in
                if known.count == maxValidCopies { known.removeAll() }
                known.insert(digest)
            }
            return false
        } catch is Fault {
            return true
        }
    }

    private static let validCopies = Mutex<Set<Data>>([])
    private static let maxValidCopies = 256

    /// Puts a model in place of a copy that cannot be read.
    static func renew(_ model: NSManagedObjectModel, _ database: Database) throws {
        try database.execute(sql: "DROP TABLE \(table)")
        for statement in try creationStatements(model) { try SQLiteConnection(database).execute(statement) }
    }

    /// Whether a model that is not the store's by its version hashes is so nevertheless: only hashes differ that cannot
    /// be computed with certainty, and the store's copy of its model has the same ones.
    static func confirms(
        _ model: NSManagedObjectModel, _ configuration: String?, metadata: [String: Any],
        _ database: Database,
        _ url: URL
    ) -> Bool {
        guard let comparison = model.comparison(configuration, withStoreOf: metadata), comparison.isUncertain,
            let copy = try? read(database, metadata: metadata, url)
        else { return false }
        let (own, copied) = (model.entityVersionHashesByName, copy.entityVersionHashesByName)
        return comparison.uncertain.allSatisfy { own[$0.entity] == copied[$0.entity] }
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
