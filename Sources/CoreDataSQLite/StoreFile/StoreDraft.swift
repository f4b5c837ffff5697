import DurableFiles
import Foundation

// Whole stores that are made as drafts: nothing has the name of a store before all of it is there.

extension SQLiteStoreTables {
    /// Moves the draft of a new store, which is closed, into place, after its external data: every row that is seen finds it.
    ///
    /// - Parameters:
    ///   - draft: the store, with its external data in its folder beside it.
    ///   - hasExternalData: whether there can be any.
    /// - Returns: false when there is something at the location; nothing is left of the store then, nor when an error is thrown.
    package func location(_ draft: FileDraft, hasExternalData: Bool) throws -> Bool {
        try draft.complete()
        return try draft.placeStore(at: draft.target, hasExternalData: hasExternalData) {} != nil
    }
}

extension SQLiteStoreFile {
    /// Makes a new store, and opens it.
    ///
    /// - Parameters:
    ///   - source: a file whose mode and owner the new one gets; nil for those of the process.
    ///   - fill: makes the store at a URL beside its location, and closes it.
    ///   - opening: opens the store at its location.
    /// - Throws: 134080 when there is something already, an error of the file system, or what the blocks throw; nothing is left
    ///   then.
    func makeStore<Opened>(
        like source: URL?, _ fill: (URL) throws -> Void, opening: () throws -> Opened
    ) throws -> Opened {
        try requireNothing()
        let attributes = try source.flatMap { try FileAttributes(of: $0) }?.ofData
        return try withDraft { draft in
            // What is made beside it, and files of external data, are like it from the start.
            if let attributes { try DurableFile.make(draft.url, Data(), attributes: attributes) }
            try fill(draft.url)
            try Self.complete(draft, attributes)
            try removeEmptyFile()
            guard
                let opened = try draft.placeStore(at: url, hasExternalData: true, opening: opening)
            else { throw taken }
            return opened
        }
    }
}

extension FileDraft {
    /// Moves a store that is complete, and on the disk, into place, its external data first.
    ///
    /// - Parameters:
    ///   - store: the store, which may be a link: its external data is beside that.
    ///   - opening: what is done once it is in place; when this throws, the store is removed.
    /// - Returns: what `opening` returns; nil when there is something at the location.
    fileprivate func placeStore<Opened>(
        at store: URL, hasExternalData: Bool, opening: () throws -> Opened
    ) throws -> Opened? {
        let names = hasExternalData ? try url.externalDataNames() : []
        guard !names.isEmpty else {
            do {
                return try placeIfMissing() ? try opening() : nil
            } catch {
                removePlacedStore()
                throw error
            }
        }
        let folder = store.externalDataFolder
        let hadFolders = [folder, store.supportFolder].filter {
            FileManager.default.fileExists(atPath: $0.path)
        }
        let list = try ExternalFileList(in: folder, of: store, try FileAttributes(of: url))
        func undo() {
            do {
                try list.remove(names)
                list.end()
            } catch {
                list.abandon()
            }
            for location in [folder, store.supportFolder] where !hadFolders.contains(location) {
                _ = try? DurableFile.removeEmptyFolder(location)
            }
        }
        do {
            try list.add(names)
            try url.moveExternalData(names, to: folder)
            guard try placeIfMissing() else {
                undo()
                return nil
            }
            let opened = try opening()
            list.end()
            return opened
        } catch {
            if removePlacedStore() { undo() } else { list.abandon() }
            throw error
        }
    }

    /// Removes the database if it is in place, and what SQLite keeps beside it.
    ///
    /// - Returns: whether it is not in place any more.
    @discardableResult
    func removePlacedStore() -> Bool {
        guard isPlaced else { return true }
        guard removePlaced() else { return false }
        for suffix in SQLiteStoreFile.logSuffixes {
            _ = try? DurableFile.remove(URL(fileURLWithPath: target.path + suffix))
        }
        return true
    }
}
