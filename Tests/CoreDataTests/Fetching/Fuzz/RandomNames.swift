import TestSupport

/// Names of entities and properties that are awkward somewhere: words of SQL and of predicates, names of a row's own
/// columns, letters of many scripts, long ones, and such that differ in case only.
enum RandomNames {
    static let properties =
        [
            "name", "Name", "title", "order", "select", "group", "from", "where", "index", "table", "values",
            "default", "primary", "key", "unique", "limit", "rowid", "oid", "pk", "Z_PK", "Z_ENT", "ent",
            "opt",
            "t0", "t1", "count", "sum", "min", "max", "e", "x1", "_hidden", "größe", "straße", "имя", "名前",
            "が",
            "e\u{301}tat", "İ", "ı", "length", "value", "null_", "parent", "children", "join", "left",
            "exists",
            "Z_FOK_KEY", "distinct", String(repeating: "long", count: 30),
        ] + reserved

    /// Words that a predicate takes for a key only behind a `#`.
    private static let reserved = [
        "first", "last", "size", "in", "any", "all", "like", "between", "contains", "and", "or", "not",
        "true",
        "no", "nil", "null", "cast", "fetch", "union", "minus", "subquery", "function", "anykey",
    ]
    private static let reservedSet = Set(reserved)

    static let entities = [
        "Order", "Group", "GROUP", "Select", "Table", "Index", "Größe", "日本", "Имя", "Node", "T0", "Metadata",
        "Join", "Left", "Value", "Values", "Null", "Change", "PK", "Elephant", "Z", "É",
        String(repeating: "Long", count: 20),
    ]

    /// A key as a format string has it.
    static func key(_ name: String) -> String { reservedSet.contains(name) ? "#" + name : name }
}
