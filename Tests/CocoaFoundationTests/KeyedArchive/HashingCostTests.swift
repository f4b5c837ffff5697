import Foundation
import Testing

@testable import CocoaFoundation

/// What the sets and dictionaries of an archive cost to make is bounded for the whole archive.
@Suite struct HashingCostTests {
    /// An archive whose objects are put together one by one. Places count from 1: 0 is the null object.
    fileprivate struct Builder {
        var table = PropertyListTable()
        private var objects: [Int]
        private var classes: [String: Int] = [:]

        init() { objects = [table.add(.string("$null"))] }

        mutating func add(_ node: BinaryPropertyList.Node) -> Int { addObject(table.add(node)) }

        mutating func addObject(_ index: Int) -> Int {
            objects.append(index)
            return objects.count - 1
        }

        private mutating func place(of name: String) -> Int {
            if let known = classes[name] { return known }
            let description = table.addDictionary([
                ("$classname", table.add(.string(name))), ("$classes", table.add(.array([]))),
            ])
            objects.append(description)
            classes[name] = objects.count - 1
            return objects.count - 1
        }

        private mutating func references(_ indexedChange: [Int]) -> Int {
            let references = indexedChange.map { table.add(.identifier(UInt64($0))) }
            return table.add(.array(references))
        }

        /// An object of a class of collections; a dictionary with the number 1 for each key.
        mutating func collection(_ name: String, _ indexedChange: [Int]) -> Int {
            let reference = UInt64(place(of: name))
            var fields = [("$class", table.add(.identifier(reference)))]
            if name.hasSuffix("Dictionary") {
                let one = add(.integer(1))
                fields.append(("NS.keys", references(indexedChange)))
                fields.append(("NS.objects", references(indexedChange.map { _ in one })))
            } else {
                fields.append(("NS.objects", references(indexedChange)))
            }
            objects.append(table.addDictionary(fields))
            return objects.count - 1
        }

        mutating func data(root: Int) -> Data {
            let archive = table.addDictionary([
                ("$version", table.add(.integer(100_000))),
                ("$archiver", table.add(.string("NSKeyedArchiver"))),
                ("$top", table.addDictionary([("root", table.add(.identifier(UInt64(root))))])),
                ("$objects", table.add(.array(objects))),
            ])
            return BinaryPropertyList(nodes: table.nodes, root: archive).data()
        }
    }

    private func read(_ data: Data) throws -> AnyObject? {
        try KeyedArchiveReader.root(of: KeyedArchiveTests.plainClasses, from: data)
    }

    private func isRefused(_ data: Data, _ location: SourceLocation = #_sourceLocation) {
        let error = #expect(throws: CocoaError.self, sourceLocation: location) { try read(data) }
        #expect(error?.code == .coderReadCorrupt, sourceLocation: location)
        #expect(error?.localizedDescription.contains("same hash") == true, sourceLocation: location)
    }

    /// A dictionary or set of sets that have the same set and a number of their own, so that their hashes are equal.
    private func keyed(_ name: String, keys: Int, weight: Int) -> Data {
        var builder = Builder()
        let shared = builder.collection("NSSet", (0..<weight).map { builder.add(.integer(Int64($0))) })
        let members = (0..<keys).map {
            builder.collection("NSSet", [shared, builder.add(.integer($0.wide))])
        }
        let root = builder.collection(name, members)
        return builder.data(root: root)
    }

    @Test(
        "Few keys of equal hash that are costly to compare are refused",
        arguments: [
            "NSDictionary", "NSMutableDictionary", "NSSet", "NSMutableSet", "NSOrderedSet",
            "NSMutableOrderedSet",
        ])
    func heavyKeys(_ name: String) {
        isRefused(keyed(name, keys: 250, weight: 100))
    }

    @Test("A large archive of such keys is refused at once")
    func manyHeavyKeys() {
        // The comparisons would take hours.
        isRefused(keyed("NSDictionary", keys: 900, weight: 5_000))
    }

    @Test("Members of equal hash are read if they are cheap to compare")
    func cheapKeys() throws {
        let dictionary = try #require(try read(keyed("NSDictionary", keys: 300, weight: 1)) as? NSDictionary)
        #expect(dictionary.count == 300)
        #expect(dictionary[NSSet(array: [NSSet(object: 0), 299])] as? Int == 1)
        #expect((try read(keyed("NSSet", keys: 300, weight: 1)) as? NSSet)?.count == 300)
    }

    @Test("The bound applies to the archive as a whole")
    func manySets() throws {
        func archive(_ count: Int) -> Data {
            var builder = Builder()
            let sets = (0..<count).map { set in
                let members = (0..<300).map {
                    builder.collection("NSSet", [builder.add(.integer(($0 + set * 300).wide))])
                }
                return builder.collection("NSSet", members)
            }
            let root = builder.collection("NSArray", sets)
            return builder.data(root: root)
        }
        #expect((try read(archive(2)) as? NSArray)?.count == 2)
        isRefused(archive(40))
    }

    @Test("Sets of sets count the comparison of their inner sets")
    func setsOfSets() {
        var builder = Builder()
        // Two hundred sets that differ in one member; the other members all have one hash.
        let common = (0..<60).map { builder.collection("NSSet", [builder.add(.integer($0.wide))]) }
        let sets = (0..<200).map {
            builder.collection(
                "NSSet", common + [builder.collection("NSSet", [builder.add(.integer((1_000 + $0).wide))])])
        }
        let root = builder.collection("NSSet", sets)
        isRefused(builder.data(root: root))
    }

    @Test("Strings and data count by their length")
    func longTexts() throws {
        var builder = Builder()
        // Only parts of a text and of data go into their hashes.
        let members = (0..<200).map { number in
            var bytes = Data(repeating: 0x61, count: 20_000)
            bytes[1_000] = UInt8(number)
            return builder.add(.data(bytes))
        }
        let root = builder.collection("NSSet", members)
        let data = builder.data(root: root)
        let hashes = (UInt8(0)..<9).map { byte in
            var bytes = Data(repeating: 0x61, count: 20_000)
            bytes[1_000] = byte
            return (bytes as NSData).hash
        }
        if Set(hashes).count == 1 {
            isRefused(data)
        } else {
            #expect((try read(data) as? NSSet)?.count == 200)
        }
    }

    @Test("The last of equal keys of a dictionary takes precedence")
    func equalKeys() throws {
        var builder = Builder()
        let keys = [builder.add(.string("a")), builder.add(.string("b")), builder.add(.string("a"))]
        let root = builder.collection("NSDictionary", keys)
        let dictionary = try #require(try read(builder.data(root: root)) as? NSDictionary)
        #expect(dictionary == ["a": 1, "b": 1])
    }

    @Test("Sets too costly to read are not written")
    func writing() throws {
        // Members that are cheap to compare here, and heavy by what they archive.
        let crowd = NSSet(array: (0..<300).map { _ in CrowdedNote(String(repeating: "a", count: 6_400)) })
        let error = #expect(throws: CocoaError.self) {
            try KeyedArchiveWriter.archivedData(withRootObject: [crowd])
        }
        #expect(error?.code == .coderInvalidValue)
        let few = NSSet(array: (0..<20).map { _ in CrowdedNote(String(repeating: "a", count: 6_400)) })
        let data = try KeyedArchiveWriter.archivedData(withRootObject: few)
        let read = try KeyedArchiveReader.root(of: [NSSet.self, CrowdedNote.self], from: data) as? NSSet
        #expect(read?.count == 20)
    }

    @Test("Only a few of the classes that an archive proposes for a missing one are looked up")
    func classNames()
        throws
    {
        var builder = Builder()
        let names = (0..<1_000).map { builder.table.add(.string("Missing\($0)")) }
        let description = builder.table.addDictionary([
            ("$classname", builder.table.add(.string("Missing"))),
            ("$classes", builder.table.add(.array([]))),
            ("$classhints", builder.table.add(.array(names))),
        ])
        let reference = builder.table.add(.identifier(UInt64(builder.addObject(description))))
        let root = builder.addObject(builder.table.addDictionary([("$class", reference)]))
        let archive = try KeyedArchive(builder.data(root: root))
        let fields = try archive.list.fields(of: archive.objects[root])
        #expect(try archive.classNames(of: fields).count == 33)
        #expect(throws: CocoaError.self) { try read(builder.data(root: root)) }
    }
}

extension Int {
    fileprivate var wide: Int64 { Int64(self) }
}

/// A class whose objects are all different, have one hash and a text.
final class CrowdedNote: NSObject, NSSecureCoding {
    static var supportsSecureCoding: Bool { true }
    let text: String

    init(_ text: String) { self.text = text }

    init?(coder: NSCoder) {
        guard let text = coder.decodeObject(of: NSString.self, forKey: "text") else { return nil }
        self.text = String(describing: text)
    }

    func encode(with coder: NSCoder) { coder.encode(text as NSString, forKey: "text") }

    override func isEqual(_ object: Any?) -> Bool { object as AnyObject? === self }
    override var hash: Int { 1 }
}
