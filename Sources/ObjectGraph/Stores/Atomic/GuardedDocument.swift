import Foundation

/// A store in a document that tools write only while its file holds what they have read: one that was added with
/// `DocumentStore.guardsFileOption`.
package protocol GuardedDocument: NSAtomicStore, ObjectStore {
    /// What the file held when it was read or written last; nil for a store without the option.
    var knownContents: Data? { get }
}

extension DocumentStore: GuardedDocument {}
