import Foundation

/// The result of a request other than a fetch. Use a subclass.
open class NSPersistentStoreResult: NSObject {}

/// The result of an `NSPersistentHistoryChangeRequest`, in the form that the request's `resultType` asks for.
///
/// `result` is an array of transactions, changes or object IDs, a number, or a Boolean: cast it to the type that `resultType`
/// describes.
public final class NSPersistentHistoryResult: NSPersistentStoreResult {
    /// The result, of the type that `NSPersistentHistoryResultType` says.
    public let result: Any?
    /// What kind of result it is.
    public let resultType: NSPersistentHistoryResultType

    init(_ result: Any?, _ type: NSPersistentHistoryResultType) {
        self.result = result
        resultType = type
    }
}
