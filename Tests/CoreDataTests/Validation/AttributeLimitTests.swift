import CoreData
import Testing

/// The limits that a model file sets for attributes, each with the code of its error.
@Suite struct AttributeLimitTests {
    private static let source = """
        <?xml version="1.0" encoding="UTF-8" standalone="yes"?>
        <model type="com.apple.IDECoreDataModeler.DataModel" documentVersion="1.0" sourceLanguage="Swift">
            <entity name="Limited" syncable="YES">
                <attribute name="small" optional="YES" attributeType="Integer 16" minValueString="2" maxValueString="5"/>
                <attribute name="large" optional="YES" attributeType="Integer 64" minValueString="-9000000000" maxValueString="9000000000"/>
                <attribute name="real" optional="YES" attributeType="Double" minValueString="0.5" maxValueString="1.5"/>
                <attribute name="float" optional="YES" attributeType="Float" minValueString="-1" maxValueString="1"/>
                <attribute name="price" optional="YES" attributeType="Decimal" minValueString="0.1" maxValueString="99.99"/>
                <attribute name="day" optional="YES" attributeType="Date" minDateTimeInterval="1000" maxDateTimeInterval="2000"/>
                <attribute name="code" optional="YES" attributeType="String" minValueString="2" maxValueString="4"/>
                <attribute name="zip" optional="YES" attributeType="String" regularExpressionString="[0-9]{5}"/>
                <attribute name="needed" attributeType="String" minValueString="1" defaultValueString="x"/>
            </entity>
        </model>
        """

    private let folder: StoreFolder
    private let coordinator: NSPersistentStoreCoordinator

    init() throws {
        folder = try StoreFolder()
        let model = folder.url.appendingPathComponent("Limits.xcdatamodel")
        try FileManager.default.createDirectory(at: model, withIntermediateDirectories: true)
        try Self.source.write(
            to: model.appendingPathComponent("contents"), atomically: true, encoding: .utf8)
        coordinator = try folder.open(try #require(NSManagedObjectModel(contentsOf: model)))
    }

    private func date(_ interval: TimeInterval) -> Date { Date(timeIntervalSinceReferenceDate: interval) }

    /// What fits.
    private func good(_ key: String) -> [Any] {
        switch key {
        case "small": [2, 3, 5]
        case "large": [-9_000_000_000, 0, 9_000_000_000]
        case "real": [0.5, 1.0, 1.5]
        case "float": [Float(-1), Float(0), Float(1)]
        case "price": ["0.1", "50", "99.99"].map { NSDecimalNumber(string: $0) }
        case "day": [date(1000), date(1500), date(2000)]
        case "code": ["ab", "abcd", "ää"]
        case "zip": ["12345"]
        default: ["a"]
        }
    }

    /// What does not, and why.
    private func bad(_ key: String) -> [(Any, Int)] {
        switch key {
        case "small": [(1, 1620), (-7, 1620), (6, 1610)]
        case "large": [(-9_000_000_001, 1620), (9_000_000_001, 1610)]
        case "real": [(0.25, 1620), (1.75, 1610)]
        case "float": [(Float(-1.5), 1620), (Float(2), 1610)]
        case "price": [(NSDecimalNumber(string: "0.09"), 1620), (NSDecimalNumber(string: "100"), 1610)]
        case "day": [(date(999.5), 1640), (date(2000.5), 1630)]
        case "code": [("a", 1670), ("", 1670), ("abcde", 1660)]
        case "zip": [("1234", 1680), ("123456", 1680), ("12345\n", 1680), ("", 1680)]
        default: [("", 1670)]
        }
    }

    static let keys = ["small", "large", "real", "float", "price", "day", "code", "zip", "needed"]

    @Test("Values within the limits of the model are saved", arguments: keys)
    func valuesWithinTheLimits(_ key: String) throws {
        try coordinator.inContext { context in
            for value in good(key) { try context.insert("Limited", [key: value]) }
            try context.insert("Limited")
            try context.save()
            #expect(try context.all("Limited").count == good(key).count + 1)
        }
    }

    @Test("A value beyond a limit fails the save with the limit's code", arguments: keys)
    func valuesBeyondTheLimits(_ key: String) throws {
        try coordinator.inContext { context in
            let object = try context.insert("Limited")
            for (value, code) in bad(key) {
                object.setValue(value, forKey: key)
                let refusal = try error { try context.save() }
                #expect(refusal.domain == NSCocoaErrorDomain && refusal.code == code, "\(value)")
                #expect(refusal.userInfo[NSValidationKeyErrorKey] as? String == key)
                #expect(refusal.userInfo[NSValidationObjectErrorKey] as? NSManagedObject === object)
                let shown = refusal.userInfo[NSValidationValueErrorKey]
                #expect("\(shown ?? "nil")" == "\(object.value(forKey: key) ?? "nil")")
                let predicate = refusal.userInfo[NSValidationPredicateErrorKey] as? NSPredicate
                #expect(predicate?.evaluate(with: value) == false)
                #expect(refusal.localizedDescription.contains(key))
            }
            #expect(try folder.value("SELECT COUNT(*) FROM ZLIMITED").description == "0")
            // A value that fits makes the same save succeed.
            object.setValue(good(key)[0], forKey: key)
            try context.save()
            // The limits hold for saved objects too.
            let (value, code) = bad(key)[0]
            object.setValue(value, forKey: key)
            #expect(try error { try context.save() }.code == code)
            #expect(try error { try object.validateForUpdate() }.code == code)
        }
    }

    @Test("validateValue checks the limits of one value and sets nothing")
    func oneValueIsValidated() throws {
        try coordinator.inContext { context in
            let object = try context.insert("Limited")
            for key in Self.keys {
                for (value, code) in bad(key) {
                    var value: Any? = value
                    #expect(try error { try object.validateValue(&value, forKey: key) }.code == code)
                }
                var value: Any? = good(key)[0]
                try object.validateValue(&value, forKey: key)
            }
            // Nothing was set by it.
            #expect(object.value(forKey: "small") == nil && object.changedValues().isEmpty)
        }
    }

    @Test("Each attribute reports the first limit that fails")
    func firstFailedLimit() throws {
        try coordinator.inContext { context in
            try context.insert("Limited", ["small": 9, "code": "abcdef", "zip": "x"])
            let refusal = try error { try context.save() }
            #expect(refusal.code == 1560)
            let details = refusal.userInfo[NSDetailedErrorsKey] as? [NSError] ?? []
            #expect(Set(details.map(\.code)) == [1610, 1660, 1680] && details.count == 3)
            let keys = details.compactMap { $0.userInfo[NSValidationKeyErrorKey] as? String }
            #expect(Set(keys) == ["small", "code", "zip"])
        }
    }
}
