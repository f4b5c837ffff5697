import CoreData
import Testing

/// Two contexts of one coordinator change the same objects; the merge policies resolve that alike on every store type.
@Suite struct ConflictConformanceTests {
    /// What a policy makes of an item whose name both have changed and whose note the other has, of an item that the other has
    /// deleted, and of a deletion of an item that the other has renamed.
    struct Outcome: Sendable {
        let policy: NSMergePolicy
        let name: String
        let note: String
        let comesBack: Bool
        let staysDeleted: Bool
    }

    private static let outcomes = [
        Outcome(
            policy: .mergeByPropertyObjectTrump, name: "mine", note: "theirs", comesBack: true,
            staysDeleted: true),
        Outcome(
            policy: .mergeByPropertyStoreTrump, name: "theirs", note: "theirs", comesBack: false,
            staysDeleted: true),
        Outcome(policy: .overwrite, name: "mine", note: "old", comesBack: true, staysDeleted: true),
        Outcome(policy: .rollback, name: "theirs", note: "theirs", comesBack: false, staysDeleted: false),
    ]

    private static let kinds = StoreKind.allCases

    private static let model: NSManagedObjectModel = {
        let owner = NSEntityDescription("Owner", attribute("name", .string))
        let item = NSEntityDescription("Item", attribute("name", .string), attribute("note", .string))
        pair(
            owner.relate("items", to: item, many: true, ordered: true, rule: .cascadeDeleteRule),
            item.relate("owner", to: owner))
        return NSManagedObjectModel(of: owner, item)
    }()

    /// Runs a block with the owners first and second, and the items of the first, after another context has
    /// changed them and saved; then saves, and returns the content of the store: owners, and items with
    /// notes, as `name(item note, …)`.
    private func resolve(
        _ kind: StoreKind, _ policy: NSMergePolicy,
        theirs: (_ owners: [NSManagedObject], _ items: [NSManagedObject]) throws -> Void,
        mine: (_ owners: [NSManagedObject], _ items: [NSManagedObject]) throws -> Void
    ) throws -> [String] {
        let store = try ConformanceStore(kind)
        let coordinator = try store.open(Self.model)
        try coordinator.inContext { context in
            let owner = try context.insert("Owner", ["name": "1"])
            try context.insert("Owner", ["name": "2"])
            try context.insert("Owner", ["name": "3"])
            let items = try ["a", "b"].map { try context.insert("Item", ["name": $0, "note": "old"]) }
            owner.setValue(NSOrderedSet(array: items), forKey: "items")
            try context.save()
        }
        func objects(_ context: NSManagedObjectContext) throws -> ([NSManagedObject], [NSManagedObject]) {
            (try context.all("Owner", by: "name"), try context.all("Item", by: "name"))
        }
        func shown(_ context: NSManagedObjectContext) throws -> [String] {
            try context.all("Owner", by: "name").map { owner in
                let items = (owner.value(forKey: "items") as? NSOrderedSet)?.array ?? []
                let names = items.compactMap { $0 as? NSManagedObject }.map {
                    "\($0.value(forKey: "name") ?? "-") \($0.value(forKey: "note") ?? "-")"
                }
                return "\(owner.value(forKey: "name") ?? "-")(\(names.joined(separator: ", ")))"
            }
        }
        let here = try coordinator.inContext { context in
            context.mergePolicy = policy
            context.retainsRegisteredObjects = true
            let (owners, items) = try objects(context)
            #expect(try shown(context) == ["1(a old, b old)", "2()", "3()"])
            try coordinator.inContext { other in
                let (owners, items) = try objects(other)
                try theirs(owners, items)
                try other.save()
            }
            try mine(owners, items)
            try context.save()
            #expect(!context.hasChanges)
            context.refreshAllObjects()
            return try shown(context)
        }
        let again = kind.isLasting ? try store.open(Self.model) : coordinator
        #expect(try again.inContext(shown) == here)
        return here
    }

    @Test("Merge policies resolve conflicting attributes", arguments: kinds, outcomes)
    func valuesAreResolvedByProperty(_ kind: StoreKind, _ outcome: Outcome) throws {
        let found = try resolve(kind, outcome.policy) { _, items in
            items[0].setValue("theirs", forKey: "name")
            items[0].setValue("theirs", forKey: "note")
        } mine: { _, items in
            items[0].setValue("mine", forKey: "name")
        }
        #expect(found == ["1(\(outcome.name) \(outcome.note), b old)", "2()", "3()"])
    }

    @Test("Merge policies resolve conflicting relationships at both ends", arguments: kinds, outcomes)
    func relationshipsAreResolvedAtBothEnds(_ kind: StoreKind, _ outcome: Outcome) throws {
        let found = try resolve(kind, outcome.policy) { owners, items in
            items[0].setValue(owners[1], forKey: "owner")
        } mine: { owners, items in
            items[0].setValue(owners[2], forKey: "owner")
        }
        #expect(
            found
                == (outcome.name == "mine"
                    ? ["1(b old)", "2()", "3(a old)"] : ["1(b old)", "2(a old)", "3()"]))
    }

    @Test("Merge policies restore or drop an object that was deleted elsewhere", arguments: kinds, outcomes)
    func deletedElsewhere(_ kind: StoreKind, _ outcome: Outcome) throws {
        let found = try resolve(kind, outcome.policy) { _, items in
            items[0].managedObjectContext?.delete(items[0])
        } mine: { owners, items in
            items[0].setValue("mine", forKey: "name")
            items[0].setValue(owners[1], forKey: "owner")
        }
        #expect(found == ["1(b old)", outcome.comesBack ? "2(mine old)" : "2()", "3()"])
    }

    @Test(
        "Merge policies apply or revert the deletion of an object that was changed elsewhere",
        arguments: kinds, outcomes)
    func deletionAgainstAChange(_ kind: StoreKind, _ outcome: Outcome) throws {
        let found = try resolve(kind, outcome.policy) { _, items in
            items[0].setValue("theirs", forKey: "name")
        } mine: { _, items in
            items[0].managedObjectContext?.delete(items[0])
        }
        #expect(found == [outcome.staysDeleted ? "1(b old)" : "1(theirs old, b old)", "2()", "3()"])
    }

    /// An object that the other context has linked to a deleted owner is deleted with it, too.
    @Test(
        "A deletion that wins cascades to objects that were added elsewhere", arguments: kinds,
        outcomes.filter(\.staysDeleted))
    func deletionEndsReferencesMadeElsewhere(_ kind: StoreKind, _ outcome: Outcome) throws {
        let found = try resolve(kind, outcome.policy) { owners, items in
            items[0].setValue(owners[1], forKey: "owner")
        } mine: { owners, _ in
            owners[1].managedObjectContext?.delete(owners[1])
        }
        #expect(found == ["1(b old)", "3()"])
    }

    @Test("The error policy fails the save", arguments: kinds)
    func errorPolicy(_ kind: StoreKind) throws {
        let found = try error {
            _ = try resolve(kind, .error) { _, items in
                items[0].setValue("theirs", forKey: "name")
            } mine: { _, items in
                items[0].setValue("mine", forKey: "name")
            }
        }
        #expect(found.code == 133020)
    }
}
