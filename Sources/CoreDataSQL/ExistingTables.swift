/// The tables of a file, with their columns.
package struct ExistingTables: Sendable {
    /// A join table and its keys.
    typealias JoinTableNames = (name: String, first: String, second: String)

    private let columns: [String: [String]]

    package init(_ columns: [String: [String]]) { self.columns = columns }

    package var names: some Collection<String> { columns.keys }

    /// The columns of a table; nil when there is none of this name.
    package func columns(of table: String) -> [String]? { columns[table] }

    /// The join table with these two keys.
    ///
    /// Which of two relationships gives a join table its name, and which of two clashing columns a digit, differs from
    /// one version of Apple's framework to the next. The pair of keys says which relationship it is.
    ///
    /// - Parameter used: tables that are those of other relationships.
    func joinTable(_ first: String, _ second: String, except used: Set<String>) -> JoinTableNames? {
        let found = columns.compactMap { name, columns -> JoinTableNames? in
            let keys = columns.filter { !$0.hasPrefix("Z_FOK_") }
            guard name.hasPrefix("Z_"), !used.contains(name), keys.count == 2,
                let one = keys.first(where: { Self.isNamed($0, first) }),
                let other = keys.first(where: { $0 != one && Self.isNamed($0, second) })
            else { return nil }
            return (name, one, other)
        }
        func isExact(_ names: JoinTableNames) -> Bool { names.first == first && names.second == second }
        return found.min { a, b in isExact(a) == isExact(b) ? a.name < b.name : isExact(a) }
    }

    private static func isNamed(_ column: String, _ wanted: String) -> Bool {
        column.hasPrefix(wanted) && column.dropFirst(wanted.count).allSatisfy(\.isNumber)
    }
}
