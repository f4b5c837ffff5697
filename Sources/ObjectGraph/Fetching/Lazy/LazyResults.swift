import CocoaFoundation
import Foundation
import ManagedObjectModel

/// The objects that a fetch request finds, instantiated on demand: a collection that keeps only identities, at most eight bytes
/// an object of one entity, and reads rows batch by batch.
///
/// ```swift
/// let request = NSFetchRequest<Book>(entityName: "Book")
/// request.sortDescriptors = [NSSortDescriptor(key: "title", ascending: true)]
/// request.fetchBatchSize = 500
/// for book in try context.lazyResults(of: request) { print(book.title ?? "") }
/// ```
///
/// The objects and their order are fixed when the collection is made. A batch has `fetchBatchSize` objects, by default 100; it
/// is read when one of them is first accessed. The collection keeps the two batches that were used last and releases older
/// ones, so an iteration over ten million rows takes the memory of their identities and of what the row cache holds. Objects
/// with other owners stay as they are.
///
/// The objects are those that `fetch(_:)` with the same request would return, unsaved changes included. An object that was
/// deleted since remains in the collection, as a fault whose row is gone. Copies share loaded objects. Use it on the context's
/// queue.
///
/// Ours: Apple's framework has its lazy array only as an `NSArray`, which Swift's arrays cannot be.
public struct LazyResults<Object: NSManagedObject>: RandomAccessCollection {
    private let source: LazyObjects

    init(_ source: LazyObjects) { self.source = source }

    /// Always 0.
    public var startIndex: Int { 0 }

    /// How many objects there are. O(1).
    public var endIndex: Int { source.count }

    /// The object at an index. O(1), after at most one request for its batch and one for each relationship that is
    /// prefetched with it.
    ///
    /// When the batch cannot be read, the object is a fault, and the next save reports the error.
    public subscript(position: Int) -> Object {
        precondition(indices.contains(position), "The results have no object at index \(position).")
        let object = source.object(at: position)
        // The classes were checked when the collection was made.
        guard let object = object as? Object else {
            fatalError("The object at index \(position) is not a \(Object.self) but a \(type(of: object)).")
        }
        return object
    }
}

extension NSManagedObjectContext {
    /// The objects that a request finds, instantiated on demand; see `LazyResults`.
    ///
    /// Where the context has unsaved changes that concern the request, those are merged, and take a few more requests to find
    /// their positions. A request for objects of several stores in an order makes all of them once.
    ///
    /// - Throws: as `fetch(_:)`; 134060 for a request whose result type is another one than objects.
    public func lazyResults<Object: NSManagedObject>(
        of request: NSFetchRequest<Object>
    ) throws -> LazyResults<Object> {
        let fetch = try ResolvedFetch(request, self)
        guard fetch.specification.resultType == .managedObjectResultType else {
            throw NSError.coreData(
                .coreData,
                "Lazy results are objects: the request needs the result type managedObjectResultType.")
        }
        adoptPermanentIDs()
        processPendingChanges()
        let source = try LazyObjects(fetch, self)
        if let wrong = source.layouts.first(where: { !($0.objectClass is Object.Type) }) {
            throw NSError.coreData(
                .coreData,
                """
                The request asks for \(Object.self), but the result has a \(wrong.objectClass): check that the class \
                named in the model is found (NSManagedObjectModel.register(_:)).
                """)
        }
        return LazyResults(source)
    }
}
