import Foundation
import Testing

@testable import CocoaFoundation

/// Observing what other objects hold, and what is computed.
@Suite struct ObservedPathTests {
    private let austen = Writer("Austen")
    private let burney = Writer("Burney")
    private let novel: Novel
    private let witness = Witness()

    init() { novel = Novel("Emma", by: austen) }

    private func observe(_ keyPath: String, _ options: NSKeyValueObservingOptions = [.old, .new]) {
        novel.addObserver(witness, forKeyPath: keyPath, options: options, context: nil)
    }

    // MARK: Paths

    @Test("A change at the end of a key path is notified")
    func aChangeAtTheEndOfThePath() {
        observe("writer.name")
        austen.name = "Jane"
        #expect(witness.take() == ["writer.name old Austen new Jane"])
    }

    @Test("A change in the middle of a key path is notified, and observing follows the new object")
    func aChangeOnTheWay() {
        observe("writer.name")
        novel.writer = burney
        #expect(witness.take() == ["writer.name old Austen new Burney"])
        austen.name = "unobserved"
        #expect(witness.take() == [])
        burney.name = "Frances"
        #expect(witness.take() == ["writer.name old Burney new Frances"])
        novel.writer = nil
        #expect(witness.take() == ["writer.name old Frances new null"])
        burney.name = "unobserved"
        novel.writer = austen
        #expect(witness.take() == ["writer.name old null new unobserved"])
    }

    @Test("A long key path follows each of its objects")
    func longPathsFollowEachObject() {
        austen.mentor = burney
        observe("writer.mentor.name")
        burney.name = "a"
        austen.mentor = Writer("b")
        novel.writer = Writer("without mentor")
        burney.name = "unobserved"
        #expect(
            witness.take() == [
                "writer.mentor.name old Burney new a", "writer.mentor.name old a new b",
                "writer.mentor.name old b new null",
            ])
        #expect(austen.observationCenter == nil)
        #expect(burney.observationCenter == nil)
    }

    @Test("A key path may lead over one object twice")
    func anObjectMayBeOnTheWayTwice() {
        austen.mentor = austen
        observe("writer.mentor.name")
        austen.name = "a"
        #expect(witness.take() == ["writer.mentor.name old Austen new a"])
        austen.mentor = nil
        #expect(witness.take() == ["writer.mentor.name old a new null"])
        novel.removeObserver(witness, forKeyPath: "writer.mentor.name")
        #expect(austen.observationCenter == nil)
    }

    @Test("Setting the same object again keeps a change in progress")
    func theSameObjectAgainKeepsTheChangeUnderWay() {
        observe("writer.name")
        austen.willChangeValue(forKey: "name")
        novel.writer = austen
        #expect(witness.take() == ["writer.name old Austen new Austen"])
        austen.didChangeValue(forKey: "name")
        #expect(witness.take() == ["writer.name old Austen new Austen"])
    }

    @Test("A change of an object that left the key path meanwhile is not notified")
    func aChangeOfAReplacedObjectIsNotNotified() {
        observe("writer.name")
        austen.willChangeValue(forKey: "name")
        novel.writer = burney
        _ = witness.take()
        austen.didChangeValue(forKey: "name")
        #expect(witness.take() == [])
    }

    @Test("The observed object may be released during a change")
    func theObservedObjectMayEndDuringAChange() {
        do {
            let other = Novel("Evelina", by: burney)
            other.addObserver(witness, forKeyPath: "writer.name", options: .new, context: nil)
            burney.willChangeValue(forKey: "name")
        }
        burney.didChangeValue(forKey: "name")
        #expect(witness.take() == [])
        #expect(burney.observationCenter == nil)
    }

    // MARK: Computed values

    @Test("A computed property is notified when one of its sources changes")
    func aComputedValueChangesWithWhatItIsComputedFrom() {
        observe("label")
        novel.title = "Persuasion"
        austen.name = "Jane"
        novel.writer = burney
        burney.name = "Frances"
        austen.name = "unobserved"
        #expect(
            witness.take() == [
                "label old Emma by Austen new Persuasion by Austen",
                "label old Persuasion by Austen new Persuasion by Jane",
                "label old Persuasion by Jane new Persuasion by Burney",
                "label old Persuasion by Burney new Persuasion by Frances",
            ])
    }

    @Test("A key path leads through computed properties")
    func theWayLeadsThroughComputedObjects() {
        austen.mentor = burney
        observe("teacher.name")
        burney.name = "a"
        #expect(witness.take() == ["teacher.name old Burney new a"])
        let other = Writer("b")
        austen.mentor = other
        #expect(witness.take() == ["teacher.name old a new b"])
        other.name = "c"
        #expect(witness.take() == ["teacher.name old b new c"])
        burney.name = "unobserved"
        #expect(witness.take() == [])
        let writer = Writer("w")
        writer.mentor = burney
        novel.writer = writer
        #expect(witness.take() == ["teacher.name old c new unobserved"])
        novel.removeObserver(witness, forKeyPath: "teacher.name")
        #expect(
            [novel.observationCenter, burney.observationCenter, writer.observationCenter].allSatisfy {
                $0 == nil
            })
    }

    @Test("Keys that depend on each other are observed once")
    func keysThatDependOnEachOtherAreWatchedOnce() {
        observe("circular")
        novel.title = "a"
        #expect(witness.take() == ["circular old Emma new a"])
        novel.willChangeValue(forKey: "circle")
        novel.didChangeValue(forKey: "circle")
        #expect(witness.take() == ["circular old a new a"])
        novel.removeObserver(witness, forKeyPath: "circular")
        #expect(novel.observationCenter == nil)
    }

    // MARK: To-many properties

    @Test(
        "A mutation of a set is notified with its kind and the changed elements",
        arguments: [
            (NSKeyValueSetMutationKind.union, NSKeyValueChange.insertion, nil, ["c"]),
            (.minus, .removal, ["b"], nil),
            (.intersect, .removal, ["a"], nil),
            (.set, .replacement, ["a"], ["c"]),
        ] as [(NSKeyValueSetMutationKind, NSKeyValueChange, Set<String>?, Set<String>?)])
    func changesOfSets(
        _ mutation: NSKeyValueSetMutationKind, _ kind: NSKeyValueChange, _ old: Set<String>?,
        _ new: Set<String>?
    ) throws {
        novel.tags = ["a", "b"]
        observe("tags")
        novel.change(["b", "c"], mutation)
        let change = try #require(witness.changes.first)
        #expect(change[.kindKey] as? UInt == kind.rawValue)
        #expect(change[.oldKey] as? Set<String> == old)
        #expect(change[.newKey] as? Set<String> == new)
        #expect(change[.newKey].map { $0 is NSSet || $0 as? NSSet != nil } ?? (new == nil))
    }

    @Test("A change of an ordered property is notified with its indexes")
    func changesOfOrderedProperties() throws {
        novel.chapters = ["one", "two"]
        observe("chapters")
        novel.insertChapter("zero", at: 0)
        novel.replaceChapter(at: 1, by: "uno")
        novel.removeChapter(at: 2)
        #expect(witness.changes.map { $0[.kindKey] as? UInt } == [2, 4, 3])
        #expect(witness.changes.map { $0[.indexesKey] as? IndexSet } == [[0], [1], [2]])
        #expect(witness.changes.map { $0[.oldKey] as? [String] } == [nil, ["one"], ["two"]])
        #expect(witness.changes.map { $0[.newKey] as? [String] } == [["zero"], ["uno"], nil])
    }

    @Test("A setting has no indexes")
    func aSettingHasNoIndexes() throws {
        novel.chapters = ["one"]
        observe("chapters")
        novel.willChange(.setting, valuesAt: [0], forKey: "chapters")
        novel.didChange(.setting, valuesAt: [0], forKey: "chapters")
        let change = try #require(witness.changes.first)
        #expect(change[.kindKey] as? UInt == 1)
        #expect(change[.indexesKey] == nil)
        #expect(change[.newKey] as? [String] == ["one"])
    }

    @Test("A collection operator over a to-many property is notified as a setting")
    func collectionOperatorsChangeAsASetting() {
        novel.chapters = ["one"]
        observe("chapters.@count")
        novel.insertChapter("two", at: 1)
        #expect(witness.take() == ["chapters.@count old 1 new 2"])
        #expect(witness.changes.first?[.kindKey] as? UInt == 1)
    }
}
