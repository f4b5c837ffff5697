import CoreData
import Testing

/// Splits a name, and makes the team of a person that another person does not have yet.
final class SplittingPolicy: NSEntityMigrationPolicy {
    private func note(_ text: String, _ manager: NSMigrationManager) {
        let calls = manager.userInfo?["calls"] as? [String] ?? []
        manager.userInfo?["calls"] = calls + [text]
    }

    override func begin(_ mapping: NSEntityMapping, with manager: NSMigrationManager) throws {
        note("begin", manager)
    }

    override func createDestinationInstances(
        forSource sInstance: NSManagedObject, in mapping: NSEntityMapping, manager: NSMigrationManager
    ) throws {
        note("make", manager)
        if let failure = manager.userInfo?["failure"] as? NSError { throw failure }
        if let reason = manager.userInfo?["cancel"] as? NSError { manager.cancelMigrationWithError(reason) }
        try super.createDestinationInstances(forSource: sInstance, in: mapping, manager: manager)
        let made = manager.destinationInstances(
            forEntityMappingName: mapping.name, sourceInstances: [sInstance])
        let words = (sInstance.value(forKey: "fullName") as? String ?? "").split(separator: " ")
        made[0].setValue(words.first.map(String.init), forKey: "firstName")
        made[0].setValue(words.last.map(String.init), forKey: "lastName")
        guard let name = sInstance.value(forKey: "team") as? String else { return }
        var teams = manager.userInfo?["teams"] as? [String: NSManagedObject] ?? [:]
        let team =
            teams[name]
            ?? NSEntityDescription.insertNewObject(
                forEntityName: "Team", into: manager.destinationContext)
        team.setValue(name, forKey: "name")
        made[0].setValue(team, forKey: "team")
        teams[name] = team
        manager.userInfo?["teams"] = teams
    }

    override func endInstanceCreation(forMapping mapping: NSEntityMapping, manager: NSMigrationManager) throws
    {
        note("made", manager)
    }

    override func createRelationships(
        forDestination dInstance: NSManagedObject, in mapping: NSEntityMapping, manager: NSMigrationManager
    ) throws {
        note("relate", manager)
        try super.createRelationships(forDestination: dInstance, in: mapping, manager: manager)
    }

    override func endRelationshipCreation(
        forMapping mapping: NSEntityMapping, manager: NSMigrationManager
    ) throws { note("related", manager) }

    override func performCustomValidation(
        forMapping mapping: NSEntityMapping, manager: NSMigrationManager
    ) throws { note("validate", manager) }

    override func end(_ mapping: NSEntityMapping, manager: NSMigrationManager) throws { note("end", manager) }
}

/// Stores that are migrated by mapping models made in code.
@Suite struct MigrationManagerTests {
    private let folder: StoreFolder
    private var old: URL { folder.file }
    private var new: URL { folder.url.appendingPathComponent("New.sqlite") }

    init() throws {
        folder = try StoreFolder()
        let coordinator = try folder.open(Self.first())
        try coordinator.inContext { context in
            let ada = try context.insert("Person", ["fullName": "Ada Lovelace", "team": "Engine", "age": 36])
            let charles = try context.insert("Person", ["fullName": "Charles Babbage", "team": "Engine"])
            try context.insert("Person", ["fullName": "Grace Hopper", "friend": ada])
            let notes = try ["c", "a", "b"].map { try context.insert("Note", ["text": $0]) }
            ada.setValue(NSOrderedSet(array: notes), forKey: "notes")
            charles.setValue(ada, forKey: "friend")
            try context.save()
        }
        try coordinator.close()
    }

    private static func first() -> NSManagedObjectModel {
        let person = NSEntityDescription(
            "Person", attribute("fullName", .string), attribute("team", .string), attribute("age", .integer16)
        )
        let note = NSEntityDescription("Note", attribute("text", .string))
        pair(person.relate("friend", to: person), person.relate("friendOf", to: person, many: true))
        pair(person.relate("notes", to: note, many: true, ordered: true), note.relate("owner", to: person))
        return NSManagedObjectModel(of: person, note)
    }

    private static func second(mandatory: Bool = false) -> NSManagedObjectModel {
        let person = NSEntityDescription(
            "Human", attribute("firstName", .string), attribute("lastName", .string),
            attribute("years", .integer32, optional: !mandatory),
            attribute("planet", .string, defaultValue: "Earth"))
        let note = NSEntityDescription("Note", attribute("text", .string))
        let team = NSEntityDescription("Team", attribute("name", .string))
        pair(person.relate("friend", to: person), person.relate("friendOf", to: person, many: true))
        pair(person.relate("notes", to: note, many: true, ordered: true), note.relate("owner", to: person))
        pair(person.relate("team", to: team), team.relate("members", to: person, many: true))
        return NSManagedObjectModel(of: person, note, team)
    }

    private static func property(_ name: String, _ expression: String?) throws -> NSPropertyMapping {
        let mapping = NSPropertyMapping()
        mapping.name = name
        mapping.valueExpression = try expression.map { try NSExpression(parsing: $0) }
        return mapping
    }

    private static func made(_ mapping: String, _ source: String) -> String {
        "FUNCTION($manager, 'destinationInstancesForEntityMappingNamed:sourceInstances:', '\(mapping)', \(source))"
    }

    /// Persons become humans by a policy, notes by expressions alone.
    private static func mapping() throws -> NSMappingModel {
        let persons = NSEntityMapping()
        persons.name = "PersonToHuman"
        persons.mappingType = .customEntityMappingType
        persons.sourceEntityName = "Person"
        persons.destinationEntityName = "Human"
        persons.sourceExpression = try NSExpression(
            parsing: """
                FETCH(FUNCTION($manager, 'fetchRequestForSourceEntityNamed:predicateString:', 'Person', 'TRUEPREDICATE'), \
                $manager.sourceContext, NO)
                """)
        persons.entityMigrationPolicyClassName = NSStringFromClass(SplittingPolicy.self)
        persons.attributeMappings = [try property("years", "$source.age"), try property("planet", nil)]
        persons.relationshipMappings = [
            try property("friend", made("PersonToHuman", "$source.friend")),
            try property("notes", made("NoteToNote", "$source.notes")),
        ]
        let notes = NSEntityMapping()
        notes.name = "NoteToNote"
        notes.mappingType = .transformEntityMappingType
        notes.sourceEntityName = "Note"
        notes.destinationEntityName = "Note"
        notes.sourceExpression = try NSExpression(
            parsing: """
                FETCH(FUNCTION($manager, 'fetchRequestForSourceEntityNamed:predicateString:', 'Note', "text != 'b'"), \
                $manager.sourceContext, NO)
                """)
        notes.attributeMappings = [try property("text", "uppercase($source.text)")]
        let model = NSMappingModel()
        model.entityMappings = [persons, notes]
        return model
    }

    private func manager() -> NSMigrationManager {
        let manager = NSMigrationManager(sourceModel: Self.first(), destinationModel: Self.second())
        manager.userInfo = ["calls": [String]()]
        return manager
    }

    private func migrate(
        _ manager: NSMigrationManager, _ mapping: NSMappingModel? = nil,
        to type: NSPersistentStore.StoreType = .sqlite
    ) throws {
        try manager.migrateStore(
            from: old, type: .sqlite, mapping: try mapping ?? Self.mapping(), to: new, type: type)
    }

    // MARK: What comes out

    @Test(
        "Policies and expressions make the objects of the new store",
        arguments: [NSPersistentStore.StoreType.sqlite, .xml, .binary])
    func policiesAndExpressions(_ type: NSPersistentStore.StoreType) throws {
        try migrate(manager(), to: type)
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: Self.second())
        try coordinator.addPersistentStore(type: type, at: new)
        try coordinator.inContext { context in
            let humans = try context.all("Human", by: "lastName")
            #expect(
                humans.map { $0.value(forKey: "lastName") as? String } == ["Babbage", "Hopper", "Lovelace"])
            #expect(humans.map { $0.value(forKey: "firstName") as? String } == ["Charles", "Grace", "Ada"])
            #expect(humans.map { $0.value(forKey: "years") as? Int } == [nil, nil, 36])
            #expect(humans.allSatisfy { $0.value(forKey: "planet") as? String == "Earth" })
            try #require(humans.count == 3)
            let (charles, grace, ada) = (humans[0], humans[1], humans[2])
            #expect(charles.one("friend") === ada && grace.one("friend") === ada)
            #expect(ada.one("friend") == nil && ada.many("friendOf") == [charles, grace])
            // The one that its condition leaves out is not there; the others have their order.
            #expect(ada.list("notes").map { $0.value(forKey: "text") as? String } == ["C", "A"])
            #expect(try context.all("Note").count == 2)
            let team = try context.only("Team")
            #expect(team.many("members") == [charles, ada])
        }
        try coordinator.close()
        // The old store is as it was.
        #expect(try folder.open(Self.first()).inContext { try $0.all("Person").count } == 3)
    }

    @Test("An entity migration policy is called in stages")
    func policyStages() throws {
        let manager = manager()
        try migrate(manager)
        #expect(
            manager.userInfo?["calls"] as? [String] == [
                "begin", "make", "make", "make", "made", "relate", "relate", "relate", "related", "validate",
                "end",
            ])
    }

    /// An inferred mapping model gives what a migration in place gives.
    @Test("A migration manager runs an inferred mapping model")
    func inferredMappingModel() throws {
        let destination = Self.first()
        destination.entitiesByName["Person"]?.add(attribute("nickname", .string, defaultValue: "-"))
        let mapping = try NSMappingModel.inferredMappingModel(
            forSourceModel: Self.first(), destinationModel: destination)
        let manager = NSMigrationManager(sourceModel: Self.first(), destinationModel: destination)
        try migrate(manager, mapping)
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: destination)
        try coordinator.addPersistentStore(type: .sqlite, at: new)
        try coordinator.inContext { context in
            let persons = try context.all("Person", by: "fullName")
            #expect(persons.map { $0.value(forKey: "nickname") as? String } == ["-", "-", "-"])
            try #require(persons.count == 3)
            #expect(persons[0].list("notes").map { $0.value(forKey: "text") as? String } == ["c", "a", "b"])
            #expect(persons[1].one("friend") === persons[0] && persons[2].one("friend") === persons[0])
        }
        try coordinator.close()
    }

    @Test("The progress of a migration can be observed")
    func progressIsObserved() throws {
        let manager = manager()
        nonisolated(unsafe) var seen: [Float] = []
        let observation = manager.observe(\.migrationProgress) { manager, _ in
            seen.append(manager.migrationProgress)
        }
        try migrate(manager)
        observation.invalidate()
        #expect(seen.count > 3 && seen.last == 0 && manager.migrationProgress == 0)
        #expect(seen.dropLast() == seen.dropLast().sorted()[...] && seen.dropLast().last == 1)
        #expect(seen.allSatisfy { (0...1).contains($0) })
    }

    @Test("Associations of source and destination objects are kept until a reset")
    func associations() throws {
        let manager = manager()
        try migrate(manager)
        let made = manager.destinationInstances(forEntityMappingName: "PersonToHuman", sourceInstances: nil)
        let sources = manager.sourceInstances(
            forEntityMappingName: "PersonToHuman", destinationInstances: made)
        #expect(made.count == 3 && Set(sources).count == 3)
        #expect(
            manager.destinationInstances(forEntityMappingName: "PersonToHuman", sourceInstances: sources)
                == made)
        #expect(manager.destinationInstances(forEntityMappingName: "?", sourceInstances: nil).isEmpty)
        let mapping = try #require(manager.mappingModel.entityMappingsByName["PersonToHuman"])
        #expect(manager.sourceEntity(for: mapping)?.name == "Person")
        #expect(manager.destinationEntity(for: mapping)?.name == "Human")
        manager.reset()
        #expect(
            manager.destinationInstances(forEntityMappingName: "PersonToHuman", sourceInstances: nil).isEmpty)
    }

    // MARK: What goes wrong

    /// The error of a migration, after which nothing of a destination is left.
    private func refusal(
        _ change: (NSMigrationManager, NSMappingModel) throws -> Void
    ) throws -> NSError {
        let manager = manager()
        let mapping = try Self.mapping()
        try change(manager, mapping)
        let found = try error { try migrate(manager, mapping) }
        #expect(!FileManager.default.fileExists(atPath: new.path))
        return found
    }

    @Test("Errors of policies are thrown unchanged")
    func policyErrors() throws {
        let failure = NSError(domain: "Policy", code: 7)
        #expect(try refusal { manager, _ in manager.userInfo?["failure"] = failure } == failure)
        #expect(try refusal { manager, _ in manager.userInfo?["cancel"] = failure } == failure)
    }

    @Test("A policy class that does not exist is an error that names it")
    func unknownPolicy() throws {
        for name in ["NoSuchPolicy", "CoreDataTests.Hooks"] {
            let found = try refusal { _, mapping in
                mapping.entityMappings[0].entityMigrationPolicyClassName = name
            }
            #expect(found.code == 134170 && found.localizedDescription.contains("'\(name)'"))
        }
    }

    @Test(
        "A value expression that cannot be evaluated is an error that names the property",
        arguments: [
            "$source.missing", "$manager.missing", "$unknown", "FUNCTION($manager, 'missing:', 1)", "'text'",
            "$source.notes.missing", "FUNCTION($source, 'valueForKey:', 'missing')",
            "SUBQUERY($source.notes, $x, $x.missing == 1).@count", "TERNARY($source.missing == 1, 1, 2)",
        ])
    func invalidExpressions(_ expression: String) throws {
        let found = try refusal { _, mapping in
            mapping.entityMappings[0].attributeMappings?.append(try Self.property("years", expression))
        }
        #expect(found.domain == NSCocoaErrorDomain && found.code == 134110)
        #expect(found.localizedDescription.contains("'years'"))
        #expect(found.localizedDescription.contains("PersonToHuman"))
    }

    @Test("A relationship mapping to objects of another kind is an error")
    func wrongDestinations() throws {
        for expression in ["$source.friend", "$source.fullName", Self.made("Nothing", "$source.friend")] {
            let found = try refusal { _, mapping in
                mapping.entityMappings[0].relationshipMappings = [try Self.property("friend", expression)]
            }
            #expect(found.code == 134110 && found.localizedDescription.contains("'friend'"))
        }
    }

    @Test("A mapping that does not fit the models is an error")
    func mismatchedMappings() throws {
        func text(_ change: (NSEntityMapping) throws -> Void) throws -> String {
            let found = try refusal { _, mapping in try change(mapping.entityMappings[0]) }
            #expect(found.code == 134110)
            return found.localizedDescription
        }
        #expect(try text { $0.sourceEntityName = "Ghost" }.contains("'Ghost'"))
        #expect(try text { $0.destinationEntityName = "Ghost" }.contains("'Ghost'"))
        #expect(try text { $0.sourceEntityVersionHash = Data([1]) }.contains("another version"))
        #expect(try text { $0.name = "NoteToNote" }.contains("several"))
        #expect(try text { $0.attributeMappings = [try Self.property("age", "1")] }.contains("'age'"))
    }

    @Test("A migration whose objects are invalid fails and leaves no store")
    func invalidDestination() throws {
        let manager = NSMigrationManager(
            sourceModel: Self.first(), destinationModel: Self.second(mandatory: true))
        manager.userInfo = [:]
        let found = try error { try migrate(manager) }
        #expect(found.code == 134110)
        let cause = try #require(found.userInfo[NSUnderlyingErrorKey] as? NSError)
        #expect(cause.code == 1560)
        #expect(!FileManager.default.fileExists(atPath: new.path))
    }

    @Test("Stores that cannot be opened or overwritten are errors")
    func unopenableStores() throws {
        let missing = folder.url.appendingPathComponent("Missing.sqlite")
        let mapping = try Self.mapping()
        let manager = manager()
        let noSource = try error {
            try manager.migrateStore(from: missing, type: .sqlite, mapping: mapping, to: new, type: .sqlite)
        }
        #expect(noSource.code == 134150 && noSource.userInfo[NSUnderlyingErrorKey] is NSError)
        let other = NSMigrationManager(sourceModel: Self.second(), destinationModel: Self.second())
        #expect(try error { try migrate(other, NSMappingModel()) }.code == 134150)
        let occupied = try error {
            try manager.migrateStore(from: old, type: .sqlite, mapping: mapping, to: old, type: .sqlite)
        }
        #expect(occupied.code == 134160)
        let none = try error {
            try manager.migrateStore(
                from: old, sourceType: NSSQLiteStoreType, with: nil, toDestinationURL: new,
                destinationType: NSSQLiteStoreType)
        }
        #expect(none.code == 134140)
        #expect(try folder.names.filter { $0.contains("New") || $0.contains("Missing") }.isEmpty)
        #expect(try folder.open(Self.first()).inContext { try $0.all("Person").count } == 3)
    }
}
