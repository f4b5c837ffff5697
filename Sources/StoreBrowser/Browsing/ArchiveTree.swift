import CocoaFoundation
import Foundation

/// What a keyed archive or property list holds, as a tree of strings. No class is made: a hostile archive is data.
struct ArchiveTree: Encodable, Sendable {
    /// The key or index that leads here.
    let label: String
    /// The class or kind of the value.
    let kind: String
    let text: String
    let children: [ArchiveTree]

    private static let deepest = 32
    private static let maxNodes = 2000
    /// How many bytes of text the whole tree may have.
    private static let maxText = 512 << 10
    private static let longestText = 2000
    private static let longestName = 200
    /// How many entries of a dictionary are looked at for what an object's class and members are.
    private static let maxFields = 4096

    /// The tree of some data; nil for what is neither a keyed archive nor a binary property list.
    init?(_ data: Data) {
        guard BinaryPropertyList.isBinaryPropertyList(data), data.count <= Self.largest else { return nil }
        let archive = try? KeyedArchive(data)
        guard let list = archive?.list ?? (try? BinaryPropertyList(data)) else { return nil }
        var reader = Reader(list: list, archive: archive)
        if let archive {
            let top = archive.top.prefix(Self.maxNodes).sorted { $0.key < $1.key }
            let children = reader.fields(top, depth: 1)
            self = children.count == 1 ? children[0] : ArchiveTree("archive", "", "", children)
        } else {
            self = reader.tree(list.root, "property list", depth: 0)
        }
    }

    /// The most bytes that are taken apart.
    static let largest = 16 << 20

    private init(_ label: String, _ kind: String, _ text: String, _ children: [ArchiveTree] = []) {
        self.label = label
        self.kind = kind
        self.text = text
        self.children = children
    }

    private struct Reader {
        let list: BinaryPropertyList
        let archive: KeyedArchive?
        /// The objects of the archive on the way from the top to here: an archive may hold cycles.
        private var path: Set<UInt64> = []
        private var count = 0
        private var textLeft = ArchiveTree.maxText
        /// The names of classes by the position of their description; nil for what describes none.
        private var classNames: [Int: String?] = [:]

        init(list: BinaryPropertyList, archive: KeyedArchive?) {
            self.list = list
            self.archive = archive
        }

        private var isFull: Bool { count >= ArchiveTree.maxNodes || textLeft <= 0 }

        mutating func tree(_ index: Int, _ name: String, depth: Int) -> ArchiveTree {
            count += 1
            let label = cut(name, ArchiveTree.longestName)
            guard !isFull, depth <= ArchiveTree.deepest, list.nodes.indices.contains(index) else {
                return ArchiveTree(label, "…", "more than is shown")
            }
            switch list.nodes[index] {
            case .null: return ArchiveTree(label, "null", "null")
            case .boolean(let value): return ArchiveTree(label, "Boolean", value ? "true" : "false")
            case .integer(let value): return ArchiveTree(label, "number", "\(value)")
            case .unsigned(let value): return ArchiveTree(label, "number", "\(value)")
            case .real(let value): return ArchiveTree(label, "number", "\(value)")
            case .date(let value): return ArchiveTree(label, "date", MomentText.text(value) ?? "\(value)")
            case .data(let value): return ArchiveTree(label, "data", text(value))
            case .string(let value): return ArchiveTree(label, "text", cut(value, ArchiveTree.longestText))
            case .identifier(let reference): return object(reference, label, depth)
            case .array(let elements):
                let text = "\(elements.count) elements"
                return ArchiveTree(label, "array", text, members(elements, depth))
            case .set(let elements):
                let text = "\(elements.count) elements"
                return ArchiveTree(label, "set", text, members(elements, depth))
            case .dictionary(let keys, let values):
                return ArchiveTree(label, "dictionary", "\(keys.count) entries", pairs(keys, values, depth))
            }
        }

        private mutating func members(_ elements: [Int], _ depth: Int) -> [ArchiveTree] {
            var children: [ArchiveTree] = []
            for (index, element) in elements.enumerated() {
                guard !isFull else { break }
                children.append(tree(element, "\(index)", depth: depth + 1))
            }
            return children
        }

        private mutating func pairs(_ keys: [Int], _ values: [Int], _ depth: Int) -> [ArchiveTree] {
            var children: [ArchiveTree] = []
            for (key, value) in zip(keys, values) {
                guard !isFull else { break }
                children.append(tree(value, name(key), depth: depth + 1))
            }
            return children
        }

        mutating func fields(_ fields: [(key: String, value: Int)], depth: Int) -> [ArchiveTree] {
            var children: [ArchiveTree] = []
            for (key, value) in fields {
                guard !isFull else { break }
                children.append(tree(value, key, depth: depth))
            }
            return children
        }

        private mutating func object(_ reference: UInt64, _ label: String, _ depth: Int) -> ArchiveTree {
            guard let archive, let position = try? archive.object(at: reference) else {
                return ArchiveTree(label, "null", "null")
            }
            // A reference may lead to a reference, and so to itself.
            guard path.insert(reference).inserted else {
                return ArchiveTree(label, className(position) ?? "object", "↑ the same object")
            }
            defer { path.remove(reference) }
            guard let name = className(position),
                case .dictionary(let keys, let values) = list.nodes[position]
            else { return tree(position, label, depth: depth + 1) }
            let members = elements(value("NS.objects", keys, values))
            if let members, let names = elements(value("NS.keys", keys, values)) {
                return ArchiveTree(label, name, "", pairs(names, members, depth))
            }
            if let members { return ArchiveTree(label, name, "", self.members(members, depth)) }
            let shown = zip(keys, values).prefix(ArchiveTree.maxNodes).compactMap {
                key, value -> (key: String, value: Int)? in
                guard case .string(let text) = list.nodes[key], text != "$class" else { return nil }
                return (text, value)
            }
            let children = fields(shown.sorted { $0.key < $1.key }, depth: depth + 1)
            // A string, data or date that is an object is shown as its value.
            if children.count == 1, children[0].children.isEmpty, children[0].label.hasPrefix("NS.") {
                return ArchiveTree(label, name, children[0].text)
            }
            return ArchiveTree(label, name, "", children)
        }

        /// The name of the class of an object; nil for what has none.
        private mutating func className(_ position: Int) -> String? {
            guard case .dictionary(let keys, let values) = list.nodes[position],
                let field = value("$class", keys, values),
                case .identifier(let reference) = list.nodes[field],
                let description = try? archive?.object(at: reference)
            else { return nil }
            let name: String?
            if let known = classNames[description] {
                name = known
            } else {
                var found: String?
                if case .dictionary(let keys, let values) = list.nodes[description],
                    let field = value("$classname", keys, values), case .string(let text) = list.nodes[field]
                {
                    found = text.prefix(bytes: ArchiveTree.longestName)
                }
                classNames[description] = .some(found)
                name = found
            }
            return name.map { cut($0, ArchiveTree.longestName) }
        }

        /// The value of a key among the first entries of a dictionary.
        private func value(_ name: String, _ keys: [Int], _ values: [Int]) -> Int? {
            for (key, value) in zip(keys, values).prefix(ArchiveTree.maxFields) {
                if case .string(name) = list.nodes[key] { return value }
            }
            return nil
        }

        private func elements(_ index: Int?) -> [Int]? {
            guard let index, case .array(let elements) = list.nodes[index] else { return nil }
            return elements
        }

        /// A key as a label.
        private func name(_ index: Int) -> String {
            switch list.nodes[index] {
            case .string(let text): return text
            case .integer(let value): return "\(value)"
            case .identifier(let reference):
                guard let position = try? archive?.object(at: reference),
                    case .string(let text) = list.nodes[position]
                else { return "key" }
                return text
            default: return "key"
            }
        }

        /// The start of a string, as far as the tree has room for it.
        private mutating func cut(_ text: String, _ longest: Int) -> String {
            let start = text.prefix(bytes: min(longest, max(textLeft, 0)))
            textLeft -= start.utf8.count
            return start.utf8.count < text.utf8.count ? start + "…" : start
        }

        private mutating func text(_ data: Data) -> String {
            let start = data.prefix(64).map(\.hexadecimal).joined()
            textLeft -= start.utf8.count
            return "\(data.count) bytes: \(start)\(data.count > 64 ? "…" : "")"
        }
    }
}

extension UInt8 {
    /// Two digits.
    var hexadecimal: String { String(self >> 4, radix: 16) + String(self & 15, radix: 16) }
}
