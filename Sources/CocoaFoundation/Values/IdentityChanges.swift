import Synchronization

/// How often objects of this process have taken another identity, as new ones do when they are saved.
///
/// What was made of identities that are not permanent is good as long as this number stays the same.
package enum IdentityChanges {
    private static let changes = Atomic<Int>(0)

    /// The number of changes so far.
    static var count: Int { changes.load(ordering: .acquiring) }

    /// To be called after each change, and once after many.
    package static func note() { changes.add(1, ordering: .releasing) }
}
