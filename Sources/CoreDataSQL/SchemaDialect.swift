/// How a database spells statements, and what it adds to the tables of a schema.
package protocol SchemaDialect: SQLDialect {
    /// The statements that keep derived attributes and counts; none for a database whose saves do.
    ///
    /// - Throws: 134020 for a derivation that SQL cannot compute.
    func triggers(_ schema: SQLSchema) throws -> [SQLStatement]
    /// The statements that make and keep an index of rectangles; none for a database without such, whose results are the same.
    func spatialIndex(_ name: String, of table: String, columns: [String]) -> [SQLStatement]
}

extension SchemaDialect {
    package func triggers(_ schema: SQLSchema) throws -> [SQLStatement] { [] }

    package func spatialIndex(_ name: String, of table: String, columns: [String]) -> [SQLStatement] { [] }
}
