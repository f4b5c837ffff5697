import CoreData
import Foundation
import Testing

/// A disk with little room, which only root can make.
private final class SmallDisk {
    let folder: URL

    init() throws {
        folder = FileManager.default.temporaryDirectory.appendingPathComponent("Disk-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        guard Self.run("mount", "-t", "tmpfs", "-o", "size=4m", "tmpfs", folder.path) else {
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
}
