import CocoaFoundation
import Foundation
import GRDB

/// The functions that a connection to a store has: those that triggers of the format call, and those that
/// conditions on text need.
enum SQLiteFunctions {
    static func install(on database: Database, reports: DerivedReports) {
        for name in [
            SQLiteFunctionNames.updatedAffectedValue, SQLiteFunctionNames.insertUpdatedAffectedValue,
            SQLiteFunctionNames.updateAffectedValue,
        ] {
            database.add(function: report(name, reports))
        }
        database.add(
            function: DatabaseFunction(SQLiteFunctionNames.now, argumentCount: 0) { _ in
                Date.timeIntervalSinceReferenceDate
            })
        database.add(function: text(SQLiteFunctionNames.uppercase, TextFunctions.uppercase))
        database.add(function: text(SQLiteFunctionNames.lowercase, TextFunctions.lowercase))
        database.add(function: text(SQLiteFunctionNames.canonical, TextFunctions.canonical))
        TextMatchFunction.install(on: database)
    }

    /// Called by a trigger: table, entity number, key, attribute, new value.
    private static func report(_ name: String, _ reports: DerivedReports) -> DatabaseFunction {
        DatabaseFunction(name, argumentCount: 5) { values in
            if let number = Int64.fromDatabaseValue(values[1]), let key = Int64.fromDatabaseValue(values[2]),
                let attribute = String.fromDatabaseValue(values[3])
            {
                reports.note(entityNumber: number, reference: key, attribute: attribute, value: values[4])
            }
            return nil
        }
    }

    private static func text(_ name: String, _ transform: @escaping @Sendable (String) -> String)
        -> DatabaseFunction
    {
        DatabaseFunction(name, argumentCount: 1, pure: true) { values in
            String.fromDatabaseValue(values[0]).map(transform)
        }
    }

}

/// What the triggers of derived attributes reported since the last time they were asked; one a writing connection,
/// used on its queue only.
final class DerivedReports: @unchecked Sendable {

    struct Place: Hashable {
        let entityNumber: Int32
        let reference: Int64
    }

    /// The last value of each attribute of each row.
    private(set) var changes: [Place: [DerivedValue]] = [:]

    func note(entityNumber: Int64, reference: Int64, attribute: String, value: DatabaseValue) {
        let place = Place(entityNumber: Int32(truncatingIfNeeded: entityNumber), reference: reference)
        let change = DerivedValue(attribute: attribute, value: SQLValue(value))
        var list = changes.removeValue(forKey: place) ?? []
        if let index = list.firstIndex(where: { $0.attribute == attribute }) {
            list[index] = change
        } else {
            list.append(change)
        }
        changes[place] = list
    }

    func removeAll() { if !changes.isEmpty { changes = [:] } }
}

extension SQLValue {
    init(_ value: DatabaseValue) {
        switch value.storage {
        case .null: self = .null
        case .int64(let value): self = .integer(value)
        case .double(let value): self = .double(value)
        case .string(let value): self = .text(value)
        case .blob(let value): self = .blob(value)
        }
    }
}
