import Foundation
import GRDB
import Testing

import CoreData
@testable import CoreDataSQLite
@testable import ObjectGraph

/// Pragmas in force on the connection that writes.
@Suite struct PragmaTests {
    private static let model = NSManagedObjectModel(
        of: NSEntityDescription("Item", attribute("name", .string)))

    private let folder: StoreFolder

    init() throws { folder = try StoreFolder() }

    private func value(_ pragma: String, _ options: [String: Any]?) throws -> String? {
        let coordinator = try folder.open(Self.model, options.map { [NSSQLitePragmasOption: $0] })
        defer { try? coordinator.close() }
        let store = try #require(coordinator.persistentStores[0] as? SQLiteStore)
        return try store.writer().writeWithoutTransaction { try String.fetchOne($0, sql: "PRAGMA \(pragma)") }
    }

    @Test(
        "The synchronous pragma applies to the connection that writes",
        arguments: [("OFF", "0"), ("NORMAL", "1"), ("FULL", "2"), ("EXTRA", "3"), ("2", "2")])
    func synchronous(_ name: String, _ number: String) throws {
        #expect(try value("synchronous", ["synchronous": name]) == number)
        // Of a store that is there already, too, and without a log.
        #expect(try value("synchronous", ["synchronous": name]) == number)
        #expect(try value("synchronous", ["synchronous": name, "journal_mode": "DELETE"]) == number)
    }

    @Test("The default is synchronous NORMAL with a write-ahead log, and FULL without one")
    func defaults() throws {
        #expect(try value("synchronous", nil) == "1")
        #expect(try value("synchronous", ["cache_size": 500]) == "1")
        #expect(try value("journal_mode", nil) == "wal")
        #expect(try value("synchronous", ["journal_mode": "DELETE"]) == "2")
    }

    @Test("Other pragmas apply to the connection that writes")
    func others() throws {
        let pragmas = [
            "cache_size": "777", "journal_size_limit": "12345", "wal_autocheckpoint": "99",
            "busy_timeout": "1234",
            "secure_delete": "1", "temp_store": "2",
        ]
        for (name, number) in pragmas { #expect(try value(name, pragmas) == number, "\(name)") }
        #expect(try value("journal_size_limit", nil) == "\(8 << 20)")
    }

    // MARK: The size of the log

    private func logSize() throws -> Int {
        let attributes = try FileManager.default.attributesOfItem(atPath: folder.file.path + "-wal")
        return try #require((attributes[.size] as? NSNumber)?.intValue)
    }

    private func save(_ coordinator: NSPersistentStoreCoordinator, byteCount: Int) throws {
        try coordinator.inContext { context in
            try context.insert("Item", ["name": String(repeating: "x", count: byteCount)])
            try context.save()
        }
    }

    @Test("A log that grew for a pinned reader shrinks after the reader ends")
    func grownLog() throws {
        let coordinator = try folder.open(Self.model)
        try save(coordinator, byteCount: 10)
        do {
            let pinned = coordinator.context()
            try pinned.performAndWait {
                try pinned.setQueryGenerationFrom(.current)
                #expect(try pinned.all("Item").count == 1)
            }
            for _ in 0..<6 { try save(coordinator, byteCount: 4 << 20) }
            #expect(try logSize() > 20 << 20)
            try pinned.performAndWait { try pinned.setQueryGenerationFrom(nil) }
        }
        // One save moves what is in the log, the next one begins it anew.
        var count = 7
        while count < 1000, try logSize() > 8 << 20 {
            try save(coordinator, byteCount: 10)
            count += 1
        }
        #expect(try logSize() <= 8 << 20)
        #expect(try coordinator.inContext { try $0.all("Item").count } == count)
    }

    @Test("A log beyond its size limit is emptied")
    func emptiedLog() throws {
        let coordinator = try folder.open(Self.model)
        try save(coordinator, byteCount: 40 << 20)
        #expect(try logSize() == 0)
        #expect(try coordinator.inContext { try $0.all("Item").count } == 1)
    }
}
