import CocoaFoundation

/// The composite types of a model file, of which attributes of entities and of other composite types are
/// made.
final class CompositeTypes {
    private let elements: [ModelElement]
    private var byName: [String: ModelElement] = [:]
    private let count = CompositeElementCount()

    init(_ root: ModelElement) {
        elements = root.children(named: "composite")
        for element in elements { byName[element["name"] ?? ""] = element }
    }

    /// Checks that every type has a name of its own and that none contains itself.
    func check() throws {
        var names: Set<String> = []
        for element in elements {
            let settings = ElementSettings(element)
            guard names.insert(try settings.required("name")).inserted else {
                throw settings.error(.duplicateName, "there are two composite types of this name")
            }
        }
        var closed: Set<String> = []
        for name in names.sorted() {
            var path: [String] = []
            try visit(name, path: &path, closed: &closed)
        }
    }

    /// Goes down into the types that a type is made of. Depth is bounded by the number of types on one
    /// path, since the first repetition ends it; the bound keeps that number small as well.
    private func visit(_ name: String, path: inout [String], closed: inout Set<String>) throws {
        guard !closed.contains(name), let element = byName[name] else { return }
        let settings = ElementSettings(element)
        guard !path.contains(name) else {
            throw settings.error(
                .cycle, "the composite type contains itself: \((path + [name]).joined(separator: " → "))")
        }
        guard path.count < ModelElement.Limit.depth else {
            throw settings.error(.tooLarge, "composite types are nested too deeply")
        }
        path.append(name)
        for child in element.children(named: "attribute") {
            if let next = child["composite"] { try visit(next, path: &path, closed: &closed) }
        }
        path.removeLast()
        closed.insert(name)
    }

    /// The attributes that a composite attribute consists of.
    func elementsOfType(
        named name: String, for settings: ElementSettings
    ) throws -> [NSAttributeDescription] {
        guard let element = byName[name] else {
            throw settings.error(.unknownName, "the composite type '\(name)' is not in the model")
        }
        return try element.children(named: "attribute").map { child in
            guard count.add() else {
                throw settings.error(
                    .tooLarge, "the composite attributes of the model have too many elements")
            }
            let child = ElementSettings(child, in: name)
            let attribute = try AttributeReader(child, composites: self).attribute()
            try ModelBuilder.readCommonSettings(child, into: attribute)
            return attribute
        }
    }
}
