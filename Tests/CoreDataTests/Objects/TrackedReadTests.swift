import CoreData
import Foundation
import Testing

/// Reads of properties under `withObservationTracking`, on threads that have read outside of it before.
@Suite struct TrackedReadTests {
    /// Reads a book outside of tracking, under it and outside again; whether each change was reported as it should be.
    private static func check(_ book: Book) -> Bool {
        _ = (book.title, book.pages, book.publishDate)
        let title = ObservationCounter { _ = book.title }
        let pages = ObservationCounter {
            _ = book.pages
            // A reader inside of a reader does not end it.
            _ = ObservationCounter { _ = book.title }
            _ = book.publishDate
        }
        _ = book.note
        book.note = "not tracked"
        guard (title.count, pages.count) == (0, 0) else { return false }
        book.title = "changed"
        book.publishDate = Date(timeIntervalSinceReferenceDate: 1)
        return (title.count, pages.count) == (1, 1)
    }

    @Test(
        "A read under tracking is noted on every thread, also for an object that was read outside of tracking before"
    )
    func threads() throws {
        let stack = try TestStack()
        let groups = (0..<4).map { _ in stack.context() }
        DispatchQueue.concurrentPerform(iterations: groups.count) { index in
            let context = groups[index]
            for _ in 0..<10 {
                context.performAndWait {
                    let book = Book(context: context)
                    book.title = "new"
                    #expect(Self.check(book))
                    context.delete(book)
                }
            }
        }
    }

    @Test("A read of a fault under tracking is noted, as is one of an object without a context")
    func faultsAndObjectsWithoutContext() throws {
        let stack = try TestStack()
        try stack.inContext { context in
            let book = Book(context: context)
            book.title = "stored"
            try context.save()
            context.refresh(book, mergeChanges: false)
            #expect(book.isFault)
            let counter = ObservationCounter { _ = book.pages }
            #expect(!book.isFault)
            book.pages = 5
            #expect(counter.count == 1)
            let lone = Book(entity: book.entity, insertInto: nil)
            let other = ObservationCounter { _ = lone.title }
            lone.title = "changed"
            #expect(other.count == 1)
        }
    }
}
