import CoreData
import Observation
import Synchronization
import Testing

/// Generated properties by name and by key path, and their observers.
@Suite struct GeneratedCodingTests {
    @Test("Key paths of generated, inherited and handwritten properties have names")
    func keyPathsHaveNames() throws {
        #expect(NSExpression(forKeyPath: \Author.name).keyPath == "name")
        #expect(NSSortDescriptor(keyPath: \Work.title, ascending: true).key == "title")
        // A class's own, one that it inherits, one from a class written by hand, and one in an extension of such.
        #expect(NSSortDescriptor(keyPath: \Novel.genre, ascending: true).key == "genre")
        #expect(NSSortDescriptor(keyPath: \Novel.title, ascending: true).key == "title")
        #expect(NSSortDescriptor(keyPath: \HeirOfManual.more, ascending: true).key == "more")
        #expect(NSSortDescriptor(keyPath: \BookChapter.number, ascending: true).key == "number")
        #expect(NSSortDescriptor(keyPath: \BookChapter.label, ascending: true).key == "label")
        #expect(NSSortDescriptor(keyPath: \`Protocol`.default, ascending: true).key == "default")
        #expect(NSExpression(forKeyPath: \BookChapter.novel).keyPath == "novel")
    }

    @Test("Key-value coding reads and writes generated properties")
    func valuesAreReachedByName() throws {
        try Awkward.inContext { context in
            let novel = Novel(context: context)
            novel.setValue("Always Coming Home", forKey: "title")
            #expect(novel.title == "Always Coming Home")
            novel.setValue(523, forKey: "length")
            #expect(novel.length == 523)
            let author = Author(context: context)
            author.name = "Le Guin"
            novel.author = author
            #expect(novel.value(forKeyPath: "author.name") as? String == "Le Guin")
            let chapter = BookChapter(context: context)
            chapter.number = 3
            chapter.heading = "Home"
            #expect(chapter.value(forKey: "label") as? String == "3. Home")
        }
    }

    @Test("Observers of a generated property are notified")
    func observersAreNotified() throws {
        try Awkward.inContext { context in
            let novel = Novel(context: context)
            novel.title = "old"
            let seen = Mutex<[String]>([])
            let observation = novel.observe(\.title, options: [.old, .new]) { _, change in
                seen.withLock { $0.append("\(change.oldValue as Any) \(change.newValue as Any)") }
            }
            novel.title = "new"
            novel.length = 1
            observation.invalidate()
            novel.title = "unseen"
            #expect(seen.withLock { $0.count } == 1)
            #expect(seen.withLock { $0.first?.contains("old") == true && $0.first?.contains("new") == true })
        }
    }

    @Test("Swift Observation follows a generated property")
    func swiftsObservationFollowsAProperty() throws {
        try Awkward.inContext { context in
            let author = Author(context: context)
            let changes = Mutex(0)
            withObservationTracking {
                _ = author.name
            } onChange: {
                changes.withLock { $0 += 1 }
            }
            author.id = UUID()
            #expect(changes.withLock { $0 } == 0)
            author.name = "Le Guin"
            #expect(changes.withLock { $0 } == 1)
        }
    }
}
