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
    /// What the trigram index leaves to be read, or why it is not used, one sentence a line; empty where no condition asks for it.
    package let indexNotes: [String]
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
        let tables = tables
        let compiler = FetchCompiler(schema: tables.schema)
        let selection = tables.selection(of: tables.schema.entity(query.storedEntity))
        let statement = try tables.schema.dialect.render(
            query.resultType == .dictionaryResultType
                ? compiler.dictionaries(query).0 : compiler.rows(query, columns: selection.list))
        let plan = try read("explain") { try FetchInspection.plan(statement, $0) }
        return FetchExplanation(statement: statement.text, plan: plan, indexNotes: query.indexNotes)
    }
}
