import CoreData
import Testing

/// A batch deletion follows delete rules; it does not count what is left.
@Suite struct BatchDeleteLimitTests {
    @Test("A batch deletion does not check the minimum count of a relationship")
    func minimumCountIsNotChecked() throws {
        let stack = try TestStack(OwnerModel.model(optionalItems: false, min: 2))
        try stack.inContext { context in
            _ = try context.owner("owner", items: "a", "b")
            try context.save()
        }
        let request = NSFetchRequest<any NSFetchRequestResult>(entityName: "Item")
        request.predicate = NSPredicate(format: "name == 'a'")
        try stack.inContext { context throws in
            try context.execute(NSBatchDeleteRequest(fetchRequest: request))
            #expect(try context.names(of: "owner", "Owner", "items") == ["b"])
            // The same by objects is refused.
            context.delete(try #require(try context.named("b", "Item")))
            let refusal = try error { try context.save() }
            #expect(refusal.code == 1570 || refusal.code == 1580)
        }
    }
}
