import CoreData
import CoreDataSQLite

/// The file that has a value's bytes, open to be read piece by piece: what takes its name meanwhile is another file.
///
/// One task after the other may read from it.
package final class ExternalFile: @unchecked Sendable {
    private let reader: StoreFileReader
    /// How many bytes the file had when it was opened.
    package let byteCount: Int

    fileprivate init(_ reader: StoreFileReader) throws {
        self.reader = reader
        byteCount = try reader.byteCount()
    }

    /// Bytes of the file; fewer where it ends.
    ///
    /// - Throws: an error of the system.
    package func read(at offset: Int, count: Int) throws -> Data {
        try reader.read(at: offset, count: count)
    }
}

extension OpenStore {
    /// Opens the file of a value that is kept in one.
    ///
    /// - Parameter name: the name that the object's row has for it.
    /// - Throws: 260 when there is no such file; else the error of the system: `EINVAL` for anything but a regular file.
    package func externalFile(named name: String) throws -> ExternalFile {
        let folder = SQLiteStoreTables(store.url ?? url).externalDataFolder
        return try ExternalFile(RegularFile.open(at: folder.appendingPathComponent(name).path))
    }
}
