import Foundation
import Synchronization
import Testing

@testable import CoreDataSQL
import CoreDataSQLite

/// Renders each statement of the process by `FakeDialect`, too, and reports what it refuses as an issue of the test that runs.
///
/// It is installed with the traits of `FakeDialectTests`, which are made, like those of all suites, before the first test runs.
final class DialectObserver: StatementObserver {
    private struct Seen {
        /// The statements that were checked, by the hashes of their texts.
        var statements: Set<Int> = []
        var refused: Set<String> = []
    }

    static let shared = DialectObserver()

    private let seen = Mutex(Seen())
    private let file = StatementFile.ofEnvironment

    /// How many different statements were checked.
    var count: Int { seen.withLock { $0.statements.count } }

    static func install() { StatementObservers.install(shared) }

    func willRender(_ statement: SQLStatement) {
        do {
            guard let text = try FakeDialect.rendered(statement) else { return }
            let isNew = seen.withLock { $0.statements.insert(text.hashValue).inserted }
            if isNew { file?.add(statement) }
        } catch {
            var text = SQLText()
            try? SQLiteDialect().write(statement, to: &text)
            let sentence = "Not standard SQL: \(error). The statement: \(text.text)"
            if seen.withLock({ $0.refused.insert(sentence).inserted }) {
                Issue.record(Comment(rawValue: sentence))
            }
        }
    }

    func willMake(schema statements: [SQLStatement]) { file?.add(schema: statements) }
}

/// Installs the observer of statements.
struct ObservingStatements: SuiteTrait {
    init() { DialectObserver.install() }
}

extension Trait where Self == ObservingStatements {
    static var observingStatements: ObservingStatements { ObservingStatements() }
}
