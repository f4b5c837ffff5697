import CoreDataSQL
import ObjectGraph
import ManagedObjectModel

extension FetchInspection {
    /// The objects that a to-many relationship of one object leads to, in order when it is ordered.
    ///
    /// - Throws: an error of SQLite; `NSUserCancelledError`; an error for a store that is not in SQLite.
    package static func links(
        of relationship: NSRelationshipDescription, owner: Int64, in store: any InspectedStore,
        _ cancellation: FetchCancellation
    ) throws -> (objects: [NSManagedObjectID], execution: Execution?) {
        guard let store = store as? SQLiteStore else { throw noStore }
        let schema = store.schema
        guard let links = schema.links(of: relationship) else { return ([], nil) }
        let statement = try schema.dialect.render(
            LinkCompiler(schema: schema).destinations(of: relationship, links, owners: [owner]))
        return try store.read("load '\(relationship.name)'", cancellation) { database in
            var found: [(entityNumber: Int32, reference: Int64)] = []
            let execution = try execute(statement, database) { row in
                // A number that no entity has leads to nothing that can be shown.
                guard let number = Int32(exactly: SQLValue(row, 1).integer ?? 0) else { return }
                found.append((number, SQLValue(row, 2).integer ?? 0))
            }
            let objects = found.compactMap { number, reference in
                schema.entity(number).map {
                    NSManagedObjectID(storedEntity: $0.storedEntity, reference: reference)
                }
            }
            return (objects, execution)
        }
    }
}
