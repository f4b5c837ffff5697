import CocoaFoundation

/// A keyed archive whose objects can be changed one by one, to make archives that nobody would write.
struct ArchiveEditor {
    var nodes: [BinaryPropertyList.Node]
    private let root: Int
    private let archive: KeyedArchive

    init(_ data: Data) throws {
        archive = try KeyedArchive(data)
        nodes = archive.list.nodes
        root = archive.list.root
    }

    var data: Data { BinaryPropertyList(nodes: nodes, root: root).data() }

    /// The objects with fields, as places in the archive.
    func objects(of className: String? = nil) throws -> [Int] {
        try archive.objects.indices.filter { place in
            guard case .dictionary = archive.list.nodes[archive.objects[place]] else { return false }
            let name = try self.className(of: place)
            return className == nil ? name != nil : name == className
        }
    }

    func className(of place: Int) throws -> String? {
        let fields = try archive.list.fields(of: archive.objects[place])
        guard let index = fields["$class"], case .identifier(let identifier) = archive.list.nodes[index],
            let target = try archive.object(at: identifier),
            let name = try archive.list.fields(of: target)["$classname"],
            case .string(let text) = archive.list.nodes[name]
        else { return nil }
        return text
    }

    /// The place of the object of a class that has a text under a key.
    func place(_ className: String, where key: String, is text: String) throws -> Int? {
        try objects(of: className).first { place in
            guard let index = try archive.list.fields(of: archive.objects[place])[key],
                case .identifier(let identifier) = archive.list.nodes[index],
                let target = try archive.object(at: identifier)
            else { return false }
            if case .string(text) = archive.list.nodes[target] { return true }
            return false
        }
    }

    func integer(_ key: String, of place: Int) throws -> Int64? {
        guard let index = try archive.list.fields(of: archive.objects[place])[key],
            case .integer(let number) = archive.list.nodes[index]
        else { return nil }
        return number
    }

    func keys(of place: Int) throws -> [String] {
        try archive.list.fields(of: archive.objects[place]).keys.filter { $0 != "$class" }.sorted()
    }

    /// Puts a plain value under a key.
    mutating func set(_ key: String, of place: Int, to node: BinaryPropertyList.Node) {
        let index = archive.objects[place]
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
    mutating func set(_ key: String, of place: Int, toObject other: Int) {
        set(key, of: place, to: .identifier(UInt64(other)))
    }

    /// Makes the place of one object that of another.
    mutating func replace(_ place: Int, with other: Int) {
        nodes[archive.objects[place]] = nodes[archive.objects[other]]
    }
}
