import ManagedObjectModel

/// The search for what keeps a tree from being read as a model: names that are missing or used twice, references to
/// what is not there, and settings with values that they cannot have.
///
/// Each such element is reported and removed, so that the rest can be read and checked as a model.
struct TreeCheck {
    private let root: ModelElement
    private(set) var findings: [ModelFinding] = []
    private let probe: SettingProbe

    init(_ root: ModelElement, probe: SettingProbe = SettingProbe()) {
        self.root = root
        self.probe = probe
    }

    /// Checks the tree.
    ///
    /// - Returns: the tree without what cannot be read.
    mutating func run() -> ModelElement {
        // The usual case costs no more than reading the model.
        if (try? NSManagedObjectModel(tree: root)) != nil { return root }
        guard root.name == "model" else {
            report(.malformed, root, nil, "the file holds a <\(root.name)> and no <model>")
            return ModelElement("model")
        }
        var cleared = root
        cleared.children = []
        let composites = validComposites()
        probe.composites = composites
        var entities = namedOnce(root.children(named: "entity"), kind: "entities", in: nil)
        clearParents(&entities)
        for index in entities.indices { clear(&entities[index]) }
        clearRelationships(&entities)
        cleared.children = composites + entities
        cleared.children += clearedRequests(known: Set(entities.compactMap { $0["name"] }))
        cleared.children += clearedConfigurations(known: Set(entities.compactMap { $0["name"] }))
        if probe.isExhausted {
            report(
                .tooLarge, root, nil, "there are too many elements with mistakes; some have not been checked")
        }
        return cleared
    }

    private mutating func report(
        _ code: ModelFinding.Code, _ element: ModelElement, _ entity: String?, _ message: String
    ) {
        let name = element["name"]
        let isEntity = element.name == "entity"
        findings.append(
            ModelFinding(
                code, line: element.line, entity: isEntity ? name : entity, property: isEntity ? nil : name,
                kind: isEntity || name == nil ? nil : element.name, message))
    }

    /// The elements that have a name of their own.
    private mutating func namedOnce(
        _ elements: [ModelElement], kind: String, in entity: String?
    ) -> [ModelElement] {
        var names: Set<String> = []
        var kept: [ModelElement] = []
        for element in elements {
            guard let name = element["name"], !name.isEmpty else {
                report(.missingName, element, entity, "<\(element.name)> has no name")
                continue
            }
            guard names.insert(name).inserted else {
                report(.duplicateName, element, entity, "there are two \(kind) of this name")
                continue
            }
            kept.append(element)
        }
        return kept
    }

    // MARK: Composite types

    private mutating func validComposites() -> [ModelElement] {
        let composites = namedOnce(root.children(named: "composite"), kind: "composite types", in: nil)
        do {
            _ = try NSManagedObjectModel(tree: ModelElement("model", children: composites))
            return composites
        } catch {
            let detail = (error as? ModelFileError)?.detail ?? "\(error)"
            findings.append(
                ModelFinding(
                    .invalidComposite, line: (error as? ModelFileError)?.line,
                    property: (error as? ModelFileError)?.element, kind: "composite", detail))
            return []
        }
    }

    // MARK: Entities

    /// Takes out superentities that are not there, and one in each circle of them.
    private mutating func clearParents(_ entities: inout [ModelElement]) {
        let positions = Dictionary(entities.enumerated().map { ($1["name"] ?? "", $0) }) { first, _ in first }
        var closed: Set<Int> = []
        for start in entities.indices {
            var path: [Int] = []
            var onPath: Set<Int> = []
            var next: Int? = start
            while let index = next, !closed.contains(index) {
                guard onPath.insert(index).inserted else {
                    let circle = path.drop { $0 != index } + [index]
                    let names = circle.prefix(6).map { entities[$0]["name"] ?? "?" }.joined(separator: " → ")
                    report(
                        .inheritanceCycle, entities[index], nil, "the entity inherits from itself: \(names)")
                    entities[index]["parentEntity"] = nil
                    break
                }
                path.append(index)
                guard let parent = entities[index]["parentEntity"], !parent.isEmpty else { break }
                next = positions[parent]
                if next == nil {
                    report(
                        .unknownSuperentity, entities[index], nil,
                        "the parent entity '\(parent)' is not in the model")
                    entities[index]["parentEntity"] = nil
                }
            }
            closed.formUnion(path)
        }
    }

    /// Takes out of an entity what cannot be read by itself.
    private mutating func clear(_ entity: inout ModelElement) {
        let name = entity["name"]
        let kinds: Set<String> = ["attribute", "relationship", "fetchedProperty"]
        let kept = namedOnce(entity.children.filter { kinds.contains($0.name) }, kind: "properties", in: name)
        var properties: [ModelElement] = []
        for property in kept {
            let problems = probe.problems(ofMember: property)
            for problem in problems.found { report(problem.code, property, name, problem.detail) }
            if let sound = problems.corrected { properties.append(sound) }
        }
        var others: [ModelElement] = []
        for element in entity.children where !kinds.contains(element.name) {
            let problems = probe.problems(ofMember: element)
            for problem in problems.found { report(problem.code, element, name, problem.detail) }
            if let sound = problems.corrected { others.append(sound) }
        }
        let parent = entity["parentEntity"]
        entity.children = []
        entity["parentEntity"] = nil
        let problems = probe.problems(ofEntity: entity)
        for problem in problems.found { report(problem.code, entity, nil, problem.detail) }
        entity =
            problems.corrected
            ?? ModelElement("entity", attributes: [.init("name", name ?? "")], line: entity.line)
        entity["parentEntity"] = parent
        entity.children = properties + others
    }

    // MARK: Relationships

    /// Takes out relationships without a destination, and the names of inverses that are not there.
    private mutating func clearRelationships(_ entities: inout [ModelElement]) {
        let positions = Dictionary(entities.enumerated().map { ($1["name"] ?? "", $0) }) { first, _ in first }
        let parents = entities.map { $0["parentEntity"].flatMap { positions[$0] } }
        // As the file has them, so that one mistake is not reported at both ends.
        var declared: [Set<String>] = Array(repeating: [], count: entities.count)
        for element in root.children(named: "entity") {
            guard let index = positions[element["name"] ?? ""] else { continue }
            declared[index].formUnion(element.children(named: "relationship").compactMap { $0["name"] })
        }
        var remaining = entities.map { Set($0.children(named: "relationship").compactMap { $0["name"] }) }
        func holds(_ sets: [Set<String>], _ start: Int, _ name: String) -> Bool {
            var next: Int? = start
            while let index = next {
                if sets[index].contains(name) { return true }
                next = parents[index]
            }
            return false
        }
        for index in entities.indices {
            let name = entities[index]["name"]
            var children = entities[index].children
            children.removeAll { child in
                guard child.name == "relationship" else { return false }
                let destination = child["destinationEntity"] ?? ""
                if positions[destination] != nil { return false }
                let text =
                    destination.isEmpty ? "is not set" : "'\(destination)' is not in the model"
                report(.missingDestination, child, name, "the destination \(text)")
                remaining[index].remove(child["name"] ?? "")
                return true
            }
            entities[index].children = children
        }
        for index in entities.indices {
            for position in entities[index].children.indices {
                let child = entities[index].children[position]
                guard child.name == "relationship", let inverse = child["inverseName"], !inverse.isEmpty,
                    let destination = positions[child["destinationEntity"] ?? ""],
                    !holds(remaining, destination, inverse)
                else { continue }
                if !holds(declared, destination, inverse) {
                    report(
                        .inverseMismatch, child, entities[index]["name"],
                        "the inverse '\(inverse)' is not a relationship of '\(child["destinationEntity"] ?? "")'"
                    )
                }
                // Without its destination, which no inverse leads back from, the relationship says nothing more.
                entities[index].children[position].name = "unread"
            }
            entities[index].children.removeAll { $0.name == "unread" }
        }
        clearDanglingInverses(&entities, positions, parents)
    }

    /// Removes relationships whose inverse has been removed, without a finding, until none is left.
    private func clearDanglingInverses(
        _ entities: inout [ModelElement], _ positions: [String: Int], _ parents: [Int?]
    ) {
        var users: [String: [(Int, String)]] = [:]
        var present = entities.map { Set($0.children(named: "relationship").compactMap { $0["name"] }) }
        func holder(_ start: Int, _ name: String) -> Int? {
            var next: Int? = start
            while let index = next {
                if present[index].contains(name) { return index }
                next = parents[index]
            }
            return nil
        }
        var rest: [(Int, String)] = []
        for (index, entity) in entities.enumerated() {
            for child in entity.children(named: "relationship") {
                guard let inverse = child["inverseName"], !inverse.isEmpty, let name = child["name"],
                    let destination = positions[child["destinationEntity"] ?? ""]
                else { continue }
                if let holderName = holder(destination, inverse) {
                    users["\(holderName) \(inverse)", default: []].append((index, name))
                } else {
                    rest.append((index, name))
                }
            }
        }
        var removed: [Set<String>] = Array(repeating: [], count: entities.count)
        while let (index, name) = rest.popLast() {
            guard present[index].remove(name) != nil else { continue }
            removed[index].insert(name)
            rest += users["\(index) \(name)"] ?? []
        }
        for index in entities.indices where !removed[index].isEmpty {
            entities[index].children.removeAll {
                $0.name == "relationship" && removed[index].contains($0["name"] ?? "")
            }
        }
    }

    // MARK: Requests and configurations

    private mutating func clearedRequests(known: Set<String>) -> [ModelElement] {
        var kept: [ModelElement] = []
        for element in namedOnce(root.children(named: "fetchRequest"), kind: "fetch requests", in: nil) {
            let problems = probe.problems(ofRequest: element)
            for problem in problems.found { report(problem.code, element, nil, problem.detail) }
            guard let sound = problems.corrected else { continue }
            guard let entity = element["entity"], known.contains(entity) else {
                let text = element["entity"].map { "the entity '\($0)' is not in the model" }
                report(.invalidFetchRequest, element, nil, text ?? "the fetch request has no entity")
                continue
            }
            kept.append(sound)
        }
        return kept
    }

    private mutating func clearedConfigurations(known: Set<String>) -> [ModelElement] {
        var kept: [ModelElement] = []
        for var element in namedOnce(root.children(named: "configuration"), kind: "configurations", in: nil) {
            let configuration = element
            var members = element.children
            members.removeAll { member in
                guard member.name == "memberEntity" else { return false }
                let name = member["name"] ?? ""
                if known.contains(name) { return false }
                findings.append(
                    ModelFinding(
                        .unknownMember, line: member.line ?? configuration.line,
                        property: configuration["name"], kind: "configuration",
                        "the configuration has an entity '\(name)' that is not in the model"))
                return true
            }
            element.children = members
            kept.append(element)
        }
        return kept
    }
}
