import CoreData
import Testing

/// Removing a store while a context reads one of its generations.
@Suite struct RemovedGenerationTests {
    /// The store waits for the reader, which finds all or the error that names what happened.
    @Test("A removed store ends its generations after readers finish or fail with a clear error")
    func removalWaitsForReaders() async throws {
        let stack = try TestStack.books(1500)
        let context = stack.context()
        try context.event { context throws in
            try context.setQueryGenerationFrom(.current)
            #expect(try context.count(for: .books()) == 1500)
        }
        let token = try context.event { try #require($0.queryGenerationToken) }
        let readers = (0..<3).map { _ in stack.context() }
        for reader in readers { try reader.event { try $0.setQueryGenerationFrom(token) } }
        let store = try #require(stack.coordinator.persistentStores.first as? SQLiteStore)
        let reads = store.readCount
        let outcomes = await withTaskGroup(of: String.self) { group in
            for reader in readers {
                group.addTask {
                    await reader.perform {
                        do {
                            let request = NSFetchRequest<Book>.books()
                            request.predicate = NSPredicate(format: "title MATCHES '(b+[0-9]*)*'")
                            return "\(try reader.count(for: request))"
                        } catch {
                            return "\((error as NSError).code)"
                        }
                    }
                }
            }
            while store.readCount == reads { await Task.yield() }
            do {
                try stack.coordinator.remove(store)
                // The last connection to the file has been closed: the log has been moved into it.
                #expect(!FileManager.default.fileExists(atPath: stack.file.path + "-wal"))
            } catch {
                Issue.record(error)
            }
            return await group.reduce(into: Set<String>()) { $0.insert($1) }
        }
        // All books; none, as the coordinator has no store any more; or 134070.
        #expect(outcomes.isSubset(of: ["1500", "0", "134070"]), "\(outcomes)")
    }
}
