import CoreData
import Testing

/// Links between what one context deletes and what another links to it: whatever a merge policy makes of it, no key in the store
/// leads nowhere.
@Suite struct ConflictRelationshipTests {
    typealias Rival = ConflictTests.Rival

    private static let givingIn = [NSMergePolicy.mergeByPropertyStoreTrump, .rollback]
    private static let insisting = [NSMergePolicy.mergeByPropertyObjectTrump, .overwrite]

    private let folder: StoreFolder

    init() throws { folder = try StoreFolder() }

    /// Runs a block with an owner and an item, linked or not, in a context, after a rival has done something with its own.
    private func conflict(
        _ rival: Rival, _ policy: NSMergePolicy, linked: Bool = false,
        model: NSManagedObjectModel = OwnerModel.model(),
        here: (NSManagedObjectContext, _ owner: NSManagedObject, _ item: NSManagedObject) throws -> Void,
        there: (NSManagedObjectContext, _ owner: NSManagedObject, _ item: NSManagedObject) throws -> Void,
        _ body: (NSManagedObjectContext, _ owner: NSManagedObject, _ item: NSManagedObject) throws -> Void
    ) throws {
        let coordinator = try folder.open(model)
        let other = rival == .context ? coordinator : try folder.open(model)
        try coordinator.inContext { context in
            let owner = try context.insert("Owner", ["name": "o"])
            try context.insert("Item", linked ? ["name": "a", "owner": owner] : ["name": "a"])
            try context.save()
        }
        let context = coordinator.context()
        let (owner, item) = try context.performAndWait {
            context.mergePolicy = policy
            context.undoManager = UndoManager()
            let (owner, item) = (try context.only("Owner"), try context.only("Item"))
            _ = (owner.value(forKey: "name"), item.value(forKey: "name"))
            try here(context, owner, item)
            return (owner, item)
        }
        try other.inContext { context in
            try there(context, try context.only("Owner"), try context.only("Item"))
            try context.save()
        }
        try context.performAndWait { try body(context, owner, item) }
    }

    private func link(
        _ context: NSManagedObjectContext, _ owner: NSManagedObject, _ item: NSManagedObject
    ) { item.setValue(owner, forKey: "owner") }

    private func deleteOwner(
        _ context: NSManagedObjectContext, _ owner: NSManagedObject, _ item: NSManagedObject
    ) { context.delete(owner) }

    /// The keys of the owners, and those that the items have.
    private struct Keys: Equatable {
        var owners: [String] = []
        var ofItems: [String] = []
    }

    private func keys() throws -> Keys {
        func column(_ sql: String) throws -> [String] { try folder.rows(sql).map { $0[0].description } }
        return Keys(
            owners: try column("SELECT Z_PK FROM ZOWNER"), ofItems: try column("SELECT ZOWNER FROM ZITEM"))
    }

    private let null = "NULL"

    // MARK: Linked here, deleted there

    @Test(
        "Under a yielding policy, a reference to an owner deleted elsewhere becomes nil",
        arguments: Rival.allCases, givingIn)
    func referenceEndsWithItsOwner(_ rival: Rival, _ policy: NSMergePolicy) throws {
        try conflict(rival, policy, here: link, there: deleteOwner) { context, owner, item in
            try context.save()
            #expect(owner.managedObjectContext == nil)
            #expect(item.one("owner") == nil && !context.hasChanges)
        }
        #expect(try keys() == Keys(ofItems: [null]))
    }

    @Test(
        "Under an insisting policy, a new reference restores the owner deleted elsewhere",
        arguments: Rival.allCases, insisting)
    func ownerIsRestored(_ rival: Rival, _ policy: NSMergePolicy) throws {
        try conflict(rival, policy, here: link, there: deleteOwner) { context, owner, item in
            try context.save()
            #expect(item.one("owner") === owner && !owner.objectID.isTemporaryID && !context.hasChanges)
        }
        let keys = try keys()
        #expect(keys.owners.count == 1 && keys.owners == keys.ofItems)
    }

    @Test(
        "Under a yielding policy, the cascade of a deletion elsewhere deletes the item",
        arguments: Rival.allCases, givingIn)
    func itemIsDeletedInCascade(_ rival: Rival, _ policy: NSMergePolicy) throws {
        try conflict(
            rival, policy, model: OwnerModel.model(.cascadeDeleteRule), here: link, there: deleteOwner
        ) { context, _, item in
            try context.save()
            #expect(item.managedObjectContext == nil && !context.hasChanges)
        }
        #expect(try keys() == Keys())
    }

    /// An item that must have an owner cannot lose it: the save fails, and all is as it was.
    @Test(
        "A failed save restores the references that the conflict cleared", arguments: Rival.allCases, givingIn
    )
    func failedSaveRestoresReferences(_ rival: Rival, _ policy: NSMergePolicy) throws {
        let coordinator = try folder.open(OwnerModel.model(optionalOwner: false))
        let other = rival == .context ? coordinator : try folder.open(OwnerModel.model(optionalOwner: false))
        try coordinator.inContext { context in
            _ = try context.owner("o", items: "a")
            _ = try context.owner("p")
            try context.save()
        }
        try coordinator.inContext { context in
            context.mergePolicy = policy
            let item = try context.only("Item")
            let owner = try #require(try context.named("p", "Owner"))
            item.setValue(owner, forKey: "owner")
            try other.inContext { context in
                context.delete(try #require(try context.named("p", "Owner")))
                try context.save()
            }
            let refusal = try error { try context.save() }
            #expect(refusal.code == 1570)
            #expect(item.one("owner") === owner && owner.managedObjectContext === context)
            #expect(context.updatedObjects.contains(item) && context.deletedObjects.isEmpty)
            #expect(owner.names("items") == ["a"])
        }
    }

    @Test("Undo does not restore a reference to an object whose deletion was saved and cannot be undone")
    func undoneReferenceToADeletedObject() throws {
        let context = try folder.open(OwnerModel.model()).context()
        let (owner, item) = try context.performAndWait {
            context.undoManager = UndoManager()
            let owner = try context.insert("Owner", ["name": "o"])
            let item = try context.insert("Item", ["name": "a"])
            try context.save()
            return (owner, item)
        }
        context.performAndWait { item.setValue(owner, forKey: "owner") }
        context.performAndWait { item.setValue(nil, forKey: "owner") }
        try context.performAndWait {
            context.undoManager?.disableUndoRegistration()
            context.delete(owner)
            try context.save()
            context.undoManager?.enableUndoRegistration()
        }
        try context.performAndWait {
            context.undo()
            #expect(item.one("owner") == nil)
            try context.save()
        }
        #expect(try keys() == Keys(ofItems: [null]))
    }

    /// The fault of an owner that is found to be gone is a deleted object.
    @Test(
        "A reference to an inaccessible owner becomes nil under every policy",
        arguments: givingIn + insisting + [.error])
    func referenceToAnInaccessibleOwner(_ policy: NSMergePolicy) throws {
        try conflict(.context, policy, here: link, there: deleteOwner) { context, owner, item in
            context.refresh(owner, mergeChanges: false)
            #expect(owner.value(forKey: "name") == nil && owner.isDeleted)
            try context.save()
            #expect(item.one("owner") == nil && !context.hasChanges)
        }
        #expect(try keys() == Keys(ofItems: [null]))
    }

    /// Overwriting a row that lost its link makes none to the object that is gone.
    @Test(
        "An unchanged reference to an owner deleted elsewhere becomes nil", arguments: Rival.allCases,
        insisting)
    func unchangedReferenceEndsWithItsOwner(_ rival: Rival, _ policy: NSMergePolicy) throws {
        try conflict(
            rival, policy, linked: true,
            here: { _, owner, item in
                #expect(item.one("owner") === owner)
                item.setValue("mine", forKey: "name")
            }, there: deleteOwner
        ) { context, _, item in
            try context.save()
            #expect(item.one("owner") == nil && item.value(forKey: "name") as? String == "mine")
            #expect(!context.hasChanges)
        }
        #expect(try keys() == Keys(ofItems: [null]))
    }

    // MARK: Deleted here, linked there

    @Test(
        "A deletion here ends a reference made elsewhere", arguments: Rival.allCases,
        insisting + [.mergeByPropertyStoreTrump])
    func deletionEndsTheirReference(_ rival: Rival, _ policy: NSMergePolicy) throws {
        try conflict(rival, policy, here: deleteOwner, there: link) { context, _, item in
            try context.save()
            #expect(item.one("owner") == nil && !context.hasChanges)
        }
        #expect(try keys() == Keys(ofItems: [null]))
    }

    /// The context has not read what was linked.
    @Test(
        "A deletion here ends references of objects inserted elsewhere", arguments: Rival.allCases, insisting)
    func deletionEndsNewReferences(_ rival: Rival, _ policy: NSMergePolicy) throws {
        try conflict(
            rival, policy, here: deleteOwner,
            there: { context, owner, item in
                link(context, owner, item)
                try context.insert("Item", ["name": "new", "owner": owner])
            }
        ) { context, _, _ in
            try context.save()
            #expect(!context.hasChanges)
        }
        #expect(try keys() == Keys(ofItems: [null, null]))
    }

    @Test("A deletion here cascades to an item added elsewhere", arguments: Rival.allCases, insisting)
    func deletionCascades(_ rival: Rival, _ policy: NSMergePolicy) throws {
        try conflict(
            rival, policy, model: OwnerModel.model(.cascadeDeleteRule), here: deleteOwner, there: link
        ) { context, _, item in
            try context.save()
            #expect(item.managedObjectContext == nil && !context.hasChanges)
        }
        #expect(try keys() == Keys())
    }

    @Test("A deletion here is denied by an item added elsewhere", arguments: Rival.allCases, insisting)
    func deletionIsDenied(_ rival: Rival, _ policy: NSMergePolicy) throws {
        try conflict(
            rival, policy, model: OwnerModel.model(.denyDeleteRule), here: deleteOwner, there: link
        ) { context, owner, _ in
            let refusal = try error { try context.save() }
            #expect(refusal.code == 1600)
            #expect(owner.isDeleted && context.deletedObjects == [owner])
        }
        let keys = try keys()
        #expect(keys.owners.count == 1 && keys.owners == keys.ofItems)
    }

    @Test("A deletion reverted by rollback keeps the reference made elsewhere", arguments: Rival.allCases)
    func revertedDeletionKeepsTheirReference(_ rival: Rival) throws {
        try conflict(rival, .rollback, here: deleteOwner, there: link) { context, owner, _ in
            try context.save()
            #expect(owner.managedObjectContext === context && !owner.isDeleted && !context.hasChanges)
        }
        let keys = try keys()
        #expect(keys.owners.count == 1 && keys.owners == keys.ofItems)
    }

    /// The owner is read after the item was linked to it, and the item before: nothing is in conflict.
    @Test("A deletion ends references made since the items were read", arguments: Rival.allCases)
    func deletionEndsUnseenReferences(_ rival: Rival) throws {
        try conflict(rival, .error, here: { _, _, _ in }, there: link) { context, owner, item in
            context.refresh(owner, mergeChanges: false)
            context.stalenessInterval = 0
            #expect(item.one("owner") == nil && owner.value(forKey: "name") as? String == "o")
            context.delete(owner)
            try context.save()
            #expect(item.one("owner") == nil && !context.hasChanges)
        }
        #expect(try keys() == Keys(ofItems: [null]))
    }

    // MARK: Linked there, met before the save

    /// Ways to show what others saved.
    enum Meeting: CaseIterable {
        case refreshing, refreshingWithChanges, refreshingAll

        func take(_ context: NSManagedObjectContext, _ object: NSManagedObject) {
            switch self {
            case .refreshing: context.refresh(object, mergeChanges: false)
            case .refreshingWithChanges: context.refresh(object, mergeChanges: true)
            case .refreshingAll: context.refreshAllObjects()
            }
        }
    }

    @Test(
        "A refresh or merge of a deleted object ends references made elsewhere", arguments: Meeting.allCases)
    func refreshedDeletionEndsTheirReference(_ meeting: Meeting) throws {
        try conflict(.context, .error, here: deleteOwner, there: link) { context, owner, item in
            meeting.take(context, owner)
            context.processPendingChanges()
            #expect(owner.isDeleted && item.one("owner") == nil)
            try context.save()
            #expect(!context.hasChanges)
        }
        #expect(try keys() == Keys(ofItems: [null]))
    }

    /// The rules of a deletion that were applied to a link of others stay applied as long as the object is deleted.
    @Test("An undo does not restore a reference to a deleted object")
    func undoKeepsReferencesEnded() throws {
        try merging { context, owner, item in
            context.undo()
            #expect(owner.isDeleted && item.one("owner") == nil)
            try context.save()
            #expect(!context.hasChanges)
        }
        #expect(try keys() == Keys(ofItems: [null]))
    }

    @Test("An undone deletion restores the unsaved values")
    func undoneDeletionHasUnsavedValues() throws {
        try merging { context, owner, _ in
            context.undo()
            context.undo()
            #expect(!owner.isDeleted && owner.value(forKey: "name") as? String == "mine")
            try context.save()
        }
        #expect(try folder.value("SELECT ZNAME FROM ZOWNER").description == "\"mine\"")
    }

    /// An owner is renamed and deleted here, by two events; then a link that another made to it is merged.
    private func merging(
        _ body: (NSManagedObjectContext, _ owner: NSManagedObject, _ item: NSManagedObject) throws -> Void
    ) throws {
        func step(_ context: NSManagedObjectContext, _ change: () -> Void) {
            context.undoManager?.beginUndoGrouping()
            change()
            context.processPendingChanges()
            context.undoManager?.endUndoGrouping()
        }
        var saves: NotificationLog?
        try conflict(
            .context, .error,
            here: { context, owner, _ in
                context.undoManager?.groupsByEvent = false
                step(context) { owner.setValue("mine", forKey: "name") }
                step(context) { context.delete(owner) }
            },
            there: { context, owner, item in
                saves = NotificationLog(.NSManagedObjectContextDidSave, from: context)
                item.setValue(owner, forKey: "owner")
            }
        ) { context, owner, item in
            let saved = try #require(saves?.all.first)
            step(context) { context.mergeChanges(fromContextDidSave: saved) }
            #expect(owner.isDeleted && item.one("owner") == nil)
            try body(context, owner, item)
        }
    }

    // MARK: One to one

    /// A badge that is given to one node here and to another there is that one's.
    @Test(
        "A badge assigned to two nodes belongs to one of them after the conflict", arguments: Rival.allCases,
        givingIn)
    func oneToOneHasOnePartner(_ rival: Rival, _ policy: NSMergePolicy) throws {
        let coordinator = try folder.open(Graph.model())
        let other = rival == .context ? coordinator : try folder.open(Graph.model())
        func give(_ context: NSManagedObjectContext, _ uid: Int) throws {
            let nodes = try context.all("Node", by: "uid")
            _ = nodes.map { $0.one("badge") }
            try context.only("Badge").setValue(nodes[uid], forKey: "node")
        }
        try coordinator.inContext { context in
            for uid in 0..<2 { try context.insert("Node", ["uid": uid]) }
            try context.insert("Badge", ["uid": 2])
            try context.save()
        }
        let context = coordinator.context()
        try context.performAndWait {
            context.mergePolicy = policy
            context.retainsRegisteredObjects = true
            try give(context, 0)
        }
        try other.inContext { context in
            try give(context, 1)
            try context.save()
        }
        try context.performAndWait {
            try context.save()
            let badge = try context.only("Badge")
            let nodes = try context.all("Node", by: "uid")
            #expect(badge.one("node") === nodes[1] && nodes[1].one("badge") === badge)
            #expect(nodes[0].one("badge") == nil && !context.hasChanges)
        }
        try coordinator.inContext { context in
            let holders = try context.all("Node", where: NSPredicate(format: "badge != nil"))
            #expect(holders.map { $0.value(forKey: "uid") as? Int } == [1])
        }
    }

    // MARK: Both gone there

    @Test("An item restored without its deleted owner has no owner", arguments: Rival.allCases, insisting)
    func restoredItemWithoutItsOwner(_ rival: Rival, _ policy: NSMergePolicy) throws {
        try conflict(
            rival, policy, linked: true, here: { $2.setValue("mine", forKey: "name") },
            there: { context, owner, item in
                context.delete(item)
                context.delete(owner)
            }
        ) { context, _, item in
            try context.save()
            #expect(item.one("owner") == nil && item.value(forKey: "name") as? String == "mine")
            #expect(!context.hasChanges)
        }
        #expect(try keys() == Keys(ofItems: [null]))
    }

    @Test("An item and an owner restored together are related", arguments: Rival.allCases, insisting)
    func restoredTogether(_ rival: Rival, _ policy: NSMergePolicy) throws {
        try conflict(
            rival, policy, linked: true,
            here: { _, owner, item in
                for object in [owner, item] { object.setValue("mine", forKey: "name") }
            },
            there: { context, owner, item in
                context.delete(item)
                context.delete(owner)
            }
        ) { context, owner, item in
            try context.save()
            #expect(item.one("owner") === owner && !context.hasChanges)
        }
        let keys = try keys()
        #expect(keys.owners.count == 1 && keys.owners == keys.ofItems)
    }

    // MARK: The members afterwards

    /// `items` of an owner whose row they changed, too.
    @Test(
        "An item removed elsewhere is not a member of its overwritten owner", arguments: Rival.allCases,
        insisting)
    func memberRemovedElsewhere(_ rival: Rival, _ policy: NSMergePolicy) throws {
        try conflict(
            rival, policy, linked: true,
            here: { _, owner, item in
                #expect(owner.many("items") == [item])
                owner.setValue("mine", forKey: "name")
            },
            there: { _, owner, item in
                owner.setValue("theirs", forKey: "name")
                item.setValue(nil, forKey: "owner")
            }
        ) { context, owner, _ in
            try context.save()
            #expect(owner.many("items").isEmpty && owner.value(forKey: "name") as? String == "mine")
        }
        #expect(try keys() == Keys(owners: ["1"], ofItems: [null]))
    }

    @Test("A restored item is a member of its overwritten owner", arguments: Rival.allCases, insisting)
    func restoredItemIsAMember(_ rival: Rival, _ policy: NSMergePolicy) throws {
        try conflict(
            rival, policy, linked: true,
            here: { _, owner, item in
                #expect(owner.many("items") == [item])
                for object in [owner, item] { object.setValue("mine", forKey: "name") }
            },
            there: { context, owner, item in
                owner.setValue("theirs", forKey: "name")
                context.delete(item)
            }
        ) { context, owner, item in
            try context.save()
            #expect(owner.many("items") == [item] && item.one("owner") === owner)
            #expect(!context.hasChanges)
        }
        #expect(try keys() == Keys(owners: ["1"], ofItems: ["1"]))
    }
}
