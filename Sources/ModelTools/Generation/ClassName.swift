import ManagedObjectModel

/// The class that a model names for an entity.
///
/// The forms are those of the model editor: `Book`, `Library.Book` with the module, and `.Book` for the module that
/// the model is built into. A class written by hand may also be inside other types, `Library.Shelf.Book`.
struct ClassName: Hashable {
    /// The module, if it is named.
    let module: String?
    /// The name without the module.
    let name: String
    /// Whether the class is inside another type, so that it cannot be generated.
    let isNested: Bool
    /// The name as it is written in other classes.
    let text: String

    /// - Throws: `GenerationError` if it cannot be the name of a Swift class.
    init(_ entity: NSEntityDescription) throws {
        let named = entity.managedObjectClassName ?? "NSManagedObject"
        var parts = named.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
        if parts.count > 1, parts[0].isEmpty { parts.removeFirst() }
        guard let last = parts.last, parts.allSatisfy(SwiftName.isIdentifier) else {
            throw GenerationError(
                element: entity.name ?? "?",
                detail: "the class name '\(named)' is not a valid name for a Swift class")
        }
        name = last
        isNested = parts.count > 2
        module = parts.count > 1 ? parts[0] : nil
        text = isNested ? parts.map(SwiftName.escaped).joined(separator: ".") : SwiftName.escaped(last)
    }

    /// Whether the entity has no class of its own.
    var isPlain: Bool { name == "NSManagedObject" }
}
