import Foundation
import ManagedObjectModel

extension SQLSchema {
    /// The columns of a constraint as rows of an entity have them, in the order of its names; nil when one has none.
    func columns(of constraint: [String], _ entity: SQLEntity) -> [SQLColumn]? {
        let columns = constraint.compactMap { column(atPath: $0, entity) }
        return columns.count == constraint.count && !columns.isEmpty ? columns : nil
    }

    /// The columns of all constraints that hold for rows of an entity: its own, and those of its ancestors.
    func uniqueColumns(_ entity: SQLEntity) -> [SQLColumn] {
        var found: [SQLColumn] = []
        var current: NSEntityDescription? = entity.home.entity
        while let declaring = current {
            for column in declaring.uniquenessConstraintNames.compactMap({ columns(of: $0, entity) }).joined()
            where !found.contains(where: { $0.name == column.name }) {
                found.append(column)
            }
            current = declaring.superentity
        }
        return found
    }

    /// The rows with certain values in the columns of a constraint.
    ///
    /// - Parameters:
    ///   - entity: the one that declares the constraint.
    ///   - columns: those of the constraint.
    ///   - names: what to select behind `Z_PK, Z_ENT, Z_OPT`.
    ///   - values: one list for each row that is looked for.
    func rows(
        of entity: SQLEntity, where columns: [SQLColumn], have values: [[SQLValue]], selecting names: [String]
    ) -> SQLStatement {
        let selected = (["Z_PK", "Z_ENT", "Z_OPT"] + names.map(quoted)).joined(separator: ", ")
        let key = columns.map { quoted($0.name) }.joined(separator: ", ")
        let tuple = "(\(Array(repeating: "?", count: columns.count).joined(separator: ", ")))"
        let tuples = Array(repeating: tuple, count: values.count).joined(separator: ", ")
        let family = entity.familyNumbers.map(String.init).joined(separator: ", ")
        return SQLStatement(
            """
            SELECT \(selected) FROM \(quoted(entity.table)) WHERE (\(key)) IN (VALUES \(tuples)) AND Z_ENT IN (\(family))
            """, Array(values.joined()))
    }
}
