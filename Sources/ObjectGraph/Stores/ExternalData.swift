import Foundation
import ManagedObjectModel

/// The bytes in the column of an attribute that allows external storage, as Apple's stores have them: `01` and the
/// data, or `02`, the name of a file (36 characters of a UUID) and `00`.
///
/// `ExternalFiles` says which data goes to a file. A file is read when the value is.
package enum ExternalData {
    package static let inline: UInt8 = 1
    package static let reference: UInt8 = 2

    /// The bytes in the column for data.
    package static func column(_ data: Data) -> Data { [inline] + data }

    /// The bytes in the column for data in a file.
    package static func column(naming file: UUID) -> Data { [reference] + Data(file.uuidString.utf8) + [0] }

    /// The name of the file that a column leads to; nil for data in the row, and for a reference that names no file.
    package static func fileName(_ column: Data) -> String? {
        guard column.first == reference, column.count <= 38 else { return nil }
        let name = String(decoding: column.dropFirst().prefix { $0 != 0 }, as: UTF8.self)
        // Only an identifier is accepted as the name of a file.
        return UUID(uuidString: name) == nil ? nil : name
    }

    /// The data that a column stands for.
    ///
    /// - Parameter store: the store with the file that the column may name; nil for an object that no store has.
    /// - Throws: 134060 when the column names no file, or the file cannot be read.
    package static func data(_ column: Data, of store: NSPersistentStore?) throws -> Data {
        try data(column) { name in
            guard let store = store as? any ObjectStore else { throw namesNoFile }
            return try store.externalData(named: name)
        }
    }

    /// The data that a column stands for.
    ///
    /// - Parameter read: reads the file with a name.
    /// - Throws: 134060 when the column names no file; what `read` throws.
    package static func data(_ column: Data, reading read: (_ name: String) throws -> Data) throws -> Data {
        switch column.first {
        case inline: return Data(column.dropFirst())
        case reference:
            guard let name = fileName(column) else { throw namesNoFile }
            return try read(name)
        // Data from before the attribute allowed external storage.
        default: return column
        }
    }

    package static var namesNoFile: NSError {
        .coreData(.coreData, "The store is damaged: a reference to external data names no file.")
    }
}

extension NSPersistentStore {
    /// The file of the store; nil for one in memory.
    package var fileURL: URL? {
        guard let url, url.isFileURL, !url.isNullDevice else { return nil }
        return url
    }
}

extension NSManagedObject {
    /// The value of an attribute in a row, its external data included; nil when that cannot be read.
    final func stored(_ row: Row, _ slot: Int, _ info: PropertySlot) -> SlotValue? {
        guard info.isExternal, !row.isNull(slot) else { return row.value(slot, info) }
        let store = home.store
        do {
            return .data(try ExternalData.data(row.data(slot), of: store))
        } catch {
            // The file of a row that others have changed since is gone: their data is all there is.
            if let newer = newerRow(than: row, slot) {
                guard let newer, !newer.isNull(slot) else { return .null }
                if let data = try? ExternalData.data(newer.data(slot), of: store) { return .data(data) }
            }
            // Reading a property cannot throw; the next save does. A validating save keeps the bytes.
            Log.objects.error("Could not load \(objectID): \(error.localizedDescription)")
            if let context, !context.session.isValidating { context.session.faultingError = error as NSError }
            return nil
        }
    }

    /// Loads external data that was not read yet. Unreadable data is left unchanged.
    ///
    /// - Parameter report: receives the error for each lost value: 134060.
    final func readExternalData(_ report: (NSError) -> Void) {
        guard let row, !layout.externalSlots.isEmpty else { return }
        let store = home.store
        for slot in layout.externalSlots.map(\.rowSlot) where !row.isNull(slot) {
            // A value that validation could not read is nil without having been set.
            if slot < values.count, !values[slot].isUnloaded, touched.contains(slot) || !values[slot].isNull {
                continue
            }
            do {
                let data = try ExternalData.data(row.data(slot), of: store)
                ensureValues()
                values[slot] = .data(data)
            } catch {
                report(error as NSError)
            }
        }
    }

    /// The store's newer row, if a column differs: nil inside for a deleted row, nil for an equal one.
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
