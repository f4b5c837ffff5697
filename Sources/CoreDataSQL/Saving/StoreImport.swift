import ObjectGraph
import Foundation
import ManagedObjectModel

/// A transaction of many saves, with primary keys that the caller gives. In the history of the store, it is one.
///
/// Valid only inside the call that hands it out.
package final class StoreImport {
    private let store: any SQLStore
    private let save: SQLSave
    private let files: any ExternalFilePlacing
    /// What is in the store, with what was saved so far.
    package let snapshot: StoreSnapshot
    /// The files of external data that rows name; nil until a row comes that names one.
    private var claimedFiles: Set<String>?
    /// The number in the history of the store; nil before anything is written there.
    private var historyNumber: Int64?

    /// - Parameter connection: inside of the transaction.
    package init(_ store: any SQLStore, _ connection: any SQLConnection, _ files: any ExternalFilePlacing) {
        self.store = store
        self.files = files
        save = SQLSave(store, connection)
        snapshot = StoreSnapshot(store, connection)
    }

    /// The highest primary key that was ever given out in an entity's table.
    ///
    /// - Throws: 134060 when the store does not count the keys of the table.
    package func highestReference(of storedEntity: StoredEntity) throws -> Int64 {
        try save.reserve(storedEntity, count: 0) - 1
    }

    /// Gives out all primary keys of an entity's table up to one.
    ///
    /// - Throws: as `highestReference(of:)`.
    package func reserve(upTo reference: Int64, of storedEntity: StoredEntity) throws {
        let highest = try highestReference(of: storedEntity)
        if reference > highest { _ = try save.reserve(storedEntity, count: Int(reference - highest)) }
    }

    /// Saves a unit of work whose references are those that the rows get.
    ///
    /// - Throws: an error of the database, such as that of a violated constraint.
    package func save(_ unit: UnitOfWork) throws {
        store.derivedValues.removeAll()
        for insert in unit.inserts { try claimFiles(insert) }
        historyNumber = try save.run(try files.take(unit), historyNumber: historyNumber).historyNumber
    }

    /// Sees to it that a file of external data belongs to one row: it goes with that row.
    private func claimFiles(_ insert: UnitOfWork.Insert) throws {
        for slot in insert.storedEntity.layout.externalSlots where !insert.row.isNull(slot.rowSlot) {
            guard let name = ExternalData.fileName(insert.row.data(slot.rowSlot)) else { continue }
            if claimedFiles == nil {
                claimedFiles = try files.names(snapshot.connection, snapshot.schema)
            }
            guard claimedFiles?.insert(name).inserted == true else {
                throw NSError.coreData(
                    .persistentStoreSave,
                    """
                    Could not import: '\(slot.name)' of an object of entity '\(insert.storedEntity.entity.name ?? "")' is in the file \
                    \(name) of external data, which belongs to another object of the store already.
                    """)
            }
        }
    }

    /// Changes a row that came in.
    ///
    /// - Throws: an error of the database.
    package func update(_ statement: SQLStatement) throws {
        try withoutReports { try snapshot.connection.run(statement) }
    }

    /// Runs a block that changes rows that came in. What triggers report of it is not needed.
    private func withoutReports<Value>(_ body: () throws -> Value) rethrows -> Value {
        store.derivedValues.removeAll()
        return try body()
    }

    /// Gives a row that came in the times of its last save that it has itself.
    ///
    /// - Parameter slots: attributes of the entity that are derived by `now()`.
    /// - Throws: an error of the database.
    package func keepTimes(_ slots: [PropertySlot], of row: Row, _ entity: SQLEntity) throws {
        try withoutReports { try save.keepTimes(slots, of: row, entity) }
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
