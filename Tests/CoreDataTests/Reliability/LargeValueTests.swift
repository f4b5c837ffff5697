import CoreData
import GRDB
import Testing

/// Values of nearly the size that SQLite allows, in files of strangers.
@Suite(
    .serialized,
    .enabled(
        if: ProcessInfo.processInfo.physicalMemory > 12 << 30,
        "This computer has too little memory for values of 900 MB."))
struct LargeValueTests {
    static let size = 900_000_000
    static let model = NSManagedObjectModel(
        of: NSEntityDescription(
            "Item", attribute("name", .string), attribute("bytes", .binaryData), attribute("uuid", .uuid)))

    private let folder: StoreFolder

    init() throws { folder = try StoreFolder() }

    private func make(_ column: String) throws {
        let coordinator = try folder.open(Self.model)
        try coordinator.inContext { context in
            for name in ["one", "two"] { try context.insert("Item", ["name": name]) }
            try context.save()
        }
        try coordinator.close()
        try folder.execute(
            """
            PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF;
            UPDATE ZITEM SET \(column) = zeroblob(\(Self.size)) WHERE Z_PK = 1
            """)
    }

    /// Lets the process take so much more memory, in bytes.
    static func limitMemory(to more: Int) throws {
        let text = try String(contentsOfFile: "/proc/self/statm", encoding: .utf8)
        let pages = try #require(text.split(separator: " ").first.flatMap { Int($0) })
        var limit = rlimit()
        try #require(getrlimit(__rlimit_resource_t(RLIMIT_AS.rawValue), &limit) == 0)
        limit.rlim_cur = rlim_t(pages * Int(getpagesize()) + more)
        try #require(setrlimit(__rlimit_resource_t(RLIMIT_AS.rawValue), &limit) == 0)
    }

    @Test("A UUID of 900 MB is an error and takes bounded memory")
    func uuidOf900MB() async throws {
        try make("ZUUID")
        let path = folder.file.path
        await #expect(processExitsWith: .success) { [path = path as String] in
            let coordinator = NSPersistentStoreCoordinator(managedObjectModel: LargeValueTests.model)
            try coordinator.addPersistentStore(type: .sqlite, at: URL(fileURLWithPath: path))
            try LargeValueTests.limitMemory(to: 2 * LargeValueTests.size)
            try coordinator.inContext { context in
                let refusal = try error { _ = try context.all("Item") }
                try #require(refusal.code == 134060)
                try #require(refusal.localizedDescription.contains("ZUUID"))
            }
            try coordinator.close()
        }
    }
}
