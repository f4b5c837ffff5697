import CoreData
import Testing

/// Objects and their IDs are the same in a predicate.
@Suite struct PredicateIdentityTests {
    @Test("A predicate treats an object and its ID as equal, before and after the save")
    func objectEqualsItsID() throws {
        try TestStack().inContext { context in
            let author = Author(context: context)
            let book = Book(context: context)
            book.title = "Emma"
            book.author = author
            let other = Author(context: context)
            let byObject = NSPredicate(format: "author == %@", author)
            let among = NSPredicate(format: "author IN %@", [author, other])
            #expect(byObject.evaluate(with: book) && among.evaluate(with: book))
            #expect(!NSPredicate(format: "author == %@", other).evaluate(with: book))
            try context.save()
            // The constants are the same objects, which have other IDs now.
            #expect(byObject.evaluate(with: book) && among.evaluate(with: book))
            #expect(NSPredicate(format: "author == %@", author.objectID).evaluate(with: book))
            #expect(NSPredicate(format: "author IN %@", [author.objectID]).evaluate(with: book))
            #expect(!NSPredicate(format: "author == %@", other.objectID).evaluate(with: book))
        }
    }
}
