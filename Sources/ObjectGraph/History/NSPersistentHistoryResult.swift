import Foundation

/// The abstract superclass of what `NSManagedObjectContext.execute(_:)` returns. Cast it to the subclass that belongs to the request, such
/// as `NSBatchUpdateResult`, `NSPersistentHistoryResult` or `NSAsynchronousFetchResult`.
open class NSPersistentStoreResult: NSObject {}

/// The result of an `NSPersistentHistoryChangeRequest`, in the form that the request's `resultType` asks for.
///
/// ```swift
/// let request = NSPersistentHistoryChangeRequest.fetchHistory(after: token)
/// let found = try context.execute(request) as? NSPersistentHistoryResult
/// for transaction in found?.result as? [NSPersistentHistoryTransaction] ?? [] {
///     print(transaction.timestamp, transaction.changes?.count ?? 0)
/// }
/// ```
///
/// `result` is an array of transactions, changes or object IDs, a number, or a Boolean: cast it to the type that
/// `NSPersistentHistoryResultType` describes. It is read as a whole when the request is executed.
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
