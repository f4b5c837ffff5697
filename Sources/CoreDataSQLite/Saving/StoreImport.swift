import CoreDataSQL
import ObjectGraph
import Foundation
import GRDB
import ManagedObjectModel

/// A transaction of many saves, with primary keys that the caller gives. In the history of the store, it is one.
///
/// Valid only inside the call that hands it out.
package final class StoreImport {
    private let store: SQLiteStore
    private let save: SQLiteSave
    private let files: ExternalFiles
    /// What is in the store, with what was saved so far.
    package let snapshot: StoreSnapshot
    /// The files of external data that rows name; nil until a row comes that names one.
    private var claimedFiles: Set<String>?
    /// The number in the history of the store; nil before anything is written there.
    private var historyNumber: Int64?

    fileprivate init(_ store: SQLiteStore, _ database: Database, _ files: ExternalFiles) {
        self.store = store
        self.files = files
        save = SQLiteSave(store, database)
        snapshot = StoreSnapshot(store, database)
    }

    /// The highest primary key that was ever given out in an entity's table.
    ///
    /// - Throws: 134060 when the store does not count the keys of the table.
    package func highestReference(of home: StoredEntity) throws -> Int64 {
        try save.reserve(home, count: 0) - 1
    }

    /// Gives out all primary keys of an entity's table up to one.
    ///
    /// - Throws: as `highestReference(of:)`.
    package func reserve(upTo reference: Int64, of home: StoredEntity) throws {
        let highest = try highestReference(of: home)
        if reference > highest { _ = try save.reserve(home, count: Int(reference - highest)) }
    }

    /// Saves a unit of work whose references are those that the rows get.
    ///
    /// - Throws: an error of SQLite, such as that of a violated constraint.
    package func save(_ unit: UnitOfWork) throws {
        store.reports.removeAll()
        for insert in unit.inserts { try claimFiles(insert) }
        historyNumber = try save.run(try files.take(unit), historyNumber: historyNumber).historyNumber
    }

    /// Sees to it that a file of external data belongs to one row: it goes with that row.
    private func claimFiles(_ insert: UnitOfWork.Insert) throws {
        for slot in insert.home.layout.externalSlots where !insert.row.isNull(slot.rowSlot) {
            guard let name = ExternalData.fileName(insert.row.data(slot.rowSlot)) else { continue }
            if claimedFiles == nil {
                claimedFiles = try ExternalFileNames.all(in: snapshot.database, store.schema)
            }
            guard claimedFiles?.insert(name).inserted == true else {
                throw NSError.coreData(
                    .persistentStoreSave,
                    """
                    Could not import: '\(slot.name)' of an object of entity '\(insert.home.entity.name ?? "")' is in the file \
                    \(name) of external data, which belongs to another object of the store already.
                    """)
            }
        }
    }

    /// Changes a row that came in.
    ///
    /// - Throws: an error of SQLite.
    package func update(_ sql: String, _ arguments: StatementArguments) throws {
        // What triggers report of it is not needed.
        store.reports.removeAll()
        try snapshot.database.cachedStatement(sql: sql).execute(arguments: arguments)
    }

    /// Gives a row that came in the times of its last save that it has itself.
    ///
    /// - Parameter slots: attributes of the entity that are derived by `now()`.
    /// - Throws: an error of SQLite.
    package func keepTimes(_ slots: [PropertySlot], of row: Row, _ entity: SQLEntity) throws {
        // What triggers report of it is not needed.
        store.reports.removeAll()
        try save.keepTimes(slots, of: row, entity)
    }

    /// The bytes that the column of an attribute gets for data.
    package static func column(_ data: Data, _ slot: PropertySlot) -> Data {
        slot.isExternal ? ExternalData.column(data) : data
    }

    /// The bytes that the column of an attribute gets for data in a file; nil when the attribute is not kept in files.
    package static func column(naming file: UUID, _ slot: PropertySlot) -> Data? {
        slot.isExternal ? ExternalData.column(naming: file) : nil
    }
}

extension EntityLayout {
    /// The attributes whose value is the time of the last save.
    package var timeSlots: [PropertySlot] {
        derivedIndexes.map { slots[$0] }.filter { slot in
            guard slot.isStored, slot.kind == .date else { return false }
            return (slot.property as? NSDerivedAttributeDescription)?.derivation == .now
        }
    }
}

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
            try write("import", files) { try body(StoreImport(self, $0, files)) }
        }
    }
}

extension SQLiteStore {
    package func fill(with unit: UnitOfWork) throws {
        try importing { target in
            for inserts in Dictionary(grouping: unit.inserts, by: { $0.home.table }).values {
                guard let home = inserts.first?.home, let highest = inserts.map(\.row.reference).max() else {
                    continue
                }
                try target.reserve(upTo: highest, of: home)
            }
            try target.save(unit)
            for insert in unit.inserts {
                try target.keepTimes(
                    insert.home.layout.timeSlots, of: insert.row, schema.entity(insert.home))
            }
        }
    }
}
