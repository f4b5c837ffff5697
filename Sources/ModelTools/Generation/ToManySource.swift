/// The accessors of a to-many relationship, with Xcode's names and in its order.
struct ToManySource {
    let property: GeneratedProperty
    /// The class of one of the relationship's objects.
    let destination: String
    let isOrdered: Bool
    let options: GenerationOptions
    let types: TypeNames

    /// The text of the methods, indented.
    var methods: [String] { (isOrdered ? positions : []) + additions }

    private var suffix: String { SwiftName.capitalized(property.key) }
    private var index: String { types.swift("Int") }
    private var indexes: String { types.foundation("NSIndexSet") }

    private var additions: [String] {
        let collection = types.foundation(isOrdered ? "NSOrderedSet" : "NSSet")
        return [
            method("add\(suffix)Object:", "addTo\(suffix)(_ value: \(destination))", "add(value)"),
            method("remove\(suffix)Object:", "removeFrom\(suffix)(_ value: \(destination))", "remove(value)"),
            method("add\(suffix):", "addTo\(suffix)(_ values: \(collection))", "add(values)"),
            method("remove\(suffix):", "removeFrom\(suffix)(_ values: \(collection))", "remove(values)"),
        ]
    }

    private var positions: [String] {
        [
            method(
                "insertObject:in\(suffix)AtIndex:",
                "insertInto\(suffix)(_ value: \(destination), at idx: \(index))",
                "insert(value, at: idx)"),
            method(
                "removeObjectFrom\(suffix)AtIndex:", "removeFrom\(suffix)(at idx: \(index))",
                "remove(at: idx)"),
            method(
                "insert\(suffix):atIndexes:",
                "insertInto\(suffix)(_ values: [\(destination)], at indexes: \(indexes))",
                "insert(values, at: indexes)"),
            method(
                "remove\(suffix)AtIndexes:", "removeFrom\(suffix)(at indexes: \(indexes))",
                "remove(at: indexes)"),
            method(
                "replaceObjectIn\(suffix)AtIndex:withObject:",
                "replace\(suffix)(at idx: \(index), with value: \(destination))",
                "replace(at: idx, with: value)"),
            method(
                "replace\(suffix)AtIndexes:with\(suffix):",
                "replace\(suffix)(at indexes: \(indexes), with values: [\(destination)])",
                "replace(at: indexes, with: values)"),
        ]
    }

    private func method(_ selector: String, _ signature: String, _ call: String) -> String {
        let access = options.access.prefix
        switch options.style {
        case .apple:
            return "    @objc(\(selector))\n    @NSManaged \(access)func \(signature)"
        case .plain:
            return """
                    \(access)func \(signature) {
                        _ToManyRelationship(of: self, Self.\(property.keyConstant)).\(call)
                    }
                """
        }
    }
}
