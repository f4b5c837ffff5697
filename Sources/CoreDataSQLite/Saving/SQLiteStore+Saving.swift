import CoreDataSQL
import ObjectGraph
import CocoaFoundation
import Foundation
import GRDB
import ManagedObjectModel

extension SQLiteStore {
    package func newReferences(for groups: [NewObjects]) throws -> [[Int64]] {
        try write("reserve object IDs") { database in
            let save = SQLSave(self, SQLiteConnection(database))
            return try groups.map { group in
                let first = try save.reserve(group.storedEntity, count: group.objects.count)
                return group.objects.indices.map { first + Int64($0) }
            }
        }
    }

    package func save(_ unit: UnitOfWork) throws -> SaveOutcome {
        try changingFiles { files in try saveRows(files.take(unit), files) }
    }

    private func saveRows(_ unit: UnitOfWork, _ files: ExternalFiles) throws -> SaveOutcome {
        do {
            return try save(unit, files, vacating: false)
        } catch let error as NSError where error.isConstraintMerge {
            try read("check the uniqueness constraints") { database in
                try ConstraintCheck(self, SQLiteConnection(database)).check(unit, cause: error)
            }
            // In the end no two rows have the same values, but they have on the way there.
            return try save(unit, files, vacating: true)
        }
    }

    private func save(_ unit: UnitOfWork, _ files: ExternalFiles, vacating: Bool) throws -> SaveOutcome {
        try write("save", files, isDurable: files.isChangingFiles) { database in
            let save = SQLSave(self, SQLiteConnection(database))
            if vacating { try save.vacate(unit.updates) }
            let outcome = try save.run(unit)
            if try writers.areSeveral(with: unit.objects.client, database) {
                try DanglingLinkCheck(self, SQLiteConnection(database)).check(unit)
            }
            try writeMetadata(database)
            noteOwnTransaction(outcome.historyNumber, database)
            // While no other connection can write, so that this row does not replace that of the next save. Before
            // `write` returns, so nothing is shared.
            nonisolated(unsafe) let saved = (unit, outcome)
            database.afterNextTransaction { _ in self.keepInCache(saved.0, saved.1) }
            return outcome
        }
    }

    private func keepInCache(_ unit: UnitOfWork, _ outcome: SaveOutcome) {
        rowCache.update { cache in
            cache.add(outcome.inserted, of: unit.inserts.runs)
            cache.add(outcome.updated) { unit.updates[$0].storedEntity.table }
            for (storedEntity, reference, values) in outcome.affected {
                let key = ObjectKey(table: storedEntity.table, reference: reference)
                guard let row = cache.row(key) else { continue }
                // What was reported of another entity than the row's, or does not fit, is read from the file.
                if let newer = try? row.replacing(values, storedEntity) {
                    cache.add(newer, storedEntity.table)
                } else {
                    cache.remove(key)
                }
            }
            for deletion in unit.deletions {
                cache.remove(ObjectKey(table: deletion.storedEntity.table, reference: deletion.old.reference))
            }
        }
    }

    package func saveMetadata() throws {
        guard hasUnsavedMetadata else { return }
        try write("save the metadata", writeMetadata)
    }

    /// Runs a transaction, which is rolled back when `body` throws.
    ///
    /// - Throws: 134070 when the caller is called from inside of another transaction; what `body` throws.
    func write<Value>(_ what: String, _ body: (Database) throws -> Value) throws -> Value {
        try write(what, isDurable: false, body)
    }

    /// Runs a transaction that outlives a power cut once this returns.
    func writeDurably<Value>(_ what: String, _ body: (Database) throws -> Value) throws -> Value {
        try write(what, isDurable: true, body)
    }

    private func write<Value>(
        _ what: String, isDurable: Bool, _ body: (Database) throws -> Value
    ) throws -> Value {
        let connections = try writer()
        func reporting(_ database: Database) throws -> Value {
            reports.begin(schema)
            defer { reports.removeAll() }
            try noticeLaterHistory(database)
            return try MatchBudget.sharing { try body(database) }
        }
        do {
            return try turns.enter(orThrow: nestedUse(what)) {
                try isDurable
                    ? connections.writeDurably(reporting) : connections.writeImmediately(reporting)
            }
        } catch let error as DatabaseError {
            throw saveError(error, what)
        }
    }

    /// Runs a transaction that may change files of external data.
    ///
    /// - Parameter isDurable: whether it does; by default, whether any entity can have such files.
    func write<Value>(
        _ what: String, _ files: ExternalFiles, isDurable: Bool? = nil,
        _ body: (Database) throws -> Value
    ) throws -> Value {
        try write(what, isDurable: isDurable ?? keepsExternalData) { database in
            files.begin()
            let value = try body(database)
            try files.prepareCommit()
            return value
        }
    }

    private var keepsExternalData: Bool {
        fileURL != nil && storedEntities.contains { !$0.layout.externalSlots.isEmpty }
    }

    /// Runs a block whose transaction may change files of external data; afterwards files and rows agree.
    func changingFiles<Value>(_ body: (ExternalFiles) throws -> Value) throws -> Value {
        let files = ExternalFiles(of: self)
        do {
            let value = try body(files)
            files.end(nil)
            return value
        } catch {
            files.end(error)
            throw error
        }
    }

    private func saveError(_ error: DatabaseError, _ what: String) -> NSError {
        guard error.isUniquenessViolation else { return error.error(during: what, store: url) }
        return .coreData(
            .managedObjectConstraintMerge,
            "Could not \(what): a uniqueness constraint is violated (\(error.message ?? "")).",
            [
                NSSQLiteErrorDomain: NSNumber(value: error.extendedResultCode.rawValue),
                NSUnderlyingErrorKey: NSError(
                    domain: NSSQLiteErrorDomain, code: Int(error.extendedResultCode.rawValue),
                    userInfo: [NSLocalizedDescriptionKey: error.message ?? ""]),
            ])
    }
}

extension RowCache.Contents {
    /// Adds new rows.
    fileprivate mutating func add(_ rows: [Row], of runs: EntityRuns) {
        // Entities may share a table.
        runs.indices.forEachRun(where: { runs[$0].storedEntity.table == runs[$1].storedEntity.table }) {
            let (first, last) = (runs[$0.lowerBound], runs[$0.upperBound - 1])
            add(rows[first.indexes.lowerBound..<last.indexes.upperBound], first.storedEntity.table)
        }
    }

    /// Adds rows of several tables.
    ///
    /// - Parameter table: the table of the row with an index.
    fileprivate mutating func add(_ rows: [Row], _ table: (Int) -> UInt32) {
        rows.indices.forEachRun(where: { table($0) == table($1) }) { add(rows[$0], table($0.lowerBound)) }
    }
}

extension NSError {
    fileprivate var isConstraintMerge: Bool {
        domain == NSCocoaErrorDomain && code == CocoaError.Code.managedObjectConstraintMerge.rawValue
    }
}
