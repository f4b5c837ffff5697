import DurableFiles
import Foundation
import ManagedObjectModel

/// The bytes in the column of an attribute that allows external storage, as Apple's stores have them: `01` and the
/// data, or `02`, the name of a file (36 characters of a UUID) and `00`.
///
/// `ExternalFiles` says which data goes to a file. A file is read when the value is.
enum ExternalData {
    static let inline: UInt8 = 1
    private static let reference: UInt8 = 2

    /// What the column gets for data.
    static func column(_ data: Data) -> Data { [inline] + data }

    /// What the column gets for data in a file.
    static func column(naming file: UUID) -> Data { [reference] + Data(file.uuidString.utf8) + [0] }

    /// The name of the file that a column leads to; nil for data in the row, and for a reference that names no file.
    static func fileName(_ column: Data) -> String? {
        guard column.first == reference, column.count <= 38 else { return nil }
        let name = String(decoding: column.dropFirst().prefix { $0 != 0 }, as: UTF8.self)
        // Nothing but an identifier is taken for the name of a file.
        return UUID(uuidString: name) == nil ? nil : name
    }

    /// The data that a column stands for.
    ///
    /// - Parameter folder: where the files are; nil for a store without a file.
    /// - Throws: 134060 when the column names no file, or the file cannot be read.
    static func data(_ column: Data, in folder: URL?) throws -> Data {
        switch column.first {
        case inline: return Data(column.dropFirst())
        case reference:
            guard let name = fileName(column), let folder else {
                throw NSError.coreData(
                    .coreData, "The store is damaged: a reference to external data names no file.")
            }
            let file = folder.appendingPathComponent(name)
            do {
                return try RegularFile.data(at: file.path)
            } catch {
                throw NSError.coreData(
                    .coreData, "Could not read the external data at \(file.path).",
                    [NSUnderlyingErrorKey: error as NSError, NSFilePathErrorKey: file.path])
            }
        // Data from before the attribute allowed external storage.
        default: return column
        }
    }

    /// The first bytes of the data that a column stands for, and how many it has. No more of a file is read.
    ///
    /// - Throws: as `data(_:in:)`; 134060 also for what is no file but a folder, a pipe or a link.
    static func start(
        _ column: Data, in folder: URL?, atMost most: Int
    ) throws -> (start: Data, length: Int) {
        guard column.first == reference,
            let file = fileName(column).flatMap({ folder?.appendingPathComponent($0) })
        else {
            let data = try data(column, in: folder)
            return (Data(data.prefix(most)), data.count)
        }
        do {
            let reader = try RegularFile.open(at: file.path)
            return (try reader.read(at: 0, count: most), try reader.byteCount())
        } catch {
            throw NSError.coreData(
                .coreData, "Could not read the external data at \(file.path).",
                [NSUnderlyingErrorKey: error as NSError, NSFilePathErrorKey: file.path])
        }
    }
}

extension NSPersistentStore {
    /// The folder in `.<name>_SUPPORT`, beside the store's file, that has the files of external data.
    var externalDataFolder: URL? { (fileOfExternalData ?? fileURL)?.externalDataFolder }

    /// The file of the store; nil for one in memory.
    var fileURL: URL? {
        guard let url, url.isFileURL, !url.isNullDevice else { return nil }
        return url
    }
}

extension URL {
    /// The folder beside the file of a store that belongs to it.
    var supportFolder: URL {
        deletingLastPathComponent()
            .appendingPathComponent(".\(deletingPathExtension().lastPathComponent)_SUPPORT")
    }

    /// The folder in it that has the files of external data.
    var externalDataFolder: URL { supportFolder.appendingPathComponent("_EXTERNAL_DATA") }

    /// The names of the files of external data in it; none where there is no folder.
    func externalDataNames() throws -> [String] {
        let folder = externalDataFolder
        guard try FileKind(at: folder.path) == .folder else { return [] }
        return try DurableFile.names(in: folder).filter { UUID(uuidString: $0) != nil }
    }

    /// Moves files of external data to the folder of another store, durably.
    func moveExternalData(_ names: [String], to folder: URL) throws {
        guard !names.isEmpty else { return }
        let source = externalDataFolder
        for name in names {
            try DurableFile.move(
                source.appendingPathComponent(name).path, to: folder.appendingPathComponent(name).path)
        }
        try DurableFile.syncFolder(folder)
    }
}

extension NSManagedObject {
    /// The value of an attribute in a row, its external data included; nil when that cannot be read.
    final func stored(_ row: Row, _ slot: Int, _ info: PropertySlot) -> SlotValue? {
        guard info.isExternal, !row.isNull(slot) else { return row.value(slot, info) }
        let folder = home.store?.externalDataFolder
        do {
            return .data(try ExternalData.data(row.data(slot), in: folder))
        } catch {
            // The file of a row that others have changed since is gone: their data is all there is.
            if let newer = newerRow(than: row, slot) {
                guard let newer, !newer.isNull(slot) else { return .null }
                if let data = try? ExternalData.data(newer.data(slot), in: folder) { return .data(data) }
            }
            // The reader of a property cannot be told; the next save is. One that checks the value keeps its bytes.
            Log.objects.error("Could not load \(objectID): \(error.localizedDescription)")
            if let context, !context.session.isValidating { context.session.faultingError = error as NSError }
            return nil
        }
    }

    /// Takes external data in that was not read yet. What cannot be read stays as it is.
    ///
    /// - Parameter report: gets the error for each value that is lost: 134060.
    final func readExternalData(_ report: (NSError) -> Void) {
        guard let row, !layout.externalSlots.isEmpty else { return }
        let folder = home.store?.externalDataFolder
        for slot in layout.externalSlots.map(\.rowSlot) where !row.isNull(slot) {
            // One that a check of the values could not read is nil without having been set.
            if slot < values.count, !values[slot].isUnloaded, touched.contains(slot) || !values[slot].isNull {
                continue
            }
            do {
                let data = try ExternalData.data(row.data(slot), in: folder)
                ensureValues()
                values[slot] = .data(data)
            } catch {
                report(error as NSError)
            }
        }
    }

    /// The row that the store has in the place of an older one, where a column differs: nil inside for a row that is gone,
    /// nil for one that still says the same.
    private final func newerRow(than row: Row, _ slot: Int) -> Row?? {
        guard let store = home.store as? any ObjectStore,
            let found = try? [
                store.row(
                    of: home, reference, notBefore: .infinity,
                    for: context?.reader(of: store) ?? StoreReader())
            ]
        else { return nil }
        guard let newer = found[0] else { return .some(nil) }
        return !newer.isNull(slot) && newer.data(slot) == row.data(slot) ? nil : .some(newer)
    }
}
