import GRDB
import Testing

import CoreData
@testable import CoreDataSQLite

/// Of a long history no more is made than the result of a request shows.
@Suite struct HistoryBoundTests {
    private static let deletions = 120

    private let folder: StoreFolder
    private let coordinator: NSPersistentStoreCoordinator

    /// A store with a transaction for each of many deletions, after those that made the objects.
    init() throws {
        folder = try StoreFolder()
        let kept = attribute("kept", .string)
        kept.preservesValueInHistoryOnDeletion = true
        let model = NSManagedObjectModel(
            of: NSEntityDescription("Item", attribute("number", .integer64), kept))
        coordinator = try folder.open(model, HistoryModel.tracking)
        try coordinator.inContext { context in
            for number in 0..<Self.deletions {
                try context.insert("Item", ["number": number, "kept": "value \(number)"])
            }
            context.transactionAuthor = "maker"
            try context.save()
            for (number, object) in try context.all("Item", by: "number").enumerated() {
                context.transactionAuthor = "author \(number % 3)"
                context.delete(object)
                try context.save()
            }
        }
    }

    /// What a request finds, and how many changes were made for it.
    private func result(
        _ type: NSPersistentHistoryResultType, _ request: NSFetchRequest<any NSFetchRequestResult>? = nil
    ) throws -> (value: Any?, made: Int) {
        let history = try #require((coordinator.persistentStores[0] as? SQLiteStore)?.history)
        let before = history.madeCount
        let value = try coordinator.inContext { context in
            let all = NSPersistentHistoryChangeRequest.fetchHistory(
                after: nil as NSPersistentHistoryToken?)
            all.resultType = type
            all.fetchRequest = request
            return (try context.execute(all) as? NSPersistentHistoryResult)?.result
        }
        return (value, history.madeCount - before)
    }

    private func request(
        _ entity: NSEntityDescription?, _ predicate: NSPredicate? = nil, by key: String? = nil,
        ascending: Bool = true, limit: Int = 0, offset: Int = 0
    ) -> NSFetchRequest<any NSFetchRequestResult> {
        let request = NSFetchRequest<any NSFetchRequestResult>()
        request.entity = entity
        request.predicate = predicate
        request.sortDescriptors = key.map { [NSSortDescriptor(key: $0, ascending: ascending)] }
        request.fetchLimit = limit
        request.fetchOffset = offset
        return request
    }

    private var transactions: NSEntityDescription? { NSPersistentHistoryTransaction.entityDescription }
    private var changes: NSEntityDescription? { NSPersistentHistoryChange.entityDescription }
    private static var isDeletion: NSPredicate {
        NSPredicate(format: "changeType == %d", NSPersistentHistoryChangeType.delete.rawValue)
    }

    private func numbers(_ value: Any?) -> [Int64] {
        (value as? [NSPersistentHistoryTransaction] ?? []).map(\.transactionNumber)
    }

    @Test("A limit bounds the transactions and changes that are instantiated")
    func limits() throws {
        let first = try result(
            .transactionsAndChanges, request(transactions, NSPredicate(format: "author != 'maker'"), limit: 4)
        )
        #expect(numbers(first.value) == [2, 3, 4, 5])
        #expect(first.made == 4)
        let last = try result(
            .transactionsAndChanges,
            request(transactions, by: "transactionNumber", ascending: false, limit: 3))
        #expect(numbers(last.value) == [121, 120, 119])
        #expect(last.made == 3)
        let later = try result(
            .changesOnly, request(changes, Self.isDeletion, limit: 5, offset: 10))
        let found = later.value as? [NSPersistentHistoryChange]
        #expect(found?.compactMap { $0.tombstone?["kept"] as? String } == (10..<15).map { "value \($0)" })
        #expect(later.made == 5)
    }

    @Test("Counts, IDs and status instantiate no changes")
    func counts() throws {
        let all = 2 * Self.deletions
        for (type, request) in [
            (.count, nil), (.count, request(transactions)), (.count, request(changes)),
            (.objectIDs, nil), (.objectIDs, request(changes)), (.objectIDs, request(transactions)),
            (.statusOnly, nil), (.statusOnly, request(changes)), (.transactionsOnly, nil),
            (.transactionsOnly, request(changes)),
        ] as [(NSPersistentHistoryResultType, NSFetchRequest<any NSFetchRequestResult>?)] {
            let result = try result(type, request)
            #expect(result.made == 0)
            switch type {
            case .count:
                let isOfChanges = request?.entityName == changes?.name && request != nil
                #expect(result.value as? Int == (isOfChanges ? all : Self.deletions + 1))
            case .objectIDs:
                #expect((result.value as? [NSManagedObjectID])?.count == Self.deletions)
            case .transactionsOnly: #expect(numbers(result.value).count == Self.deletions + 1)
            default: #expect(result.value as? Bool == true)
            }
        }
    }

    @Test("Limits, offsets and orders select from the whole history")
    func windows() throws {
        let all = try #require(
            try result(.transactionsAndChanges).value as? [NSPersistentHistoryTransaction])
        #expect(all.count == Self.deletions + 1)
        let predicate = NSPredicate(format: "author == 'author 1' OR author == 'author 2'")
        for ascending in [true, false] {
            // Equal authors stay in the order of the history.
            let wanted = all.filter { $0.author == "author 1" || $0.author == "author 2" }.enumerated()
                .sorted {
                    let (a, b) = ($0.element.author ?? "", $1.element.author ?? "")
                    return a == b ? $0.offset < $1.offset : (a < b) == ascending
                }.map(\.element.transactionNumber)
            for (limit, offset) in [
                (0, 0), (7, 0), (7, 5), (0, 60), (100, 75), (1, 79), (3, 500), (Int.max, 1),
            ] {
                let request = request(
                    transactions, predicate, by: "author", ascending: ascending, limit: limit, offset: offset)
                let found = try result(.transactionsAndChanges, request).value
                let rest = wanted.dropFirst(offset)
                #expect(numbers(found) == Array(limit > 0 ? rest.prefix(limit) : rest))
                let count = try result(.count, request).value as? Int
                #expect(count == numbers(found).count)
            }
        }
        let deletions = all.flatMap { $0.changes ?? [] }.filter { $0.changeType == .delete }.map(\.changeID)
        for (limit, offset) in [(0, 0), (7, 0), (7, 5), (0, 60), (100, 75), (3, 500)] {
            for ascending in [true, false] {
                let found =
                    try result(
                        .changesOnly,
                        request(
                            changes, Self.isDeletion, by: "changeID", ascending: ascending, limit: limit,
                            offset: offset)
                    ).value as? [NSPersistentHistoryChange]
                let rest = (ascending ? deletions : deletions.reversed()).dropFirst(offset)
                #expect(found?.map(\.changeID) == Array(limit > 0 ? rest.prefix(limit) : rest))
            }
        }
    }

    @Test("Sorting a long history for a limited result gives the right window")
    func longOrder() throws {
        // As many transactions as make the selection sort and cut several times.
        try folder.execute(
            """
            WITH RECURSIVE n(i) AS (SELECT 1000 UNION ALL SELECT i + 1 FROM n WHERE i < 5999)
            INSERT INTO ATRANSACTION (Z_PK, Z_ENT, ZTIMESTAMP, ZAUTHOR) SELECT i, 16002, i, 'a' || (i * 7919 % 5000) FROM n
            """)
        let authors = (1000..<6000).map { "a\($0 * 7919 % 5000)" }.sorted {
            Array($0.utf8).lexicographicallyPrecedes(Array($1.utf8))
        }
        let found =
            try result(
                .transactionsOnly,
                request(
                    transactions, NSPredicate(format: "transactionNumber >= 1000"), by: "author", limit: 20,
                    offset: 5)
            ).value as? [NSPersistentHistoryTransaction]
        #expect(found?.compactMap(\.author) == Array(authors[5..<25]))
    }

    @Test("A predicate or sort by an unknown key is an error for every result type")
    func unknownKeys()
        throws
    {
        for type in [
            .statusOnly, .count, .objectIDs, .changesOnly, .transactionsOnly, .transactionsAndChanges,
        ] as [NSPersistentHistoryResultType] {
            for entity in [transactions, changes] {
                for request in [
                    request(entity, by: "colour"), request(entity, NSPredicate(format: "colour == 1")),
                ] {
                    let refusal = try error { _ = try result(type, request) }
                    #expect(refusal.code == 134091 && refusal.localizedDescription.contains("colour"))
                }
            }
        }
    }

    @Test("Changes without a transaction are left out of every result")
    func danglingChanges() throws {
        try folder.execute("DELETE FROM ATRANSACTION WHERE Z_PK = 1")
        for entity in [nil, transactions, changes] {
            let count = try result(.count, entity.map { request($0) }).value as? Int
            #expect(count == Self.deletions)
        }
    }
}
