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
