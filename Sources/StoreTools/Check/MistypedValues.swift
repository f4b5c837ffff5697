import CoreDataSQL
import CoreData

extension StoreContents {
    /// - Parameters:
    ///   - entity: the entity whose own objects are looked at.
    ///   - keys: those of the objects to look at; nil for all.
    ///   - properties: those to look at; nil for all.
    /// - Throws: an error that names an object with a value that is not of the type that the model says; it would be reported as
    ///   another value.
    func requireNoMistypedValues(
        of entity: SQLEntity, keys: [Int64]? = nil, properties: Set<String>? = nil
    ) throws {
        for column in entity.columns where column.role == .value {
            let name = entity.storedEntity.layout.slots[column.slot].name
            guard properties?.contains(name) ?? true else { continue }
            try forEachMistypedRow(of: entity, column, keys: keys) { key in
                let object = ObjectReference(entity: entity.name, key: key ?? 0)
                throw StoreToolError(
                    """
                    \(object), '\(name)' (column \(column.name) of row \(object.key)): the value is not of the type in the \
                    model; check lists all of them.
                    """)
            }
        }
    }
}
