import Synchronization

/// What `FETCH(request, context, countOnly)` in a format string becomes.
///
/// The expression for a fetch belongs to Core Data, a module above this one; it installs here how to make it.
package enum FetchExpressions {
    /// Makes an expression from those of the fetch request, of the context and of whether only the number of
    /// objects is wanted.
    package typealias Factory =
        @Sendable (
            _ request: NSExpression, _ context: NSExpression, _ countOnly: NSExpression
        ) throws -> NSExpression

    /// Installs how fetch expressions are made.
    package static func install(_ factory: @escaping Factory) {
        installed.withLock { $0 = factory }
    }

    /// How fetch expressions are made; `nil` before it is installed.
    static var factory: Factory? { installed.withLock { $0 } }

    private static let installed = Mutex<Factory?>(nil)
}
