import CoreData
import GRDB
import Testing

/// Counts and sums over to-many relationships, whatever happens to the links.
@Suite struct DerivedSumTests {
    private static let model: NSManagedObjectModel = {
        let order = NSEntityDescription(
            "Order", attribute("name", .string), derived("count", .integer64, "lines.@count"),
            derived("pieces", .integer64, "lines.pieces.@sum"),
            derived("weight", .double, "lines.weight.@sum"),
            derived("total", .decimal, "lines.price.@sum"))
        let line = NSEntityDescription(
            "Line", attribute("pieces", .integer32), attribute("weight", .double),
            attribute("price", .decimal))
        pair(
            order.relate("lines", to: line, many: true, rule: .cascadeDeleteRule),
            line.relate("order", to: order))
        return NSManagedObjectModel(of: order, line)
    }()

    private let folder: StoreFolder
    private let coordinator: NSPersistentStoreCoordinator

    init() throws {
        folder = try StoreFolder()
        coordinator = try folder.open(Self.model)
    }

    private func price(_ text: String) -> NSDecimalNumber { NSDecimalNumber(string: text) }

    /// Count, pieces, weight and total, as the object has them; the file must have the same.
    private func sums(_ order: NSManagedObject, sourceLocation: SourceLocation = #_sourceLocation) throws
        -> [String]
    {
        let keys = ["count", "pieces", "weight", "total"]
        let shown = keys.map { order.value(forKey: $0).map { "\($0)" } ?? "nil" }
        let key = try #require(Int64(order.objectID.uriRepresentation().lastPathComponent.dropFirst()))
        let row = try folder.rows(
            "SELECT ZCOUNT, ZPIECES, ZWEIGHT, ZTOTAL FROM ZORDER WHERE Z_PK = ?", [key])[0]
        let stored = row.map { value in
            Double.fromDatabaseValue(value).map { $0 == $0.rounded() ? "\(Int64($0))" : "\($0)" } ?? "nil"
        }
        #expect(
            shown.map { $0.hasSuffix(".0") ? String($0.dropLast(2)) : $0 } == stored,
            sourceLocation: sourceLocation)
        return stored
    }

    @Test("Counts and sums follow insertions, values, moves and deletions of children")
    func followEveryChange() throws {
        try coordinator.inContext { context in
            let order = try context.insert("Order")
            let other = try context.insert("Order")
            let line = try context.insert(
                "Line", ["pieces": 2, "weight": 0.5, "price": price("12.34"), "order": order])
            #expect(order.value(forKey: "count") == nil)
            try context.save()
            #expect(try sums(order) == ["1", "2", "0.5", "12.34"])
            #expect(try sums(other) == ["0", "0", "0", "0"])

            // A child more, one of whose values is missing.
            let second = try context.insert("Line", ["pieces": 3, "price": price("0.66"), "order": order])
            #expect(order.value(forKey: "count") as? Int == 1)
            try context.save()
            #expect(try sums(order) == ["2", "5", "0.5", "13"])

            // Other values.
            line.setValue(10, forKey: "pieces")
            line.setValue(nil, forKey: "price")
            second.setValue(1.25, forKey: "weight")
            try context.save()
            #expect(try sums(order) == ["2", "13", "1.75", "0.66"])

            // A move, with another value at the same time.
            second.setValue(other, forKey: "order")
            second.setValue(price("1.01"), forKey: "price")
            try context.save()
            #expect(try sums(order) == ["1", "10", "0.5", "0"])
            #expect(try sums(other) == ["1", "3", "1.25", "1.01"])

            // Out of every order, and back.
            second.setValue(nil, forKey: "order")
            try context.save()
            #expect(try sums(other) == ["0", "0", "0", "0"])
            second.setValue(order, forKey: "order")
            try context.save()
            #expect(try sums(order) == ["2", "13", "1.75", "1.01"])

            // One less.
            context.delete(line)
            try context.save()
            #expect(try sums(order) == ["1", "3", "1.25", "1.01"])
            #expect(!context.hasChanges)
        }
    }

    @Test("Counts and sums include children inserted before their owner")
    func childrenMayBeInsertedFirst() throws {
        try coordinator.inContext { context in
            let lines = try (1...3).map { try context.insert("Line", ["pieces": $0, "price": price("0.1")]) }
            let order = try context.insert("Order")
            order.setValue(NSSet(array: lines), forKey: "lines")
            try context.save()
            #expect(try sums(order) == ["3", "6", "0", "0.3"])
        }
    }

    @Test("A derived sum of decimals is exact")
    func decimalSumsAreExact() throws {
        try coordinator.inContext { context in
            let order = try context.insert("Order")
            let lines = try (0..<1000).map { index in
                try context.insert(
                    "Line", ["price": price(index.isMultiple(of: 2) ? "0.1" : "19.99"), "order": order])
            }
            try context.save()
            #expect(order.value(forKey: "total") as? NSDecimalNumber == price("10045"))
            for line in lines[..<999] { line.setValue(price("0.7"), forKey: "price") }
            try context.save()
            #expect(order.value(forKey: "total") as? NSDecimalNumber == price("719.29"))
            for line in lines[1...] { context.delete(line) }
            try context.save()
            #expect(order.value(forKey: "total") as? NSDecimalNumber == price("0.7"))
            #expect(try folder.value("SELECT ZTOTAL FROM ZORDER").description == "0.7")
        }
    }

    @Test("A sum of doubles keeps no trace of deleted objects and former values")
    func sumOfDoublesLeavesOutDeleted() throws {
        try coordinator.inContext { context in
            let order = try context.insert("Order")
            let lines = try [0.1, 1e16, 0.2, -3].map {
                try context.insert("Line", ["weight": $0, "order": order])
            }
            try context.save()
            context.delete(lines[1])
            try context.save()
            #expect(abs((order.value(forKey: "weight") as? Double ?? 0) + 2.7) < 1e-12)
            lines[0].setValue(Double.infinity, forKey: "weight")
            try context.save()
            #expect(order.value(forKey: "weight") as? Double == .infinity)
            lines[0].setValue(1.0, forKey: "weight")
            try context.save()
            #expect(abs((order.value(forKey: "weight") as? Double ?? 0) + 1.8) < 1e-12)
            for line in lines where !line.isDeleted && line.managedObjectContext != nil {
                context.delete(line)
            }
            try context.save()
            #expect(order.value(forKey: "weight") as? Double == 0)
        }
    }

    @Test("Changes by plain SQL update counts and sums")
    func plainSQLUpdatesSums() throws {
        try coordinator.inContext { context in
            try context.insert("Order", ["name": "a"])
            try context.insert("Order", ["name": "b"])
            try context.save()
        }
        try folder.execute(
            """
            INSERT INTO ZLINE (Z_PK, Z_ENT, Z_OPT, ZORDER, ZPIECES, ZWEIGHT, ZPRICE) VALUES
            (1, 1, 1, 1, 2, 0.5, 1.5), (2, 1, 1, 1, 3, 0.25, 2.25), (3, 1, 1, NULL, 100, 100, 100);
            """)
        func sums() throws -> [[String]] {
            try folder.rows("SELECT ZCOUNT, ZPIECES, ZWEIGHT, ZTOTAL FROM ZORDER ORDER BY Z_PK")
                .map { $0.map(\.description) }
        }
        #expect(try sums() == [["2", "5", "0.75", "3.75"], ["0", "0", "0.0", "0"]])
        try folder.execute(
            "UPDATE ZLINE SET ZORDER = 1, ZPRICE = ZPRICE + 1, ZPIECES = 4 WHERE Z_PK IN (1, 3)")
        #expect(try sums() == [["3", "11", "100.75", "105.75"], ["0", "0", "0.0", "0"]])
        try folder.execute("UPDATE ZLINE SET ZORDER = 2, ZWEIGHT = 1")
        #expect(try sums() == [["0", "0", "0.0", "0"], ["3", "11", "3.0", "105.75"]])
        try folder.execute("DELETE FROM ZLINE WHERE Z_PK = 3")
        #expect(try sums() == [["0", "0", "0.0", "0"], ["2", "7", "2.0", "4.75"]])
        try coordinator.inContext { context in
            let orders = try context.all("Order", by: "name")
            #expect(orders.map { $0.value(forKey: "count") as? Int } == [0, 2])
        }
    }

    @Test("An owner with derived sums is deleted together with its children")
    func ownerAndChildrenAreDeletedTogether() throws {
        try coordinator.inContext { context in
            let order = try context.insert("Order")
            for _ in 0..<5 { try context.insert("Line", ["order": order, "price": price("1")]) }
            try context.save()
            context.delete(order)
            try context.save()
            #expect(try context.all("Line").isEmpty)
        }
        #expect(
            try folder.value("SELECT (SELECT COUNT(*) FROM ZORDER) + (SELECT COUNT(*) FROM ZLINE)")
                .description == "0")
    }

    @Test("A context that merges another's save has the new counts and sums")
    func mergedContextHasTheNewSums() throws {
        try coordinator.inContext { context in
            let order = try context.insert("Order")
            try context.save()
            #expect(order.value(forKey: "count") as? Int == 0)
            let posted = Posted()
            let other = coordinator.context()
            let token = NotificationCenter.default.addObserver(
                forName: .NSManagedObjectContextDidSaveObjectIDs, object: other, queue: nil
            ) { if let ids = $0.userInfo { posted.add(ids) } }
            defer { NotificationCenter.default.removeObserver(token) }
            let id = order.objectID
            let notification = try other.performAndWait {
                try other.insert("Line", ["order": other.object(with: id), "pieces": 4])
                try other.save()
                return posted.notification(of: other)
            }
            #expect(order.value(forKey: "count") as? Int == 0)
            context.mergeChanges(fromContextDidSave: notification)
            #expect(order.value(forKey: "count") as? Int == 1)
            #expect(order.value(forKey: "pieces") as? Int == 4)
            #expect(!context.hasChanges)
        }
    }

    /// What notifications brought.
    private final class Posted: @unchecked Sendable {
        private let lock = NSLock()
        private var last: [AnyHashable: Any] = [:]
        func add(_ info: [AnyHashable: Any]) { lock.withLock { last = info } }
        func notification(of context: NSManagedObjectContext) -> Notification {
            Notification(
                name: .NSManagedObjectContextDidSaveObjectIDs, object: context,
                userInfo: lock.withLock { last })
        }
    }
}
