import CoreDataSQL
import CoreData

/// Whether the files of external data are there, and whether any are there for nothing.
struct ExternalDataCheck {
    private let contents: any StoreContents
    private let present: Set<String>

    /// - Parameter files: the names of those that are beside the store.
    init(_ contents: any StoreContents, files: [String]) {
        self.contents = contents
        present = Set(files)
    }

    func findings() throws -> [StoreFinding] {
        var unused = present
        var findings: [StoreFinding] = []
        for entity in contents.schema.entities {
            for column in entity.columns where column.role == .value && column.kind == .binary {
                let slot = entity.storedEntity.layout.slots[column.slot]
                guard slot.attribute?.allowsExternalBinaryDataStorage == true else { continue }
                var missing = FoundRows()
                try contents.forEachExternalFile(of: entity, column) { key, file in
                    unused.remove(file)
                    if !present.contains(file) { missing.add(key) }
                }
                let finding = StoreFinding(
                    .error, .missingFile, missing, of: entity.name, property: slot.name,
                    "the value is in a file of external data that does not exist")
                if let finding { findings.append(finding) }
            }
        }
        // Values of deleted objects that the history has.
        unused.subtract(try contents.filesOfHistory())
        if !unused.isEmpty {
            findings.append(
                StoreFinding(
                    .warning, .unusedFile, count: unused.count, objects: Array(unused.sorted().prefix(5)),
                    "a file of external data belongs to no object"))
        }
        return findings
    }
}
