import Foundation
import ManagedObjectModel

/// The files that one transaction makes for large data, and those that it leaves without a use.
///
/// A file is on the disk before the row that names it is committed, and goes after the row that named it is gone: whatever
/// fails, every row finds its data.
///
/// Not thread-safe: one transaction's.
final class ExternalFiles {
    /// The most data that a row keeps itself. Apple's stores have 99,812 bytes in a row; its documents speak of 100 kilobytes.
    static let largestInRow = 100 << 10

    private let folder: URL?
    private let hasHistory: Bool
    private var made: [URL] = []
    private var unused: [String] = []

    init(of store: SQLiteStore) {
        folder = store.externalDataFolder
        hasHistory = store.history != nil
    }

    /// Writes the large data of a unit of work to files.
    ///
    /// - Returns: the unit with the names of the files in its rows.
    /// - Throws: 134030 when a file cannot be written; `removeMade()` then takes back what was.
    func take(_ unit: UnitOfWork) throws -> UnitOfWork {
        var unit = unit
        for index in unit.inserts.indices {
            let slots = unit.inserts[index].home.layout.externalSlots
            guard !slots.isEmpty else { continue }
            unit.inserts[index].row = try moved(unit.inserts[index].row, slots, unit.inserts[index].home)
        }
        for index in unit.updates.indices {
            let update = unit.updates[index]
            let slots = update.home.layout.externalSlots
            guard !slots.isEmpty else { continue }
            // A value that was set to what it was is not written: the row still names its file.
            let kept = slots.filter { !update.changed.contains($0.rowSlot) }
            let row = try update.row.replacing(
                kept.map { DerivedValue(attribute: $0.name, value: update.old.column($0)) },
                update.home)
            let changed = slots.filter { update.changed.contains($0.rowSlot) }
            unit.updates[index].row = try moved(row, changed, update.home)
            leave(changed, update.old)
        }
        for deletion in unit.deletions {
            let slots = deletion.home.layout.externalSlots.filter {
                // The history tells such a value after the deletion, and finds it in the file.
                !(hasHistory && $0.attribute?.preservesValueInHistoryOnDeletion ?? false)
            }
            leave(slots, deletion.old)
        }
        return unit
    }

    /// Files that nothing names any more once the transaction is committed.
    func leave(_ names: Set<String>) { unused += names }

    private func leave(_ slots: [PropertySlot], _ row: Row) {
        unused += slots.compactMap {
            row.isNull($0.rowSlot) ? nil : ExternalData.fileName(row.data($0.rowSlot))
        }
    }

    /// A row with the large ones of its values in files.
    private func moved(_ row: Row, _ slots: [PropertySlot], _ home: StoredEntity) throws -> Row {
        var names: [DerivedValue] = []
        for slot in slots where !row.isNull(slot.rowSlot) {
            let size = row.withBytes(slot.rowSlot) { $0.first == ExternalData.inline ? $0.count - 1 : 0 }
            guard size > Self.largestInRow, let folder else { continue }
            let file = UUID()
            try write(Data(row.data(slot.rowSlot).dropFirst()), to: file.uuidString, in: folder)
            names.append(DerivedValue(attribute: slot.name, value: .blob(ExternalData.column(naming: file))))
        }
        return names.isEmpty ? row : try row.replacing(names, home)
    }

    private func write(_ data: Data, to name: String, in folder: URL) throws {
        let url = folder.appendingPathComponent(name)
        do {
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            made.append(url)
            try data.write(to: url, options: .withoutOverwriting)
            // The row must not be safer than what it names.
            let file = try FileHandle(forWritingTo: url)
            defer { try? file.close() }
            try file.synchronize()
        } catch {
            throw NSError.coreData(
                .persistentStoreSave, "Could not save: the external data at \(url.path) cannot be written.",
                [NSUnderlyingErrorKey: error as NSError, NSFilePathErrorKey: url.path])
        }
    }

    /// After the transaction was rolled back.
    func removeMade() {
        for file in made { try? FileManager.default.removeItem(at: file) }
        made = []
    }

    /// After the transaction was committed: what no row names any more goes.
    ///
    /// - Parameter namesInUse: the names that rows hold now: damaged stores have two that share a file.
    func removeUnused(_ namesInUse: () throws -> Set<String>) {
        guard let folder, !unused.isEmpty else { return }
        let inUse: Set<String>
        do {
            inUse = try namesInUse()
        } catch {
            return Log.store.error("Could not remove external data: \(error.localizedDescription)")
        }
        for name in unused where !inUse.contains(name) {
            do {
                try FileManager.default.removeItem(at: folder.appendingPathComponent(name))
            } catch CocoaError.fileNoSuchFile {
                continue
            } catch {
                Log.store.error("Could not remove external data \(name): \(error.localizedDescription)")
            }
        }
    }
}

extension Row {
    fileprivate func column(_ slot: PropertySlot) -> SQLValue {
        isNull(slot.rowSlot) ? .null : .blob(data(slot.rowSlot))
    }
}
