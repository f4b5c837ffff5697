import SwiftSyntax

/// What the sources of a module declare, seen together.
///
/// Whatever a type's name, parts and ancestors say of it is found once, so that porting takes time in proportion to the
/// sources. Used on one thread.
final class ModuleDeclarations {
    /// The longest line of ancestors, the class itself included.
    static let maxAncestors = 100
    /// How often a type may be declared, under different conditions.
    static let maxDeclarations = 32

    private let modelKeys: [String: Set<String>]
    private var byID: [SyntaxIdentifier: TypeDeclaration] = [:]
    private var types: [String: [TypeDeclaration]] = [:]
    /// The names of types without those around them.
    private var ownNames: Set<String> = []
    private var aliases: [String: String] = [:]
    /// The parts of a type by what it is: a class under `#if` and another one under `#else` have the same extensions.
    private var extensions: [ObjectIdentifier: [TypeDeclaration]] = [:]
    private var summaries: [ObjectIdentifier: TypeSummary] = [:]
    private var lineages: [ObjectIdentifier: [TypeDeclaration]] = [:]
    private var registrations: [ObjectIdentifier: ClassRegistration] = [:]
    private var selectors: [ObjectIdentifier: Set<String>] = [:]
    /// How many declarations and members have been looked at to answer: what porting takes beside walking the trees.
    private(set) var steps = 0

    init(_ sources: [ParsedSource], modelKeys: [String: Set<String>]) {
        self.modelKeys = modelKeys
        var declared: [TypeDeclaration] = []
        for source in sources {
            let reader = DeclarationReader(source)
            aliases.merge(reader.aliases) { first, _ in first }
            selectors[ObjectIdentifier(source)] = reader.selectors
            for (id, declaration) in reader.declarations {
                byID[id] = declaration
                if declaration.kind == .typeExtension {
                    declared.append(declaration)
                } else {
                    types[declaration.name, default: []].append(declaration)
                    if let name = declaration.name.split(separator: ".").last {
                        ownNames.insert(String(name))
                    }
                }
            }
        }
        for declaration in declared {
            for type in extendedTypes(declaration) {
                extensions[ObjectIdentifier(type), default: []].append(declaration)
            }
        }
    }

    /// The declaration that a node of a tree is.
    func declaration(_ node: some SyntaxProtocol) -> TypeDeclaration? { byID[node.id] }

    /// Whether a name is that of a variable or a parameter that holds a selector, somewhere in a source.
    func isSelector(_ name: String, in source: ParsedSource) -> Bool {
        selectors[ObjectIdentifier(source)]?.contains(name) == true
    }

    /// Whether the module declares a type of a name, be it in another type, or an alias.
    func declares(_ name: String) -> Bool { ownNames.contains(name) || aliases[name] != nil }

    /// What a type alias at the top of a source stands for.
    func alias(_ name: String) -> String? { aliases[name] }

    /// The type of a name, as it is understood inside another type; the first one, when conditions choose among several.
    func type(named name: String, in scope: String = "") -> TypeDeclaration? {
        declarations(named: name, in: scope).first
    }

    /// All declarations of a type, of which conditions choose one.
    private func declarations(named name: String, in scope: String) -> [TypeDeclaration] {
        var name = name
        var scope = scope.split(separator: ".")
        // An alias of an alias is not followed.
        for isAlias in [false, true] {
            while true {
                steps += 1
                if let found = types[(scope + [Substring(name)]).joined(separator: ".")] { return found }
                guard scope.popLast() != nil else { break }
            }
            guard !isAlias, let alias = aliases[name], alias != name, aliases[alias] == nil else { break }
            name = alias
        }
        // `Module.Book`: which module this one is called is not known here.
        guard let dot = name.firstIndex(of: ".") else { return [] }
        return types[String(name[name.index(after: dot)...])] ?? []
    }

    /// The type that an extension extends, or the type itself.
    func extended(_ declaration: TypeDeclaration) -> TypeDeclaration? {
        declaration.kind == .typeExtension ? extendedTypes(declaration).first : declaration
    }

    /// All declarations of the type that an extension extends: those that its file sees, and of these its own file's
    /// before another one's.
    func extendedTypes(_ declaration: TypeDeclaration) -> [TypeDeclaration] {
        let all = declarations(named: declaration.name, in: "").prefix(Self.maxDeclarations)
        let own = all.filter { $0.isPrivate && $0.source === declaration.source }
        return own.isEmpty ? all.filter { !$0.isPrivate } : own
    }

    /// How often a type of the name is declared.
    func countOfDeclarations(of type: TypeDeclaration) -> Int { types[type.name]?.count ?? 0 }

    /// The class and those that it inherits from, as far as the module declares them.
    func lineage(of type: TypeDeclaration) -> [TypeDeclaration] {
        if let lineage = lineages[ObjectIdentifier(type)] { return lineage }
        var lineage = [type]
        var seen = [ObjectIdentifier(type)] as Set
        while lineage.count < Self.maxAncestors, let last = lineage.last,
            let next = summary(of: last).superclass, seen.insert(ObjectIdentifier(next)).inserted
        {
            steps += 1
            lineage.append(next)
        }
        lineages[ObjectIdentifier(type)] = lineage
        return lineage
    }

    /// A type with its extensions.
    func parts(of type: TypeDeclaration) -> [TypeDeclaration] {
        let parts = [type] + (extensions[ObjectIdentifier(type)] ?? [])
        steps += parts.count
        return parts
    }

    /// What a type and its extensions say.
    func summary(of type: TypeDeclaration) -> TypeSummary {
        if let summary = summaries[ObjectIdentifier(type)] { return summary }
        var superclass: TypeDeclaration?
        if type.kind == .classType, let name = type.inherited.first {
            superclass = self.type(named: name, in: type.name)
        }
        let summary = TypeSummary(
            parts(of: type), superclass: superclass?.kind == .classType ? superclass : nil,
            modelKeys: modelKeys[type.objectiveCName ?? type.name] ?? [])
        steps += summary.propertyCount
        summaries[ObjectIdentifier(type)] = summary
        return summary
    }

    /// Whether objects of a class are managed: it inherits from `NSManagedObject`, or from a class of another module
    /// and has members with `@NSManaged`.
    func isManaged(_ declaration: TypeDeclaration?) -> Bool {
        guard let declaration else { return false }
        guard let type = extended(declaration) else { return declaration.hasManagedMembers }
        guard type.kind == .classType else { return false }
        let summary = summary(of: type)
        if let known = summary.isManaged { return known }
        let lineage = lineage(of: type)
        var isManaged = false
        if let root = lineage.last?.inherited.first {
            isManaged =
                Self.isManagedObject(aliases[root] ?? root)
                || lineage.contains { self.summary(of: $0).hasManagedMembers }
        }
        summary.isManaged = isManaged
        return isManaged
    }

    static func isManagedObject(_ name: String) -> Bool {
        name == "NSManagedObject" || name == "CoreData.NSManagedObject"
    }

    /// Whether the superclass of a class is `NSManagedObject` itself.
    func inheritsDirectly(_ type: TypeDeclaration) -> Bool {
        guard let name = type.inherited.first else { return true }
        return Self.isManagedObject(aliases[name] ?? name)
    }

    /// The name of a class's superclass, as it is understood outside of all types.
    func superclassName(of type: TypeDeclaration) -> String {
        summary(of: type).superclass?.name ?? type.inherited.first ?? "NSManagedObject"
    }

    /// What is written for a class, so that its members are found by name.
    func registration(of type: TypeDeclaration) -> ClassRegistration {
        if let known = registrations[ObjectIdentifier(type)] { return known }
        let registration = ClassRegistration(type, self)
        registrations[ObjectIdentifier(type)] = registration
        return registration
    }

    /// The members of a class and its extensions that are found by name.
    func codedMembers(of type: TypeDeclaration) -> [CodedMember] {
        let exposesAll = lineage(of: type).contains { $0.attributes.contains("objcMembers") }
        let members = parts(of: type).flatMap(\.members)
        steps += members.count
        return members.filter { !$0.isOfMainActor && ($0.isExposed || exposesAll && !$0.isPrivate) }
    }

    /// The keys of a class's properties, inherited ones included.
    func keys(of declaration: TypeDeclaration) -> KnownKeys {
        if let keys = declaration.keys { return keys }
        let keys: KnownKeys
        if let type = extended(declaration) {
            keys = KnownKeys(lineage(of: type).map { summary(of: $0).keys })
        } else {
            keys = KnownKeys([
                Set(declaration.properties.map(\.key)), modelKeys[declaration.name] ?? [],
            ])
        }
        steps += keys.count
        declaration.keys = keys
        return keys
    }

    /// The keys that only the model has.
    func modelKeys(of declaration: TypeDeclaration) -> Set<String> {
        let name = extended(declaration).map { $0.objectiveCName ?? $0.name } ?? declaration.name
        return modelKeys[name] ?? []
    }

    /// A property of a type, inherited ones included.
    func property(_ name: String, of type: TypeDeclaration) -> PropertyDeclaration? {
        for ancestor in lineage(of: type) {
            steps += 1
            if let property = summary(of: ancestor).properties[name] { return property }
        }
        return nil
    }
}
