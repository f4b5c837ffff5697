import CocoaFoundation
import Testing

/// Predicates, expressions and sort descriptors in keyed archives.
@Suite struct PredicateCodingTests {
    private func archived<Object: NSObject & NSCoding>(_ object: Object) throws -> Object? {
        let data = try NSKeyedArchiver.archivedData(withRootObject: object, requiringSecureCoding: true)
        return try NSKeyedUnarchiver.unarchivedObject(ofClass: Object.self, from: data)
    }

    @Test("An archived predicate is read back equal", arguments: PredicateStructureTests.formats)
    func predicatesComeBack(_ format: String) throws {
        let predicate = try NSPredicate(parsing: format)
        let data = try NSKeyedArchiver.archivedData(withRootObject: predicate, requiringSecureCoding: true)
        let again = try NSKeyedUnarchiver.unarchivedObject(ofClass: NSPredicate.self, from: data)
        #expect(again == predicate, "\(String(describing: again?.formatString))")
        #expect(again?.formatString == predicate.formatString)
    }

    @Test(
        "An archived expression is read back equal",
        arguments: [
            "a", "a.b", "SELF", "$x", "1", "2.5", "TRUE", "'x'", "nil", "{1, a}", "abs:(a)", "a + b",
            "a[LAST]",
            "a UNION b",
            "a INTERSECT b", "a MINUS b", "SUBQUERY(a, $x, $x == 1)", "TERNARY(a == 1, b, c)", "ANYKEY",
            "$x := 1",
            "FUNCTION(a, 'foo:', b)", "$x.a.b", "now()", "18446744073709551615",
            "CAST('1.5', 'NSDecimalNumber')",
        ])
    func expressionsComeBack(_ format: String) throws {
        let expression = try NSExpression(parsing: format)
        let again = try #require(try archived(expression))
        #expect(again == expression)
        #expect(again.description == expression.description)
    }

    /// An archiver keeps one of equal objects, and Foundation's numbers are equal whatever their types.
    @Test(
        "Equal constants of different types stay different in an archive",
        arguments: [
            "a / 2 == 1 AND b / 2.0 == 1.5", "a / 4.0 == 1", "d == CAST(0, 'NSDate') OR pages == 0",
            "a == 2 OR a == CAST('2', 'NSDecimalNumber') OR a == 2.0", "a IN {1, 1.0} OR b IN {1.0, 1}",
            "SUBQUERY(a, $x, $x.n / 2 == 1).@count == 1 OR SUBQUERY(a, $x, $x.n / 2.0 == 1).@count == 1",
            "TERNARY(a / 2 == 1, 1, 2) == 1 OR TERNARY(a / 2.0 == 1, 1, 2) == 1",
            "a == '\u{e9}' OR a == 'e\u{301}'", "a IN {'\u{e9}', 'e\u{301}'}",
            "a == 'e\u{301}' OR a == '\u{e9}' OR e\u{301} == '\u{e9}'",
        ])
    func equalConstantsStayApart(_ format: String) throws {
        let predicate = try NSPredicate(parsing: format)
        let data = try NSKeyedArchiver.archivedData(withRootObject: predicate, requiringSecureCoding: true)
        let again = try #require(
            try NSKeyedUnarchiver.unarchivedObject(ofClass: NSPredicate.self, from: data))
        #expect(again == predicate)
        #expect(Array(again.formatString.unicodeScalars) == Array(predicate.formatString.unicodeScalars))
    }

    @Test("Equal collections of different types stay different in an archive")
    func equalCollectionsStayApart() throws {
        let values = [9, 1, 8, 2, 7]
        let constants: [Any] = [
            Set(values), values, values.map(Double.init), NSOrderedSet(array: values), [1, 0],
            NSOrderedSet(array: [1.0, 0.0]), Set([1.0, 0.0]), ["a": 1.0], ["a": 1], 1, 1.0,
        ]
        let predicates = constants.map { NSPredicate(format: "a == %@", argumentArray: [$0]) }
        let all = NSCompoundPredicate(orPredicateWithSubpredicates: predicates).structuralCopy()
        let data = try NSKeyedArchiver.archivedData(withRootObject: all, requiringSecureCoding: true)
        let again = try NSKeyedUnarchiver.unarchivedObject(ofClass: NSCompoundPredicate.self, from: data)
        #expect(again == all)
        let read = try #require(again?.subpredicates as? [NSComparisonPredicate]).map(\.rightExpression)
        #expect(read.count == constants.count)
        for (expression, constant) in zip(read, constants) {
            #expect(expression == NSExpression(forConstantValue: constant), "\(constant)")
        }
        #expect(read[0].constantValue is Set<AnyHashable>)
        #expect(read[1].constantValue as? [Int] == values)
        let kinds = read[9...10].map { ($0.constantValue as? NSNumber)?.objCType.pointee }
        #expect(kinds == [NSNumber(value: 1).objCType.pointee, NSNumber(value: 1.0).objCType.pointee])
    }

    @Test("An archived constant of any type is read back equal")
    func constantsComeBack() throws {
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

    @Test(
        "An archived compound predicate is read back equivalent",
        arguments: [NSCompoundPredicate.LogicalType.and, .or, .not], ["a == 1", "FALSEPREDICATE"])
    func foundationsCompoundsComeBack(_ type: NSCompoundPredicate.LogicalType, _ last: String) throws {
        let first = type == .not ? [] : [NSPredicate(format: "b == 2")]
        let parts = first + [NSPredicate(format: last), NSPredicate(value: true)]
        let predicate = NSCompoundPredicate(type: type, subpredicates: parts)
        let again = try #require(try archived(predicate.structuralCopy()))
        #expect(again.isEquivalent(to: predicate) && again.formatString == predicate.formatString)
    }

    @Test(
        "An archived compound predicate without parts is read back",
        arguments: [NSCompoundPredicate.LogicalType.and, .or])
    func compoundsOfNothingComeBack(_ type: NSCompoundPredicate.LogicalType) throws {
        let predicate = NSCompoundPredicate(type: type, subpredicates: [])
        let again = try archived(predicate.structuralCopy())
        #expect(again?.formatString == (type == .and ? "TRUEPREDICATE" : "FALSEPREDICATE"))
    }

    /// A conjunction of one part must not be taken for its part.
    @Test(
        "An archived compound predicate of one part stays a compound",
        arguments: [NSCompoundPredicate.LogicalType.and, .or])
    func compoundsOfOnePartComeBack(_ type: NSCompoundPredicate.LogicalType) throws {
        let predicate = NSCompoundPredicate(type: type, subpredicates: [NSPredicate(format: "a == $x")])
        #expect(try archived(predicate.structuralCopy())?.formatString == "a == $x")
        let substituted: NSCompoundPredicate = predicate.withSubstitutionVariables(["x": 1])
        let again = try archived(substituted)
        #expect(again?.compoundPredicateType == type && again?.subpredicates.count == 1)
        #expect(again == substituted && again?.formatString == "a == 1")
    }

    @Test("An archived constant predicate is read back")
    func foundationsConstantsComeBack() throws {
        for value in [true, false] {
            let again = try archived(NSPredicate(value: value).structuralCopy())
            #expect(again?.isEquivalent(to: NSPredicate(value: value)) == true)
        }
    }

    /// An archiver would take them for one another.
    @Test("Archiving Foundation's own compound or constant predicate ends the process")
    func foundationsOwnAreRefused() async throws {
        let result = try #require(
            await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
                let compound = NSCompoundPredicate(andPredicateWithSubpredicates: [])
                _ = try NSKeyedArchiver.archivedData(withRootObject: compound, requiringSecureCoding: true)
            })
        let text = String(decoding: result.standardErrorContent, as: UTF8.self)
        #expect(text.contains("structuralCopy()"))
        await #expect(processExitsWith: .failure) {
            let constant = NSPredicate(value: true)
            _ = try NSKeyedArchiver.archivedData(withRootObject: constant, requiringSecureCoding: true)
        }
    }

    @Test("An archived predicate with missing fields is read as nil")
    func brokenArchivesOfPredicatesAreNil() throws {
        for predicate in [NSPredicate(format: "a == 1 AND b == 2"), NSPredicate(format: "TRUEPREDICATE")] {
            let data = try NSKeyedArchiver.archivedData(
                withRootObject: predicate, requiringSecureCoding: true)
            var archive = try #require(
                try PropertyListSerialization.propertyList(from: data, format: nil) as? [String: Any])
            let objects = try #require(archive["$objects"] as? [Any])
            archive["$objects"] = objects.map { object -> Any in
                guard var fields = object as? [String: Any] else { return object }
                fields["NSSubpredicates"] = nil
                fields["NSValue"] = nil
                return fields
            }
            let broken = try PropertyListSerialization.data(
                fromPropertyList: archive, format: .binary, options: 0)
            let unarchiver = try NSKeyedUnarchiver(forReadingFrom: broken)
            unarchiver.decodingFailurePolicy = .setErrorAndReturn
            #expect(
                unarchiver.decodeObject(of: NSPredicate.self, forKey: NSKeyedArchiveRootObjectKey) == nil)
        }
    }

    @Test("An archived predicate of a subclass keeps its class and fields")
    func subclassesWriteWhatTheyAre() throws {
        let predicate = NamedComparison(
            leftExpression: NSExpression(forKeyPath: "a"), rightExpression: NSExpression(forConstantValue: 1),
            modifier: .direct, type: .equalTo)
        predicate.name = "mine"
        let data = try NSKeyedArchiver.archivedData(withRootObject: predicate, requiringSecureCoding: true)
        let again = try NSKeyedUnarchiver.unarchivedObject(ofClass: NSPredicate.self, from: data)
        #expect((again as? NamedComparison)?.name == "mine")
        #expect(again?.formatString == "a == 1")
    }

    @Test("A subquery with one of Foundation's compounds is archived and read back")
    func foundationsCompoundsInsideComeBack() throws {
        let compound = NSCompoundPredicate(orPredicateWithSubpredicates: [
            NSPredicate(value: true), NSPredicate(format: "a == 1"),
        ])
        let subquery = NSExpression(
            forSubquery: NSExpression(forKeyPath: "b"), usingIteratorVariable: "x", predicate: compound)
        #expect(try archived(subquery)?.description == "SUBQUERY(b, $x, TRUEPREDICATE OR a == 1)")
    }

    @Test("An archived sort descriptor is read back equal")
    func sortDescriptorsComeBack() throws {
        let descriptor = NSSortDescriptor(key: "a.b", ascending: false, selector: "localizedStandardCompare:")
        let data = try NSKeyedArchiver.archivedData(withRootObject: descriptor, requiringSecureCoding: true)
        let again = try NSKeyedUnarchiver.unarchivedObject(ofClass: NSSortDescriptor.self, from: data)
        #expect(again == descriptor)
        #expect(again?.key == "a.b" && again?.ascending == false)
        #expect(again?.selector == "localizedStandardCompare:")
    }

    @Test("A predicate is rebuilt from its record, and a block has none")
    func recordsComeBack() throws {
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

    @Test("The record of a comparison has the classes and keys of Xcode")
    func recordOfAComparisonIsThatOfXcode() throws {
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

    @Test("A record with missing or invalid fields gives nil")
    func brokenRecordsAreNil() {
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

    @Test("A predicate archived by Apple's model compiler is read")
    func archivesOfAppleAreRead() throws {
        PredicateArchive.registerClassNames()
        let data = Data(Self.archive.utf8)
        let unarchiver = try NSKeyedUnarchiver(forReadingFrom: data)
        let classes: [AnyClass] = [
            NSPredicate.self
        ]
        let predicate = unarchiver.decodeObject(of: classes, forKey: "root") as? NSPredicate
        #expect(predicate?.formatString == "length >= 1")
        #expect(predicate?.evaluate(with: "abc") == true)
        #expect(predicate?.evaluate(with: "") == false)
    }

    /// Of an object that is not the evaluated one a key path is archived as a function: so does Xcode in mapping
    /// models, for `$source.title`.
    @Test("A key path of a variable is archived as a function")
    func keyPathsOfVariablesAreArchivedAsFunctions() throws {
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

    @Test("Reading an archived predicate that contains itself ends")
    func anObjectThatContainsItselfIsNotRead() throws {
        PredicateArchive.registerClassNames()
        let operand = "<key>NSOperand</key>\(Self.uid(3))"
        let cyclic = Self.archive.replacingOccurrences(
            of: operand, with: "<key>NSOperand</key>\(Self.uid(2))")
        #expect(cyclic != Self.archive)
        let unarchiver = try NSKeyedUnarchiver(forReadingFrom: Data(cyclic.utf8))
        unarchiver.decodingFailurePolicy = .setErrorAndReturn
        _ = unarchiver.decodeObject(of: [NSComparisonPredicate.self], forKey: "root")
    }

    @Test("Archiving a block predicate or expression ends the process")
    func closuresCannotBeArchived() async {
        await #expect(processExitsWith: .failure) {
            let block = NSPredicate { _, _ in true }
            _ = try NSKeyedArchiver.archivedData(withRootObject: block, requiringSecureCoding: true)
        }
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

final class NamedComparison: NSComparisonPredicate {
    var name = ""

    override init(
        leftExpression lhs: NSExpression, rightExpression rhs: NSExpression, modifier: Modifier,
        type: Operator, options: Options = []
    ) {
        super.init(
            leftExpression: lhs, rightExpression: rhs, modifier: modifier, type: type, options: options)
    }

    required init?(coder: NSCoder) {
        name = (coder.decodeObject(of: NSString.self, forKey: "name") as String?) ?? ""
        super.init(coder: coder)
    }

    override func encode(with coder: NSCoder) {
        super.encode(with: coder)
        coder.encode(name as NSString, forKey: "name")
    }
}
