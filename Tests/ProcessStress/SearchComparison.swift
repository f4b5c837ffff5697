import CoreData
import GRDB

/// Compares the notes that a search finds with all there are.
struct SearchComparison {
    /// What tells a note from others.
    typealias Key = [Int]
    typealias Note = (key: Key, title: String)

    /// Whose notes are compared; nil for those of all processes.
    let worker: Int?

    private static let keys = ["worker", "generation", "serial", "position"]

    /// The notes that meet a condition, or all, as the framework has them.
    func request(_ condition: NSPredicate?) -> NSFetchRequest<NSDictionary> {
        let request = NSFetchRequest<NSDictionary>(entityName: "Note")
        request.resultType = .dictionaryResultType
        request.propertiesToFetch = Self.keys + ["title"]
        let own = worker.map { NSPredicate(format: "worker == %d", $0) }
        let parts = [condition, own].compactMap(\.self)
        if !parts.isEmpty {
            request.predicate = NSCompoundPredicate(andPredicateWithSubpredicates: parts)
        }
        return request
    }

    func found(_ question: SearchQuestion, in context: NSManagedObjectContext) throws -> [Key] {
        try context.fetch(request(question.predicate)).map(key)
    }

    func fetched(in context: NSManagedObjectContext) throws -> [Note] {
        try context.fetch(request(nil)).map { (key($0), $0["title"] as? String ?? "") }
    }

    private func key(_ row: NSDictionary) -> Key {
        Self.keys.map { (row[$0] as? NSNumber)?.intValue ?? -1 }
    }

    /// All notes, without the framework.
    func stored(_ database: Database) throws -> [Note] {
        let columns = (Self.keys + ["title"]).map { "Z\($0.uppercased())" }.joined(separator: ", ")
        let rows = try GRDB.Row.fetchAll(
            database, sql: "SELECT \(columns) FROM ZNOTE WHERE ?1 IS NULL OR ZWORKER = ?1",
            arguments: [worker])
        return rows.map { row in
            (Self.keys.indices.map { Int.fromDatabaseValue(row[$0]) ?? -1 }, row["ZTITLE"] as String? ?? "")
        }
    }

    /// What a search has found otherwise than a look at all notes does, in words.
    static func difference(_ question: SearchQuestion, _ found: [Key], among all: [Note]) -> String? {
        let expected = all.filter { question.isMet(by: $0.title) }
        guard found.sorted(by: isBefore) != expected.map(\.key).sorted(by: isBefore) else { return nil }
        let missing = expected.filter { !found.contains($0.key) }
        let wrong = found.filter { key in !expected.contains { $0.key == key } }
        return
            "the search \(question.predicate) does not find \(missing), and finds \(wrong), of \(all.count) notes"
    }

    private static func isBefore(_ one: Key, _ other: Key) -> Bool { one.lexicographicallyPrecedes(other) }
}
