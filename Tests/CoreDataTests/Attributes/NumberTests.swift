import CoreData
import Testing

/// Integers, reals and truth values: what the file has for them, and what comes back.
@Suite struct NumberTests {
    private static let model = NSManagedObjectModel(
        of: NSEntityDescription(
            "Number", attribute("short", .integer16), attribute("middle", .integer32),
            attribute("long", .integer64), attribute("single", .float), attribute("real", .double),
            attribute("flag", .boolean)))

    private let folder: StoreFolder

    init() throws { folder = try StoreFolder() }

    /// Saves one object with a value and gives the value that the object has then, and the one that a new
    /// coordinator reads.
    private func roundTrip(_ key: String, _ value: Any?) throws -> (saved: NSNumber?, read: NSNumber?) {
        let coordinator = try folder.open(Self.model)
        let saved = try coordinator.inContext { context in
            let object = try context.insert("Number")
            object.setValue(value, forKey: key)
            try context.save()
            return object.value(forKey: key) as? NSNumber
        }
        try coordinator.close()
        let read = try folder.open(Self.model).inContext { context in
            try context.only("Number").value(forKey: key) as? NSNumber
        }
        return (saved, read)
    }

    @Test(
        "Integers of every size are stored and read exactly",
        arguments: [
            ("short", Int64(Int16.min)), ("short", Int64(Int16.max)), ("middle", Int64(Int32.min)),
            ("middle", Int64(Int32.max)), ("long", Int64.min), ("long", Int64.max), ("long", 0),
            ("short", -1),
        ])
    func integers(_ key: String, _ value: Int64) throws {
        let (saved, read) = try roundTrip(key, NSNumber(value: value))
        #expect(saved?.int64Value == value)
        #expect(read?.int64Value == value)
        #expect(try folder.value("SELECT Z\(key.uppercased()) FROM ZNUMBER").storage.value as? Int64 == value)
    }

    @Test("Swift integers of any type are accepted")
    func swiftIntegers() throws {
        let (_, read) = try roundTrip("short", Int16(-7))
        #expect(read as? Int == -7)
    }

    @Test(
        "An integer that does not fit its attribute is refused",
        arguments: [
            ("short", 32_768), ("short", -32_769), ("middle", 2_147_483_648), ("middle", -2_147_483_649),
        ])
    func integersOutOfRange(_ key: String, _ value: Int) throws {
        try folder.open(Self.model).inContext { context in
            let object = try context.insert("Number")
            let refusal = try error { try object.setValue(checking: value, forKey: key) }
            #expect(refusal.code == 1550)
            #expect(refusal.localizedDescription.contains("\"\(key)\""))
            #expect(object.value(forKey: key) == nil)
        }
    }

    @Test(
        "Doubles are stored and read exactly",
        arguments: [
            0, 1.5, -1.5, Double.pi, Double.greatestFiniteMagnitude, -Double.greatestFiniteMagnitude,
            Double.leastNonzeroMagnitude, .infinity, -.infinity,
        ])
    func doubles(_ value: Double) throws {
        let (saved, read) = try roundTrip("real", value)
        #expect(saved?.doubleValue == value)
        #expect(read?.doubleValue == value)
        #expect(try folder.value("SELECT ZREAL FROM ZNUMBER").storage.value as? Double == value)
    }

    @Test(
        "Floats are stored and read exactly",
        arguments: [
            0, 0.1, -0.1, Float.greatestFiniteMagnitude, Float.leastNonzeroMagnitude, .infinity, -.infinity,
        ])
    func floats(_ value: Float) throws {
        let (saved, read) = try roundTrip("single", value)
        #expect(saved?.floatValue == value)
        #expect(read?.floatValue == value)
        #expect(try folder.value("SELECT ZSINGLE FROM ZNUMBER").storage.value as? Double == Double(value))
    }

    @Test("A double in a float attribute is rounded")
    func doublesAreRoundedToFloats() throws {
        let (saved, read) = try roundTrip("single", 0.1)
        #expect(saved?.floatValue == 0.1)
        #expect(read?.doubleValue == Double(Float(0.1)))
    }

    @Test("NaN is stored as nil", arguments: ["real", "single"])
    func nanIsNil(_ key: String) throws {
        let (saved, read) = try roundTrip(key, Double.nan)
        #expect(saved == nil)
        #expect(read == nil)
        #expect(try folder.stored("Z\(key.uppercased())", in: "ZNUMBER") == ["null NULL"])
    }

    @Test("NaN counts as a missing required value, except for decimals")
    func requiredNumbers() throws {
        let model = NSManagedObjectModel(
            of: NSEntityDescription(
                "Number", attribute("real", .double, optional: false),
                attribute("day", .date, optional: false),
                attribute("price", .decimal, optional: false)))
        try folder.open(model).inContext { context in
            let object = try context.insert(
                "Number", ["real": Double.nan, "day": Date(), "price": NSDecimalNumber.notANumber])
            for (key, bad, good) in [
                ("real", Double.nan as Any, 1.0 as Any),
                ("day", Date(timeIntervalSinceReferenceDate: .nan), Date()),
            ] {
                object.setValue(bad, forKey: key)
                let refusal = try error { try context.save() }
                #expect(refusal.code == 1570)
                #expect(refusal.userInfo[NSValidationKeyErrorKey] as? String == key)
                object.setValue(good, forKey: key)
            }
            try context.save()
        }
        #expect(try folder.value("SELECT COUNT(*) FROM ZNUMBER").storage.value as? Int64 == 1)
    }

    @Test("Booleans are stored as zero and one", arguments: [true, false])
    func booleans(_ value: Bool) throws {
        let (saved, read) = try roundTrip("flag", value)
        #expect(saved?.boolValue == value)
        #expect(read?.boolValue == value)
        #expect(try folder.stored("ZFLAG", in: "ZNUMBER") == [value ? "integer 1" : "integer 0"])
    }

    @Test("Large integers are found exactly")
    func largeIntegersAreFound() throws {
        try folder.open(Self.model).inContext { context in
            for long in [Int64.max, Int64.max - 1, 9_007_199_254_740_993] {
                try context.insert("Number", ["long": long])
            }
            try context.save()
            for predicate in [
                NSPredicate(format: "long == %lld", Int64.max - 1),
                NSPredicate(format: "long == %@", NSNumber(value: Int64.max - 1)),
                NSPredicate(format: "long == 9223372036854775806"),
                NSPredicate(format: "long IN %@", [Int64.max - 1]),
            ] {
                let found = try context.all("Number", where: predicate)
                #expect(found.map { $0.value(forKey: "long") as? Int64 } == [Int64.max - 1], "\(predicate)")
            }
        }
    }

    @Test("A missing number is stored as NULL")
    func nilIsNull() throws {
        _ = try roundTrip("long", nil)
        let columns = try folder.stored(
            "ZSHORT", "ZMIDDLE", "ZLONG", "ZSINGLE", "ZREAL", "ZFLAG", in: "ZNUMBER")
        #expect(columns == Array(repeating: "null NULL", count: 6))
    }
}
