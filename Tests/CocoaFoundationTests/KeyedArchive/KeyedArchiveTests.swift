import Foundation
import Testing

@testable import CocoaFoundation

/// What is archived comes back equal, and in the form that Foundation's own archiver reads and writes.
@Suite struct KeyedArchiveTests {
    static var plainClasses: [AnyClass] {
        [
            NSArray.self, NSDictionary.self, NSSet.self, NSString.self, NSNumber.self, NSDate.self,
            NSData.self,
            NSURL.self, NSUUID.self, NSNull.self, NSOrderedSet.self,
        ]
    }

    static var plainObjects: [NSObject] {
        [
            NSString(string: ""), NSString(string: "plain"), NSString(string: "größer 🌍"),
            NSMutableString(string: "changing"),
            NSNumber(value: true), NSNumber(value: false), NSNumber(value: 0), NSNumber(value: -1),
            NSNumber(value: 200), NSNumber(value: 70_000), NSNumber(value: Int64.min),
            NSNumber(value: Int64.max), NSNumber(value: UInt64.max), NSNumber(value: 1.5),
            NSNumber(value: Float(0.1)),
            NSDecimalNumber(string: "0"), NSDecimalNumber(string: "-12.50"),
            NSDecimalNumber(string: "99999999999999999999999999999999999999"),
            NSDecimalNumber(string: "1e-100"),
            NSData(), NSData(data: Data(repeating: 7, count: 300)), NSMutableData(data: Data([1, 2])),
            NSDate(timeIntervalSinceReferenceDate: 593_881_375.204239), NSDate.distantPast as NSDate,
            NSUUID(), NSNull(),
            NSURL(fileURLWithPath: "/tmp/file"),
            NSArray(), NSArray(array: ["a", 1, NSNull()]), NSMutableArray(array: [1, [2, [3]]]),
            NSDictionary(), NSDictionary(dictionary: ["a": 1, "b": ["c": Data([1])]]),
            NSMutableDictionary(dictionary: [1: "one"]),
            NSSet(array: ["x", 2]), NSMutableSet(array: ["y"]),
            NSOrderedSet(array: ["z", "a", "m"]), NSMutableOrderedSet(array: [3, 1, 2]),
        ]
    }

    private func decoded(_ data: Data, _ classes: [AnyClass] = plainClasses) throws -> NSObject? {
        try KeyedArchiveReader.root(of: classes, from: data) as? NSObject
    }

    @Test("An archived object is read back equal and as mutable as it was", arguments: plainObjects.indices)
    func plainObjectsComeBackEqual(_ index: Int) throws {
        let object = Self.plainObjects[index]
        let data = try KeyedArchiveWriter.archivedData(withRootObject: object)
        let decoded = try decoded(data)
        #expect(decoded == object)
        let isMutable = NSStringFromClass(type(of: object)).contains("Mutable")
        #expect(decoded.map { NSStringFromClass(type(of: $0)).contains("Mutable") } == isMutable)
    }

    @Test("An object that contains itself is not archived, but a shared one is")
    func cyclicObjectsAreNotArchived() throws {
        let ring = Ring()
        let pair = NSArray(array: [ring, ring])
        let twice = try #require(
            try decoded(KeyedArchiveWriter.archivedData(withRootObject: pair), [NSArray.self, Ring.self])
                as? NSArray)
        #expect(twice.count == 2 && twice[0] as? Ring === twice[1] as? Ring)
        ring.next = ring
        defer { ring.next = nil }
        let error = #expect(throws: CocoaError.self) {
            try KeyedArchiveWriter.archivedData(withRootObject: ring)
        }
        #expect(error?.localizedDescription.contains("contains itself") == true)
    }

    @Test("An object of a class nested in a function is not archived")
    func aClassWithoutANameIsRefused() {
        final class Nameless: NSObject, NSSecureCoding {
            static var supportsSecureCoding: Bool { true }
            override init() {}
            init?(coder: NSCoder) { return nil }
            func encode(with coder: NSCoder) {}
        }
        let error = #expect(throws: CocoaError.self) {
            try KeyedArchiveWriter.archivedData(withRootObject: Nameless())
        }
        #expect(error?.localizedDescription.contains("nested, private or generic") == true)
    }

    @Test("An archived URL keeps its base")
    func urlKeepsItsBase() throws {
        let base = try #require(NSURL(string: "https://example.org/a/"))
        let url = try #require(NSURL(string: "b?c=d", relativeTo: base as URL))
        let data = try KeyedArchiveWriter.archivedData(withRootObject: url)
        let decoded = try #require(try decoded(data) as? NSURL)
        #expect(decoded.absoluteString == "https://example.org/a/b?c=d")
        #expect(decoded.relativeString == "b?c=d")
        #expect(decoded.baseURL?.absoluteString == "https://example.org/a/")
    }

    @Test("An archived decimal that is not a number stays so")
    func notANumberStaysSo() throws {
        let data = try KeyedArchiveWriter.archivedData(withRootObject: NSDecimalNumber.notANumber)
        let decoded = try #require(try decoded(data) as? NSDecimalNumber)
        #expect(decoded.decimalValue.isNaN)
    }

    @Test("An archived Boolean stays a Boolean and an integer stays an integer")
    func booleansStayBooleans() throws {
        let data = try KeyedArchiveWriter.archivedData(withRootObject: [true, 1] as [Any])
        let decoded = try #require(try decoded(data) as? NSArray)
        #expect(decoded[0] as? NSNumber === NSNumber(value: true))
        #expect(decoded[1] as? NSNumber !== NSNumber(value: true))
    }

    @Test("Swift values are archived as Foundation objects")
    func swiftValuesTravelAsFoundationObjects() throws {
        let value: [String: Any] = [
            "text": "a", "list": [1, 2], "set": Set(["x"]), "date": Date(timeIntervalSinceReferenceDate: 5),
            "url": try #require(URL(string: "https://example.org")), "uuid": UUID(), "data": Data([1]),
            "price": try #require(Decimal(string: "1.25")), "optional": Optional("there") as Any,
        ]
        let data = try KeyedArchiveWriter.archivedData(withRootObject: value)
        let decoded = try #require(try decoded(data) as? NSDictionary)
        #expect(decoded["text"] as? String == "a")
        #expect(decoded["list"] as? [Int] == [1, 2])
        #expect(decoded["set"] as? Set<String> == ["x"])
        #expect(decoded["date"] as? Date == Date(timeIntervalSinceReferenceDate: 5))
        #expect(decoded["url"] as? URL == value["url"] as? URL)
        #expect(decoded["uuid"] as? UUID == value["uuid"] as? UUID)
        #expect(decoded["data"] as? Data == Data([1]))
        #expect((decoded["price"] as? NSDecimalNumber)?.decimalValue == Decimal(string: "1.25"))
        #expect(decoded["optional"] as? String == "there")
    }

    @Test("An object archived twice is read as one")
    func sharedObjectsStayShared() throws {
        let shade = Shade(white: 0.5)
        let data = try KeyedArchiveWriter.archivedData(withRootObject: [shade, shade])
        let decoded = try #require(try decoded(data, [NSArray.self, Shade.self]) as? NSArray)
        #expect(decoded[0] as AnyObject === decoded[1] as AnyObject)
    }

    @Test("Objects of custom classes and subclasses are read back equal")
    func ownClassesComeBackEqual() throws {
        let palette = Palette(name: "warm", shades: [Shade(white: 0.1), DeepShade(white: 0.9)])
        let data = try KeyedArchiveWriter.archivedData(withRootObject: palette)
        let decoded = try #require(try decoded(data, [Palette.self]) as? Palette)
        #expect(decoded == palette)
        #expect(decoded.shades[1] is DeepShade)
    }

    @Test("Equal dictionaries give equal archives")
    func equalDictionariesGiveEqualBytes() throws {
        let keys = (0..<50).map { "key\($0)" }
        let one = Dictionary(uniqueKeysWithValues: keys.map { ($0, 1) })
        let other = Dictionary(uniqueKeysWithValues: keys.reversed().map { ($0, 1) })
        let first = try KeyedArchiveWriter.archivedData(withRootObject: one)
        #expect(try KeyedArchiveWriter.archivedData(withRootObject: other) == first)
    }

    // MARK: The same archives as Foundation's

    @Test("Foundation's unarchiver reads our archives")
    func foundationReadsWhatIsWrittenHere() throws {
        // Those of the plain objects that Foundation's own unarchiver reads without stopping the program.
        for object in Self.plainObjects where !(object is NSDecimalNumber || object is NSOrderedSet) {
            let data = try KeyedArchiveWriter.archivedData(withRootObject: object)
            let read = try NSKeyedUnarchiver.unarchivedObject(ofClasses: Self.plainClasses, from: data)
            #expect(read as? NSObject == object)
        }
        let palette = Shade(white: 0.75)
        let data = try KeyedArchiveWriter.archivedData(withRootObject: palette)
        #expect(try NSKeyedUnarchiver.unarchivedObject(ofClass: Shade.self, from: data) == palette)
    }

    @Test("Archives of Foundation's archiver are read")
    func archivesOfFoundationAreRead() throws {
        for object in Self.plainObjects where !(object is NSDecimalNumber) {
            let data = try NSKeyedArchiver.archivedData(withRootObject: object, requiringSecureCoding: true)
            #expect(try decoded(data) == object)
        }
        let shade = Shade(white: 0.75)
        let data = try NSKeyedArchiver.archivedData(withRootObject: shade, requiringSecureCoding: true)
        #expect(try decoded(data, [Shade.self]) == shade)
    }

    @Test("Foundation reads a binary property list without references")
    func propertyListsWithoutReferencesAreReadByFoundation() throws {
        let list = BinaryPropertyList(
            nodes: [
                .dictionary(keys: [1], values: [2]), .string("ключ"), .array([3, 4, 5, 6, 7]), .integer(-5),
                .unsigned(.max), .real(0.5), .date(10), .data(Data([9])),
            ], root: 0)
        let read = try PropertyListSerialization.propertyList(from: list.data(), format: nil)
        let array = try #require((read as? [String: Any])?["ключ"] as? [Any])
        #expect(array[0] as? Int == -5)
        #expect(array[1] as? UInt64 == .max)
        #expect(array[2] as? Double == 0.5)
        #expect(array[3] as? Date == Date(timeIntervalSinceReferenceDate: 10))
        #expect(array[4] as? Data == Data([9]))
    }

    @Test("Two Unicode forms of one string stay different")
    func spellingsOfOneTextAreKeptApart() throws {
        let spellings = ["caf\u{E9}", "cafe\u{301}"]
        let data = try KeyedArchiveWriter.archivedData(withRootObject: spellings)
        let texts = try #require(try decoded(data) as? NSArray).compactMap { $0 as? String }
        #expect(texts.map { Array($0.unicodeScalars) } == spellings.map { Array($0.unicodeScalars) })
    }

    @Test("An object that could not be read is not written")
    func unreadableObjectsAreNotWritten() {
        let crowd = NSSet(array: (0..<3_300).map { _ in CrowdedShade(white: 0) })
        for object in [NSDate(timeIntervalSinceReferenceDate: .nan), crowd] as [NSObject] {
            let error = #expect(throws: CocoaError.self) {
                try KeyedArchiveWriter.archivedData(withRootObject: [object])
            }
            #expect(error?.code == .coderInvalidValue)
        }
    }

    @Test("A key encoded twice has the later value")
    func aKeyThatIsUsedAgainHasTheLaterValue() throws {
        let data = try KeyedArchiveWriter.archivedData(withRootObject: TintedShade(white: 0.5))
        let read = try #require(try decoded(data, [TintedShade.self]) as? TintedShade)
        #expect(read.white == 0.75)
    }

    @Test("A class is found by a name registered for it")
    func classNamesFollowTheRegisteredOnes() throws {
        // `NSKeyedArchiver.setClassName(_:for:)` has no effect in Foundation on Linux, so the name is put in here.
        let data = try KeyedArchiveWriter.archivedData(withRootObject: RenamedShade(white: 0.5))
        let ownName = Data(NSStringFromClass(RenamedShade.self).utf8)
        let foreignName = Data("Elsewhere.Tint".utf8).prefix(ownName.count)
        var foreign = data
        let range = try #require(data.range(of: ownName))
        let padded =
            foreignName + Data(repeating: UInt8(ascii: "x"), count: ownName.count - foreignName.count)
        foreign.replaceSubrange(range, with: padded)
        #expect(throws: CocoaError.self) { try decoded(foreign, [RenamedShade.self]) }
        NSKeyedUnarchiver.setClass(RenamedShade.self, forClassName: String(decoding: padded, as: UTF8.self))
        let read = try #require(try decoded(foreign, [RenamedShade.self]) as? RenamedShade)
        #expect(read.white == 0.5)
    }
}

/// A class whose objects are all different and have one hash.
final class CrowdedShade: Shade {
    override func isEqual(_ object: Any?) -> Bool { object as AnyObject? === self }
    override var hash: Int { 1 }
}

/// A class that archives a field of its superclass anew.
final class TintedShade: Shade {
    override func encode(with coder: NSCoder) {
        super.encode(with: coder)
        coder.encode(0.75, forKey: "white")
    }
}

/// A class with another name in archives.
final class RenamedShade: NSObject, NSSecureCoding {
    static var supportsSecureCoding: Bool { true }

    let white: Double

    init(white: Double) { self.white = white }

    init?(coder: NSCoder) { white = coder.decodeDouble(forKey: "white") }

    func encode(with coder: NSCoder) { coder.encode(white, forKey: "white") }
}

/// An object that may lead back to itself.
final class Ring: NSObject, NSSecureCoding {
    static var supportsSecureCoding: Bool { true }
    var next: Ring?

    override init() {}

    init?(coder: NSCoder) { next = coder.decodeObject(of: Ring.self, forKey: "next") }

    func encode(with coder: NSCoder) { coder.encode(next, forKey: "next") }
}
