import Foundation

extension CocoaError {
    /// An error of reading or writing an archive, with a sentence for people.
    static func coding(
        _ code: CocoaError.Code, _ sentence: String, underlying: (any Error)? = nil
    ) -> CocoaError {
        var userInfo: [String: Any] = [
            NSLocalizedDescriptionKey: sentence, NSDebugDescriptionErrorKey: sentence,
        ]
        if let underlying { userInfo[NSUnderlyingErrorKey] = underlying }
        return CocoaError(code, userInfo: userInfo)
    }
}
