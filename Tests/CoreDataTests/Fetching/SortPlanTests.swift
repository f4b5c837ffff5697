import CocoaFoundation
import GRDB
import Testing

import CoreData
@testable import CoreDataSQL
@testable import CoreDataSQLite
@testable import ObjectGraph

/// How SQLite carries out the orders of requests.
@Suite struct SortPlanTests {
    private let folder: StoreFolder

    init() throws { folder = try StoreFolder() }

    private static func model() -> NSManagedObjectModel {
        let name = attribute("name", .string)
        let item = NSEntityDescription("Item", name, attribute("other", .string))
        item.indexes = [
            NSFetchIndexDescription(
                name: "byName",
                elements: [NSFetchIndexElementDescription(property: name, collationType: .binary)])
        ]
        return NSManagedObjectModel(of: item)
    }

    /// What SQLite says of the statement for an order.
    private func plan(_ descriptors: NSSortDescriptor..., predicate: NSPredicate? = nil) throws -> String {
        let coordinator = try folder.open(Self.model())
        defer { try? coordinator.close() }
        let entity = try #require(coordinator.managedObjectModel.entitiesByName["Item"])
        let store = try #require(coordinator.stores(for: entity).first)
        let storedEntity = try #require(store.storedEntity(of: entity))
        var query = FetchQuery(storedEntity: storedEntity)
        query.sortDescriptors = descriptors
        query.predicate = predicate
        let schema = SQLSchema.design(storedEntities: [storedEntity], dialect: SQLiteDialect())
        let statement = try FetchCompiler(schema: schema).keys(query)
        return try folder.withDatabase { database in
            SQLiteCollations.install(on: database)
            let rows = try GRDB.Row.fetchAll(database, sql: "EXPLAIN QUERY PLAN \(statement.text)")
            return rows.map { $0["detail"] as String }.joined(separator: "\n")
        }
    }

    @Test("An index supplies the order by code points", arguments: [true, false])
    func indexGivesCodePointOrder(_ ascending: Bool) throws {
        let plan = try plan(NSSortDescriptor(key: "name", ascending: ascending))
        #expect(plan.contains("Z_Item_byName"), "\(plan)")
        // From the last to the first, only rows of equal texts are put in the order of their keys.
        let sortsAll = plan.contains("USE TEMP B-TREE FOR ORDER BY")
        let sortsEquals =
            plan.contains("USE TEMP B-TREE FOR RIGHT PART OF ORDER BY") || plan.contains("FOR LAST TERM")
        #expect(!sortsAll && sortsEquals == !ascending, "\(plan)")
    }

    @Test("Without an index SQLite sorts the rows")
    func withoutAnIndexRowsAreSorted() throws {
        let plan = try plan(NSSortDescriptor(key: "other", ascending: true))
        #expect(plan.contains("USE TEMP B-TREE FOR ORDER BY"), "\(plan)")
    }

    @Test(
        "Another selector than compare: does not use the index", arguments: StringOrder.allCases.dropFirst())
    func otherSelectorsSort(_ selector: StringOrder) throws {
        let plan = try plan(
            NSSortDescriptor(key: "name", ascending: true, selector: Selector(selector.rawValue)))
        #expect(plan.contains("USE TEMP B-TREE FOR ORDER BY"), "\(plan)")
    }
}
