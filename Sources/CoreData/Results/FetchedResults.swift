import CocoaFoundation
import Foundation
import ManagedObjectModel

/// The results behind a controller, whatever its result type. Used on the context's queue only.
final class FetchedResults: ContextListener, @unchecked Sendable {
    let context: NSManagedObjectContext
    let sectionNameKeyPath: String?
    let cacheName: String?
    private let request: NSPersistentStoreRequest
    private var fetch: ResolvedFetch?
    private var list: ResultList?
    private(set) weak var delegate: (any NSFetchedResultsControllerDelegate)?
    private var streams: [UUID: AsyncStream<FetchedResultsChanges>.Continuation] = [:]
    /// Whether the delegate has the method for differences; its default turns this off.
    var delegateTakesDifferences = true

    init(
        request: NSPersistentStoreRequest, context: NSManagedObjectContext, sectionNameKeyPath: String?,
        cacheName: String?
    ) {
        self.request = request
        self.context = context
        self.sectionNameKeyPath = sectionNameKeyPath
        self.cacheName = cacheName
    }

    deinit {
        for stream in streams.values { stream.finish() }
    }

    func setDelegate(_ delegate: (any NSFetchedResultsControllerDelegate)?) {
        self.delegate = delegate
        delegateTakesDifferences = true
    }

    // MARK: Results

    var objects: [NSManagedObject]? { list?.objects }
    var sections: [ResultSection]? { list?.sections }

    func object(at path: IndexPath) -> NSManagedObject? {
        guard path.count == 2, let sections, sections.indices.contains(path[0]),
            sections[path[0]].members.indices.contains(path[1])
        else { return nil }
        return sections[path[0]].members[path[1]]
    }

    func indexPath(of object: NSManagedObject) -> IndexPath? { list?.indexPath(of: object) }

    func performFetch() throws {
        let resolved = try ResolvedFetch(request, context)
        context.processPendingChanges()
        let objects = try context.objects(resolved)
        fetch = resolved
        list = ResultList(objects, self)
        context.listeners.add(self)
    }

    func sectionName(_ object: NSManagedObject) -> String {
        guard let sectionNameKeyPath, let value = object.value(forKeyPath: sectionNameKeyPath) else {
            return ""
        }
        return value as? String ?? "\(value)"
    }

    func indexTitle(_ sectionName: String) -> String? {
        if let delegate { return delegate.controller(facade, sectionIndexTitleForSectionName: sectionName) }
        return sectionName.first.map { String($0).uppercased() }
    }

    // MARK: Following the context

    func contextDidChange(_ changes: ContextChanges) {
        guard let fetch, let old = list else { return }
        let concerned = changes.concerning(fetch)
        guard !concerned.isEmpty || changes.invalidatedAll else { return }
        let new: ResultList
        do {
            new = ResultList(try updated(old.objects, concerned, changes, fetch), self)
        } catch {
            Log.objects.error("A results controller could not fetch again: \(error.localizedDescription)")
            return
        }
        let difference = ResultDifference(
            from: old, to: new, changed: Set(changes.updated + changes.refreshed + changes.inserted))
        guard !difference.isEmpty else { return }
        report(difference, old, new)
    }

    /// The results after a change. Without a window each object that changed is put where it belongs now.
    private func updated(
        _ objects: [NSManagedObject], _ concerned: Set<NSManagedObject>, _ changes: ContextChanges,
        _ fetch: ResolvedFetch
    ) throws -> [NSManagedObject] {
        if fetch.specification.fetchLimit > 0 || fetch.specification.fetchOffset > 0 || changes.invalidatedAll
        {
            return try context.objects(fetch)
        }
        let kept = objects.filter { !concerned.contains($0) }
        let matches = try concerned.filter { try fetch.isMet(by: $0, in: context) }
        return PendingMatches.merge(
            sorted(Array(matches), by: fetch.storeOrder), into: kept, by: fetch.storeOrder)
    }

    private func report(_ difference: ResultDifference, _ old: ResultList, _ new: ResultList) {
        guard let delegate else {
            list = new
            publish(difference, new)
            return
        }
        let facade = facade
        if sectionNameKeyPath == nil, delegateTakesDifferences {
            list = new
            delegate.controller(facade, didChangeContentWith: new.objectIDs.difference(from: old.objectIDs))
            if delegateTakesDifferences {
                publish(difference, new)
                return
            }
            list = old
        }
        delegate.controllerWillChangeContent(facade)
        list = new
        for (section, index) in difference.deletedSections {
            delegate.controller(facade, didChange: section, atSectionIndex: index, for: .delete)
        }
        for (section, index) in difference.insertedSections {
            delegate.controller(facade, didChange: section, atSectionIndex: index, for: .insert)
        }
        for change in difference.changes {
            delegate.controller(
                facade, didChange: change.object, at: change.old, for: change.type, newIndexPath: change.new)
        }
        delegate.controllerDidChangeContent(facade)
        publish(difference, new)
    }

    /// What the delegate is handed: its methods name no result type. Not kept: it would keep the results.
    private var facade: NSFetchedResultsController<any NSFetchRequestResult> {
        let specification =
            request.fetchSpecification ?? FetchSpecification(resultClass: NSManagedObject.self)
        return NSFetchedResultsController(
            sharing: self, request: NSFetchRequest(specification: specification))
    }

    // MARK: Streams

    func changes() -> AsyncStream<FetchedResultsChanges> {
        let id = UUID()
        let (stream, continuation) = AsyncStream.makeStream(of: FetchedResultsChanges.self)
        streams[id] = continuation
        continuation.onTermination = { [weak self, weak context] _ in
            context?.contextQueue.async { self?.streams[id] = nil }
        }
        return stream
    }

    private func publish(_ difference: ResultDifference, _ new: ResultList) {
        guard !streams.isEmpty else { return }
        let changes = FetchedResultsChanges(
            changes: difference.changes.map {
                .init(
                    type: $0.type, objectID: $0.object.objectID, oldIndexPath: $0.old, newIndexPath: $0.new)
            },
            sections: new.sections.map { .init(name: $0.name, objectIDs: $0.members.map(\.objectID)) })
        for stream in streams.values { stream.yield(changes) }
    }
}

extension ContextChanges {
    /// The changed objects that a fetch may find or have found.
    fileprivate func concerning(_ fetch: ResolvedFetch) -> Set<NSManagedObject> {
        Set((inserted + updated + deleted + refreshed).filter(fetch.concerns))
    }
}
