import Foundation

extension NSError {
    /// A Core Data error in Apple's domain with a sentence for a person.
    package static func coreData(
        _ code: CocoaError.Code, _ sentence: String, _ details: [String: Any] = [:]
    ) -> NSError {
        var userInfo = details
        userInfo[NSLocalizedDescriptionKey] = sentence
        return NSError(domain: NSCocoaErrorDomain, code: code.rawValue, userInfo: userInfo)
    }

    /// The error of a migration.
    ///
    /// - Parameter reason: the end of a sentence without its full stop.
    package static func migration(_ reason: String, _ cause: NSError? = nil) -> NSError {
        var userInfo: [String: Any] = ["reason": reason]
        userInfo[NSUnderlyingErrorKey] = cause
        return .coreData(.migration, "The store cannot be migrated to the model: \(reason)", userInfo)
    }

    /// The error of reading or writing a store that its coordinator has closed.
    package static var removedStore: NSError {
        .coreData(.persistentStoreOperation, "The store was removed from its coordinator.")
    }

    /// Whether it is `removedStore`, and not another error of an operation.
    package var isRemovedStore: Bool {
        let removed = NSError.removedStore
        return domain == removed.domain && code == removed.code
            && localizedDescription == removed.localizedDescription
    }
}
