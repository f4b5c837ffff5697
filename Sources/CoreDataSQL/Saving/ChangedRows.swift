import ObjectGraph
import Foundation
import ManagedObjectModel

/// Finds the rows of a save that others changed since they were read: one statement for each entity.
struct ChangedRows {
    /// A row that may have changed.
    struct Candidate {
        let storedEntity: StoredEntity
        let old: Row
        /// A row that is gone already is what was wanted.
        let isDeletion: Bool
        /// Whether a statement that was to write the row has not found it under its key and version.
        var isUnwritten = false
    }

    private let store: any SQLStore
    private let connection: any SQLConnection

    init(_ store: any SQLStore, _ connection: any SQLConnection) {
        self.store = store
        self.connection = connection
    }

    /// Those of the rows that have another version now, are gone, or are of another entity now.
    ///
    /// - Throws: 134060 for a row that was not found by the version that it has.
    func conflicts(among candidates: [Candidate]) throws -> [SaveConflicts.Conflict] {
        let groups = Dictionary(grouping: candidates) { ObjectIdentifier($0.storedEntity) }.values.compactMap
        {
            rows in
            rows.first.map { (storedEntity: $0.storedEntity, rows: rows) }
        }
        var conflicts: [SaveConflicts.Conflict] = []
        for (storedEntity, rows) in groups.sorted(by: {
            $0.storedEntity.entityNumber < $1.storedEntity.entityNumber
        }) {
            let present = try self.rows(storedEntity, rows.map(\.old.reference))
            for row in rows {
                // A row with the same key that is of another entity now is another object's.
                let current = present[row.old.reference].flatMap {
                    $0.entityNumber == storedEntity.entityNumber ? $0 : nil
                }
                // No conflict, and nothing was written: it must not pass for saved.
                if let current, current.version == row.old.version, row.isUnwritten { throw unwritable(row) }
                guard current?.version != row.old.version, !(row.isDeletion && current == nil) else {
                    continue
                }
                let cached = store.cachedRow(
                    ObjectKey(table: storedEntity.table, reference: row.old.reference))
                conflicts.append(
                    .init(storedEntity: storedEntity, old: row.old, cached: cached, current: current))
            }
        }
        return conflicts
    }

    private func unwritable(_ row: Candidate) -> NSError {
        .coreData(
            .coreData,
            """
            The store is damaged: row \(row.old.reference) of entity '\(row.storedEntity.entity.name ?? "")' cannot be \
            \(row.isDeletion ? "deleted" : "updated"): Z_OPT is not an integer, or a trigger keeps the row as it is.
            """)
    }

    private func rows(_ storedEntity: StoredEntity, _ references: [Int64]) throws -> [Int64: Row] {
        store.noteRead()
        let tables = store.tables
        let selection = tables.selection(of: tables.schema.entity(storedEntity))
        var query = FetchQuery(storedEntity: storedEntity)
        query.references = references
        let statement = try FetchCompiler(schema: tables.schema).rows(query, columns: selection.list)
        let rows = try connection.rows(statement, as: selection)
        return Dictionary(rows.map { ($0.reference, $0) }, uniquingKeysWith: { one, _ in one })
    }
}
