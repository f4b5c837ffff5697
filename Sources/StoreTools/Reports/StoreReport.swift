import CoreDataSQL
import CoreData
import CoreDataSQLite

/// What a store is and how much is in it. It takes no model.
package struct StoreReport: Encodable, Sendable {
    package struct Entity: Encodable, Sendable {
        package let name: String
        /// Rows of the entity itself; those of its subentities are not counted in.
        package let count: Int
    }

    package let path: String
    package let type: String
    package let identifier: String
    package let frameworkVersion: Int?
    package let modelVersionIdentifiers: [String]
    /// Bytes of the file and of its log.
    package let byteCount: Int
    /// `"wal"` or `"rollback"`; nil without a database.
    package let journalMode: String?
    package let hasModelCache: Bool
    /// Whether callers without a model get one that was made from the tables or objects.
    package let isModelReconstructed: Bool
    /// The transactions of its persistent history; nil without one.
    package let historyTransactionCount: Int?
    /// The files of external data beside the store.
    package let externalFileCount: Int
    /// By name.
    package let entities: [Entity]

    /// - Throws: 259, 134010, 134080 or 134090 when the file is not a store or cannot be read.
    package init(_ url: URL) throws {
        let fileType = StoreFileType(url)
        let tables = SQLiteStoreTables(url)
        let contents = fileType == .sqlite ? nil : try DocumentContents(url, type: fileType.storeType)
        let metadata = try contents?.metadata ?? tables.metadata()
        path = url.path
        type = metadata[NSStoreTypeKey] as? String ?? fileType.storeType
        identifier = metadata[NSStoreUUIDKey] as? String ?? ""
        frameworkVersion = (metadata["NSPersistenceFrameworkVersion"] as? NSNumber)?.intValue
        modelVersionIdentifiers = (metadata[NSStoreModelVersionIdentifiersKey] as? [Any] ?? [])
            .map { "\($0)" }.filter { !$0.isEmpty }.sorted()
        byteCount = Self.size(url.path) + (contents == nil ? Self.size(tables.logPath) : 0)
        if let contents {
            journalMode = nil
            hasModelCache = false
            isModelReconstructed = true
            historyTransactionCount = nil
            externalFileCount = 0
            entities = Self.entities(contents)
            return
        }
        externalFileCount = tables.externalFileNames().count
        journalMode = tables.usesLog ? "wal" : "rollback"
        let isDamaged: Bool
        (hasModelCache, isDamaged) = try tables.modelCopy()
        (historyTransactionCount, entities) = try tables.inspect {
            (try Self.transactions($0, $1), try Self.entities($0, $1))
        }
        isModelReconstructed = !hasModelCache || isDamaged
    }

    /// XML stores have the names of entities in capitals only; the version hashes in their metadata have them as they are.
    private static func entities(_ contents: DocumentContents) -> [Entity] {
        let hashes = contents.metadata[NSStoreModelVersionHashesKey] as? [String: Any] ?? [:]
        let isXML = contents.type == NSXMLStoreType
        var names: [String: String] = [:]
        var counts: [String: Int] = [:]
        for name in hashes.keys {
            names[isXML ? name.uppercased() : name] = name
            counts[name] = 0
        }
        for object in contents.objects {
            let name = isXML ? object.entityName.uppercased() : object.entityName
            counts[names[name] ?? object.entityName, default: 0] += 1
        }
        return counts.map { Entity(name: $0.key, count: $0.value) }.sorted { $0.name.utf8Precedes($1.name) }
    }

    private static func transactions(_ connection: any SQLConnection, _ tables: ExistingTables) throws -> Int?
    {
        let history = HistoryTables.transaction
        guard tables.columns(of: history) != nil else { return nil }
        return Int(try connection.integer(RowLookup.count(in: history)))
    }

    private static func entities(_ connection: any SQLConnection, _ tables: ExistingTables) throws -> [Entity]
    {
        let numbers = try EntityNumbers.required(connection, tables)
        let sharing = Dictionary(grouping: numbers.all.filter { !$0.isPrivate }, by: numbers.table)
        var counts: [String: [Int64: Int]] = [:]
        var entities: [Entity] = []
        for entity in numbers.all where !entity.isPrivate {
            guard let table = numbers.table(of: entity) else {
                throw StoreToolError("The store has no table for entity '\(entity.name)'.")
            }
            if sharing[table]?.count == 1 {
                // Then all rows are of the entity, whatever their numbers.
                counts[table] = [entity.number: Int(try connection.integer(RowLookup.count(in: table)))]
            } else if counts[table] == nil {
                var found: [Int64: Int] = [:]
                try connection.forEachRow(of: RowLookup.counts(in: table)) { row in
                    if let number = row.wholeNumber(0) { found[number] = Int(row.integer(1)) }
                }
                counts[table] = found
            }
            entities.append(Entity(name: entity.name, count: counts[table]?[entity.number] ?? 0))
        }
        return entities.sorted { $0.name.utf8Precedes($1.name) }
    }

    private static func size(_ path: String) -> Int {
        (try? FileManager.default.attributesOfItem(atPath: path)[.size] as? NSNumber)?.intValue ?? 0
    }
}
