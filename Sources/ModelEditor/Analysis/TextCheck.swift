import ModelTools

/// What is wrong with a string that is being typed: a derivation, a predicate, an expression, a constraint, a regular
/// expression.
package struct TextCheck: Encodable, Sendable, Equatable {
    /// A sentence; nil if nothing is wrong.
    package let problem: String?
    /// The character where it was noticed, counted from 1.
    package let column: Int?
    /// Whether a sample matches a regular expression.
    package let matches: Bool?

    private init(_ problem: String?, column: Int? = nil, matches: Bool? = nil) {
        self.problem = problem
        self.column = column
        self.matches = matches
    }

    /// Checks the derivation of an attribute as if it were its setting: the text itself, whether a store can compute
    /// it, and whether it fits the type.
    ///
    /// - Throws: `EditError` if there is no attribute at the position.
    package static func derivation(
        _ text: String, at path: [Int], in tree: ModelElement
    ) throws -> TextCheck {
        guard !text.isEmpty else { return TextCheck("the derivation expression is missing") }
        if let failure = failure({ _ = try NSExpression(parsing: text) }) { return failure }
        let attribute = try tree.element(at: path)
        let holder = path.first.flatMap { try? tree.element(at: [$0]) }
        guard attribute.kind == .attribute, path.count == 2, holder?.kind == .entity else {
            throw EditError("This is not an attribute of an entity.")
        }
        var tried = tree
        try tried.change(at: path) { element in
            element["derived"] = "YES"
            element["derivationExpression"] = text
        }
        let entity = holder?["name"]
        let found = ModelCheck.findings(in: tried).first {
            $0.entity == entity && $0.property == attribute["name"]
                && [.invalidDerivation, .derivationTypeMismatch, .invalidSetting].contains($0.code)
        }
        return TextCheck(found?.message)
    }

    /// Checks the predicate of a fetch request, fetched property or partial index, and whether its key paths lead
    /// somewhere from the entity.
    ///
    /// - Parameter path: the position of the fetch request, or of the index.
    /// - Throws: `EditError` if there is none at the position.
    package static func predicate(_ text: String, at path: [Int], in tree: ModelElement) throws -> TextCheck {
        guard !text.isEmpty else { return TextCheck(nil) }
        if let failure = failure({ _ = try NSPredicate(parsing: text) }) { return failure }
        return try keyPaths(at: path, in: tree) { element in
            switch element.kind {
            case .fetchRequest: element["predicateString"] = text
            case .fetchIndex:
                element["partialIndexPredicate"] = text
                // Problems of its expressions are shown beside them.
                for index in element.children.indices where element.children[index]["expression"] != nil {
                    element.children[index]["expression"] = "now()"
                }
            default: throw EditError("This element has no predicate.")
            }
        }
    }

    /// Checks an expression of an index, or of the name of an entity in Spotlight, and whether its key paths lead somewhere
    /// from the entity.
    ///
    /// - Parameter path: the position of the index, or of the entity.
    /// - Throws: `EditError` if there is none at the position.
    package static func expression(
        _ text: String, at path: [Int], in tree: ModelElement
    ) throws -> TextCheck {
        let isName = try tree.element(at: path).kind == .entity
        // Of a name, nothing is the usual one.
        guard !text.isEmpty else { return TextCheck(isName ? nil : "an expression is needed") }
        if let failure = failure({ _ = try NSExpression(parsing: text) }) { return failure }
        return try keyPaths(at: path, in: tree) { element in
            switch element.kind {
            case .entity: element["coreSpotlightDisplayNameExpression"] = text
            case .fetchIndex:
                // Alone, so that what is found is about this string.
                let part = ModelEdit.IndexElement(
                    property: nil, expression: text, expressionType: "String", type: "Binary",
                    isAscending: true)
                element.children = [ModelEditing.indexElement(part)]
                element["partialIndexPredicate"] = nil
            default: throw EditError("This element has no expression.")
            }
        }
    }

    /// Checks a uniqueness constraint, names with commas, and whether a store can keep it.
    ///
    /// - Parameter path: the position of the entity.
    /// - Throws: `EditError` if there is no entity at the position.
    package static func constraint(
        _ text: String, at path: [Int], in tree: ModelElement
    ) throws -> TextCheck {
        guard try tree.element(at: path).kind == .entity else { throw EditError("This is not an entity.") }
        let names = text.split(separator: ",", omittingEmptySubsequences: false).map {
            $0.trimmingCharacters(in: .whitespaces)
        }
        guard !names.contains("") else { return TextCheck("a name is missing") }
        var seen: Set<String> = []
        if let name = names.first(where: { !seen.insert($0).inserted }) {
            return TextCheck("'\(name)' occurs twice")
        }
        var tried = tree
        try tried.change(at: path) { entity in
            entity.children.removeAll { $0.name == "uniquenessConstraints" }
        }
        var editing = ModelEditing(tried)
        // Alone, so that what is found is about this one.
        try editing.setConstraints(path, [names])
        let entity = try tree.element(at: path)["name"]
        let found = ModelCheck.findings(in: editing.root).first {
            $0.entity == entity && $0.code == .invalidConstraint
        }
        return TextCheck(found?.message)
    }

    /// Tries a change of an element, and reports key paths in it that lead nowhere.
    private static func keyPaths(
        at path: [Int], in tree: ModelElement, _ change: (inout ModelElement) throws -> Void
    ) throws -> TextCheck {
        var tried = tree
        try tried.change(at: path, change)
        let holders = try (1..<max(path.count, 1)).map { try tree.element(at: Array(path.prefix($0))) }
        let element = try tree.element(at: path)
        // The request of a fetched property is found under the name of that, a setting of an entity under its own.
        let entity = (holders.first ?? (element.kind == .entity ? element : nil))?["name"]
        let name =
            element.kind == .entity
            ? "coreSpotlightDisplayNameExpression" : (holders.dropFirst().first ?? element)["name"]
        let found = ModelCheck.findings(in: tried).first {
            $0.entity == entity && $0.property == name
                && [.unknownKeyPath, .invalidPredicate].contains($0.code)
        }
        return TextCheck(found?.message)
    }

    /// Tries a regular expression on a sample, as validation does: it has to match the whole string.
    package static func pattern(_ pattern: String, sample: String) -> TextCheck {
        do {
            let compiled = try TextPattern(matching: pattern, comparison: TextComparison(options: []))
            return TextCheck(nil, matches: try compiled.matches(sample))
        } catch {
            return TextCheck(ModelAnalysis.sentence(error))
        }
    }

    private static func failure(_ body: () throws -> Void) -> TextCheck? {
        do {
            try body()
            return nil
        } catch let error as PredicateFormatError {
            return TextCheck("\(error.reason) (column \(error.column))", column: error.column)
        } catch {
            return TextCheck(ModelAnalysis.sentence(error))
        }
    }
}
