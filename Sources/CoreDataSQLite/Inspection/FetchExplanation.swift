import CoreDataSQL
import ObjectGraph
import Foundation
import GRDB
import ManagedObjectModel

/// How a SQLite store executes a fetch request.
package struct FetchExplanation: Sendable {
    /// The statement, with a question mark for each bound value.
    package let statement: String
    /// What SQLite says of its way to the rows, one step a line: `SEARCH t0 USING INDEX …`.
    package let plan: [String]
}

extension NSManagedObjectContext {
    /// How the SQLite stores that hold the entity execute a request; unsaved changes, which are merged later, play no part.
    ///
    /// - Throws: as `fetch(_:)`, with what a store cannot execute.
    package func explanations<T>(of request: NSFetchRequest<T>) throws -> [FetchExplanation] {
        let fetch = try ResolvedFetch(request, self)
        return try fetch.stores.compactMap { $0 as? SQLiteStore }.map {
            try $0.explanation(of: fetch.query($0))
        }
    }
}

extension SQLiteStore {
    fileprivate func explanation(of query: FetchQuery) throws -> FetchExplanation {
        let compiler = FetchCompiler(schema: schema)
        let statement =
            query.resultType == .dictionaryResultType
            ? try compiler.dictionaries(query).0
            : try compiler.rows(query, columns: decoder(schema.entity(query.home)).columnList)
        let explain = SQLStatement("EXPLAIN QUERY PLAN \(statement.text)", statement.arguments)
        let plan = try read("explain") { database in
            var lines: [String] = []
            try SQLiteReader(database).step(explain) { lines.append(SQLiteReader.text($0, 3)) }
            return lines
        }
        return FetchExplanation(statement: statement.text, plan: plan)
    }
}
