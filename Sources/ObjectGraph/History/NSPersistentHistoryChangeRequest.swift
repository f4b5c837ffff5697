import Foundation
import ManagedObjectModel

/// Asks for the persistent history of stores, or deletes the old part of it.
///
/// ```swift
/// let request = NSPersistentHistoryChangeRequest.fetchHistory(after: lastToken)
/// let result = try context.execute(request) as? NSPersistentHistoryResult
/// let transactions = result?.result as? [NSPersistentHistoryTransaction] ?? []
/// ```
///
/// Stores without history are left out; `affectedStores` chooses among the others. The result has the stores in their
/// order in the coordinator, and of each its transactions in order.
public final class NSPersistentHistoryChangeRequest: NSPersistentStoreRequest {
    /// Where in the history the request begins or ends.
    package enum Limit {
        case none
        case date(Date)
        case token(NSPersistentHistoryToken)
    }

    package private(set) var limit = Limit.none
    package private(set) var deletes = false

    /// What the request returns. By default transactions with their changes, for a fetch request for changes these, for a
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
    /// memory. Transactions have a `token`, which is compared with tokens by its place; a change's `changedEntity` is compared
    /// with entities and their numbers.
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

    /// What was saved after a date.
    public class func fetchHistory(after date: Date) -> Self { request(.date(date)) }

    /// What was saved after a token; everything for nil.
    public class func fetchHistory(after token: NSPersistentHistoryToken?) -> Self {
        request(token.map(Limit.token) ?? .none)
    }

    /// What was saved after a transaction; everything for nil.
    public class func fetchHistory(after transaction: NSPersistentHistoryTransaction?) -> Self {
        fetchHistory(after: transaction?.token)
    }

    /// What meets the conditions of a request; see `fetchRequest`.
    public class func fetchHistory(withFetch fetchRequest: NSFetchRequest<any NSFetchRequestResult>) -> Self {
        let request = request(.none)
        request.fetchRequest = fetchRequest
        return request
    }

    /// What meets the conditions of a request, whatever the type of its results; see `fetchRequest`.
    public class func fetchHistory<ResultType: NSFetchRequestResult>(
        withFetch fetchRequest: NSFetchRequest<ResultType>
    ) -> Self {
        fetchHistory(withFetch: NSFetchRequest<any NSFetchRequestResult>.sharing(fetchRequest))
    }

    /// Deletes what was saved before a date.
    public class func deleteHistory(before date: Date) -> Self { request(.date(date), deletes: true) }

    /// Deletes what was saved before the transaction of a token, in the stores of the token; everything for nil.
    public class func deleteHistory(before token: NSPersistentHistoryToken?) -> Self {
        request(token.map(Limit.token) ?? .none, deletes: true)
    }

    /// Deletes what was saved before a transaction, in its store; everything for nil.
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
