import Foundation
import TestSupport
import Testing

@testable import CocoaFoundation

/// Malicious archives end in an error: no crash, no endless loop, no object of a class that was not
/// requested.
@Suite struct HostileArchiveTests {
    private func read(_ data: Data, _ classes: [AnyClass] = KeyedArchiveTests.plainClasses) throws
        -> AnyObject?
    {
        try KeyedArchiveReader.root(of: classes, from: data)
    }

    /// The sentence of the error that reading ends in.
    private func failure(
        _ data: Data, _ classes: [AnyClass] = KeyedArchiveTests.plainClasses,
        _ code: CocoaError.Code = .coderReadCorrupt, _ location: SourceLocation = #_sourceLocation
    ) -> String {
        let error = #expect(throws: CocoaError.self, sourceLocation: location) { try read(data, classes) }
        #expect(error?.code == code, sourceLocation: location)
        return error?.localizedDescription ?? ""
    }

    /// An archive of given objects, the first of them `$null`, whose outermost object is the second.
    private func archive(_ build: (inout PropertyListTable) -> [Int]) -> Data {
        var table = PropertyListTable()
        let objects = [table.add(.string("$null"))] + build(&table)
        let root = table.addDictionary([
            ("$version", table.add(.integer(100_000))),
            ("$archiver", table.add(.string("NSKeyedArchiver"))),
            ("$top", table.addDictionary([("root", table.add(.identifier(1)))])),
            ("$objects", table.add(.array(objects))),
        ])
        return BinaryPropertyList(nodes: table.nodes, root: root).data()
    }

    private func classDescription(_ name: String, _ table: inout PropertyListTable) -> Int {
        table.addDictionary([
            ("$classname", table.add(.string(name))), ("$classes", table.add(.array([]))),
        ])
    }

    /// An archive whose outermost object is of a class and has the given fields.
    private func archive(of name: String, _ fields: [(String, BinaryPropertyList.Node)]) -> Data {
        archive { table in
            let values = fields.map { ($0.0, table.add($0.1)) } + [("$class", table.add(.identifier(2)))]
            return [table.addDictionary(values), classDescription(name, &table)]
        }
    }

    // MARK: Classes

    @Test("A class that is not allowed is refused by name, with the allowed ones")
    func aClassThatIsNotAllowedIsNamed() throws {
        let data = try KeyedArchiveWriter.archivedData(withRootObject: Shade(white: 1))
        let sentence = failure(data, [NSString.self, Palette.self])
        #expect(sentence.contains("CocoaFoundationTests.Shade"))
        #expect(sentence.contains("NSString, CocoaFoundationTests.Palette"))
    }

    @Test("A class that is not allowed is refused inside collections")
    func aClassThatIsNotAllowedIsRefusedInsideCollections() throws {
        for value in [[Shade(white: 1)], ["key": ["inner": Shade(white: 1)]], Set([Shade(white: 1)])] as [Any]
        {
            let data = try KeyedArchiveWriter.archivedData(withRootObject: value)
            #expect(failure(data).contains("CocoaFoundationTests.Shade"))
        }
    }

    @Test("A class decides which classes its own fields may hold")
    func aClassDecidesWhatItsOwnFieldsMayHold() throws {
        // The price of a palette is a decimal number; here it is a text, which is allowed at other places.
        let data = archive { table in
            let fields = [
                ("name", table.add(.identifier(3))), ("price", table.add(.identifier(3))),
                ("$class", table.add(.identifier(2))),
            ]
            return [
                table.addDictionary(fields), classDescription(NSStringFromClass(Palette.self), &table),
                table.add(.string("text")),
            ]
        }
        let sentence = failure(data, [Palette.self, NSString.self])
        #expect(sentence.contains("\"NSString\". The allowed classes are: NSDecimalNumber."))
    }

    @Test("The root object must be of an allowed class, and property lists may be inside")
    func theOutermostObjectMustBeOfAnAllowedClass() throws {
        let data = try KeyedArchiveWriter.archivedData(withRootObject: "text")
        #expect(failure(data, [NSArray.self]).contains("NSString"))
        // Inside a collection, property lists pass, as with Apple's unarchiver; other classes do not.
        let list = try KeyedArchiveWriter.archivedData(withRootObject: [
            "text", 1, Data(), [1], ["k": 1], Date(),
        ])
        #expect((try read(list, [NSArray.self]) as? NSArray)?.count == 6)
        let uuids = try KeyedArchiveWriter.archivedData(withRootObject: [UUID()])
        #expect(failure(uuids, [NSArray.self]).contains("NSUUID"))
    }

    @Test("Every reference to a shared object is checked against its allowed classes")
    func everyReferenceToAnObjectIsChecked() {
        // The first reference is decoded as any of the plain classes, the second, from a URL, as a URL
        // alone.
        let data = archive { table in
            let elements = table.add(.array([table.add(.identifier(3)), table.add(.identifier(5))]))
            return [
                table.addDictionary([("NS.objects", elements), ("$class", table.add(.identifier(2)))]),
                classDescription("NSArray", &table),
                table.add(.string("shared")),
                classDescription("NSURL", &table),
                table.addDictionary([
                    ("NS.base", table.add(.identifier(3))), ("NS.relative", table.add(.identifier(3))),
                    ("$class", table.add(.identifier(4))),
                ]),
            ]
        }
        #expect(failure(data).contains("The allowed classes are: NSURL."))
    }

    @Test("Elements of a shared collection are checked for every field that refers to it")
    func theElementsOfASharedCollectionAreCheckedAtEveryPlace() throws {
        // Both fields lead to one array of shades, which only the first may hold.
        let data = archive { table in
            let fields = ["shades", "names"].map { ($0, table.add(.identifier(3))) }
            let elements = table.add(.array([table.add(.identifier(5))]))
            return [
                table.addDictionary(fields + [("$class", table.add(.identifier(2)))]),
                classDescription(NSStringFromClass(Swatch.self), &table),
                table.addDictionary([("NS.objects", elements), ("$class", table.add(.identifier(4)))]),
                classDescription("NSArray", &table),
                table.addDictionary([("$class", table.add(.identifier(6)))]),
                classDescription(NSStringFromClass(Shade.self), &table),
            ]
        }
        #expect(
            failure(data, [Swatch.self]).contains("Shade\". The allowed classes are: NSArray, NSString."))
        let honest = Swatch(shades: [Shade(white: 1)], names: ["white"])
        let written = try KeyedArchiveWriter.archivedData(withRootObject: honest)
        let swatch = try #require(try read(written, [Swatch.self]) as? Swatch)
        #expect(swatch.names == ["white"])
        #expect(swatch.shades == [Shade(white: 1)])
        let empty = NSArray()
        let shared = try KeyedArchiveWriter.archivedData(
            withRootObject: Swatch(shades: empty, names: empty))
        #expect((try read(shared, [Swatch.self]) as? Swatch)?.names == [])
    }

    @Test(
        "A name that is not that of a class is refused",
        arguments: [
            "Nowhere.Thing", "Nowhere", "", ".", "a.b.c", "_TtC1a1b", "Swift.Int", "ä😀", "NS\u{0}Array",
        ])
    func unknownClassNamesAreRefused(_ name: String) {
        #expect(failure(archive(of: name, [])).contains("\"\(name)\""))
    }

    @Test("A class without secure coding is neither read nor written")
    func classesWithoutSecureCodingAreRefused() {
        let name = NSStringFromClass(InsecureNote.self)
        #expect(failure(archive(of: name, []), [InsecureNote.self], .coderInvalidValue).contains(name))
        #expect(throws: CocoaError.self) {
            try KeyedArchiveWriter.archivedData(withRootObject: [InsecureNote()])
        }
        #expect(throws: CocoaError.self) { try KeyedArchiveWriter.archivedData(withRootObject: (1, 2)) }
    }

    @Test("A Foundation class that would trap is neither read nor written")
    func foundationClassesThatStopTheProgramAreRefused() {
        #expect(failure(archive(of: "NSError", []), [NSError.self], .coderInvalidValue).contains("NSError"))
        #expect(throws: CocoaError.self) {
            try KeyedArchiveWriter.archivedData(withRootObject: NSError(domain: "d", code: 1))
        }
    }

    @Test("Coding without keys is refused")
    func requestsWithoutKeysAreRefused() {
        let name = NSStringFromClass(UnkeyedNote.self)
        #expect(failure(archive(of: name, []), [UnkeyedNote.self], .coderInvalidValue).contains("key"))
        #expect(throws: CocoaError.self) {
            try KeyedArchiveWriter.archivedData(withRootObject: UnkeyedNote())
        }
    }

    // MARK: Contents

    @Test("An object without its fields is refused")
    func incompleteObjectsAreRefused() {
        for name in [
            "NSString", "NSMutableString", "NSData", "NSMutableData", "NSDate", "NSUUID", "NSURL", "NSNumber",
            "NSDecimalNumber", "NSArray", "NSDictionary",
        ] {
            #expect(!failure(archive(of: name, []), [NSObject.self]).isEmpty)
        }
        let uuid = archive(of: "NSUUID", [("NS.uuidbytes", .data(Data([1, 2, 3])))])
        #expect(failure(uuid).contains("NSUUID"))
        let date = archive(of: "NSDate", [("NS.time", .real(.nan))])
        #expect(failure(date).contains("NSDate"))
        let keys = archive(of: "NSDictionary", [("NS.keys", .array([])), ("NS.objects", .array([0]))])
        #expect(failure(keys).contains("null") == false)
    }

    @Test(
        "Members and keys that Foundation cannot compare are refused",
        arguments: ["NSArray", "NSDictionary"], ["NSSet", "NSDictionary"])
    func membersThatAreCollections(_ kind: String, _ collection: String) {
        let data = archive { table in
            func reference(_ object: Int) -> Int { table.add(.identifier(UInt64(object))) }
            func object(_ kind: Int, _ fields: [(String, [Int])]) -> Int {
                table.addDictionary(
                    fields.map { ($0, table.add(.array($1.map(reference)))) } + [("$class", reference(kind))])
            }
            let root =
                collection == "NSSet"
                ? object(4, [("NS.objects", [2])]) : object(4, [("NS.keys", [2]), ("NS.objects", [3])])
            return [
                root, object(5, [("NS.keys", []), ("NS.objects", [])]), table.add(.string("value")),
                classDescription(collection, &table), classDescription(kind, &table),
            ]
        }
        #expect(failure(data).contains("cannot compare"))
    }

    @Test("Members that cannot be read are not written")
    func unreadableMembers() {
        for value in [
            NSSet(array: [[1] as NSArray]), NSSet(array: [["a": 1] as NSDictionary]),
            NSDictionary(object: 1, forKey: [1] as NSArray),
        ] {
            let error = #expect(throws: CocoaError.self) {
                try KeyedArchiveWriter.archivedData(withRootObject: value)
            }
            #expect(error?.code == .coderInvalidValue)
        }
        let ordered = NSOrderedSet(array: [[1] as NSArray])
        #expect(throws: Never.self) { try KeyedArchiveWriter.archivedData(withRootObject: ordered) }
    }

    @Test("A field with a value of another type is refused by name")
    func valuesOfAnotherTypeAreRefused() {
        let date = archive(of: "NSDate", [("NS.time", .data(Data([1])))])
        #expect(failure(date).contains("NS.time"))
        let shade = archive(of: NSStringFromClass(Shade.self), [("white", .data(Data([1])))])
        #expect(failure(shade, [Shade.self]).contains("white"))
        let decimal = archive(
            of: "NSDecimalNumber",
            [("NS.length", .integer(99)), ("NS.mantissa", .data(Data(repeating: 0xFF, count: 16)))])
        #expect(failure(decimal, [NSDecimalNumber.self]).contains("decimal"))
    }

    @Test("A collection that contains itself is refused")
    func cyclesAreRefused() {
        let data = archive { table in
            let elements = table.add(.array([table.add(.identifier(1))]))
            return [
                table.addDictionary([("NS.objects", elements), ("$class", table.add(.identifier(2)))]),
                classDescription("NSArray", &table),
            ]
        }
        #expect(failure(data).contains("contains itself"))
    }

    /// A chain of arrays, each holding the next one several times.
    private func chain(length: Int, width: Int) -> Data {
        archive { table in
            let arrays = (1...length).map { place in
                let next =
                    place == length
                    ? [] : Array(repeating: table.add(.identifier(UInt64(place + 1))), count: width)
                return table.addDictionary([
                    ("NS.objects", table.add(.array(next))),
                    ("$class", table.add(.identifier(UInt64(length + 1)))),
                ])
            }
            return arrays + [classDescription("NSArray", &table)]
        }
    }

    @Test("Nesting of 500 collections is read, and of 100,000 is refused")
    func depthIsBounded() throws {
        #expect(try read(chain(length: 500, width: 1)) is NSArray)
        #expect(failure(chain(length: 100_000, width: 1)).contains("deep"))
    }

    @Test("Collections that multiply by sharing are refused")
    func sharedObjectsDoNotMultiplyWithoutEnd() throws {
        // As a tree, this is 2 to the power of 60 objects: comparing two of them would never end.
        #expect(failure(chain(length: 60, width: 2)).contains("objects"))
        #expect(try read(chain(length: 15, width: 2)) is NSArray)
    }

    @Test("A set with a decimal number is refused")
    func decimalNumbersInSetsAreRefused() {
        // Their `hash` calls itself without end in Foundation on Linux.
        let data = archive { table in
            [
                table.addDictionary([
                    ("NS.objects", table.add(.array([table.add(.identifier(3))]))),
                    ("$class", table.add(.identifier(2))),
                ]),
                classDescription("NSSet", &table),
                table.addDictionary([
                    ("NS.exponent", table.add(.integer(0))), ("NS.length", table.add(.integer(1))),
                    ("NS.mantissa", table.add(.data(Data([5] + Array(repeating: 0, count: 15))))),
                    ("$class", table.add(.identifier(4))),
                ]),
                classDescription("NSDecimalNumber", &table),
            ]
        }
        #expect(failure(data, [NSSet.self, NSDecimalNumber.self]).contains("decimal"))
    }

    @Test("A set of many members with equal hashes is refused, and an array is read")
    func membersOfEqualHashAreBounded() throws {
        let many = (0..<20_000).map { [$0] }
        let data = try KeyedArchiveWriter.archivedData(withRootObject: many)
        #expect((try read(data) as? NSArray)?.count == 20_000)
        // The same archive with a set in the place of the array of arrays.
        let set = archive { table in
            let members = (0..<20_000).map { table.add(.identifier(UInt64($0 + 4))) }
            let arrays = (0..<20_000).map { number in
                table.addDictionary([
                    ("NS.objects", table.add(.array([table.add(.identifier(UInt64(20_004 + number)))]))),
                    ("$class", table.add(.identifier(3))),
                ])
            }
            let numbers = (0..<20_000).map { table.add(.integer(Int64($0))) }
            return [
                table.addDictionary([
                    ("NS.objects", table.add(.array(members))), ("$class", table.add(.identifier(2))),
                ]),
                classDescription("NSSet", &table), classDescription("NSArray", &table),
            ] + arrays + numbers
        }
        #expect(failure(set).contains("hash"))
    }

    // MARK: Bytes

    @Test("Data that is not an archive is refused with a reason")
    func otherDataIsRefused() throws {
        #expect(failure(Data()).contains("empty"))
        #expect(failure(Data("<?xml version=\"1.0\"?>".utf8)).contains("XML"))
        #expect(failure(Data("\u{4}\u{B}streamtyped\u{81}".utf8)).contains("NSArchiver"))
        #expect(failure(Data("bplist00".utf8)).contains("short"))
        #expect(failure(Data(repeating: 0xFF, count: 10_000)).contains("binary property list"))
        let list = try PropertyListSerialization.data(
            fromPropertyList: ["a": 1], format: .binary, options: 0)
        #expect(failure(list).contains("not a keyed archive"))
    }

    /// An archive with an object of every kind.
    private func sample() throws -> Data {
        let names = NSPersonNameComponents()
        names.givenName = "Ada"
        return try KeyedArchiveWriter.archivedData(
            withRootObject: [
                "plain": KeyedArchiveTests.plainObjects,
                "palette": Palette(name: "p", shades: [Shade(white: 0.5), DeepShade(white: 0.1)]),
                "others": [
                    NSLocale(localeIdentifier: "de_DE"), try #require(NSTimeZone(name: "UTC")), names,
                ],
            ])
    }

    private var sampleClasses: [AnyClass] {
        KeyedArchiveTests.plainClasses + [
            Palette.self, NSLocale.self, NSTimeZone.self, NSPersonNameComponents.self,
        ]
    }

    @Test("An archive cut off at any offset is refused")
    func everyTruncationIsRefused() throws {
        let data = try sample()
        #expect(try read(data, sampleClasses) is NSDictionary)
        for length in 0..<data.count {
            #expect(throws: CocoaError.self) { try read(data.prefix(length), sampleClasses) }
        }
    }

    @Test("An archive with changed bytes gives an object or an error", arguments: [1, 2, 3])
    func flippedBytesDoNoHarm(_ seed: UInt64) throws {
        var numbers = Fuzzing.numbers(seed: seed)
        let data = try sample()
        for _ in 0..<Fuzzing.rounds(1_000) {
            var damaged = data
            for _ in 0..<Int.random(in: 1...8, using: &numbers) {
                let place = Int.random(in: 0..<damaged.count, using: &numbers)
                damaged[place] = UInt8.random(in: 0...255, using: &numbers)
            }
            // The result is always an error or an object of the requested classes.
            if let object = try? read(damaged, sampleClasses) { #expect(object is NSObject) }
        }
    }

    @Test("An archive with exchanged objects gives an object or an error", arguments: [4, 5, 6])
    func exchangedObjectsDoNoHarm(_ seed: UInt64) throws {
        var numbers = Fuzzing.numbers(seed: seed)
        let list = try BinaryPropertyList(try sample())
        for _ in 0..<Fuzzing.rounds(1_000) {
            var nodes = list.nodes
            for _ in 0..<Int.random(in: 1...4, using: &numbers) {
                let place = Int.random(in: 0..<nodes.count, using: &numbers)
                nodes[place] = exchanged(nodes, place, &numbers)
            }
            let damaged = BinaryPropertyList(nodes: nodes, root: list.root).data()
            if let object = try? read(damaged, sampleClasses) { #expect(object is NSObject) }
        }
    }

    /// Another object, a reference elsewhere, or an extreme value.
    private func exchanged(
        _ nodes: [BinaryPropertyList.Node], _ place: Int, _ numbers: inout SeededNumbers
    ) -> BinaryPropertyList.Node {
        switch Int.random(in: 0..<6, using: &numbers) {
        case 0: nodes[Int.random(in: 0..<nodes.count, using: &numbers)]
        case 1: .identifier(UInt64.random(in: 0..<UInt64(nodes.count), using: &numbers))
        case 2: .integer(Int64.random(in: .min ... .max, using: &numbers))
        case 3: .real(Double(bitPattern: numbers.next()))
        case 4: .array([Int.random(in: 0..<nodes.count, using: &numbers)])
        default: .string(String(UInt8.random(in: 0...255, using: &numbers)))
        }
    }
}
