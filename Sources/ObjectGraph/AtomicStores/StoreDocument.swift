import DurableFiles
import Foundation
import ManagedObjectModel

/// The file of a store that is read and written as a whole.
package enum StoreDocument {
    /// How large a file may be; all of it is read into memory.
    private static let maximumByteCount = 1 << 30

    /// The contents of a file.
    ///
    /// - Throws: 260 when there is none, 259 when it is too large, 134080 when it cannot be read.
    package static func read(_ url: URL) throws -> Data {
        guard let data = try readIfPresent(url) else {
            throw NSError.coreData(
                .fileReadNoSuchFile, "There is no store at \(url.path).", [NSFilePathErrorKey: url.path])
        }
        return data
    }

    /// The contents of a file; nil when there is none.
    ///
    /// - Throws: as `read(_:)`.
    static func readIfPresent(_ url: URL) throws -> Data? {
        guard url.isFileURL else {
            throw unopenable(url, "its URL, \(url.absoluteString), is not that of a file")
        }
        var info = stat()
        guard stat(url.path, &info) == 0 else {
            let number = errno
            if [ENOENT, ENOTDIR].contains(number) { return nil }
            throw unopenable(url, "the file cannot be read: \(String(cString: strerror(number)))")
        }
        // Reading a pipe would wait for a writer.
        guard info.st_mode & S_IFMT == S_IFREG else {
            throw unopenable(
                url, info.st_mode & S_IFMT == S_IFDIR ? "it is a folder" : "it is not a regular file")
        }
        guard info.st_size <= maximumByteCount else {
            throw damaged(url, "it is larger than \(maximumByteCount >> 20) MiB")
        }
        do {
            return try FileReading.read(url.path, limit: Int(info.st_size))
        } catch {
            throw unopenable(url, "the file cannot be read: \(error.localizedDescription)")
        }
    }

    /// Writes the contents of a file atomically and durably.
    ///
    /// - Parameters:
    ///   - known: what the file must still hold; nil for whatever it holds.
    ///   - source: a file whose mode a new one gets; nil for that of any new file.
    /// - Throws: 134030 when that is not possible, also for more than can be read again, and if the file is not a regular one;
    ///   134010 for a SQLite database; 133020 when the file holds something else, or is gone. The file is unchanged then.
    static func write(_ data: Data, to url: URL, replacing known: Data? = nil, like source: URL? = nil) throws
    {
        try checkSize(data, url)
        do {
            let attributes = try source.flatMap { try FileAttributes(of: $0) }
            // A file of another user stays if its owner cannot be kept.
            try DurableFile.write(data, to: url, attributes: attributes, requiresOwner: known != nil) {
                // As late as possible: other processes can still write.
                try checkIsNotADatabase(url)
                if let known, try readIfPresent(url) != known { throw NSError.changedByOthers(url) }
            }
        } catch let error as NSError where error.isMergeConflict || error.isTypeMismatch {
            throw error
        } catch {
            throw unwritable(url, error)
        }
    }

    /// Writes contents to a new file atomically and durably.
    ///
    /// - Parameter source: a file whose mode and owner the new one gets; nil for those of any new file.
    /// - Throws: 134080 when the file exists, 134030 when the file cannot be written; nothing is left then.
    static func make(_ data: Data, at url: URL, like source: URL?) throws {
        try checkSize(data, url)
        let isMade: Bool
        do {
            let attributes = try source.flatMap { try FileAttributes(of: $0) }?.ofData
            isMade = try DurableFile.create(data, at: url, attributes: attributes)
        } catch {
            throw unwritable(url, error)
        }
        guard isMade else { throw taken(url) }
    }

    private static func checkSize(_ data: Data, _ url: URL) throws {
        guard data.count > maximumByteCount else { return }
        throw NSError.coreData(
            .persistentStoreSave,
            "The store at \(url.path) would be larger than \(maximumByteCount >> 20) MiB.",
            [NSFilePathErrorKey: url.path])
    }

    private static func unwritable(_ url: URL, _ error: any Error) -> NSError {
        .coreData(
            .persistentStoreSave,
            "Could not write the store at \(url.path): \(error.localizedDescription)",
            [NSUnderlyingErrorKey: error as NSError, NSFilePathErrorKey: url.path])
    }

    /// Removes a file, if there is one, and drafts of it that killed processes have left. A symbolic link stays.
    ///
    /// - Throws: 134080 for what is not a regular file, or cannot be read; 134010 for a SQLite database; an error of the system.
    static func remove(_ url: URL) throws {
        try checkIsNotADatabase(url)
        do {
            if try DurableFile.remove(url) {
                try DurableFile.syncFolder(url.followingLinks().deletingLastPathComponent())
            }
        } catch let error as FileError {
            guard let reason = error.reason else { throw error }
            throw unopenable(url, reason)
        }
        removeDrafts(of: url)
    }

    /// Removes drafts of a file that killed processes have left.
    static func removeDrafts(of url: URL) {
        for error in FileDraft.removeLeftovers(of: url) {
            Log.store.error(
                "Could not remove a draft of the store at \(url.path): \(error.localizedDescription)")
        }
    }

    /// Makes a new file as a draft, which is moved to its location once it is complete; see `StoreKind.makeAsDraft`.
    static func makeAsDraft<Opened>(
        at url: URL, like source: URL?, _ fill: (URL) throws -> Void, opening: () throws -> Opened
    ) throws -> Opened {
        let folder = url.deletingLastPathComponent()
        guard FileManager.default.fileExists(atPath: folder.path) else {
            throw unopenable(url, "the folder \(folder.path) does not exist")
        }
        let attributes = try source.flatMap { try FileAttributes(of: $0) }?.ofData
        let draft: FileDraft
        do {
            draft = try FileDraft(for: url)
        } catch let error as FileError {
            if error.isRefusal { throw unopenable(url, "its folder cannot be written to") }
            guard let reason = error.reason else { throw error }
            throw unopenable(url, reason)
        }
        defer { draft.discard() }
        // It has the mode from the start.
        if let attributes { try DurableFile.make(draft.url, Data(), attributes: attributes) }
        try fill(draft.url)
        try draft.complete(attributes)
        guard try draft.placeIfMissing() else { throw taken(url) }
        do {
            return try opening()
        } catch {
            draft.removePlaced()
            throw error
        }
    }

    private static func taken(_ url: URL) -> NSError {
        unopenable(url, "there is a file already; destroy that store first")
    }

    /// Keeps a database from being removed or replaced as a document. This process or another one may have it open, which only
    /// its locks show, and its log and its external data would stay: they belong to whatever database gets its name.
    ///
    /// - Throws: 134010 for a SQLite database; 134080 for a file that cannot be read, and so may be one.
    private static func checkIsNotADatabase(_ url: URL) throws {
        // The callers that change a file refuse one that is not regular.
        guard let file = try? url.followingLinks(), (try? FileKind(at: file.path)) == .regular else { return }
        let start: Data
        do {
            start = try FileReading.read(file.path, limit: sqliteBeginning.count)
        } catch {
            throw unopenable(url, "the file cannot be read: \(error.localizedDescription)")
        }
        guard start == sqliteBeginning else { return }
        throw NSError.coreData(
            .persistentStoreTypeMismatch,
            """
            The file at \(url.path) is a SQLite database. Only the store type \(NSSQLiteStoreType) may destroy or replace it, since it \
            respects the locks of other connections and knows the files beside it.
            """, [NSFilePathErrorKey: url.path])
    }

    private static let sqliteBeginning = Data("SQLite format 3\0".utf8)

    static func unopenable(_ url: URL, _ reason: String) -> NSError {
        .coreData(
            .persistentStoreOpen, "The store at \(url.path) cannot be opened: \(reason).",
            [NSFilePathErrorKey: url.path])
    }

    static func damaged(_ url: URL?, _ reason: String) -> NSError {
        .coreData(
            .fileReadCorruptFile, "The store at \(url?.path ?? "") is damaged: \(reason).",
            [NSFilePathErrorKey: url?.path ?? ""])
    }

    /// The error for a file that is not a store of a type.
    ///
    /// - Returns: 134010 for a store of another type, else 259.
    static func foreign(_ data: Data, _ url: URL, type: String) -> NSError {
        let beginnings = [
            (NSSQLiteStoreType, sqliteBeginning), (NSBinaryStoreType, Data("CoreData".utf8)),
            (NSXMLStoreType, Data("<?xml".utf8)),
        ]
        let found = beginnings.first { $0.0 != type && data.starts(with: $0.1) }
        guard let found else { return damaged(url, "it does not begin like a store of type \(type)") }
        return .coreData(
            .persistentStoreTypeMismatch,
            "The file at \(url.path) is not a store of type \(type); it looks like one of type \(found.0).",
            [NSFilePathErrorKey: url.path])
    }
}

extension NSError {
    fileprivate var isTypeMismatch: Bool {
        domain == NSCocoaErrorDomain && code == CocoaError.Code.persistentStoreTypeMismatch.rawValue
    }
}

/// A store of this framework in one file.
package class DocumentStore: MappedStore, @unchecked Sendable {
    /// The option of tools not to overwrite what others wrote to the file since it was read: a save throws 133020 then. The
    /// contents of the file stay in memory for that. A missing file is not created either.
    package static let guardsFileOption = "OpenCoreDataGuardsFile"

    /// What the file held when it was read or written last, with `guardsFileOption`; nil without it.
    package private(set) final var knownContents: Data?

    private var guardsFile: Bool { options?[Self.guardsFileOption] as? Bool == true }

    override var knownOptions: Set<String> { [Self.guardsFileOption] }

    package override class var hasFiles: Bool { true }

    /// Whether the file had contents.
    private(set) final var isNew = true
    /// The contents of the file, from reading the metadata to reading the objects.
    private final var unread: Data?

    /// Adopts the contents of the file.
    func take(_ data: Data, _ url: URL) throws {}

    /// The contents for the file.
    func contents() throws -> Data { Data() }

    /// The metadata in the contents of the file that is being opened. Intermediate results may be kept for `take(_:_:)`.
    func metadata(in data: Data, _ url: URL) throws -> [String: Any] {
        try Self.metadata(in: data, url)
    }

    /// The metadata in the contents of a file.
    package class func metadata(in data: Data, _ url: URL) throws -> [String: Any] { [:] }

    /// The contents of a file with other metadata.
    class func setting(_ metadata: [String: Any], in data: Data, _ url: URL) throws -> Data { data }

    /// A model made from the contents of a file.
    class func reconstructedModel(of data: Data, _ url: URL) throws -> NSManagedObjectModel {
        throw StoreDocument.unopenable(url, "no model can be made from a file of its type")
    }

    package final override func loadMetadata() throws {
        guard let url else { return }
        if url.isFileURL, !isReadOnly { StoreDocument.removeDrafts(of: url) }
        guard let data = try StoreDocument.readIfPresent(url), !data.isEmpty else {
            guard !isReadOnly, !guardsFile else {
                throw StoreDocument.unopenable(url, "the file does not exist or is empty")
            }
            let folder = url.deletingLastPathComponent()
            guard FileManager.default.fileExists(atPath: folder.path) else {
                throw StoreDocument.unopenable(url, "the folder \(folder.path) does not exist")
            }
            return
        }
        isNew = false
        if guardsFile { knownContents = data }
        setLoadedMetadata(try metadata(in: data, url))
        unread = data
    }

    package final override func load() throws {
        guard let url, let data = unread else { return }
        unread = nil
        try take(data, url)
    }

    package final override func save() throws {
        guard let url else { return }
        let contents = try contents()
        if makesFile {
            try StoreDocument.make(contents, at: url, like: model)
            makesFile = false
        } else {
            try StoreDocument.write(contents, to: url, replacing: knownContents)
        }
        if guardsFile { knownContents = contents }
    }

    /// Whether the next save makes a file that must not exist yet.
    private final var makesFile = false
    /// A file whose mode and owner the new one gets.
    private final var model: URL?

    /// Makes the first save create the file: it does not replace one that others have made by then.
    package final override func makesFile(like model: URL?) {
        makesFile = true
        self.model = model
    }

    final override func makeIfMissing() throws {
        if isNew { try save() }
    }

    package final override class func reconstructedModel(
        at url: URL, _ options: [AnyHashable: Any]?
    ) throws -> NSManagedObjectModel? { try reconstructedModel(of: try StoreDocument.read(url), url) }

    package final override class func makeAsDraft<Opened>(
        at url: URL, _ options: [AnyHashable: Any]?, like source: URL?, _ fill: (URL) throws -> Void,
        opening: () throws -> Opened
    ) throws -> Opened {
        try StoreDocument.makeAsDraft(at: url, like: source, fill, opening: opening)
    }

    package final override class func metadataForPersistentStore(with url: URL) throws -> [String: Any] {
        try metadata(in: try StoreDocument.read(url), url)
    }

    package final override class func setMetadata(
        _ metadata: [String: Any]?, forPersistentStoreAt url: URL
    ) throws {
        let data = try StoreDocument.read(url)
        let old = try self.metadata(in: data, url)
        let type = old[NSStoreTypeKey] as? String ?? ""
        let merged = StoreMetadata.merging(metadata ?? [:], into: old, type: type)
        try StoreDocument.write(try setting(merged, in: data, url), to: url)
    }

    // MARK: Properties

    /// The stored attributes of an entity in the order of Apple's files: the superentity's first, by name.
    package final func attributes(of storedEntity: StoredEntity) -> [PropertySlot] {
        ordered(storedEntity) { !$0.kind.isRelationship }
    }

    /// The stored relationships of an entity in the order of Apple's files: to-one before to-many.
    package final func relationships(of storedEntity: StoredEntity) -> [PropertySlot] {
        ordered(storedEntity) { $0.kind == .toOne } + ordered(storedEntity) { $0.kind == .toMany }
    }

    private func ordered(_ storedEntity: StoredEntity, _ isWanted: (PropertySlot) -> Bool) -> [PropertySlot] {
        var known = 0
        var chain: [EntityLayout] = []
        var next: EntityLayout? = storedEntity.layout
        while let layout = next {
            chain.append(layout)
            next = layout.superlayout
        }
        return chain.reversed().flatMap { layout in
            defer { known = layout.slots.count }
            return layout.slots[known...].filter { $0.isStored && isWanted($0) }
                .sorted { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }
        }
    }

    package override func prepare(_ model: NSManagedObjectModel) throws {
        try super.prepare(model)
        if model.isReconstructed {
            unsupportedFeatures = ["no model but the one that was made from its objects or tables"]
        }
        for storedEntity in storedEntities {
            if let slot = storedEntity.layout.slots.first(where: { $0.isStored && $0.kind == .composite }) {
                throw refusal(
                    "it is not known how Apple's stores of this type keep composite attributes such as '\(slot.name)' of entity '\(storedEntity.entity.name ?? "")'"
                )
            }
        }
    }

    /// The nodes in the order of their numbers in the file.
    final var numberedNodes: [(number: Int64, node: NSAtomicStoreCacheNode)] {
        nodes.all.map { (number(of: $0.objectID), $0) }.sorted { $0.number < $1.number }
    }

    /// The number of an object in the file.
    final func number(of id: NSManagedObjectID) -> Int64 {
        referenceObject(for: id) as? Int64 ?? id.reference
    }

    /// The existing destinations of a relationship, as numbers in the file.
    final func numbers(_ node: NSAtomicStoreCacheNode, _ slot: PropertySlot) throws -> [Int64] {
        guard let relationship = slot.relationship else { return [] }
        return try node.destinations(relationship).filter { nodes.savedNode($0.key) != nil }.map(number)
    }

    /// Links the nodes to each other.
    final func link(
        _ node: NSAtomicStoreCacheNode, _ slot: PropertySlot, _ numbers: [Int64],
        _ byNumber: [Int64: NSAtomicStoreCacheNode]
    ) throws {
        let destinations = try numbers.map { number in
            guard let destination = byNumber[number],
                slot.relationship?.destinationEntity.map(destination.objectID.entity.isKindOf) ?? false
            else {
                throw StoreDocument.damaged(
                    url,
                    "relationship '\(slot.name)' of object \(self.number(of: node.objectID)) leads to \(number), which is not there"
                )
            }
            return destination
        }
        guard slot.kind == .toMany else {
            guard destinations.count <= 1 else {
                throw StoreDocument.damaged(
                    url,
                    "relationship '\(slot.name)' of object \(number(of: node.objectID)) leads to more than one object"
                )
            }
            return node.setValue(destinations.first, forKey: slot.name)
        }
        let value: Any = slot.isOrdered ? NSOrderedSet(array: destinations) : NSSet(array: destinations)
        node.setValue(value, forKey: slot.name)
    }

    /// The error for a value in the file that does not fit the model.
    final func wrongValue(_ slot: PropertySlot, _ number: Int64) -> NSError {
        StoreDocument.damaged(url, "the value of attribute '\(slot.name)' of object \(number) cannot be read")
    }

    /// The entity of a name in the file.
    ///
    /// - Throws: 134020 when the store does not hold it.
    final func unknown(_ what: String) -> NSError {
        .coreData(
            .persistentStoreIncompatibleSchema,
            "The store at \(url?.path ?? "") has \(what), which the model does not have.",
            [NSFilePathErrorKey: url?.path ?? ""])
    }
}

/// The bytes of a transformable attribute, which are decoded when the value is read, and kept until a new one is set.
final class ArchivedValue: NSObject, @unchecked Sendable {
    let data: Data
    private let slot: PropertySlot

    init(_ data: Data, _ slot: PropertySlot) {
        self.data = data
        self.slot = slot
    }

    /// The decoded value; nil when the bytes cannot be read.
    var value: Any? { TransformableValue.decode(data, slot).anyValue(slot.kind) }

    override func isEqual(_ object: Any?) -> Bool { (object as? ArchivedValue)?.data == data }
    override var hash: Int { data.hashValue }
}
