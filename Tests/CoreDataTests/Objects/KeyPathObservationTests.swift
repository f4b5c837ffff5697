import CoreData
import Observation
import Synchronization
import Testing

/// Observers of managed objects: over relationships, of dependent keys, and of changes that no setter made.
@Suite struct KeyPathObservationTests {
    final class ObservedLetter: NSManagedObject {
        override class var managedProperties: [ManagedProperty] {
            [.custom("heading", \ObservedLetter.heading)]
        }

        override class func keyPathsForValuesAffectingValue(forKey key: String) -> Set<String> {
            let inherited = super.keyPathsForValuesAffectingValue(forKey: key)
            return key == "heading" ? inherited.union(["subject", "sender.name"]) : inherited
        }

        var heading: String {
            let sender = value(forKeyPath: "sender.name") as? String ?? "unknown"
            return "\(value(forKey: "subject") as? String ?? "nothing") from \(sender)"
        }
    }

    /// Records its notifications.
    private final class Reader: KeyValueObserver {
        private(set) var reported: [String] = []

        func observeValue(
            forKeyPath keyPath: String?, of object: Any?, change: [NSKeyValueChangeKey: Any]?,
            context: UnsafeMutableRawPointer?
        ) {
            func text(_ key: NSKeyValueChangeKey) -> String {
                guard let value = change?[key] else { return "-" }
                return value is NSNull ? "nil" : "\(value)"
            }
            reported.append("\(text(.oldKey)) > \(text(.newKey))")
        }
    }

    private final class Note: Sendable {
        let isWoken = Mutex(false)
    }

    private let folder: StoreFolder
    private let coordinator: NSPersistentStoreCoordinator
    private let context: NSManagedObjectContext

    init() throws {
        let sender = NSRelationshipDescription.toOne("sender")
        let letters = NSRelationshipDescription.toMany("letters")
        let letter = NSEntityDescription.make(
            "Letter", class: ObservedLetter.self, [Library.attribute("subject", .string), sender])
        let person = NSEntityDescription.make("Sender", [Library.attribute("name", .string), letters])
        sender.joined(from: letter, to: person, inverse: letters)
        folder = try StoreFolder()
        coordinator = try folder.open(.of(letter, person))
        context = coordinator.context()
    }

    private func letter(from name: String) throws -> (letter: NSManagedObject, sender: NSManagedObject) {
        let sender = try context.insert("Sender", ["name": name])
        return (try context.insert("Letter", ["subject": "s", "sender": sender]), sender)
    }

    @Test("An observer of a key path follows the destination as it changes")
    func keyPathOverARelationship() throws {
        try context.performAndWait {
            let (letter, sender) = try letter(from: "A")
            let other = try context.insert("Sender", ["name": "C"])
            let reader = Reader()
            letter.addObserver(reader, forKeyPath: "sender.name", options: [.old, .new], context: nil)
            sender.setValue("B", forKey: "name")
            letter.setValue(other, forKey: "sender")
            sender.setValue("X", forKey: "name")
            other.setValue("D", forKey: "name")
            letter.setValue(nil, forKey: "sender")
            other.setValue("Y", forKey: "name")
            #expect(reader.reported == ["A > B", "B > C", "C > D", "D > nil"])
            letter.removeObserver(reader, forKeyPath: "sender.name")
            letter.setValue(sender, forKey: "sender")
            #expect(reader.reported.count == 4)
        }
    }

    @Test("A change at the inverse notifies an observer of the key path")
    func inverseChangeNotifies() throws {
        try context.performAndWait {
            let (letter, _) = try letter(from: "A")
            let other = try context.insert("Sender", ["name": "B"])
            let reader = Reader()
            letter.addObserver(reader, forKeyPath: "sender.name", options: [.old, .new], context: nil)
            other.mutableSetValue(forKey: "letters").add(letter)
            #expect(reader.reported == ["A > B"])
            letter.removeObserver(reader, forKeyPath: "sender.name")
        }
    }

    @Test("An observer of a dependent key is notified of related changes")
    func dependentKeyOverARelationship() throws {
        try context.performAndWait {
            let (letter, sender) = try letter(from: "A")
            let reader = Reader()
            letter.addObserver(reader, forKeyPath: "heading", options: [.old, .new], context: nil)
            letter.setValue("t", forKey: "subject")
            sender.setValue("B", forKey: "name")
            letter.setValue(nil, forKey: "sender")
            #expect(
                reader.reported == [
                    "s from A > t from A", "t from A > t from B", "t from B > t from unknown",
                ])
            letter.removeObserver(reader, forKeyPath: "heading")
        }
    }

    @Test("Rollback, undo and refresh notify key-value observers")
    func rollbackUndoAndRefreshNotify() throws {
        try context.performAndWait {
            let (letter, _) = try letter(from: "A")
            try context.save()
            let reader = Reader()
            letter.addObserver(reader, forKeyPath: "subject", options: [.new], context: nil)
            letter.setValue("t", forKey: "subject")
            context.rollback()
            #expect(reader.reported == ["- > t", "- > s"])

            let undo = UndoManager()
            undo.groupsByEvent = false
            context.undoManager = undo
            undo.beginUndoGrouping()
            letter.setValue("u", forKey: "subject")
            context.processPendingChanges()
            undo.endUndoGrouping()
            context.undo()
            #expect(reader.reported.suffix(2) == ["- > u", "- > s"])
            try coordinator.inContext { other in
                try other.only("Letter").setValue("v", forKey: "subject")
                try other.save()
            }
            context.refresh(letter, mergeChanges: true)
            #expect(reader.reported.last == "- > v")
            letter.removeObserver(reader, forKeyPath: "subject")
        }
    }

    @Test("Observation tracking follows dependent keys over a relationship")
    func observationTrackingOverARelationship() throws {
        try context.performAndWait {
            let (letter, sender) = try letter(from: "A")
            func isWoken(reading: () -> Void, changing: () -> Void) -> Bool {
                let note = Note()
                withObservationTracking(reading) { note.isWoken.withLock { $0 = true } }
                changing()
                return note.isWoken.withLock(\.self)
            }
            let heading = { _ = letter.value(forKey: "heading") }
            #expect(isWoken(reading: heading) { sender.setValue("B", forKey: "name") })
            #expect(isWoken(reading: heading) { letter.setValue("t", forKey: "subject") })
            #expect(isWoken(reading: heading) { letter.setValue(nil, forKey: "sender") })
            #expect(!isWoken(reading: heading) { sender.setValue("C", forKey: "name") })
            let subject = { _ = letter.value(forKey: "subject") }
            #expect(!isWoken(reading: subject) { letter.setValue(sender, forKey: "sender") })
        }
    }
}
