import ObjectGraph
import Foundation
import ManagedObjectModel

extension SQLSchema {
    /// The columns of a constraint as rows of an entity have them, in the order of its names; nil when one has none.
    package func columns(of constraint: [String], _ entity: SQLEntity) -> [SQLColumn]? {
        let columns = constraint.compactMap { column(atPath: $0, entity) }
        return columns.count == constraint.count && !columns.isEmpty ? columns : nil
    }

    /// The columns of a constraint in the rows of each entity that its index covers: all entities of the table that have
    /// the columns, also those that inherit them from the same ancestor as the one that declares the constraint.
    package func constrained(by constraint: [String], of entity: SQLEntity) -> [(
        entity: SQLEntity, columns: [SQLColumn]
    )] {
        guard let declared = columns(of: constraint, entity) else { return [] }
        return entities.filter { $0.table == entity.table }.compactMap { other in
            let columns = declared.compactMap { column in
                other.columns.first { $0.name == column.name && $0.role == column.role }
            }
            return columns.count == declared.count ? (other, columns) : nil
        }
    }

    /// The columns of all constraints that hold for rows of an entity.
    package func uniqueColumns(_ entity: SQLEntity) -> [SQLColumn] {
        var found: [SQLColumn] = []
        for declaring in entities where declaring.table == entity.table {
            for constraint in declaring.storedEntity.entity.uniquenessConstraintNames {
                for column in columns(of: constraint, declaring) ?? []
                where !found.contains(where: { $0.name == column.name }) {
                    if let own = entity.columns.first(where: { $0.name == column.name }) { found.append(own) }
                }
            }
        }
        return found
    }

    /// The rows with certain values in the columns of a constraint.
    ///
    /// - Parameters:
    ///   - entity: the one that declares the constraint.
    ///   - columns: those of the constraint.
    ///   - numbers: those of the entities whose rows have the columns.
    ///   - names: the columns to select of them.
    ///   - values: one list for each row that is looked for.
    package func rows(
        of entity: SQLEntity, where columns: [SQLColumn], have values: [[SQLValue]], among numbers: [Int32],
        selecting names: [String]
    ) -> SQLStatement {
        let condition = SQLStatement.all(
            "(\(names: columns.map(\.name))) IN (\(.tuples(values)))", entity.isAmong(numbers))
        return """
            SELECT \(names: names) FROM \(name: entity.table) WHERE \(condition)
            """
    }
}
