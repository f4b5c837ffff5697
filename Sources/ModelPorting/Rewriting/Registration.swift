import SwiftSyntax

extension FilePort {
    /// Tells the framework what an Objective-C runtime would know of a class: its name in models, its properties, the
    /// keys they depend on, its validators.
    func portClass(_ node: ClassDeclSyntax, _ declaration: TypeDeclaration) {
        portObserver(node, declaration)
        guard module.isManaged(declaration) else { return }
        checkInitializers(of: declaration)
        warnOfHiddenMembers(declaration)
        if declaration.isGeneric {
            refuse(
                "a class of managed objects has no type parameters: an entity names one class", at: node.name)
            return
        }
        let registration = ClassRegistration(declaration, module)
        if declaration.isHidden || declaration.isMainActor {
            guard registration.isNeeded || declaration.objectiveCName != nil else { return }
            let place = declaration.isHidden ? "nothing outside can name it" : "it belongs to the main actor"
            warn(
                """
                the properties of '\(declaration.name)' are not registered, because \(place): their key paths have no \
                names, and key-value coding calls no accessors of the class's own
                """, at: node.name)
            return
        }
        let overrides = registration.overrides
        if !overrides.isEmpty {
            let brace = node.memberBlock.rightBrace
            let isOnLineOfMember =
                !node.memberBlock.members.isEmpty && !brace.leadingTrivia.containsNewlines
                && node.memberBlock.members.last?.semicolon == nil
            insert((isOnLineOfMember ? "; " : "") + overrides.joined(separator: "; ") + " ", before: brace)
            additions += registration.lists
        }
        additions += registration.renaming
    }

    /// A member without `@objc` is never called on Apple's platforms, nor is it here.
    private func warnOfHiddenMembers(_ declaration: TypeDeclaration) {
        let coded = Set(
            module.codedMembers(of: declaration).map { "\($0.source.name) \($0.place.utf8Offset)" })
        for member in module.parts(of: declaration).flatMap(\.members)
        where member.source === source && !coded.contains("\(member.source.name) \(member.place.utf8Offset)")
        {
            switch member.role {
            case .dependency, .validator:
                warn(
                    "'\(member.name)' is never called, here as on Apple's platforms: it lacks '@objc'",
                    at: member.place)
            case .stored, .custom: continue
            }
        }
    }
}

/// What is written for a class so that its members are found by their names.
struct ClassRegistration {
    private let declaration: TypeDeclaration
    private let inheritsDirectly: Bool
    private let properties: [Entry]
    private let dependencies: [Entry]
    private let validators: [Entry]

    /// A statement, and the conditions under which it is compiled.
    private struct Entry {
        let statement: String
        let conditions: [String]
    }

    init(_ declaration: TypeDeclaration, _ module: ModuleDeclarations) {
        self.declaration = declaration
        inheritsDirectly = module.inheritsDirectly(declaration)
        let root = declaration.isFinal ? declaration.name : "_Object"
        let keys = module.keys(of: declaration)
        var properties: [Entry] = []
        var dependencies: [Entry] = []
        var validators: [Entry] = []
        for member in module.codedMembers(of: declaration)
        where !member.isPrivate || member.source === declaration.source {
            switch member.role {
            case .stored(let key):
                // The primitive value of a property is none itself.
                if let suffix = KeyName.suffix(of: key, after: "primitive"),
                    keys.contains(KeyName.key(from: suffix, among: keys))
                        || !module.modelKeys(of: declaration).contains(key)
                {
                    continue
                }
                properties.append(
                    Entry(
                        statement: "properties.append(.stored(\"\(key)\", \\\(root).\(member.name)))",
                        conditions: member.conditions))
            case .custom(let key):
                properties.append(
                    Entry(
                        statement: "properties.append(.custom(\"\(key)\", \\\(root).\(member.name)))",
                        conditions: member.conditions))
            case .dependency(let suffix, let isMethod):
                let key = KeyName.key(from: suffix, among: keys)
                dependencies.append(
                    Entry(
                        statement: "table[\"\(key)\"] = \(member.name)\(isMethod ? "()" : "")",
                        conditions: member.conditions))
            case .validator(let suffix, let pointee, let throwsErrors):
                let key = KeyName.key(from: suffix, among: keys)
                let call = (throwsErrors ? "try " : "") + "object.\(member.name)($0)"
                validators.append(
                    Entry(
                        statement:
                            "table[\"\(key)\"] = .method { (object: \(declaration.name), value: inout \(pointee)) in "
                            + "\(throwsErrors ? "try " : "")withUnsafeMutablePointer(to: &value) { \(call) } }",
                        conditions: member.conditions))
            }
        }
        self.properties = properties
        self.dependencies = dependencies
        self.validators = validators
    }

    /// Whether there is anything that the class would register.
    var isNeeded: Bool { !properties.isEmpty || !dependencies.isEmpty || !validators.isEmpty }

    private var access: String {
        switch declaration.modifiers.access {
        case .open: "open "
        case .public: "public "
        case .package: "package "
        default: ""
        }
    }

    /// The members of the class itself, each in one line.
    var overrides: [String] {
        let name = declaration.name
        let start = "nonisolated \(access)override class var"
        var members: [String] = []
        if !properties.isEmpty || !inheritsDirectly {
            members.append(
                "\(start) managedProperties: [_ManagedProperty] { super.managedProperties + "
                    + "_properties(declaredBy: \(name).self, from: \(name).self) }")
        }
        if !dependencies.isEmpty {
            members.append(
                "\(start) registeredDependencies: _ManagedDependencies "
                    + "{ _dependencies(of: \(name).self, super.registeredDependencies) }")
        }
        if !validators.isEmpty {
            members.append(
                "\(start) registeredValidators: _ManagedValidators "
                    + "{ _validators(of: \(name).self, super.registeredValidators) }")
        }
        return members
    }

    /// The extension that holds the lists, to be compiled under the conditions of the class.
    var lists: [String] {
        let shared = Set(declaration.conditions)
        let name = declaration.name
        let visible = access == "open " ? "public " : access
        var lines: [String] = ["extension \(name) {"]
        if !properties.isEmpty || !inheritsDirectly {
            lines += [
                declaration.isFinal
                    ? "    \(visible)nonisolated static func _properties(declaredBy: \(name).Type, from: \(name).Type) "
                        + "-> [_ManagedProperty] {"
                    : "    \(visible)nonisolated static func _properties<_Object: \(name)>"
                        + "(declaredBy: \(name).Type, from: _Object.Type) -> [_ManagedProperty] {",
                "        var properties: [_ManagedProperty] = []",
                "        properties += _properties(declaredBy: \(declaration.inherited.first ?? "NSManagedObject").self, "
                    + "from: \(declaration.isFinal ? name : "_Object").self)",
            ]
            lines += Self.lines(properties, besides: shared) + ["        return properties", "    }"]
        }
        if !dependencies.isEmpty {
            lines += [
                "    fileprivate nonisolated static func _dependencies(of: \(name).Type, _ inherited: _ManagedDependencies) "
                    + "-> _ManagedDependencies {",
                "        var table = inherited",
            ]
            lines += Self.lines(dependencies, besides: shared) + ["        return table", "    }"]
        }
        if !validators.isEmpty {
            lines += [
                "    fileprivate nonisolated static func _validators(of: \(name).Type, _ inherited: _ManagedValidators) "
                    + "-> _ManagedValidators {",
                "        var table = inherited",
            ]
            lines += Self.lines(validators, besides: shared) + ["        return table", "    }"]
        }
        lines.append("}")
        return conditional(lines)
    }

    /// The class that leads from the name in models to this one.
    var renaming: [String] {
        guard let name = declaration.objectiveCName, name != declaration.name else { return [] }
        return conditional([
            "final class _ManagedObjectClass_\(name): CoreData._RenamedManagedObjectClass {",
            "    static var objectClass: CoreData.NSManagedObject.Type { \(declaration.name).self }",
            "}",
        ])
    }

    private func conditional(_ lines: [String]) -> [String] {
        declaration.conditions.isEmpty
            ? lines : ["#if \(declaration.conditions.joined(separator: " && "))"] + lines + ["#endif"]
    }

    private static func lines(_ entries: [Entry], besides shared: Set<String>) -> [String] {
        entries.flatMap { entry -> [String] in
            let own = entry.conditions.filter { !shared.contains($0) }
            let line = "        \(entry.statement)"
            return own.isEmpty ? [line] : ["#if \(own.joined(separator: " && "))", line, "#endif"]
        }
    }
}
