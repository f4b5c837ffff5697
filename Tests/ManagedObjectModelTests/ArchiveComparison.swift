import CocoaFoundation

/// What differs between two keyed archives when their objects are compared class by class and key by key.
///
/// References are followed; whether two fields share an object does not count, nor does the order in sets and
/// dictionaries.
struct ArchiveComparison {
    struct Difference: CustomStringConvertible {
        /// The class of the object that has the key, in the archive of Apple's.
        let className: String
        let key: String
        /// What the archives have, in short; `-` for a key that is missing.
        let apple: String
        let ours: String
        /// Where, from the outermost object.
        let path: String

        var description: String { "\(className).\(key): \(apple) | \(ours) at \(path)" }
    }

    private let apple: KeyedArchive
    private let ours: KeyedArchive
    private(set) var differences: [Difference] = []
    private(set) var objects = 0

    private struct Pair: Hashable {
        let apple: Int
        let ours: Int
    }
    private struct Work {
        let pair: Pair
        let path: String
        let className: String
        let key: String
    }
    private var seen: Set<Pair> = []
    private var work: [Work] = []

    init(apple: Data, ours: Data) throws {
        self.apple = try KeyedArchive(apple)
        self.ours = try KeyedArchive(ours)
        guard let a = self.apple.top["root"], let b = self.ours.top["root"] else {
            differences.append(.init(className: "", key: "$top", apple: "", ours: "", path: ""))
            return
        }
        work.append(Work(pair: Pair(apple: a, ours: b), path: "", className: "", key: "root"))
        while let next = work.popLast() { try compare(next) }
    }

    private static func target(_ index: Int, in archive: KeyedArchive) throws -> Int? {
        guard case .identifier(let reference) = archive.list.nodes[index] else { return index }
        return try archive.object(at: reference)
    }

    private static func className(_ fields: [String: Int], in archive: KeyedArchive) throws -> String {
        guard let index = fields["$class"], let target = try target(index, in: archive),
            let name = try archive.list.fields(of: target)["$classname"],
            case .string(let name) = archive.list.nodes[name]
        else { return "?" }
        return name
    }

    private mutating func report(_ item: Work, _ apple: String, _ ours: String) {
        differences.append(
            Difference(className: item.className, key: item.key, apple: apple, ours: ours, path: item.path))
    }

    private static func text(_ index: Int?, in archive: KeyedArchive) throws -> String {
        guard let index else { return "null" }
        switch archive.list.nodes[index] {
        case .dictionary:
            let fields = try archive.list.fields(of: index)
            let name = try className(fields, in: archive)
            if let text = fields["NS.string"], case .string(let text) = archive.list.nodes[text] {
                return "\(name) '\(text)'"
            }
            return name
        case .string(let text): return "'\(text)'"
        case let node: return "\(node)"
        }
    }

    private mutating func compare(_ item: Work) throws {
        let a = try Self.target(item.pair.apple, in: apple)
        let b = try Self.target(item.pair.ours, in: ours)
        guard let a, let b else {
            if a != b { report(item, try Self.text(a, in: apple), try Self.text(b, in: ours)) }
            return
        }
        guard seen.insert(Pair(apple: a, ours: b)).inserted else { return }
        objects += 1
        guard case .dictionary = apple.list.nodes[a], case .dictionary = ours.list.nodes[b] else {
            let (x, y) = (try Self.text(a, in: apple), try Self.text(b, in: ours))
            if x != y { report(item, x, y) }
            return
        }
        let (x, y) = (try apple.list.fields(of: a), try ours.list.fields(of: b))
        let name = try Self.className(x, in: apple)
        let otherName = try Self.className(y, in: ours)
        if name != otherName {
            report(item, name, otherName)
            // It has no keys of a property; what it stands for is compared where it is declared.
            if name == "_NSPropertyDescriptionProxy" { return }
        }
        if x["NS.keys"] != nil, y["NS.keys"] != nil {
            try compareTables(
                item, try elements(x["NS.keys"], in: apple), try elements(x["NS.objects"], in: apple),
                try elements(y["NS.keys"], in: ours), try elements(y["NS.objects"], in: ours))
        } else if let first = x["searchMapping"], let second = y["searchMapping"] {
            for key in ["emptyToken", "version"] { try compareField(key, x, y, name, item.path) }
            try compareKnownKeys(item, first, second, x["values"], y["values"])
        } else if x["NS.objects"] != nil, y["NS.objects"] != nil {
            try compareLists(
                item, name.hasSuffix("Set"), try elements(x["NS.objects"], in: apple),
                try elements(y["NS.objects"], in: ours))
        } else {
            for key in Set(x.keys).union(y.keys).sorted() where key != "$class" {
                try compareField(key, x, y, name, item.path)
            }
        }
    }

    private mutating func compareField(
        _ key: String, _ x: [String: Int], _ y: [String: Int], _ className: String, _ path: String
    ) throws {
        let item = Work(
            pair: Pair(apple: x[key] ?? -1, ours: y[key] ?? -1), path: path, className: className, key: key)
        guard let first = x[key], let second = y[key] else {
            return report(
                item, try x[key].map { try Self.text(Self.target($0, in: apple), in: apple) } ?? "-",
                try y[key].map { try Self.text(Self.target($0, in: ours), in: ours) } ?? "-")
        }
        work.append(
            Work(
                pair: Pair(apple: first, ours: second), path: "\(path)/\(key)", className: className, key: key
            ))
    }

    private func elements(_ index: Int?, in archive: KeyedArchive) throws -> [Int] {
        guard let index, case .array(let elements) = archive.list.nodes[index] else { return [] }
        return elements
    }

    private func keyTexts(_ keys: [Int], in archive: KeyedArchive) throws -> [String] {
        try keys.map { try Self.text(Self.target($0, in: archive), in: archive) }
    }

    private mutating func compareTables(
        _ item: Work, _ keys: [Int], _ values: [Int], _ otherKeys: [Int], _ otherValues: [Int]
    ) throws {
        let x = Dictionary(zip(try keyTexts(keys, in: apple), values)) { first, _ in first }
        let y = Dictionary(zip(try keyTexts(otherKeys, in: ours), otherValues)) { first, _ in first }
        if Set(x.keys) != Set(y.keys) {
            report(item, "\(x.keys.sorted())", "\(y.keys.sorted())")
        }
        for (key, value) in x {
            guard let other = y[key] else { continue }
            work.append(
                Work(
                    pair: Pair(apple: value, ours: other), path: "\(item.path)[\(key)]",
                    className: item.className, key: item.key))
        }
    }

    private mutating func compareKnownKeys(
        _ item: Work, _ first: Int, _ second: Int, _ values: Int?, _ otherValues: Int?
    ) throws {
        func list(_ index: Int?, _ archive: KeyedArchive) throws -> [Int] {
            guard let index, let target = try Self.target(index, in: archive) else { return [] }
            return try elements(archive.list.fields(of: target)["NS.objects"], in: archive)
        }
        guard let a = try Self.target(first, in: apple), let b = try Self.target(second, in: ours) else {
            return report(item, "mapping", "mapping")
        }
        let (x, y) = (try apple.list.fields(of: a), try ours.list.fields(of: b))
        let name = try Self.className(x, in: apple)
        if try name != Self.className(y, in: ours) { report(item, name, "another class") }
        for key in ["length", "version"] { try compareField(key, x, y, name, item.path) }
        try compareTables(
            item, try list(x["keys"], apple), try list(values, apple), try list(y["keys"], ours),
            try list(otherValues, ours))
    }

    private mutating func compareLists(
        _ item: Work, _ isSet: Bool, _ first: [Int], _ second: [Int]
    ) throws {
        guard first.count == second.count else {
            return report(item, "\(first.count) elements", "\(second.count) elements")
        }
        var (x, y) = (first, second)
        if isSet {
            x = try sorted(x, in: apple)
            y = try sorted(y, in: ours)
        }
        for (index, (a, b)) in zip(x, y).enumerated() {
            work.append(
                Work(
                    pair: Pair(apple: a, ours: b), path: "\(item.path)[\(index)]", className: item.className,
                    key: item.key))
        }
    }

    /// The elements of a set by what they are: entities by name, plain values by value.
    private func sorted(_ elements: [Int], in archive: KeyedArchive) throws -> [Int] {
        try elements.map { index -> (String, Int) in
            guard let target = try Self.target(index, in: archive) else { return ("", index) }
            guard case .dictionary = archive.list.nodes[target],
                let name = try archive.list.fields(of: target)["NSEntityName"]
            else { return (try Self.text(target, in: archive), index) }
            return (try Self.text(Self.target(name, in: archive), in: archive), index)
        }.sorted { $0.0 < $1.0 }.map(\.1)
    }
}
