import CoreData
import CoreDataSQLite
import DurableFiles

/// Puts the objects of a dump into a store, in one transaction.
///
/// In a new store objects keep their primary keys; in one that has objects, they get the next ones. Values are taken as
/// they are: the model's validation rules, which real stores break, are not applied. What leads nowhere is left out.
package struct DumpImport {
    private let file: URL

    package init(_ file: URL) { self.file = file }

    /// What came of an import.
    package struct Outcome: Sendable {
        /// How many objects came in.
        package let count: Int
        /// What is to be known of them, each as a sentence.
        package let notices: [String]
        /// What did not come in, each as a sentence.
        package let skippedRows: [String]
    }

    /// Makes a new store. It is there when it is complete.
    ///
    /// - Parameters:
    ///   - url: the location, where nothing is, and beside which no log of another store is.
    ///   - model: the model of the store; nil for that of the dump.
    ///   - type: the type of the store. Objects of XML and binary stores get new numbers.
    ///   - progress: gets how many bytes of the dump were read.
    /// - Throws: an error that names the object, the line, or what of the store cannot be done.
    @discardableResult
    package func make(
        _ url: URL, model: NSManagedObjectModel?, type: StoreFileType = .sqlite,
        progress: (Int) -> Void = { _ in }
    ) throws -> Outcome {
        let location = NewStoreLocation(url)
        try location.requireEmpty()
        let reader = try DumpReader(file)
        let header = try reader.header()
        // What a process has left here that was killed.
        _ = FileDraft.removeLeftovers(of: url)
        let made = try FileDraft(for: url)
        defer { made.discard() }
        let draft = made.url
        let document = draft.appendingPathExtension(type.rawValue)
        let target = try OpenStore(
            draft, model: try model ?? header.model(), isReadOnly: false, makesFile: true)
        let outcome: Outcome
        do {
            outcome = try add(reader, header, to: target, keepsKeys: true, progress)
            if type == .sqlite {
                try target.close()
            } else {
                try target.coordinator.remove(
                    try target.coordinator.migratePersistentStore(
                        target.store, to: document, withType: type.storeType))
            }
        } catch {
            try? target.close()
            throw error
        }
        if type == .sqlite, model == nil, let archive = header.modelArchive {
            // The copy of the model stays what it was, with what of it is not known here.
            try SQLiteStoreTables(draft).replaceModelArchive(archive)
        }
        // The draft is of one file only.
        if type != .sqlite { try DurableFile.move(document.path, to: draft.path) }
        if !header.metadata.isEmpty {
            try StoreMetadata(draft).change(setting: header.metadata, removing: [])
        }
        try location.take(made, hasExternalData: type == .sqlite)
        return outcome
    }

    /// Adds the objects to a store, all or none, as one transaction of its history.
    ///
    /// - Parameters:
    ///   - url: a SQLite store.
    ///   - model: its model; nil for the copy that it holds.
    ///   - progress: gets how many bytes of the dump were read.
    /// - Throws: as `make(_:model:type:progress:)`.
    @discardableResult
    package func add(
        to url: URL, model: NSManagedObjectModel?, progress: (Int) -> Void = { _ in }
    ) throws -> Outcome {
        let reader = try DumpReader(file)
        // Before anything of the store is touched.
        let header = try reader.header()
        let type = StoreFileType(url)
        guard type == .sqlite else {
            throw StoreToolError(
                "\(url.path) is \(type.description): objects can be added to SQLite stores only.")
        }
        let target = try OpenStore(url, model: model, isReadOnly: false)
        do {
            let outcome = try add(reader, header, to: target, keepsKeys: false, progress)
            try target.close()
            return outcome
        } catch {
            try? target.close()
            throw error
        }
    }

    private func add(
        _ reader: DumpReader, _ header: DumpReader.Header, to target: OpenStore, keepsKeys: Bool,
        _ progress: (Int) -> Void
    ) throws -> Outcome {
        var outcome = Outcome(count: 0, notices: [], skippedRows: [])
        try target.store.importing { store in
            let session = try ImportSession(
                store, keepsKeys: keepsKeys, reconstruction: header.reconstruction)
            try reader.forEachObject { object, values, bytes in
                try session.add(object, values)
                progress(bytes)
            }
            outcome = try session.finish()
        }
        return outcome
    }
}
