import CoreDataSQL
import Foundation
import GRDB

/// Notes the statements that a connection runs, for tools that show them: what is read of a store by other means than one fetch.
package struct StatementTrace {
    /// The text and the time of each statement, in the order in which they began.
    private final class Timings {
        var runs: [(text: String, start: ContinuousClock.Instant, seconds: Double?)] = []

        func take(_ event: Database.TraceEvent) {
            switch event {
            case .statement(let statement):
                // What triggers and virtual tables run is reported as a comment.
                guard !statement.sql.hasPrefix("--") else { return }
                runs.append((statement.sql, .now, nil))
            case .profile(let statement, _):
                // SQLite counts milliseconds, which is too coarse.
                let text = statement.sql
                guard let position = runs.lastIndex(where: { $0.seconds == nil && $0.text == text }) else {
                    return
                }
                end(position)
            }
        }

        func end(_ position: Int) {
            runs[position].seconds = (ContinuousClock.now - runs[position].start) / .seconds(1)
        }
    }

    /// Runs a block, and returns the statements that it ran on a connection, each SQL string once.
    ///
    /// - Throws: what the block throws; an error of SQLite.
    package static func during<Value>(
        _ database: Database, _ body: () throws -> Value
    ) throws -> (value: Value, executions: [FetchInspection.Execution]) {
        let notes = Timings()
        database.trace(options: [.statement, .profile]) { notes.take($0) }
        let value: Value
        do {
            defer { database.trace(options: []) }
            value = try body()
        }
        for position in notes.runs.indices where notes.runs[position].seconds == nil { notes.end(position) }
        var executions: [FetchInspection.Execution] = []
        var positions: [String: Int] = [:]
        for (text, _, seconds) in notes.runs {
            if let position = positions[text] {
                executions[position].add(count: 1, seconds: seconds ?? 0)
            } else {
                positions[text] = executions.count
                // Without arguments, of which the way does not depend.
                let plan = try FetchInspection.plan(RenderedSQL(text), database)
                executions.append(.init(statement: text, plan: plan, seconds: seconds ?? 0))
            }
        }
        return (value, executions)
    }
}
