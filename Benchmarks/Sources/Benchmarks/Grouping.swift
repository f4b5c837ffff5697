import CoreData
import Foundation
import GRDBSQLite

/// Counts and sums by group, as dictionaries.
enum Grouping {
    static func sums(_ count: Int, _ folder: Folder) throws -> Workload {
        let file = folder.file("sales.sqlite")
        let (model, entity) = model("Sale", [("month", .integer64), ("amount", .integer64)])
        let coordinator = try NSPersistentStoreCoordinator.opening(file, model)
        try coordinator.inContext { context in
            var index = 0
            let insertion = NSBatchInsertRequest(
                entityName: "Sale",
                dictionaryHandler: { dictionary in
                    guard index < count else { return true }
                    dictionary["month"] = index % 120
                    dictionary["amount"] = index % 1000
                    index += 1
                    return false
                })
            _ = try context.execute(insertion)
        }
        let raw = try Raw(file.path)
        func expression(_ name: String, _ function: String, _ key: String) -> NSExpressionDescription {
            let description = NSExpressionDescription()
            description.name = name
            description.expression = NSExpression(
                forFunction: function, arguments: [NSExpression(forKeyPath: key)])
            description.resultType = .integer64
            return description
        }
        return Workload(
            name: "count, group by, sum over \(count) rows",
            contestants: [
                .init(name: "SQL") {
                    try raw.with("SELECT ZMONTH, COUNT(ZAMOUNT), SUM(ZAMOUNT) FROM ZSALE GROUP BY ZMONTH") {
                        statement in
                        var sum = 0
                        while sqlite3_step(statement) == SQLITE_ROW {
                            sum &+= Int(
                                sqlite3_column_int64(statement, 1) &+ sqlite3_column_int64(statement, 2))
                        }
                        return sum
                    }
                },
                .init(name: "dictionary fetch") {
                    try coordinator.inContext { context in
                        let request = NSFetchRequest<NSDictionary>(entityName: "Sale")
                        request.resultType = .dictionaryResultType
                        guard let month = entity.attributesByName["month"] else { return 0 }
                        request.propertiesToFetch = [
                            month, expression("number", "count:", "amount"),
                            expression("total", "sum:", "amount"),
                        ]
                        request.propertiesToGroupBy = [month]
                        return try context.fetch(request).reduce(0) { sum, row in
                            sum &+ (row["number"] as? Int ?? 0) &+ (row["total"] as? Int ?? 0)
                        }
                    }
                },
            ],
            goals: [.ratio("dictionary fetch", to: "SQL", 1.1)])
    }
}
