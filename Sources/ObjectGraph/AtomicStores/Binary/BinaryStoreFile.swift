import CocoaFoundation
import Foundation

/// The contents of a binary store's file: a header of 64 bytes, and two keyed archives.
///
/// The header, whose numbers have their highest byte first: `CoreData`, 1 and the version of the format (32 bits each); where
/// the metadata begin and how long they are, the same of the objects, the highest number of an object, and 0 (64 bits).
package struct BinaryStoreFile {
    package struct Node {
        package let entityName: String
        package let number: Int64
        /// In the order of `DocumentStore.attributes(of:)`; nil for no value.
        package let values: [Any?]
        package let related: [String: [Int64]]
    }

    static let beginning = Data("CoreData".utf8)
    private static let headerLength = 64
    private static let version: UInt64 = 1 << 32 | 0x0804_0800

    /// The highest number that an object has had.
    package let lastNumber: Int64
    private let metadataBytes: Data
    private let objectBytes: Data

    // MARK: Reading

    /// - Throws: 134010 for a store of another type, 259 for a damaged one.
    package init(_ data: Data, _ url: URL) throws {
        guard data.starts(with: Self.beginning) else {
            throw StoreDocument.foreign(data, url, type: NSBinaryStoreType)
        }
        guard data.count >= Self.headerLength else {
            throw StoreDocument.damaged(url, "its header is cut off")
        }
        let header = data.prefix(Self.headerLength).dropFirst(8)
        let numbers = (0..<7).map { index in
            header.dropFirst(index * 8).prefix(8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        }
        guard numbers[0] == Self.version else { throw StoreDocument.damaged(url, "its version is unknown") }
        func part(_ index: Int) throws -> Data {
            guard let offset = Int(exactly: numbers[index]), let length = Int(exactly: numbers[index + 1]),
                offset <= data.count, length <= data.count - offset
            else { throw StoreDocument.damaged(url, "its parts lie outside of the file") }
            return Data(data.dropFirst(offset).prefix(length))
        }
        metadataBytes = try part(1)
        objectBytes = try part(3)
        guard let last = Int64(exactly: numbers[5]), last < MappedStore.numberLimit else {
            throw StoreDocument.damaged(url, "it has no number left for an object")
        }
        lastNumber = last
    }

    private static func checked<Value>(_ url: URL, _ body: () throws -> Value) throws -> Value {
        do {
            return try body()
        } catch let fault as MalformedPropertyList {
            throw StoreDocument.damaged(url, fault.reason)
        } catch let error as CocoaError where error.isCoderError {
            throw StoreDocument.damaged(url, error.localizedDescription)
        }
    }

    /// The metadata.
    func metadata(_ url: URL) throws -> [String: Any] {
        try Self.checked(url) { try Self.metadata(in: metadataBytes) }
    }

    private static func metadata(in bytes: Data) throws -> [String: Any] {
        let archive = try KeyedArchive(bytes)
        guard let root = archive.top["metadata"],
            let object = try KeyedArchiveReader(archive).object(
                at: root,
                allowed: [
                    NSDictionary.self, NSArray.self, NSString.self, NSNumber.self, NSData.self, NSDate.self,
                ])
        else { throw MalformedPropertyList("there are no metadata") }
        guard let dictionary = swiftValue(object) as? [String: Any] else {
            throw MalformedPropertyList("the metadata are not a dictionary")
        }
        return dictionary
    }

    /// The objects.
    ///
    /// - Parameters:
    ///   - url: the URL of the file, for errors.
    ///   - check: throws when the number of values is wrong for an entity's objects.
    package func nodes(_ url: URL, check: (_ entityName: String, _ valueCount: Int) throws -> Void) throws
        -> [Node]
    {
        try Self.checked(url) {
            // A store is read whole: the length of its file bounds its objects.
            let archive = try KeyedArchive(objectBytes, maximumObjects: .max)
            var reader = BinaryNodeReader(archive, budget: objectBytes.count)
            return try reader.nodes(check)
        }
    }

    /// A value of a Foundation class as Swift has it.
    static func swiftValue(_ object: AnyObject) -> Any {
        switch object {
        case let text as NSString: String(describing: text)
        case let number as NSNumber: number
        case let date as NSDate: Date(timeIntervalSinceReferenceDate: date.timeIntervalSinceReferenceDate)
        case let data as NSData: Data(referencing: data)
        case let uuid as NSUUID: UUID(uuidString: uuid.uuidString) ?? uuid
        case let url as NSURL: URL(string: url.absoluteString) ?? url
        case let array as NSArray: array.map { swiftValue($0 as AnyObject) }
        case let dictionary as NSDictionary:
            Dictionary(
                dictionary.map { ("\($0.key)", swiftValue($0.value as AnyObject)) },
                uniquingKeysWith: { a, _ in a })
        default: object
        }
    }

    // MARK: Writing

    /// An unreadable file must not replace a readable one: the archive is read back as a check.
    private static func archive(_ metadata: [String: Any]) throws -> Data {
        do {
            let writer = KeyedArchiveWriter()
            let root = writer.reference(to: metadata as NSDictionary)
            let archive = try writer.finish(root: root, key: "metadata")
            _ = try self.metadata(in: archive)
            return archive
        } catch {
            let reason = (error as? MalformedPropertyList)?.reason ?? error.localizedDescription
            throw NSError.coreData(
                .persistentStoreSave, "The store's metadata could not be read again: \(reason).",
                [NSUnderlyingErrorKey: error as NSError])
        }
    }

    /// - Throws: 134030 when a value cannot be archived, and for metadata that could not be read again.
    static func data(metadata: [String: Any], nodes: [Node], lastNumber: Int64) throws -> Data {
        try data(metadata, objects: BinaryNodeWriter().data(nodes), lastNumber)
    }

    /// The same objects with other metadata.
    func setting(_ metadata: [String: Any]) throws -> Data {
        try Self.data(metadata, objects: objectBytes, lastNumber)
    }

    private static func data(_ metadata: [String: Any], objects: Data, _ lastNumber: Int64) throws -> Data {
        guard PropertyListSerialization.propertyList(metadata, isValidFor: .binary) else {
            throw NSError.coreData(
                .persistentStoreSave, "The store's metadata has a value that is not one of a property list.")
        }
        let archived = try archive(metadata)
        var data = beginning
        let offset = UInt64(headerLength + objects.count)
        for number in [
            version, offset, UInt64(archived.count), UInt64(headerLength), UInt64(objects.count),
            UInt64(lastNumber), 0,
        ] {
            withUnsafeBytes(of: number.bigEndian) { data.append(contentsOf: $0) }
        }
        return data + objects + archived
    }
}

/// Reads the objects of a binary store: a dictionary of numbers and `NSDictionaryMapNode`s.
///
/// The size of the file bounds what is read: each element of a list, nulls included, takes at least a byte of it, unless lists
/// are shared, which no writer does.
private struct BinaryNodeReader {
    private let archive: KeyedArchive
    private let reader: KeyedArchiveReader
    /// How many more elements of lists are allowed.
    private var budget: Int

    init(_ archive: KeyedArchive, budget: Int) {
        self.archive = archive
        self.budget = budget
        // The values are plain ones, which are counted in their lists.
        reader = KeyedArchiveReader(archive, maximumWeight: .max)
    }

    mutating func nodes(_ check: (String, Int) throws -> Void) throws -> [BinaryStoreFile.Node] {
        guard let root = archive.top["mapData"] else { throw MalformedPropertyList("there are no objects") }
        var positions: Set<Int> = []
        var nodes: [BinaryStoreFile.Node] = []
        for element in try list("NS.objects", of: try fields(root)) {
            let position = try position(element)
            guard positions.insert(position).inserted else {
                throw MalformedPropertyList("an object is listed twice")
            }
            nodes.append(try node(try archive.list.fields(of: position), check))
        }
        return nodes
    }

    /// The fields of the object that a reference leads to.
    private func fields(_ index: Int) throws -> [String: Int] {
        try archive.list.fields(of: try position(index))
    }

    private func position(_ index: Int) throws -> Int {
        guard case .identifier(let reference) = archive.list.nodes[index],
            let position = try archive.object(at: reference)
        else { throw MalformedPropertyList("there is no object where one should be") }
        return position
    }

    private mutating func list(_ key: String, of fields: [String: Int]) throws -> [Int] {
        guard let index = fields[key], case .array(let elements) = archive.list.nodes[index] else {
            throw MalformedPropertyList("a collection has no elements")
        }
        budget -= elements.count
        guard budget >= 0 else {
            throw MalformedPropertyList("its lists expand to more elements than the file has bytes")
        }
        return elements
    }

    private mutating func node(
        _ fields: [String: Int], _ check: (String, Int) throws -> Void
    ) throws -> BinaryStoreFile.Node {
        guard try archive.classNames(of: fields).first == "NSDictionaryMapNode" else {
            throw MalformedPropertyList("there is an object of another class among the nodes")
        }
        guard let name = fields["NSEntityName"],
            let name = try reader.object(at: name, allowed: [NSString.self]).map(BinaryStoreFile.swiftValue)
                as? String,
            let key = fields["NSPrimaryKey64"], case .integer(let number) = archive.list.nodes[key],
            number > 0,
            let values = fields["NSAttributeValues"]
        else { throw MalformedPropertyList("a node is not complete") }
        let positions = try list("NS.objects", of: try self.fields(values))
        try check(name, positions.count)
        var related: [String: [Int64]] = [:]
        if let index = fields["NSRelatedNodes"], case .identifier(let reference) = archive.list.nodes[index],
            reference != 0
        {
            let table = try self.fields(index)
            let keys = try list("NS.keys", of: table)
            let lists = try list("NS.objects", of: table)
            guard keys.count == lists.count else {
                throw MalformedPropertyList("a dictionary is not complete")
            }
            for (key, list) in zip(keys, lists) {
                let name = try reader.object(at: key, allowed: [NSString.self]).map(
                    BinaryStoreFile.swiftValue)
                guard let name = name as? String else { throw MalformedPropertyList("a key is not a string") }
                related[name] = try self.list("NS.objects", of: try self.fields(list)).map(self.number)
            }
        }
        return BinaryStoreFile.Node(
            entityName: name, number: number,
            values: try positions.map(value), related: related)
    }

    private func number(_ index: Int) throws -> Int64 {
        guard let number = try reader.object(at: index, allowed: [NSNumber.self]) as? NSNumber else {
            throw MalformedPropertyList("the number of an object is not valid")
        }
        return number.int64Value
    }

    private func value(_ index: Int) throws -> Any? {
        let object = try reader.object(
            at: index,
            allowed: [
                NSNull.self, NSString.self, NSNumber.self, NSDecimalNumber.self, NSDate.self, NSData.self,
                NSUUID.self, NSURL.self,
            ])
        return object.flatMap { $0 is NSNull ? nil : BinaryStoreFile.swiftValue($0) }
    }
}

/// Writes the objects of a binary store as Apple's archives have them.
private struct BinaryNodeWriter {
    private let archive = KeyedArchiveWriter()

    func data(_ nodes: [BinaryStoreFile.Node]) throws -> Data {
        let root = archive.reserve()
        var texts: [String: Int] = [:]
        var numbers: [Int64: Int] = [:]
        func text(_ text: String) -> Int {
            if let known = texts[text] { return known }
            let position = archive.addObject(.string(text))
            texts[text] = position
            return position
        }
        func number(_ number: Int64) -> Int {
            if let known = numbers[number] { return known }
            let position = archive.addObject(.integer(number))
            numbers[number] = position
            return position
        }
        func value(_ value: Any?) -> Int {
            switch value {
            case nil: archive.reference(to: NSNull())
            case let value as String: text(value)
            // Truth values, too, are numbers in Apple's files.
            case let value as NSNumber where value === NSNumber(value: true): number(1)
            case let value as NSNumber where value === NSNumber(value: false): number(0)
            case let value?: archive.reference(to: value)
            }
        }
        let keys = nodes.map { number($0.number) }
        var positions: [Int] = []
        for node in nodes {
            let position = archive.reserve()
            positions.append(position)
            var fields = [
                (key: "NSEntityName", value: reference(text(node.entityName))),
                (key: "NSAttributeValues", value: list(["NSArray"], node.values.map(value))),
                (key: "NSPrimaryKey64", value: archive.add(.integer(node.number))),
            ]
            let related = node.related.filter { !$0.value.isEmpty }.sorted { $0.key < $1.key }
            if !related.isEmpty {
                let lists = related.map { entry in
                    let position = archive.reserve()
                    fill(position, ["NSArray"], entry.value.map(number))
                    return position
                }
                let table = archive.reserve()
                archive.fill(
                    table, classNames: ["NSMutableDictionary", "NSDictionary"],
                    fields: [
                        (key: "NS.keys", value: references(related.map { text($0.key) })),
                        (key: "NS.objects", value: references(lists)),
                    ])
                fields.append((key: "NSRelatedNodes", value: reference(table)))
            }
            archive.fill(position, classNames: ["NSDictionaryMapNode", "NSStoreMapNode"], fields: fields)
        }
        archive.fill(
            root, classNames: ["NSMutableDictionary", "NSDictionary"],
            fields: [
                (key: "NS.keys", value: references(keys)), (key: "NS.objects", value: references(positions)),
            ])
        do {
            return try archive.finish(root: root, key: "mapData", maximumObjects: .max)
        } catch {
            throw NSError.coreData(
                .persistentStoreSave, "A value cannot be archived: \(error.localizedDescription)",
                [NSUnderlyingErrorKey: error as NSError])
        }
    }

    private func reference(_ position: Int) -> Int { archive.add(.identifier(UInt64(position))) }

    private func references(_ positions: [Int]) -> Int { archive.add(.array(positions.map(reference))) }

    private func list(_ classNames: [String], _ positions: [Int]) -> Int {
        let position = archive.reserve()
        fill(position, classNames, positions)
        return reference(position)
    }

    private func fill(_ position: Int, _ classNames: [String], _ positions: [Int]) {
        archive.fill(
            position, classNames: classNames, fields: [(key: "NS.objects", value: references(positions))])
    }
}
