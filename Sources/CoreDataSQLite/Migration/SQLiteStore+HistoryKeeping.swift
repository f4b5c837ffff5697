import CoreDataSQL
import ObjectGraph
import Foundation
import ManagedObjectModel

extension SQLiteStore {
    package var keepsHistory: Bool { history != nil }

    package func adoptHistory(of source: any ObjectStore, _ keeping: HistoryKeeping) throws {
        guard let source = source as? SQLiteStore else { return }
        if keeping.keepsOtherTables {
            try source.withSnapshot { snapshot in
                try write("migrate the store") { database in
                    try UnmodelledTables(snapshot, schema).copy(to: database)
                }
            }
        }
        guard source.history != nil else { return }
        try source.withSnapshot { snapshot in
            try write("migrate the history") { database in
                let connection = SQLiteConnection(database)
                guard let transfer = HistoryTransfer(snapshot, to: self, connection) else { return }
                let save = SQLSave(self, connection)
                // The keys of objects that are gone stay different from each other and from all others.
                var gone: [ObjectKey: Int64] = [:]
                let history = try transfer.run(mapping: keeping.way) { storedEntity, reference, way in
                    let key = ObjectKey(table: storedEntity.table, reference: reference)
                    if let made = keeping.counterpart(key), made.table == way.destination.table {
                        return made.reference
                    }
                    if let known = gone[key] { return known }
                    let new = try save.reserve(way.destination, count: 1)
                    gone[key] = new
                    return new
                }
                var unit = UnitOfWork()
                unit.author = keeping.author
                _ = try HistoryWriter(self, history, connection).write([], PropertySet(), unit)
            }
        }
    }
}
