import CoreData
import Foundation
import Testing

/// Which observers are notified of changes that others have saved, and of objects without a context.
@Suite(.onEveryStore) struct MergedObservationTests {
    private let diary: HookStack
    private let entry: Entry

    init() throws {
        diary = try HookStack()
        entry = try diary.savedEntry("a")
    }

    private func mergeNumber(_ number: Int) throws {
        let notification = try diary.stack.saved { context in
            try context.only("Entry").setValue(number, forKey: "number")
        }
        diary.event { $0.mergeChanges(fromContextDidSave: notification) }
    }

    @Test("A merge notifies observers of changed properties only")
    func otherPropertyIsNotNotified() throws {
        let (titles, numbers) = diary.event { _ in
            (ObservationCounter { _ = entry.title }, ObservationCounter { _ = entry.number })
        }
        try mergeNumber(8)
        #expect(titles.count == 0 && numbers.count == 1)
        diary.event { _ in #expect(entry.number == 8 && entry.title == "a") }
    }

    @Test("A merge does not notify observers of a property that was changed locally")
    func ownChangeIsNotNotified() throws {
        let numbers = diary.event { _ in
            entry.number = 5
            return ObservationCounter { _ = entry.number }
        }
        try mergeNumber(8)
        #expect(numbers.count == 0)
        diary.event { _ in #expect(entry.number == 5) }
    }

    @Test("An object without a context notifies its observers")
    func objectWithoutAContext() throws {
        let description = try #require(diary.stack.coordinator.managedObjectModel.entitiesByName["Entry"])
        let draft = Entry(entity: description, insertInto: nil)
        let (titles, numbers) = (
            ObservationCounter { _ = draft.title }, ObservationCounter { _ = draft.number }
        )
        draft.title = "x"
        #expect(titles.count == 1 && numbers.count == 0)
    }

    /// The observers of an event find what it has changed.
    @Test("Changed values of an event are available while it is posted")
    func changedValuesDuringNotification() throws {
        let reported = ToldChanges(entry)
        let token = NotificationCenter.default.addObserver(
            forName: .NSManagedObjectContextObjectsDidChange, object: diary.context, queue: nil
        ) { _ in reported.note() }
        defer { NotificationCenter.default.removeObserver(token) }
        diary.event { _ in
            entry.title = "b"
            entry.number = 4
        }
        diary.event { _ in #expect(entry.changedValuesForCurrentEvent().isEmpty) }
        diary.event { _ in entry.number = 5 }
        #expect(reported.all == [["title": "a", "number": "3"], ["number": "4"]])
    }

    private final class ToldChanges: @unchecked Sendable {
        private let entry: Entry
        private(set) var all: [[String: String]] = []

        init(_ entry: Entry) { self.entry = entry }

        func note() { all.append(entry.changedValuesForCurrentEvent().mapValues { "\($0)" }) }
    }
}
