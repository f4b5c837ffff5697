import CoreData
import GRDB
import TestSupport

/// Kills processes that build an index of trigrams, and has another one complete it. Fetches are exact after each of them.
package struct InterruptedBuild {
    /// How far a build has come, as its file says.
    private struct Progress {
        /// Another one for each build that begins.
        let build: Int64
        /// The last key that is indexed; nil when the build is complete.
        let key: Int64?
    }

    /// More than two steps of a build read.
    private static let count = 21_000
    private let file: URL
    private var random = SeededNumbers(seed: 1)

    /// Kills builds of a store in an empty folder, which is the argument. Ends the process: with 0, or with 1 and what is wrong on the
    /// standard error.
    package static func run(_ arguments: [String]) -> Never {
        guard arguments.count == 1 else { exit(64) }
        var run = InterruptedBuild(URL(fileURLWithPath: arguments[0]).appendingPathComponent("Store"))
        end { try run.run() }
    }

    /// Builds the indexes of the store that is the argument. Ends the process, as `run(_:)` does.
    package static func build(_ arguments: [String]) -> Never {
        guard arguments.count == 1 else { exit(64) }
        let file = URL(fileURLWithPath: arguments[0])
        end {
            let coordinator = try open(file)
            try waiting { try await coordinator.updateSearchIndexes() }
            for store in coordinator.persistentStores { try coordinator.remove(store) }
        }
    }

    private static func end(_ body: () throws -> Void) -> Never {
        do {
            try body()
            exit(0)
        } catch {
            FileHandle.standardError.write(Data("\(error)\n".utf8))
            exit(1)
        }
    }

    private init(_ file: URL) { self.file = file }

    private static func open(_ file: URL) throws -> NSPersistentStoreCoordinator {
        let (number, title) = (NSAttributeDescription(), NSAttributeDescription())
        number.name = "number"
        number.type = .integer64
        title.name = "title"
        title.type = .string
        title.isOptional = true
        title.userInfo = ["OpenCoreDataTrigramIndex": "YES"]
        let note = NSEntityDescription()
        note.name = "Note"
        note.properties = [number, title]
        let model = NSManagedObjectModel()
        model.entities = [note]
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        try coordinator.addPersistentStore(
            type: .sqlite, at: file, options: [NSPersistentHistoryTrackingKey: true])
        return coordinator
    }

    /// Runs a block with a context of the store.
    private func inContext<Value>(_ body: (NSManagedObjectContext) throws -> Value) throws -> Value {
        let coordinator = try Self.open(file)
        defer { for store in coordinator.persistentStores { try? coordinator.remove(store) } }
        let context = NSManagedObjectContext(.privateQueue)
        context.persistentStoreCoordinator = coordinator
        return try context.performAndWait { try body(context) }
    }

    private mutating func run() throws {
        try makeStore()
        // Wherever they are.
        for _ in 0..<3 {
            let process = try startBuild()
            usleep(UInt32.random(in: 20_000...600_000, using: &random))
            end(process)
            try change()
            try check("after a kill")
        }
        let killed = try killInTheMiddle()
        try check("after a kill in the middle")
        try change()
        try check("after a kill in the middle, and a save")
        let last = try startBuild()
        last.waitUntilExit()
        guard last.terminationReason == .exit, last.terminationStatus == 0 else {
            throw StressFailure("the last process ended with \(last.terminationStatus)")
        }
        guard let done = try progress(), done.key == nil else {
            throw StressFailure("the last process has not completed the index")
        }
        guard done.build == killed.build else { throw StressFailure("the last process began anew") }
        try check("at the end", needsIndex: true)
        let faults = try SearchIndexCheck(index).faults()
        guard faults.isEmpty else { throw StressFailure(faults.joined(separator: "; ")) }
    }

    private func makeStore() throws {
        var random = random
        try inContext { context in
            for start in stride(from: 0, to: Self.count, by: 7_000) {
                let rows = (start..<(start + 7_000)).map { number -> [String: Any] in
                    // A comparison with all of them should not take long.
                    let title = number % 20 == 0 ? SearchQuestion.title(using: &random) : "n\(number)"
                    return ["number": number, "title": title]
                }
                try context.execute(NSBatchInsertRequest(entityName: "Note", objects: rows))
            }
        }
    }

    /// Saves some notes: a new one, another title, one fewer.
    private mutating func change() throws {
        var random = random
        try inContext { context in
            let request = NSFetchRequest<NSManagedObject>(entityName: "Note")
            request.predicate = NSPredicate(
                format: "number IN %@", (0..<2).map { _ in Int.random(in: 0..<Self.count, using: &random) })
            let notes = try context.fetch(request)
            notes.first?.setValue(SearchQuestion.title(using: &random), forKey: "title")
            if notes.count > 1 { context.delete(notes[1]) }
            let made = NSEntityDescription.insertNewObject(forEntityName: "Note", into: context)
            made.setValue(Self.count + Int.random(in: 0..<1_000_000_000, using: &random), forKey: "number")
            made.setValue(SearchQuestion.title(using: &random), forKey: "title")
            try context.save()
        }
        self.random = random
    }

    // MARK: Processes

    /// A process of this program that builds the index.
    private func startBuild() throws -> Process {
        let process = Process()
        process.executableURL = URL(
            fileURLWithPath: try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe"))
        process.arguments = ["build", file.path]
        process.standardInput = FileHandle.nullDevice
        try process.run()
        return process
    }

    private func end(_ process: Process) {
        _ = kill(process.processIdentifier, SIGKILL)
        process.waitUntilExit()
    }

    /// Kills a process when a part of the objects is indexed, and not all.
    private func killInTheMiddle() throws -> Progress {
        for _ in 0..<10 {
            let start = try progress()
            if let start, start.key == nil { try removeIndex() }
            let process = try startBuild()
            while process.isRunning {
                if let present = try progress(), present.key.map({ $0 > start?.key ?? 0 }) ?? true { break }
                usleep(1_000)
            }
            end(process)
            if let left = try progress(), let key = left.key, key > 0 { return left }
        }
        throw StressFailure("none of the processes was killed in the middle")
    }

    private func removeIndex() throws {
        let coordinator = try Self.open(file)
        try coordinator.deleteSearchIndexes()
        for store in coordinator.persistentStores { try coordinator.remove(store) }
    }

    // MARK: The index

    private var index: URL { URL(fileURLWithPath: file.path + "-search-_trigrams") }

    /// How far a build has come; nil when there is none yet, or the file is about to be made.
    private func progress() throws -> Progress? {
        guard FileManager.default.fileExists(atPath: index.path) else { return nil }
        var configuration = Configuration()
        configuration.busyMode = .timeout(10)
        do {
            return try DatabaseQueue(path: index.path, configuration: configuration).read { database in
                guard try database.tableExists("state") else { return nil }
                func value(_ name: String) throws -> Int64? {
                    try Int64.fetchOne(
                        database, sql: "SELECT value FROM state WHERE name = ?", arguments: [name])
                }
                return try value("build").map { try Progress(build: $0, key: value("key")) }
            }
        } catch is DatabaseError {
            return nil
        }
    }

    /// Compares fetches by parts of titles with a look at all rows.
    ///
    /// - Parameter needsIndex: whether the fetches are to use the index; then all of them are made, and not a choice.
    private mutating func check(_ when: String, needsIndex: Bool = false) throws {
        let kinds = SearchQuestion.Kind.ofParts
        let questions =
            needsIndex
            ? SearchQuestion.all.filter { kinds.contains($0.kind) }
            : kinds.map { SearchQuestion.random([$0], using: &random) }
        let queue = try DatabaseQueue(path: file.path)
        let rows = try queue.read {
            try GRDB.Row.fetchAll($0, sql: "SELECT ZNUMBER, ZTITLE FROM ZNOTE ORDER BY ZNUMBER")
        }
        let all = rows.map { ($0["ZNUMBER"] as Int, $0["ZTITLE"] as String? ?? "") }
        try queue.close()
        try inContext { context in
            for question in questions {
                let request = NSFetchRequest<NSDictionary>(entityName: "Note")
                request.resultType = .dictionaryResultType
                request.propertiesToFetch = ["number"]
                request.predicate = question.predicate
                let found = try context.fetch(request).map { ($0["number"] as? NSNumber)?.intValue ?? -1 }
                let expected = all.filter { question.isMet(by: $0.1) }.map(\.0)
                guard found.sorted() == expected else {
                    throw StressFailure(
                        "\(when) \(question.predicate) finds \(found.count) of \(expected.count) notes")
                }
                guard needsIndex else { continue }
                let notes = try context.explanations(of: request).flatMap(\.indexNotes)
                guard notes.contains(where: { $0.contains(" leaves ") }) else {
                    throw StressFailure("\(when) \(question.predicate) does not use the index: \(notes)")
                }
            }
        }
    }
}
