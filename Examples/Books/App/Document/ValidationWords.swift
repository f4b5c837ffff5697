import CoreData

/// Says what validation found wrong, in words for people.
enum ValidationWords {
    /// One sentence for the failure of one property.
    static func sentence(_ error: NSError, _ key: String) -> String {
        let isMissing =
            error.code == NSValidationMissingMandatoryPropertyError
            || error.code == NSValidationStringTooShortError
        switch (key, error.code) {
        case ("title", _) where isMissing: return "A book needs a title."
        case ("name", _) where isMissing: return "An author needs a name."
        case ("price", NSValidationNumberTooSmallError): return "A price cannot be below zero."
        default: return error.localizedDescription
        }
    }

    /// The sentences of a failed save, each with the object it is about.
    static func sentences(_ error: any Error) -> [String] {
        let error = error as NSError
        let details = error.userInfo[NSDetailedErrorsKey] as? [NSError] ?? [error]
        return details.map { detail in
            guard let key = detail.userInfo[NSValidationKeyErrorKey] as? String else {
                return detail.localizedDescription
            }
            let sentence = sentence(detail, key)
            switch detail.userInfo[NSValidationObjectErrorKey] {
            case let book as Book: return "“\(book.title ?? "A book")”: \(sentence)"
            case let author as Author: return "\(author.name ?? "An author"): \(sentence)"
            default: return sentence
            }
        }
    }
}
