import CoreData
import Foundation
import Testing

/// What becomes of both indexes when a store is destroyed, replaced or migrated: what they have is never that of another store.
struct IndexFilesTests {
    private let model = SearchModel.withBothIndexes()

    /// The names of files of indexes, with their logs, that begin as the name of a store does.
    private func indexNames(_ stack: SearchStack) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: stack.folder.path).filter {
            $0.contains("-search")
        }
    }

    /// A store with both indexes, and another context that has it and them open.
    private func shared(_ titles: String...) async throws -> (
        stack: SearchStack, other: NSManagedObjectContext
    ) {
        let stack = try SearchStack(.file, model)
        try stack.context.save(titles)
        let other = try stack.other(model)
        for coordinator in [stack.coordinator, try #require(other.persistentStoreCoordinator)] {
            try await coordinator.updateSearchIndexes()
        }
        return (stack, other)
    }

    @Test(
        "Destroying a store removes both indexes and their logs, whether it is open or not",
        arguments: [true, false])
    func destruction(_ isOpen: Bool) async throws {
        let (stack, other) = try await shared("warden")
        try stack.context.expect("warden", ["warden"], usesIndex: true)
        try other.expect("warden", ["warden"], usesIndex: true)
        #expect(try !indexNames(stack).isEmpty)
        if !isOpen {
            try stack.close()
            for store in other.persistentStoreCoordinator?.persistentStores ?? [] {
                try other.persistentStoreCoordinator?.remove(store)
            }
        }
        try stack.coordinator.destroyPersistentStore(at: stack.store, type: .sqlite)
        #expect(try indexNames(stack) == [])
        #expect(other.persistentStoreCoordinator?.persistentStores.isEmpty ?? false)
        // Nor does another store in its place find what was there.
        let new = try stack.other(model)
        try new.expect("warden", [])
        try new.save(["peace"])
        try await new.persistentStoreCoordinator?.updateSearchIndexes()
        try new.expect("warden", [], usesIndex: true)
        try new.expect("peace", ["peace"], usesIndex: true)
    }

    @Test(
        "A store that was replaced finds what is in it now, and nothing of what was, whether it is open or not",
        arguments: [true, false])
    func replacement(_ isOpen: Bool) async throws {
        let (stack, other) = try await shared("warden", "reward")
        let source = try await SearchStack.withBothIndexes("peace")
        if !isOpen {
            try stack.close()
            for store in other.persistentStoreCoordinator?.persistentStores ?? [] {
                try other.persistentStoreCoordinator?.remove(store)
            }
        }
        let coordinator = isOpen ? stack.coordinator : source.coordinator
        try coordinator.replacePersistentStore(
            at: stack.store, withPersistentStoreFrom: source.store, type: .sqlite)
        #expect(try indexNames(stack) == [])
        for context in isOpen ? [stack.context, other] : [try stack.other(model)] {
            context.performAndWait { context.reset() }
            try context.expect("warden", [])
            try context.expect("peace", ["peace"])
            try await context.persistentStoreCoordinator?.updateSearchIndexes()
            try context.expect("warden", [], usesIndex: true)
            try context.expect("peace", ["peace"], usesIndex: true)
        }
        try source.context.expect("peace", ["peace"], usesIndex: true)
    }

    @Test("A store that was replaced by an older state of itself does not find what came later")
    func restoredBackup() async throws {
        let (stack, other) = try await shared("warden")
        let backup = stack.folder.appendingPathComponent("Backup.db")
        try stack.coordinator.replacePersistentStore(
            at: backup, withPersistentStoreFrom: stack.store, type: .sqlite)
        try stack.context.save(["reward"])
        try await stack.coordinator.updateSearchIndexes()
        try stack.context.expect("reward", ["reward"], usesIndex: true)
        try stack.coordinator.replacePersistentStore(
            at: stack.store, withPersistentStoreFrom: backup, type: .sqlite)
        for context in [stack.context, other] {
            context.performAndWait { context.reset() }
            try context.expect("reward", [])
            try context.expect("warden", ["warden"])
        }
        // This transaction has the number of the one that is gone.
        try stack.context.save(["toward"])
        for context in [stack.context, other] {
            try await context.persistentStoreCoordinator?.updateSearchIndexes()
            try context.expect("reward", [], usesIndex: true)
            try context.expect("toward", ["toward"], usesIndex: true)
        }
    }

    @Test("A backup that was copied by hand over a closed store finds nothing of what came later")
    func copiedBackup() async throws {
        let stack = try await SearchStack.withBothIndexes("warden")
        try stack.close()
        let backup = stack.folder.appendingPathComponent("Backup.db")
        try FileManager.default.copyItem(at: stack.store, to: backup)
        let later = try stack.other(model)
        try later.save(["reward"])
        try await later.persistentStoreCoordinator?.updateSearchIndexes()
        for store in later.persistentStoreCoordinator?.persistentStores ?? [] {
            try later.persistentStoreCoordinator?.remove(store)
        }
        // The indexes stay as they are, of a later state than the store.
        try FileManager.default.removeItem(at: stack.store)
        try FileManager.default.copyItem(at: backup, to: stack.store)
        let again = try stack.other(model)
        // This transaction has the number of the one that the indexes have come to.
        try again.save(["toward"])
        try again.expect("warden", ["warden"])
        try again.expect("reward", [])
        try again.expect("toward", ["toward"])
        try await again.persistentStoreCoordinator?.updateSearchIndexes()
        try again.expect("reward", [], usesIndex: true)
        try again.expect("toward", ["toward"], usesIndex: true)
    }

    @Test("What is indexed in the background goes on after the store was replaced", .timeLimit(.minutes(40)))
    func backgroundIndexing() async throws {
        let stack = try SearchStack(.file, model)
        try stack.context.save(["warden"])
        let source = try await SearchStack.withBothIndexes("peace")
        let indexings = try stack.coordinator.startSearchIndexing()
        while !indexings.allSatisfy(\.isFinished) { try await Task.sleep(for: .milliseconds(1)) }
        try stack.coordinator.replacePersistentStore(
            at: stack.store, withPersistentStoreFrom: source.store, type: .sqlite)
        stack.context.performAndWait { stack.context.reset() }
        try stack.context.save(["peaceful"])
        try await stack.eventually("title CONTAINS 'eac'", 2)
        try stack.context.expect("warden", [], usesIndex: true)
        try stack.context.expect("peaceful", ["peaceful"], usesIndex: true)
        stack.coordinator.stopSearchIndexing()
    }

    @Test(
        "A store that was migrated to another file has indexes of its own; those of the old file stay with it"
    )
    func migration() async throws {
        let stack = try await SearchStack.withBothIndexes("warden")
        try #require(chmod(stack.store.path, 0o640) == 0)
        let foreign = try await SearchStack.withBothIndexes("peace")
        try foreign.close()
        let url = stack.folder.appendingPathComponent("Other.db")
        // What another store has left where the indexes are to be.
        for suffix in ["-search", "-search-_trigrams"] {
            try FileManager.default.copyItem(
                atPath: foreign.store.path + suffix, toPath: url.path + suffix)
        }
        let store = try #require(stack.coordinator.persistentStores.first)
        _ = try stack.coordinator.migratePersistentStore(
            store, to: url, options: [NSPersistentHistoryTrackingKey: true], type: .sqlite)
        try stack.context.expect("warden", ["warden"])
        try stack.context.expect("peace", [])
        try stack.context.save(["reward"])
        try await stack.coordinator.updateSearchIndexes()
        try stack.context.expect("warden", ["warden"], usesIndex: true)
        try stack.context.expect("reward", ["reward"], usesIndex: true)
        try stack.context.expect("peace", [], usesIndex: true)
        for suffix in ["", "-search", "-search-_trigrams"] {
            let attributes = try FileManager.default.attributesOfItem(atPath: url.path + suffix)
            #expect(attributes[.posixPermissions] as? Int == 0o640, "\(suffix)")
        }
        let old = try stack.other(model)
        try old.expect("warden", ["warden"], usesIndex: true)
        try old.expect("reward", [], usesIndex: true)
    }

    @Test(
        "A store whose model gets another version finds its objects as before, by indexes that are built anew"
    )
    func otherVersion() async throws {
        let stack = try await SearchStack.withBothIndexes("warden")
        try stack.close()
        let version = SearchModel.withBothIndexes()
        let book = try #require(version.entitiesByName["Book"])
        book.properties.append(SearchModel.attribute("subtitle", .string))
        #expect(version.entityVersionHashesByName != model.entityVersionHashesByName)
        let context = try stack.other(
            version,
            options: [
                NSMigratePersistentStoresAutomaticallyOption: true,
                NSInferMappingModelAutomaticallyOption: true,
            ])
        try context.expect("warden", ["warden"])
        try await context.persistentStoreCoordinator?.updateSearchIndexes()
        try context.expect("warden", ["warden"], usesIndex: true)
        try context.run { context throws in
            context.add(["title": "peace", "subtitle": "untitled"])
            try context.save()
            #expect(try context.titles("untitled") == ["peace"])
        }
    }
}
