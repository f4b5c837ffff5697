import CoreDataSQL
import CoreData
import GRDB

/// Whether the files of external data are there, and whether any are there for nothing.
struct ExternalDataCheck {
    private let snapshot: StoreSnapshot
    private let folder: URL

    init(_ snapshot: StoreSnapshot, folder: URL) {
        self.snapshot = snapshot
        self.folder = folder
    }

    func findings() throws -> [StoreFinding] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
        var unused = Set(names.filter { UUID(uuidString: $0) != nil })
        let present = unused
        var findings: [StoreFinding] = []
        let schema = snapshot.schema
        for entity in schema.entities {
            for column in entity.columns where column.role == .value && column.kind == .binary {
                let slot = entity.home.layout.slots[column.slot]
                guard slot.attribute?.allowsExternalBinaryDataStorage == true else { continue }
                let name = "s.\(schema.quoted(column.name))"
                let rows = try GRDB.Row.fetchCursor(
                    snapshot.database,
                    sql: """
                        SELECT s.Z_PK, CAST(substr(\(name), 2, 36) AS TEXT) FROM \(schema.quoted(entity.table)) s \
                        WHERE s.Z_ENT = \(entity.number) AND substr(\(name), 1, 1) = x'02'
                        """)
                var count = 0
                var examples: [String] = []
                while let row = try rows.next() {
                    guard let file = String.fromDatabaseValue(row[1]) else { continue }
                    unused.remove(file)
                    guard !present.contains(file) else { continue }
                    count += 1
                    if examples.count < 5, let key = Int64.fromDatabaseValue(row[0]) {
                        examples.append("\(ObjectReference(entity: entity.name, key: key))")
                    }
                }
                guard count > 0 else { continue }
                findings.append(
                    StoreFinding(
                        .error, .missingFile, entity: entity.name, property: slot.name, count: count,
                        objects: examples, "the value is in a file of external data that is not there")
                )
            }
        }
        // Values of deleted objects that the history has.
        unused.subtract(try snapshot.filesOfHistory())
        if !unused.isEmpty {
            findings.append(
                StoreFinding(
                    .warning, .unusedFile, count: unused.count, objects: Array(unused.sorted().prefix(5)),
                    "a file of external data belongs to no object"))
        }
        return findings
    }
}
