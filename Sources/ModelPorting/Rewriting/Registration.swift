import SwiftSyntax

extension FilePort {
    /// Registers with the framework what an Objective-C runtime would know of a class: its name in models, its properties, the
    /// keys they depend on, its validators.
    func portClass(_ node: ClassDeclSyntax, _ declaration: TypeDeclaration) {
        portObserver(node, declaration)
        portStore(node, declaration)
        addMembers(
            forwardedOverrides(of: declaration)
                + [missingStoreInitializer(of: declaration)].compactMap(\.self), to: node)
        guard module.lineage(of: declaration).count < ModuleDeclarations.maxAncestors else {
            refuse(
                "'\(declaration.name)' has \(ModuleDeclarations.maxAncestors) ancestors or more: leave some out",
                at: node.name)
            return
        }
        guard module.isManaged(declaration) else { return }
        checkInitializers(of: declaration)
        warnOfHiddenMembers(declaration)
        if declaration.isGeneric {
            refuse(Self.genericClassRefusal, at: node.name)
            return
        }
        guard module.countOfDeclarations(of: declaration) <= ModuleDeclarations.maxDeclarations else {
            refuse(
                "'\(declaration.name)' is declared more than \(ModuleDeclarations.maxDeclarations) times: declare it once, with "
                    + "the conditions inside",
                at: node.name)
            return
        }
        let registration = module.registration(of: declaration)
        if !declaration.isNameable {
            guard registration.isNeeded || declaration.objectiveCName != nil else { return }
            let location =
                declaration.isHidden ? "nothing outside can name it" : "it belongs to the main actor"
            warn(
                """
                the properties of '\(declaration.name)' are not registered, because \(location): their key paths have no \
                names, and key-value coding calls no accessors of the class's own; declare it at the top of a file, and mark members and \
                not the class with '@MainActor'
                """, at: node.name)
            return
        }
        let overrides = registration.overrides
        if !overrides.isEmpty {
            addMembers(overrides, to: node)
            additions += registration.lists
        }
        additions += registration.renaming
    }

    /// Writes members, each of one line, at the end of a class.
    private func addMembers(_ members: [String], to node: ClassDeclSyntax) {
        guard !members.isEmpty else { return }
        let brace = node.memberBlock.rightBrace
        let isOnLineOfMember =
            !node.memberBlock.members.isEmpty && !brace.leadingTrivia.containsNewlines
            && node.memberBlock.members.last?.semicolon == nil
        let isFirst = extendedClasses.insert(node.id).inserted
        insert(
            (isOnLineOfMember || !isFirst ? "; " : "") + members.joined(separator: "; ") + " ", before: brace)
    }

    static let genericClassRefusal =
        "a class of managed objects cannot be generic, since an entity names one class: write a class for each, and "
        + "functions or protocols that are generic over managed objects"

    /// Lists the members that only this file sees, for a class that another file declares.
    func portExtension(_ declaration: TypeDeclaration) {
        for type in module.extendedTypes(declaration)
        where type.source !== source && type.isNameable && !type.isGeneric && module.isManaged(type) {
            guard listed.insert(ObjectIdentifier(type)).inserted else { continue }
            additions += module.registration(of: type).lists(seenBy: source)
        }
    }

    /// A member without `@objc` is never called on Apple's platforms, nor is it here.
    private func warnOfHiddenMembers(_ declaration: TypeDeclaration) {
        let coded = Set(
            module.codedMembers(of: declaration).map { "\($0.source.name) \($0.location.utf8Offset)" })
        for member in module.parts(of: declaration).flatMap(\.members)
        where member.source === source
            && !coded.contains("\(member.source.name) \(member.location.utf8Offset)")
        {
            switch member.role {
            case _ where member.isOfMainActor:
                warn(
                    "'\(member.name)' is not found by its name, because it belongs to the main actor: mark it 'nonisolated', or drop "
                        + "'@MainActor'", at: member.location)
            case .dependency, .validator:
                warn(
                    "'\(member.name)' is never called, here as on Apple's platforms: it lacks '@objc'; add that, or drop the member",
                    at: member.location)
            case .stored, .custom: continue
            }
        }
    }
}
