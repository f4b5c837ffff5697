import CoreData
import Foundation
import Testing

/// Questions about a store that are asked by SQL and can be cancelled.
@Suite struct FetchInspectionTests {
    private let store: TestStore
    private let context: NSManagedObjectContext

    init() throws {
        store = try TestStore()
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: TestStore.model)
        try coordinator.addPersistentStore(
            ofType: NSSQLiteStoreType, configurationName: nil, at: store.url,
            options: [NSReadOnlyPersistentStoreOption: true])
        context = NSManagedObjectContext(.privateQueue)
        context.persistentStoreCoordinator = coordinator
    }

    private func inspect<Value>(
        _ predicate: String? = nil, _ body: (FetchInspection) throws -> Value
    ) throws -> Value {
        try context.performAndWait {
            let request = NSFetchRequest<NSManagedObject>(entityName: "Person")
            request.predicate = try predicate.map { try NSPredicate(parsing: $0) }
            return try body(FetchInspection(request, in: context))
        }
    }

    @Test("A cancelled count, page or grouping throws")
    func cancelledInspectionsThrow() throws {
        let cancellation = FetchCancellation()
        cancellation.cancel()
        let isCancelled = { (error: any Error) in
            (error as NSError).code == CocoaError.Code.userCancelled.rawValue
        }
        #expect(performing: { try inspect { _ = try $0.count(cancellation) } }, throws: isCancelled)
        #expect(
            performing: {
                try inspect {
                    _ = try $0.page(sortedBy: nil, ascending: true, after: nil, limit: 5, cancellation)
                }
            }, throws: isCancelled)
        #expect(
            performing: { try inspect { _ = try $0.groups(by: "age", unit: nil, limit: 5, cancellation) } },
            throws: isCancelled)
    }

    @Test("A page tells whether more objects follow")
    func aPageHasMore() throws {
        let page = try inspect("age == 3") {
            try $0.page(sortedBy: "name", ascending: true, after: nil, limit: 4, FetchCancellation())
        }
        #expect(page.keys.count == 4 && page.hasMore && page.executions.count == 1)
        let rest = try inspect("age == 3") {
            try $0.page(
                sortedBy: "name", ascending: true, after: page.keys[3], limit: 200, FetchCancellation())
        }
        let count = try inspect("age == 3") { try $0.count(FetchCancellation()).count }
        #expect(!rest.hasMore && rest.keys.count == count - 4)
        #expect(Set(rest.keys).isDisjoint(with: page.keys))
    }

    @Test("Groups beyond the limit are left out, the largest first")
    func groupsBeyondTheLimitAreLeftOut() throws {
        let groups = try inspect { try $0.groups(by: "age", unit: nil, limit: 3, FetchCancellation()) }
        #expect(groups.groups.count == 3 && groups.hasMore)
        #expect(groups.groups.map(\.count) == groups.groups.map(\.count).sorted(by: >))
    }

    @Test(
        "Every query plan gives the same pages",
        arguments: [nil, "age", "born", "name"] as [String?], [true, false])
    func everyWayLeadsToTheSamePages(_ key: String?, _ ascending: Bool) throws {
        func pages(_ timeLimit: FetchInspection.IdleTimeout) throws -> (keys: [[Int64]], statements: [String])
        {
            var (keys, statements) = ([[Int64]](), [String]())
            repeat {
                let page = try inspect("age IN {2, 3, 4} AND name ENDSWITH '2'") {
                    try $0.page(
                        sortedBy: key, ascending: ascending, after: keys.last?.last, limit: 3,
                        timeLimit: timeLimit,
                        FetchCancellation())
                }
                keys.append(page.keys)
                statements += page.executions.map(\.statement)
                if !page.hasMore { return (keys, statements) }
            } while keys.count < 100
            return (keys, statements)
        }
        let own = try pages(.init(own: 60))
        #expect(own.keys.count > 1 && own.keys.joined().count == Set(own.keys.joined()).count)
        #expect(own.statements.allSatisfy { !$0.contains("INDEXED") && !$0.contains("+k") })
        let few = try pages(.init(own: 0, few: 60))
        #expect(few.keys == own.keys)
        #expect(few.statements.allSatisfy { $0.contains("+k LIMIT") })
        let many = try pages(.init(own: 0, few: 0, many: 60))
        #expect(many.keys == own.keys)
        let hint = key == nil ? "NOT INDEXED" : key == "name" ? "ORDER BY" : "INDEXED BY"
        #expect(many.statements.allSatisfy { $0.contains(hint) })
        let none = try pages(.init(own: 0, few: 0, many: 0))
        #expect(none.keys == own.keys && none.statements == own.statements)
    }
}
