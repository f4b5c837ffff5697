import CoreData
import Testing

/// Rows that others changed since they were read: by another context, or behind another coordinator.
@Suite(.onEveryStore) struct ConflictTests {
    /// Who was faster.
    enum Rival: CaseIterable, Sendable {
        /// Another context of the same coordinator: the row cache knows what it saved.
        case context
        /// A context of another coordinator, as in another process: only the file knows.
        case coordinator

        /// Whether stores of the type can have one: documents belong to one coordinator.
        var exists: Bool { self == .context || StoreKind.current == .sqlite }
    }

    private static func model() -> NSManagedObjectModel {
        let owner = NSEntityDescription("Owner", attribute("name", .string))
        let item = NSEntityDescription(
            "Item", attribute("name", .string), attribute("note", .string), attribute("amount", .decimal),
            Library.transient("fleeting", .string))
        if StoreKind.current.derives { item.add(derived("changed", .date, "now()")) }
        pair(owner.relate("items", to: item, many: true), item.relate("owner", to: owner))
        return NSManagedObjectModel(of: owner, item)
    }

    private let store: ConformanceStore
    private let coordinator: NSPersistentStoreCoordinator
    private let other: NSPersistentStoreCoordinator

    init() throws {
        store = try ConformanceStore(.current)
        coordinator = try store.open(Self.model())
        other = Rival.coordinator.exists ? try store.open(Self.model()) : coordinator
        try coordinator.inContext { context in
            let owner = try context.insert("Owner", ["name": "first"])
            try context.insert("Owner", ["name": "second"])
            try context.insert("Item", ["name": "old", "note": "old", "owner": owner])
            try context.save()
        }
    }

    /// Runs a block with the item in a context, after a rival has changed it as another block says.
    private func conflict(
        _ rival: Rival, _ policy: NSMergePolicy = .error,
        rival change: (NSManagedObjectContext, NSManagedObject) throws -> Void,
        _ body: (NSManagedObjectContext, NSManagedObject) throws -> Void
    ) throws {
        try coordinator.inContext { context in
            context.mergePolicy = policy
            let item = try context.only("Item")
            _ = item.value(forKey: "name")
            try (rival == .context ? coordinator : other).inContext { context in
                try change(context, try context.only("Item"))
                try context.save()
            }
            try body(context, item)
        }
    }

    private func rename(_ context: NSManagedObjectContext, _ item: NSManagedObject) {
        item.setValue("theirs", forKey: "name")
    }

    /// Runs a block in a context that reads what was saved: with a coordinator of its own, if that is not in memory.
    private func inStore<Value>(_ body: (NSManagedObjectContext) throws -> Value) throws -> Value {
        try (store.kind.isLasting ? try store.open(Self.model()) : coordinator).inContext(body)
    }

    /// Checks what the store has of the only item.
    ///
    /// - Parameter version: how often it was written, which the rows of SQLite tell.
    private func expectStored(
        _ name: String?, _ note: String?, version: Int? = nil, _ location: SourceLocation = #_sourceLocation
    ) throws {
        try inStore { context in
            let item = try context.only("Item")
            #expect([text(item, "name"), text(item, "note")] == [name, note], sourceLocation: location)
        }
        guard let version, store.kind == .sqlite else { return }
        let stored = try store.folder.value("SELECT Z_OPT FROM ZITEM")
        #expect(stored.storage.value as? Int64 == Int64(version), sourceLocation: location)
    }

    private func storedCount(_ entity: String) throws -> Int { try inStore { try $0.all(entity).count } }

    private func text(_ object: NSManagedObject, _ key: String) -> String? {
        object.value(forKey: key) as? String
    }

    // MARK: The error policy

    @Test("The error policy fails the save with the conflict and its snapshots", arguments: Rival.allCases)
    func saveFailsWithTheConflict(_ rival: Rival) throws {
        guard rival.exists else { return }
        try conflict(rival, rival: rename) { context, item in
            item.setValue("mine", forKey: "name")
            item.setValue(NSDecimalNumber(string: "1.5"), forKey: "amount")
            let refusal = try error { try context.save() }
            #expect(refusal.domain == NSCocoaErrorDomain && refusal.code == 133020)
            let conflicts = try #require(
                refusal.userInfo[NSPersistentStoreSaveConflictsErrorKey] as? [NSMergeConflict])
            try #require(conflicts.count == 1)
            let conflict = conflicts[0]
            #expect(conflict.sourceObject === item)
            #expect(conflict.oldVersionNumber == 1 && conflict.newVersionNumber == 2)
            #expect(conflict.objectSnapshot?["name"] as? String == "mine")
            #expect(conflict.objectSnapshot?["amount"] as? NSDecimalNumber == NSDecimalNumber(string: "1.5"))
            #expect(conflict.objectSnapshot?["owner"] is NSManagedObjectID)
            let keys = ["amount", "changed", "name", "note", "owner"]
            #expect(
                conflict.objectSnapshot?.keys.sorted()
                    == keys.filter { store.kind.derives || $0 != "changed" })
            if rival == .context {
                #expect(conflict.cachedSnapshot?["name"] as? String == "theirs")
                #expect(conflict.persistedSnapshot == nil)
            } else {
                #expect(conflict.cachedSnapshot?["name"] as? String == "old")
                #expect(conflict.cachedSnapshot?["amount"] is NSNull)
                #expect(conflict.persistedSnapshot?["name"] as? String == "theirs")
                #expect(conflict.persistedSnapshot?["owner"] is NSManagedObjectID)
            }

            // Nothing is lost on either side.
            #expect(text(item, "name") == "mine" && item.hasChanges)
            try expectStored("theirs", "old", version: 2)

            // After a refresh the save goes through.
            context.refresh(item, mergeChanges: true)
            #expect(text(item, "name") == "mine")
            try context.save()
            try expectStored("mine", "old", version: 3)
        }
    }

    @Test("A conflict makes the whole save fail", arguments: Rival.allCases)
    func conflictFailsTheWholeSave(_ rival: Rival) throws {
        guard rival.exists else { return }
        try conflict(rival, rival: rename) { context, item in
            item.setValue("mine", forKey: "name")
            try context.insert("Item", ["name": "new"])
            context.delete(try context.all("Owner", where: NSPredicate(format: "name == 'second'"))[0])
            #expect(try error { try context.save() }.code == 133020)
            try expectStored("theirs", "old", version: 2)
            #expect(try storedCount("Owner") == 2)
            #expect(context.insertedObjects.count == 1 && context.deletedObjects.count == 1)
        }
    }

    @Test("Deleting a row that was changed elsewhere is a conflict", arguments: Rival.allCases)
    func deletingAChangedRow(_ rival: Rival) throws {
        guard rival.exists else { return }
        try conflict(rival, rival: rename) { context, item in
            context.delete(item)
            let refusal = try error { try context.save() }
            #expect(refusal.code == 133020)
            let conflict = try #require(
                (refusal.userInfo[NSPersistentStoreSaveConflictsErrorKey] as? [NSMergeConflict])?.first)
            #expect(conflict.objectSnapshot == nil)
            #expect(conflict.newVersionNumber == 2)
            #expect(item.isDeleted)
        }
    }

    @Test("Changing a row that was deleted elsewhere is a conflict", arguments: Rival.allCases)
    func changingADeletedRow(_ rival: Rival) throws {
        guard rival.exists else { return }
        try conflict(rival, rival: { $0.delete($1) }) { context, item in
            item.setValue("mine", forKey: "name")
            let refusal = try error { try context.save() }
            #expect(refusal.code == 133020)
            let conflict = try #require(
                (refusal.userInfo[NSPersistentStoreSaveConflictsErrorKey] as? [NSMergeConflict])?.first)
            #expect(conflict.newVersionNumber == 0 && conflict.oldVersionNumber == 1)
            #expect(conflict.persistedSnapshot == nil)
            #expect((conflict.cachedSnapshot == nil) == (rival == .context))
        }
    }

    @Test("Deleting a row that was deleted elsewhere is not a conflict", arguments: Rival.allCases)
    func deletingADeletedRow(_ rival: Rival) throws {
        guard rival.exists else { return }
        let second = NSPredicate(format: "name == 'second'")
        try coordinator.inContext { context in
            let owner = try context.all("Owner", where: second)[0]
            try (rival == .context ? coordinator : other).inContext { context in
                context.delete(try context.all("Owner", where: second)[0])
                try context.save()
            }
            context.delete(owner)
            try context.save()
            #expect(!context.hasChanges)
        }
        #expect(try storedCount("Owner") == 1)
    }

    @Test("Changes of different objects do not conflict", arguments: Rival.allCases)
    func differentObjectsDoNotConflict(_ rival: Rival) throws {
        guard rival.exists else { return }
        try conflict(rival, rival: rename) { context, item in
            let owner = try context.all("Owner", by: "name")[1]
            owner.setValue("renamed", forKey: "name")
            try context.save()
            #expect(text(item, "name") == "old")
        }
    }

    @Test("detectConflicts(for:) compares an unchanged object at the save", arguments: Rival.allCases)
    func detectConflicts(_ rival: Rival) throws {
        guard rival.exists else { return }
        try conflict(rival, rival: rename) { context, item in
            context.detectConflicts(for: item)
            try context.insert("Owner", ["name": "third"])
            for _ in 0..<2 {
                let refusal = try error { try context.save() }
                #expect(refusal.code == 133020)
                let conflicts = refusal.userInfo[NSPersistentStoreSaveConflictsErrorKey] as? [NSMergeConflict]
                #expect(conflicts?.map(\.sourceObject) == [item])
                #expect(conflicts?.first?.newVersionNumber == 2)
            }
            #expect(try storedCount("Owner") == 2)
            context.mergePolicy = NSMergePolicy.mergeByPropertyObjectTrump
            try context.save()
            #expect(text(item, "name") == "theirs" && !context.hasChanges)
            #expect(try storedCount("Owner") == 3)
            try expectStored("theirs", "old", version: 2)
        }
    }

    @Test("detectConflicts(for:) holds for one save")
    func detectionHoldsForOneSave() throws {
        try coordinator.inContext { context in
            let item = try context.only("Item")
            context.detectConflicts(for: item)
            try context.insert("Owner", ["name": "third"])
            try context.save()
            try coordinator.inContext { other in
                try other.only("Item").setValue("theirs", forKey: "name")
                try other.save()
            }
            try context.insert("Owner", ["name": "fourth"])
            try context.save()
        }
        try expectStored("theirs", "old", version: 2)
    }

    @Test("Transient changes do not conflict")
    func transientChangesDoNotConflict() throws {
        try conflict(.context, rival: rename) { context, item in
            item.setValue("mine", forKey: "fleeting")
            try context.save()
        }
    }

    // MARK: The other policies

    /// Mine: name. Theirs: name and note.
    ///
    /// - Parameter version: how often the row is written.
    private func resolve(_ rival: Rival, _ policy: NSMergePolicy, version: Int) throws -> (
        name: String?, note: String?
    ) {
        var shown: (String?, String?) = (nil, nil)
        try conflict(
            rival, policy,
            rival: { context, item in
                item.setValue("theirs", forKey: "name")
                item.setValue("theirs", forKey: "note")
            }
        ) { context, item in
            item.setValue("mine", forKey: "name")
            try context.save()
            #expect(!context.hasChanges && !item.hasChanges)
            shown = (text(item, "name"), text(item, "note"))
            // What is shown is what is stored, and the next save works.
            item.setValue("later", forKey: "note")
            try context.save()
        }
        try expectStored(shown.0, "later", version: version)
        return shown
    }

    @Test(
        "The object-trump policy keeps own changes and merges the other stored values",
        arguments: Rival.allCases)
    func objectTrump(_ rival: Rival) throws {
        guard rival.exists else { return }
        let resolved = try resolve(rival, .mergeByPropertyObjectTrump, version: 4)
        #expect(resolved.name == "mine" && resolved.note == "theirs")
    }

    @Test("The store-trump policy replaces own changes by the stored values", arguments: Rival.allCases)
    func storeTrump(_ rival: Rival) throws {
        guard rival.exists else { return }
        let resolved = try resolve(rival, .mergeByPropertyStoreTrump, version: 3)
        #expect(resolved.name == "theirs" && resolved.note == "theirs")
    }

    @Test(
        "The store-trump policy keeps changes of properties that others left alone", arguments: Rival.allCases
    )
    func storeTrumpKeepsOtherChanges(_ rival: Rival) throws {
        guard rival.exists else { return }
        try conflict(rival, .mergeByPropertyStoreTrump, rival: rename) { context, item in
            item.setValue("mine", forKey: "name")
            item.setValue("mine", forKey: "note")
            try context.save()
            #expect(text(item, "name") == "theirs" && text(item, "note") == "mine")
        }
        try expectStored("theirs", "mine", version: 3)
    }

    @Test("The overwrite policy writes all values of the object", arguments: Rival.allCases)
    func overwrite(_ rival: Rival) throws {
        guard rival.exists else { return }
        let resolved = try resolve(rival, .overwrite, version: 4)
        #expect(resolved.name == "mine" && resolved.note == "old")
    }

    @Test("The rollback policy discards the object's changes", arguments: Rival.allCases)
    func rollback(_ rival: Rival) throws {
        guard rival.exists else { return }
        let resolved = try resolve(rival, .rollback, version: 3)
        #expect(resolved.name == "theirs" && resolved.note == "theirs")
    }

    @Test("The object-trump policy merges a relationship changed elsewhere", arguments: Rival.allCases)
    func relationshipsAreResolved(_ rival: Rival) throws {
        guard rival.exists else { return }
        func setOwner(_ context: NSManagedObjectContext, _ item: NSManagedObject, _ name: String?) throws {
            let owners = try context.all("Owner", where: NSPredicate(format: "name == %@", name ?? ""))
            item.setValue(owners.first, forKey: "owner")
        }
        try conflict(rival, .mergeByPropertyObjectTrump, rival: { try setOwner($0, $1, "second") }) {
            context, item in
            item.setValue("mine", forKey: "name")
            try context.save()
            #expect((item.value(forKey: "owner") as? NSManagedObject).map { text($0, "name") } == "second")
        }
        try inStore { context in
            let item = try context.only("Item")
            #expect(text(item, "name") == "mine")
            #expect((item.value(forKey: "owner") as? NSManagedObject).map { text($0, "name") } == "second")
        }
    }

    @Test(
        "Object-trump and overwrite policies restore a row deleted elsewhere", arguments: Rival.allCases,
        [NSMergePolicy.mergeByPropertyObjectTrump, .overwrite])
    func deletedRowIsRestored(_ rival: Rival, _ policy: NSMergePolicy) throws {
        guard rival.exists else { return }
        try conflict(rival, policy, rival: { $0.delete($1) }) { context, item in
            item.setValue("mine", forKey: "name")
            try context.save()
            #expect(!item.objectID.isTemporaryID && !context.hasChanges)
        }
        try expectStored("mine", "old")
    }

    @Test(
        "Store-trump and rollback policies drop an object deleted elsewhere", arguments: Rival.allCases,
        [NSMergePolicy.mergeByPropertyStoreTrump, .rollback])
    func deletedRowStaysDeleted(_ rival: Rival, _ policy: NSMergePolicy) throws {
        guard rival.exists else { return }
        try conflict(rival, policy, rival: { $0.delete($1) }) { context, item in
            item.setValue("mine", forKey: "name")
            try context.save()
            #expect(!context.hasChanges)
            #expect(try context.all("Item").isEmpty)
        }
        #expect(try storedCount("Item") == 0)
    }

    @Test(
        "Object-trump and overwrite policies delete a row changed elsewhere", arguments: Rival.allCases,
        [NSMergePolicy.mergeByPropertyObjectTrump, .overwrite])
    func deletionWins(_ rival: Rival, _ policy: NSMergePolicy) throws {
        guard rival.exists else { return }
        try conflict(rival, policy, rival: rename) { context, item in
            context.delete(item)
            try context.save()
            #expect(!context.hasChanges)
        }
        #expect(try storedCount("Item") == 0)
    }

    @Test("The rollback policy reverts the deletion of a row changed elsewhere", arguments: Rival.allCases)
    func rollbackOfADeletion(_ rival: Rival) throws {
        guard rival.exists else { return }
        try conflict(rival, .rollback, rival: rename) { context, item in
            context.delete(item)
            try context.save()
            #expect(!item.isDeleted && !context.hasChanges)
            #expect(text(item, "name") == "theirs")
        }
    }

    @Test("A resolved object has the derived values of the store")
    func derivedValuesOfTheStore() throws {
        guard store.kind.derives else { return }
        try conflict(.coordinator, .mergeByPropertyObjectTrump, rival: rename) { context, item in
            let before = try #require(item.value(forKey: "changed") as? Date)
            item.setValue("mine", forKey: "note")
            try context.save()
            let after = try #require(item.value(forKey: "changed") as? Date)
            #expect(after > before)
            #expect(
                try store.folder.value("SELECT ZCHANGED FROM ZITEM").storage.value as? Double
                    == after.timeIntervalSinceReferenceDate)
        }
    }

    // MARK: A policy of one's own

    private final class Recording: NSMergePolicy, @unchecked Sendable {
        private(set) var resolved: [NSMergeConflict] = []

        override func resolve(optimisticLockingConflicts list: [NSMergeConflict]) throws {
            resolved += list
            try super.resolve(optimisticLockingConflicts: list)
        }
    }

    @Test("A merge policy subclass receives the conflicts", arguments: Rival.allCases)
    func subclassResolvesConflicts(_ rival: Rival) throws {
        guard rival.exists else { return }
        let policy = Recording(merge: .mergeByPropertyObjectTrumpMergePolicyType)
        try conflict(rival, policy, rival: rename) { context, item in
            item.setValue("mine", forKey: "name")
            try context.save()
            #expect(policy.resolved.map(\.sourceObject) == [item])
        }
    }

    // MARK: Saves that fail after a resolution

    /// Resolves conflicts, and fails then.
    private final class Failing: NSMergePolicy, @unchecked Sendable {
        override func resolve(optimisticLockingConflicts list: [NSMergeConflict]) throws {
            try super.resolve(optimisticLockingConflicts: list)
            throw CocoaError(.featureUnsupported)
        }
    }

    /// What the other side does.
    enum Act: CaseIterable, Sendable { case rename, delete }

    @Test(
        "A save that fails after the resolution restores the unsaved state", arguments: [UInt(1), 2, 3, 4],
        Act.allCases)
    func failedSaveRevertsTheResolution(_ type: UInt, _ act: Act) throws {
        let policy = Failing(merge: try #require(NSMergePolicyType(rawValue: type)))
        try conflict(
            .context, policy, rival: { act == .rename ? rename($0, $1) : $0.delete($1) }
        ) { context, item in
            let owner = try #require(item.value(forKey: "owner") as? NSManagedObject)
            let id = item.objectID
            item.setValue("mine", forKey: "name")
            item.setValue(nil, forKey: "owner")
            for _ in 0..<2 {
                #expect(try error { try context.save() }.code == CocoaError.Code.featureUnsupported.rawValue)
                #expect(item.managedObjectContext === context && item.objectID == id)
                #expect(context.registeredObject(for: id) === item)
                #expect(context.updatedObjects.contains(item) && context.insertedObjects.isEmpty)
                #expect(context.deletedObjects.isEmpty)
                #expect(text(item, "name") == "mine" && text(item, "note") == "old")
                #expect(item.changedValues().keys.sorted() == ["name", "owner"])
                #expect(item.committedValues(forKeys: ["name"])["name"] as? String == "old")
                #expect((owner.value(forKey: "items") as? NSSet)?.count == 0)
            }
            context.mergePolicy = NSMergePolicy.error
            #expect(try error { try context.save() }.code == 133020)
        }
    }

    @Test(
        "A save that fails after the resolution of a deletion restores the deletion",
        arguments: [UInt(1), 2, 3, 4], Rival.allCases)
    func failedSaveRevertsAResolvedDeletion(_ type: UInt, _ rival: Rival) throws {
        guard rival.exists else { return }
        let policy = Failing(merge: try #require(NSMergePolicyType(rawValue: type)))
        try conflict(rival, policy, rival: rename) { context, item in
            context.delete(item)
            let failure = try error { try context.save() }
            #expect(failure.code == CocoaError.Code.featureUnsupported.rawValue)
            #expect(context.deletedObjects == [item] && item.managedObjectContext === context)
            context.mergePolicy = NSMergePolicy.error
            #expect(try error { try context.save() }.code == 133020)
        }
    }
}
