import CoreDataSQL

extension SQLiteDialect: SchemaDialect {
    package func triggers(_ schema: SQLSchema) throws -> [SQLStatement] {
        try DerivedTriggers(schema).statements() + CountTriggers(schema).statements()
    }

    package func spatialIndex(_ name: String, of table: String, columns: [String]) -> [SQLStatement] {
        SpatialIndex(name: name, table: table, columns: columns).statements
    }
}
