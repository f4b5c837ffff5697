import Foundation
import GRDB

/// The names of the files of external data that rows of a database hold.
enum ExternalFileNames {
    /// Those in the columns that a schema keeps external data in. O(rows); the data of rows is not read.
    static func all(in database: Database, _ schema: SQLSchema) throws -> Set<String> {
        var places: [String: Set<String>] = [:]
        for entity in schema.entities {
            for slot in entity.home.layout.externalSlots {
                guard let column = entity.column(rowSlot: slot.rowSlot)?.name else { continue }
                places[entity.table, default: []].insert(column)
            }
        }
        return try all(in: database, places)
    }

    /// Those in any column for data, also of the history. O(rows).
    static func all(in database: Database) throws -> Set<String> {
        let tables = try String.fetchAll(
            database, sql: "SELECT name FROM sqlite_master WHERE type = 'table' AND rootpage > 0")
        var places: [String: Set<String>] = [:]
        for table in tables where !table.hasPrefix("sqlite_") {
            places[table] = Set(try database.columns(in: table).filter { $0.type == "BLOB" }.map(\.name))
        }
        return try all(in: database, places)
    }

    private static func all(in database: Database, _ places: [String: Set<String>]) throws -> Set<String> {
        var names: Set<String> = []
        for (table, columns) in places {
            for column in columns { names.formUnion(try all(in: database, column: column, of: table)) }
        }
        return names
    }

    /// Those in one column, in rows that meet a condition of SQL. O(rows).
    static func all(
        in database: Database, column: String, of table: String, where condition: String = "TRUE",
        _ arguments: StatementArguments = []
    ) throws -> Set<String> {
        let column = column.quotedDatabaseIdentifier
        // The length alone, which is asked for first, is known without reading what a long value has.
        let values = try Data.fetchCursor(
            database,
            sql: """
                SELECT DISTINCT \(column) FROM \(table.quotedDatabaseIdentifier)
                WHERE typeof(\(column)) = 'blob' AND length(\(column)) BETWEEN 37 AND 38 AND (\(condition))
                """, arguments: arguments)
        var names: Set<String> = []
        while let value = try values.next() {
            if let name = ExternalData.fileName(value) { names.insert(name) }
        }
        return names
    }
}

extension SQLiteStoreFile {
    /// The files of external data that belong to this store alone; nil when the whole folder does.
    ///
    /// The folder is named after the store's file without its extension, so `Library.sqlite` and `Library.old` share one.
    /// While it cannot be told which files belong to whom, none is said to be this store's.
    func ownExternalFiles() -> Set<String>? {
        guard FileManager.default.fileExists(atPath: url.supportFolder.path) else { return nil }
        var others: Set<String> = []
        var isShared = false
        do {
            for file in namesakes() {
                guard let names = try file.externalFiles() else { continue }
                isShared = true
                others.formUnion(names)
            }
            guard isShared else { return nil }
            return try (externalFiles() ?? []).subtracting(others)
        } catch {
            Log.store.error(
                """
                External data in \(url.supportFolder.path) stays, as it may be another store's: \
                \(error.localizedDescription)
                """)
            return []
        }
    }

    /// The files beside this one that, were they stores, would have the same folder.
    private func namesakes() -> [SQLiteStoreFile] {
        let folder = url.deletingLastPathComponent()
        let files = FileManager.default
        return ((try? files.contentsOfDirectory(atPath: folder.path)) ?? []).sorted().compactMap { name in
            let other = folder.appendingPathComponent(name)
            guard name != url.lastPathComponent,
                other.supportFolder.lastPathComponent == url.supportFolder.lastPathComponent,
                !["-wal", "-shm", "-journal"].contains(where: name.hasSuffix),
                (try? files.attributesOfItem(atPath: other.path))?[.type] as? FileAttributeType
                    == .typeRegular
            else { return nil }
            return SQLiteStoreFile(url: other, options: options)
        }
    }

    /// The names that the rows of the file hold; nil for what is no database.
    ///
    /// - Throws: as `read`.
    private func externalFiles() throws -> Set<String>? {
        guard FileManager.default.fileExists(atPath: url.path), try exists(toWrite: false) else { return nil }
        do {
            return try read { try ExternalFileNames.all(in: $0) }
        } catch let error as NSError
            where error.userInfo[NSSQLiteErrorDomain] as? NSNumber
            == NSNumber(value: ResultCode.SQLITE_NOTADB.rawValue)
        {
            return nil
        }
    }

    /// Removes the external data of a store that is gone.
    ///
    /// - Parameter own: the files that were the store's; nil for the whole folder.
    /// - Throws: an error of the file system.
    func removeExternalData(_ own: Set<String>?) throws {
        let files = FileManager.default
        let support = url.supportFolder
        guard files.fileExists(atPath: support.path) else { return }
        guard let own else { return try files.removeItem(at: support) }
        let folder = url.externalDataFolder
        for name in own {
            let file = folder.appendingPathComponent(name)
            if files.fileExists(atPath: file.path) { try files.removeItem(at: file) }
        }
        for place in [folder, support] where (try? files.contentsOfDirectory(atPath: place.path)) == [] {
            try files.removeItem(at: place)
        }
    }
}
