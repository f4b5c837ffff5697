import Foundation
import Testing

import CoreData
@testable import CoreDataSQLite

/// Stores that another process replaces or changes between the check of the file and its opening for writing.
@Suite struct ReplacedStoreTests {
    private static let model = NSManagedObjectModel(
        of: NSEntityDescription("Item", attribute("name", .string)))
    private static let other = NSManagedObjectModel(
        of: NSEntityDescription("Card", attribute("title", .string)),
        NSEntityDescription("Item", attribute("number", .integer64)))

    private let folder: StoreFolder
    private let replacement: StoreFolder

    init() throws {
        folder = try StoreFolder()
        replacement = try StoreFolder()
        try folder.make(Self.model)
    }

    /// Opens the store, and does something once after it was checked.
    private func open(
        _ options: [AnyHashable: Any]? = nil, meanwhile: @escaping @Sendable () throws -> Void
    ) throws -> NSPersistentStoreCoordinator {
        final class Once: @unchecked Sendable { var isDone = false }
        let once = Once()
        return try SQLiteStoreOpening.$afterCheck.withValue({
            guard !once.isDone else { return }
            once.isDone = true
            do { try meanwhile() } catch { Issue.record(error) }
        }) { try folder.open(Self.model, options) }
    }

    @Test(
        "A store of another model that replaced the file is refused and unchanged",
        arguments: ["WAL", "DELETE"])
    func anotherModel(_ mode: String) throws {
        try replacement.make(Self.other)
        let bytes = try Data(contentsOf: replacement.file)
        let refusal = try error {
            _ = try open([NSSQLitePragmasOption: ["journal_mode": mode]]) { [folder, replacement] in
                guard rename(replacement.file.path, folder.file.path) == 0 else {
                    throw CocoaError(.fileWriteUnknown)
                }
            }
        }
        #expect(refusal.code == 134100)
        #expect(try Data(contentsOf: folder.file) == bytes)
    }

    @Test("A file that another process migrated is refused")
    func migrated() throws {
        let refusal = try error {
            _ = try open { [folder] in
                try NSPersistentStoreCoordinator(managedObjectModel: Self.other).addPersistentStore(
                    type: .sqlite, at: folder.file,
                    options: [
                        NSMigratePersistentStoresAutomaticallyOption: true,
                        NSInferMappingModelAutomaticallyOption: true,
                    ]
                )
            }
        }
        #expect(refusal.code == 134100)
    }

    @Test("A store of the same model that replaced the file is opened")
    func sameModel() throws {
        let first = try replacement.open(Self.model)
        try first.inContext { context in
            try context.insert("Item", ["name": "newer"])
            try context.save()
        }
        let identifier = first.persistentStores[0].identifier
        try first.close()
        let coordinator = try open { [folder, replacement] in
            guard rename(replacement.file.path, folder.file.path) == 0 else {
                throw CocoaError(.fileWriteUnknown)
            }
        }
        #expect(coordinator.persistentStores[0].identifier == identifier)
        let names = try coordinator.inContext { context in
            try context.insert("Item", ["name": "last"])
            try context.save()
            return try context.all("Item", by: "name").map { $0.value(forKey: "name") as? String }
        }
        #expect(names == ["last", "newer"])
    }

    @Test("A table removed by another process is found")
    func changedSchema() throws {
        let refusal = try error {
            _ = try open { [folder] in try folder.execute("DROP TABLE ZITEM") }
        }
        #expect(refusal.code == 134020)
    }
}
