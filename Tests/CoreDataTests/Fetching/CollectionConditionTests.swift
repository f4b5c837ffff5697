import CoreData
import Foundation
import Testing

/// Conditions on elements of ordered relationships and on collections made of relationships find the same objects in a
/// SQLite store, among unsaved objects, and in a store in memory.
@Suite struct CollectionConditionTests {
    enum Storage: CaseIterable, Sendable {
        case sqlite, unsaved, inMemory
    }

    /// Teams with ordered players, who have ordered, own trophies; and teams that are rivals.
    private static func model() -> NSManagedObjectModel {
        let team = NSEntityDescription("Team", attribute("name", .string))
        let player = NSEntityDescription("Player", attribute("name", .string), attribute("goals", .integer32))
        let keeper = NSEntityDescription("Keeper")
        player.subentities = [keeper]
        let trophy = NSEntityDescription(
            "Trophy", attribute("name", .string), attribute("worth", .decimal))
        pair(
            team.relate("players", to: player, many: true, ordered: true),
            player.relate("teams", to: team, many: true))
        pair(
            player.relate("trophies", to: trophy, many: true, ordered: true),
            trophy.relate("owner", to: player))
        pair(team.relate("captain", to: player), player.relate("leads", to: team, many: true))
        pair(team.relate("keepers", to: keeper, many: true), keeper.relate("keeps", to: team, many: true))
        return NSManagedObjectModel(of: team, player, keeper, trophy)
    }

    private static func fill(_ context: NSManagedObjectContext) {
        func insert(_ entity: String, _ name: String) -> NSManagedObject {
            let object = NSEntityDescription.insertNewObject(forEntityName: entity, into: context)
            object.setValue(name, forKey: "name")
            return object
        }
        func player(_ name: String, _ goals: Int, _ trophies: [String], isKeeper: Bool = false)
            -> NSManagedObject
        {
            let player = insert(isKeeper ? "Keeper" : "Player", name)
            player.setValue(goals, forKey: "goals")
            player.setValue(NSOrderedSet(array: trophies.map { insert("Trophy", $0) }), forKey: "trophies")
            return player
        }
        let ada = player("Ada", 5, ["cup", "medal"])
        let bob = player("Bob", 2, ["medal"])
        let cleo = player("Cleo", 0, [], isKeeper: true)
        func team(
            _ name: String, _ players: [NSManagedObject], captain: NSManagedObject?,
            keepers: [NSManagedObject]
        ) {
            let team = insert("Team", name)
            team.setValue(NSOrderedSet(array: players), forKey: "players")
            team.setValue(captain, forKey: "captain")
            team.setValue(Set(keepers), forKey: "keepers")
        }
        team("Reds", [bob, ada, cleo], captain: ada, keepers: [cleo])
        team("Blues", [ada, bob], captain: bob, keepers: [])
        team("Greens", [cleo], captain: cleo, keepers: [cleo])
        team("Empty", [], captain: nil, keepers: [])
    }

    private static func inContext(_ storage: Storage, _ body: (NSManagedObjectContext) throws -> Void) throws
    {
        let stack = try TestStack(model())
        if storage == .inMemory {
            for store in stack.coordinator.persistentStores { try stack.coordinator.remove(store) }
            try stack.coordinator.addPersistentStore(
                type: .inMemory, at: stack.folder.appendingPathComponent("Memory"))
        }
        try stack.inContext { context throws in
            fill(context)
            if storage != .unsaved {
                try context.save()
                context.reset()
            }
            try body(context)
        }
    }

    private static func names(
        _ format: String, _ arguments: [Any] = [], _ context: NSManagedObjectContext
    ) throws -> Set<String> {
        let request = NSFetchRequest<NSManagedObject>(entityName: "Team")
        request.predicate = NSPredicate(format: format, argumentArray: arguments)
        let found = try context.fetch(request)
        #expect(try context.count(for: request) == found.count)
        return Set(found.compactMap { $0.value(forKey: "name") as? String })
    }

    private static let conditions: [(String, Set<String>)] = [
        ("players[FIRST].name == 'Ada'", ["Blues"]),
        ("players[0].name == 'Bob'", ["Reds"]),
        ("players[1].name == 'Ada'", ["Reds"]),
        ("players[LAST].name == 'Cleo'", ["Reds", "Greens"]),
        ("players[2] == nil", ["Blues", "Greens", "Empty"]),
        ("players[0] == players[LAST]", ["Greens"]),
        ("players[0] != captain", ["Reds", "Blues"]),
        ("players[FIRST].trophies[LAST].name == 'medal'", ["Reds", "Blues"]),
        ("captain.trophies[0].name == 'cup'", ["Reds"]),
        ("captain.trophies[1].name == 'medal'", ["Reds"]),
        ("ANY players[FIRST].trophies.name == 'cup'", ["Blues"]),
        ("players[0].trophies.@count == 0", ["Greens", "Empty"]),
        ("players[FIRST].goals + players[LAST].goals == 7", ["Blues"]),
        ("players[1 + 1].goals == 0", ["Reds"]),
        ("(players MINUS keepers).@count == 2", ["Reds", "Blues"]),
        ("(players INTERSECT keepers).@count == 1", ["Reds", "Greens"]),
        ("(keepers UNION captain.teams.players).@count == 3", ["Reds", "Blues", "Greens"]),
        ("captain IN (players MINUS keepers)", ["Reds", "Blues"]),
        ("ANY (players MINUS captain.leads.players).goals >= 0", []),
        ("ALL (players MINUS keepers).goals > 1", ["Reds", "Blues", "Greens", "Empty"]),
        ("(players MINUS keepers)[SIZE] == 0", ["Greens", "Empty"]),
        ("SUBQUERY(players UNION keepers, $p, $p.goals == 0).@count == 1", ["Reds", "Greens"]),
        ("(players UNION captain.leads.players).@sum.goals == 7", ["Reds", "Blues"]),
        ("median:(players.goals) == 2", ["Reds"]),
        ("median:(players.goals) == 3.5", ["Blues"]),
        ("stddev:(players.goals) == 1.5", ["Blues"]),
        ("median:(players.goals) == nil", ["Empty"]),
        ("(players.trophies.@sum.worth + 1) / 2 == 0.5", ["Reds", "Blues", "Greens", "Empty"]),
    ]

    @Test(
        "Conditions on collections find the same objects in stores and among unsaved objects",
        arguments: Storage.allCases)
    func allStoresFindTheSame(_ storage: Storage) throws {
        try Self.inContext(storage) { context throws in
            for (format, expected) in Self.conditions {
                #expect(try Self.names(format, [], context) == expected, "\(format)")
            }
        }
    }

    @Test("A union with an unsaved object counts that object")
    func unsavedElementsCount() throws {
        try Self.inContext(.sqlite) { context throws in
            let new = NSEntityDescription.insertNewObject(forEntityName: "Player", into: context)
            let teams = try Self.names("players.@count == 2", [], context)
            #expect(!teams.isEmpty)
            #expect(try Self.names("(players UNION %@).@count == 3", [[new]], context) == teams)
        }
    }

    @Test("Lists of objects and IDs combine with relationships", arguments: Storage.allCases)
    func listsOfObjectsCombineWithRelationships(_ storage: Storage) throws {
        try Self.inContext(storage) { context throws in
            let request = NSFetchRequest<NSManagedObject>(entityName: "Player")
            request.predicate = NSPredicate(format: "name IN {'Ada', 'Cleo'}")
            let some = try context.fetch(request)
            let ids = some.map(\.objectID)
            for list in [some, ids] as [[Any]] {
                #expect(
                    try Self.names("(players MINUS %@).@count == 0", [list], context) == ["Greens", "Empty"])
                #expect(try Self.names("(players INTERSECT %@).@count == 2", [list], context) == ["Reds"])
                #expect(
                    try Self.names("ANY (players MINUS %@).name == 'Bob'", [list], context)
                        == ["Reds", "Blues"])
            }
            #expect(try Self.names("(%@ UNION players).@count == 2", [some], context) == ["Greens", "Empty"])
            #expect(
                try Self.names("ANY (%@ MINUS players).name == 'Ada'", [some], context)
                    == ["Greens", "Empty"])
            #expect(throws: NSError.self) {
                try Self.names("ANY (%@ MINUS players).name == 'Ada'", [ids], context)
            }
        }
    }

    @Test(
        "An index into an unordered collection, and an unknown key of elements, are refused",
        arguments: [
            "keepers[FIRST] == nil", "players[FIRST].unknown == 1", "players.trophies[0].name == 'cup'",
            "(players UNION keepers)[0] == nil", "SUBQUERY(players, $p, $p.goals == 0)[0] == nil",
            "ANY (players UNION keepers).unknown == 1",
        ])
    func unorderedOrUnknownIsRefused(_ format: String) throws {
        for storage in Storage.allCases {
            try Self.inContext(storage) { context throws in
                let error = #expect(throws: NSError.self) { try Self.names(format, [], context) }
                #expect(error?.code == 134060, "\(storage)")
            }
        }
    }

    @Test("Conditions on elements see unsaved values and unsaved order")
    func changedElementsCount() throws {
        try Self.inContext(.sqlite) { context throws in
            let request = NSFetchRequest<NSManagedObject>(entityName: "Player")
            request.predicate = NSPredicate(format: "name == 'Bob'")
            let bob = try #require(try context.fetch(request).first)
            bob.setValue(9, forKey: "goals")
            #expect(try Self.names("players[FIRST].goals == 9", [], context) == ["Reds"])
            #expect(
                try Self.names("ANY (players MINUS keepers).goals == 9", [], context) == ["Reds", "Blues"])
            #expect(try Self.names("median:(players.goals) == 7", [], context) == ["Blues"])
            let teams = NSFetchRequest<NSManagedObject>(entityName: "Team")
            teams.predicate = NSPredicate(format: "name == 'Reds'")
            let reds = try #require(try context.fetch(teams).first)
            reds.mutableOrderedSetValue(forKey: "players").exchangeObject(at: 0, withObjectAt: 1)
            #expect(try Self.names("players[FIRST].name == 'Ada'", [], context) == ["Reds", "Blues"])
            try context.save()
            #expect(try Self.names("players[FIRST].name == 'Ada'", [], context) == ["Reds", "Blues"])
        }
    }
}
