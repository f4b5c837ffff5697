import CoreData
import Testing

/// Links from one to one that two contexts change: whatever becomes of them, both rows agree.
@Suite struct OneToOneConflictTests {
    typealias Rival = ConflictTests.Rival

    private static let insisting = [NSMergePolicy.mergeByPropertyObjectTrump, .overwrite]

    private let folder: StoreFolder
    private let coordinator: NSPersistentStoreCoordinator
    private let other: NSPersistentStoreCoordinator

    /// Nodes 0 to 3 and badges 10 and 11; 10 is the badge of 0, and 2 and 3 are partners.
    init() throws {
        folder = try StoreFolder()
        coordinator = try folder.open(Graph.model())
        other = try folder.open(Graph.model())
        try coordinator.inContext { context in
            let nodes = try (0..<4).map { try context.insert("Node", ["uid": $0]) }
            let badges = try [10, 11].map { try context.insert("Badge", ["uid": $0]) }
            badges[0].setValue(nodes[0], forKey: "node")
            nodes[2].setValue(nodes[3], forKey: "partner")
            try context.save()
        }
    }

    /// The nodes and badges of a context by number, loaded.
    private func objects(_ context: NSManagedObjectContext) throws -> [Int: NSManagedObject] {
        var found: [Int: NSManagedObject] = [:]
        for object in try ["Node", "Badge"].flatMap({ try context.all($0) }) {
            found[try #require(object.value(forKey: "uid") as? Int)] = object
        }
        return found
    }

    /// Changes objects in a context, then others in a rival's, which is saved; then runs a block in the first one.
    private func conflict(
        _ rival: Rival, _ policy: NSMergePolicy = .error,
        here: (NSManagedObjectContext, [Int: NSManagedObject]) throws -> Void,
        there: (NSManagedObjectContext, [Int: NSManagedObject]) throws -> Void,
        _ body: (NSManagedObjectContext, [Int: NSManagedObject]) throws -> Void
    ) throws {
        try coordinator.inContext { context in
            context.mergePolicy = policy
            let mine = try objects(context)
            try here(context, mine)
            try (rival == .context ? coordinator : other).inContext { context in
                try there(context, try objects(context))
                try context.save()
            }
            try body(context, mine)
        }
    }

    /// The pairs of numbers that the keys at each end say, sorted.
    private struct Pairs: Equatable {
        var badgesOfNodes: [String]
        var nodesOfBadges: [String]
        var partners: [String]

        init(badges: [String], partners: [String]) {
            badgesOfNodes = badges
            nodesOfBadges = badges
            self.partners = partners
        }

        init(_ folder: StoreFolder) throws {
            func pairs(_ sql: String) throws -> [String] {
                try folder.rows("SELECT a.ZUID || ' ' || b.ZUID \(sql) ORDER BY 1").map {
                    String.fromDatabaseValue($0[0]) ?? "?"
                }
            }
            badgesOfNodes = try pairs("FROM ZNODE a JOIN ZBADGE b ON a.ZBADGE = b.Z_PK")
            nodesOfBadges = try pairs("FROM ZNODE a JOIN ZBADGE b ON b.ZNODE = a.Z_PK")
            partners = try pairs("FROM ZNODE a JOIN ZNODE b ON a.ZPARTNER = b.Z_PK")
        }
    }

    private func give(_ badge: Int, _ node: Int) -> (NSManagedObjectContext, [Int: NSManagedObject]) -> Void {
        { _, objects in objects[badge]?.setValue(objects[node], forKey: "node") }
    }

    private func name(_ number: Int) -> (NSManagedObjectContext, [Int: NSManagedObject]) -> Void {
        { _, objects in objects[number]?.setValue("mine", forKey: "name") }
    }

    private let partners = ["2 3", "3 2"]

    // MARK: Moved twice

    @Test(
        "A partner moved in two contexts belongs where the last save put it", arguments: Rival.allCases,
        insisting)
    func lastMoveWins(_ rival: Rival, _ policy: NSMergePolicy) throws {
        try conflict(rival, policy, here: give(10, 1), there: give(10, 2)) { context, mine in
            try context.save()
            #expect(mine[10]?.one("node") === mine[1] && mine[1]?.one("badge") === mine[10])
            #expect(mine[2]?.one("badge") == nil && mine[0]?.one("badge") == nil && !context.hasChanges)
        }
        #expect(try Pairs(folder) == Pairs(badges: ["1 10"], partners: partners))
    }

    @Test(
        "A partner assigned elsewhere is released when another one is assigned", arguments: Rival.allCases,
        insisting)
    func otherPartnerIsReleased(_ rival: Rival, _ policy: NSMergePolicy) throws {
        try conflict(rival, policy, here: give(10, 1), there: give(11, 1)) { context, mine in
            try context.save()
            #expect(mine[1]?.one("badge") === mine[10] && mine[11]?.one("node") == nil)
        }
        #expect(try Pairs(folder) == Pairs(badges: ["1 10"], partners: partners))
    }

    @Test("A partner removed here and moved elsewhere has no partner", arguments: Rival.allCases, insisting)
    func removedHereAndMovedThere(_ rival: Rival, _ policy: NSMergePolicy) throws {
        try conflict(
            rival, policy, here: { _, mine in mine[10]?.setValue(nil, forKey: "node") }, there: give(10, 2)
        ) { context, _ in try context.save() }
        // Taken away is what the first one's row says too: only what differs from the row that was read is insisted on.
        #expect(try Pairs(folder) == Pairs(badges: [], partners: partners))
    }

    @Test("Partners of one entity agree at both ends after a conflict", arguments: Rival.allCases, insisting)
    func reflexivePartnersAgree(_ rival: Rival, _ policy: NSMergePolicy) throws {
        try conflict(
            rival, policy, here: { _, mine in mine[2]?.setValue(mine[0], forKey: "partner") },
            there: { _, theirs in theirs[3]?.setValue(theirs[0], forKey: "partner") }
        ) { context, _ in try context.save() }
        #expect(try Pairs(folder) == Pairs(badges: ["0 10"], partners: ["0 2", "2 0"]))
    }

    // MARK: Not changed here

    @Test("A partner moved elsewhere only stays there", arguments: Rival.allCases)
    func moveElsewhereStays(_ rival: Rival) throws {
        try conflict(rival, .mergeByPropertyObjectTrump, here: name(0), there: give(10, 2)) { context, mine in
            try context.save()
            #expect(mine[0]?.one("badge") == nil && mine[10]?.one("node") === mine[2])
        }
        #expect(try Pairs(folder) == Pairs(badges: ["2 10"], partners: partners))
    }

    /// Overwriting puts all values of the object back, and so its partner's.
    @Test("Overwriting an object restores its partner", arguments: Rival.allCases)
    func overwriteRestoresThePartner(_ rival: Rival) throws {
        try conflict(
            rival, .overwrite,
            here: { context, mine in
                name(0)(context, mine)
                #expect(mine[0]?.one("badge") === mine[10])
            }, there: give(10, 2)
        ) { context, mine in
            try context.save()
            #expect(mine[0]?.one("badge") === mine[10] && mine[2]?.one("badge") == nil)
        }
        #expect(try Pairs(folder) == Pairs(badges: ["0 10"], partners: partners))
    }

    // MARK: Gone there

    @Test("An object restored by a conflict has its partner", arguments: Rival.allCases, insisting)
    func restoredObjectHasItsPartner(_ rival: Rival, _ policy: NSMergePolicy) throws {
        try conflict(
            rival, policy, here: name(2), there: { context, theirs in theirs[2].map(context.delete) }
        ) { context, mine in
            try context.save()
            #expect(mine[2]?.one("partner") === mine[3] && mine[3]?.one("partner") === mine[2])
        }
        #expect(try Pairs(folder) == Pairs(badges: ["0 10"], partners: partners))
    }

    @Test(
        "An object restored by a conflict does not take back a partner with another",
        arguments: Rival.allCases, insisting)
    func restoredObjectLeavesATakenPartner(_ rival: Rival, _ policy: NSMergePolicy) throws {
        try conflict(
            rival, policy, here: name(2),
            there: { context, theirs in
                theirs[3]?.setValue(theirs[1], forKey: "partner")
                theirs[2].map(context.delete)
            }
        ) { context, mine in
            try context.save()
            #expect(mine[2]?.one("partner") == nil && mine[3]?.one("partner") === mine[1])
        }
        #expect(try Pairs(folder) == Pairs(badges: ["0 10"], partners: ["1 3", "3 1"]))
    }

    // MARK: Moved and deleted

    /// An object that is linked to another one here and deleted before one save, while another context has
    /// linked a third one to it.
    @Test(
        "An object that is moved and deleted leaves no key", arguments: Rival.allCases,
        [NSMergePolicy.mergeByPropertyObjectTrump, .overwrite])
    func movedAndDeleted(_ rival: Rival, _ policy: NSMergePolicy) throws {
        for isOneEvent in [true, false] {
            let each = try OneToOneConflictTests()
            try each.conflict(
                rival, policy,
                here: { context, mine in
                    each.give(10, 1)(context, mine)
                    mine[2]?.setValue(mine[0], forKey: "partner")
                    if !isOneEvent { context.processPendingChanges() }
                    for number in [2, 10] { mine[number].map(context.delete) }
                },
                there: { _, theirs in
                    theirs[10]?.setValue(theirs[3], forKey: "node")
                    theirs[2]?.setValue(theirs[1], forKey: "partner")
                }
            ) { context, mine in
                try context.save()
                #expect([0, 1, 3].allSatisfy { mine[$0]?.one("badge") == nil })
                #expect([0, 1, 3].allSatisfy { mine[$0]?.one("partner") == nil })
                #expect(!context.hasChanges)
            }
            #expect(try Pairs(each.folder) == Pairs(badges: [], partners: []))
            let keys = try each.folder.rows(
                "SELECT ZUID FROM ZNODE WHERE ZBADGE IS NOT NULL OR ZPARTNER IS NOT NULL OR ZUID IN (2, 10)")
            #expect(keys.isEmpty, "one event: \(isOneEvent)")
        }
    }

    // MARK: Seen before the save

    @Test("An unsaved partner outlives a merge")
    func unsavedPartnerOutlivesAMerge() throws {
        let saved = SavedNotification()
        try conflict(
            .context, here: give(10, 1),
            there: { context, theirs in
                saved.log = NotificationLog(.NSManagedObjectContextDidSave, from: context)
                give(10, 2)(context, theirs)
            }
        ) { context, mine in
            context.mergeChanges(fromContextDidSave: try #require(saved.log?.all.first))
            #expect(mine[10]?.one("node") === mine[1] && mine[1]?.one("badge") === mine[10])
            #expect(mine[2]?.one("badge") == nil && mine[2]?.isUpdated == true)
            try context.save()
        }
        #expect(try Pairs(folder) == Pairs(badges: ["1 10"], partners: partners))
    }

    /// Without a merge policy: nothing is newer than what was refreshed, so nothing is in conflict.
    @Test("An unsaved partner outlives merging refreshes", arguments: Rival.allCases)
    func unsavedPartnerOutlivesRefreshes(_ rival: Rival) throws {
        try conflict(rival, here: give(10, 1), there: give(10, 2)) { context, mine in
            for number in [0, 1, 10] {
                mine[number].map { context.refresh($0, mergeChanges: true) }
            }
            #expect(mine[10]?.one("node") === mine[1] && mine[2]?.one("badge") == nil)
            try context.save()
        }
        #expect(try Pairs(folder) == Pairs(badges: ["1 10"], partners: partners))
    }

    @Test("Refreshing one end without merging restores both ends")
    func refreshedEndRestoresBoth() throws {
        try conflict(.context, here: give(10, 1), there: { _, _ in }) { context, mine in
            mine[10].map { context.refresh($0, mergeChanges: false) }
            #expect(mine[10]?.one("node") === mine[0] && mine[0]?.one("badge") === mine[10])
            #expect(mine[1]?.one("badge") == nil)
            #expect([0, 1, 10].allSatisfy { mine[$0]?.hasPersistentChangedValues == false })
            try context.save()
        }
        #expect(try Pairs(folder) == Pairs(badges: ["0 10"], partners: partners))
    }

    private final class SavedNotification { var log: NotificationLog? }
}
