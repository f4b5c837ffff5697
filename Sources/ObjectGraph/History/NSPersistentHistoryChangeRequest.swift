import Foundation
import ManagedObjectModel

/// Requests the persistent history of stores, or deletes the old part of it.
///
/// ```swift
/// let request = NSPersistentHistoryChangeRequest.fetchHistory(after: lastToken)
/// let result = try context.execute(request) as? NSPersistentHistoryResult
/// let transactions = result?.result as? [NSPersistentHistoryTransaction] ?? []
/// ```
///
/// Stores without history are left out; `affectedStores` chooses among the others. The result has the stores in their
/// order in the coordinator, and the transactions of each in order.
public final class NSPersistentHistoryChangeRequest: NSPersistentStoreRequest {
    /// The position in the history where the request begins or ends.
    enum Limit {
        case none
        case date(Date)
        case token(NSPersistentHistoryToken)
    }

    private(set) var limit = Limit.none
    private(set) var deletes = false

    /// The type of the result. By default transactions with their changes, for a fetch request for changes these, for a
    /// deletion the status only.
    public var resultType: NSPersistentHistoryResultType {
        get { chosenResultType ?? defaultResultType }
        set { chosenResultType = newValue }
    }
    private var chosenResultType: NSPersistentHistoryResultType?

    private var defaultResultType: NSPersistentHistoryResultType {
        if deletes { return .statusOnly }
        let isForChanges = fetchRequest?.fetchSpecification?.entityName == HistoryEntities.shared.change.name
        return isForChanges ? .changesOnly : .transactionsAndChanges
    }

    /// Further conditions, order, limit and offset: a request for the entity of `NSPersistentHistoryTransaction` or
    /// `NSPersistentHistoryChange`; of a deletion, for transactions, and only those are deleted. Conditions are evaluated in
    /// memory. Transactions have a `token`, which is compared with tokens by its position; a change's `changedEntity` is
    /// compared with entities and their numbers.
    public var fetchRequest: NSFetchRequest<any NSFetchRequestResult>?

    /// The token that the request was made with, or that of its transaction.
    public var token: NSPersistentHistoryToken? {
        if case .token(let token) = limit { return token }
        return nil
    }

    /// Creates a request for all of the history.
    public required init() {}

    /// `fetchRequestType`: Apple's framework has a value of its own here, which its enumeration does not name.
    public override var requestType: NSPersistentStoreRequestType { .fetchRequestType }

    private static func request(_ limit: Limit, deletes: Bool = false) -> Self {
        let request = Self()
        request.limit = limit
        request.deletes = deletes
        return request
    }

    /// Requests the transactions after a date.
    public class func fetchHistory(after date: Date) -> Self { request(.date(date)) }

    /// Requests the transactions after a token; all for nil.
    public class func fetchHistory(after token: NSPersistentHistoryToken?) -> Self {
        request(token.map(Limit.token) ?? .none)
    }

    /// Requests the transactions after a transaction; all for nil.
    public class func fetchHistory(after transaction: NSPersistentHistoryTransaction?) -> Self {
        fetchHistory(after: transaction?.token)
    }

    /// Requests the history that meets the conditions of a request; see `fetchRequest`.
    public class func fetchHistory(withFetch fetchRequest: NSFetchRequest<any NSFetchRequestResult>) -> Self {
        let request = request(.none)
        request.fetchRequest = fetchRequest
        return request
    }

    /// Requests the history that meets the conditions of a request of any result type; see `fetchRequest`.
    public class func fetchHistory<ResultType: NSFetchRequestResult>(
        withFetch fetchRequest: NSFetchRequest<ResultType>
    ) -> Self {
        fetchHistory(withFetch: NSFetchRequest<any NSFetchRequestResult>.sharing(fetchRequest))
    }

    /// Deletes the transactions before a date.
    public class func deleteHistory(before date: Date) -> Self { request(.date(date), deletes: true) }

    /// Deletes the transactions before that of a token, in the stores of the token; all for nil.
    public class func deleteHistory(before token: NSPersistentHistoryToken?) -> Self {
        request(token.map(Limit.token) ?? .none, deletes: true)
    }

    /// Deletes the transactions before a transaction, in its store; all for nil.
    public class func deleteHistory(before transaction: NSPersistentHistoryTransaction?) -> Self {
        deleteHistory(before: transaction?.token)
    }

    public override func copy(with zone: NSZone? = nil) -> Any {
        let copy = Self.request(limit, deletes: deletes)
        copy.affectedStoreObjects = affectedStoreObjects
        copy.chosenResultType = chosenResultType
        copy.fetchRequest = fetchRequest?.copy() as? NSFetchRequest<any NSFetchRequestResult>
        return copy
    }
}
