import CocoaFoundation
import Testing

/// Predicates, expressions and sort descriptors in keyed archives.
@Suite struct PredicateCodingTests {
    private func archived<Object: NSObject & NSCoding>(_ object: Object) throws -> Object? {
        let data = try NSKeyedArchiver.archivedData(withRootObject: object, requiringSecureCoding: true)
        return try NSKeyedUnarchiver.unarchivedObject(ofClass: Object.self, from: data)
    }

    @Test(arguments: PredicateStructureTests.formats)
    func predicatesComeBack(_ format: String) throws {
        let predicate = try NSPredicate(parsing: format)
        let data = try NSKeyedArchiver.archivedData(withRootObject: predicate, requiringSecureCoding: true)
        let unarchiver = try NSKeyedUnarchiver(forReadingFrom: data)
        let classes: [AnyClass] = [
            NSComparisonPredicate.self, CompoundPredicate.self, ConstantPredicate.self,
        ]
        let again = unarchiver.decodeObject(of: classes, forKey: NSKeyedArchiveRootObjectKey) as? NSPredicate
        #expect(again?.isEquivalent(to: predicate) == true, "\(String(describing: again?.formatString))")
        #expect(again?.formatString == predicate.formatString)
    }

    @Test(arguments: [
        "a", "a.b", "SELF", "$x", "1", "2.5", "TRUE", "'x'", "nil", "{1, a}", "abs:(a)", "a + b", "a[LAST]",
        "a UNION b",
        "a INTERSECT b", "a MINUS b", "SUBQUERY(a, $x, $x == 1)", "TERNARY(a == 1, b, c)", "ANYKEY",
        "$x := 1",
        "FUNCTION(a, 'foo:', b)", "$x.a.b", "now()", "18446744073709551615", "CAST('1.5', 'NSDecimalNumber')",
    ])
    func expressionsComeBack(_ format: String) throws {
        let expression = try NSExpression(parsing: format)
        let again = try #require(try archived(expression))
        #expect(again == expression)
        #expect(again.description == expression.description)
    }

    @Test func constantsComeBack() throws {
        let values: [Any] = [
            Date(timeIntervalSinceReferenceDate: 1.5), UUID(), Data([1]), [1, "a"], Set([1]), ["a": 1],
            NSOrderedSet(array: [1]), ["a": Decimal(1)], ["a": ["b": [Decimal(1)]]],
            try #require(URL(string: "https://swift.org")), [[1], [Date()]] as [[Any]],
        ]
        for value in values {
            let expression = NSExpression(forConstantValue: value)
            #expect(try archived(expression) == expression, "\(value)")
        }
    }

    @Test func foundationsCompoundsInsideComeBack() throws {
        let compound = NSCompoundPredicate(orPredicateWithSubpredicates: [
            NSPredicate(value: true), NSPredicate(format: "a == 1"),
        ])
        let subquery = NSExpression(
            forSubquery: NSExpression(forKeyPath: "b"), usingIteratorVariable: "x", predicate: compound)
        #expect(try archived(subquery)?.description == "SUBQUERY(b, $x, TRUEPREDICATE OR a == 1)")
    }

    @Test func sortDescriptorsComeBack() throws {
        let descriptor = NSSortDescriptor(key: "a.b", ascending: false, selector: "localizedStandardCompare:")
        let data = try NSKeyedArchiver.archivedData(withRootObject: descriptor, requiringSecureCoding: true)
        let unarchiver = try NSKeyedUnarchiver(forReadingFrom: data)
        let again =
            unarchiver.decodeObject(of: [type(of: descriptor)], forKey: NSKeyedArchiveRootObjectKey)
            as? NSSortDescriptor
        #expect(again?.isEqual(descriptor) == true)
    }

    @Test func recordsComeBack() throws {
        for format in PredicateStructureTests.formats {
            let predicate = try NSPredicate(parsing: format)
            let again = try #require(rebuilt(predicate) as? NSPredicate, "\(format)")
            #expect(again.isEquivalent(to: predicate))
        }
        #expect(PredicateArchive.record(of: NSPredicate(block: { _, _ in true })) == nil)
        #expect(PredicateArchive.record(of: NSExpression(block: { _, _, _ in 1 }, arguments: nil)) == nil)
        #expect(PredicateArchive.record(of: "text") == nil)
    }

    /// Takes an object to its records and back, as an archiver of models does.
    private func rebuilt(_ object: Any) -> Any? {
        if let elements = object as? [Any] { return elements.compactMap(rebuilt) }
        guard let record = PredicateArchive.record(of: object) else { return object }
        var fields: [String: Any] = [:]
        for (key, value) in record.fields {
            fields[key] = key == "NSConstantValue" ? value : rebuilt(value)
        }
        return PredicateArchive.object(className: record.classNames[0], fields: fields)
    }

    @Test func recordOfAComparisonIsThatOfXcode() throws {
        let comparison = try #require(PredicateArchive.record(of: NSPredicate(format: "a.b == $NAME")))
        #expect(comparison.classNames == ["NSComparisonPredicate", "NSPredicate"])
        #expect(
            comparison.fields.map(\.key) == ["NSLeftExpression", "NSRightExpression", "NSPredicateOperator"])
        let left = try #require(PredicateArchive.record(of: comparison.fields[0].value))
        #expect(left.classNames == ["NSKeyPathExpression", "NSFunctionExpression", "NSExpression"])
        #expect(left.fields.map(\.key) == ["NSExpressionType", "NSOperand", "NSSelectorName", "NSArguments"])
        #expect(left.fields[0].value as? Int == 3)
        #expect(left.fields[2].value as? String == "valueForKeyPath:")
        let operation = try #require(PredicateArchive.record(of: comparison.fields[2].value))
        #expect(operation.classNames == ["NSEqualityPredicateOperator", "NSPredicateOperator"])
        #expect(operation.fields.map(\.key) == ["NSOperatorType", "NSModifier", "NSOptions", "NSNegate"])
    }

    @Test func brokenRecordsAreNil() {
        #expect(PredicateArchive.object(className: "NSComparisonPredicate", fields: [:]) == nil)
        #expect(
            PredicateArchive.object(className: "NSCompoundPredicate", fields: ["NSCompoundPredicateType": 7])
                == nil)
        #expect(
            PredicateArchive.object(
                className: "NSCompoundPredicate",
                fields: ["NSCompoundPredicateType": 0, "NSSubpredicates": [NSPredicate]()]) == nil)
        #expect(
            PredicateArchive.object(className: "NSKeyPathExpression", fields: ["NSExpressionType": 3]) == nil)
        #expect(
            PredicateArchive.object(className: "NSKeyPathExpression", fields: ["NSExpressionType": -3]) == nil
        )
        #expect(
            PredicateArchive.object(
                className: "NSEqualityPredicateOperator", fields: ["NSOperatorType": 1_000]) == nil)
        #expect(PredicateArchive.object(className: "NSString", fields: [:]) == nil)
    }

    @Test func archivesOfAppleAreRead() throws {
        PredicateArchive.registerClassNames()
        let data = Data(Self.archive.utf8)
        let unarchiver = try NSKeyedUnarchiver(forReadingFrom: data)
        let classes: [AnyClass] = [
            NSComparisonPredicate.self, CompoundPredicate.self, ConstantPredicate.self,
        ]
        let predicate = unarchiver.decodeObject(of: classes, forKey: "root") as? NSPredicate
        #expect(predicate?.formatString == "length >= 1")
        #expect(predicate?.evaluate(with: "abc") == true)
        #expect(predicate?.evaluate(with: "") == false)
    }

    /// Of an object that is not the evaluated one a key path is archived as a function: so does Xcode in mapping
    /// models, for `$source.title`.
    @Test func keyPathsOfVariablesAreArchivedAsFunctions() throws {
        func type(_ format: String) throws -> Int? {
            let record = try #require(PredicateArchive.record(of: NSExpression(parsing: format)))
            #expect(record.classNames.first == "NSKeyPathExpression")
            return record.fields.first { $0.key == "NSExpressionType" }?.value as? Int
        }
        #expect(try type("a.b") == 3)
        #expect(try type("$source.a.b") == 4)
        let source = NSExpression(forVariable: "source")
        let read = PredicateArchive.object(
            className: "NSKeyPathExpression",
            fields: [
                "NSExpressionType": 4, "NSOperand": source, "NSSelectorName": "valueForKeyPath:",
                "NSArguments": [ArchivedKeyPath("a.b")],
            ])
        #expect(read as? NSExpression == (try NSExpression(parsing: "$source.a.b")))
    }

    @Test func anObjectThatContainsItselfIsNotRead() throws {
        PredicateArchive.registerClassNames()
        let operand = "<key>NSOperand</key>\(Self.uid(3))"
        let cyclic = Self.archive.replacingOccurrences(
            of: operand, with: "<key>NSOperand</key>\(Self.uid(2))")
        #expect(cyclic != Self.archive)
        let unarchiver = try NSKeyedUnarchiver(forReadingFrom: Data(cyclic.utf8))
        unarchiver.decodingFailurePolicy = .setErrorAndReturn
        _ = unarchiver.decodeObject(of: [NSComparisonPredicate.self], forKey: "root")
    }

    @Test func closuresCannotBeArchived() async {
        await #expect(processExitsWith: .failure) {
            let block = NSExpression(block: { _, _, _ in 1 }, arguments: nil)
            _ = try NSKeyedArchiver.archivedData(withRootObject: block, requiringSecureCoding: true)
        }
    }

    /// A predicate as Xcode's model compiler archives it, in the form of an XML property list.
    private static let archive = """
        <?xml version="1.0" encoding="UTF-8"?>
        <!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
        <plist version="1.0"><dict>
        <key>$archiver</key><string>NSKeyedArchiver</string>
        <key>$version</key><integer>100000</integer>
        <key>$top</key><dict><key>root</key>\(uid(1))</dict>
        <key>$objects</key><array>
        <string>$null</string>
        <dict><key>$class</key>\(uid(9))<key>NSLeftExpression</key>\(uid(2))<key>NSPredicateOperator</key>\(uid(7))<key>NSRightExpression</key>\(uid(6))</dict>
        <dict><key>$class</key>\(uid(10))<key>NSArguments</key>\(uid(4))<key>NSExpressionType</key><integer>3</integer><key>NSOperand</key>\(uid(3))<key>NSSelectorName</key>\(uid(8))</dict>
        <dict><key>$class</key>\(uid(11))<key>NSExpressionType</key><integer>1</integer></dict>
        <dict><key>$class</key>\(uid(12))<key>NS.objects</key><array>\(uid(5))</array></dict>
        <dict><key>$class</key>\(uid(13))<key>NSExpressionType</key><integer>10</integer><key>NSKeyPath</key>\(uid(16))</dict>
        <dict><key>$class</key>\(uid(14))<key>NSConstantValue</key>\(uid(17))<key>NSExpressionType</key><integer>0</integer></dict>
        <dict><key>$class</key>\(uid(15))<key>NSModifier</key><integer>0</integer><key>NSOperatorType</key><integer>3</integer><key>NSOptions</key><integer>0</integer><key>NSVariant</key><integer>3</integer></dict>
        <string>valueForKey:</string>
        \(classes("NSComparisonPredicate", "NSPredicate"))
        \(classes("NSKeyPathExpression", "NSFunctionExpression", "NSExpression"))
        \(classes("NSSelfExpression", "NSExpression"))
        \(classes("NSMutableArray", "NSArray"))
        \(classes("NSKeyPathSpecifierExpression", "NSExpression"))
        \(classes("NSConstantValueExpression", "NSExpression"))
        \(classes("NSComparisonPredicateOperator", "NSPredicateOperator"))
        <string>length</string>
        <integer>1</integer>
        </array></dict></plist>
        """

    private static func uid(_ number: Int) -> String {
        "<dict><key>CF$UID</key><integer>\(number)</integer></dict>"
    }

    private static func classes(_ names: String...) -> String {
        let list = (names + ["NSObject"]).map { "<string>\($0)</string>" }.joined()
        return
            "<dict><key>$classname</key><string>\(names[0])</string><key>$classes</key><array>\(list)</array></dict>"
    }
}
