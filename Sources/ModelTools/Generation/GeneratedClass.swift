import ManagedObjectModel

/// A class of managed objects whose text, or whose properties' text, is generated.
struct GeneratedClass {
    let entity: NSEntityDescription
    let name: ClassName
    let generation: CodeGeneration
    let superclass: ClassName?
    let properties: [GeneratedProperty]

    /// The name of the entity.
    var entityName: String { entity.name ?? "" }
    /// The superclass as it is written.
    var superclassText: String { superclass?.text ?? "NSManagedObject" }
    /// Whether the class is the highest one that an entity has. Its subclasses inherit its conformances.
    var isRoot: Bool { superclass == nil }

    init(
        _ entity: NSEntityDescription, _ generation: CodeGeneration, _ context: ModelContext,
        _ notices: inout [GenerationNotice]
    ) throws {
        self.entity = entity
        self.generation = generation
        name = try ClassName(entity)
        let parent = try entity.superentity.map(ClassName.init)
        superclass = parent.flatMap { $0.isPlain ? nil : $0 }
        properties = try Self.properties(of: entity, context, &notices)
    }

    /// Whether `Identifiable` can be added. Objects have an `id` by their identity, unless the entity has one whose
    /// type cannot be compared.
    var canBeIdentifiable: Bool {
        guard isRoot else { return false }
        return properties.first { $0.key == "id" }.map {
            !$0.type.hasSuffix("Any?") && !$0.type.hasSuffix("Any]?")
        }
            ?? true
    }
}
