import CoreData
import Testing

/// Keys that depend on keys which depend on others.
@Suite struct DependentKeyTests {
    /// `a` <- `b` <- `plain`, which is not modelled, <- `c`; `left` and `right` depend on each other; `owned` on the owner's `a`.
    final class DependentEntry: NSManagedObject {
        static let keys: [String: Set<String>] = [
            "b": ["a"], "plain": ["b"], "c": ["plain"], "left": ["right", "a"], "right": ["left"],
            "owned": ["owner.a"],
        ]

        override class var managedProperties: [ManagedProperty] {
            [.custom("plain", \DependentEntry.plain)]
        }

        override class func keyPathsForValuesAffectingValue(forKey key: String) -> Set<String> {
            super.keyPathsForValuesAffectingValue(forKey: key).union(keys[key] ?? [])
        }

        var plain: String { "plain \(primitiveValue(forKey: "a") ?? "-")" }
    }

    private final class Reader: KeyValueObserver {
        private(set) var reported: [String] = []

        func observeValue(
            forKeyPath keyPath: String?, of object: Any?, change: [NSKeyValueChangeKey: Any]?,
            context: UnsafeMutableRawPointer?
        ) {
            reported.append(keyPath ?? "")
        }
    }

    private let folder: StoreFolder
    private let context: NSManagedObjectContext

    init() throws {
        let owner = NSRelationshipDescription.toOne("owner")
        let owns = NSRelationshipDescription.toMany("owns")
        let entry = NSEntityDescription.make("DependentEntry", class: DependentEntry.self, [])
        owner.joined(from: entry, to: entry, inverse: owns)
        entry.properties =
            ["b", "c", "left", "right", "owned"].map { Library.transient($0, .string) } + [
                Library.attribute("a", .string), Library.attribute("other", .string), owner, owns,
            ]
        folder = try StoreFolder()
        context = try folder.open(.of(entry)).context()
    }

    /// How often a tracked reader of a key is woken by a change.
    private func wakings(
        of key: String, _ object: NSManagedObject, by change: () -> Void
    ) -> Int {
        let note = ObservationCounter { _ = object.value(forKey: key) }
        change()
        return note.count
    }

    @Test(
        "Observation tracking is notified over all steps of dependent keys",
        arguments: ["a", "b", "c", "left", "right"])
    func observationOverAllSteps(_ key: String) throws {
        try context.performAndWait {
            let object = try context.insert("DependentEntry", ["a": "1"])
            #expect(wakings(of: key, object) { object.setValue("2", forKey: "a") } == 1)
            #expect(wakings(of: key, object) { object.setValue("2", forKey: "other") } == 0)
        }
    }

    @Test("Setting a dependent key does not notify observers of its source")
    func dependentKeyIsNotASource() throws {
        try context.performAndWait {
            let object = try context.insert("DependentEntry", ["a": "1"])
            #expect(wakings(of: "a", object) { object.setValue("x", forKey: "c") } == 0)
            #expect(wakings(of: "b", object) { object.setValue("x", forKey: "c") } == 0)
            #expect(wakings(of: "c", object) { object.setValue("x", forKey: "b") } == 1)
        }
    }

    @Test("Replacing the first object of a dependent path notifies the reader")
    func anotherObjectAtThePathStart() throws {
        try context.performAndWait {
            let object = try context.insert("DependentEntry")
            let owner = try context.insert("DependentEntry", ["a": "1"])
            #expect(wakings(of: "owned", object) { object.setValue(owner, forKey: "owner") } == 1)
        }
    }

    @Test(
        "A key-value observer is notified over all steps of dependent keys",
        arguments: ["a", "b", "plain", "c", "left", "right"])
    func observerOverAllSteps(_ key: String) throws {
        try context.performAndWait {
            let object = try context.insert("DependentEntry", ["a": "1"])
            let reader = Reader()
            object.addObserver(reader, forKeyPath: key, options: [], context: nil)
            object.setValue("2", forKey: "a")
            object.setValue("2", forKey: "other")
            #expect(reader.reported == [key])
            object.removeObserver(reader, forKeyPath: key)
            object.setValue("3", forKey: "a")
            #expect(reader.reported == [key])
        }
    }

    @Test("A key-value observer over a relationship is notified of dependent keys")
    func observerOverARelationship() throws {
        try context.performAndWait {
            let object = try context.insert("DependentEntry")
            let owner = try context.insert("DependentEntry", ["a": "1"])
            let reader = Reader()
            object.addObserver(reader, forKeyPath: "owner.c", options: [], context: nil)
            object.setValue(owner, forKey: "owner")
            owner.setValue("2", forKey: "a")
            #expect(reader.reported == ["owner.c", "owner.c"])
            object.removeObserver(reader, forKeyPath: "owner.c")
        }
    }
}
