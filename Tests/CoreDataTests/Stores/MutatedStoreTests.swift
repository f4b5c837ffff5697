import CoreData
import GRDB
import TestSupport
import Testing

/// Stores with bytes flipped, cut off or grown without measure: an error that says so, or values; never the end of the
/// process, and no file changed by an attempt that failed.
@Suite struct MutatedStoreTests {
    private static let model: NSManagedObjectModel = {
        let owner = NSEntityDescription(
            "Owner", attribute("name", .string), derived("count", .integer64, "items.@count"))
        let item = NSEntityDescription(
            "Item", attribute("name", .string), attribute("number", .decimal), attribute("date", .date),
            attribute("bytes", .binaryData), attribute("uuid", .uuid), attribute("url", .uri))
        let special = NSEntityDescription("Special", attribute("note", .string))
        item.subentities = [special]
        pair(owner.relate("items", to: item, many: true, ordered: true), item.relate("owner", to: owner))
        pair(owner.relate("likes", to: item, many: true), item.relate("likedBy", to: owner, many: true))
        return NSManagedObjectModel(of: owner, item, special)
    }()

    /// A closed store with rows in all tables.
    private static let original: Data = {
        guard let folder = try? StoreFolder(), let coordinator = try? folder.open(model) else {
            return Data()
        }
        try? coordinator.inContext { context in
            for index in 0..<5 {
                let owner = try context.insert("Owner", ["name": "owner \(index)"])
                for number in 0..<8 {
                    let item = try context.insert(
                        number == 0 ? "Special" : "Item",
                        [
                            "name": String(repeating: "n", count: 20 * number), "uuid": UUID(),
                            "date": Date(),
                            "number": NSDecimalNumber(value: number), "owner": owner,
                            "bytes": Data(repeating: UInt8(number), count: 100 * number),
                        ])
                    owner.mutableSetValue(forKey: "likes").add(item)
                }
            }
            try context.save()
        }
        try? coordinator.close()
        return (try? Data(contentsOf: folder.file)) ?? Data()
    }()

    /// Opens the store, reads every value, follows every relationship and saves a change.
    ///
    /// - Returns: whether it opened.
    private func use(_ folder: StoreFolder) throws -> Bool {
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: Self.model)
        do {
            try coordinator.addPersistentStore(type: .sqlite, at: folder.file)
        } catch {
            try #require((error as NSError).domain == NSCocoaErrorDomain, "\(error)")
            try #require(!(error as NSError).localizedDescription.isEmpty)
            return false
        }
        try coordinator.inContext { context in
            for name in ["Owner", "Item"] {
                do {
                    for object in try context.all(name) {
                        for key in object.entity.attributesByName.keys { _ = object.value(forKey: key) }
                        for (key, relationship) in object.entity.relationshipsByName {
                            if relationship.isOrdered {
                                _ = (object.value(forKey: key) as? NSOrderedSet)?.count
                            } else if relationship.isToMany {
                                _ = (object.value(forKey: key) as? NSSet)?.count
                            } else {
                                _ = (object.value(forKey: key) as? NSManagedObject)?.value(forKey: "name")
                            }
                        }
                        object.setValue("changed", forKey: "name")
                    }
                    try context.insert(name, ["name": "new"])
                    try context.save()
                } catch {
                    try #require((error as NSError).domain == NSCocoaErrorDomain, "\(error)")
                    context.rollback()
                }
            }
        }
        try coordinator.close()
        return true
    }

    private func check(_ bytes: Data, _ folder: StoreFolder) throws -> Bool {
        for name in try folder.names {
            try FileManager.default.removeItem(at: folder.url.appendingPathComponent(name))
        }
        try bytes.write(to: folder.file)
        let isOpened = try use(folder)
        if !isOpened {
            try #require(try folder.names == ["Store.sqlite"])
            try #require(try Data(contentsOf: folder.file) == bytes)
        }
        return isOpened
    }

    @Test("A store with flipped bytes gives an error or values", arguments: 0..<4)
    func flippedBytes(_ part: Int) throws {
        var numbers = Fuzzing.numbers(seed: UInt64(part) + 4711)
        let folder = try StoreFolder()
        var opened = 0
        let rounds = Fuzzing.rounds(100, long: 250)
        for _ in 0..<rounds {
            var bytes = Self.original
            // Most of a page is empty: bytes that mean nothing are not interesting.
            var position = Int.random(in: 0..<bytes.count, using: &numbers)
            for _ in 0..<20 where bytes[position] == 0 {
                position = Int.random(in: 0..<bytes.count, using: &numbers)
            }
            bytes[position] ^= UInt8.random(in: 1...255, using: &numbers)
            if try check(bytes, folder) { opened += 1 }
        }
        #expect(opened > 0 && opened < rounds)
    }

    @Test("A store with overwritten pages gives an error or values")
    func overwrittenPages() throws {
        var numbers = Fuzzing.numbers(seed: 42)
        let folder = try StoreFolder()
        for page in 0..<(Self.original.count / 4096) {
            for _ in 0..<Fuzzing.rounds(2) {
                var bytes = Self.original
                let other = Int.random(in: 0..<(bytes.count / 4096), using: &numbers)
                bytes.replaceSubrange(
                    page * 4096..<page * 4096 + 4096, with: bytes[other * 4096..<other * 4096 + 4096])
                _ = try check(bytes, folder)
                let noise = (0..<4096).map { _ in UInt8.random(in: 0...255, using: &numbers) }
                bytes.replaceSubrange(page * 4096..<page * 4096 + 4096, with: noise)
                _ = try check(bytes, folder)
            }
        }
    }

    @Test("A truncated store is refused")
    func truncatedFiles() throws {
        let folder = try StoreFolder()
        for length in stride(from: 1, to: Self.original.count - 4096, by: 1777) {
            #expect(try !check(Self.original.prefix(length), folder), "\(length)")
        }
    }

    @Test("A store with a damaged log gives an error or values")
    func damagedLog() throws {
        let origin = try StoreFolder()
        try Self.original.write(to: origin.file)
        let coordinator = try origin.open(Self.model)
        try coordinator.inContext { context in
            try context.insert("Owner", ["name": "in the log"])
            try context.save()
        }
        let log = try Data(contentsOf: URL(fileURLWithPath: origin.file.path + "-wal"))
        try coordinator.close()
        var numbers = Fuzzing.numbers(seed: 7)
        for _ in 0..<Fuzzing.rounds(40) {
            let folder = try StoreFolder()
            try Self.original.write(to: folder.file)
            var bytes = log
            bytes[Int.random(in: 0..<bytes.count, using: &numbers)] ^= UInt8.random(
                in: 1...255, using: &numbers)
            try bytes.write(to: URL(fileURLWithPath: folder.file.path + "-wal"))
            _ = try use(folder)
        }
    }

    // MARK: Size

    /// The memory that the process uses, in bytes.
    private func residentSize() throws -> Int {
        let text = try String(contentsOfFile: "/proc/self/statm", encoding: .utf8)
        return (Int(text.split(separator: " ")[1]) ?? 0) * Int(getpagesize())
    }

    @Test(
        "A file padded with ten gigabytes of zeros takes bounded memory",
        .enabled(if: FileManager.default.fileExists(atPath: "/proc/self/statm")),
        arguments: [Data(), Data("SQLite format 3\0".utf8), MutatedStoreTests.original])
    func sparseTenGigabytes(_ start: Data) throws {
        let folder = try StoreFolder()
        try start.write(to: folder.file)
        let before = try residentSize()
        for claims in [false, true] {
            if claims, start.count > 100 {
                // The header says that all of it belongs to the database.
                let handle = try FileHandle(forWritingTo: folder.file)
                try handle.seek(toOffset: 28)
                try handle.write(contentsOf: Data([0, 0x28, 0, 0]))
                try handle.close()
            }
            try #require(truncate(folder.file.path, 10 << 30) == 0)
            let isStore = start.count > 100
            let coordinator = NSPersistentStoreCoordinator(managedObjectModel: Self.model)
            let options = [NSReadOnlyPersistentStoreOption: true]
            if isStore {
                try coordinator.addPersistentStore(type: .sqlite, at: folder.file, options: options)
                #expect(try coordinator.inContext { try $0.all("Item").count } == 40)
                try coordinator.close()
            } else {
                let refusal = try error {
                    try coordinator.addPersistentStore(type: .sqlite, at: folder.file, options: options)
                }
                #expect(refusal.code == NSFileReadCorruptFileError)
                let looking = try error {
                    _ = try NSPersistentStoreCoordinator.metadataForPersistentStore(
                        type: .sqlite, at: folder.file)
                }
                #expect(looking.code == NSFileReadCorruptFileError)
            }
            // Tests that run beside this one need memory too, but not as much as the file claims to hold.
            #expect(try residentSize() - before < 5 << 30)
            let size = try FileManager.default.attributesOfItem(atPath: folder.file.path)[.size] as? NSNumber
            #expect(size?.int64Value == 10 << 30)
        }
    }
}
