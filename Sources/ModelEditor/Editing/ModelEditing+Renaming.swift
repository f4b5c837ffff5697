import ModelTools

extension ModelEditing {
    /// Gives an element another name, and what refers to it too.
    ///
    /// Strings of expressions and predicates are not changed; the checks say what no longer leads anywhere.
    mutating func rename(_ path: [Int], _ newName: String) throws -> [Int] {
        guard let index = path.last else { throw EditError("The model itself has no name.") }
        let element = try element(path)
        guard let kind = element.kind else { return path }
        let parent = Array(path.dropLast())
        let holder = try root.element(at: parent)
        guard !newName.isEmpty else { throw EditError("A name is needed.", setting: "name") }
        try Self.check(newName, setting: "name")
        let name = element["name"] ?? ""
        guard newName != name else { return path }
        let isTaken = holder.children.enumerated().contains { position, other in
            position != index && kind.sharesNamesWith.contains(other.name) && other["name"] == newName
        }
        guard !isTaken else {
            throw EditError(
                "Something else already has the name '\(newName)'.", setting: "name")
        }
        switch kind {
        case .entity: renameEntity(name, newName)
        case .attribute where holder.name == "composite": break
        case .attribute, .relationship, .fetchedProperty:
            renameProperty(name, newName, of: holder["name"] ?? "")
        case .composite: changeAll(["attribute"]) { if $0["composite"] == name { $0["composite"] = newName } }
        default: break
        }
        var moved = path
        try change(parent) { holder in
            var element = holder.children.remove(at: index)
            element.setInOrder("name", newName)
            if kind == .entity, element["representedClassName"] == name {
                element["representedClassName"] = newName
            }
            if kind.isSorted {
                moved = parent + [holder.location(element)]
            } else {
                holder.children.insert(element, at: index)
            }
        }
        return moved
    }

    private mutating func renameEntity(_ name: String, _ newName: String) {
        let references = [
            "entity": ["parentEntity"], "relationship": ["destinationEntity", "inverseEntity"],
            "memberEntity": ["name"], "fetchRequest": ["entity"], "element": ["name"],
        ]
        for (kind, settings) in references {
            changeAll([kind]) { element in
                for setting in settings where element[setting] == name { element[setting] = newName }
            }
        }
    }

    private mutating func renameProperty(_ name: String, _ newName: String, of entity: String) {
        changeAll(["relationship"]) {
            guard $0["inverseName"] == name, ($0["inverseEntity"] ?? $0["destinationEntity"]) == entity else {
                return
            }
            $0["inverseName"] = newName
        }
        let subentityNames = subentityNames(of: entity)
        for index in root.children.indices
        where root.children[index].name == "entity"
            && subentityNames.contains(root.children[index]["name"] ?? "")
        {
            var part = ModelEditing(root.children[index])
            part.changeAll(["fetchIndexElement"]) {
                if $0["expression"] == nil, $0["property"] == name { $0["property"] = newName }
            }
            part.changeAll(["constraint", "index"]) { if $0["value"] == name { $0["value"] = newName } }
            root.children[index] = part.root
        }
    }

    /// The names of an entity and of all that inherit from it.
    private func subentityNames(of entity: String) -> Set<String> {
        var children: [String: [String]] = [:]
        for element in root.children(named: "entity") {
            children[element["parentEntity"] ?? "", default: []].append(element["name"] ?? "")
        }
        var found: Set<String> = [entity]
        var rest = [entity]
        while let next = rest.popLast() {
            for child in children[next] ?? [] where found.insert(child).inserted { rest.append(child) }
        }
        return found
    }
}
