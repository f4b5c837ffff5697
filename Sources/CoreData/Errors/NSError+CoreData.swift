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

    /// The error of reading or writing a store that its coordinator has closed.
    static var removedStore: NSError {
        .coreData(.persistentStoreOperation, "The store was removed from its coordinator.")
    }
}
