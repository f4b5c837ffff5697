import CoreData
import Foundation
import TestSupport

/// Edits one context at random, among others that do the same.
final class StressWorker: @unchecked Sendable {
    let name: String
    let context: NSManagedObjectContext
    private let family: StressFamily
    private var random: SeededNumbers
    private(set) var counts: [String: Int] = [:]
    /// What stopped the worker.
    private(set) var failure: String?

    init(_ name: String, _ context: NSManagedObjectContext, _ family: StressFamily, seed: UInt64) {
        self.name = name
        self.context = context
        self.family = family
        random = SeededNumbers(seed: seed)
    }

    // MARK: Steps

    /// One step, for which the thread waits.
    func step() throws {
        switch Int.random(in: 0..<48, using: &random) {
        case 0: try fetchAsynchronously()
        case 1: try runBatch()
        case 2: try mergeEverything()
        case 3: try readHistory()
        case 4: try useShortLivedContext()
        case 5: family.release()
        default: try context.performAndWait { try edit() }
        }
    }

    /// One step, for which the task is suspended.
    func step() async throws {
        let schedule: NSManagedObjectContext.ScheduledTaskType =
            random.next() % 2 == 0 ? .immediate : .enqueued
        try await context.perform(schedule: schedule) { try self.edit() }
    }

    func fail(_ error: any Error) { failure = "\(name): \(error)" }

    private func note(_ kind: String) { counts[kind, default: 0] += 1 }

    /// An event with a few edits, on the context's queue.
    private func edit() throws {
        for _ in 0..<Int.random(in: 1...4, using: &random) {
            switch Int.random(in: 0..<27, using: &random) {
            case 0..<4: insert()
            case 4..<10: try change()
            case 10..<13: try regroup()
            case 13..<15: try retag()
            case 15: try editLines()
            case 16, 17: try delete()
            case 18, 19: try look()
            case 20: context.refreshAllObjects()
            case 24: try share()
            case 25: try readShared()
            case 26: try context.obtainPermanentIDs(for: Array(context.insertedObjects))
            case 21: if context.undoManager != nil { context.undo() } else { context.rollback() }
            default: try save()
            }
        }
        if random.next() % 4 == 0 { try save() }
    }

    private func objects(_ entity: String, limit: Int = 12) throws -> [NSManagedObject] {
        let request = NSFetchRequest<NSManagedObject>(entityName: entity)
        request.fetchLimit = limit
        request.predicate =
            entity == "Item"
            ? NSPredicate(format: "number >= %d", Int.random(in: 0..<80, using: &random)) : nil
        return try context.fetch(request)
    }

    private func some(_ entity: String) throws -> NSManagedObject? {
        try objects(entity).randomElement(using: &random)
    }

    private func insert() {
        note("insert")
        let entity = ["Item", "Item", "Item", "Tag", "Group"].randomElement(using: &random) ?? "Item"
        let object = NSEntityDescription.insertNewObject(forEntityName: entity, into: context)
        object.setValue("\(name) \(random.next() % 1000)", forKey: "name")
        if entity == "Item" { object.setValue(Int.random(in: 0..<100, using: &random), forKey: "number") }
    }

    private func change() throws {
        guard let item = try some("Item") else { return insert() }
        note("change")
        item.setValue("\(name) \(random.next() % 1000)", forKey: "name")
        item.setValue(Int.random(in: 0..<100, using: &random), forKey: "number")
    }

    private func regroup() throws {
        guard let item = try some("Item") else { return }
        note("regroup")
        item.setValue(try some("Group"), forKey: "group")
    }

    private func retag() throws {
        guard let item = try some("Item"), let tag = try some("Tag") else { return }
        note("retag")
        let tags = item.mutableSetValue(forKey: "tags")
        if tags.contains(tag) { tags.remove(tag) } else { tags.add(tag) }
    }

    private func editLines() throws {
        guard let item = try some("Item") else { return }
        note("lines")
        let lines = item.mutableOrderedSetValue(forKey: "lines")
        if lines.count > 3, let last = lines.lastObject as? NSManagedObject {
            context.delete(last)
        } else {
            let line = NSEntityDescription.insertNewObject(forEntityName: "Line", into: context)
            line.setValue(name, forKey: "text")
            lines.insert(line, at: Int.random(in: 0...lines.count, using: &random))
        }
    }

    private func delete() throws {
        let entity = ["Item", "Item", "Item", "Item", "Tag", "Group"].randomElement(using: &random) ?? "Item"
        guard let object = try some(entity) else { return }
        note("delete")
        context.delete(object)
    }

    private func look() throws {
        note("look")
        let request = NSFetchRequest<NSDictionary>(entityName: "Item")
        request.resultType = .dictionaryResultType
        request.propertiesToFetch = ["name", "number"]
        _ = try context.fetch(request)
        _ = try context.count(for: NSFetchRequest<NSManagedObject>(entityName: "Tag"))
        for item in try objects("Item", limit: 30) {
            _ = item.value(forKeyPath: "group.name")
            _ = item.value(forKeyPath: "tags.@count")
        }
    }

    /// Gives IDs, snapshots and the last references of objects to others.
    private func share() throws {
        note("share")
        let found = try objects("Item", limit: 40)
        let snapshots = try context.fetchSnapshots(NSFetchRequest<NSManagedObject>(entityName: "Group"))
        family.share(found.map(\.objectID) + snapshots.map(\.objectID), found)
    }

    private func readShared() throws {
        note("read shared")
        for id in family.sharedIDs.prefix(10) where !id.isTemporaryID {
            _ = context.registeredObject(for: id)
            do {
                _ = try context.existingObject(with: id).snapshot()
            } catch let error as CocoaError where error.code == .managedObjectReferentialIntegrity {
                // Deleted by now.
            }
        }
    }

    /// Saves; what the merge policy does not resolve is taken back.
    func save() throws {
        do {
            try context.save()
            note("save")
        } catch let error as CocoaError where error.code == .managedObjectMerge {
            note("conflict")
            context.rollback()
            context.refreshAllObjects()
        }
    }

    // MARK: Outside of the queue

    private func fetchAsynchronously() throws {
        note("asynchronous fetch")
        let done = DispatchSemaphore(value: 0)
        let outcome = StressOutcome()
        let cancels = random.next() % 3 == 0
        let context = context
        let result = try context.performAndWait {
            let request = NSFetchRequest<NSManagedObject>(entityName: "Item")
            request.sortDescriptors = [NSSortDescriptor(key: "number", ascending: true)]
            let asynchronous = NSAsynchronousFetchRequest(fetchRequest: request) { result in
                for object in result.finalResult ?? [] { _ = object.value(forKey: "name") }
                outcome.error = result.operationError as NSError?
                done.signal()
            }
            return try context.execute(asynchronous) as? NSPersistentStoreAsynchronousResult
        }
        if cancels { result?.cancel() }
        done.wait()
        if let error = outcome.error, error.code != CocoaError.Code.userCancelled.rawValue { throw error }
    }

    /// A batch request, whose changes all contexts merge.
    private func runBatch() throws {
        note("batch")
        let changes: [AnyHashable: Any]
        switch Int.random(in: 0..<3, using: &random) {
        case 0:
            let request = NSBatchUpdateRequest(entityName: "Item")
            request.predicate = NSPredicate(format: "number == %d", Int.random(in: 0..<100, using: &random))
            request.propertiesToUpdate = ["number": Int.random(in: 0..<100, using: &random)]
            request.resultType = .updatedObjectIDsResultType
            let result = try context.performAndWait { try context.execute(request) as? NSBatchUpdateResult }
            changes = [NSUpdatedObjectIDsKey: result?.result ?? []]
        case 1:
            let request = NSBatchInsertRequest(
                entityName: "Item",
                objects: (0..<3).map { ["name": "\(name) batch", "number": $0 * 30] })
            request.resultType = .objectIDs
            let result = try context.performAndWait { try context.execute(request) as? NSBatchInsertResult }
            changes = [NSInsertedObjectIDsKey: result?.result ?? []]
        default:
            let fetch = NSFetchRequest<any NSFetchRequestResult>(entityName: "Item")
            fetch.predicate = NSPredicate(format: "number == %d", Int.random(in: 0..<100, using: &random))
            let request = NSBatchDeleteRequest(fetchRequest: fetch)
            request.resultType = .resultTypeObjectIDs
            let result = try context.performAndWait { try context.execute(request) as? NSBatchDeleteResult }
            changes = [NSDeletedObjectIDsKey: result?.result ?? []]
        }
        NSManagedObjectContext.mergeChanges(fromRemoteContextSave: changes, into: family.contexts)
    }

    private func readHistory() throws {
        note("history")
        try context.performAndWait {
            let request = NSPersistentHistoryChangeRequest.fetchHistory(
                after: Date(timeIntervalSinceNow: -0.2))
            let result = try context.execute(request) as? NSPersistentHistoryResult
            for transaction in result?.result as? [NSPersistentHistoryTransaction] ?? [] {
                _ = transaction.changes?.map(\.changedObjectID)
            }
        }
    }

    /// A context that goes while its objects are still used.
    private func useShortLivedContext() throws {
        note("short-lived context")
        let context = NSManagedObjectContext(.privateQueue)
        context.persistentStoreCoordinator = family.coordinator
        try context.performAndWait {
            let found = try context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Item"))
            for object in found.prefix(20) { _ = object.value(forKey: "name") }
            family.share([], found)
        }
    }

    private func mergeEverything() throws {
        note("refresh by merge")
        let ids = try context.performAndWait {
            try objects("Item").map(\.objectID).filter { !$0.isTemporaryID }
        }
        NSManagedObjectContext.mergeChanges(
            fromRemoteContextSave: [NSRefreshedObjectIDsKey: ids], into: family.contexts)
    }
}

/// What went wrong on another queue; read when that has signalled.
private final class StressOutcome: @unchecked Sendable {
    var error: NSError?
}
