import CoreData
import GRDB
import TestSupport

/// One of the processes: takes random steps on the store until its input ends, and writes down each.
package final class ProcessWorker {
    private let life: StressLedger.Life
    private let file: URL
    private var random: SeededNumbers
    private var coordinator: NSPersistentStoreCoordinator
    /// Keeps objects over many steps, so that they are old when they are saved.
    private var context: NSManagedObjectContext
    /// Sees the file without the framework.
    private let plain: DatabaseQueue
    private var token: NSPersistentHistoryToken?
    private var serial = 0

    package init(_ file: URL, worker: Int, generation: Int, seed: UInt64) throws {
        life = .init(worker: worker, generation: generation)
        self.file = file
        random = SeededNumbers(seed: seed)
        coordinator = try ProcessStressModel.open(file)
        context = Self.context(coordinator)
        var configuration = Configuration()
        configuration.busyMode = .timeout(60)
        plain = try DatabaseQueue(path: file.path, configuration: configuration)
        token = coordinator.currentPersistentHistoryToken(fromStores: nil)
        try beginIndexing()
    }

    private static func context(_ coordinator: NSPersistentStoreCoordinator) -> NSManagedObjectContext {
        let context = NSManagedObjectContext(.privateQueue)
        context.persistentStoreCoordinator = coordinator
        context.mergePolicy = NSMergePolicy.error
        return context
    }

    /// One of the processes indexes in the background, too.
    private func beginIndexing() throws {
        if life.worker == 0 { try coordinator.startSearchIndexing() }
    }

    /// Takes steps until the input ends; false when something was wrong.
    package func run() -> Bool {
        defer { coordinator.stopSearchIndexing() }
        let stop = StopSign()
        Thread.detachNewThread {
            _ = FileHandle.standardInput.readDataToEndOfFile()
            stop.set()
        }
        while !stop.isSet {
            do {
                try step()
            } catch {
                write("failed \(error)".replacing("\n", with: " "))
                return false
            }
        }
        return true
    }

    /// One system call a line, which no signal cuts in two.
    private func write(_ line: String) {
        let bytes = Array("\(line)\n".utf8)
        _ = bytes.withUnsafeBytes { Foundation.write(1, $0.baseAddress, $0.count) }
    }

    private func step() throws {
        switch Int.random(in: 0..<140, using: &random) {
        case 0..<25: try inContext(add)
        case 25..<33: try inContext(move)
        case 33..<48: try inContext(insert)
        case 48..<58: try inContext(edit)
        case 58..<66: try inContext(delete)
        case 66..<72: try inContext(insertBatch)
        case 72..<77: try inContext(updateBatch)
        case 77..<81: try inContext(deleteBatch)
        case 81..<88: try inContext(readHistory)
        case 88..<89: try inContext(pruneHistory)
        case 89..<95: try inContext(refresh)
        case 95..<98: try checkpoint()
        case 98: try reopen()
        case 100..<108: try inContext(changeNotes)
        case 108..<112: try inContext { try search($0, SearchQuestion.Kind.ofWords, "words") }
        case 112..<115, 126..<133: try inContext { try search($0, SearchQuestion.Kind.ofParts, "substrings") }
        case 115, 120..<126: try searchSnapshot()
        case 116..<119, 133..<140: try updateIndexes()
        case 119: try deleteIndexes()
        default: try inContext { $0.reset() }
        }
    }

    private func inContext(_ body: (NSManagedObjectContext) throws -> Void) throws {
        let context = context
        try context.performAndWait { try body(context) }
    }

    // MARK: Saved steps

    /// Runs a step and writes down what became of it.
    ///
    /// - Parameter body: false when the step was refused, as it may be, and is taken back.
    private func record(_ kind: String, _ arguments: [Int], _ body: (Int) throws -> Bool) throws {
        serial += 1
        let words = ["begin", "\(serial)", kind] + arguments.map(String.init)
        write(words.joined(separator: " "))
        let isSaved = try body(serial)
        write("\(isSaved ? "done" : "void") \(serial)")
    }

    /// Saves; a conflict with another process is not resolved but taken back.
    private func save(_ context: NSManagedObjectContext) throws -> Bool {
        do {
            try context.save()
            return true
        } catch let error as NSError where error.code == CocoaError.Code.managedObjectMerge.rawValue {
            context.rollback()
            // With what the store has now the next attempt begins.
            for object in context.registeredObjects { context.refresh(object, mergeChanges: true) }
            return false
        }
    }

    private func number(_ object: NSManagedObject, _ key: String) -> Int {
        (object.value(forKey: key) as? NSNumber)?.intValue ?? 0
    }

    private func named(_ entity: String, _ name: Int, in context: NSManagedObjectContext) throws
        -> NSManagedObject
    {
        let request = NSFetchRequest<NSManagedObject>(entityName: entity)
        request.predicate = NSPredicate(format: "name == %d", name)
        let found = try context.fetch(request)
        guard found.count == 1 else { throw StressFailure("\(entity) \(name) is there \(found.count) times") }
        return found[0]
    }

    @discardableResult
    private func insert(_ entity: String, _ serial: Int, in context: NSManagedObjectContext)
        -> NSManagedObject
    {
        let object = NSEntityDescription.insertNewObject(forEntityName: entity, into: context)
        object.setValue(life.worker, forKey: "worker")
        object.setValue(life.generation, forKey: "generation")
        object.setValue(serial, forKey: "serial")
        return object
    }

    private func add(_ amount: Int, to counter: NSManagedObject, _ serial: Int) throws {
        guard let context = counter.managedObjectContext else { throw StressFailure("a counter is gone") }
        counter.setValue(number(counter, "value") + amount, forKey: "value")
        counter.setValue(number(counter, "saves") + 1, forKey: "saves")
        let receipt = insert("Receipt", serial, in: context)
        receipt.setValue(amount, forKey: "amount")
        receipt.setValue(counter, forKey: "counter")
    }

    private func add(_ context: NSManagedObjectContext) throws {
        let (name, amount) = (
            Int.random(in: 0..<ProcessStressModel.counterCount, using: &random),
            Int.random(in: 1...9, using: &random)
        )
        let counter = try named("Counter", name, in: context)
        try record("add", [name, amount]) { serial in
            try add(amount, to: counter, serial)
            return try save(context)
        }
    }

    private func move(_ context: NSManagedObjectContext) throws {
        let from = Int.random(in: 0..<ProcessStressModel.counterCount, using: &random)
        let to =
            (from + Int.random(in: 1..<ProcessStressModel.counterCount, using: &random))
            % ProcessStressModel.counterCount
        let amount = Int.random(in: 1...9, using: &random)
        let (source, target) = (
            try named("Counter", from, in: context), try named("Counter", to, in: context)
        )
        try record("move", [from, to, amount]) { serial in
            try add(-amount, to: source, serial)
            try add(amount, to: target, serial)
            return try save(context)
        }
    }

    private func insert(_ context: NSManagedObjectContext) throws {
        let count = Int.random(in: 1...4, using: &random)
        let box = try named(
            "Box", Int.random(in: 0..<ProcessStressModel.boxCount, using: &random), in: context)
        let hasPayload = Int.random(in: 0..<6, using: &random) == 0
        try record("insert", [count]) { serial in
            for position in 0..<count {
                let item = insert("Item", serial, in: context)
                item.setValue(position, forKey: "position")
                item.setValue(box, forKey: "box")
                if hasPayload, position == 0 { item.setValue(payload(0), forKey: "payload") }
            }
            return try save(context)
        }
    }

    /// Large data that identifies its edit.
    private func payload(_ edit: Int) -> Data {
        var data = Data("\(edit) ".utf8)
        data.append(Data(repeating: UInt8(truncatingIfNeeded: edit), count: ProcessStressModel.payloadLength))
        return data
    }

    private func own(_ entity: String, _ context: NSManagedObjectContext) throws -> NSManagedObject? {
        let request = NSFetchRequest<NSManagedObject>(entityName: entity)
        request.predicate = NSPredicate(format: "worker == %d", life.worker)
        request.sortDescriptors = [
            NSSortDescriptor(key: "generation", ascending: false),
            NSSortDescriptor(key: "serial", ascending: false),
        ]
        request.fetchLimit = 30
        return try context.fetch(request).randomElement(using: &random)
    }

    private func edit(_ context: NSManagedObjectContext) throws {
        guard let item = try own("Item", context) else { return try insert(context) }
        let place = [number(item, "generation"), number(item, "serial"), number(item, "position")]
        let edit = life.generation * 1_000_000 + serial + 1
        try record("edit", place + [edit]) { _ in
            // What this process alone changes is never behind what it saved.
            item.setValue(edit, forKey: "edit")
            if item.value(forKey: "payload") != nil { item.setValue(payload(edit), forKey: "payload") }
            return try save(context)
        }
    }

    private func delete(_ context: NSManagedObjectContext) throws {
        guard let item = try own("Item", context) else { return try insert(context) }
        let place = [number(item, "generation"), number(item, "serial"), number(item, "position")]
        try record("delete", place) { _ in
            context.delete(item)
            return try save(context)
        }
    }

    // MARK: Notes

    /// How many notes a process has at most, or a few more.
    private static let mostNotes = 40

    private func changeNotes(_ context: NSManagedObjectContext) throws {
        let request = NSFetchRequest<NSManagedObject>(entityName: "Note")
        request.predicate = NSPredicate(format: "worker == %d", life.worker)
        let isFull = try context.count(for: request) >= Self.mostNotes
        let way = Int.random(in: 0..<10, using: &random)
        guard way > 3 || isFull, let note = try own("Note", context) else { return try insertNotes(context) }
        let place = [number(note, "generation"), number(note, "serial"), number(note, "position")]
        if way > 8 || isFull {
            try record("deleteNote", place) { _ in
                context.delete(note)
                return try save(context)
            }
        } else {
            let edit = life.generation * 1_000_000 + serial + 1
            let title = SearchQuestion.title(using: &random)
            try record("editNote", place + [edit]) { _ in
                note.setValue(edit, forKey: "edit")
                note.setValue(title, forKey: "title")
                return try save(context)
            }
        }
    }

    private func insertNotes(_ context: NSManagedObjectContext) throws {
        let titles = (0..<Int.random(in: 1...3, using: &random)).map { _ in
            SearchQuestion.title(using: &random)
        }
        try record("note", [titles.count]) { serial in
            for (position, title) in titles.enumerated() {
                let note = insert("Note", serial, in: context)
                note.setValue(position, forKey: "position")
                note.setValue(title, forKey: "title")
            }
            return try save(context)
        }
    }

    /// What a search finds of this process's own notes is what a look at all of them finds: no other process changes these.
    private func search(
        _ context: NSManagedObjectContext, _ kinds: [SearchQuestion.Kind], _ name: String
    ) throws {
        let question = SearchQuestion.random(kinds, using: &random)
        let comparison = SearchComparison(worker: life.worker)
        let found = try comparison.found(question, in: context)
        let stored = try plain.read(comparison.stored)
        if let difference = SearchComparison.difference(question, found, among: stored) {
            throw StressFailure(difference)
        }
        write("count \(name)")
    }

    /// What a fetch by a part of a title finds of all notes is what a look at all of them finds in the same snapshot.
    private func searchSnapshot() throws {
        let question = SearchQuestion.random(SearchQuestion.Kind.ofParts, using: &random)
        let comparison = SearchComparison(worker: nil)
        let context = Self.context(coordinator)
        try context.performAndWait {
            try context.setQueryGenerationFrom(.current)
            let found = try comparison.found(question, in: context)
            let all = try comparison.fetched(in: context)
            if let difference = SearchComparison.difference(question, found, among: all) {
                throw StressFailure("in a snapshot \(difference)")
            }
        }
        write("count snapshots")
    }

    private func updateIndexes() throws {
        let coordinator = coordinator
        try waiting { try await coordinator.updateSearchIndexes() }
        write("count indexing")
    }

    /// Now and then all has to be indexed anew.
    private func deleteIndexes() throws {
        guard Int.random(in: 0..<8, using: &random) == 0 else { return }
        try coordinator.deleteSearchIndexes()
        write("count index deleted")
    }

    // MARK: Batch requests

    private func insertBatch(_ context: NSManagedObjectContext) throws {
        let count = Int.random(in: 1...5, using: &random)
        try record("insertBatch", [count]) { serial in
            let rows = (0..<count).map { position -> [String: Any] in
                [
                    "worker": life.worker, "generation": life.generation, "serial": serial,
                    "position": position, "edit": 0,
                ]
            }
            try context.execute(NSBatchInsertRequest(entityName: "Record", objects: rows))
            return true
        }
    }

    private func records(_ generation: Int, _ serial: Int) -> NSPredicate {
        NSPredicate(
            format: "worker == %d AND generation == %d AND serial == %d", life.worker, generation, serial)
    }

    private func updateBatch(_ context: NSManagedObjectContext) throws {
        guard let record = try own("Record", context) else { return try insertBatch(context) }
        let (generation, serial) = (number(record, "generation"), number(record, "serial"))
        let edit = life.generation * 1_000_000 + self.serial + 1
        try self.record("updateBatch", [generation, serial, edit]) { _ in
            let request = NSBatchUpdateRequest(entityName: "Record")
            request.predicate = records(generation, serial)
            request.propertiesToUpdate = ["edit": edit]
            try context.execute(request)
            return true
        }
    }

    private func deleteBatch(_ context: NSManagedObjectContext) throws {
        guard let record = try own("Record", context) else { return try insertBatch(context) }
        let (generation, serial) = (number(record, "generation"), number(record, "serial"))
        try self.record("deleteBatch", [generation, serial]) { _ in
            let fetch = NSFetchRequest<any NSFetchRequestResult>(entityName: "Record")
            fetch.predicate = records(generation, serial)
            try context.execute(NSBatchDeleteRequest(fetchRequest: fetch))
            return true
        }
        context.refreshAllObjects()
    }

    // MARK: History

    /// Reads what was saved since the last time: transactions without a gap, each with changes.
    private func readHistory(_ context: NSManagedObjectContext) throws {
        do {
            let result = try context.execute(NSPersistentHistoryChangeRequest.fetchHistory(after: token))
            let transactions =
                (result as? NSPersistentHistoryResult)?.result as? [NSPersistentHistoryTransaction] ?? []
            for (one, next) in zip(transactions, transactions.dropFirst())
            where next.transactionNumber != one.transactionNumber + 1 {
                throw StressFailure(
                    "the history goes from \(one.transactionNumber) to \(next.transactionNumber)")
            }
            for transaction in transactions where transaction.changes?.isEmpty ?? true {
                throw StressFailure("transaction \(transaction.transactionNumber) has no changes")
            }
            token = transactions.last?.token ?? token
        } catch let error as NSError where error.code == NSPersistentHistoryTokenExpiredError {
            // Another process has deleted it.
            token = coordinator.currentPersistentHistoryToken(fromStores: nil)
        }
        write("count history")
    }

    private func pruneHistory(_ context: NSManagedObjectContext) throws {
        // Sometimes what an index has not read yet stays.
        let earlier = token
        try readHistory(context)
        let (isDeleted, isRead) = (Bool.random(using: &random), Bool.random(using: &random))
        guard isDeleted, let token = isRead ? token : earlier else { return }
        try context.execute(NSPersistentHistoryChangeRequest.deleteHistory(before: token))
        write("count history deleted")
    }

    // MARK: Reading

    /// What a refreshed object shows is not older than what was in the file before, nor newer than what is there after.
    private func refresh(_ context: NSManagedObjectContext) throws {
        let name = Int.random(in: 0..<ProcessStressModel.counterCount, using: &random)
        let counter = try named("Counter", name, in: context)
        _ = counter.value(forKey: "saves")
        let before = try storedSaves(name)
        let way = Int.random(in: 0..<3, using: &random)
        switch way {
        case 0: context.refresh(counter, mergeChanges: true)
        case 1:
            context.stalenessInterval = 0
            context.refresh(counter, mergeChanges: false)
        default:
            let request = NSFetchRequest<NSManagedObject>(entityName: "Counter")
            request.shouldRefreshRefetchedObjects = true
            _ = try context.fetch(request)
        }
        let shown = (number(counter, "saves"), number(counter, "receiptCount"))
        context.stalenessInterval = -1
        let after = try storedSaves(name)
        guard shown.0 >= before, shown.0 <= after, shown.0 == shown.1 else {
            throw StressFailure(
                "counter \(name), refreshed in way \(way), shows \(shown.0) saves and \(shown.1) receipts; the store had \(before), then \(after)"
            )
        }
        write("count refresh")
    }

    private func storedSaves(_ name: Int) throws -> Int {
        try plain.read {
            try Int.fetchOne($0, sql: "SELECT ZSAVES FROM ZCOUNTER WHERE ZNAME = ?", arguments: [name]) ?? -1
        }
    }

    private func checkpoint() throws {
        let mode = ["PASSIVE", "FULL", "RESTART", "TRUNCATE"].randomElement(using: &random) ?? "PASSIVE"
        do {
            try plain.writeWithoutTransaction {
                _ = try GRDB.Row.fetchOne($0, sql: "PRAGMA wal_checkpoint(\(mode))")
            }
        } catch let error as DatabaseError where [.SQLITE_BUSY, .SQLITE_LOCKED].contains(error.resultCode) {
            // Others read or write.
        }
        write("count checkpoint")
    }

    /// Closes the store and opens it.
    private func reopen() throws {
        context.performAndWait { context.reset() }
        for store in coordinator.persistentStores { try coordinator.remove(store) }
        coordinator = try ProcessStressModel.open(file)
        context = Self.context(coordinator)
        try beginIndexing()
        write("count reopening")
    }
}

/// Set on one thread, read on another.
private final class StopSign: @unchecked Sendable {
    private let lock = NSLock()
    private var value = false
    var isSet: Bool { lock.withLock { value } }
    func set() { lock.withLock { value = true } }
}

/// Something that must not be.
struct StressFailure: Error, CustomStringConvertible {
    let description: String
    init(_ description: String) { self.description = description }
}
