import CoreData
import GRDB
import Testing

/// Links that others have made since an object was read, to objects that were read after that. The rows that are compared by
/// the save are up to date, so it finds no conflict.
@Suite struct UnseenReferenceTests {
    private let folder: StoreFolder

    init() throws { folder = try StoreFolder() }

    // MARK: One to many

    /// Deletes, in a context that has read the item, an owner that the item has got since. What is in the store then.
    private func afterDeletion(_ rule: NSDeleteRule) throws -> (
        error: Int?, owners: [String], items: [String], ownedItems: Int
    ) {
        let coordinator = try folder.open(OwnerModel.model(rule))
        try coordinator.inContext { context in
            try context.insert("Item", ["name": "a"])
            try context.save()
        }
        var code: Int?
        try coordinator.inContext { context in
            let item = try context.only("Item")
            #expect(item.one("owner") == nil)
            try coordinator.inContext { other in
                let owner = try other.owner("late")
                try other.only("Item").setValue(owner, forKey: "owner")
                try other.save()
            }
            context.delete(try context.only("Owner"))
            do { try context.save() } catch let error as NSError { code = error.code }
        }
        return try coordinator.inContext { context in
            (
                code, try context.names("Owner"), try context.names("Item"),
                try context.all("Item", where: NSPredicate(format: "owner != nil")).count
            )
        }
    }

    @Test("Nullify ends references made after the object was read")
    func nullifyEndsLaterReferences() throws {
        let found = try afterDeletion(.nullifyDeleteRule)
        #expect(found.error == nil && found.owners == [] && found.items == ["a"] && found.ownedItems == 0)
    }

    @Test("Cascade follows references made after the object was read")
    func cascadeFollowsLaterReferences() throws {
        let found = try afterDeletion(.cascadeDeleteRule)
        #expect(found.error == nil && found.owners == [] && found.items == [])
    }

    @Test("Deny counts references made after the object was read")
    func denyCountsLaterReferences() throws {
        let found = try afterDeletion(.denyDeleteRule)
        #expect(found.error == 1600 && found.owners == ["late"] && found.items == ["a"])
        #expect(found.ownedItems == 1)
    }

    // MARK: One to one

    private static let model: NSManagedObjectModel = {
        let node = NSEntityDescription("Node", attribute("name", .string))
        let partner = node.relate("partner", to: node)
        partner.inverseRelationship = partner
        return NSManagedObjectModel(of: node)
    }()

    /// A context that has read nodes of these names, of which "p" and "q" are partners.
    private func nodes(
        _ names: String..., body: (NSManagedObjectContext, [NSManagedObject]) throws -> Void
    ) throws {
        let coordinator = try folder.open(Self.model)
        try coordinator.inContext { context in
            let nodes = try names.map { try context.insert("Node", ["name": $0]) }
            let pair = nodes.filter { ["p", "q"].contains($0.value(forKey: "name") as? String) }
            if pair.count == 2 { pair[0].setValue(pair[1], forKey: "partner") }
            try context.save()
        }
        try coordinator.inContext { context in
            let nodes = try context.all("Node", by: "name")
            for node in nodes { _ = node.one("partner") }
            try body(context, nodes)
        }
    }

    /// Has another context link a node and one that may be new.
    private func link(_ name: String, _ other: String, behind context: NSManagedObjectContext) throws {
        let coordinator = try #require(context.persistentStoreCoordinator)
        try coordinator.inContext { context in
            let owner = try #require(try context.named(name, "Node"))
            let end = try context.named(other, "Node") ?? context.insert("Node", ["name": other])
            end.setValue(owner, forKey: "partner")
            try context.save()
        }
    }

    /// The names of nodes and those of the nodes that their keys name.
    private var pairs: [String] {
        get throws {
            try folder.rows(
                """
                SELECT a.ZNAME || ' ' || ifnull(b.ZNAME, iif(a.ZPARTNER IS NULL, '-', '?')) FROM ZNODE a
                LEFT JOIN ZNODE b ON b.Z_PK = a.ZPARTNER ORDER BY a.ZNAME
                """
            ).map { String.fromDatabaseValue($0[0]) ?? "?" }
        }
    }

    @Test("Setting another partner clears the former partner that was not known")
    func partnerThatIsLeft() throws {
        try nodes("a", "d") { context, nodes in
            try link("a", "late", behind: context)
            let late = try #require(try context.named("late", "Node"))
            late.setValue(nodes[1], forKey: "partner")
            try context.save()
            #expect(nodes[0].one("partner") == nil)
        }
        #expect(try pairs == ["a -", "d late", "late d"])
    }

    @Test("Taking a partner away clears its former partner that was not known")
    func partnerThatIsTakenAway() throws {
        try nodes("a", "d") { context, nodes in
            try link("a", "late", behind: context)
            let late = try #require(try context.named("late", "Node"))
            nodes[1].setValue(late, forKey: "partner")
            try context.save()
        }
        #expect(try pairs == ["a -", "d late", "late d"])
    }

    @Test("Deleting an object clears a partner that was not known")
    func partnerOfADeletedNode() throws {
        try nodes("a") { context, nodes in
            try link("a", "late", behind: context)
            context.delete(try #require(try context.named("late", "Node")))
            try context.save()
            #expect(nodes[0].one("partner") == nil)
        }
        #expect(try pairs == ["a -"])
    }

    // MARK: Conflicts

    @Test("A partner lost in a conflict has no partner afterwards")
    func partnerLostInAConflict() throws {
        try nodes("a", "b", "c") { context, nodes in
            context.mergePolicy = NSMergePolicy.mergeByPropertyObjectTrump
            try link("b", "c", behind: context)
            nodes[1].setValue(nodes[0], forKey: "partner")
            try context.save()
            #expect(nodes.map { $0.one("partner") } == [nodes[1], nodes[0], nil])
        }
        #expect(try pairs == ["a b", "b a", "c -"])
    }

    @Test("Overwriting an item whose owner was deleted clears its owner")
    func overwriteOfADeletedOwner() throws {
        let coordinator = try folder.open(OwnerModel.model())
        try coordinator.inContext { context in
            _ = try context.owner("o", items: "a")
            try context.save()
        }
        try coordinator.inContext { context in
            context.mergePolicy = NSMergePolicy.overwrite
            let item = try context.only("Item")
            let owner = try #require(item.one("owner"))
            #expect(owner.names("items") == ["a"])
            try coordinator.inContext { other in
                other.delete(try other.only("Owner"))
                try other.save()
            }
            item.setValue("mine", forKey: "name")
            try context.save()
            #expect(item.one("owner") == nil)
        }
        #expect(try folder.value("SELECT COUNT(*) FROM ZITEM WHERE ZOWNER IS NOT NULL").description == "0")
    }

    @Test("Overwriting an object restores the partner that had left it")
    func overwriteRestoresThePartner() throws {
        try nodes("c", "p", "q") { context, nodes in
            context.mergePolicy = NSMergePolicy.overwrite
            try link("p", "c", behind: context)
            nodes[1].setValue("p2", forKey: "name")
            try context.save()
            #expect(nodes.map { $0.one("partner") } == [nil, nodes[2], nodes[1]])
        }
        #expect(try pairs == ["c -", "p2 q", "q p2"])
    }
}
