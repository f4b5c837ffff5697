import CoreDataSQL
import ObjectGraph
import DurableFiles
import Foundation
import GRDB
import ManagedObjectModel

/// The files that one transaction makes for large data, and those that it leaves without a use.
///
/// A file is on the disk before the row that names it is committed, and goes after a commit without the row that named it is on
/// the disk: whatever fails, every row finds its data. A list of the files says what to look at if the process is killed
/// meanwhile.
///
/// Not thread-safe: one transaction's.
final class ExternalFiles: ExternalFilePlacing {
    private let store: SQLiteStore
    /// Made when it is first needed: few transactions have such data, and making it takes longer than writing a row.
    private lazy var folder = store.externalDataFolder
    private var list: ExternalFileList?
    /// The owner and mode of the store's file; nil inside when there is no file.
    private var attributes: FileAttributes??
    private var made: Set<String> = []
    private var unused: Set<String> = []
    /// What rows name from now on that was there before.
    private var adopted: Set<String> = []
    /// Whether all is ready to be committed: an error after that is one of the commit, which may have happened.
    private var isCommitting = false

    init(of store: SQLiteStore) { self.store = store }

    /// Whether the transaction changes files, as far as is known.
    var isChangingFiles: Bool { !made.isEmpty || !unused.isEmpty }

    /// Writes the large data of a unit of work to files.
    ///
    /// - Returns: the unit with the names of the files in its rows.
    /// - Throws: 134030 when a file cannot be written; `end` then removes what was.
    func take(_ unit: UnitOfWork) throws -> UnitOfWork {
        // A list that might be changed is copied, with references of all that it has.
        unit.hasExternalData ? try moved(unit) : unit
    }

    private func moved(_ unit: UnitOfWork) throws -> UnitOfWork {
        var unit = unit
        var files: [(name: String, data: Data)] = []
        for index in unit.inserts.indices {
            let insert = unit.inserts[index]
            let slots = insert.storedEntity.layout.externalSlots
            guard !slots.isEmpty else { continue }
            unit.inserts.replaceRow(
                at: index, with: try moved(insert.row, slots, insert.storedEntity, &files))
            if Self.isLarge(files) { try write(&files) }
        }
        for index in unit.updates.indices {
            let update = unit.updates[index]
            let slots = update.storedEntity.layout.externalSlots
            guard !slots.isEmpty else { continue }
            // A value that was set to what it was is not written: the row still names its file.
            let kept = slots.filter { !update.changed.contains($0.rowSlot) }
            let row = try update.row.replacing(
                kept.map { DerivedValue(attribute: $0.name, value: update.old.column($0)) },
                update.storedEntity)
            let changed = slots.filter { update.changed.contains($0.rowSlot) }
            unit.updates[index].row = try moved(row, changed, update.storedEntity, &files)
            leave(changed, update.old)
            if Self.isLarge(files) { try write(&files) }
        }
        for deletion in unit.deletions {
            leave(deletion.storedEntity.layout.externalSlots, deletion.old)
        }
        try write(&files)
        return unit
    }

    func names(_ connection: any SQLConnection, _ schema: SQLSchema) throws -> Set<String> {
        try ExternalFileNames.all(in: SQLiteConnection.database(of: connection), schema)
    }

    /// Files that nothing names any more once the transaction is committed.
    func leave(_ names: Set<String>) { unused.formUnion(names) }

    private func leave(_ slots: [PropertySlot], _ row: Row) {
        for slot in slots where !row.isNull(slot.rowSlot) {
            if let name = ExternalData.fileName(row.data(slot.rowSlot)) { unused.insert(name) }
        }
    }

    /// A row with the large ones of its values in files, which are still to be written.
    private func moved(
        _ row: Row, _ slots: [PropertySlot], _ storedEntity: StoredEntity,
        _ files: inout [(name: String, data: Data)]
    ) throws -> Row {
        var names: [DerivedValue] = []
        for slot in slots where !row.isNull(slot.rowSlot) {
            let (first, count) = row.withBytes(slot.rowSlot) { ($0.first, $0.count) }
            guard first == ExternalData.inline, count - 1 > ExternalData.largestInRow, folder != nil else {
                if first != ExternalData.inline, let name = ExternalData.fileName(row.data(slot.rowSlot)) {
                    adopted.insert(name)
                }
                continue
            }
            let file = UUID()
            files.append((file.uuidString, Data(row.data(slot.rowSlot).dropFirst())))
            names.append(DerivedValue(attribute: slot.name, value: .blob(ExternalData.column(naming: file))))
        }
        return names.isEmpty ? row : try row.replacing(names, storedEntity)
    }

    /// Whether the files that wait to be written are to be: one list names many, but all are in memory.
    private static func isLarge(_ files: [(name: String, data: Data)]) -> Bool {
        files.count >= 64 || files.reduce(0) { $0 + $1.data.count } > 32 << 20
    }

    private func write(_ files: inout [(name: String, data: Data)]) throws {
        guard !files.isEmpty, let folder else { return }
        var url = folder
        do {
            try list(folder).add(files.map(\.name))
            for (name, data) in files {
                url = folder.appendingPathComponent(name)
                try DurableFile.make(url, data, attributes: ownAttributes()?.ofData)
                made.insert(name)
            }
        } catch {
            throw NSError.coreData(
                .persistentStoreSave, "Could not save: the external data at \(url.path) cannot be written.",
                [NSUnderlyingErrorKey: error as NSError, NSFilePathErrorKey: url.path])
        }
        files = []
    }

    private func list(_ folder: URL) throws -> ExternalFileList {
        if let list { return list }
        let made = try ExternalFileList(
            in: folder, of: store.fileURL ?? folder, ownAttributes())
        list = made
        return made
    }

    /// The mode and owner of the file of the store, for its external data.
    private func ownAttributes() throws -> FileAttributes? {
        if let attributes { return attributes }
        let found = try store.fileURL.flatMap { try FileAttributes(of: $0) }
        attributes = found
        return found
    }

    // MARK: The transaction

    /// The transaction begins, perhaps not for the first time.
    func begin() { isCommitting = false }

    /// To be called as the last part of the transaction: what it says about files is on the disk before it is committed.
    func prepareCommit() throws {
        defer { isCommitting = true }
        guard isChangingFiles, let folder else { return }
        do {
            if !unused.isEmpty { try list(folder).add(unused) }
            if !made.isEmpty { try DurableFile.syncFolder(folder) }
        } catch {
            throw NSError.coreData(
                .persistentStoreSave,
                "Could not save: the external data at \(folder.path) cannot be written.",
                [NSUnderlyingErrorKey: error as NSError, NSFilePathErrorKey: folder.path])
        }
    }

    /// Sees to it that files and rows agree when the transaction has ended, by whatever error.
    func end(_ error: (any Error)?) {
        guard let list else {
            return isCommitting && error == nil ? store.fileUse.note(adopted: adopted) : ()
        }
        do {
            if error == nil {
                store.fileUse.note(adopted: adopted)
                // It was committed durably.
                try store.removeExternalFiles(unused, list)
            } else if isCommitting {
                // The commit may be in the log although it failed; what is written next replaces it there.
                try store.writeDurably("look for external data") { database in
                    try database.execute(sql: "UPDATE Z_METADATA SET Z_VERSION = Z_VERSION")
                }
                try store.removeExternalFiles(list.names, list, isCertain: false)
            } else {
                try list.remove(made)
            }
            list.end()
        } catch {
            // Who opens the store next goes by the list.
            Log.store.error("Could not remove external data: \(error.localizedDescription)")
            list.abandon()
        }
        self.list = nil
    }
}

extension Row {
    fileprivate func column(_ slot: PropertySlot) -> SQLValue {
        isNull(slot.rowSlot) ? .null : .blob(data(slot.rowSlot))
    }
}

extension UnitOfWork {
    /// Whether any of the entities has attributes whose values may be in files.
    fileprivate var hasExternalData: Bool {
        var last: StoredEntity?
        func mayHave(_ storedEntity: StoredEntity) -> Bool {
            // Objects of one entity mostly come one after the other.
            if last === storedEntity { return false }
            last = storedEntity
            return !storedEntity.layout.externalSlots.isEmpty
        }
        return inserts.runs.contains { mayHave($0.storedEntity) }
            || updates.indices.contains { mayHave(updates[$0].storedEntity) }
            || deletions.indices.contains { mayHave(deletions[$0].storedEntity) }
    }
}
