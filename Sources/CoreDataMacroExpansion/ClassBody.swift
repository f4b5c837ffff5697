import SwiftSyntax

/// The members of a class, those in `#if` included.
struct ClassBody {
    private let members: MemberBlockItemListSyntax

    init(_ members: MemberBlockItemListSyntax) { self.members = members }

    /// Statements made of the members, each in the `#if` that its member is in.
    ///
    /// - Parameter make: the statements for a member.
    func statements(_ make: (DeclSyntax) -> [String]) -> [String] {
        members.flatMap { member in
            guard let conditional = member.decl.as(IfConfigDeclSyntax.self) else { return make(member.decl) }
            return Self.statements(of: conditional, make)
        }
    }

    private static func statements(
        of conditional: IfConfigDeclSyntax, _ make: (DeclSyntax) -> [String]
    ) -> [String] {
        var lines: [String] = []
        var isEmpty = true
        for clause in conditional.clauses {
            let condition = clause.condition.map { " \($0.trimmedDescription)" } ?? ""
            lines.append(clause.poundKeyword.text + condition)
            guard case .decls(let members) = clause.elements else { continue }
            let inner = ClassBody(members).statements(make)
            isEmpty = isEmpty && inner.isEmpty
            lines += inner
        }
        return isEmpty ? [] : lines + ["#endif"]
    }

    /// The members, whatever conditions they are under.
    var declarations: [DeclSyntax] {
        members.flatMap { member -> [DeclSyntax] in
            guard let conditional = member.decl.as(IfConfigDeclSyntax.self) else { return [member.decl] }
            return conditional.clauses.flatMap { clause -> [DeclSyntax] in
                guard case .decls(let members) = clause.elements else { return [] }
                return ClassBody(members).declarations
            }
        }
    }

    /// All properties, of whatever kind.
    var variables: [VariableDeclSyntax] { declarations.compactMap { $0.as(VariableDeclSyntax.self) } }

    /// The names of the properties of objects.
    var propertyNames: [String] {
        variables.filter { !$0.modifiers.contains(.static, .class) }.flatMap { variable in
            variable.bindings.compactMap {
                $0.pattern.as(IdentifierPatternSyntax.self)?.identifier.identifierText
            }
        }
    }
}
