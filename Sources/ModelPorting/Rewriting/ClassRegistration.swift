import SwiftSyntax

/// What is written for a class so that its members are found by their names.
///
/// A function of the class lists them; what is private in another file is listed by a function there, which this one
/// calls.
final class ClassRegistration {
    private let declaration: TypeDeclaration
    private let inheritsDirectly: Bool
    private let superclassName: String
    private var properties = List()
    private var dependencies = List()
    private var validators = List()
    /// The files with members that only they see, beside the class's own; their order numbers them.
    private var otherFiles: [ObjectIdentifier] = []
    private var fileNumbers: [ObjectIdentifier: Int] = [:]

    /// Statements by the file that alone can compile them; those under nil and the class's own file are written there.
    private struct List {
        var own: [Entry] = []
        var others: [ObjectIdentifier: [Entry]] = [:]

        var isEmpty: Bool { own.isEmpty && others.isEmpty }
    }

    /// A statement, and the conditions under which it is compiled.
    private struct Entry {
        let statement: String
        let conditions: [String]
    }

    init(_ declaration: TypeDeclaration, _ module: ModuleDeclarations) {
        self.declaration = declaration
        inheritsDirectly = module.inheritsDirectly(declaration)
        superclassName = module.superclassName(of: declaration)
        let keys = module.keys(of: declaration)
        for member in module.codedMembers(of: declaration) {
            switch member.role {
            case .stored(let key):
                // The primitive value of a property is not a property, but has a name.
                let isPrimitive =
                    KeyName.keyOfPrimitive(key, among: keys, modelKeys: module.modelKeys(of: declaration))
                    != nil
                add(
                    "properties.append(.\(isPrimitive ? "custom" : "stored")(\"\(key)\", \\\(root).\(member.name)))",
                    of: member,
                    to: \.properties)
            case .custom(let key):
                add(
                    "properties.append(.custom(\"\(key)\", \\\(root).\(member.name)))", of: member,
                    to: \.properties)
            case .dependency(let suffix, let isMethod, let result):
                let key = KeyName.key(from: suffix, among: keys)
                let value = "\(member.name)\(isMethod ? "()" : "")"
                // An `NSSet`, or a set of what strings are bridged to.
                let isOfStrings = result?.oneLine() == "Set<String>"
                add(
                    "table[\"\(key)\"] = "
                        + (isOfStrings ? value : "Set(\(value).map { String(describing: $0) })"),
                    of: member, to: \.dependencies)
            case .validator(let suffix, let pointee, let throwsErrors):
                let key = KeyName.key(from: suffix, among: keys)
                let type = module.portedText(of: pointee, in: declaration.name)
                let call = (throwsErrors ? "try " : "") + "object.\(member.name)($0)"
                add(
                    "table[\"\(key)\"] = .method { (object: \(declaration.name), value: inout \(type)) in "
                        + "\(throwsErrors ? "try " : "")withUnsafeMutablePointer(to: &value) { \(call) } }",
                    of: member, to: \.validators)
            }
        }
    }

    private func add(
        _ statement: String, of member: CodedMember,
        to list: ReferenceWritableKeyPath<ClassRegistration, List>
    ) {
        let entry = Entry(statement: statement, conditions: member.conditions)
        guard member.isPrivate, member.source !== declaration.source else {
            self[keyPath: list].own.append(entry)
            return
        }
        let file = ObjectIdentifier(member.source)
        if fileNumbers[file] == nil {
            otherFiles.append(file)
            fileNumbers[file] = otherFiles.count
        }
        self[keyPath: list].others[file, default: []].append(entry)
    }

    /// Whether there is anything that the class would register.
    var isNeeded: Bool { !properties.isEmpty || !dependencies.isEmpty || !validators.isEmpty }

    private var listsProperties: Bool { !properties.isEmpty || !inheritsDirectly }

    private var name: String { declaration.name }

    /// What key paths begin with: in a class that may have subclasses, the one whose properties are requested.
    private var root: String { declaration.isFinal ? name : "_Object" }

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
        let start = "nonisolated \(access)override class var"
        var members: [String] = []
        if listsProperties {
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
        let visible = access == "open " ? "public " : access
        var functions: [String] = []
        if listsProperties {
            functions += propertyFunction(
                "_properties", access: visible,
                first: ["properties += _properties(declaredBy: \(superclassName).self, from: \(root).self)"],
                properties.own,
                last: calls(properties) {
                    "properties += _properties\($0)(declaredBy: \(name).self, from: \(root).self)"
                })
        }
        if !dependencies.isEmpty {
            functions += tableFunction(
                "_dependencies", "_ManagedDependencies", access: "fileprivate ", dependencies.own,
                last: calls(dependencies) { "table = _dependencies\($0)(of: \(name).self, table)" })
        }
        if !validators.isEmpty {
            functions += tableFunction(
                "_validators", "_ManagedValidators", access: "fileprivate ", validators.own,
                last: calls(validators) { "table = _validators\($0)(of: \(name).self, table)" })
        }
        return classExtension(functions)
    }

    /// The extension with the lists of what only one file sees, to be written there; empty when there is nothing.
    func lists(seenBy source: ParsedSource) -> [String] {
        let file = ObjectIdentifier(source)
        guard let number = fileNumbers[file] else { return [] }
        let suffix = "OfFile\(number)"
        var functions: [String] = []
        if let entries = properties.others[file] {
            functions += propertyFunction("_properties\(suffix)", access: "", entries)
        }
        if let entries = dependencies.others[file] {
            functions += tableFunction("_dependencies\(suffix)", "_ManagedDependencies", access: "", entries)
        }
        if let entries = validators.others[file] {
            functions += tableFunction("_validators\(suffix)", "_ManagedValidators", access: "", entries)
        }
        return classExtension(functions)
    }

    /// The class that leads from the name in models to this one.
    var renaming: [String] {
        guard let objectiveCName = declaration.objectiveCName, objectiveCName != name else { return [] }
        return conditional([
            "final class _ManagedObjectClass_\(objectiveCName): CoreData._RenamedManagedObjectClass {",
            "    static var objectClass: CoreData.NSManagedObject.Type { \(name).self }",
            "}",
        ])
    }

    // MARK: Text

    private func propertyFunction(
        _ function: String, access: String, first: [String] = [], _ entries: [Entry], last: [String] = []
    ) -> [String] {
        let generics = declaration.isFinal ? "" : "<_Object: \(name)>"
        return [
            "    \(access)nonisolated static func \(function)\(generics)(declaredBy: \(name).Type, from: \(root).Type) "
                + "-> [_ManagedProperty] {",
            "        var properties: [_ManagedProperty] = []",
        ] + (first.map { "        \($0)" } + lines(entries) + last.map { "        \($0)" })
            + ["        return properties", "    }"]
    }

    private func tableFunction(
        _ function: String, _ type: String, access: String, _ entries: [Entry], last: [String] = []
    ) -> [String] {
        [
            "    \(access)nonisolated static func \(function)(of: \(name).Type, _ inherited: \(type)) -> \(type) {",
            "        var table = inherited",
        ] + lines(entries) + last.map { "        \($0)" } + ["        return table", "    }"]
    }

    /// The calls of the lists in other files.
    private func calls(_ list: List, _ call: (String) -> String) -> [String] {
        otherFiles.enumerated().filter { list.others[$0.element] != nil }.map {
            call("OfFile\($0.offset + 1)")
        }
    }

    private func classExtension(_ functions: [String]) -> [String] {
        functions.isEmpty ? [] : conditional(["extension \(name) {"] + functions + ["}"])
    }

    private func conditional(_ lines: [String]) -> [String] {
        declaration.conditions.isEmpty
            ? lines : ["#if \(declaration.conditions.joined(separator: " && "))"] + lines + ["#endif"]
    }

    private func lines(_ entries: [Entry]) -> [String] {
        let shared = Set(declaration.conditions)
        return entries.flatMap { entry -> [String] in
            let own = entry.conditions.filter { !shared.contains($0) }
            let line = "        \(entry.statement)"
            return own.isEmpty ? [line] : ["#if \(own.joined(separator: " && "))", line, "#endif"]
        }
    }
}
