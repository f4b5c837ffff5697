import CoreData
import TestSupport
import Testing

/// Conditions on what objects are, written with Swift's `is` and `as?`, in every type of store.
@Suite struct CastConditionTests {
    private static func model() -> NSManagedObjectModel {
        let periodical = NSEntityDescription.make(
            "Periodical", class: Periodical.self, [attribute("title", .string)])
        let magazine = NSEntityDescription.make(
            "Magazine", class: Magazine.self, [attribute("issue", .integer32)])
        let comic = NSEntityDescription.make("Comic", class: Comic.self, [])
        let editor = NSEntityDescription("Editor", attribute("name", .string))
        periodical.subentities = [magazine]
        magazine.subentities = [comic]
        pair(
            periodical.relate("successor", to: periodical),
            periodical.relate("predecessors", to: periodical, many: true))
        pair(
            magazine.relate("editors", to: editor, many: true),
            editor.relate("magazines", to: magazine, many: true))
        KeyPathNames.register("title", for: \Periodical.title)
        KeyPathNames.register("title", for: \Comic.title)
        KeyPathNames.register("successor", for: \Periodical.successor)
        KeyPathNames.register("issue", for: \Magazine.issue)
        KeyPathNames.register("successor", for: \Magazine.successor)
        return NSManagedObjectModel(of: periodical, magazine, comic, editor)
    }

    /// A paper, then a magazine of issue 3, then a comic of issue 5, each the successor of the one before.
    private static func fill(_ context: NSManagedObjectContext) throws {
        let paper = try context.insert("Periodical", ["title": "paper"])
        let magazine = try context.insert("Magazine", ["title": "magazine", "issue": 3])
        let comic = try context.insert("Comic", ["title": "comic", "issue": 5])
        let editor = try context.insert("Editor", ["name": "Ada"])
        paper.setValue(magazine, forKey: "successor")
        magazine.setValue(comic, forKey: "successor")
        magazine.setValue(NSSet(array: [editor]), forKey: "editors")
    }

    private static let isNew = #Expression<Magazine, Bool> { $0.issue > 3 }

    private static let conditions: [(predicate: Predicate<Periodical>, titles: [String])] = [
        (#Predicate { $0 is Magazine }, ["comic", "magazine"]),
        (#Predicate { !($0 is Comic) }, ["magazine", "paper"]),
        (
            Predicate { periodical in
                PredicateExpressions.TypeCheck<_, Periodical>(
                    PredicateExpressions.build_KeyPath(root: periodical, keyPath: \.successor))
            }, ["magazine", "paper"]
        ),
        (#Predicate { $0.successor is Comic }, ["magazine"]),
        (#Predicate { !($0.successor is Comic) }, ["comic", "paper"]),
        (#Predicate { ($0 as? Magazine)?.issue == 3 }, ["magazine"]),
        (#Predicate { ($0.successor as? Magazine)?.issue == 3 }, ["paper"]),
        (#Predicate { ($0 as? Magazine)?.successor == nil }, ["comic", "paper"]),
        (
            Predicate { periodical in
                PredicateExpressions.build_Conjunction(
                    lhs: PredicateExpressions.TypeCheck<_, Magazine>(periodical),
                    rhs: PredicateExpressions.build_evaluate(
                        ConstantExpression(isNew),
                        PredicateExpressions.ForceCast<_, Magazine>(periodical)))
            }, ["comic"]
        ),
        (#Predicate { if let it = $0 as? Comic { it.title == "x" } else { true } }, ["magazine", "paper"]),
    ]

    private static func titles(
        _ predicate: NSPredicate, _ context: NSManagedObjectContext
    ) throws -> [String] {
        let request = NSFetchRequest<Periodical>(entityName: "Periodical")
        request.predicate = predicate
        request.sortDescriptors = [NSSortDescriptor(key: "title", ascending: true)]
        return try context.fetch(request).compactMap(\.title)
    }

    /// All but the incremental store of the tests, which evaluates conditions on dictionaries.
    private static let kinds = StoreKind.answering

    @Test("Swift's is and as? find the same objects before and after a save", arguments: kinds)
    func storedAndUnsaved(_ kind: StoreKind) throws {
        let store = try ConformanceStore(kind)
        let coordinator = try store.open(Self.model())
        try coordinator.inContext { context throws in
            try Self.fill(context)
            for isSaved in [false, true] {
                for (predicate, titles) in Self.conditions {
                    let converted = try NSPredicate(converting: predicate)
                    #expect(try Self.titles(converted, context) == titles, "\(isSaved) \(converted)")
                }
                try context.save()
                context.reset()
            }
            let ghost = NSPredicate(format: "CAST(SELF, 'Ghost') != nil")
            let error = #expect(throws: NSError.self) { try Self.titles(ghost, context) }
            #expect(error?.code == 134060)
        }
    }

    @Test("A converted cast names the entity, and one to a class without an entity throws")
    func convertedCastNamesTheEntity() throws {
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: Self.model())
        defer { withExtendedLifetime(coordinator) {} }
        let predicate = try NSPredicate(
            converting: #Predicate<Periodical> { ($0.successor as? Magazine)?.issue == 3 })
        #expect(predicate.formatString == #"CAST(successor, "Magazine").issue == 3"#)
        #expect(throws: SwiftPredicateError.self) {
            try NSPredicate(converting: #Predicate<NSManagedObject> { $0 is Nameless })
        }
    }

    /// Over a relationship that only a subentity has.
    @Test("A condition over a cast sees unsaved changes of related objects", arguments: kinds)
    func unsavedChangesBehindACast(_ kind: StoreKind) throws {
        let store = try ConformanceStore(kind)
        let coordinator = try store.open(Self.model())
        let predicate = NSPredicate(format: "ANY CAST(SELF, 'Magazine').editors.name == 'Grace'")
        try coordinator.inContext { context throws in
            try Self.fill(context)
            try context.save()
            #expect(try Self.titles(predicate, context) == [])
            let editor = try #require(
                try context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Editor")).first)
            editor.setValue("Grace", forKey: "name")
            #expect(try Self.titles(predicate, context) == ["magazine"])
            try context.save()
            #expect(try Self.titles(predicate, context) == ["magazine"])
        }
    }
}

/// A class that no model names.
private final class Nameless: NSManagedObject {}

class Periodical: NSManagedObject {
    var title: String? { self[ManagedKey<String?>("title")] }
    var successor: Periodical? { self[ManagedKey<Periodical?>("successor")] }
}

class Magazine: Periodical {
    var issue: Int32 { self[ManagedKey<Int32>("issue")] }
}

final class Comic: Magazine {}
