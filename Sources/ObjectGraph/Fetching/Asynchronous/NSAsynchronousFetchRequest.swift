import Foundation
import ManagedObjectModel

/// The type of an asynchronous fetch's completion block for a request without a result type.
public typealias NSPersistentStoreAsynchronousFetchResultCompletionBlock = (
    NSAsynchronousFetchResult<any NSFetchRequestResult>
) -> Void

/// A fetch whose store is queried on another thread, so that the context's queue, which may be the main queue, is free
/// meanwhile.
///
/// ```swift
/// let request = NSAsynchronousFetchRequest(fetchRequest: books) { result in
///     self.show(result.finalResult ?? [])
/// }
/// let result = try context.execute(request) as? NSAsynchronousFetchResult<Book>
/// cancelButton.action = { result?.cancel() }
/// ```
///
/// `execute(_:)` checks the request and returns at once; the completion block runs on the context's queue. The result
/// is that of the same fetch at that moment, with the context's unsaved changes.
///
/// Rows and dictionaries of one SQLite store are read on another thread; other fetches, and those of a context with a
/// parent, run on the context's queue, later. The index that a search needs (`NSPredicate(searching:)`) is brought up to date on another
/// thread in any case.
open class NSAsynchronousFetchRequest<ResultType>: NSPersistentStoreRequest {
    /// What is fetched.
    public private(set) var fetchRequest: NSFetchRequest<ResultType>
    /// Is called on the context's queue with the result or the error.
    public private(set) var completionBlock: ((NSAsynchronousFetchResult<ResultType>) -> Void)?
    /// The approximate number of objects in the result; the total of its progress. 0 for unknown.
    open var estimatedResultCount = 0

    /// A fetch without an entity, which cannot be executed.
    public required init() { fetchRequest = NSFetchRequest() }

    /// An asynchronous form of a fetch.
    public init(
        fetchRequest request: NSFetchRequest<ResultType>,
        completionBlock blk: ((NSAsynchronousFetchResult<ResultType>) -> Void)? = nil
    ) {
        fetchRequest = request
        completionBlock = blk
    }

    public override var requestType: NSPersistentStoreRequestType { .fetchRequestType }

    public override func copy(with zone: NSZone? = nil) -> Any {
        let copy = Self()
        copy.affectedStoreObjects = affectedStoreObjects
        copy.fetchRequest = fetchRequest.copy() as? NSFetchRequest<ResultType> ?? fetchRequest
        copy.completionBlock = completionBlock
        copy.estimatedResultCount = estimatedResultCount
        return copy
    }
}

/// The result of an asynchronous fetch: `finalResult` is nil until the fetch is complete, and after an error.
///
/// ```swift
/// let request = NSAsynchronousFetchRequest(fetchRequest: fetch) { result in
///     print(result.finalResult?.count ?? 0, result.operationError ?? "")
/// }
/// ```
///
/// It is returned at once by `NSManagedObjectContext.execute(_:)`, to observe or cancel the fetch, and passed to the request's completion
/// block when the fetch has ended. Use it on the context's queue.
open class NSAsynchronousFetchResult<ResultType>: NSPersistentStoreAsynchronousResult {
    /// The request that this is the result of.
    public let fetchRequest: NSAsynchronousFetchRequest<ResultType>
    /// What the fetch found: empty when it was cancelled; nil before the end, and when it failed.
    public fileprivate(set) var finalResult: [ResultType]?

    init(_ request: NSAsynchronousFetchRequest<ResultType>, _ context: NSManagedObjectContext) {
        fetchRequest = request
        super.init(context, estimatedCount: request.estimatedResultCount)
    }
}

/// An asynchronous fetch of any type.
protocol AsynchronousFetch: NSPersistentStoreRequest {
    /// Begins to fetch. Called on the context's queue.
    ///
    /// - Throws: 134060 with what is wrong with the request.
    func start(in context: NSManagedObjectContext) throws -> NSPersistentStoreAsynchronousResult
}

extension NSAsynchronousFetchRequest: AsynchronousFetch {
    func start(in context: NSManagedObjectContext) throws -> NSPersistentStoreAsynchronousResult {
        // Later changes of the request by the caller do not count.
        let request = fetchRequest.copy() as? NSFetchRequest<ResultType> ?? fetchRequest
        request.affectedStores = affectedStores ?? request.affectedStores
        let fetch = try ResolvedFetch(request, context)
        let result = NSAsynchronousFetchResult(self, context)
        if fetch.specification.predicate?.searches ?? false {
            Self.read(request, result, afterIndexing: fetch.stores)
        } else {
            Self.read(request, result, Result { try ReadAhead.PreparedQuery(fetch, in: context) })
        }
        return result
    }

    /// Brings the search indexes of stores up to date before the query is prepared, which would wait for them on the context's queue.
    private static func read(
        _ request: NSFetchRequest<ResultType>, _ result: NSAsynchronousFetchResult<ResultType>,
        afterIndexing stores: [any ObjectStore]
    ) {
        let work = Transfer((request: request, result: result))
        let (context, cancellation) = (result.managedObjectContext, result.cancellation)
        DispatchQueue.global().async {
            let indexing = Result { try StoreSearch.update(stores) { cancellation.isCancelled } }
            context.contextQueue.async {
                let (request, result) = work.value
                context.runEvent {
                    let preparedQuery = Result {
                        try indexing.get()
                        return try ReadAhead.PreparedQuery(ResolvedFetch(request, context), in: context)
                    }
                    Self.read(request, result, preparedQuery)
                }
            }
        }
    }

    private static func read(
        _ request: NSFetchRequest<ResultType>, _ result: NSAsynchronousFetchResult<ResultType>,
        _ preparedQuery: Result<ReadAhead.PreparedQuery?, any Error>
    ) {
        // The caller leaves them to the context's queue; the one that reads passes them on.
        let work = Transfer((context: result.managedObjectContext, request: request, result: result))
        let (cancellation, progress) = (result.cancellation, result.progress)
        DispatchQueue.global().async {
            let answer = Result {
                try preparedQuery.get().map {
                    try ReadAhead($0, cancellation) { progress?.completedUnitCount = Int64($0) }
                }
            }
            work.value.context.contextQueue.async {
                let (context, request, result) = work.value
                context.runEvent { Self.finish(request, result, answer) }
            }
        }
    }

    private static func finish(
        _ request: NSFetchRequest<ResultType>, _ result: NSAsynchronousFetchResult<ResultType>,
        _ ahead: Result<ReadAhead?, any Error>
    ) {
        do {
            guard !result.cancellation.isCancelled else { throw FetchCancellation.error }
            request.answer = try ahead.get()
            let objects = try result.managedObjectContext.fetchAny(request)
            guard let typed = objects as? [ResultType] else {
                throw NSError.coreData(
                    .coreData, "The request asks for \(ResultType.self), but the result has other elements.")
            }
            result.finalResult = typed
        } catch  where result.cancellation.isCancelled && FetchCancellation.isError(error) {
            // As Apple's: a cancelled request reports no error.
            result.finalResult = []
        } catch {
            result.operationError = error
        }
        // A progress without units never ends, nor would its parent.
        let count = Int64(max(result.finalResult?.count ?? 0, 1))
        result.progress?.totalUnitCount = count
        result.progress?.completedUnitCount = count
        result.fetchRequest.completionBlock?(result)
    }
}
