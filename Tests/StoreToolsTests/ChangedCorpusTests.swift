import CoreData
import GRDB
import StoreTools
import TestSupport
import Testing

/// Every store that Apple's framework made is opened with its own model, read entity by entity, changed and saved, on a copy,
/// and is sound after that.
@Suite(.enabled(if: Corpus.isPresent, "\(Corpus.missing)"))
struct ChangedCorpusTests {
    private static let stores = Corpus.files(under: "stores").filter { path in
        let handle = FileHandle(forReadingAtPath: Corpus.url(path).path)
        defer { try? handle?.close() }
        return (try? handle?.read(upToCount: 16)) == Data("SQLite format 3\0".utf8)
    }
    private static let shards = 8

    /// What a store came to.
    private struct Outcome {
        var entities = 0
        var objects = 0
        var changed = 0
        /// Why nothing could be changed.
        var reason: String?
    }

    /// What plain SQL finds in the file of a store.
    private struct Facts {
        let hasModel: Bool
        let hasObjects: Bool
        /// Values that are in files of their own, which are not among the stores.
        let hasExternalFiles: Bool

        /// The beginnings of the reasons for which nothing of the store may be changed; no others count.
        var reasons: [String] {
            var reasons: [String] = []
            if !hasModel { reasons.append("no model: the one it is opened with was made from its tables") }
            if hasExternalFiles { reasons.append(ChangedCorpusTests.missingFiles) }
            if !hasObjects { reasons.append(ChangedCorpusTests.noValue) }
            return reasons
        }

        init(_ url: URL) throws {
            let queue = try DatabaseQueue(path: url.path)
            defer { try? queue.close() }
            (hasModel, hasObjects, hasExternalFiles) = try queue.read { database in
                func count(_ sql: String) throws -> Int { try Int.fetchOne(database, sql: sql) ?? 0 }
                let hasModel =
                    try database.tableExists("Z_MODELCACHE")
                    && count("SELECT count(*) FROM Z_MODELCACHE") > 0
                let tables = try String.fetchAll(
                    database, sql: "SELECT name FROM sqlite_master WHERE type = 'table' AND name LIKE 'Z%'"
                ).filter { !$0.hasPrefix("Z_") }
                var (objects, files) = (0, 0)
                for table in tables {
                    objects += try count("SELECT count(*) FROM \"\(table)\"")
                    for column in try database.columns(in: table) where column.type == "BLOB" {
                        files += try count(
                            """
                            SELECT count(*) FROM "\(table)" WHERE length("\(column.name)") = 38
                            AND hex(substr("\(column.name)", 1, 1)) = '02'
                            """)
                    }
                }
                return (hasModel, objects > 0, files > 0)
            }
        }
    }

    private static let missingFiles = "files of its external data are not among the stores"
    private static let noValue = "it has no object with a value to change"

    /// A copy of a store, with its log, in a folder.
    private func copy(_ path: String, _ folder: URL) throws -> URL {
        let source = Corpus.url(path)
        let url = folder.appending(path: source.lastPathComponent)
        for suffix in ["", "-wal"] where FileManager.default.fileExists(atPath: source.path + suffix) {
            try FileManager.default.copyItem(atPath: source.path + suffix, toPath: url.path + suffix)
        }
        return url
    }

    /// So that the reasons above, which are found in the files, cannot come to hold for all stores.
    @Test("At least 36 stores of the corpus have no feature that makes them read-only")
    func mostStoresAreToBeChanged() throws {
        let folder = try TestFolder()
        var count = 0
        for (number, path) in Self.stores.enumerated() {
            let place = folder.url.appending(path: "\(number)")
            try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
            if try Facts(copy(path, place)).reasons.isEmpty { count += 1 }
            try FileManager.default.removeItem(at: place)
        }
        #expect(count >= 36)
    }

    @Test("Stores made by Apple's framework are read, changed, saved and still sound", arguments: 0..<shards)
    func storesAreReadChangedAndSaved(shard: Int) throws {
        let stores = Self.stores.enumerated().filter { $0.offset % Self.shards == shard }.map(\.element)
        try #require(!stores.isEmpty)
        var sum = Outcome()
        var (changedStores, least) = (0, 0)
        for path in stores {
            let folder = try TestFolder()
            let facts = try Facts(copy(path, TestFolder.child("facts", of: folder)))
            let outcome = try run(path, folder.url)
            sum.entities += outcome.entities
            sum.objects += outcome.objects
            sum.changed += outcome.changed
            if let reason = outcome.reason { print("\(path) is not changed: \(reason)") }
            changedStores += outcome.changed > 0 ? 1 : 0
            least += facts.reasons.isEmpty ? 1 : 0
            if outcome.changed == 0 {
                let reason = try #require(outcome.reason, "\(path)")
                #expect(facts.reasons.contains { reason.hasPrefix($0) }, "\(path): \(reason)")
            }
        }
        #expect(changedStores >= least)
        print(
            """
            Shard \(shard): \(stores.count) stores, \(changedStores) of them changed; \(sum.entities) entities, \
            \(sum.objects) objects read, \(sum.changed) changed
            """)
    }

    private func run(_ path: String, _ folder: URL) throws -> Outcome {
        let url = try copy(path, folder)
        let before = try errors(url)
        var outcome = Outcome()
        let open = try OpenStore(url, model: nil, isReadOnly: false)
        let context = NSManagedObjectContext(.privateQueue)
        context.persistentStoreCoordinator = open.coordinator
        var expected: [(uri: URL, key: String, value: NSObject)] = []
        try context.performAndWait {
            for entity in open.entities {
                outcome.entities += 1
                expected += try readAndChange(entity.name, context, &outcome)
            }
            if open.store.isReadOnly {
                outcome.reason = open.store.unsupportedFeatures.joined(separator: "; ")
                context.rollback()
                expected = []
            } else {
                do {
                    try context.save()
                } catch let error as NSError where Self.isOfMissingFile(error) {
                    outcome.reason = Self.missingFiles
                    context.rollback()
                    expected = []
                }
            }
        }
        outcome.changed = expected.count
        if expected.isEmpty, outcome.reason == nil {
            outcome.reason = Self.noValue
        }
        try open.close()
        #expect(try errors(url) == before, "\(path)")
        try check(expected, url)
        return outcome
    }

    private static func isOfMissingFile(_ error: NSError) -> Bool {
        (error.userInfo[NSUnderlyingErrorKey] as? NSError)?.code == NSFileReadNoSuchFileError
    }

    private func errors(_ url: URL) throws -> Set<StoreFinding.Code> {
        Set(try StoreCheck(url).findings().filter { $0.severity == .error }.map(\.code))
    }

    /// Reads all values of some objects of an entity, and changes a value of the first that can be changed.
    private func readAndChange(
        _ name: String, _ context: NSManagedObjectContext, _ outcome: inout Outcome
    ) throws -> [(uri: URL, key: String, value: NSObject)] {
        let request = NSFetchRequest<NSManagedObject>(entityName: name)
        request.includesSubentities = false
        request.fetchLimit = 50
        let count = try context.count(for: request)
        let objects = try context.fetch(request)
        #expect(objects.count == count)
        outcome.objects += objects.count
        for object in objects {
            // Files of external data are not among the stores.
            for (key, attribute) in object.entity.attributesByName
            where !attribute.allowsExternalBinaryDataStorage {
                _ = object.value(forKey: key)
            }
            for (key, relationship) in object.entity.relationshipsByName where !relationship.isToMany {
                _ = object.value(forKey: key)
            }
        }
        for object in objects {
            if let (key, value) = change(object) {
                return [(object.objectID.uriRepresentation(), key, value)]
            }
        }
        return []
    }

    /// Sets another value that is valid; nil when the object has none.
    private func change(_ object: NSManagedObject) -> (String, NSObject)? {
        let unique = Set(object.entity.uniquenessConstraints.joined().compactMap { $0 as? String })
        let attributes = object.entity.attributesByName.sorted { $0.key < $1.key }
        for (key, attribute) in attributes
        where !attribute.isTransient && !unique.contains(key) && !(attribute is NSDerivedAttributeDescription)
            && !attribute.allowsExternalBinaryDataStorage
        {
            let old = object.value(forKey: key)
            guard let new = other(than: old, attribute.attributeType) else { continue }
            object.setValue(new, forKey: key)
            if (try? object.validateForUpdate()) != nil { return (key, new) }
            object.setValue(old, forKey: key)
        }
        return nil
    }

    private func other(than value: Any?, _ type: NSAttributeType) -> NSObject? {
        switch type {
        case .dateAttributeType: (value as? Date).map { ($0 + 1) as NSDate }
        case .stringAttributeType: (value as? String).map { ($0 + "x") as NSString }
        case .booleanAttributeType: (value as? Bool).map { NSNumber(value: !$0) }
        case .doubleAttributeType: (value as? Double).map { NSNumber(value: $0 + 1) }
        case .integer16AttributeType: (value as? Int16).map { NSNumber(value: $0 == .max ? 0 : $0 + 1) }
        case .integer32AttributeType: (value as? Int32).map { NSNumber(value: $0 == .max ? 0 : $0 + 1) }
        case .integer64AttributeType: (value as? Int64).map { NSNumber(value: $0 == .max ? 0 : $0 + 1) }
        default: nil
        }
    }

    /// Reads the changed values in a new stack.
    private func check(_ expected: [(uri: URL, key: String, value: NSObject)], _ url: URL) throws {
        guard !expected.isEmpty else { return }
        let open = try OpenStore(url, model: nil)
        defer { try? open.close() }
        let context = NSManagedObjectContext(.privateQueue)
        context.persistentStoreCoordinator = open.coordinator
        try context.performAndWait {
            for (uri, key, value) in expected {
                let id = try #require(open.coordinator.managedObjectID(forURIRepresentation: uri))
                let read = try context.existingObject(with: id).value(forKey: key)
                #expect(read as AnyObject as? NSObject == value, "\(uri) \(key)")
            }
        }
    }
}

/// A folder that goes with the test.
private final class TestFolder {
    let url = FileManager.default.temporaryDirectory.appending(path: "StoreTools-\(UUID().uuidString)")

    init() throws { try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true) }

    deinit { try? FileManager.default.removeItem(at: url) }

    static func child(_ name: String, of folder: TestFolder) throws -> URL {
        let url = folder.url.appending(path: name)
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
        return url
    }
}
