import Foundation

extension NSError {
    /// Whether somebody else has changed what was to be saved: 133020.
    package var isMergeConflict: Bool { domain == NSCocoaErrorDomain && code == NSManagedObjectMergeError }
}
