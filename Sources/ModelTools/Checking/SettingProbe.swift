import ManagedObjectModel

/// Reads single elements of a model file, each in a model of its own, to find all settings that cannot be read.
///
/// The work is bounded, since a hostile file may have any number of mistakes in any number of elements.
final class SettingProbe {
    /// A setting that cannot be read, and why.
    struct Problem {
        let code: ModelFinding.Code
        let detail: String
    }

    /// The composite types of the file.
    var composites: [ModelElement] = [] {
        didSet { compositeWeight = composites.reduce(0) { $0 + 1 + $1.children.count } }
    }

    /// How many elements may still be read.
    private var budget: Int
    private var compositeWeight = 0

    /// - Parameter budget: how many elements are read at most, those counted again that are read again.
    init(budget: Int = 2_000_000) {
        self.budget = budget
    }

    /// Whether elements have been left unread because there was too much to do.
    private(set) var isExhausted = false

    /// What is wrong with a property, index or other element in an entity.
    ///
    /// - Returns: the problems, and the element without the settings that have them; `nil` if it cannot be read
    ///   without them.
    func problems(ofMember element: ModelElement) -> (found: [Problem], corrected: ModelElement?) {
        var element = element
        var references: [ModelElement.Attribute] = []
        // The destination does not depend on the relationship alone.
        if element.name == "relationship" {
            references = element.attributes.filter {
                ["destinationEntity", "inverseName", "inverseEntity"].contains($0.name)
            }
            element["destinationEntity"] = "Probe"
            element["inverseName"] = nil
            element["inverseEntity"] = nil
        }
        var (found, corrected) = problems(element) { [Self.entity([$0])] }
        if corrected != nil, element.name == "relationship" {
            corrected?["destinationEntity"] = nil
            for reference in references { corrected?[reference.name] = reference.value }
        }
        return (found, corrected)
    }

    /// What is wrong with an entity besides its properties.
    func problems(ofEntity element: ModelElement) -> (found: [Problem], corrected: ModelElement?) {
        problems(element) { [$0] }
    }

    /// What is wrong with a fetch request of the model besides its entity.
    func problems(ofRequest element: ModelElement) -> (found: [Problem], corrected: ModelElement?) {
        let name = element["entity"]
        var element = element
        element["entity"] = "Probe"
        var (found, corrected) = problems(element) { [Self.entity([]), $0] }
        corrected?["entity"] = name
        return (found, corrected)
    }

    private static func entity(_ children: [ModelElement]) -> ModelElement {
        ModelElement("entity", attributes: [.init("name", "Probe")], children: children)
    }

    /// The code for what is wrong with a setting; for all others the setting is just invalid.
    private static let codes: [String: ModelFinding.Code] = [
        "defaultValueString": .invalidDefaultValue, "defaultDateTimeInterval": .invalidDefaultValue,
        "predicateString": .invalidPredicate, "partialIndexPredicate": .invalidPredicate,
        "minCount": .invalidCount, "maxCount": .invalidCount,
    ]

    private func problems(
        _ element: ModelElement, in tree: (ModelElement) -> [ModelElement]
    ) -> (found: [Problem], corrected: ModelElement?) {
        var element = element
        var found: [Problem] = []
        // Every round takes one setting out, and the reader bounds how many an element has.
        while let error = error(tree(element)) {
            if isExhausted { return (found, nil) }
            guard let (corrected, code) = correct(element, error, tree) else {
                if isExhausted { return (found, nil) }
                found.append(Problem(code: Self.code(of: error, element), detail: error.detail))
                return (found, nil)
            }
            found.append(Problem(code: code, detail: error.detail))
            element = corrected
        }
        return (found, element)
    }

    /// The element without the setting that the error is about: the one without which there is another error, or
    /// none.
    private func correct(
        _ element: ModelElement, _ error: ModelFileError, _ tree: (ModelElement) -> [ModelElement]
    ) -> (ModelElement, ModelFinding.Code)? {
        let needed: Set<String> = [
            "name", "derived", "derivationExpression", "composite", "destinationEntity", "entity",
        ]
        for attribute in element.attributes where !needed.contains(attribute.name) {
            // Without its type an attribute has another meaning, so that other errors would be about nothing.
            if attribute.name == "attributeType" { continue }
            var without = element
            without[attribute.name] = nil
            if self.error(tree(without))?.detail != error.detail, !isExhausted {
                return (without, Self.codes[attribute.name] ?? .invalidSetting)
            }
        }
        return nil
    }

    private static func code(of error: ModelFileError, _ element: ModelElement) -> ModelFinding.Code {
        switch element.name {
        case "attribute" where element["derived"] != nil && error.detail.contains("erivation"):
            return .invalidDerivation
        case "attribute" where element["composite"] != nil || element["attributeType"] == "Composite":
            return .invalidComposite
        case "attribute" where error.detail.contains("type"):
            return .unknownType
        case "fetchIndex": return .invalidIndex
        case "fetchedProperty":
            return element.children(named: "fetchRequest").contains { $0["predicateString"] != nil }
                ? .invalidPredicate : .invalidFetchRequest
        default: return .invalidSetting
        }
    }

    private func error(_ content: [ModelElement]) -> ModelFileError? {
        let needsComposites = content.contains { entity in entity.children.contains { $0["composite"] != nil }
        }
        budget -= 1 + content.reduce(0) { $0 + $1.children.count } + (needsComposites ? compositeWeight : 0)
        guard budget >= 0 else {
            isExhausted = true
            return ModelFileError(.tooLarge, "the model is too large to be checked completely")
        }
        let types = needsComposites ? composites : []
        do {
            _ = try NSManagedObjectModel(tree: ModelElement("model", children: types + content))
            return nil
        } catch {
            return error as? ModelFileError
                ?? ModelFileError(.invalidValue, error.localizedDescription)
        }
    }
}
