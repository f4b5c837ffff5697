import CoreData
import GRDB
import Testing

/// Values of a stranger's file that are larger than what is made of them.
@Suite struct ValueBoundTests {
    private let folder: StoreFolder
    private static let model = NSManagedObjectModel(
        of: NSEntityDescription("Item", attribute("name", .string)))

    init() throws { folder = try StoreFolder() }

    private func groups(limit: Int = 10) throws -> [FetchInspection.Group] {
        let coordinator = try folder.open(Self.model, [NSReadOnlyPersistentStoreOption: true])
        defer { try? coordinator.close() }
        return try coordinator.inContext { context in
            let request = NSFetchRequest<NSManagedObject>(entityName: "Item")
            return try FetchInspection(request, in: context).groups(
                by: "name", unit: nil, limit: limit, FetchCancellation()
            ).groups
        }
    }

    private func fill(_ values: [any DatabaseValueConvertible]) throws {
        try folder.make(Self.model)
        for (index, value) in values.enumerated() {
            try folder.execute(
                "INSERT INTO ZITEM (Z_PK, Z_ENT, Z_OPT, ZNAME) VALUES (?, 1, 1, ?)", [index + 1, value])
        }
    }

    @Test("Groups show the beginning of a long value and compare all of it")
    func longGroups() throws {
        let bytes = Data(repeating: 0xAB, count: 100_000)
        let text = String(repeating: "ö", count: 50_000)
        try fill([bytes, bytes, bytes, bytes + [1], bytes + [1], text, "short", Data([0x0F, 0xA0])])
        let groups = try groups()
        #expect(groups.map(\.count) == [3, 2, 1, 1, 1])
        let long = String(repeating: "ab", count: FetchInspection.shownLength / 2)
        #expect(groups.prefix(2).map(\.value) == [long, long])
        #expect(
            Set(groups.dropFirst(2).map(\.value)) == [
                "short", "0fa0", String(repeating: "ö", count: FetchInspection.shownLength),
            ])
    }

    @Test("Integers, doubles and NULL form groups of their own")
    func shortGroups() throws {
        try fill([1, 1, 2.5, DatabaseValue.null])
        #expect(try groups().map(\.value) == ["1", nil, "2.5"])
    }

    @Test("A copy of the model that is too long is not read")
    func longModelCache() throws {
        try folder.make(Self.model)
        let length = (64 << 20) + 1
        try folder.execute("UPDATE Z_MODELCACHE SET Z_CONTENT = zeroblob(?)", [length])
        let refusal = try error {
            _ = try NSPersistentStoreCoordinator.cachedModelForPersistentStore(
                ofType: NSSQLiteStoreType, at: folder.file)
        }
        #expect(refusal.code == 134080)
        #expect(refusal.localizedDescription.contains("it has \(length) bytes"))
        try folder.execute("UPDATE Z_MODELCACHE SET Z_CONTENT = 'text'")
        let other = try error {
            _ = try NSPersistentStoreCoordinator.cachedModelForPersistentStore(
                ofType: NSSQLiteStoreType, at: folder.file)
        }
        #expect(other.code == 134080 && other.localizedDescription.contains("it is not data"))
    }

    @Test("Metadata with too many objects is refused")
    func manyMetadata() throws {
        try folder.make(Self.model)
        // A million objects that nothing refers to, in four megabytes.
        let count = (1 << 20) + 1
        var list = Data("bplist00".utf8) + [0xD0] + Data(repeating: 0x09, count: count)
        let table = list.count
        for offset in 8..<8 + UInt32(count) + 1 {
            withUnsafeBytes(of: offset.bigEndian) { list.append(contentsOf: $0) }
        }
        list += Data([0, 0, 0, 0, 0, 0, 4, 4])
        for number in [UInt64(count) + 1, 0, UInt64(table)] {
            withUnsafeBytes(of: number.bigEndian) { list.append(contentsOf: $0) }
        }
        try folder.execute("UPDATE Z_METADATA SET Z_PLIST = ?", [list])
        let refusal = try error {
            _ = try NSPersistentStoreCoordinator.metadataForPersistentStore(type: .sqlite, at: folder.file)
        }
        #expect(refusal.code == 134080)
        #expect(refusal.localizedDescription.contains("more than 1048576 objects"))
    }
}
