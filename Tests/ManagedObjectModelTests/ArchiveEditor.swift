import CocoaFoundation
import Testing

/// A keyed archive whose objects can be changed one by one, to make invalid archives.
struct ArchiveEditor {
    var nodes: [BinaryPropertyList.Node]
    private let root: Int
    private let archive: KeyedArchive
    /// The nodes of the objects, those that were added included.
    private var objects: [Int]

    init(_ data: Data) throws {
        archive = try KeyedArchive(data)
        nodes = archive.list.nodes
        root = archive.list.root
        objects = archive.objects
    }

    var data: Data { BinaryPropertyList(nodes: nodes, root: root).data() }

    /// The objects with fields, as places in the archive.
    func objects(of className: String? = nil) throws -> [Int] {
        try archive.objects.indices.filter { position in
            guard case .dictionary = archive.list.nodes[archive.objects[position]] else { return false }
            let name = try self.className(of: position)
            return className == nil ? name != nil : name == className
        }
    }

    func className(of position: Int) throws -> String? {
        let fields = try archive.list.fields(of: archive.objects[position])
        guard let index = fields["$class"], case .identifier(let identifier) = archive.list.nodes[index],
            let target = try archive.object(at: identifier),
            let name = try archive.list.fields(of: target)["$classname"],
            case .string(let text) = archive.list.nodes[name]
        else { return nil }
        return text
    }

    /// The place of the object of a class that has a text under a key.
    func position(_ className: String, where key: String, is text: String) throws -> Int? {
        try objects(of: className).first { position in
            guard let index = try archive.list.fields(of: archive.objects[position])[key],
                case .identifier(let identifier) = archive.list.nodes[index],
                let target = try archive.object(at: identifier)
            else { return false }
            if case .string(text) = archive.list.nodes[target] { return true }
            return false
        }
    }

    func integer(_ key: String, of position: Int) throws -> Int64? {
        guard let index = try archive.list.fields(of: archive.objects[position])[key],
            case .integer(let number) = archive.list.nodes[index]
        else { return nil }
        return number
    }

    func keys(of position: Int) throws -> [String] {
        try archive.list.fields(of: archive.objects[position]).keys.filter { $0 != "$class" }.sorted()
    }

    /// Puts a plain value under a key.
    mutating func set(_ key: String, of position: Int, to node: BinaryPropertyList.Node) {
        let index = objects[position]
        guard case .dictionary(var keys, var values) = nodes[index] else { return }
        nodes.append(node)
        let value = nodes.count - 1
        let known = keys.firstIndex {
            if case .string(key) = nodes[$0] { return true }
            return false
        }
        if let known {
            values[known] = value
        } else {
            nodes.append(.string(key))
            keys.append(nodes.count - 1)
            values.append(value)
        }
        nodes[index] = .dictionary(keys: keys, values: values)
    }

    /// Makes a key refer to another object of the archive.
    mutating func set(_ key: String, of position: Int, toObject other: Int) {
        set(key, of: position, to: .identifier(UInt64(other)))
    }

    /// Puts something else in the place of an object.
    mutating func setNode(of position: Int, to node: BinaryPropertyList.Node) {
        nodes[objects[position]] = node
    }

    /// Makes the place of one object that of another.
    mutating func replace(_ position: Int, with other: Int) {
        nodes[objects[position]] = nodes[objects[other]]
    }

    // MARK: More objects

    /// Adds an object with the class and the fields of another one.
    mutating func addCopy(of position: Int) throws -> Int {
        nodes.append(nodes[objects[position]])
        objects.append(nodes.count - 1)
        let list = try #require(archive.list.fields(of: root)["$objects"])
        nodes[list] = .array(objects)
        return objects.count - 1
    }

    /// Adds a list of objects, which may be the same ones more than once.
    mutating func addList(_ indexedChange: [Int]) throws -> Int {
        let list = try addCopy(of: #require(try objects(of: "NSArray").first))
        set("NS.objects", of: list, to: references(indexedChange))
        return list
    }

    /// Adds a text.
    mutating func addText(_ text: String) throws -> Int {
        let position = try addCopy(of: 0)
        nodes[objects[position]] = .string(text)
        return position
    }

    /// Adds a table with one entry.
    mutating func addTable(_ key: String, _ position: Int) throws -> Int {
        let classes = ["NSDictionary", "NSMutableDictionary"]
        let sample = try classes.lazy.compactMap { try objects(of: $0).first }.first
        let table = try addCopy(of: #require(sample))
        set("NS.keys", of: table, to: references([try addText(key)]))
        set("NS.objects", of: table, to: references([position]))
        return table
    }

    private mutating func references(_ indexedChange: [Int]) -> BinaryPropertyList.Node {
        .array(
            indexedChange.map { position in
                nodes.append(.identifier(UInt64(position)))
                return nodes.count - 1
            })
    }
}
