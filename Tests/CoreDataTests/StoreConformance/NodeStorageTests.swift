import CoreData
import Foundation
import Testing

/// Cache nodes of a class that keeps its values itself.
@Suite struct NodeStorageTests {
    /// Keeps values where the library does not see them.
    private final class Ledger: NSAtomicStoreCacheNode, @unchecked Sendable {
        var entries: [String: Any] = [:]

        override func value(forKey key: String) -> Any? { entries[key] }
        override func setValue(_ value: Any?, forKey key: String) { entries[key] = value }
    }

    /// A store of such nodes, which forgets everything when it is closed.
    private final class LedgerStore: NSAtomicStore, @unchecked Sendable {
        nonisolated(unsafe) var failure: NSError?

        override var type: String { "Ledger" }
        override func load() throws {}
        override func newReferenceObject(for managedObject: NSManagedObject) -> Any { UUID().uuidString }

        override func newCacheNode(for managedObject: NSManagedObject) -> NSAtomicStoreCacheNode {
            let node = Ledger(objectID: managedObject.objectID)
            updateCacheNode(node, from: managedObject)
            return node
        }

        override func save() throws {
            if let failure { throw failure }
        }

        /// What all nodes have, by their name.
        var entries: [String: [String: String]] {
            var found: [String: [String: String]] = [:]
            for node in cacheNodes().compactMap({ $0 as? Ledger }) {
                let texts = node.entries.mapValues { value in
                    let nodes = (value as? NSSet)?.allObjects ?? (value as? NSOrderedSet)?.array
                    let names = nodes?.compactMap { ($0 as? Ledger)?.entries["name"] as? String }
                    return names?.sorted().joined(separator: " ")
                        ?? ((value as? Ledger)?.entries["name"] as? String) ?? "\(value)"
                }
                found[(node.entries["name"] ?? node.entries["title"]) as? String ?? "?"] = texts
            }
            return found
        }
    }

    @Test("A failed save restores the values of custom cache nodes")
    func failedSaveRestoresNodes() throws {
        NSPersistentStoreCoordinator.registerStoreClass(LedgerStore.self, forStoreType: "Ledger")
        let folder = try StoreFolder()
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: ConformanceModel.make())
        let opened = try coordinator.addPersistentStore(
            type: NSPersistentStore.StoreType(rawValue: "Ledger"), at: folder.file)
        let store = try #require(opened as? LedgerStore)
        try coordinator.inContext { context in
            try ConformanceModel.fill(context)
            try context.save()
            let before = store.entries
            #expect(before.count == 9)
            #expect(before["Ada"]?["team"] == "Enigma" && before["Enigma"]?["members"] == "Ada Alan")

            store.failure = CocoaError(.fileWriteOutOfSpace) as NSError
            let ada = try context.person("Ada")
            ada.setValue(1, forKey: "age")
            ada.setValue(nil, forKey: "rating")
            ada.setValue(Date(timeIntervalSinceReferenceDate: 1), forKey: "joined")
            ada.setValue(nil, forKey: "team")
            context.delete(try context.person("Grace"))
            try context.insert("Team", ["name": "new"])
            #expect(try error { try context.save() }.code == NSFileWriteOutOfSpaceError)
            #expect(store.entries == before)
            #expect(context.hasChanges)

            store.failure = nil
            try context.save()
            #expect(store.entries["Ada"]?["age"] == "1" && store.entries["Ada"]?["joined"] != nil)
            #expect(store.entries["Ada"]?["rating"] == nil && store.entries["Ada"]?["team"] == nil)
            #expect(store.entries["Grace"] == nil && store.entries["new"] != nil)
            #expect(store.entries["Enigma"]?["members"] == "Alan")
        }
    }
}
