import SwiftSyntax
import SwiftSyntaxBuilder

/// The class's `managedProperties`: what key-value coding and key paths find by name.
///
/// `\Novel.title` and `\Book.title` are different key paths, also where `Novel` inherits `title` from `Book`. So a
/// class that can have subclasses lists its properties in a function that is generic over the class at the root of
/// the key paths, and a subclass calls it for itself.
struct PropertyList {
    private let declared: ManagedClass
    /// The type at the root of the key paths.
    private let root: String
    /// The statements that add the class's own properties.
    private let additions: [String]

    init(of declared: ManagedClass) {
        self.declared = declared
        let root = declared.isFinal ? declared.name.text : "_Object"
        self.root = root
        let listed =
            declared.listed.stored.map { Self.addition("stored", "\"\($0)\"", "\(root).\($0)") }
            + declared.listed.custom.map { Self.addition("custom", "\"\($0)\"", "\(root).\($0)") }
        additions = declared.body.statements { Self.additions(for: $0, root) } + listed
    }

    /// The override, and the function for subclasses; none for a class that has nothing to list.
    var members: [DeclSyntax] {
        if additions.isEmpty, declared.inheritsDirectly { return [] }
        return declared.isFinal ? [finalOverride] : [override, function]
    }

    private var finalOverride: DeclSyntax {
        """
        \(raw: declared.overrideModifiers) var managedProperties: [_ManagedProperty] {
            var properties: [_ManagedProperty] = []
            properties += super.managedProperties
            \(raw: statements(declared.inheritsDirectly ? [] : [inheritance]))
            return properties
        }
        """
    }

    private var override: DeclSyntax {
        """
        \(raw: declared.overrideModifiers) var managedProperties: [_ManagedProperty] {
            super.managedProperties + _properties(declaredBy: \(declared.name).self, from: \(declared.name).self)
        }
        """
    }

    private var function: DeclSyntax {
        """
        \(raw: declared.staticAccess)nonisolated static func _properties<_Object: \(declared.name)>(
            declaredBy: \(declared.name).Type, from: _Object.Type
        ) -> [_ManagedProperty] {
            var properties: [_ManagedProperty] = []
            \(raw: statements([inheritance]))
            return properties
        }
        """
    }

    /// The statement that adds the superclass's properties, with key paths from this class.
    ///
    /// There is always a statement that changes the list, whatever conditions the class's own properties are under.
    private var inheritance: String {
        "properties += _properties(declaredBy: \(declared.superclass).self, from: \(root).self)"
    }

    private func statements(_ first: [String]) -> String { (first + additions).joined(separator: "\n") }

    private static func additions(for member: DeclSyntax, _ root: String) -> [String] {
        guard let variable = member.as(VariableDeclSyntax.self) else { return [] }
        if let attribute = variable.attributes.attribute(named: "Managed") {
            guard let managed = try? ManagedVariable(variable, attribute), !managed.isPrimitive else {
                return []
            }
            return [addition("stored", "\(managed.key)", "\(root).\(managed.name.text)")]
        }
        return variable.namesOfCodedProperties.map {
            addition("custom", "\"\($0.identifierText)\"", "\(root).\($0.text)")
        }
    }

    private static func addition(_ kind: String, _ key: String, _ keyPath: String) -> String {
        "properties.append(.\(kind)(\(key), \\\(keyPath)))"
    }
}

extension VariableDeclSyntax {
    /// The computed properties of objects that are found by name: those that others see and that key paths can
    /// lead to.
    fileprivate var namesOfCodedProperties: [TokenSyntax] {
        if modifiers.contains(.private, .fileprivate, .static, .class) { return [] }
        if attributes.attribute(named: "MainActor") != nil || isUnavailable { return [] }
        return bindings.compactMap { binding in
            guard binding.accessorBlock?.isPlainGetter == true else { return nil }
            let name = binding.pattern.as(IdentifierPatternSyntax.self)?.identifier.trimmed
            // Every object's own descriptions are not properties of the entity.
            return ["description", "debugDescription"].contains(name?.text) ? nil : name
        }
    }

    private var isUnavailable: Bool {
        guard let arguments = attributes.attribute(named: "available")?.arguments else { return false }
        return arguments.tokens(viewMode: .sourceAccurate).contains { $0.text == "unavailable" }
    }
}

extension AccessorBlockSyntax {
    /// Whether the value is computed, at once and without errors.
    var isPlainGetter: Bool {
        switch accessors {
        case .getter: true
        case .accessors(let list):
            list.contains { accessor in
                accessor.effectSpecifiers == nil
                    && [.keyword(.get), .keyword(._read), .keyword(.unsafeAddress)].contains(
                        accessor.accessorSpecifier.tokenKind)
            }
        }
    }
}
