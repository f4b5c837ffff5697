import ModelTools

extension ModelEditing {
    /// Adds an element with what Xcode gives to a new one.
    mutating func add(_ kindName: String, to parent: [Int]) throws -> [Int] {
        let holder = try root.element(at: parent)
        guard let kind = ElementKind(rawValue: kindName),
            ElementKind.order(in: holder.name).contains(kindName)
        else { throw EditError("<\(holder.name)> cannot hold a <\(kindName)>.") }
        guard !(holder.name == "fetchedProperty" && kind == .fetchRequest) else {
            throw EditError("A fetched property can have only one fetch request.")
        }
        var element = ModelElement(
            kindName, attributes: [.init("name", Self.freeName(kind.newName, for: kind, in: holder))])
        let firstEntity = root.children(named: "entity").first?["name"]
        switch kind {
        case .entity:
            element["representedClassName"] = element["name"]
            element["syncable"] = "YES"
            element["codeGenerationType"] = "class"
        case .attribute: element["optional"] = "YES"
        case .relationship:
            element["optional"] = "YES"
            element["maxCount"] = "1"
            element["deletionRule"] = "Nullify"
        case .fetchRequest:
            guard let firstEntity else {
                throw EditError("A fetch request needs an entity; add one first.")
            }
            element["entity"] = firstEntity
        case .fetchedProperty:
            element["optional"] = "YES"
            element.children = [
                ModelElement(
                    "fetchRequest",
                    attributes: [
                        .init("name", "fetchedPropertyFetchRequest"),
                        .init("entity", holder["name"] ?? firstEntity ?? ""),
                    ])
            ]
        case .fetchIndex:
            let names = holder.children.filter { ["attribute", "relationship"].contains($0.name) }
            guard let property = names.first?["name"] else {
                throw EditError("An index needs an attribute; add one first.")
            }
            element["name"] = Self.freeName(
                "by\(property.prefix(1).uppercased())\(property.dropFirst())Index", for: kind, in: holder)
            element.children = [
                Self.indexElement(
                    .init(
                        property: property, expression: nil, expressionType: nil, type: "Binary",
                        isAscending: true))
            ]
        case .composite, .configuration: break
        case .model: throw EditError("A file can have only one model.")
        }
        var index = 0
        try change(parent) { index = $0.location(element) }
        return parent + [index]
    }

    /// The name, or the name with the first number that makes it free: `attribute`, `attribute1`.
    private static func freeName(_ name: String, for kind: ElementKind, in holder: ModelElement) -> String {
        let taken = Set(
            holder.children.filter { kind.sharesNamesWith.contains($0.name) }.compactMap { $0["name"] })
        guard taken.contains(name) else { return name }
        var number = 1
        while taken.contains("\(name)\(number)") { number += 1 }
        return "\(name)\(number)"
    }

    /// Takes an element out, and what refers to it.
    mutating func remove(_ path: [Int]) throws {
        guard let index = path.last else { throw EditError("The model itself cannot be removed.") }
        let element = try element(path)
        let name = element["name"] ?? ""
        let parent = Array(path.dropLast())
        let holder = try root.element(at: parent)
        guard holder.name != "fetchedProperty" else {
            throw EditError("A fetched property needs its fetch request.")
        }
        try change(parent) { $0.children.remove(at: index) }
        switch element.kind {
        case .entity: disconnect(entity: name)
        case .relationship: disconnect(relationship: name, of: holder["name"] ?? "")
        default: break
        }
    }

    private mutating func disconnect(entity name: String) {
        changeAll(["entity"]) { if $0["parentEntity"] == name { $0["parentEntity"] = nil } }
        changeAll(["relationship"]) {
            if $0["destinationEntity"] == name {
                $0["destinationEntity"] = nil
                $0["inverseName"] = nil
                $0["inverseEntity"] = nil
            } else if $0["inverseEntity"] == name {
                $0["inverseName"] = nil
                $0["inverseEntity"] = nil
            }
        }
        changeAll(["configuration"]) { configuration in
            configuration.children.removeAll { $0.name == "memberEntity" && $0["name"] == name }
        }
        changeAll(["elements"]) { layout in
            layout.children.removeAll { $0.name == "element" && $0["name"] == name }
        }
    }

    private mutating func disconnect(relationship name: String, of entity: String) {
        changeAll(["relationship"]) {
            guard $0["inverseName"] == name, ($0["inverseEntity"] ?? $0["destinationEntity"]) == entity else {
                return
            }
            $0["inverseName"] = nil
            $0["inverseEntity"] = nil
        }
    }
}
