#if DEBUG
import Synchronization

/// Sees each statement that is rendered in a process, and each schema that is made: how tests render them by other dialects. Release
/// builds have no such thing.
package protocol StatementObserver: Sendable {
    /// Any thread may call it, with a lock of a store perhaps.
    func willRender(_ statement: SQLStatement)
    func willMake(schema statements: [SQLStatement])
}

package enum StatementObservers {
    private static let observer = Mutex<(any StatementObserver)?>(nil)

    static var current: (any StatementObserver)? { observer.withLock { $0 } }

    /// Makes an observer the one of the process from now on.
    package static func install(_ new: any StatementObserver) { observer.withLock { $0 = new } }
}
#endif
