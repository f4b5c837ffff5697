/// A condition: a column with keys of another table has one of some keys.
package struct KeysInColumn: Sendable {
    let column: String
    let keys: [Int64]
    /// Whether the database may find the rows by an index of the column; if not, it reads the whole table.
    let usesIndex: Bool

    package init(_ column: String, _ keys: [Int64], usesIndex: Bool = true) {
        self.column = column
        self.keys = keys
        self.usesIndex = usesIndex
    }

    package var keyCount: Int { keys.count }

    /// - Parameter table: the name that the statement has for the table.
    func condition(in table: String) -> SQLStatement {
        let column: SQLStatement = "\(name: table).\(name: column)"
        return ValueList.condition(usesIndex ? column : SQLStatement(.plain(column)), keys: keys)
    }
}
