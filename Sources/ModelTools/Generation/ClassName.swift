import ManagedObjectModel

/// The class that a model names for an entity.
///
/// The forms are those of the model editor: `Book`, `Library.Book` with the module, and `.Book` for the module that
/// the model is built into.
struct ClassName: Hashable {
    /// The module, if it is named.
    let module: String?
    /// The name without the module.
    let name: String

    /// - Throws: `GenerationError` if it cannot be the name of a Swift class.
    init(_ entity: NSEntityDescription) throws {
        let text = entity.managedObjectClassName ?? "NSManagedObject"
        let parts = text.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
        guard (1...2).contains(parts.count), let last = parts.last, SwiftName.isIdentifier(last),
            parts.count == 1 || parts[0].isEmpty || SwiftName.isIdentifier(parts[0])
        else {
            throw GenerationError(
                element: entity.name ?? "?", detail: "the class name '\(text)' is no name of a Swift class")
        }
        name = last
        module = parts.count == 2 && !parts[0].isEmpty ? parts[0] : nil
    }

    /// Whether the entity has no class of its own.
    var isPlain: Bool { name == "NSManagedObject" }

    /// The name as it is written.
    var text: String { SwiftName.escaped(name) }
}
