import CoreData
import Testing

/// Objects used in ways that cannot work: the process stops with a sentence that names what is wrong.
@Suite struct MisusedObjectTests {
    private func message(of result: ExitTest.Result?) -> String {
        String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    }

    @Test("Setting a value of the wrong type stops with the key and the value")
    func valueOfTheWrongType() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            try SampleBooks.stack().inContext { try $0.book("Emma").setValue("many", forKey: "pages") }
        }
        let text = message(of: result)
        #expect(text.contains("Unacceptable type of value"))
        #expect(text.contains("pages") && text.contains("many"))
    }

    @Test("Reading an unknown key stops with the entity and the key")
    func unknownKey() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            try SampleBooks.stack().inContext { _ = try $0.book("Emma").value(forKey: "nothing") }
        }
        let text = message(of: result)
        #expect(text.contains("The entity Book is not key value coding-compliant for the key \"nothing\""))
    }

    @Test("Relating objects of different contexts stops with the relationship")
    func objectOfAnotherContext() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let stack = try SampleBooks.stack()
            let other = stack.context()
            let author = try other.performAndWait { try other.book("Emma").author }
            try stack.inContext { try $0.book("EMMA* WAR?").author = author }
        }
        let text = message(of: result)
        #expect(text.contains("Illegal attempt to establish a relationship 'author'"))
        #expect(text.contains("different contexts"))
    }

    @Test("Setting a relationship to an object of another entity stops with the relationship")
    func objectOfAnotherEntity() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            try SampleBooks.stack().inContext { context in
                let emma = try context.book("Emma")
                emma.setValue(emma, forKey: "author")
            }
        }
        let text = message(of: result)
        #expect(text.contains("Unacceptable type of value for to-one relationship"))
        #expect(text.contains("author") && text.contains("Book"))
    }

    @Test("A deleted object has its values until the save and is not found after it")
    func deletedObjectKeepsValues() throws {
        try SampleBooks.stack().inContext { context in
            let emma = try context.book("Emma")
            context.delete(emma)
            #expect(emma.title == "Emma" && emma.isDeleted)
            try context.save()
            #expect(emma.managedObjectContext == nil && !emma.isDeleted)
            #expect(try context.fetch(.books("title == 'Emma'")).isEmpty)
            #expect(try context.fetch(.books("SELF == %@", [emma.objectID])).isEmpty)
            #expect(try error { _ = try context.existingObject(with: emma.objectID) }.code == 133000)
        }
    }
}
