import CocoaFoundation
import Foundation
import ManagedObjectModel

/// The results of a request, kept up to date while they have followers. Used on the context's queue only.
///
/// An event is processed object by object: its changes of k objects become a `ResultEdit`, whose application costs O(k log n).
/// The store is queried again only for a window of a longer list, when objects beyond it move into it, and for related objects
/// whose changes affect the results.
final class FetchedResults: ContextListener, @unchecked Sendable {
    let context: NSManagedObjectContext
    let sectionNameKeyPath: String?
    let cacheName: String?
    let request: NSPersistentStoreRequest
    private var fetch: ResolvedFetch?
    private var reads: RelatedReads?
    private var rules: ResultRules?
    private(set) var list: ResultList?

    private(set) weak var delegate: (any NSFetchedResultsControllerDelegate)?
    var delegateForms = DelegateForms()
    private var streams: [UUID: AsyncThrowingStream<FetchedResultsChanges, any Error>.Continuation] = [:]
    private var followers: [UUID: (FetchedResultsChanges) -> Void] = [:]
    /// Called after each change, after the delegate.
    var onChange: ((ResultDifference) -> Void)?
    /// Called when the results could not be brought up to date.
    var onFailure: ((any Error) -> Void)?
    /// The index title that the controller has for the name of a section, if it is still there.
    var titleOfSection: ((String) -> String?)?

    /// The error of following the last event; nil when the results are up to date.
    private(set) var failure: (any Error)?
    /// The objects that changed since the results were up to date and that followers have yet to be notified of; nil when the
    /// results are up to date. Otherwise the results have to be fetched again before an event can be processed object by
    /// object.
    private var missed: Set<ObjectIdentifier>?
    /// Follows the context's saves for results without unsaved changes.
    private var saves: (any NSObjectProtocol)?

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
        list?.willChange()
        for stream in streams.values { stream.finish() }
        if let saves { NotificationCenter.default.removeObserver(saves) }
    }

    func setDelegate(_ delegate: (any NSFetchedResultsControllerDelegate)?) {
        self.delegate = delegate
        delegateForms = DelegateForms()
    }

    // MARK: Results

    var objects: [NSManagedObject]? { list?.objects }
    var sections: [ResultSection]? { list?.sections }

    /// The cost of following the context since the last `performFetch()`.
    var cost: ResultCost { rules?.cost ?? ResultCost() }

    /// - Throws: an error of the request or of the store; the results are then unchanged.
    func performFetch() throws {
        let resolved = try ResolvedFetch(request, context)
        context.processPendingChanges()
        let objects = try context.objects(resolved)
        let rules = ResultRules(
            order: resolved.storeOrder,
            sectionName: { [keyPath = sectionNameKeyPath] in
                $0.sectionName(keyPath, asStored: resolved.isOfStoresAlone)
            })
        let reads = RelatedReads(resolved, sectionNameKeyPath: sectionNameKeyPath)
        let names = sectionNames(objects, resolved)
        // Sections that a caller holds keep their contents.
        list?.willChange()
        list = ResultList(objects, sections: names, self)
        fetch = resolved
        self.rules = rules
        self.reads = reads
        missed = nil
        failure = nil
        let own =
            resolved.specification.includesSubentities ? [resolved.entity].withSubentities : [resolved.entity]
        context.listeners.add(
            self, following: reads.entities.map { own + $0 }, readsRelatedObjects: !reads.isEmpty,
            requiring: resolved.specification.fetchOffset > 0 || resolved.isOfStoresAlone
                ? nil : RequiredValue(resolved.specification.predicate, own))
        followSaves(resolved.isOfStoresAlone)
        notifyOfFetch()
    }

    /// Starts or stops following the context's saves.
    private func followSaves(_ isWanted: Bool) {
        if let saves, !isWanted {
            NotificationCenter.default.removeObserver(saves)
            self.saves = nil
        }
        guard saves == nil, isWanted else { return }
        // Posted on the context's queue.
        saves = NotificationCenter.default.addObserver(
            forName: .NSManagedObjectContextDidSave, object: context, queue: nil
        ) { [weak self] in self?.contextDidChange(ContextChanges(userInfo: $0.userInfo ?? [:])) }
    }

    /// The name of each object's section, from the cache where that still fits; nil without sections.
    private func sectionNames(_ objects: [NSManagedObject], _ fetch: ResolvedFetch) -> [String]? {
        guard let sectionNameKeyPath else { return nil }
        func names() -> [String] {
            objects.map { $0.sectionName(sectionNameKeyPath, asStored: fetch.isOfStoresAlone) }
        }
        guard let cacheName, let print = SectionFingerprint(objects, fetch, sectionNameKeyPath, context)
        else { return names() }
        if let names = SectionCache.standard.names(cacheName, print) { return names }
        let found = names()
        SectionCache.standard.keep(found, cacheName, print)
        return found
    }

    /// The index title of a section, as the controller has it.
    func indexTitle(_ sectionName: String) -> String? {
        guard let titleOfSection else { return usualIndexTitle(sectionName) }
        return titleOfSection(sectionName)
    }

    /// The index title of a section, as the delegate has it.
    func usualIndexTitle(_ sectionName: String) -> String? {
        if let delegate { return delegate.controller(facade, sectionIndexTitleForSectionName: sectionName) }
        return sectionName.first.map { String($0).uppercased() }
    }

    // MARK: Following the context

    var members: [NSManagedObject] { list?.objects ?? [] }

    private func noteMembers(_ edit: ResultEdit) {
        guard let list else { return }
        context.listeners.noteMembers(of: self, edit.leaving + edit.placed, list.contains)
    }

    /// Whether the results have followers. Without any they stay what was fetched, as Apple's documentation of
    /// `NSFetchedResultsController` says of one without a delegate.
    private var isFollowed: Bool {
        delegate != nil || onChange != nil || !streams.isEmpty || !followers.isEmpty
    }

    func contextDidChange(_ changes: ContextChanges) {
        guard isFollowed else {
            missed = missed ?? []
            return
        }
        do {
            let edit = try MatchBudget.sharing { try self.edit(for: changes) }
            missed = nil
            failure = nil
            if let edit { try carryOut(edit, for: changes) }
        } catch {
            missed = (missed ?? []).union(changes.objects.map(ObjectIdentifier.init))
            notify(of: error)
        }
    }

    private func notify(of error: any Error) {
        Log.objects.error("A results controller could not fetch again: \(error.localizedDescription)")
        failure = error
        delegate?.controller(facade, didFailToFollowChanges: error)
        for stream in streams.values { stream.finish(throwing: error) }
        streams = [:]
        onFailure?(error)
    }

    /// The edit of the list after an event; nil for none.
    ///
    /// - Throws: an error of the store, or of the condition.
    private func edit(for changes: ContextChanges) throws -> ResultEdit? {
        guard let fetch, let reads, let rules, let list else { return nil }
        if changes.invalidatedAll || changes.isUnbounded || missed != nil || fetch.isOfStoresAlone {
            rules.noteFetch()
            var changed = missed ?? []
            if !changes.invalidatedAll { changed.formUnion(changes.objects.map(ObjectIdentifier.init)) }
            // A pending deletion does not change what the stores hold.
            if fetch.isOfStoresAlone { changed.subtract(changes.deleted.map(ObjectIdentifier.init)) }
            return list.edit(to: try context.objects(fetch), changed: changed, rules)
        }
        let direct = changes.objects.filter(fetch.concerns)
        let changed = Set(direct.map(ObjectIdentifier.init))
        var seen = changed
        let related = try reads.objects(readingFrom: changes, fetch, context).filter {
            seen.insert(ObjectIdentifier($0)).inserted && fetch.concerns($0)
        }
        let concerned = direct + related
        guard !concerned.isEmpty else { return nil }
        try loadTogether(concerned)
        if fetch.isWindow { return try windowEdit(concerned, changed, fetch, list, rules) }

        var edit = ResultEdit()
        edit.changed = changed
        for object in concerned {
            if try isMet(by: object, fetch, rules) {
                edit.placed.append(object)
            } else if list.contains(object) {
                edit.leaving.append(object)
            }
        }
        // Objects that neither changed nor moved are not reported.
        let isSame =
            edit.leaving.isEmpty
            && edit.placed.allSatisfy { list.contains($0) && !changed.contains(ObjectIdentifier($0)) }
            && list.fit(edit.placed, rules)
        return isSame ? nil : edit
    }

    /// Loads the rows of faults among some objects by one request, except rows in memory.
    ///
    /// - Throws: an error of the store.
    private func loadTogether(_ objects: [NSManagedObject]) throws {
        // If no row is new enough, each object is read alone anyway.
        guard context.stalenessInterval != 0 else { return }
        let faults = objects.filter { object in
            object.context === context && object.isFault && object.row == nil && object.faultSource == nil
                && !object.isDeleted && !object.isUnknownBelow
                && (object.storedEntity.store as? any ObjectStore)?.hasCachedRow(object.key) != true
        }
        if faults.count > 1 { try context.loadRows(of: faults) }
    }

    private func isMet(by object: NSManagedObject, _ fetch: ResolvedFetch, _ rules: ResultRules) throws
        -> Bool
    {
        rules.noteEvaluation()
        return try fetch.isMet(by: object, in: context)
    }

    // MARK: Windows

    private func windowEdit(
        _ concerned: [NSManagedObject], _ changed: Set<ObjectIdentifier>, _ fetch: ResolvedFetch,
        _ list: ResultList, _ rules: ResultRules
    ) throws -> ResultEdit? {
        let matches = try concerned.filter { try isMet(by: $0, fetch, rules) }
        guard
            !matches.isEmpty || concerned.contains(where: list.contains)
                || fetch.specification.fetchOffset > 0
        else { return nil }
        if let contents = windowContents(matches, concerned, fetch, list, rules) {
            return list.edit(to: contents, changed: changed, rules)
        }
        rules.noteFetch()
        return list.edit(to: try context.objects(fetch), changed: changed, rules)
    }

    /// The first objects of a longer list after an event; nil if one from beyond the window may have moved into it.
    private func windowContents(
        _ matches: [NSManagedObject], _ concerned: [NSManagedObject], _ fetch: ResolvedFetch,
        _ list: ResultList, _ rules: ResultRules
    ) -> [NSManagedObject]? {
        guard fetch.specification.fetchOffset == 0 else { return nil }
        let concernedIDs = Set(concerned.map(ObjectIdentifier.init))
        let kept = list.objects.filter { !concernedIDs.contains(ObjectIdentifier($0)) }
        if list.count >= fetch.specification.fetchLimit {
            let staying = matches.filter(list.contains)
            // Objects beyond the window follow its former last one, which may be the last one kept.
            guard let last = kept.last, kept.count + staying.count == list.count,
                staying.allSatisfy({ rules.order($0, last) != .orderedDescending })
            else { return nil }
        }
        let ordered = matches.sorted { rules.order($0, $1) == .orderedAscending }
        let merged = PendingMatches.merge(ordered, into: kept) { orderInStore($0, $1, by: fetch.storeOrder) }
        return Array(merged.prefix(fetch.specification.fetchLimit))
    }

    // MARK: Notifying

    private func carryOut(_ edit: ResultEdit, for changes: ContextChanges) throws {
        guard let rules, let list else { return }
        // Whatever the delegate does with them.
        defer { noteMembers(edit) }
        // After a reset the results have new objects for what is in the stores; Apple's controller does not notify its delegate
        // of that.
        guard let delegate, !changes.invalidatedAll else {
            publish(list.apply(edit, rules))
            return
        }
        if delegateForms.mayTakeSnapshotOrDifference(isSectioned: list.isSectioned) {
            // Whether it does shows when it is notified: if it does not, the results are restored, the first time.
            let before = delegateForms.isKnown ? nil : list.copy
            let difference = list.apply(edit, rules)
            if notify(delegate, of: difference) {
                publish(difference)
                return
            }
            if let before { self.list = before }
        }
        try notifyOneByOne(delegate, edit, changes)
    }

    private func notifyOneByOne(
        _ delegate: any NSFetchedResultsControllerDelegate, _ planned: ResultEdit, _ changes: ContextChanges
    ) throws {
        let facade = facade
        let before = (list: list, generation: list?.generation)
        delegate.controllerWillChangeContent(facade)
        // The delegate may have changed the results itself.
        let isAsBefore = list === before.list && list?.generation == before.generation
        let edit: ResultEdit?
        do {
            edit = isAsBefore ? planned : try MatchBudget.sharing { try self.edit(for: changes) }
        } catch {
            delegate.controllerDidChangeContent(facade)
            throw error
        }
        guard let edit, let rules, let difference = list?.apply(edit, rules) else {
            delegate.controllerDidChangeContent(facade)
            return
        }
        noteMembers(edit)
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
        publish(difference)
    }

    /// Notifies a delegate that takes the results as a whole, or their difference.
    ///
    /// - Returns: whether it does.
    private func notify(
        _ delegate: any NSFetchedResultsControllerDelegate, of difference: ResultDifference
    ) -> Bool {
        guard let list else { return false }
        if delegateForms.takesSnapshots {
            delegate.controller(facade, didChangeContentWith: snapshot(of: list, difference))
        }
        if delegateForms.takesSnapshots {
            delegateForms.isKnown = true
            return true
        }
        if delegateForms.takesDifferences, !list.isSectioned {
            delegate.controller(facade, didChangeContentWith: difference.ofIDs)
            delegateForms.isKnown = delegateForms.takesDifferences
        }
        return delegateForms.isKnown
    }

    /// A delegate that takes snapshots gets one of what was fetched.
    private func notifyOfFetch() {
        guard let delegate, delegateForms.takesSnapshots, let list else { return }
        delegate.controller(facade, didChangeContentWith: snapshot(of: list, nil))
    }

    private func snapshot(of list: ResultList, _ difference: ResultDifference?) -> FetchedResultsSnapshot {
        FetchedResultsSnapshot(list.sectionsOfIDs, reloaded: difference?.reloaded ?? [])
    }

    /// The controller passed to the delegate, whose methods name no result type. Not stored: it would retain the results.
    private var facade: NSFetchedResultsController<any NSFetchRequestResult> {
        let specification =
            request.fetchSpecification ?? FetchSpecification(resultClass: NSManagedObject.self)
        return NSFetchedResultsController(
            sharing: self, request: NSFetchRequest(specification: specification))
    }

    // MARK: Streams

    func changes() -> AsyncThrowingStream<FetchedResultsChanges, any Error> {
        let id = UUID()
        let (stream, continuation) = AsyncThrowingStream.makeStream(of: FetchedResultsChanges.self)
        streams[id] = continuation
        continuation.onTermination = { [weak self, weak context] _ in
            context?.contextQueue.async { self?.streams[id] = nil }
        }
        return stream
    }

    private func publish(_ difference: ResultDifference) {
        onChange?(difference)
        guard !streams.isEmpty || !followers.isEmpty, let list else { return }
        let changes = FetchedResultsChanges(difference, list.sectionsOfIDs)
        for stream in streams.values { stream.yield(changes) }
        for follower in followers.values { follower(changes) }
    }

    /// Calls a block after each change, on the context's queue.
    func follow(_ body: @escaping (FetchedResultsChanges) -> Void) -> ResultsFollowing {
        let id = UUID()
        followers[id] = body
        return ResultsFollowing { [weak self, weak context] in
            context?.contextQueue.async { self?.followers[id] = nil }
        }
    }
}

/// Follows results until it is ended.
package struct ResultsFollowing {
    fileprivate let stop: () -> Void

    /// Ends it asynchronously. May be called on any queue.
    package func end() { stop() }
}

/// The forms in which a delegate accepts changes. Each is assumed until the method's default, which does nothing, has run.
struct DelegateForms {
    var takesSnapshots = true
    var takesDifferences = true
    /// Whether the delegate has taken a snapshot or a difference.
    var isKnown = false

    /// Whether the delegate may take snapshots or, without sections, differences.
    func mayTakeSnapshotOrDifference(isSectioned: Bool) -> Bool {
        takesSnapshots || takesDifferences && !isSectioned
    }
}

extension ResolvedFetch {
    /// Whether unsaved changes do not count.
    fileprivate var isOfStoresAlone: Bool { !specification.includesPendingChanges }
}

extension ContextChanges {
    /// The changes in a notification with objects.
    init(userInfo: [AnyHashable: Any]) {
        func objects(_ key: String) -> [NSManagedObject] {
            Array(userInfo[key] as? Set<NSManagedObject> ?? [])
        }
        self.init(
            inserted: objects(NSInsertedObjectsKey), updated: objects(NSUpdatedObjectsKey),
            deleted: objects(NSDeletedObjectsKey), refreshed: objects(NSRefreshedObjectsKey))
    }
}

extension NSManagedObject {
    /// The name of the section that a key path puts the object in; empty for no value.
    ///
    /// - Parameter asStored: whether unsaved changes do not count.
    fileprivate func sectionName(_ keyPath: String?, asStored: Bool) -> String {
        guard let keyPath, let value = asStored ? storedValue(at: keyPath) : value(forKeyPath: keyPath) else {
            return ""
        }
        return value as? String ?? "\(value)"
    }

    /// What a key path leads to in the stores. Properties that a class computes use the present values.
    private func storedValue(at keyPath: String) -> Any? {
        let (key, rest) =
            keyPath.firstIndex(of: ".").map {
                (String(keyPath[..<$0]), String(keyPath[keyPath.index(after: $0)...]))
            } ?? (keyPath, nil)
        let isChanged = hasChanges && changedValues()[key] != nil
        var value = isChanged ? committedValues(forKeys: [key])[key] : value(forKey: key)
        if value is NSNull { value = nil }
        guard let rest, let value else { return value }
        if let object = value as? NSManagedObject { return object.storedValue(at: rest) }
        return self.value(forKeyPath: keyPath)
    }
}
