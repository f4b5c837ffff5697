import ObjectGraph
import DurableFiles
import Foundation
import ManagedObjectModel

// The files of external data, in a folder beside a store.

extension ExternalData {
    /// The data that a column stands for.
    ///
    /// - Parameter folder: where the files are; nil for a store without a file.
    /// - Throws: 134060 when the column names no file, or the file cannot be read.
    static func data(_ column: Data, in folder: URL?) throws -> Data {
        try data(column) { try file($0, in: folder) }
    }

    /// The data in a file.
    ///
    /// - Throws: as `data(_:in:)`.
    static func file(_ name: String, in folder: URL?) throws -> Data {
        guard let file = folder?.appendingPathComponent(name) else { throw namesNoFile }
        do {
            return try RegularFile.data(at: file.path)
        } catch {
            throw unreadable(file, error)
        }
    }

    /// The first bytes of the data in a file, and how many it has. No more of it is read.
    ///
    /// - Throws: as `data(_:in:)`; 134060 also for a folder, a pipe or a link.
    static func start(
        of name: String, in folder: URL?, atMost most: Int
    ) throws -> (start: Data, length: Int) {
        guard let file = folder?.appendingPathComponent(name) else { throw namesNoFile }
        do {
            let reader = try RegularFile.open(at: file.path)
            return (try reader.read(at: 0, count: most), try reader.byteCount())
        } catch {
            throw unreadable(file, error)
        }
    }

    private static func unreadable(_ file: URL, _ error: any Error) -> NSError {
        .coreData(
            .coreData, "Could not read the external data at \(file.path).",
            [NSUnderlyingErrorKey: error as NSError, NSFilePathErrorKey: file.path])
    }
}

extension SQLiteStore {
    /// The folder in `.<name>_SUPPORT`, beside the store's file, that has the files of external data.
    var externalDataFolder: URL? { (fileOfExternalData ?? fileURL)?.externalDataFolder }
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
