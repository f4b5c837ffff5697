import ObjectGraph

/// Makes `NSSQLiteStoreType` a type of store for coordinators.
@_dynamicReplacement(for:databaseStoreClasses())
private func sqliteStoreClasses() -> [String: any ObjectStore.Type] {
    [NSSQLiteStoreType: SQLiteStore.self]
}
