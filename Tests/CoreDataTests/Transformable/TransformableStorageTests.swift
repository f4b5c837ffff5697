import CoreData
import GRDB
import Testing

/// What transformable attributes keep in the file, and what comes back.
@Suite struct TransformableStorageTests {
    private let folder: StoreFolder

    init() throws { folder = try StoreFolder() }

    private func roundTrip(_ key: String, _ value: Any) throws -> Any? {
        let coordinator = try folder.open(TransformableFixture.model)
        try coordinator.inContext { context in
            let thing = try context.insert("Thing", [key: value])
            try context.save()
            #expect(thing.value(forKey: key) != nil)
            #expect(!thing.hasChanges)
        }
        try coordinator.close()
        return try folder.open(TransformableFixture.model).inContext { context in
            try context.only("Thing").value(forKey: key)
        }
    }

    private func bytes(_ column: String) throws -> Data {
        let value = try folder.value("SELECT \(column) FROM ZTHING")
        return try #require(Data.fromDatabaseValue(value))
    }

    @Test("The secure transformer is the default", arguments: ["plain", "named"])
    func secureTransformerIsTheDefault(_ key: String) throws {
        let value: NSDictionary = [
            "list": [1, 2.5, "three"] as NSArray, "day": NSDate(timeIntervalSinceReferenceDate: 5),
        ]
        #expect(try roundTrip(key, value) as? NSDictionary == value)
        let bytes = try bytes("Z\(key.uppercased())")
        #expect(bytes.starts(with: Data("bplist00".utf8)))
        let archive = try PropertyListSerialization.propertyList(from: bytes, format: nil) as? [String: Any]
        #expect(archive?["$archiver"] as? String == "NSKeyedArchiver")
        #expect(try folder.value("SELECT typeof(Z\(key.uppercased())) FROM ZTHING").description == "\"blob\"")
    }

    @Test("Foundation reads the archives")
    func foundationReadsTheArchives() throws {
        _ = try roundTrip("plain", ["a", "b"] as NSArray)
        let read = try NSKeyedUnarchiver.unarchivedObject(
            ofClasses: [NSArray.self, NSString.self], from: try bytes("ZPLAIN"))
        #expect(read as? [String] == ["a", "b"])
    }

    @Test("Swift collections are archived as Foundation objects")
    func swiftValues() throws {
        let read = try roundTrip("plain", ["a": [1, 2]])
        #expect(read as? [String: [Int]] == ["a": [1, 2]])
    }

    @Test("An object of a custom class is stored and read again")
    func customClass() throws {
        #expect(try roundTrip("color", Color("#FF0000")) as? Color == Color("#FF0000"))
    }

    @Test("A custom transformer makes the stored data")
    func customTransformer() throws {
        #expect(try roundTrip("days", [1, 2, 250]) as? [Int] == [1, 2, 250])
        #expect(try bytes("ZDAYS") == Data([1, 2, 250]))
    }

    @Test("A codable value is stored as a property list")
    func codableValue() throws {
        let address = Address(street: "Baker Street", floors: [1: "Watson", 2: "Holmes"])
        #expect(try roundTrip("address", address) as? Address == address)
        #expect(try bytes("ZADDRESS").starts(with: Data("bplist00".utf8)))
    }

    @Test("A codable value may be stored as JSON")
    func codableValueAsJSON() throws {
        #expect(try roundTrip("mood", Mood.wild) as? Mood == .wild)
        #expect(try bytes("ZMOOD") == Data("\"wild\"".utf8))
    }

    @Test("A transformable attribute set to nil is stored as NULL")
    func nilIsNull() throws {
        let coordinator = try folder.open(TransformableFixture.model)
        try coordinator.inContext { context in
            let thing = try context.insert("Thing", ["color": Color("#000000")])
            try context.save()
            thing.setValue(nil, forKey: "color")
            #expect(thing.hasPersistentChangedValues)
            try context.save()
            #expect(thing.value(forKey: "color") == nil)
        }
        #expect(
            try folder.stored("ZCOLOR", "ZDAYS", "ZADDRESS", in: "ZTHING")
                == Array(repeating: "null NULL", count: 3))
    }

    @Test("Setting an equal transformable value is not a persistent change")
    func equalValueIsNotAChange() throws {
        try folder.open(TransformableFixture.model).inContext { context in
            let thing = try context.insert("Thing", ["color": Color("#1"), "address": Address(street: "a")])
            try context.save()
            thing.setValue(Color("#1"), forKey: "color")
            thing.setValue(Address(street: "a"), forKey: "address")
            #expect(thing.isUpdated && !thing.hasPersistentChangedValues)
            try context.save()
            thing.setValue(Color("#2"), forKey: "color")
            #expect(thing.changedValues().keys.sorted() == ["color"])
            try context.save()
        }
        #expect(try folder.value("SELECT Z_OPT FROM ZTHING").description == "2")
        try folder.open(TransformableFixture.model).inContext { context in
            let thing = try context.only("Thing")
            #expect(thing.value(forKey: "color") as? Color == Color("#2"))
        }
    }

    @Test("Reading a transformable value does not write it again")
    func readingDoesNotWrite() throws {
        _ = try roundTrip("color", Color("#1"))
        let other = try NSKeyedArchiver.archivedData(withRootObject: Color("#1"), requiringSecureCoding: true)
        try folder.execute("UPDATE ZTHING SET ZCOLOR = ?", [other])
        try folder.open(TransformableFixture.model).inContext { context in
            let thing = try context.only("Thing")
            #expect(thing.value(forKey: "color") as? Color == Color("#1"))
            thing.setValue("renamed", forKey: "name")
            try context.save()
        }
        #expect(try bytes("ZCOLOR") == other)
    }
}
