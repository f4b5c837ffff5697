import ModelTools

/// A three-way merge of the trees of a model: what both have changed since one of them was read.
///
/// Elements are the same if they have the same kind and name; the elements of an index and the constraints of an
/// entity, whose order matters, are each one thing. What only one side has changed is taken from it. What
/// both have changed differently is a conflict, which is decided by the caller, and until then for the editor.
struct TreeMerge {
    /// The sides of a merge.
    package enum Side: String, Codable, Sendable {
        case mine
        case theirs
    }

    /// Something that was changed on one side, or on both.
    struct Difference: Codable, Sendable, Equatable {
        /// What stays the same as long as the trees do.
        let id: String
        /// The entity and property, in the form `Book.title`.
        let location: String
        /// The setting; nil if the whole element was added or removed.
        let setting: String?
        /// What was there when the file was read.
        let base: String?
        let mine: String?
        let theirs: String?
        /// The side that is taken.
        let taken: Side
        let isConflict: Bool
    }

    private(set) var differences: [Difference] = []
    private let choices: [String: Side]

    private init(choices: [String: Side]) { self.choices = choices }

    /// Merges two trees.
    static func merge(
        base: ModelElement, mine: ModelElement, theirs: ModelElement, choices: [String: Side] = [:]
    ) -> (tree: ModelElement, differences: [Difference]) {
        var merge = TreeMerge(choices: choices)
        let tree = merge.merged(base, mine, theirs, path: "", location: "")
        return (tree, merge.differences)
    }

    /// The depth of trees is bounded by their reader.
    private mutating func merged(
        _ base: ModelElement?, _ mine: ModelElement, _ theirs: ModelElement, path: String, location: String
    ) -> ModelElement {
        if mine.isIdentical(to: theirs) { return mine }
        var result = mine
        let names = Self.union(mine.attributes.map(\.name), theirs.attributes.map(\.name))
        result.attributes = []
        for name in names {
            let value = decide(
                base?[name], mine[name], theirs[name], id: "\(path)@\(name)", location: location,
                setting: name)
            if let value { result.attributes.append(.init(name, value)) }
        }
        result.children = mergedChildren(base, mine, theirs, path: path, location: location)
        return result
    }

    private mutating func mergedChildren(
        _ base: ModelElement?, _ mine: ModelElement, _ theirs: ModelElement, path: String, location: String
    ) -> [ModelElement] {
        let kind = Self.lists[mine.name]
        let (before, here, there) = (
            Self.keyed(base, without: kind), Self.keyed(mine, without: kind),
            Self.keyed(theirs, without: kind)
        )
        var children: [ModelElement] = []
        for key in Self.union(here.keys, there.keys) {
            let inner = "\(path)/\(key)"
            let (old, first, second) = (before.byKey[key], here.byKey[key], there.byKey[key])
            let name = Self.location(of: first ?? second ?? old, key, in: location)
            if let first, let second {
                children.append(merged(old, first, second, path: inner, location: name))
            } else if let kept = decide(old, first, second, id: inner, location: name) {
                children.append(kept)
            }
        }
        guard let kind else { return children }
        let list = decideList(
            base?.children(named: kind), mine.children(named: kind), theirs.children(named: kind),
            id: "\(path)/\(kind)", location: location, kind: kind)
        let position = mine.children.firstIndex { $0.name == kind } ?? 0
        children.insert(contentsOf: list, at: min(position, children.count))
        return children
    }

    /// The children of some elements that are a list, in which the order matters: one side's or the other's.
    private static let lists = [
        "fetchIndex": "fetchIndexElement", "uniquenessConstraints": "uniquenessConstraint",
    ]

    /// What becomes of a list.
    private mutating func decideList(
        _ base: [ModelElement]?, _ mine: [ModelElement], _ theirs: [ModelElement], id: String,
        location: String,
        kind: String
    ) -> [ModelElement] {
        func isSame(_ a: [ModelElement], _ b: [ModelElement]) -> Bool {
            a.count == b.count && zip(a, b).allSatisfy { $0.isIdentical(to: $1) }
        }
        guard !isSame(mine, theirs) else { return mine }
        func isNew(_ list: [ModelElement]) -> Bool { base.map { !isSame(list, $0) } ?? true }
        let side = side(id, mineIsNew: isNew(mine), theirsIsNew: isNew(theirs))
        differences.append(
            Difference(
                id: id, location: location, setting: kind, base: base.map(Self.text), mine: Self.text(mine),
                theirs: Self.text(theirs), taken: side.0, isConflict: side.1))
        return side.0 == .mine ? mine : theirs
    }

    private static func text(_ list: [ModelElement]) -> String {
        list.map { element in
            let parts = element.children.compactMap { $0["value"] }
            let settings = element.attributes.map(\.value)
            return (parts + settings).joined(separator: ",")
        }.joined(separator: "; ")
    }

    /// What becomes of a setting.
    private mutating func decide(
        _ base: String?, _ mine: String?, _ theirs: String?, id: String, location: String, setting: String
    ) -> String? {
        guard mine != theirs else { return mine }
        let side = side(id, mineIsNew: mine != base, theirsIsNew: theirs != base)
        differences.append(
            Difference(
                id: id, location: location, setting: setting, base: base, mine: mine, theirs: theirs,
                taken: side.0,
                isConflict: side.1))
        return side.0 == .mine ? mine : theirs
    }

    /// What becomes of an element that one side does not have.
    private mutating func decide(
        _ base: ModelElement?, _ mine: ModelElement?, _ theirs: ModelElement?, id: String, location: String
    ) -> ModelElement? {
        func isNew(_ element: ModelElement?) -> Bool {
            guard let element, let base else { return (element == nil) != (base == nil) }
            return !element.isIdentical(to: base)
        }
        let side = side(id, mineIsNew: isNew(mine), theirsIsNew: isNew(theirs))
        func text(_ element: ModelElement?) -> String? { element.map { "<\($0.name)>" } }
        differences.append(
            Difference(
                id: id, location: location, setting: nil, base: text(base), mine: text(mine),
                theirs: text(theirs),
                taken: side.0, isConflict: side.1))
        return side.0 == .mine ? mine : theirs
    }

    private func side(_ id: String, mineIsNew: Bool, theirsIsNew: Bool) -> (Side, Bool) {
        switch (mineIsNew, theirsIsNew) {
        case (true, true): (choices[id] ?? .mine, true)
        case (false, true): (.theirs, false)
        default: (.mine, false)
        }
    }

    // MARK: Keys

    /// Children by what they are called; of several of one name each has a number.
    private static func keyed(
        _ element: ModelElement?, without kind: String?
    ) -> (keys: [String], byKey: [String: ModelElement]) {
        var keys: [String] = []
        var byKey: [String: ModelElement] = [:]
        var counts: [String: Int] = [:]
        for child in element?.children ?? [] where child.name != kind {
            let name =
                child["name"] ?? child["key"] ?? child["property"] ?? child["value"]
                ?? child.children.compactMap { $0["value"] }.joined(separator: ",")
            var key = "\(child.name) \(name)"
            let count = counts[key, default: 0]
            counts[key] = count + 1
            if count > 0 { key += " #\(count + 1)" }
            keys.append(key)
            byKey[key] = child
        }
        return (keys, byKey)
    }

    private static func location(of element: ModelElement?, _ key: String, in location: String) -> String {
        let name = element?["name"] ?? element?["key"] ?? key
        return location.isEmpty ? name : "\(location).\(name)"
    }

    /// All names in the order of the first list; those that only the second has come after what they come after
    /// there.
    private static func union(_ first: [String], _ second: [String]) -> [String] {
        let known = Set(first)
        var additions: [String: [String]] = [:]
        var anchor = ""
        for name in second {
            if known.contains(name) { anchor = name } else { additions[anchor, default: []].append(name) }
        }
        return (additions[""] ?? []) + first.flatMap { [$0] + (additions[$0] ?? []) }
    }
}
