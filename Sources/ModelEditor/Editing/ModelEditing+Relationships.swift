import ModelTools

extension ModelEditing {
    mutating func setToMany(_ path: [Int], _ isToMany: Bool) throws {
        _ = try element(path, .relationship)
        try change(path) { element in
            element.setInOrder("toMany", isToMany ? "YES" : nil)
            element.setInOrder("maxCount", isToMany ? nil : "1")
            if !isToMany {
                element["minCount"] = nil
                element["ordered"] = nil
            }
        }
    }

    mutating func setDestination(_ path: [Int], _ name: String?) throws {
        let element = try element(path, .relationship)
        if let name {
            guard root.children(named: "entity").contains(where: { $0["name"] == name }) else {
                throw EditError("There is no entity '\(name)'.", setting: "destinationEntity")
            }
        }
        guard element["destinationEntity"] != name else { return }
        try removeInverse(path)
        try change(path) { $0.setInOrder("destinationEntity", name) }
    }

    /// Sets the inverse on both sides. Whatever had one of the two as its inverse has none afterwards.
    mutating func setInverse(_ path: [Int], _ name: String?) throws {
        let relationship = try element(path, .relationship)
        guard let name, !name.isEmpty else {
            try removeInverse(path)
            return
        }
        let entity = try root.element(at: Array(path.dropLast()))
        guard let destination = relationship["destinationEntity"] else {
            throw EditError("An inverse needs a destination; choose one first.", setting: "inverseName")
        }
        let other = try location(ofRelationship: name, seenFrom: destination)
        try removeInverse(path)
        try removeInverse(other)
        let owner = try root.element(at: Array(other.dropLast()))
        try connect(path, destination: destination, inverse: name, of: owner["name"] ?? "")
        guard other != path else { return }
        // The other side may lead to an entity that this one inherits from, or that inherits from it.
        let far = try root.element(at: other)["destinationEntity"]
        try connect(
            other, destination: far ?? entity["name"] ?? "", inverse: relationship["name"] ?? "",
            of: entity["name"] ?? "")
    }

    private mutating func connect(
        _ path: [Int], destination: String, inverse: String, of entity: String
    ) throws {
        try change(path) { element in
            element.setInOrder("destinationEntity", destination)
            element.setInOrder("inverseName", inverse)
            element.setInOrder("inverseEntity", entity)
        }
    }

    private mutating func removeInverse(_ path: [Int]) throws {
        let relationship = try root.element(at: path)
        let owner = try root.element(at: Array(path.dropLast()))
        let (name, entity) = (relationship["name"], owner["name"])
        changeAll(["relationship"]) {
            guard $0["inverseName"] == name, ($0["inverseEntity"] ?? $0["destinationEntity"]) == entity else {
                return
            }
            $0["inverseName"] = nil
            $0["inverseEntity"] = nil
        }
        try change(path) { element in
            element["inverseName"] = nil
            element["inverseEntity"] = nil
        }
    }

    /// Where a relationship of an entity is declared: by the entity or by one that it inherits from.
    private func location(ofRelationship name: String, seenFrom entity: String) throws -> [Int] {
        var next: String? = entity
        var seen: Set<String> = []
        while let current = next, seen.insert(current).inserted {
            guard
                let index = root.children.firstIndex(where: {
                    $0.name == "entity" && $0["name"] == current
                })
            else { break }
            let holder = root.children[index]
            let inner = holder.children.firstIndex {
                $0.name == "relationship" && $0["name"] == name
            }
            if let inner { return [index, inner] }
            next = holder["parentEntity"]
        }
        throw EditError("'\(entity)' has no relationship '\(name)'.", setting: "inverseName")
    }
}
