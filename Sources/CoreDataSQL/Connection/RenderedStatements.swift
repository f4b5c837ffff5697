import Synchronization

/// Statements of one database by what they do, each rendered once: a save of one object would take longer to write its statements than to
/// run some of them.
package final class RenderedStatements<Key: Hashable & Sendable>: Sendable {
    /// How many are kept. Sets of changed attributes are without number.
    private static var limit: Int { 500 }

    private let dialect: any SQLDialect
    private let statements = Mutex<[Key: RenderedSQL]>([:])

    package init(_ dialect: any SQLDialect) { self.dialect = dialect }

    /// - Throws: 134060 for a statement that the database has no form for.
    package func statement(_ key: Key, _ make: () -> SQLStatement) throws -> RenderedSQL {
        if let known = statements.withLock({ $0[key] }) { return known }
        let made = try dialect.render(make())
        statements.withLock { statements in
            if statements.count >= Self.limit { statements = [:] }
            statements[key] = made
        }
        return made
    }
}
