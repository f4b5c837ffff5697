import CoreData
import Testing

/// A context that is pinned to a generation and merges by itself.
@Suite struct PinnedMergeTests {
    @Test("A pinned context with automatic merging moves to a new generation")
    func mergeMovesToANewGeneration() throws {
        let stack = try TestStack.books(2)
        let context = stack.context()
        try context.event { context throws in
            context.automaticallyMergesChangesFromParent = true
            try context.setQueryGenerationFrom(.current)
            #expect(try context.titles(.books(by: "pages")) == ["b0", "b1"])
        }
        let token = try context.event { try #require($0.queryGenerationToken) }
        try stack.inContext { other throws in
            try other.book("b1").title = "changed"
            try other.save()
        }
        try context.event { context throws in
            #expect(context.queryGenerationToken != token && context.queryGenerationToken != nil)
            #expect(try context.titles(.books(by: "pages")) == ["b0", "changed"])
        }
    }
}
