import CoreData
import GRDB
import Testing

/// Dates, data and identifiers.
@Suite struct DateAndBytesTests {
    private static let model = NSManagedObjectModel(
        of: NSEntityDescription(
            "Record", attribute("day", .date), attribute("bytes", .binaryData), attribute("identifier", .uuid)
        ))

    private let folder: StoreFolder

    init() throws { folder = try StoreFolder() }

    private func roundTrip(_ key: String, _ value: Any) throws -> (saved: Any?, read: Any?) {
        let coordinator = try folder.open(Self.model)
        let saved = try coordinator.inContext { context in
            let object = try context.insert("Record", [key: value])
            try context.save()
            return object.value(forKey: key)
        }
        try coordinator.close()
        return (saved, try folder.open(Self.model).inContext { try $0.only("Record").value(forKey: key) })
    }

    @Test(
        "A date is stored as seconds since 2001",
        arguments: [
            (0.0, "integer 0"), (700_000_000.5, "real 700000000.5"), (-0.25, "real -0.25"),
            (-978_307_200, "integer -978307200"), (1e-7, "real 1.0e-07"),
            (63_113_904_000, "integer 63113904000"),
        ])
    func datesAreSecondsSince2001(_ seconds: Double, _ stored: String) throws {
        let (saved, read) = try roundTrip("day", Date(timeIntervalSinceReferenceDate: seconds))
        #expect((saved as? Date)?.timeIntervalSinceReferenceDate == seconds)
        #expect((read as? Date)?.timeIntervalSinceReferenceDate == seconds)
        #expect(try folder.stored("ZDAY", in: "ZRECORD") == [stored])
    }

    @Test("A date of NaN seconds is stored as nil")
    func nanDateIsNil() throws {
        let (saved, read) = try roundTrip("day", Date(timeIntervalSinceReferenceDate: .nan))
        #expect(saved == nil)
        #expect(read == nil)
        #expect(try folder.stored("ZDAY", in: "ZRECORD") == ["null NULL"])
    }

    @Test(
        "Data is stored as a blob",
        arguments: [Data(), Data([0]), Data([0, 1, 255, 0]), Data(repeating: 7, count: 1 << 20)])
    func dataIsABlob(_ data: Data) throws {
        let (saved, read) = try roundTrip("bytes", data)
        #expect(saved as? Data == data)
        #expect(read as? Data == data)
        let row = try folder.rows("SELECT typeof(ZBYTES), length(ZBYTES) FROM ZRECORD")
        #expect(row == [["blob".databaseValue, data.count.databaseValue]])
        #expect(try folder.value("SELECT hex(ZBYTES) = ? FROM ZRECORD", [hex(data)]) == 1.databaseValue)
    }

    private func hex(_ data: Data) -> String { data.map { String(format: "%02X", $0) }.joined() }

    @Test("A slice of data is stored without the rest")
    func sliceOfData() throws {
        let (_, read) = try roundTrip("bytes", Data([1, 2, 3, 4, 5])[1...3])
        #expect(read as? Data == Data([2, 3, 4]))
    }

    @Test("A UUID is stored as sixteen bytes")
    func uuidsAreSixteenBytes() throws {
        let text = "00112233-4455-6677-8899-AABBCCDDEEFF"
        let identifier = try #require(UUID(uuidString: text))
        let (saved, read) = try roundTrip("identifier", identifier)
        #expect(saved as? UUID == identifier)
        #expect(read as? UUID == identifier)
        #expect(
            try folder.stored("ZIDENTIFIER", in: "ZRECORD") == ["blob X'00112233445566778899AABBCCDDEEFF'"])
    }

    @Test("A stored UUID of another length is an error that names the row")
    func uuidOfAnotherLength() throws {
        try folder.make(Self.model)
        try folder.execute("INSERT INTO ZRECORD (Z_PK, Z_ENT, Z_OPT, ZIDENTIFIER) VALUES (3, 1, 1, x'0011')")
        try folder.open(Self.model).inContext { context in
            let found = try error { _ = try context.all("Record") }
            #expect(found.code == 134060)
            #expect(found.localizedDescription.contains("ZIDENTIFIER of row 3"))
        }
    }

    @Test("Dates, data and UUIDs are found by their values")
    func valuesAreFound() throws {
        let identifier = UUID()
        try folder.open(Self.model).inContext { context in
            try context.insert(
                "Record",
                [
                    "day": Date(timeIntervalSinceReferenceDate: 5), "bytes": Data([1]),
                    "identifier": identifier,
                ])
            try context.insert("Record")
            try context.save()
            for predicate in [
                NSPredicate(format: "day < %@", Date(timeIntervalSinceReferenceDate: 6)),
                NSPredicate(format: "bytes == %@", Data([1])),
                NSPredicate(format: "identifier == %@", identifier),
            ] {
                #expect(try context.all("Record", where: predicate).count == 1, "\(predicate)")
            }
        }
    }
}
