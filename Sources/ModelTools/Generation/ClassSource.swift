import ManagedObjectModel

/// The text of a class: its declaration, its properties and the accessors of its relationships, laid out as Xcode
/// lays it out.
struct ClassSource {
    let generated: GeneratedClass
    let context: ModelContext

    private var options: GenerationOptions { context.options }
    private var access: String { options.access.prefix }
    private var name: String { generated.name.text }
    private var isPlain: Bool { options.style == .plain }
    /// In a module whose default isolation is the main actor, an object still belongs to its context's queue.
    private var isolation: String { isPlain ? "nonisolated " : "" }

    /// The declaration of the class.
    var declaration: String {
        let attribute = isPlain ? "" : "@objc(\(generated.name.name))\n"
        return """
            \(attribute)\(isolation)\(access)class \(name): \(generated.superclassText) {

            }

            """
    }

    /// The extensions with the properties and accessors.
    var members: String {
        var text = properties
        for property in generated.properties {
            guard case .toMany(let destination, let isOrdered) = property.kind else { continue }
            let accessors = ToManySource(
                property: property, destination: destination, isOrdered: isOrdered, options: options,
                types: context.types)
            text += """

                // MARK: Generated accessors for \(property.key)
                \(isolation)extension \(name) {

                \(accessors.methods.map { "\($0)\n\n" }.joined())}

                """
        }
        if generated.canBeIdentifiable {
            text += "\n\(isolation)extension \(name): \(context.types.swift("Identifiable")) {\n\n}\n"
        }
        return text
    }

    private var properties: String {
        let request = "NSFetchRequest<\(name)>"
        var lines = [
            "\(isolation)extension \(name) {", "",
            "    @nonobjc \(access)class func fetchRequest() -> \(request) {",
            "        return \(request)(entityName: \(SwiftName.literal(generated.entityName)))",
            "    }", "",
        ]
        for property in generated.properties {
            lines +=
                isPlain
                ? plainLines(of: property)
                : ["    @NSManaged \(access)var \(property.name): \(property.type)"]
        }
        if !isPlain || generated.properties.isEmpty { lines.append("") }
        if isPlain { lines += keyLines }
        return lines.joined(separator: "\n") + "\n}\n"
    }

    private func plainLines(of property: GeneratedProperty) -> [String] {
        let value = "self[Self.\(property.keyConstant)]"
        let head = "    \(access)var \(property.name): \(property.type) {"
        if property.kind == .fetched { return ["\(head) \(value) }", ""] }
        return [head, "        get { \(value) }", "        set { \(value) = newValue }", "    }", ""]
    }

    private var keyLines: [String] {
        generated.properties.map { property in
            "    private static let \(property.keyConstant) = _ManagedKey<\(property.type)>(\"\(property.key)\")"
        }
    }
}
