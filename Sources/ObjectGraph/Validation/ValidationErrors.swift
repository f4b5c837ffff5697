import Foundation
import ManagedObjectModel

/// Makes validation errors.
enum ValidationErrors {
    /// One failure of one property.
    static func error(
        _ code: Int, _ object: NSManagedObject, key: String, value: Any?, predicate: NSPredicate? = nil,
        sentence: String
    ) -> NSError {
        var userInfo: [String: Any] = [
            NSLocalizedDescriptionKey: sentence,
            NSValidationKeyErrorKey: key,
            NSValidationObjectErrorKey: object,
        ]
        userInfo[NSValidationValueErrorKey] = value
        userInfo[NSValidationPredicateErrorKey] = predicate
        return NSError(domain: NSCocoaErrorDomain, code: code, userInfo: userInfo)
    }

    /// Throws nothing, the only error as it was thrown, or 1560 with all of them; errors that combine others are
    /// taken apart.
    static func throwIfAny(_ errors: [any Error]) throws {
        let single = errors.flatMap { error -> [any Error] in
            let combined = error as NSError
            guard combined.domain == NSCocoaErrorDomain, combined.code == NSValidationMultipleErrorsError,
                let details = combined.userInfo[NSDetailedErrorsKey] as? [NSError]
            else { return [error] }
            return details
        }
        guard let first = single.first else { return }
        guard single.count > 1 else { throw first }
        let sentences = single.map(\.localizedDescription)
        throw NSError(
            domain: NSCocoaErrorDomain, code: NSValidationMultipleErrorsError,
            userInfo: [
                NSLocalizedDescriptionKey:
                    "Multiple validation errors occurred: \(sentences.joined(separator: " "))",
                NSDetailedErrorsKey: single.map { $0 as NSError },
            ])
    }
}
