import ObjectGraph
import CocoaFoundation
import Foundation
import ManagedObjectModel

extension PredicateCompiler {
    /// The object of `CAST(object, "entity")`, which is missing where it is of another entity; nil for a cast to a type of
    /// values.
    ///
    /// - Throws: 134060 for a name that is neither, and for a value that is not an object at the end of a key path.
    mutating func cast(
        _ arguments: [NSExpression], _ expression: NSExpression, _ context: NSPredicate?
    ) throws -> QueryTarget? {
        guard arguments.count == 2, case .constant(let name as String) = arguments[1].kind,
            !ValueConversion.typeNames.contains(name)
        else { return nil }
        guard let target = schema.entities.first(where: { $0.storedEntity.entity.name == name }) else {
            throw Self.unsupported(
                expression, context, "'\(name)' is neither a type of values nor an entity of the store")
        }
        guard let found = try object(arguments[0], context), let table = found.table else {
            throw Self.unsupported(
                expression, context, "a cast to an entity needs an object at the end of a key path")
        }
        let entity = target.storedEntity.entity
        if found.entity.isKindOf(entity: entity) { return found }
        guard target.table == table.table else {
            return QueryTarget(source: found.source, key: "NULL", entity: entity, table: target)
        }
        let alias = found.source.alias(key: found.key, table)
        return QueryTarget(
            source: found.source,
            key: """
                CASE WHEN \(name: alias).Z_ENT IN (\(integers: target.familyNumbers)) THEN \(found.key) END
                """, entity: entity, table: target)
    }
}
