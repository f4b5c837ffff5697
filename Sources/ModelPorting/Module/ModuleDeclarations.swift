import SwiftSyntax

/// What the sources of a module declare, seen together.
struct ModuleDeclarations {
    /// The longest line of ancestors that is followed.
    private static let mostAncestors = 100

    private let modelKeys: [String: Set<String>]
    private var byID: [SyntaxIdentifier: TypeDeclaration] = [:]
    private var types: [String: TypeDeclaration] = [:]
    private var aliases: [String: String] = [:]
    private var extensions: [ObjectIdentifier: [TypeDeclaration]] = [:]

    init(_ sources: [ParsedSource], modelKeys: [String: Set<String>]) {
        self.modelKeys = modelKeys
        var declared: [TypeDeclaration] = []
        for source in sources {
            let reader = DeclarationReader(source)
            aliases.merge(reader.aliases) { first, _ in first }
            for (id, declaration) in reader.declarations {
                byID[id] = declaration
                declared.append(declaration)
                if declaration.kind != .typeExtension, types[declaration.name] == nil {
                    types[declaration.name] = declaration
                }
            }
        }
        for declaration in declared where declaration.kind == .typeExtension {
            if let type = type(named: declaration.name) {
                extensions[ObjectIdentifier(type), default: []].append(declaration)
            }
        }
    }

    /// The declaration that a node of a tree is.
    func declaration(_ node: some SyntaxProtocol) -> TypeDeclaration? { byID[node.id] }

    /// The type of a name, as it is understood inside another type.
    func type(named name: String, in scope: String = "") -> TypeDeclaration? {
        var scope = scope.split(separator: ".")
        while true {
            if let type = types[(scope + [Substring(name)]).joined(separator: ".")] { return type }
            guard scope.popLast() != nil else { break }
        }
        if let alias = aliases[name], alias != name, aliases[alias] == nil { return type(named: alias) }
        // `Module.Book`: which module this one is called is not known here.
        guard let dot = name.firstIndex(of: ".") else { return nil }
        return types[String(name[name.index(after: dot)...])]
    }

    /// The type that an extension extends, or the type itself.
    func extended(_ declaration: TypeDeclaration) -> TypeDeclaration? {
        declaration.kind == .typeExtension ? type(named: declaration.name) : declaration
    }

    /// The class and those that it inherits from, as far as the module declares them.
    func lineage(of type: TypeDeclaration) -> [TypeDeclaration] {
        var lineage = [type]
        while lineage.count < Self.mostAncestors, let last = lineage.last, let name = last.inherited.first,
            let next = self.type(named: name, in: last.name), next.kind == .classType,
            !lineage.contains(where: { $0 === next })
        {
            lineage.append(next)
        }
        return lineage
    }

    /// A type with its extensions.
    func parts(of type: TypeDeclaration) -> [TypeDeclaration] {
        [type] + (extensions[ObjectIdentifier(type)] ?? [])
    }

    /// Whether objects of a class are managed: it inherits from `NSManagedObject`, or from a class of another module
    /// and has members with `@NSManaged`.
    func isManaged(_ declaration: TypeDeclaration?) -> Bool {
        guard let declaration else { return false }
        guard let type = extended(declaration) else { return declaration.hasManagedMembers }
        guard type.kind == .classType else { return false }
        let lineage = lineage(of: type)
        guard let root = lineage.last?.inherited.first else { return false }
        let name = aliases[root] ?? root
        if Self.isManagedObject(name) { return true }
        return lineage.contains { parts(of: $0).contains(where: \.hasManagedMembers) }
    }

    static func isManagedObject(_ name: String) -> Bool {
        name == "NSManagedObject" || name == "CoreData.NSManagedObject"
    }

    /// Whether the superclass of a class is `NSManagedObject` itself.
    func inheritsDirectly(_ type: TypeDeclaration) -> Bool {
        guard let name = type.inherited.first else { return true }
        return Self.isManagedObject(aliases[name] ?? name)
    }

    /// The members of a class and its extensions that are found by name.
    func codedMembers(of type: TypeDeclaration) -> [CodedMember] {
        let exposesAll = lineage(of: type).contains { $0.attributes.contains("objcMembers") }
        return parts(of: type).flatMap(\.members).filter { $0.isExposed || exposesAll && !$0.isPrivate }
    }

    /// The keys of a class's properties, inherited ones included.
    func keys(of declaration: TypeDeclaration) -> Set<String> {
        guard let type = extended(declaration) else {
            return Set(declaration.properties.map(\.key)).union(modelKeys[declaration.name] ?? [])
        }
        var keys: Set<String> = []
        for ancestor in lineage(of: type) {
            for part in parts(of: ancestor) { keys.formUnion(part.properties.map(\.key)) }
            keys.formUnion(modelKeys[ancestor.objectiveCName ?? ancestor.name] ?? [])
        }
        return keys
    }

    /// The keys that the model alone tells.
    func modelKeys(of declaration: TypeDeclaration) -> Set<String> {
        let name = extended(declaration).map { $0.objectiveCName ?? $0.name } ?? declaration.name
        return modelKeys[name] ?? []
    }

    /// A property of a type, inherited ones included.
    func property(_ name: String, of type: TypeDeclaration) -> PropertyDeclaration? {
        for ancestor in lineage(of: type) {
            for part in parts(of: ancestor) {
                if let property = part.properties.first(where: { $0.name == name }) { return property }
            }
        }
        return nil
    }
}
