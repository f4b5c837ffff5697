import CoreData
import Foundation
import Testing

/// Requests other than fetches and saves, executed by a child.
@Suite struct ChildRequestTests {
    let family: ContextFamily

    init() throws {
        family = try ContextFamily()
        try family.root.event { root throws in
            root.insertBook("A").pages = 1
            root.insertBook("B").pages = 2
            try root.save()
            try root.book("A").pages = 10
            root.insertBook("C").pages = 5
        }
    }

    @Test("An asynchronous fetch in a child includes the parent's changes")
    func asynchronousFetchReadsTheParent() async throws {
        let child = family.child
        let titles: [String] = await withCheckedContinuation { continuation in
            child.perform {
                let request = NSAsynchronousFetchRequest(fetchRequest: .books("pages > 3", by: "pages")) {
                    continuation.resume(returning: ($0.finalResult ?? []).map { $0.title ?? "nil" })
                }
                #expect(throws: Never.self) { try child.execute(request) }
            }
        }
        #expect(titles == ["C", "A"])
    }

    @Test("A batch update by a child changes the store and not the loaded objects")
    func batchRequestGoesToTheStore() throws {
        let b = try family.child.event { child throws in
            let b = try child.book("B")
            #expect(b.pages == 2)
            let request = NSBatchUpdateRequest(entityName: "Book")
            request.predicate = NSPredicate(format: "title == 'B'")
            request.propertiesToUpdate = ["pages": 20]
            request.resultType = .updatedObjectIDsResultType
            let result = try #require(try child.execute(request) as? NSBatchUpdateResult)
            #expect(b.pages == 2)
            let ids = try #require(result.result as? [NSManagedObjectID])
            return (b, ids)
        }
        NSManagedObjectContext.mergeChanges(
            fromRemoteContextSave: [NSUpdatedObjectIDsKey: b.1], into: [family.child, family.root])
        try family.child.event { _ throws in #expect(b.0.pages == 20) }
    }
}
