import ModelTools

extension ModelEditing {
    /// The table of an element; an empty one is removed.
    mutating func setUserInfo(_ path: [Int], _ entries: [ModelEdit.UserInfoEntry]) throws {
        let element = try element(
            path, .entity, .attribute, .relationship, .fetchedProperty)
        for entry in entries {
            try Self.check(entry.key, setting: "userInfo")
            try Self.check(entry.value, setting: "userInfo")
            guard !entry.key.isEmpty else { throw EditError("A key is missing.", setting: "userInfo") }
        }
        guard Set(entries.map(\.key)).count == entries.count else {
            throw EditError("Each key may occur only once.", setting: "userInfo")
        }
        let tables = element.children(named: "userInfo")
        var table = tables.first ?? ModelElement("userInfo")
        for other in tables.dropFirst() { table.children += other.children }
        let old = table.children(named: "entry")
        let partners = Self.partners(of: entries, among: old) {
            $0.key == $1["key"] && $0.value == $1["value"]
        }
        var kept: [(index: Int, entry: ModelElement)] = []
        var placed: [ModelElement] = []
        for (entry, partner) in zip(entries, partners) {
            var made = partner.map { old[$0] } ?? ModelElement("entry")
            if made["key"] != entry.key { made["key"] = entry.key }
            if made["value"] != entry.value { made["value"] = entry.value }
            if let partner, old[partner]["key"] == entry.key {
                kept.append((partner, made))
            } else {
                placed.append(made)
            }
        }
        let list = kept.sorted { $0.index < $1.index }.map(\.entry)
        Self.put(Self.adding(placed, to: list) { $0["key"] ?? "" }, of: "entry", into: &table)
        try replace("userInfo", in: path, by: table.children.isEmpty ? nil : table, of: element)
    }

    mutating func setConstraints(_ path: [Int], _ constraints: [[String]]) throws {
        let element = try element(path, .entity)
        for name in constraints.joined() {
            try Self.check(name, setting: "constraint")
            guard !name.isEmpty else { throw EditError("A name is needed.", setting: "constraint") }
        }
        let kept = constraints.filter { !$0.isEmpty }
        func names(_ constraint: ModelElement) -> [String] {
            constraint.children(named: "constraint").map { $0["value"] ?? "" }
        }
        var list =
            element.children.first { $0.name == "uniquenessConstraints" }
            ?? ModelElement("uniquenessConstraints")
        let old = list.children(named: "uniquenessConstraint")
        let partners = Self.partners(of: kept, among: old) { $0 == names($1) }
        let made = zip(kept, partners).map { wanted, partner in
            var constraint = partner.map { old[$0] } ?? ModelElement("uniquenessConstraint")
            guard names(constraint) != wanted else { return constraint }
            let parts = constraint.children(named: "constraint")
            let positions = Self.partners(of: wanted, among: parts) { $0 == $1["value"] }
            let members = zip(wanted, positions).map { name, location in
                var member = location.map { parts[$0] } ?? ModelElement("constraint")
                if member["value"] != name { member["value"] = name }
                return member
            }
            Self.put(members, of: "constraint", into: &constraint)
            return constraint
        }
        Self.put(made, of: "uniquenessConstraint", into: &list)
        try replace("uniquenessConstraints", in: path, by: kept.isEmpty ? nil : list, of: element)
    }

    mutating func setIndexElements(_ path: [Int], _ elements: [ModelEdit.IndexElement]) throws {
        let old = try element(path, .fetchIndex).children(named: "fetchIndexElement")
        guard !elements.isEmpty else { throw EditError("An index has at least one element.") }
        for element in elements {
            for text in [element.property, element.expression, element.expressionType].compactMap({ $0 }) {
                try Self.check(text, setting: "property")
            }
            guard !(element.expression ?? element.property ?? "").isEmpty else {
                throw EditError("An index element needs a property or an expression.", setting: "property")
            }
            guard ["Binary", "RTree"].contains(element.type) else {
                throw EditError("The type of an index element must be Binary or RTree.", setting: "type")
            }
        }
        let partners = Self.partners(of: elements, among: old, where: Self.isSame)
        let made = zip(elements, partners).map { wanted, partner in
            partner.map { Self.changed(old[$0], to: wanted) } ?? Self.indexElement(wanted)
        }
        try change(path) { Self.put(made, of: "fetchIndexElement", into: &$0) }
    }

    /// Whether an element of an index is what an edit says, in whatever words.
    private static func isSame(_ wanted: ModelEdit.IndexElement, _ element: ModelElement) -> Bool {
        let isTree = element["type"]?.lowercased().hasPrefix("r") ?? false
        return wanted.property == element["property"] && wanted.expression == element["expression"]
            && wanted.expressionType == element["expressionType"] && (wanted.type == "RTree") == isTree
            && wanted.isAscending == (element["order"] != "descending")
    }

    /// The element with what is different, and with the settings that the editor does not know.
    private static func changed(_ element: ModelElement, to wanted: ModelEdit.IndexElement) -> ModelElement {
        guard !isSame(wanted, element) else { return element }
        let made = indexElement(wanted)
        let known: Set = ["property", "expression", "expressionType", "type", "order"]
        let names = element.attributes.map(\.name).filter(known.contains)
        var result = element
        if names == made.attributes.map(\.name) {
            for attribute in made.attributes { result[attribute.name] = attribute.value }
        } else {
            result.attributes = made.attributes + element.attributes.filter { !known.contains($0.name) }
        }
        return result
    }

    static func indexElement(_ element: ModelEdit.IndexElement) -> ModelElement {
        var made = ModelElement("fetchIndexElement")
        if let property = element.property, !property.isEmpty { made["property"] = property }
        if let expression = element.expression, !expression.isEmpty {
            made["expression"] = expression
            if let type = element.expressionType, !type.isEmpty { made["expressionType"] = type }
        }
        made["type"] = element.type
        made["order"] = element.isAscending ? "ascending" : "descending"
        return made
    }

    mutating func setMembers(_ path: [Int], _ names: [String]) throws {
        _ = try element(path, .configuration)
        let known = Set(root.children(named: "entity").compactMap { $0["name"] })
        for name in names where !known.contains(name) {
            throw EditError("There is no entity '\(name)'.", setting: "memberEntity")
        }
        try change(path) { configuration in
            let old = configuration.children(named: "memberEntity").filter {
                names.contains($0["name"] ?? "")
            }
            let added = Set(names).subtracting(old.compactMap { $0["name"] }).sorted()
            let members = Self.adding(
                added.map { ModelElement("memberEntity", attributes: [.init("name", $0)]) }, to: old
            ) { $0["name"] ?? "" }
            Self.put(members, of: "memberEntity", into: &configuration)
        }
    }

    // MARK: Children that stay

    /// For each part of a new list the index of the element that it was: the same one, or, if just as many others are
    /// left, the one that was changed to it.
    private static func partners<Part>(
        of parts: [Part], among elements: [ModelElement], where isSame: (Part, ModelElement) -> Bool
    ) -> [Int?] {
        var rest = Array(elements.indices)
        var partners: [Int?] = parts.map { part in
            rest.firstIndex { isSame(part, elements[$0]) }.map { rest.remove(at: $0) }
        }
        let open = partners.indices.filter { partners[$0] == nil }
        guard open.count == rest.count else { return partners }
        for (index, partner) in zip(open, rest) { partners[index] = partner }
        return partners
    }

    /// A list with more elements, each before the first whose name follows.
    private static func adding(
        _ added: [ModelElement], to list: [ModelElement], by name: (ModelElement) -> String
    ) -> [ModelElement] {
        var list = list
        for element in added {
            let index = list.firstIndex { ModelElement.precedes(name(element), name($0)) }
            list.insert(element, at: index ?? list.count)
        }
        return list
    }

    /// Puts children in the positions of those of their kind; other children stay where they are.
    private static func put(_ made: [ModelElement], of kind: String, into parent: inout ModelElement) {
        var rest = made[...]
        var children: [ModelElement] = []
        var end = 0
        for child in parent.children {
            if child.name != kind {
                children.append(child)
            } else if let next = rest.popFirst() {
                children.append(next)
                end = children.count
            }
        }
        children.insert(contentsOf: rest, at: end)
        parent.children = children
    }

    /// Puts a child in place of all of its name, or where Xcode has it.
    private mutating func replace(
        _ name: String, in path: [Int], by child: ModelElement?, of element: ModelElement
    ) throws {
        let index = element.children.firstIndex { $0.name == name }
        try change(path) { element in
            element.children.removeAll { $0.name == name }
            guard let child else { return }
            if let index { element.children.insert(child, at: index) } else { element.location(child) }
        }
    }
}
