import CoreData
import Foundation
import Testing

/// What a file is to others than its owner.
private struct Rights: Equatable, CustomStringConvertible {
    let mode: mode_t
    let user: uid_t
    let group: gid_t

    init(_ path: String) throws {
        var status = stat()
        try #require(stat(path, &status) == 0, "\(path)")
        mode = status.st_mode & 0o7777
        user = status.st_uid
        group = status.st_gid
    }

    var description: String { "\(String(mode, radix: 8)) \(user):\(group)" }
}

private let isRoot = geteuid() == 0

/// Who may read the files of an index: they have the words of the store.
struct IndexOwnerTests {
    /// Expects that both indexes and their logs are there with the rights of the store.
    private func expectRights(of stack: SearchStack, at location: SourceLocation = #_sourceLocation) throws {
        let rights = try Rights(stack.store.path)
        for file in stack.indexFiles {
            #expect(try Rights(file) == rights, "\(file)", sourceLocation: location)
        }
    }

    @Test(
        "Both indexes and their logs have the store's mode", arguments: [0o600, 0o640, 0o660, 0o644, 0o666])
    func mode(_ mode: Int) async throws {
        let stack = try await SearchStack.withBothIndexes("warden", isIndexed: false)
        try #require(chmod(stack.store.path, mode_t(mode)) == 0)
        try await stack.coordinator.updateSearchIndexes()
        try expectRights(of: stack)
        try stack.context.expect("warden", ["warden"], usesIndex: true)
    }

    @Test(
        "Both indexes and their logs have the store's owner and group",
        .enabled(if: isRoot, "Only root gives files to other users."), arguments: [0o600, 0o640])
    func owner(_ mode: Int) async throws {
        let stack = try await SearchStack.withBothIndexes("warden", isIndexed: false)
        try #require(chown(stack.store.path, 65_534, 65_533) == 0)
        try #require(chmod(stack.store.path, mode_t(mode)) == 0)
        try await stack.coordinator.updateSearchIndexes()
        #expect(try Rights(stack.index.path).user == 65_534)
        #expect(try Rights(stack.trigrams.path).group == 65_533)
        try expectRights(of: stack)
    }

    @Test("A store that others may read no more takes the right from its indexes when they are opened again")
    func laterMode() async throws {
        let stack = try await SearchStack.withBothIndexes("warden")
        try #require(chmod(stack.store.path, 0o644) == 0)
        let first = try stack.other(SearchModel.withBothIndexes())
        try await first.persistentStoreCoordinator?.updateSearchIndexes()
        try expectRights(of: stack)
        try #require(chmod(stack.store.path, 0o600) == 0)
        if isRoot { try #require(chown(stack.store.path, 65_534, 65_533) == 0) }
        // The first programs have the files open still, with words in the logs.
        let second = try stack.other(SearchModel.withBothIndexes())
        try await second.persistentStoreCoordinator?.updateSearchIndexes()
        try expectRights(of: stack)
        try second.expect("warden", ["warden"], usesIndex: true)
        try first.expect("warden", ["warden"], usesIndex: true)
    }

    @Test("The indexes have the store's mode under any umask", arguments: [0o000, 0o027, 0o077])
    func creationMask(_ mask: Int) async {
        // The mask is that of a whole process.
        await #expect(processExitsWith: .success) { [mask = mask as Int] in
            umask(mode_t(mask))
            let stack = try await SearchStack.withBothIndexes("warden", isIndexed: false)
            for mode: mode_t in [0o600, 0o640, 0o664, 0o666] {
                try stack.coordinator.deleteSearchIndexes()
                try #require(chmod(stack.store.path, mode) == 0)
                try await stack.coordinator.updateSearchIndexes()
                for file in stack.indexFiles { try #require(try Rights(file).mode == mode, "\(file)") }
            }
        }
    }

    @Test(
        "A user who may only read the store searches it by a temporary index, and no file is made or changed",
        .enabled(if: isRoot, "Only root becomes another user."))
    func reader() async throws {
        let stack = try await SearchStack.withBothIndexes("warden", "peace")
        try stack.close()
        try #require(chmod(stack.folder.path, 0o755) == 0)
        for name in try FileManager.default.contentsOfDirectory(atPath: stack.folder.path) {
            try #require(chmod(stack.folder.path + "/" + name, 0o644) == 0)
        }
        let path = stack.folder.path
        await #expect(processExitsWith: .success) { [path = path as String] in
            try #require(setgroups(0, nil) == 0 && setgid(65_534) == 0 && setuid(65_534) == 0)
            func contents() throws -> [String: Data] {
                let names = try FileManager.default.contentsOfDirectory(atPath: path)
                return try Dictionary(
                    uniqueKeysWithValues: names.map { name in
                        (name, try Data(contentsOf: URL(fileURLWithPath: path + "/" + name)))
                    })
            }
            let before = try contents()
            let coordinator = NSPersistentStoreCoordinator(managedObjectModel: SearchModel.withBothIndexes())
            try coordinator.addPersistentStore(
                type: .sqlite, at: URL(fileURLWithPath: path + "/Store.db"),
                options: [NSPersistentHistoryTrackingKey: true, NSReadOnlyPersistentStoreOption: true])
            let context = NSManagedObjectContext(.privateQueue)
            context.persistentStoreCoordinator = coordinator
            try await coordinator.updateSearchIndexes()
            try context.run { context throws in
                try #require(try context.titles("warden") == ["warden"])
                try #require(try context.titles(containing: "arde") == ["warden"])
                let notes = try context.notes(NSPredicate(format: "title CONTAINS 'arde'"))
                try #require(notes.contains("only read"))
            }
            try #require(try contents() == before)
            for store in coordinator.persistentStores { try coordinator.remove(store) }
            try #require(try contents() == before)
        }
    }

    @Test(
        "The indexes that a member of the store's group makes serve the owner, and another member",
        .enabled(if: isRoot, "Only root becomes another user."))
    func members() async throws {
        let stack = try await SearchStack.withBothIndexes("warden", "peace", isIndexed: false)
        try stack.close()
        try #require(chown(stack.folder.path, 0, 65_533) == 0 && chmod(stack.folder.path, 0o770) == 0)
        try #require(chown(stack.store.path, 0, 65_533) == 0 && chmod(stack.store.path, 0o660) == 0)
        for user in [65_532, 65_534] {
            await #expect(processExitsWith: .success) {
                [path = stack.store.path as String, user = user as Int] in
                try #require(setgroups(0, nil) == 0 && setgid(65_533) == 0 && setuid(uid_t(user)) == 0)
                umask(0o077)
                let coordinator = NSPersistentStoreCoordinator(
                    managedObjectModel: SearchModel.withBothIndexes())
                try coordinator.addPersistentStore(
                    type: .sqlite, at: URL(fileURLWithPath: path),
                    options: [NSPersistentHistoryTrackingKey: true])
                let context = NSManagedObjectContext(.privateQueue)
                context.persistentStoreCoordinator = coordinator
                try context.save(["warden of \(user)"])
                try await coordinator.updateSearchIndexes()
                try context.run { context throws in
                    try #require(try context.titles("warden").contains("warden of \(user)"))
                    let notes = try context.notes(NSPredicate(format: "title CONTAINS 'arde'"))
                    try #require(notes.contains("leaves"), "\(notes)")
                }
                for suffix in ["-search", "-search-_trigrams"] {
                    let rights = try Rights(path + suffix)
                    try #require(rights.mode == 0o660 && rights.group == 65_533, "\(rights)")
                }
                for store in coordinator.persistentStores { try coordinator.remove(store) }
            }
        }
        let owner = try stack.other(SearchModel.withBothIndexes())
        try owner.expect("warden", ["warden", "warden of 65532", "warden of 65534"], usesIndex: true)
    }
}
