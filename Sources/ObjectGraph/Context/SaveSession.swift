import Foundation

/// The state of a context's running save, and what the next one has to report or to do.
///
/// As with `ChangeTracker`, objects to release are returned to the caller.
struct SaveSession {
    /// The phase of the context.
    enum Phase {
        case idle, processing, savingHooks, saving, undoing
    }

    var phase = Phase.idle
    /// Whether a save is checking the values of objects.
    var isValidating = false
    /// What the notifications of the running save share; nil when none runs.
    var sharedSets: SharedSets?

    /// Ends the sharing.
    ///
    /// - Returns: a value that holds objects to release.
    mutating func endSharing() -> SharedSets? {
        let shared = sharedSets
        sharedSets = nil
        return shared
    }

    /// The value that is being checked before a save.
    var candidate: CandidateValue?
    /// An error of loading a fault, where it could not be thrown; the next save reports it.
    var faultingError: NSError?
    /// The error that kept delete rules from being applied the last time; a save tries again.
    private var deletionError: NSError?
    /// The changes by hooks of the running save since they were last called.
    private var changedWhileSaving: [NSManagedObject] = []
    /// The changes by resolved conflicts of the running save, to revert if it fails; nil when no save writes.
    private var resolutionSteps: [ResolutionStep]?
    /// Objects that the next save compares with the store though they have no changes.
    private var watched: [ObjectIdentifier: NSManagedObject] = [:]
    /// The replacements that a save makes first.
    private var unreadReplacements: [UnreadReplacement] = []

    /// Whether a save may begin: none is running, and none has called this code.
    var canBegin: Bool { phase == .idle && !isWriting }

    /// Whether the changes of a child may be applied: no object is being checked or written.
    var canTakeChanges: Bool { (phase == .idle || phase == .savingHooks) && !isValidating }

    // MARK: Errors

    /// Notes an error that keeps delete rules from being applied; of several errors the first one counts.
    mutating func noteDeletionError(_ error: NSError) { deletionError = deletionError ?? error }

    /// Forgets that error, because delete rules are tried again.
    mutating func forgetDeletionError() { deletionError = nil }

    /// The error that could not be thrown where it happened; it is reported once.
    mutating func takeError() -> NSError? {
        let error = faultingError ?? deletionError
        (faultingError, deletionError) = (nil, nil)
        return error
    }

    // MARK: Hooks

    /// Notes what an event has changed, if hooks are being called.
    mutating func noteChanges(of event: EventObjects) {
        guard phase == .savingHooks else { return }
        changedWhileSaving.add(.joined(event.inserted, event.updated, event.deleted))
    }

    /// Begins the first round of hooks, which all changed objects get.
    ///
    /// - Returns: objects to release.
    mutating func beginRounds() -> [NSManagedObject] {
        let changed = changedWhileSaving
        changedWhileSaving = []
        return changed
    }

    /// The changes by hooks since they were last called, each object once.
    mutating func takeChangedByHooks() -> [NSManagedObject] {
        let changed = changedWhileSaving.uniqued
        changedWhileSaving = []
        return changed
    }

    // MARK: Resolved conflicts

    /// Whether a save is writing, or resolving conflicts.
    var isWriting: Bool { resolutionSteps != nil }

    mutating func beginWriting() { resolutionSteps = [] }

    /// Notes the changes of resolving a conflict, if a save is writing.
    mutating func note(_ step: ResolutionStep) { resolutionSteps?.append(step) }

    /// The changes by resolved conflicts since the last call.
    ///
    /// - Parameter isComplete: false when the save continues with other stores.
    mutating func takeResolutionSteps(isComplete: Bool) -> [ResolutionStep] {
        let steps = resolutionSteps ?? []
        resolutionSteps = isComplete ? nil : []
        return steps
    }

    // MARK: Watched objects

    var watchedObjects: [NSManagedObject] { Array(watched.values) }

    mutating func watch(_ object: NSManagedObject) { watched[ObjectIdentifier(object)] = object }

    mutating func stopWatching(_ object: NSManagedObject) { watched[ObjectIdentifier(object)] = nil }

    /// Ends the watch of the objects of a saved store.
    ///
    /// - Parameter stores: which ones; nil for all.
    /// - Returns: objects to release.
    mutating func stopWatching(in stores: [any ObjectStore]?) -> [NSManagedObject] {
        let former = watchedObjects
        watched =
            if let stores {
                watched.filter { entry in !stores.contains { $0 === entry.value.storedEntity.store } }
            } else {
                [:]
            }
        return former
    }

    // MARK: Unread replacements

    /// Makes the next save replace destinations that cannot be read yet.
    mutating func keep(_ replacement: UnreadReplacement) { unreadReplacements.append(replacement) }

    /// Removes and returns the replacements that the save makes first.
    mutating func takeUnreadReplacements() -> [UnreadReplacement] {
        let replacements = unreadReplacements
        unreadReplacements = []
        return replacements
    }

    /// Forgets the replacements of an object.
    ///
    /// - Parameter slot: the relationship; nil for all.
    /// - Returns: values that hold objects to release.
    mutating func forgetReplacements(of object: NSManagedObject, at slot: Int? = nil) -> [UnreadReplacement] {
        guard !unreadReplacements.isEmpty else { return [] }
        let former = unreadReplacements
        unreadReplacements = former.filter { $0.object !== object || slot != nil && $0.slot != slot }
        return former
    }

    // MARK: Discarding

    /// Forgets what the next save would report or do, because there are no longer any changes.
    ///
    /// - Returns: values that hold objects to release.
    mutating func abandon() -> (watched: [NSManagedObject], replacements: [UnreadReplacement]) {
        (faultingError, deletionError) = (nil, nil)
        return (stopWatching(in: nil), takeUnreadReplacements())
    }
}
