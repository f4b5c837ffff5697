import Foundation

extension NSError {
    /// Whether the error is a conflict with another save: 133020.
    package var isMergeConflict: Bool { domain == NSCocoaErrorDomain && code == NSManagedObjectMergeError }

    /// 133020 for a file that is not any more what was read from it.
    package static func changedByOthers(_ url: URL) -> NSError {
        .coreData(
            .managedObjectMerge,
            "The store at \(url.path) was changed or removed by another program since it was read.",
            [NSFilePathErrorKey: url.path])
    }
}
