import ObjectGraph
import Foundation
import ManagedObjectModel
import Synchronization

/// The persistent history of an open store.
package final class StoreHistory: Sendable {
    package let tables: HistoryTables
    /// Whether saves are written down; otherwise the history can only be read.
    package let isTracking: Bool
    /// The statements that write it.
    let statements: RenderedStatements<HistoryStatement>
    private let columns = Mutex<[Int32: HistoryColumns]>([:])
    private let made = Atomic<Int>(0)

    /// How many changes were made of rows since the store was opened: those that are in results, or may have come into one.
    package var madeCount: Int { made.load(ordering: .relaxed) }

    /// Counts a change.
    package func noteMade() { made.add(1, ordering: .relaxed) }

    package init(_ tables: HistoryTables, isTracking: Bool, _ dialect: any SQLDialect) {
        self.tables = tables
        statements = RenderedStatements(dialect)
        self.isTracking = isTracking
    }

    /// What the bits of an entity's bitmaps stand for.
    package func columns(of storedEntity: StoredEntity) -> HistoryColumns {
        columns.withLock { columns in
            if let made = columns[storedEntity.entityNumber] { return made }
            let made = HistoryColumns(storedEntity.layout)
            columns[storedEntity.entityNumber] = made
            return made
        }
    }

    /// How many columns the values of deleted objects need.
    ///
    /// - Throws: 134020 for a composite attribute whose value is to be kept: how Apple's stores keep one is not known.
    package static func tombstoneCount(_ storedEntities: [StoredEntity]) throws -> Int {
        for storedEntity in storedEntities {
            for slot in storedEntity.layout.slots
            where slot.kind == .composite && slot.isStored
                && slot.attribute?.preservesValueInHistoryOnDeletion ?? false
            {
                throw NSError.coreData(
                    .persistentStoreIncompatibleSchema,
                    """
                    Composite attribute '\(slot.name)' of entity '\(storedEntity.entity.name ?? "")' is to be preserved in history \
                    after deletion; that is not supported.
                    """)
            }
        }
        return storedEntities.map { HistoryColumns($0.layout).tombstones.count }.max() ?? 0
    }

    /// The program: what stands for the bundle and the process of a transaction. Without a bundle identifier, which
    /// programs on Linux do not have, it is the program's name.
    package static let bundleID = Bundle.main.bundleIdentifier ?? ProcessInfo.processInfo.processName
    package static let processID = ProcessInfo.processInfo.processName
}

/// The statements that write a history.
enum HistoryStatement: Hashable {
    case reserve(table: String)
    case highest
    case string
    case insertString
    case insertTransaction
    case insertChange
}
