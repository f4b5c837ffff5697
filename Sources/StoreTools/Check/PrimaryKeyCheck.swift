import CoreDataSQL

/// Whether keys are ones that objects can have, and `Z_PRIMARYKEY` has the numbers that new objects need. It takes no model.
struct PrimaryKeyCheck {
    private let connection: any SQLConnection
    private let tables: ExistingTables

    init(_ connection: any SQLConnection, _ tables: ExistingTables) {
        self.connection = connection
        self.tables = tables
    }

    func findings() throws -> [StoreFinding] {
        let entities = try EntityNumbers.required(connection, tables)
        var findings: [StoreFinding] = []
        for entity in entities.all where entity.isRoot {
            guard let table = entities.table(of: entity) else { continue }
            let invalid = StoreFinding(
                .error, .invalidKey, try connection.found(TableFaults.invalidKeys(in: table)),
                of: entity.name,
                "a key is not above zero: no object can have it, and its row cannot be trusted")
            if let invalid { findings.append(invalid) }
            let highest = try connection.firstInteger(TableFaults.highestKey(in: table))
            if let highest, highest > entity.highestKey {
                findings.append(
                    StoreFinding(
                        .warning, .highestKey, entity: entity.name,
                        """
                        Z_MAX is \(entity.highestKey), but table \(table) has a row \(highest): Apple's framework would give \
                        new objects keys that are taken; here they get higher ones
                        """
                    ))
            }
        }
        return findings
    }
}

extension EntityNumbers {
    /// The entities of a store.
    ///
    /// - Throws: an error of the database; one that says that the store does not list its entities.
    static func required(_ connection: any SQLConnection, _ tables: ExistingTables) throws -> EntityNumbers {
        guard let entities = try EntityNumbers(connection, tables) else {
            throw StoreToolError("The store has no table Z_PRIMARYKEY, which lists its entities.")
        }
        return entities
    }
}
