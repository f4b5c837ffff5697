import CoreData
import Foundation
import GRDB
import TestSupport
import Testing

/// New stores have the schema that Apple's framework gave to the stores of the corpus, letter by letter but for white
/// space, from the copies of the models in those.
@Suite(.enabled(if: Corpus.isPresent, "\(Corpus.missing)"), .serialized)
struct SchemaTextTests {
    /// The texts of a file's schema, by type and name. Tables that SQLite makes itself are left out.
    private func texts(_ folder: StoreFolder) throws -> [String: String] {
        let rows = try folder.rows(
            "SELECT type || ' ' || name, sql FROM sqlite_master WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite_%'")
        return Dictionary(
            uniqueKeysWithValues: rows.map {
                (String.fromDatabaseValue($0[0]) ?? "", Self.compacted(String.fromDatabaseValue($0[1]) ?? ""))
            })
    }

    /// A text without white space that means nothing.
    private static func compacted(_ text: String) -> String {
        let words = text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
        return words.replacing(" (", with: "(").replacing("( ", with: "(").replacing(" )", with: ")")
            .replacing(" ,", with: ",").replacing(", ", with: ",").replacing(" ;", with: ";")
    }

    @Test func schemasAreApples() throws {
        var (compared, equal, statements, equalStatements) = (0, 0, 0, 0)
        for store in CorpusStore.all {
            let apples = try store.copy()
            guard try apples.hasTable("Z_MODELCACHE") else { continue }
            let theirs = try texts(apples)
            let model = try NSPersistentStoreCoordinator.cachedModelForPersistentStore(
                ofType: NSSQLiteStoreType, at: apples.file)
            let own = try StoreFolder()
            let tracksHistory = try apples.hasTable("ACHANGE")
            compared += 1
            do {
                try own.open(model, [NSPersistentHistoryTrackingKey: tracksHistory]).close()
            } catch {
                print("## \(store.name): \(error)")
                continue
            }
            let ours = try texts(own)
            var differences: [String] = []
            for name in Set(theirs.keys).union(ours.keys).sorted() {
                statements += 1
                if theirs[name] == ours[name] {
                    equalStatements += 1
                } else {
                    differences.append("\(name)\n   A \(theirs[name] ?? "-")\n   O \(ours[name] ?? "-")")
                }
            }
            if differences.isEmpty { equal += 1 } else {
                print("## \(store.name): \(try apples.metadata()["NSPersistenceFrameworkVersion"] ?? "")")
                for difference in differences { print(difference) }
            }
        }
        print("schema: \(equal) of \(compared) stores equal, \(equalStatements) of \(statements) statements")
    }
}
