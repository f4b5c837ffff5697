import Synchronization

/// Work on expressions that are input, in which reading a key that an object does not have is an error.
///
/// Anywhere else that is a mistake of the program, which stops it. Code that looks up keys notes unknown ones here; so
/// every way to a key counts, and classes with keys of their own are called as usual.
package enum UnknownKeys {
    private final class Found: Sendable {
        let first = Mutex<String?>(nil)
    }

    @TaskLocal private static var found: Found?

    /// Runs work.
    ///
    /// - Throws: ``PredicateEvaluationError`` for the first unknown key, else what the work throws.
    package static func throwing<Value>(_ work: () throws -> Value) throws -> Value {
        let found = Found()
        let result = Result { try $found.withValue(found, operation: work) }
        if let message = found.first.withLock({ $0 }) { throw PredicateEvaluationError(.predicate, message) }
        return try result.get()
    }

    /// Notes an unknown key.
    ///
    /// - Returns: false outside of such work, so that the program has to stop.
    package static func note(_ message: String) -> Bool {
        guard let found else { return false }
        found.first.withLock { $0 = $0 ?? message }
        return true
    }
}
