import Foundation
import Testing

@testable import CocoaFoundation

/// Observing by `addObserver(_:forKeyPath:options:context:)`.
@Suite struct ObserverMethodTests {
    private let novel = Novel("Emma", by: Writer("Austen"))
    private let witness = Witness()

    private func observe(_ keyPath: String, _ options: NSKeyValueObservingOptions = [.old, .new]) {
        novel.addObserver(witness, forKeyPath: keyPath, options: options, context: nil)
    }

    // MARK: Raw values

    @Test("Observing options, change kinds and keys have Apple's raw values")
    func rawValuesAreApples() {
        #expect(NSKeyValueObservingOptions.new.rawValue == 1)
        #expect(NSKeyValueObservingOptions.old.rawValue == 2)
        #expect(NSKeyValueObservingOptions.initial.rawValue == 4)
        #expect(NSKeyValueObservingOptions.prior.rawValue == 8)
        #expect(NSKeyValueChange.setting.rawValue == 1)
        #expect(NSKeyValueChange.insertion.rawValue == 2)
        #expect(NSKeyValueChange.removal.rawValue == 3)
        #expect(NSKeyValueChange.replacement.rawValue == 4)
        #expect(NSKeyValueSetMutationKind.union.rawValue == 1)
        #expect(NSKeyValueSetMutationKind.minus.rawValue == 2)
        #expect(NSKeyValueSetMutationKind.intersect.rawValue == 3)
        #expect(NSKeyValueSetMutationKind.set.rawValue == 4)
        #expect(NSKeyValueChangeKey.kindKey.rawValue == "kind")
        #expect(NSKeyValueChangeKey.newKey.rawValue == "new")
        #expect(NSKeyValueChangeKey.oldKey.rawValue == "old")
        #expect(NSKeyValueChangeKey.indexesKey.rawValue == "indexes")
        #expect(NSKeyValueChangeKey.notificationIsPriorKey.rawValue == "notificationIsPrior")
    }

    // MARK: Options

    @Test("An observer gets the old and the new value, and the kind of change")
    func oldAndNewValues() throws {
        observe("title")
        novel.title = "Persuasion"
        novel.title = nil
        novel.title = "Emma"
        #expect(
            witness.take() == [
                "title old Emma new Persuasion", "title old Persuasion new null", "title old null new Emma",
            ])
        let change = try #require(witness.changes.first)
        #expect(change[.kindKey] as? UInt == 1)
        #expect(change[.kindKey] as? Int == 1)
        #expect((change[.kindKey] as? NSNumber)?.uintValue == NSKeyValueChange.setting.rawValue)
        #expect(change[.indexesKey] == nil)
        #expect(change[.notificationIsPriorKey] == nil)
    }

    @Test("An observer gets only the values that it requests")
    func onlyRequestedValues() {
        observe("title", [])
        novel.title = "a"
        #expect(witness.take() == ["title"])
        novel.removeObserver(witness, forKeyPath: "title")
        observe("title", .new)
        novel.title = "b"
        #expect(witness.take() == ["title new b"])
        novel.removeObserver(witness, forKeyPath: "title")
        observe("title", .old)
        novel.title = "c"
        #expect(witness.take() == ["title old b"])
    }

    @Test("An initial notification has the new value only")
    func initialNotifications() {
        observe("title", [.initial, .new, .old])
        #expect(witness.take() == ["title new Emma"])
        observe("year", .initial)
        #expect(witness.take() == ["year"])
        novel.title = "a"
        #expect(witness.take() == ["title old Emma new a"])
    }

    @Test("A prior notification comes before the change and has no new value")
    func priorNotifications() {
        observe("title", [.prior, .old, .new])
        novel.willChangeValue(forKey: "title")
        #expect(witness.take() == ["title old Emma prior"])
        novel.didChangeValue(forKey: "title")
        #expect(witness.take() == ["title old Emma new Emma"])
        observe("year", .prior)
        novel.year = 1815
        #expect(witness.take() == ["year prior", "year"])
    }

    // MARK: Pairs of announcements

    @Test("Nested announcements of a key are one change")
    func nestedAnnouncementsOfAKeyAreOneChange() {
        observe("title")
        novel.willChangeValue(forKey: "title")
        novel.title = "a"
        novel.title = "b"
        #expect(witness.take() == [])
        novel.didChangeValue(forKey: "title")
        #expect(witness.take() == ["title old Emma new b"])
    }

    @Test("Changes of different keys may overlap")
    func changesOfDifferentKeysMayOverlap() {
        observe("title")
        observe("year")
        novel.willChangeValue(forKey: "title")
        novel.year = 1
        novel.didChangeValue(forKey: "title")
        #expect(witness.take() == ["year old 0 new 1", "title old Emma new Emma"])
    }

    @Test("A change that was not announced is not notified")
    func aChangeThatWasNotAnnouncedIsNone() {
        observe("title")
        novel.didChangeValue(forKey: "title")
        novel.didChangeValue(forKey: "title")
        #expect(witness.take() == [])
        novel.title = "a"
        #expect(witness.take() == ["title old Emma new a"])
    }

    @Test("An observer added during a change is not notified of it")
    func anObserverAddedDuringAChange() {
        novel.willChangeValue(forKey: "title")
        observe("title")
        novel.didChangeValue(forKey: "title")
        #expect(witness.take() == [])
        novel.title = "a"
        #expect(witness.take() == ["title old Emma new a"])
    }

    // MARK: Registrations

    @Test("Observers are notified in the order of registration")
    func observersAreNotifiedInOrderOfRegistration() {
        let other = Witness()
        var order: [Int] = []
        witness.reaction = { order.append(1) }
        other.reaction = { order.append(2) }
        observe("title")
        novel.addObserver(other, forKeyPath: "title", context: nil)
        novel.title = "a"
        #expect(order == [1, 2])
    }

    @Test("An observer registered twice is notified twice, and the latest registration goes first")
    func anObserverRegisteredTwiceIsNotifiedTwice() {
        observe("title", .new)
        observe("title", .old)
        novel.title = "a"
        #expect(witness.take() == ["title new a", "title old Emma"])
        // The latest registration goes first.
        novel.removeObserver(witness, forKeyPath: "title")
        novel.title = "b"
        #expect(witness.take() == ["title new b"])
        novel.removeObserver(witness, forKeyPath: "title")
        novel.title = "c"
        #expect(witness.take() == [])
    }

    @Test("Contexts distinguish registrations of one observer")
    func contextsTellRegistrationsApart() {
        var (first, second) = (0, 0)
        withUnsafeMutablePointer(to: &first) { first in
            withUnsafeMutablePointer(to: &second) { second in
                novel.addObserver(witness, forKeyPath: "title", options: .new, context: first)
                novel.addObserver(witness, forKeyPath: "title", options: .old, context: second)
                novel.removeObserver(witness, forKeyPath: "title", context: first)
            }
        }
        novel.title = "a"
        #expect(witness.take() == ["title old Emma"])
    }

    @Test("An object without observers has no observation center")
    func anUnobservedObjectHasNoCenter() {
        #expect(novel.observationCenter == nil)
        novel.title = "a"
        #expect(novel.observationCenter == nil)
        observe("writer.name")
        #expect(novel.observationCenter?.isWatched("writer") == true)
        #expect(novel.observationCenter?.isWatched("title") == false)
        #expect(novel.writer?.observationCenter?.isWatched("name") == true)
        let writer = novel.writer
        novel.writer = nil
        #expect(writer?.observationCenter == nil)
        novel.removeObserver(witness, forKeyPath: "writer.name")
        #expect(novel.observationCenter == nil)
    }

    // MARK: Handlers that change who observes

    @Test("An observer may be removed while it is notified")
    func anObserverMayBeRemovedWhileNotified() {
        observe("title", .new)
        witness.reaction = { [novel, witness] in novel.removeObserver(witness, forKeyPath: "title") }
        novel.title = "a"
        novel.title = "b"
        #expect(witness.take() == ["title new a"])
        #expect(novel.observationCenter == nil)
    }

    @Test("An observer removed by another one is not notified")
    func anObserverRemovedByAnotherIsNotNotified() {
        let other = Witness()
        observe("title", .new)
        novel.addObserver(other, forKeyPath: "title", options: .new, context: nil)
        witness.reaction = { [novel, witness] in
            witness.reaction = nil
            novel.removeObserver(other, forKeyPath: "title")
        }
        novel.title = "a"
        #expect(witness.take() == ["title new a"])
        #expect(other.take() == [])
    }

    @Test("An observer added by another one is notified of later changes")
    func anObserverMayBeAddedByAnother() {
        let other = Witness()
        observe("title", .new)
        witness.reaction = { [novel, witness] in
            witness.reaction = nil
            novel.addObserver(other, forKeyPath: "title", options: .new, context: nil)
        }
        novel.title = "a"
        #expect(other.take() == [])
        novel.title = "b"
        #expect(other.take() == ["title new b"])
    }

    @Test("An observer may change the value again")
    func anObserverMayChangeTheValueAgain() {
        observe("title", .new)
        witness.reaction = { [novel] in if novel.title == "a" { novel.title = "b" } }
        novel.title = "a"
        #expect(witness.take() == ["title new a", "title new b"])
        witness.reaction = nil
    }

    // MARK: Lives

    @Test("An observation retains neither the observer nor the object")
    func neitherObserverNorObjectIsRetained() {
        weak var goneWitness: Witness?
        weak var goneNovel: Novel?
        let writer = Writer("Austen")
        do {
            let novel = Novel("Emma", by: writer)
            goneNovel = novel
            let witness = Witness()
            goneWitness = witness
            novel.addObserver(witness, forKeyPath: "writer.name", options: .new, context: nil)
            self.novel.addObserver(witness, forKeyPath: "title", options: .new, context: nil)
            #expect(writer.observationCenter != nil)
        }
        #expect(goneWitness == nil)
        #expect(goneNovel == nil)
        // The object that was on the way is free of the observation.
        #expect(writer.observationCenter == nil)
        writer.name = "other"
        novel.title = "a"
    }

    @Test("An observer may be removed in its deinitializer")
    func anObserverMayLeaveAtItsEnd() {
        final class Leaving: KeyValueObserver {
            let novel: Novel
            init(_ novel: Novel) {
                self.novel = novel
                novel.addObserver(self, forKeyPath: "title", context: nil)
            }
            deinit { novel.removeObserver(self, forKeyPath: "title") }
            func observeValue(
                forKeyPath keyPath: String?, of object: Any?, change: [NSKeyValueChangeKey: Any]?,
                context: UnsafeMutableRawPointer?
            ) {}
        }
        do { _ = Leaving(novel) }
        #expect(novel.observationCenter == nil)
    }

    @Test("Removing an observer that is not registered ends the process")
    func removingWhatIsNotRegisteredStopsTheProgram() async {
        await #expect(processExitsWith: .failure) {
            Novel().removeObserver(Witness(), forKeyPath: "title")
        }
    }
}
