import CoreData
import Foundation
import Testing

/// Snapshots of many rows, which share memory.
@Suite struct SnapshotRowsTests {
    let folder: StoreFolder
    let coordinator: NSPersistentStoreCoordinator

    private static let keys = ["title", "size", "rating", "isRead", "made", "uuid", "price", "cover", "site"]
    private static let title = ManagedKey<String?>("title")
    private static let size = ManagedKey<Int64>("size")
    private static let rating = ManagedKey<Double>("rating")
    private static let made = ManagedKey<Date?>("made")

    init() throws {
        folder = try StoreFolder()
        let note = NSEntityDescription(
            "Note", attribute("title", .string), attribute("size", .integer64), attribute("rating", .double),
            attribute("isRead", .boolean), attribute("made", .date), attribute("uuid", .uuid),
            attribute("price", .decimal), attribute("cover", .binaryData), attribute("site", .uri))
        coordinator = try folder.open(NSManagedObjectModel(of: note))
    }

    /// Notes of which each third value is missing.
    private func fill(_ count: Int, _ context: NSManagedObjectContext) throws {
        for index in 0..<count {
            let values: [String: Any] = [
                "title": String(repeating: "ä", count: index % 70), "size": Int64(index) - 100,
                "rating": Double(index) / 4, "isRead": index % 2 == 0,
                "made": Date(timeIntervalSinceReferenceDate: Double(index)), "uuid": UUID(),
                "price": NSDecimalNumber(value: index), "cover": Data(repeating: 7, count: index * 3 % 4000),
                "site": URL(string: "https://example.org/\(index)") as Any,
            ]
            let given = Self.keys.enumerated().filter { ($0.offset + index) % 3 != 0 }.map(\.element)
            try context.insert("Note", values.filter { given.contains($0.key) })
        }
        try context.save()
    }

    @Test("Snapshots of many rows have the values of their objects", arguments: [1, 63, 64, 65, 300])
    func manyRows(count: Int) throws {
        let context = coordinator.context()
        try context.performAndWait {
            try fill(count, context)
            let request = NSFetchRequest<NSManagedObject>(entityName: "Note")
            for keys in [nil, ["title", "made"], ["size"], ["isRead", "price", "uuid"]] as [[String]?] {
                for descriptors in [nil, [NSSortDescriptor(key: "size", ascending: false)]] {
                    request.sortDescriptors = descriptors
                    let expected = try context.fetch(request).map { try $0.snapshot(of: keys) }
                    let found = try context.fetchSnapshots(request, of: keys)
                    #expect(found == expected && found.count == count)
                    #expect(found.map(\.objectID) == expected.map(\.objectID))
                }
            }
        }
    }

    @Test("A snapshot of a row is read by keys as by names, and outlives the others")
    func oneOfMany() throws {
        let context = coordinator.context()
        try context.performAndWait {
            try fill(200, context)
            let request = NSFetchRequest<NSManagedObject>(entityName: "Note")
            let kept = try context.fetchSnapshots(request).enumerated().filter { $0.offset % 50 == 7 }
            for (_, snapshot) in kept {
                #expect(snapshot[Self.title] == snapshot["title", as: String.self])
                #expect(snapshot[Self.size] == snapshot["size", as: Int64.self] ?? 0)
                #expect(snapshot[Self.rating] == snapshot["rating", as: Double.self] ?? 0)
                #expect(snapshot[Self.made] == snapshot["made", as: Date.self])
                // A key of another type reads no value.
                #expect(snapshot[ManagedKey<Int64>("title")] == 0)
            }
        }
    }
}
