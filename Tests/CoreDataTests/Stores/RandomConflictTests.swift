import CoreData
import TestSupport
import Testing

/// Random edits of several contexts of two coordinators, which merge some of each other's saves, saved with
/// random merge policies. After each save every link in the store leads to an object, and both ends of each
/// agree. The contexts may be pinned to generations. The seed of a failed walk is printed; the environment
/// variable CONFLICT_SEED repeats it.
@Suite struct RandomConflictTests {
    private final class Walk {
        private let coordinators: [NSPersistentStoreCoordinator]
        private var contexts: [NSManagedObjectContext]
        private let folder: StoreFolder
        private var numbers: SeededNumbers
        private let isPinned: Bool
        private let seed: UInt64
        private var log: [String] = []
        private(set) var saves = 0
        private(set) var resolutions = 0

        private static let policies = [
            NSMergePolicy.mergeByPropertyObjectTrump, .mergeByPropertyStoreTrump, .overwrite, .rollback,
        ]

        init(seed: UInt64, pinned: Bool) throws {
            numbers = SeededNumbers(seed: seed)
            isPinned = pinned
            self.seed = seed
            let folder = try StoreFolder()
            self.folder = folder
            coordinators = try (0..<2).map { _ in try folder.open(Graph.model()) }
            contexts = [coordinators[0], coordinators[0], coordinators[1]].map { $0.context() }
        }

        private func pick<Element>(_ elements: [Element]) -> Element? {
            elements.randomElement(using: &numbers)
        }
        private func oneIn(_ count: Int) -> Bool { Int.random(in: 0..<count, using: &numbers) == 0 }

        func step() throws {
            let number = Int.random(in: contexts.indices, using: &numbers)
            log = log.suffix(60) + ["context \(number)"]
            if oneIn(12) {
                contexts[number] = coordinators[number / 2].context()
                log.append("is new")
            }
            let context = contexts[number]
            try context.performAndWait {
                context.retainsRegisteredObjects = true
                if isPinned, context.queryGenerationToken == nil || oneIn(8) {
                    log.append("pinned")
                    try context.setQueryGenerationFrom(.current)
                }
                for _ in 0..<Int.random(in: 1...3, using: &numbers) { try edit(context) }
                context.processPendingChanges()
                guard oneIn(2), context.hasChanges else { return }
                try save(context)
            }
        }

        private func edit(_ context: NSManagedObjectContext) throws {
            let objects = try Graph.roots.flatMap { try context.all($0, by: "uid") }
            guard objects.count > 6, let object = pick(objects) else { return try insert(context) }
            let kind = Int.random(in: 0..<10, using: &numbers)
            switch kind {
            case 0: if objects.count < 24 { try insert(context) }
            case 1, 2:
                log.append("delete \(name(object))")
                context.delete(object)
                context.processPendingChanges()
            case 3:
                log.append("rename \(name(object))")
                object.setValue("r", forKey: "name")
            case 4 where oneIn(2): refresh(object)
            default: link(object, objects)
            }
        }

        private func refresh(_ object: NSManagedObject) {
            let merging = oneIn(2)
            log.append("refresh \(name(object))\(merging ? ", keeping changes" : "")")
            object.managedObjectContext?.refresh(object, mergeChanges: merging)
        }

        private func name(_ object: NSManagedObject) -> String {
            "\(object.entity.name ?? "") \(object.value(forKey: "uid") ?? "")"
        }

        private func insert(_ context: NSManagedObjectContext) throws {
            let entity = pick(["Node", "Node", "Leaf", "Tag", "Tag", "Badge", "Step", "Guard"]) ?? "Node"
            let uid = Int.random(in: 1..<1_000_000, using: &numbers)
            log.append("insert \(entity) \(uid)")
            try context.insert(entity, ["uid": uid])
        }

        /// Makes or ends a link of a relationship that both ends know.
        private func link(_ object: NSManagedObject, _ objects: [NSManagedObject]) {
            var all = object.entity.relationshipsByName.values.filter { $0.inverseRelationship != nil }
            // Both rows keep a link from one to one: what is hardest to resolve.
            let pairs = all.filter(Self.isPair)
            if !pairs.isEmpty, oneIn(2) { all = pairs }
            guard let relationship = pick(all.sorted { $0.name < $1.name }),
                let entity = relationship.destinationEntity,
                let destination = pick(objects.filter { $0.entity.isKindOf(entity: entity) })
            else { return }
            let isEnd = oneIn(4)
            log.append(
                "\(isEnd ? "unlink" : "link") \(name(object)).\(relationship.name) \(name(destination))")
            switch (relationship.isToMany, relationship.isOrdered) {
            case (false, _): object.setValue(isEnd ? nil : destination, forKey: relationship.name)
            case (true, true):
                let set = object.mutableOrderedSetValue(forKey: relationship.name)
                isEnd ? set.remove(destination) : set.add(destination)
            case (true, false):
                let set = object.mutableSetValue(forKey: relationship.name)
                isEnd ? set.remove(destination) : set.add(destination)
            }
        }

        private static func isPair(_ relationship: NSRelationshipDescription) -> Bool {
            !relationship.isToMany && relationship.inverseRelationship?.isToMany == false
        }

        /// Counts what it resolves.
        private final class Counting: NSMergePolicy, @unchecked Sendable {
            private(set) var count = 0

            override func resolve(optimisticLockingConflicts list: [NSMergeConflict]) throws {
                count += list.count
                try super.resolve(optimisticLockingConflicts: list)
            }
        }

        private func save(_ context: NSManagedObjectContext) throws {
            let policy = Counting(merge: (pick(Self.policies) ?? .rollback).mergeType)
            context.mergePolicy = policy
            log.append("save, policy \(policy.mergeType.rawValue)")
            let saved = NotificationLog(.NSManagedObjectContextDidSave, from: context)
            do {
                try context.save()
            } catch let error as NSError where [1560, 1600].contains(error.code) {
                // What has guards may not go.
                context.rollback()
                return
            }
            saves += 1
            resolutions += policy.count
            try #require(!context.hasChanges, "the context has changes after a save: \(log)")
            try check()
            for other in contexts where other !== context && oneIn(2) {
                guard other.persistentStoreCoordinator === context.persistentStoreCoordinator else {
                    continue
                }
                log.append("merged")
                other.performAndWait {
                    for notification in saved.all { other.mergeChanges(fromContextDidSave: notification) }
                }
            }
        }

        private func check() throws {
            try coordinators[0].inContext { context in
                for object in try Graph.roots.flatMap({ try context.all($0) }) {
                    for (key, relationship) in object.entity.relationshipsByName
                    where relationship.inverseRelationship != nil {
                        for id in object.objectIDs(forRelationshipNamed: key) {
                            let isThere = (try? context.existingObject(with: id)) != nil
                            try #require(
                                isThere, "CONFLICT_SEED=\(seed): \(name(object)).\(key) leads nowhere: \(log)"
                            )
                        }
                        guard Self.isPair(relationship), let inverse = relationship.inverseRelationship,
                            let partner = object.one(key)
                        else { continue }
                        try #require(
                            partner.one(inverse.name) === object,
                            "\(name(object)).\(key) is \(name(partner)), which does not lead back: \(log)")
                    }
                }
            }
        }
    }

    @Test(
        "Every reference leads to an object and back after random conflicts", arguments: 1...3, [false, true])
    func referencesAreValid(_ seed: UInt64, pinned: Bool) throws {
        for number in 0..<Fuzzing.rounds(1) {
            try walk(Fuzzing.seed(seed + 1000 * UInt64(number), givenBy: "CONFLICT_SEED"), pinned)
        }
    }

    /// Walks that once went wrong.
    @Test(
        "Every reference leads to an object and back for seeds that failed before",
        arguments: [
            16_062_506_512_883_212_381, 16_795_061_872_882_676_718, 6_035_245_323_547_026_686,
            2_981_842_561_249_769_702, 4_202_025_568_868_186_079,
        ] as [UInt64], [false, true])
    func formerFailures(_ seed: UInt64, pinned: Bool) throws { try walk(seed, pinned) }

    private func walk(_ seed: UInt64, _ isPinned: Bool) throws {
        let walk = try Walk(seed: seed, pinned: isPinned)
        do {
            for _ in 0..<200 { try walk.step() }
        } catch {
            Issue.record("CONFLICT_SEED=\(seed): \(error)")
            return
        }
        #expect(walk.saves > 10 && walk.resolutions > 5)
    }
}
