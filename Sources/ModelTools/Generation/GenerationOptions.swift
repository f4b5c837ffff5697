/// How classes are written.
package struct GenerationOptions: Sendable {
    /// For whom the text is.
    package enum Style: String, Sendable, CaseIterable {
        /// Plain accessors over this framework; nothing but `import CoreData` is needed.
        case plain
        /// What Xcode would write: `@objc(Book)` and `@NSManaged`, for an Xcode project.
        case apple
    }

    /// Who sees the classes and their members.
    package enum Access: String, Sendable, CaseIterable {
        /// Everyone, as Xcode has it.
        case `public`
        /// The modules of the package.
        case package
        /// The module.
        case `internal`

        var prefix: String { self == .internal ? "" : "\(rawValue) " }
    }

    /// Which entities get classes.
    package enum Selection: String, Sendable, CaseIterable {
        /// Those that the model says, by its setting "Codegen".
        case model
        /// All whose class is not `NSManagedObject`, as Xcode's command "Create NSManagedObject Subclass" does. A
        /// compiled model does not keep what the setting was.
        case all
    }

    package var style: Style
    package var access: Access
    package var selection: Selection
    /// The module that the classes will be in, as far as it is known.
    package var module: String?

    package init(
        style: Style = .plain, access: Access = .public, selection: Selection = .model, module: String? = nil
    ) {
        self.style = style
        self.access = access
        self.selection = selection
        self.module = module
    }
}
