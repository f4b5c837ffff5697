import CoreData
import Foundation
import Logging
import Testing

/// What an in-memory store says of uniqueness constraints, which it does not check.
@Suite struct UncheckedConstraintTests {
    @Test(
        "R14: An in-memory store logs one line with the entities whose uniqueness constraints it does not check"
    )
    func oneLine() async {
        // A process of its own: the log is chosen once.
        await #expect(processExitsWith: .success) {
            LoggingSystem.bootstrap { _ in ConstraintRecorder() }
            let item = NSEntityDescription("Item", attribute("name", .string))
            let plain = NSEntityDescription("Plain", attribute("name", .string))
            item.uniquenessConstraints = [["name"]]
            let coordinator = NSPersistentStoreCoordinator(
                managedObjectModel: NSManagedObjectModel(of: item, plain))
            try coordinator.addPersistentStore(type: .inMemory, at: URL(fileURLWithPath: "/dev/null"))
            let context = NSManagedObjectContext(.privateQueue)
            context.persistentStoreCoordinator = coordinator
            try context.performAndWait {
                for _ in 0..<3 {
                    NSEntityDescription.insertNewObject(forEntityName: "Item", into: context)
                        .setValue("same", forKey: "name")
                    try context.save()
                }
            }
            let lines = ConstraintRecorder.lines.filter { $0.contains("uniqueness constraints") }
            try #require(lines.count == 1)
            #expect(lines[0].contains("Item") && !lines[0].contains("Plain"))
        }
    }
}

/// Keeps what is logged.
private struct ConstraintRecorder: LogHandler {
    nonisolated(unsafe) private static var kept: [String] = []
    private static let lock = NSLock()
    static var lines: [String] { lock.withLock { kept } }

    var metadata: Logger.Metadata = [:]
    var logLevel = Logger.Level.info
    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
        Self.lock.withLock { Self.kept.append("\(event.message)") }
    }
}
