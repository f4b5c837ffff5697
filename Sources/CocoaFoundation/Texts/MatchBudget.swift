/// What the regular expressions of one request may cost: a fetch, a count, the evaluation of a predicate.
///
/// A regular expression may take as many steps as there are atoms in the universe. A bound for each string would still be hours
/// for the strings of a table, so all of them share one. The request runs inside of ``sharing(_:)``; whatever it evaluates
/// on its thread takes from its budget, also inside of SQLite, and requests that it makes meanwhile.
package enum MatchBudget {
    /// How often ICU may report that a match still goes on, each time after some ten thousand steps: about half a second.
    /// Reports that are in proportion to the length of the string do not count.
    static let limit = 2_000

    /// The key of a thread's budget. The value is what is left and one more, as a pointer; nil without a request.
    private static let key: pthread_key_t = {
        var key = pthread_key_t()
        pthread_key_create(&key, nil)
        return key
    }()

    private static var left: Int? {
        get { pthread_getspecific(key).map { Int(bitPattern: $0) - 1 } }
        set { pthread_setspecific(key, newValue.flatMap { UnsafeMutableRawPointer(bitPattern: $0 + 1) }) }
    }

    /// Runs a request, or a part of one: inside of another request the budget is that one's.
    package static func sharing<Value, Failure: Error>(
        _ body: () throws(Failure) -> Value
    ) throws(Failure) -> Value {
        guard pthread_getspecific(key) == nil else { return try body() }
        left = limit
        defer { left = nil }
        return try body()
    }

    /// Takes one report from the budget of the request; false when nothing is left.
    static func take() -> Bool {
        guard let left, left > 0 else { return false }
        self.left = left - 1
        return true
    }
}
