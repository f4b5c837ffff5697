import ObjectGraph
import Foundation
import GRDB
import Synchronization

/// A SQLite store as it was at one moment: a connection in a reading transaction, which sees nothing that is saved later.
///
/// Query generation tokens hold it; with the last of them the transaction ends. While it lasts, SQLite cannot move what is
/// newer from the write-ahead log into the file, so the log grows with every save. Any queue may use it.
final class SQLiteGeneration: StoreGeneration {
    /// Nil after the store was closed.
    private let snapshot: Mutex<DatabaseSnapshot?>
    /// One connection reads for all.
    private let turns = NestingGuard()
    /// The rows of this generation: those in the store's cache may be newer.
    let rowCache = RowCache(limit: 16 << 20)

    init(_ snapshot: DatabaseSnapshot) { self.snapshot = Mutex(snapshot) }

    /// Whether the caller is called from inside of a read.
    var isInUseByCaller: Bool { turns.isEntered }

    /// - Throws: 134070 after the store was closed, and when the caller is called from inside of such a read; an error of
    ///   SQLite.
    func read<Value>(_ body: (Database) throws -> Value) throws -> Value {
        try turns.enter(orThrow: Self.nested) { try readSnapshot(body) }
    }

    private static var nested: NSError {
        .coreData(
            .persistentStoreOperation,
            "A query generation cannot be read from inside of another read of it, which has its only connection."
        )
    }

    private func readSnapshot<Value>(_ body: (Database) throws -> Value) throws -> Value {
        guard let present = snapshot.withLock({ $0 }) else { throw Self.expired }
        do {
            return try present.read(body)
        } catch let error as DatabaseError {
            // Closed between the two lines above.
            guard snapshot.withLock({ $0 != nil }) else { throw Self.expired }
            throw error
        }
    }

    private static var expired: NSError {
        .coreData(
            .persistentStoreOperation, "The store of the query generation was removed from its coordinator.")
    }

    /// Ends the transaction, because the store is closed, as soon as current reads are complete: when this
    /// returns, this generation has the file open no longer.
    func expire() {
        let last = snapshot.withLock { snapshot in
            defer { snapshot = nil }
            return snapshot
        }
        do {
            try last?.close()
        } catch {
            Log.store.error("Could not close a query generation: \(error.localizedDescription)")
        }
    }
}

/// The generations of a store that are in use.
final class SQLiteGenerations: Sendable {
    private struct Entry: Sendable {
        weak var generation: SQLiteGeneration?
    }

    private let entries = Mutex<[Entry]>([])

    func add(_ generation: SQLiteGeneration) {
        entries.withLock { entries in
            entries.removeAll { $0.generation == nil }
            entries.append(Entry(generation: generation))
        }
    }

    /// Whether the caller is called from inside of a read of one.
    var areInUseByCaller: Bool {
        entries.withLock { $0.compactMap(\.generation) }.contains(where: \.isInUseByCaller)
    }

    func expireAll() {
        let all = entries.withLock { entries in
            defer { entries = [] }
            return entries.compactMap(\.generation)
        }
        for generation in all { generation.expire() }
    }
}
