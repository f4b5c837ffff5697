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
}
