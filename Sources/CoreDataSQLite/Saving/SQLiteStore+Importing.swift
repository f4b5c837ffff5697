import CoreDataSQL
import ObjectGraph

extension SQLiteStore {
    /// The names of files of external data that rows hold now.
    func externalFileNames() throws -> Set<String> {
        try read("look for external data") { try ExternalFileNames.all(in: $0, schema) }
    }

    /// Writes much in one transaction, which is rolled back when `body` throws.
    ///
    /// - Throws: what `body` throws; 134030 when the store is read-only, 133021 when a constraint is violated.
    package func importing(_ body: (StoreImport) throws -> Void) throws {
        try changingFiles { files in
            defer { fileUse.forget() }
            writers.noteOthers()
            try write("import", files) { try body(StoreImport(self, SQLiteConnection($0), files)) }
        }
    }

    package func fill(with unit: UnitOfWork) throws {
        try importing { target in
            for inserts in Dictionary(grouping: unit.inserts, by: { $0.storedEntity.table }).values {
                guard let storedEntity = inserts.first?.storedEntity,
                    let highest = inserts.map(\.row.reference).max()
                else {
                    continue
                }
                try target.reserve(upTo: highest, of: storedEntity)
            }
            try target.save(unit)
            for insert in unit.inserts {
                try target.keepTimes(
                    insert.storedEntity.layout.timeSlots, of: insert.row, schema.entity(insert.storedEntity))
            }
        }
    }
}
