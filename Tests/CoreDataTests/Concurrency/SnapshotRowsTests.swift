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

    /// Of rows of numbers, null is not zero; a row of more than 64 slots keeps that in two words, and one of
    /// more than 93 is not collected.
    @Test("Objects and snapshots of rows of numbers have the values that were set", arguments: [1, 70, 120])
    func rowsOfNumbers(count: Int) throws {
        let number = NSEntityDescription(
            "Number", attribute("real", .double), attribute("isSet", .boolean), attribute("date", .date))
        for index in 0..<count { number.add(attribute("small\(index)", .integer16)) }
        number.relate("owner", to: number)
        let last = "small\(count - 1)"
        let folder = try StoreFolder()
        let coordinator = try folder.open(NSManagedObjectModel(of: number))
        func values(_ index: Int) -> [String: Any] {
            var values: [String: Any] = [:]
            if index % 3 != 0 { values["real"] = Double(index % 2) }
            if index % 3 != 1 { values["isSet"] = index % 2 == 1 }
            if index % 3 != 2 { values["date"] = Date(timeIntervalSinceReferenceDate: Double(index % 2)) }
            if index % 5 != 0 { values[last] = Int16(index % 4) - 2 }
            return values
        }
        try coordinator.inContext { context in
            var former: NSManagedObject?
            for index in 0..<300 {
                let object = try context.insert("Number", values(index))
                if index % 2 == 1 { object.setValue(former, forKey: "owner") }
                former = object
            }
            try context.save()
        }
        try coordinator.inContext { context throws in
            let request = NSFetchRequest<NSManagedObject>(entityName: "Number")
            let objects = try context.fetch(request)
            let snapshots = try context.fetchSnapshots(request)
            #expect(objects.count == 300 && snapshots.count == 300)
            for (index, (object, snapshot)) in zip(objects, snapshots).enumerated() {
                let set = values(index)
                #expect(object.value(forKey: "real") as? Double == set["real"] as? Double)
                #expect(object.value(forKey: "isSet") as? Bool == set["isSet"] as? Bool)
                #expect(object.value(forKey: "date") as? Date == set["date"] as? Date)
                #expect(object.value(forKey: last) as? Int16 == set[last] as? Int16)
                #expect(snapshot["real", as: Double.self] == set["real"] as? Double)
                #expect(snapshot["isSet", as: Bool.self] == set["isSet"] as? Bool)
                #expect(snapshot["date", as: Date.self] == set["date"] as? Date)
                #expect(snapshot[last, as: Int16.self] == set[last] as? Int16)
                // Accessors of types that are not optional read null as zero.
                #expect(object[ManagedKey<Double>("real")] == set["real"] as? Double ?? 0)
                #expect(object[ManagedKey<Int16>(last)] == set[last] as? Int16 ?? 0)
                let owner = object.value(forKey: "owner") as? NSManagedObject
                #expect(owner?.objectID == (index % 2 == 1 ? objects[index - 1].objectID : nil))
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
