import Foundation
import Testing

@testable import CocoaFoundation

/// Observing by `observe(_:options:changeHandler:)`.
@Suite struct ChangeHandlerTests {
    private let novel = Novel("Emma", by: Writer("Austen"))

    @Test("A change handler gets values of the type of the property")
    func valuesHaveThePropertysType() {
        var changes: [NSKeyValueObservedChange<Int>] = []
        let observation = novel.observe(\.year, options: [.old, .new]) { novel, change in
            #expect(novel.title == "Emma")
            changes.append(change)
        }
        novel.year = 1815
        #expect(changes.map(\.oldValue) == [0])
        #expect(changes.map(\.newValue) == [1815])
        #expect(changes.map(\.kind) == [.setting])
        #expect(changes.map(\.isPrior) == [false])
        #expect(changes.map(\.indexes) == [nil])
        observation.invalidate()
        novel.year = 1816
        #expect(changes.count == 1)
    }

    @Test("A change to nil differs from a value that was not requested")
    func nilDiffersFromAnUnrequestedValue() {
        var news: [String??] = []
        var olds: [String??] = []
        let observation = novel.observe(\.title, options: [.new]) { _, change in
            news.append(change.newValue)
            olds.append(change.oldValue)
        }
        novel.title = nil
        novel.title = "a"
        #expect(news == [.some(nil), "a"])
        #expect(olds == [.none, .none])
        observation.invalidate()
    }

    @Test("A handler may end the last observation and begin another")
    func aHandlerMayEndTheLastObservationAndBeginAnother() {
        var years: [String] = []
        var observation: NSKeyValueObservation?
        func observe(_ name: String) {
            observation = novel.observe(\.year, options: .new) { novel, change in
                years.append("\(name) \(change.newValue ?? -1)")
                observation?.invalidate()
                if name == "first" { observe("second") }
            }
        }
        observe("first")
        for year in 1...3 { novel.year = year }
        #expect(years == ["first 1", "second 2"])
        #expect(novel.observationCenter == nil)
    }

    @Test("A handler is called initially and before a change when requested")
    func initialAndPriorNotifications() {
        var notes: [String] = []
        let observation = novel.observe(\.year, options: [.initial, .prior, .old, .new]) { _, change in
            let old = change.oldValue.map(String.init) ?? "-"
            let new = change.newValue.map(String.init) ?? "-"
            notes.append("\(old) \(new)\(change.isPrior ? " prior" : "")")
        }
        #expect(notes == ["- 0"])
        novel.year = 5
        #expect(notes == ["- 0", "0 - prior", "0 5"])
        observation.invalidate()
    }

    @Test("A handler is called when any object of its key path changes")
    func pathsOverObjects() {
        var names: [String??] = []
        let observation = novel.observe(\.writer?.name, options: .new) { _, change in
            names.append(change.newValue)
        }
        novel.writer?.name = "Jane"
        novel.writer = Writer("Burney")
        novel.writer = nil
        #expect(names == ["Jane", "Burney", .some(nil)])
        observation.invalidate()
    }

    @Test("A handler is called when a computed property changes")
    func computedValues() {
        var labels: [String?] = []
        let observation = novel.observe(\.label, options: .new) { _, change in labels.append(change.newValue)
        }
        novel.title = "Persuasion"
        #expect(labels == ["Persuasion by Austen"])
        observation.invalidate()
    }

    @Test("A handler gets insertions and removals of to-many properties")
    func toManyProperties() {
        novel.tags = ["a"]
        novel.chapters = ["one"]
        var tags: [NSKeyValueObservedChange<Set<String>>] = []
        var chapters: [NSKeyValueObservedChange<[String]>] = []
        let observations = [
            novel.observe(\.tags, options: [.old, .new]) { tags.append($1) },
            novel.observe(\.chapters, options: [.old, .new]) { chapters.append($1) },
        ]
        novel.change(["b"], .union)
        novel.change(["a"], .minus)
        novel.insertChapter("two", at: 1)
        #expect(tags.map(\.kind) == [.insertion, .removal])
        #expect(tags.map(\.newValue) == [["b"], nil])
        #expect(tags.map(\.oldValue) == [nil, ["a"]])
        #expect(chapters.map(\.newValue) == [["two"]])
        #expect(chapters.map(\.indexes) == [[1]])
        observations.forEach { $0.invalidate() }
    }

    @Test("Changes may be announced by key path")
    func announcementsByKeyPath() {
        var count = 0
        let observation = novel.observe(\.label) { _, _ in count += 1 }
        novel.willChangeValue(for: \.label)
        novel.didChangeValue(for: \.label)
        novel.willChange(.setting, valuesAt: [0], for: \.label)
        novel.didChange(.setting, valuesAt: [0], for: \.label)
        #expect(count == 2)
        observation.invalidate()
    }

    // MARK: Lives

    @Test("An observation ends when it is released")
    func anObservationEndsWhenReleased() {
        var count = 0
        do {
            let observation = novel.observe(\.title) { _, _ in count += 1 }
            novel.title = "a"
            _ = observation
        }
        novel.title = "b"
        #expect(count == 1)
        #expect(novel.observationCenter == nil)
    }

    @Test("An observation may outlive its object and does not retain it")
    func anObservationMayOutliveItsObject() {
        weak var gone: Novel?
        let observation: NSKeyValueObservation
        do {
            let novel = Novel("Evelina", by: Writer("Burney"))
            gone = novel
            observation = novel.observe(\.title) { _, _ in }
        }
        #expect(gone == nil)
        observation.invalidate()
        observation.invalidate()
    }

    @Test("A handler may end its own observation")
    func aHandlerMayEndItsObservation() {
        var observation: NSKeyValueObservation?
        var count = 0
        observation = novel.observe(\.title) { _, _ in
            count += 1
            observation?.invalidate()
            observation = nil
        }
        novel.title = "a"
        novel.title = "b"
        #expect(count == 1)
    }

    @Test("A handler may begin an observation that sees only later changes")
    func aHandlerMayBeginAnObservation() {
        var later: [NSKeyValueObservation] = []
        var count = 0
        let observation = novel.observe(\.title) { novel, _ in
            later.append(novel.observe(\.title) { _, _ in count += 1 })
        }
        novel.title = "a"
        #expect(count == 0)
        observation.invalidate()
        novel.title = "b"
        #expect(count == 1)
    }

    @Test("The state of a handler is released with its observation")
    func aHandlersStateIsLetGo() {
        final class State {}
        weak var gone: State?
        do {
            let state = State()
            gone = state
            let observation = novel.observe(\.title) { _, _ in _ = state }
            observation.invalidate()
        }
        #expect(gone == nil)
    }

    @Test("A handler gets an object of a subclass in its own type")
    func objectsOfSubclassesKeepTheirType() {
        final class Poet: Writer { var verses = 3 }
        KeyPathNames.register("name", for: \Poet.name)
        let poet = Poet("Sappho")
        var verses = 0
        let observation = poet.observe(\.name) { poet, _ in verses = poet.verses }
        poet.name = "Erinna"
        #expect(verses == 3)
        observation.invalidate()
    }

    @Test("Observing a key path without a name ends the process")
    func aKeyPathWithoutANameStopsTheProgram() async {
        await #expect(processExitsWith: .failure) {
            _ = Novel().observe(\.circular) { _, _ in }
        }
    }
}
