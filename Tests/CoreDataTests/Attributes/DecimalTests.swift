import CoreData
import Testing

/// Decimals: 15 digits are kept exactly; of others the object shows what is kept.
@Suite struct DecimalTests {
    private static let model = NSManagedObjectModel(
        of: NSEntityDescription(
            "Price", attribute("amount", .decimal), attribute("name", .string),
            composite("net", attribute("value", .decimal))))

    private let folder: StoreFolder

    init() throws { folder = try StoreFolder() }

    private func roundTrip(_ text: String) throws -> (saved: NSDecimalNumber?, read: NSDecimalNumber?) {
        let coordinator = try folder.open(Self.model)
        let saved = try coordinator.inContext { context in
            let object = try context.insert("Price", ["amount": NSDecimalNumber(string: text)])
            try context.save()
            return object.value(forKey: "amount") as? NSDecimalNumber
        }
        try coordinator.close()
        let read = try folder.open(Self.model).inContext { context in
            try context.only("Price").value(forKey: "amount") as? NSDecimalNumber
        }
        return (saved, read)
    }

    @Test(
        "A decimal of up to 15 digits is kept exactly",
        arguments: [
            ("0", "integer 0"), ("12.34", "real 12.34"), ("-0.01", "real -0.01"), ("100", "integer 100"),
            ("1.10", "real 1.1"), ("123456789012345", "integer 123456789012345"),
            ("1234567890123.45", "real 1234567890123.45"), ("0.000000000000001", "real 1.0e-15"),
            ("0.123456789012345", "real 0.123456789012345"), ("-99999999999999.9", "real -99999999999999.9"),
            ("9223372036854775807", "integer 9223372036854775807"),
            ("-9223372036854775808", "integer -9223372036854775808"),
            ("9007199254740993", "integer 9007199254740993"), ("100000000000000000000", "real 1.0e+20"),
            ("1e100", "real 1.0e+100"), ("1e-100", "real 1.0e-100"),
        ])
    func isKeptExactly(_ text: String, _ stored: String) throws {
        let (saved, read) = try roundTrip(text)
        #expect(saved == NSDecimalNumber(string: text))
        #expect(read == NSDecimalNumber(string: text))
        #expect(try folder.stored("ZAMOUNT", in: "ZPRICE") == [stored])
    }

    @Test(
        "A longer decimal is rounded at the save",
        arguments: [
            "0.12345678901234567890", "1234567890.1234567890", "123456789012345678901234567890",
            "9223372036854775808", "1234567890123456.7", "9007199254740993.5", "0.1000000000000000055",
        ])
    func longDecimalsAreRounded(_ text: String) throws {
        let (saved, read) = try roundTrip(text)
        let kept = try #require(saved)
        #expect(kept == read)
        #expect(kept != NSDecimalNumber(string: text))
        let error = abs(kept.doubleValue - NSDecimalNumber(string: text).doubleValue)
        #expect(error <= abs(kept.doubleValue) * 1e-14)
    }

    @Test("A decimal that is not a number is stored as a string")
    func nanIsAString() throws {
        let (saved, read) = try roundTrip("not a number")
        #expect(saved == .notANumber)
        #expect(read == .notANumber)
        #expect(try folder.stored("ZAMOUNT", in: "ZPRICE") == ["text 'NaN'"])
    }

    @Test("A decimal rounded by the save is not a change")
    func roundingIsNotAChange() throws {
        try folder.open(Self.model).inContext { context in
            let object = try context.insert(
                "Price", ["amount": NSDecimalNumber(string: "0.12345678901234567")])
            try context.save()
            #expect(!object.hasChanges)
            object.setValue("dear", forKey: "name")
            #expect(object.changedValues().keys.sorted() == ["name"])
            try context.save()
            #expect(
                object.value(forKey: "amount") as? NSDecimalNumber
                    == NSDecimalNumber(string: "0.123456789012346"))
        }
    }

    @Test("Decimals in composite attributes are rounded too")
    func compositeElementsAreRounded() throws {
        let long = NSDecimalNumber(string: "0.12345678901234567")
        try folder.open(Self.model).inContext { context in
            let object = try context.insert("Price", ["net": ["value": long]])
            try context.save()
            let net = object.value(forKey: "net") as? [String: Any]
            #expect(net?["value"] as? NSDecimalNumber == NSDecimalNumber(string: "0.123456789012346"))
        }
    }

    @Test("Decimals are compared and sorted by value")
    func isFoundByItsValue() throws {
        try folder.open(Self.model).inContext { context in
            for text in ["12.34", "12.35", "9007199254740993", "-3"] {
                try context.insert("Price", ["amount": NSDecimalNumber(string: text), "name": text])
            }
            try context.save()
            func names(_ format: String, _ text: String) throws -> [String?] {
                try context.all(
                    "Price", by: "amount",
                    where: NSPredicate(format: format, NSDecimalNumber(string: text))
                ).map { $0.value(forKey: "name") as? String }
            }
            #expect(try names("amount == %@", "12.34") == ["12.34"])
            #expect(try names("amount > %@", "12.345") == ["12.35", "9007199254740993"])
            #expect(try names("amount == %@", "9007199254740993") == ["9007199254740993"])
            #expect(try names("amount < %@", "0") == ["-3"])
        }
    }

    @Test("A numeric string in a decimal column is read as a decimal")
    func stringInTheColumn() throws {
        try folder.make(Self.model)
        try folder.execute("INSERT INTO ZPRICE (Z_PK, Z_ENT, Z_OPT, ZAMOUNT) VALUES (1, 1, 1, '12.50')")
        try folder.open(Self.model).inContext { context in
            let amount = try context.only("Price").value(forKey: "amount") as? NSDecimalNumber
            #expect(amount == NSDecimalNumber(string: "12.5"))
        }
    }

    @Test("An invalid decimal in the store is an error that names column, row and entity")
    func damageIsNamed() throws {
        try folder.make(Self.model)
        try folder.execute("INSERT INTO ZPRICE (Z_PK, Z_ENT, Z_OPT, ZAMOUNT) VALUES (7, 1, 1, 'dear')")
        try folder.open(Self.model).inContext { context in
            let found = try error { _ = try context.all("Price") }
            #expect(found.code == 134060)
            for word in ["ZAMOUNT", "7", "Price"] { #expect(found.localizedDescription.contains(word)) }
        }
    }
}
