import DurableFiles
import Foundation

extension SQLiteStoreTables {
    /// Puts the draft of a new store, which is closed, into its place, after its external data: every row that is seen finds it.
    ///
    /// - Parameters:
    ///   - draft: the store, with its external data in its folder beside it.
    ///   - hasExternalData: whether there can be any.
    /// - Returns: false when there is something at the place; nothing is left of the store then, nor when an error is thrown.
    package func place(_ draft: FileDraft, hasExternalData: Bool) throws -> Bool {
        try draft.complete()
        let source = draft.url.externalDataFolder
        let names =
            try hasExternalData && FileKind(at: source.path) == .folder
            ? DurableFile.names(in: source).filter { UUID(uuidString: $0) != nil } : []
        guard !names.isEmpty else { return try draft.placeIfMissing() }
        let folder = draft.target.externalDataFolder
        let list = try ExternalFileList(in: folder, of: draft.target, try FileAttributes(of: draft.url))
        do {
            try list.add(names)
            for name in names {
                try DurableFile.move(
                    source.appendingPathComponent(name).path, to: folder.appendingPathComponent(name).path)
            }
            try DurableFile.syncFolder(folder)
            let isPlaced = try draft.placeIfMissing()
            if !isPlaced { try list.remove(names) }
            list.end()
            return isPlaced
        } catch {
            if draft.isPlaced {
                list.abandon()
            } else {
                try? list.remove(names)
                list.end()
            }
            throw error
        }
    }
}
