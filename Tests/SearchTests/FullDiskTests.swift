import CoreData
import Foundation
import Testing

/// A disk with little room, which only root can make.
private final class SmallDisk {
    let folder: URL

    /// - Parameter size: in megabytes.
    init(size: Int = 4) throws {
        folder = FileManager.default.temporaryDirectory.appendingPathComponent("Disk-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        guard Self.run("mount", "-t", "tmpfs", "-o", "size=\(size)m", "tmpfs", folder.path) else {
            try FileManager.default.removeItem(at: folder)
            throw CocoaError(.fileWriteNoPermission)
        }
    }

    deinit {
        _ = Self.run("umount", "-l", folder.path)
        try? FileManager.default.removeItem(at: folder)
    }

    static let canBeMade = (try? SmallDisk()) != nil

    private static func run(_ arguments: String...) -> Bool {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = arguments
        process.standardError = FileHandle.nullDevice
        guard (try? process.run()) != nil else { return false }
        process.waitUntilExit()
        return process.terminationStatus == 0
    }

    /// Leaves so many bytes.
    func fill(leaving count: Int) throws {
        let values = try FileManager.default.attributesOfFileSystem(forPath: folder.path)
        let free = try #require((values[.systemFreeSize] as? NSNumber)?.intValue)
        try Data(count: max(0, free - count)).write(to: folder.appendingPathComponent("filler"))
    }

    func makeRoom() throws { try FileManager.default.removeItem(at: folder.appendingPathComponent("filler")) }
}

@Suite(.enabled(if: SmallDisk.canBeMade, "Only root can make a small disk."))
struct FullDiskTests {
    @Test(
        "On a full disk saves succeed and a search is an error; with room the index catches up")
    func fullDisk() throws {
        let disk = try SmallDisk()
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: SearchModel.model())
        try coordinator.addPersistentStore(
            type: .sqlite, at: disk.folder.appendingPathComponent("Store.db"),
            options: [NSPersistentHistoryTrackingKey: true])
        defer { for store in coordinator.persistentStores { try? coordinator.remove(store) } }
        let context = NSManagedObjectContext(.privateQueue)
        context.persistentStoreCoordinator = coordinator
        try context.run { context throws in
            context.add(["title": "war"])
            try context.save()
            #expect(try context.titles("war").count == 1)
            try disk.fill(leaving: 450_000)
            context.add([
                "title": "peace", "abstract": (0..<25_000).map { "w\($0 * 7)" }.joined(separator: " "),
            ])
            try context.save()
            #expect(throws: NSError.self) { try context.titles("peace") }
            context.add(["title": "peace II"])
            try context.save()
            try disk.makeRoom()
            #expect(try context.titles("peace") == ["peace", "peace II"])
            #expect(try context.titles("w70 war") == [])
            #expect(try context.titles("w70") == ["peace"])
        }
    }

    /// A store on a small disk with an index of the trigrams of one title.
    private func indexed(on disk: SmallDisk) async throws -> SearchStack {
        let stack = try SearchStack(.file, SubstringModel.model(), in: disk.folder)
        try stack.add(["warden"])
        try await stack.coordinator.updateSearchIndexes()
        #expect(try stack.candidateCount("title CONTAINS 'ward'") == 1)
        return stack
    }

    /// Saves titles that need several times as much room in the index as is left on the disk.
    ///
    /// - Returns: how many.
    private func addLongTitles(to stack: SearchStack, on disk: SmallDisk) throws -> Int {
        let letters = Array("abcdefghijklmnopqrstuvwxyz0123456789")
        var random = RandomTexts(seed: 7)
        let titles = (0..<40).map { _ in
            "reward " + String((0..<15_000).map { _ in letters[random.number(below: letters.count)] })
        }
        // The store and its log have room for them, the index has not.
        try disk.fill(leaving: 1_200_000)
        try stack.add(titles)
        return titles.count
    }

    @Test(
        "On a full disk saves succeed, fetches by parts of strings are exact without the index, and with room it catches up"
    )
    func trigrams() async throws {
        let disk = try SmallDisk(size: 24)
        let stack = try await indexed(on: disk)
        let count = try addLongTitles(to: stack, on: disk)
        let all = Array(1...(count + 1))
        #expect(try stack.numbers("title CONTAINS 'ward'") == all)
        for _ in 0..<2 {
            await #expect(throws: NSError.self) { try await stack.coordinator.updateSearchIndexes() }
            #expect(try stack.numbers("title CONTAINS 'ward'") == all)
            #expect(try stack.numbers("title LIKE[cd] '*WARDEN*'") == [1])
        }
        try stack.add(["toward"])
        #expect(try stack.numbers("title CONTAINS[cd] 'WARD'") == all + [count + 2])
        try disk.makeRoom()
        try await stack.coordinator.updateSearchIndexes()
        #expect(try stack.candidateCount("title CONTAINS 'ward'") == count + 2)
        #expect(try stack.numbers("title CONTAINS[cd] 'WARD'") == all + [count + 2])
        withExtendedLifetime(disk) {}
    }

    /// Waits until an indexing has removed what it had written before the disk was full: the log is empty then, or the index gone.
    private func waitForShortage(of stack: SearchStack) async throws {
        for _ in 0..<60_000 {
            let log = try? FileManager.default.attributesOfItem(atPath: stack.trigrams.path + "-wal")
            if (log?[.size] as? NSNumber)?.intValue ?? 0 == 0 { return }
            try await Task.sleep(for: .milliseconds(10))
        }
        Issue.record("The indexing has not met the full disk in ten minutes.")
    }

    @Test(
        "Indexing trigrams in the background goes on by itself after the disk was full",
        .timeLimit(.minutes(40)))
    func trigramsInTheBackground() async throws {
        let disk = try SmallDisk(size: 24)
        let stack = try await indexed(on: disk)
        try stack.coordinator.startSearchIndexing()
        defer { stack.coordinator.stopSearchIndexing() }
        let count = try addLongTitles(to: stack, on: disk)
        try await waitForShortage(of: stack)
        // The next attempt is made after some seconds, whatever is saved.
        try stack.add(["toward"])
        #expect(try stack.numbers("title CONTAINS 'ward'") == Array(1...(count + 2)))
        try disk.makeRoom()
        try await stack.eventually("title CONTAINS 'ward'", count + 2)
        #expect(try stack.numbers("title CONTAINS 'ward'") == Array(1...(count + 2)))
        withExtendedLifetime(disk) {}
    }
}
