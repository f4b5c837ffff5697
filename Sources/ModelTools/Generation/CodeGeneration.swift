import ManagedObjectModel

/// What is generated for an entity: the setting "Codegen" of the model editor.
package enum CodeGeneration: Sendable {
    /// Class Definition: the class and its properties.
    case classDefinition
    /// Category/Extension: the properties alone. The class is written by hand.
    case extensionOnly
    /// Manual/None.
    case none

    /// - Throws: `GenerationError` for a setting that Xcode does not write.
    package init(_ entity: NSEntityDescription, _ selection: GenerationOptions.Selection) throws {
        switch entity.codeGenerationType {
        case _ where selection == .all: self = .classDefinition
        case "class": self = .classDefinition
        case "category": self = .extensionOnly
        case nil, "": self = .none
        case let other?:
            throw GenerationError(
                element: entity.name ?? "?",
                detail:
                    "the setting 'codeGenerationType' is '\(other)'; it must be 'class' or 'category', or missing"
            )
        }
        if try ClassName(entity).isPlain { self = .none }
    }
}
