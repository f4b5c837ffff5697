import SwiftSyntax

/// A type or an extension, as a source declares it.
final class TypeDeclaration {
    enum Kind {
        case classType, protocolType, otherType, typeExtension
    }

    let kind: Kind
    /// The name with those of the types around it; of an extension, the name of what it extends.
    let name: String
    /// The types after the colon.
    let inherited: [String]
    let source: ParsedSource
    /// The conditions of the `#if`s around it.
    let conditions: [String]
    let attributes: AttributeListSyntax
    let modifiers: DeclModifierListSyntax
    let isGeneric: Bool
    /// Whether nothing at the end of the file can name it: it is in a function, or private in another type.
    let isHidden: Bool
    /// Whether only its own file sees it.
    let isPrivate: Bool
    /// The keys of the properties, once they were computed.
    var keys: KnownKeys?
    var properties: [PropertyDeclaration] = []
    var members: [CodedMember] = []
    /// The labels of its initialisers, and whether they are convenient ones.
    var initializers: [(labels: [String], isConvenience: Bool, location: AbsolutePosition)] = []
    /// The methods of objects, by their names.
    var methods: [MethodDeclaration] = []
    /// The members of an extension that override others.
    var overrides: [ExtensionOverride] = []
    /// The conditions of the `#if`s around these members.
    var overrideConditions: [SyntaxIdentifier: [String]] = [:]
    var hasManagedMembers = false
    var observesByMethod = false

    init(
        _ kind: Kind, name: String, inherited: [String], source: ParsedSource, conditions: [String],
        attributes: AttributeListSyntax, modifiers: DeclModifierListSyntax, isGeneric: Bool, isHidden: Bool,
        isPrivate: Bool
    ) {
        self.kind = kind
        self.name = name
        self.inherited = inherited
        self.source = source
        self.conditions = conditions
        self.attributes = attributes
        self.modifiers = modifiers
        self.isGeneric = isGeneric
        self.isHidden = isHidden
        self.isPrivate = isPrivate
    }

    /// The name that the class has in models, where the source gives it another.
    var objectiveCName: String? { attributes.attribute(named: "objc")?.objectiveCName }
    var isMainActor: Bool { attributes.contains("MainActor") }
    /// Whether code at the end of a file can name the class, and call it on any thread.
    var isNameable: Bool { !isHidden && !isMainActor }
    var isFinal: Bool { modifiers.contains(.final) }

    /// Whether a member of this declaration is of the main actor because it says so, or because the extension does that it is in.
    func isOfMainActor(_ attributes: AttributeListSyntax, _ modifiers: DeclModifierListSyntax) -> Bool {
        attributes.contains("MainActor")
            || kind == .typeExtension && isMainActor && !modifiers.contains(.nonisolated)
    }
}

/// A property of objects.
struct PropertyDeclaration {
    let name: String
    /// The key: the name, or what `@objc(…)` says.
    let key: String
    /// The name of the type that the next name of a key path belongs to.
    let elementType: String?
}

/// A method of objects.
struct MethodDeclaration {
    let name: String
    let labels: [String]
    let parameterTypes: [TypeSyntax]
    let isMainActor: Bool
    let isAsynchronous: Bool
    let throwsErrors: Bool
    let returnsValue: Bool
}

/// A member of an extension that overrides one of a superclass, which only the Objective-C runtime lets it do.
struct ExtensionOverride {
    let member: DeclSyntax
    /// The conditions of the `#if`s around it.
    let conditions: [String]
}

/// A member that key-value coding, observing or validation finds by its name.
struct CodedMember {
    enum Role {
        /// A property with `@NSManaged`.
        case stored(key: String)
        /// A property with accessors of the class's own.
        case custom(key: String)
        /// `keyPathsForValuesAffecting…`, whether it is called or read, and the type of what it gives; nil where that is
        /// not written.
        case dependency(suffix: Substring, isMethod: Bool, result: TypeSyntax?)
        /// `validate…(_:)`.
        case validator(suffix: Substring, pointee: TypeSyntax, throwsErrors: Bool)
    }

    let role: Role
    /// The name as it is written, with backticks where it has them.
    let name: String
    /// Whether the Objective-C runtime sees it, whatever the class says of all its members.
    let isExposed: Bool
    /// The conditions of the `#if`s around it.
    let conditions: [String]
    /// Whether only its own file sees it.
    let isPrivate: Bool
    /// Whether only the main actor may use it, which what finds members by name is not.
    let isOfMainActor: Bool
    let source: ParsedSource
    let location: AbsolutePosition
}
