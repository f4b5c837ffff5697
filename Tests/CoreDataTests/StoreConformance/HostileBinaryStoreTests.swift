import CocoaFoundation
import CoreData
import Foundation
import Testing

/// Binary stores whose archives are made by hand.
struct HostileBinaryStoreTests {
    /// The objects of a store of links, as an archive in the making.
    private final class Objects {
        let archive = KeyedArchiveWriter()
        let root: Int
        var keys: [Int] = []
        var nodes: [Int] = []
        let name: Int

        init() {
            root = archive.reserve()
            name = archive.addObject(.string("Link"))
        }

        func reference(_ position: Int) -> Int { archive.add(.identifier(UInt64(position))) }

        func list(_ positions: [Int]) -> Int {
            let position = archive.reserve()
            archive.fill(
                position, classNames: ["NSArray"],
                fields: [(key: "NS.objects", value: archive.add(.array(positions.map(reference))))])
            return position
        }

        /// Adds a node, and returns its place.
        @discardableResult
        func node(_ number: Int, values list: Int) -> Int {
            let position = archive.reserve()
            archive.fill(
                position, classNames: ["NSDictionaryMapNode", "NSStoreMapNode"],
                fields: [
                    (key: "NSEntityName", value: reference(name)),
                    (key: "NSAttributeValues", value: reference(list)),
                    (key: "NSPrimaryKey64", value: archive.add(.integer(Int64(number)))),
                ])
            keys.append(archive.addObject(.integer(Int64(number))))
            nodes.append(position)
            return position
        }

        func data() throws -> Data {
            archive.fill(
                root, classNames: ["NSMutableDictionary", "NSDictionary"],
                fields: [
                    (key: "NS.keys", value: archive.add(.array(keys.map(reference)))),
                    (key: "NS.objects", value: archive.add(.array(nodes.map(reference)))),
                ])
            return try archive.finish(root: root, key: "mapData")
        }
    }

    private static func model() -> NSManagedObjectModel {
        NSManagedObjectModel(of: NSEntityDescription("Link", attribute("site", .uri)))
    }

    /// A file with the metadata of an empty store and these objects.
    private func store(_ objects: Objects) throws -> ConformanceStore {
        let store = try ConformanceStore(.binary)
        try store.open(Self.model()).close()
        let empty = try Data(contentsOf: store.url)
        func number(_ index: Int) -> Int {
            empty.dropFirst(16 + index * 8).prefix(8).reduce(0) { $0 << 8 | Int($1) }
        }
        let metadata = empty.dropFirst(number(0)).prefix(number(1))
        let data = try objects.data()
        var file = Data(empty.prefix(16))
        for number in [64 + data.count, metadata.count, 64, data.count, objects.nodes.count, 0] {
            withUnsafeBytes(of: UInt64(number).bigEndian) { file.append(contentsOf: $0) }
        }
        try (file + data + metadata).write(to: store.url)
        return store
    }

    @Test("Seven thousand objects may share one deeply relative URL")
    func sharedURLs() throws {
        let objects = Objects()
        // One address that is made of 400, as Foundation would not write it.
        var base = 0
        for index in 0..<400 {
            let relative = objects.archive.addObject(
                .string(index == 0 ? "https://example.org/" : "\(index)"))
            let position = objects.archive.reserve()
            objects.archive.fill(
                position, classNames: ["NSURL"],
                fields: [
                    (key: "NS.base", value: objects.reference(base)),
                    (key: "NS.relative", value: objects.reference(relative)),
                ])
            base = position
        }
        for number in 1...7000 { objects.node(number, values: objects.list([base])) }
        let coordinator = try store(objects).open(Self.model())
        try coordinator.inContext { context in
            let found = try context.all("Link")
            #expect(found.count == 7000)
            #expect(found.first?.value(forKey: "site") as? URL == URL(string: "https://example.org/399"))
        }
    }

    @Test("A node that is listed twice is refused")
    func nodeListedTwice() throws {
        let objects = Objects()
        let list = objects.list([0])
        let position = objects.node(1, values: list)
        objects.nodes += Array(repeating: position, count: 3)
        let hostile = try store(objects)
        let found = try error { _ = try hostile.open(Self.model()) }
        #expect(found.code == NSFileReadCorruptFileError && found.localizedDescription.contains("twice"))
    }

    @Test("A value list shared by nodes is read, and one longer than its entity is refused")
    func sharedLists() throws {
        // Each node stands for a thousand values that are nothing.
        let objects = Objects()
        let list = objects.list(Array(repeating: 0, count: 1000))
        for number in 1...500 { objects.node(number, values: list) }
        let hostile = try store(objects)
        let found = try error { _ = try hostile.open(Self.model()) }
        #expect(found.code == 134020 && found.localizedDescription.contains("1000 values"))

        let sharing = Objects()
        let one = sharing.list([0])
        for number in 1...50 { sharing.node(number, values: one) }
        let shared = try store(sharing)
        #expect(try shared.open(Self.model()).inContext { try $0.all("Link").count } == 50)
    }

    @Test("Relationships that list more than the file holds are refused")
    func oversizedRelationships() throws {
        let objects = Objects()
        let numbers = objects.list(Array(repeating: objects.archive.addObject(.integer(1)), count: 20_000))
        let keys = (0..<500).map { objects.archive.addObject(.string("links\($0)")) }
        let table = objects.archive.reserve()
        objects.archive.fill(
            table, classNames: ["NSMutableDictionary", "NSDictionary"],
            fields: [
                (key: "NS.keys", value: objects.archive.add(.array(keys.map(objects.reference)))),
                (
                    key: "NS.objects",
                    value: objects.archive.add(.array(keys.map { _ in objects.reference(numbers) }))
                ),
            ])
        let position = objects.node(1, values: objects.list([0]))
        objects.archive.fill(
            position, classNames: ["NSDictionaryMapNode", "NSStoreMapNode"],
            fields: [
                (key: "NSEntityName", value: objects.reference(objects.name)),
                (key: "NSAttributeValues", value: objects.reference(objects.list([0]))),
                (key: "NSPrimaryKey64", value: objects.archive.add(.integer(1))),
                (key: "NSRelatedNodes", value: objects.reference(table)),
            ])
        let hostile = try store(objects)
        let found = try error { _ = try hostile.open(Self.model()) }
        #expect(
            found.code == NSFileReadCorruptFileError
                && found.localizedDescription.contains("more elements than"))
    }
}
