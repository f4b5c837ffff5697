import CoreDataMacros
import Observation
import Synchronization
import Testing

/// Swift Observation of properties with the macros: each property by itself.
@Suite struct ObservationTests {
    @Test("Swift Observation follows the properties that are read, and no others")
    func aPropertyThatIsReadIsObserved() throws {
        try ShopStack().inContext { context in
            let book = ShopBook(context: context)
            #expect(changes(reading: { _ = book.title }, changing: { book.title = "Emma" }))
            #expect(changes(reading: { _ = book.note }, changing: { book.note = "lent" }))
            #expect(!changes(reading: { _ = book.title }, changing: { book.pageCount = 3 }))
        }
    }

    @Test("Swift Observation follows a computed property by what it reads")
    func aComputedPropertyIsObservedByWhatItReads() throws {
        try ShopStack().inContext { context in
            let book = ShopBook(context: context)
            #expect(changes(reading: { _ = book.headline }, changing: { book.pageCount = 3 }))
            #expect(changes(reading: { _ = book.label }, changing: { book.note = "lent" }))
        }
    }

    @Test("Swift Observation follows custom accessors")
    func ownAccessorsAreObserved() throws {
        try ShopStack().inContext { context in
            let book = ShopBook(context: context)
            #expect(changes(reading: { _ = book.publishDate }, changing: { book.publishDate = .now }))
            #expect(changes(reading: { _ = book.publishMonthID }, changing: { book.publishDate = .now }))
        }
    }

    @Test("Swift Observation follows relationships")
    func relationshipsAreObserved() throws {
        try ShopStack().inContext { context in
            let book = ShopBook(context: context)
            let tag = ShopTag(context: context)
            #expect(changes(reading: { _ = book.tags }, changing: { book.addToTags(tag) }))
            #expect(changes(reading: { _ = tag.books }, changing: { book.removeFromTags(tag) }))
            #expect(
                changes(
                    reading: { _ = book.pages }, changing: { book.addToPages(ShopPage(context: context)) }))
        }
    }

    /// Whether readers are notified of a change.
    private func changes(reading: () -> Void, changing: () -> Void) -> Bool {
        let note = Note()
        withObservationTracking(reading) { note.isDumped.withLock { $0 = true } }
        changing()
        return note.isDumped.withLock(\.self)
    }

    private final class Note: Sendable {
        let isDumped = Mutex(false)
    }
}
