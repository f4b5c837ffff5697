import CoreData
import GRDB
import TestSupport
import Testing

/// Stores that Apple's framework made: ours have the same tables, and theirs are read and changed in place.
@Suite(.enabled(if: Corpus.isPresent, "\(Corpus.missing)"))
struct AppleStoreTests {
    private let folder: StoreFolder

    init() throws { folder = try StoreFolder() }

    private func model(_ pair: StorePair) throws -> NSManagedObjectModel {
        try #require(NSManagedObjectModel(contentsOf: pair.model.deletingLastPathComponent()))
    }

    /// A copy of the store, with its log.
    private func copy(_ pair: StorePair) throws {
        for suffix in ["", "-wal"] {
            let source = pair.store.path + suffix
            guard FileManager.default.fileExists(atPath: source) else { continue }
            try FileManager.default.copyItem(atPath: source, toPath: folder.file.path + suffix)
        }
    }

    /// The columns of a table with their types. Apple's order of order columns is not known, nor where columns stand
    /// that a migration added.
    private func columns(of table: String, sorted isSorted: Bool) throws -> [String] {
        let all = try folder.rows("SELECT name || ' ' || type FROM pragma_table_info(?)", [table])
            .map { String.fromDatabaseValue($0[0]) ?? "" }
        let orders = all.filter { $0.hasPrefix("Z_FOK_") }
        guard !isSorted, let first = all.firstIndex(where: { $0.hasPrefix("Z_FOK_") }) else {
            return all.sorted()
        }
        return Array(all[..<first]) + orders.sorted() + all[first...].filter { !orders.contains($0) }
    }

    /// The tables of entities and relationships: the latter by their keys, because their names are not always the
    /// same.
    private func tables(sorted: Set<String>) throws -> [String: [String]] {
        var tables: [String: [String]] = [:]
        for row in try folder.rows("SELECT name FROM sqlite_master WHERE type = 'table' AND name LIKE 'Z%'") {
            let name = String.fromDatabaseValue(row[0]) ?? ""
            let columns = try columns(of: name, sorted: sorted.contains(name))
            guard name.hasPrefix("Z_") else {
                tables[name] = columns
                continue
            }
            guard name.dropFirst(2).first?.isNumber ?? false else { continue }
            let keys = columns.filter { !$0.hasPrefix("Z_FOK") }.map { key in
                String(key.dropLast(" INTEGER".count).reversed().drop(while: \.isNumber).reversed())
            }
            tables[keys.sorted().joined(separator: " ")] = columns.filter { $0.hasPrefix("Z_FOK") }
        }
        return tables
    }

    /// What is indexed, by table; names and texts differ between versions of the framework.
    private func indexes() throws -> Set<String> {
        let rows = try folder.rows(
            """
            SELECT m.name || ' (' || group_concat(c.name, ', ') || ')' FROM sqlite_master m
            JOIN pragma_index_list(m.name) i JOIN pragma_index_info(i.name) c
            WHERE m.type = 'table' AND m.name NOT LIKE 'Z\\_%' ESCAPE '\\' AND m.name LIKE 'Z%' GROUP BY m.name, i.name
            """)
        return Set(rows.map { String.fromDatabaseValue($0[0]) ?? "" })
    }

    @Test("The corpus has more than ten pairs of store and model")
    func pairsAreKnown() { #expect(StorePair.all.count > 10) }

    @Test(
        "A new store has the same tables and indexes as Apple's store of that model", arguments: StorePair.all
    )
    func tablesMatchApple(_ pair: StorePair) throws {
        try copy(pair)
        // SQLite puts a column that is added behind a blank and a comma.
        let migrated = Set(try folder.schema().filter { $0.value.contains(" , Z") }.keys)
        let theirs = (tables: try tables(sorted: migrated), indexes: try indexes())
        for suffix in ["", "-wal", "-shm"] {
            try? FileManager.default.removeItem(atPath: folder.file.path + suffix)
        }
        try folder.make(try model(pair))
        let ours = (tables: try tables(sorted: migrated), indexes: try indexes())
        #expect(!theirs.tables.isEmpty)
        for name in Set(theirs.tables.keys).union(ours.tables.keys).sorted() {
            #expect(ours.tables[name] == theirs.tables[name], "\(name)")
        }
        #expect(ours.indexes.subtracting(theirs.indexes) == [])
        #expect(theirs.indexes.subtracting(ours.indexes) == [])
    }

    @Test("Objects of Apple's stores are read and changed in place", arguments: StorePair.all)
    func objectsAreReadAndChanged(_ pair: StorePair) throws {
        try copy(pair)
        let model = try model(pair)
        let coordinator = try folder.open(model)
        var changed: (table: String, column: String, key: Int64)?
        try coordinator.inContext { context in
            for entity in model.entities where entity.superentity == nil {
                let name = entity.name ?? ""
                let objects = try context.all(name)
                let table = "Z\(name.uppercased())"
                #expect(try folder.value("SELECT COUNT(*) FROM \(table)") == objects.count.databaseValue)
                for object in objects {
                    for name in object.entity.propertiesByName.keys { _ = object.value(forKey: name) }
                    #expect(!object.isFault && !object.hasChanges)
                }
                guard changed == nil, let object = objects.first,
                    let text = entity.attributesByName.values.filter({ $0.type == .string && !$0.isTransient }
                    )
                    .min(by: { $0.name < $1.name })
                else { continue }
                object.setValue("changed", forKey: text.name)
                let key = try #require(
                    Int64(object.objectID.uriRepresentation().lastPathComponent.dropFirst()))
                changed = (table, "Z\(text.name.uppercased())", key)
            }
            guard changed != nil else { return }
            // Some of the stores break the rules of their own model. In one the files of external data are
            // missing, which the first save reports.
            try? context.save()
            if context.hasChanges { try? context.save() }
        }
        try coordinator.close()
        if let changed {
            let stored = try folder.value(
                "SELECT \(changed.column) FROM \(changed.table) WHERE Z_PK = ?", [changed.key])
            #expect(stored == "changed".databaseValue)
        }
    }
}
