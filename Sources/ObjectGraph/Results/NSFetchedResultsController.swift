import Foundation
import ManagedObjectModel

/// Keeps the result of a fetch request up to date, in sections, and notifies a delegate of changes.
///
/// ```swift
/// let request = NSFetchRequest<Book>(entityName: "Book")
/// request.sortDescriptors = [NSSortDescriptor(key: "publishDate", ascending: true)]
/// let controller = NSFetchedResultsController(
///     fetchRequest: request, managedObjectContext: context, sectionNameKeyPath: "publishMonthID", cacheName: nil)
/// try controller.performFetch()
/// ```
///
/// The controller is used on its context's queue. It follows the context from `performFetch()` on while it has a delegate or a
/// task iterates `changes()`. Otherwise it shows the data as fetched (Apple's documentation of the class, "No tracking"); the
/// changes missed meanwhile are reported with the first change after it got a delegate.
open class NSFetchedResultsController<ResultType>: NSObject {
    let results: FetchedResults

    /// Makes a controller; `performFetch()` fills it.
    ///
    /// - Parameters:
    ///   - fetchRequest: its `sortDescriptors` are not nil. With an empty list the objects are in the order of their keys.
    ///     With sections, the first descriptor must order the objects as the sections follow each other.
    ///   - context: the context whose changes are followed.
    ///   - sectionNameKeyPath: the key path of the section's name; nil for one section.
    ///   - name: the name of a file that keeps the sections' names, so that they are not computed again from the same
    ///     rows; nil for none. See `deleteCache(withName:)`.
    public init(
        fetchRequest: NSFetchRequest<ResultType>, managedObjectContext context: NSManagedObjectContext,
        sectionNameKeyPath: String?, cacheName name: String?
    ) {
        require(
            fetchRequest.sortDescriptors != nil,
            "An instance of NSFetchedResultsController requires a fetch request with sort descriptors.")
        self.fetchRequest = fetchRequest
        results = FetchedResults(
            request: fetchRequest, context: context, sectionNameKeyPath: sectionNameKeyPath, cacheName: name)
        super.init()
        results.titleOfSection = { [weak self, weak results] name in
            self.map { $0.sectionIndexTitle(forSectionName: name) } ?? results?.usualIndexTitle(name)
        }
    }

    /// The same controller under another result type, for delegates.
    init(sharing results: FetchedResults, request: NSFetchRequest<ResultType>) {
        self.results = results
        fetchRequest = request
        super.init()
    }

    /// The request. After changing it, call `performFetch()`.
    public let fetchRequest: NSFetchRequest<ResultType>

    /// The context whose changes are followed.
    public var managedObjectContext: NSManagedObjectContext { results.context }

    /// The key path of the section's name.
    public var sectionNameKeyPath: String? { results.sectionNameKeyPath }

    /// The name that the controller was made with.
    public var cacheName: String? { results.cacheName }

    /// The object to notify of changes; not retained.
    public var delegate: (any NSFetchedResultsControllerDelegate)? {
        get { results.delegate }
        set { results.setDelegate(newValue) }
    }

    /// Fetches the objects and begins to follow the context.
    ///
    /// - Throws: as `NSManagedObjectContext.fetch(_:)`.
    public func performFetch() throws { try results.performFetch() }

    /// The objects, in order; nil before `performFetch()`.
    public var fetchedObjects: [ResultType]? {
        results.objects.map { $0 as? [ResultType] ?? $0.compactMap { $0 as? ResultType } }
    }

    /// The sections, in order; nil before `performFetch()`.
    public var sections: [any NSFetchedResultsSectionInfo]? { results.sections }

    /// The object at an index path.
    public func object(at indexPath: IndexPath) -> ResultType {
        guard let object = results.list?.object(at: indexPath) as? ResultType else {
            fatalError("No \(ResultType.self) at index path \(Array(indexPath)).")
        }
        return object
    }

    /// The index path of an object; nil when it is not among the results.
    public func indexPath(forObject object: ResultType) -> IndexPath? {
        (object as? NSManagedObject).flatMap { results.list?.indexPath(of: $0) }
    }

    /// The cost of following the context since the last `performFetch()`.
    package var cost: ResultCost { results.cost }

    /// The error of following the last change of the context; nil when the results are up to date. Ours.
    ///
    /// Results that are a window of a longer list, and those whose condition reads related objects, may need the store
    /// to follow a change. When it fails the results stay as they are, the delegate gets
    /// `controller(_:didFailToFollowChanges:)`, and `changes()` throws. The next change that concerns them fetches them again, and
    /// so does `performFetch()`.
    public var followingError: (any Error)? { results.failure }

    /// The titles of an index of the sections, in the order of the sections.
    ///
    /// Sections that follow each other and have the same title have one entry; sections without a title have none. A
    /// subclass that has other titles overrides `section(forSectionIndexTitle:at:)` too.
    open var sectionIndexTitles: [String] { indexEntries.map(\.title) }

    /// The index title of a section: its name's first character, in upper case, unless the delegate has another.
    open func sectionIndexTitle(forSectionName sectionName: String) -> String? {
        results.usualIndexTitle(sectionName)
    }

    /// The number of the section that an entry of the index leads to: the first one of those that it stands for.
    ///
    /// Stops with a message when the title is not the one at the index.
    ///
    /// - Parameters:
    ///   - title: a title of `sectionIndexTitles`.
    ///   - sectionIndex: its index there. Sections that do not follow each other may have the same title.
    open func section(forSectionIndexTitle title: String, at sectionIndex: Int) -> Int {
        let entries = indexEntries
        require(
            entries.indices.contains(sectionIndex) && entries[sectionIndex].title == title,
            "Index title at \(sectionIndex) is not equal to '\(title)'.")
        return entries[sectionIndex].section
    }

    /// The titles of the index, each with the first section that it stands for.
    private var indexEntries: [(title: String, section: Int)] {
        var entries: [(title: String, section: Int)] = []
        for (number, section) in (results.sections ?? []).enumerated() {
            guard let title = section.indexTitle, entries.last?.title != title else { continue }
            entries.append((title, number))
        }
        return entries
    }

    /// Deletes the cache of a name, or all of this program's.
    ///
    /// `performFetch()` of a controller with a cache name keeps the name of each object's section in a file of the
    /// user's caches folder, with a fingerprint of what they were computed from: the rows, in their order, the key path,
    /// the entity's version hash and class, and the store's identifier. They are used as long as all this is the same,
    /// so a changed store or request makes no wrong sections; the names are then computed and kept anew. What a computed
    /// property reads beside its object's own row (a relationship to many, the locale, other code of the class) is not
    /// part of the fingerprint: after such a change, delete the cache. Nothing is kept for key paths over relationships,
    /// for results with unsaved changes and in child contexts.
    public class func deleteCache(withName name: String?) { SectionCache.standard.delete(name) }

    /// The changes from now on, each with the sections as they are after it. Ours.
    ///
    /// The sequence ends when the controller goes. It can be iterated anywhere: it has IDs, not objects. It throws, and is
    /// over, when the results could not follow a change (`followingError`).
    public func changes() -> AsyncThrowingStream<FetchedResultsChanges, any Error> { results.changes() }

    /// What the controller shows now; nil before `performFetch()`.
    package var snapshot: FetchedResultsSnapshot? {
        results.list.map { FetchedResultsSnapshot($0.sectionsOfIDs, reloaded: []) }
    }

    /// Calls a block after each change, on the context's queue. Following does not retain the controller.
    package func follow(_ body: @escaping (FetchedResultsChanges) -> Void) -> ResultsFollowing {
        results.follow(body)
    }

    // A delegate receives another object than the one it knows; they are equal.

    open override func isEqual(_ object: Any?) -> Bool {
        (object as? any FetchedResultsSharing)?.results === results
    }

    open override var hash: Int { ObjectIdentifier(results).hashValue }
}

/// Any controller, whatever its result type.
protocol FetchedResultsSharing: AnyObject {
    var results: FetchedResults { get }
    var untypedRequest: NSPersistentStoreRequest { get }
}

extension NSFetchedResultsController: FetchedResultsSharing {
    var untypedRequest: NSPersistentStoreRequest { fetchRequest }

    /// The controller under the type `NSFetchedResultsController<ResultType>`: what
    /// `value as? NSFetchedResultsController<ResultType>` gives with Apple's framework, where controllers have no type
    /// parameter at run time.
    ///
    /// Another object that shows the same results, follows the same changes and has the same delegate; the two are equal
    /// (`==`, `isEqual(_:)`) without being identical. A controller that has the type already is returned itself; one of a
    /// subclass becomes an `NSFetchedResultsController`. `coredata port` writes this call for casts. Ours.
    ///
    /// - Parameter value: a controller of any type, as an object of any class or protocol.
    /// - Returns: the controller; nil if `value` is nil or not a controller.
    public static func cast(_ value: Any?) -> NSFetchedResultsController<ResultType>? {
        guard let value else { return nil }
        if let controller = value as? NSFetchedResultsController<ResultType> { return controller }
        guard let other = value as? any FetchedResultsSharing,
            let request = NSFetchRequest<ResultType>.cast(other.untypedRequest)
        else { return nil }
        return NSFetchedResultsController(sharing: other.results, request: request)
    }
}

/// One section of a results controller: its name and its objects, in order.
///
/// ```swift
/// for section in controller.sections ?? [] {
///     print(section.name, section.numberOfObjects)
/// }
/// ```
///
/// It has the content of the moment in which it was read; read `NSFetchedResultsController.sections` again after a change. Its objects
/// belong to the controller's context.
public protocol NSFetchedResultsSectionInfo {
    /// The section's name; empty for the only section of a controller without sections.
    var name: String { get }
    /// The title in an index of the sections.
    var indexTitle: String? { get }
    /// How many objects are in the section.
    var numberOfObjects: Int { get }
    /// The objects, in order.
    var objects: [Any]? { get }
}

/// What a change did to an object or a section of the results. Sections are only inserted and deleted. The raw values are Apple's.
public enum NSFetchedResultsChangeType: UInt, Sendable {
    /// The object, or the section, has come into the results.
    case insert = 1
    /// The object, or the section, has left the results.
    case delete = 2
    /// It has another position.
    case move = 3
    /// Its values changed; its position did not.
    case update = 4
}

/// Follows the changes of a results controller. Every method has a default that does nothing.
///
/// ```swift
/// final class Listener: NSObject, NSFetchedResultsControllerDelegate {
///     func controller(
///         _ controller: NSFetchedResultsController<any NSFetchRequestResult>, didChange anObject: Any,
///         at indexPath: IndexPath?, for type: NSFetchedResultsChangeType, newIndexPath: IndexPath?
///     ) {
///         print(type, indexPath ?? "", newIndexPath ?? "")
///     }
/// }
/// ```
///
/// Implement the methods for single changes (between `controllerWillChangeContent(_:)` and `controllerDidChangeContent(_:)`), or one of
/// the two that report the whole content: a controller calls only one of these forms. All are called on the queue of the controller's
/// context. The controller does not retain its delegate.
public protocol NSFetchedResultsControllerDelegate: NSObjectProtocol {
    /// Changes are about to be reported.
    func controllerWillChangeContent(_ controller: NSFetchedResultsController<any NSFetchRequestResult>)

    /// A section came or went. Indexes of deleted ones are those before the change, of inserted ones those after.
    func controller(
        _ controller: NSFetchedResultsController<any NSFetchRequestResult>,
        didChange sectionInfo: any NSFetchedResultsSectionInfo, atSectionIndex sectionIndex: Int,
        for type: NSFetchedResultsChangeType)

    /// An object changed. `indexPath` is its position before the change, `newIndexPath` after it.
    func controller(
        _ controller: NSFetchedResultsController<any NSFetchRequestResult>, didChange anObject: Any,
        at indexPath: IndexPath?, for type: NSFetchedResultsChangeType, newIndexPath: IndexPath?)

    /// All changes were reported.
    func controllerDidChangeContent(_ controller: NSFetchedResultsController<any NSFetchRequestResult>)

    /// The objects of a controller without sections changed. A delegate with this method is not notified of single changes. A
    /// move is a removal and an insertion that are associated with each other; updates do not show.
    func controller(
        _ controller: NSFetchedResultsController<any NSFetchRequestResult>,
        didChangeContentWith diff: CollectionDifference<NSManagedObjectID>)

    /// The objects changed, or were fetched. A delegate with this method is notified by it alone, after
    /// `performFetch()` for the first time.
    func controller(
        _ controller: NSFetchedResultsController<any NSFetchRequestResult>,
        didChangeContentWith snapshot: FetchedResultsSnapshot)

    /// The index title of a section.
    func controller(
        _ controller: NSFetchedResultsController<any NSFetchRequestResult>,
        sectionIndexTitleForSectionName sectionName: String
    ) -> String?

    /// The results could not follow a change of the context, and are as they were before it. See
    /// `NSFetchedResultsController.followingError`. Ours.
    func controller(
        _ controller: NSFetchedResultsController<any NSFetchRequestResult>,
        didFailToFollowChanges error: any Error)
}

extension NSFetchedResultsControllerDelegate {
    /// Does nothing.
    public func controllerWillChangeContent(
        _ controller: NSFetchedResultsController<any NSFetchRequestResult>
    ) {}

    /// Does nothing.
    public func controller(
        _ controller: NSFetchedResultsController<any NSFetchRequestResult>,
        didChange sectionInfo: any NSFetchedResultsSectionInfo, atSectionIndex sectionIndex: Int,
        for type: NSFetchedResultsChangeType
    ) {}

    /// Does nothing.
    public func controller(
        _ controller: NSFetchedResultsController<any NSFetchRequestResult>, didChange anObject: Any,
        at indexPath: IndexPath?, for type: NSFetchedResultsChangeType, newIndexPath: IndexPath?
    ) {}

    /// Does nothing.
    public func controllerDidChangeContent(_ controller: NSFetchedResultsController<any NSFetchRequestResult>)
    {}

    /// Leaves the changes to the methods that report them one by one.
    public func controller(
        _ controller: NSFetchedResultsController<any NSFetchRequestResult>,
        didChangeContentWith diff: CollectionDifference<NSManagedObjectID>
    ) {
        controller.results.delegateForms.takesDifferences = false
    }

    /// Leaves the changes to the other methods.
    public func controller(
        _ controller: NSFetchedResultsController<any NSFetchRequestResult>,
        didChangeContentWith snapshot: FetchedResultsSnapshot
    ) {
        controller.results.delegateForms.takesSnapshots = false
    }

    /// The first character of the name, in upper case.
    public func controller(
        _ controller: NSFetchedResultsController<any NSFetchRequestResult>,
        sectionIndexTitleForSectionName sectionName: String
    ) -> String? {
        sectionName.first.map { String($0).uppercased() }
    }

    /// Does nothing.
    public func controller(
        _ controller: NSFetchedResultsController<any NSFetchRequestResult>,
        didFailToFollowChanges error: any Error
    ) {}
}
