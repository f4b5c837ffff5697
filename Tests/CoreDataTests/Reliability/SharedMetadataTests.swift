import CoreData
import Foundation
import Testing

/// Metadata that several set at the same time.
@Suite struct SharedMetadataTests {
    private static let model = NSManagedObjectModel(
        of: NSEntityDescription("Item", attribute("name", .string)))

    private let folder: StoreFolder

    init() throws { folder = try StoreFolder() }

    private func metadata() throws -> [String: Any] {
        try NSPersistentStoreCoordinator.metadataForPersistentStore(type: .sqlite, at: folder.file)
    }

    @Test("Metadata set or removed by another coordinator is kept by a save")
    func severalCoordinators() throws {
        let first = try folder.open(Self.model)
        first.persistentStores[0].metadata["old"] = 1
        first.persistentStores[0].metadata["kept"] = 1
        try first.inContext { try $0.save() }
        let second = try folder.open(Self.model)
        second.persistentStores[0].metadata["second"] = "b"
        second.persistentStores[0].metadata["old"] = nil
        try second.inContext { try $0.save() }
        first.persistentStores[0].metadata["first"] = "a"
        try first.inContext { try $0.save() }
        let found = try metadata()
        #expect(found["first"] as? String == "a" && found["second"] as? String == "b")
        #expect(found["old"] == nil && found["kept"] as? Int == 1)
        // It knows then what there is.
        #expect(first.persistentStores[0].metadata["second"] as? String == "b")
        first.persistentStores[0].metadata["second"] = nil
        try first.inContext { try $0.save() }
        #expect(try metadata()["second"] == nil)
        #expect(try metadata()["first"] as? String == "a")
    }

    @Test("Threads that set different metadata keys lose none")
    func manyThreads() throws {
        let coordinator = try folder.open(Self.model)
        let file = folder.file
        let done = DispatchSemaphore(value: 0)
        for thread in 0..<4 {
            Thread {
                do {
                    let coordinator = NSPersistentStoreCoordinator(managedObjectModel: Self.model)
                    let own = try coordinator.addPersistentStore(type: .sqlite, at: file)
                    for round in 0..<10 {
                        own.metadata["\(thread).\(round)"] = round
                        let context = NSManagedObjectContext(.privateQueue)
                        context.persistentStoreCoordinator = coordinator
                        try context.performAndWait { try context.save() }
                    }
                } catch {
                    Issue.record(error)
                }
                done.signal()
            }.start()
        }
        for _ in 0..<4 { done.wait() }
        let found = try metadata()
        for thread in 0..<4 {
            for round in 0..<10 { #expect(found["\(thread).\(round)"] as? Int == round) }
        }
        withExtendedLifetime(coordinator) {}
    }

    @Test("Metadata read before a migration does not restore the old model")
    func migration() throws {
        try folder.make(Self.model)
        var old = try metadata()
        let newer = NSManagedObjectModel(
            of: NSEntityDescription("Item", attribute("name", .string), attribute("title", .string)))
        try folder.open(
            newer,
            [
                NSMigratePersistentStoresAutomaticallyOption: true,
                NSInferMappingModelAutomaticallyOption: true,
            ]
        ).close()
        old["Author"] = "Jane"
        try NSPersistentStoreCoordinator.setMetadata(old, type: .sqlite, at: folder.file)
        #expect(try metadata()["Author"] as? String == "Jane")
        #expect(newer.isConfiguration(withName: nil, compatibleWithStoreMetadata: try metadata()))
        try folder.open(newer).close()
    }

    @Test("Metadata read before a replacement does not restore the old identifier")
    func replacement() throws {
        try folder.make(Self.model)
        let old = try metadata()
        let other = try StoreFolder()
        try other.make(Self.model)
        try NSPersistentStoreCoordinator(managedObjectModel: Self.model).replacePersistentStore(
            at: folder.file, withPersistentStoreFrom: other.file, type: .sqlite)
        let identifier = try metadata()[NSStoreUUIDKey] as? String
        #expect(identifier != old[NSStoreUUIDKey] as? String)
        try NSPersistentStoreCoordinator.setMetadata(old, type: .sqlite, at: folder.file)
        #expect(try metadata()[NSStoreUUIDKey] as? String == identifier)
    }
}
