import Foundation

/// What the running save of a context needs to know, and what the next one has to report or to do.
///
/// As with `ChangeTracker`, what objects are let go of is returned, for the caller to let go of.
struct SaveSession {
    /// What the context is doing.
    enum Phase {
        case idle, processing, savingHooks, saving, undoing
    }

    var phase = Phase.idle
    /// Whether a save is checking the values of objects.
    var isValidating = false
    /// The value that is being checked before a save.
    var candidate: CandidateValue?
    /// What went wrong where no error could be thrown, while a fault was loaded; the next save reports it.
    var faultingError: NSError?
    /// What kept delete rules from being applied the last time; a save tries again.
    private var deletionError: NSError?
    /// What the hooks of the running save have changed since they were last called.
    private var changedWhileSaving: [NSManagedObject] = []
    /// What resolved conflicts of the running save have changed, to be taken back if it fails; nil when no save writes.
    private var resolutionSteps: [ResolutionStep]?
    /// Objects that the next save compares with the store though they have no changes.
    private var watched: [ObjectIdentifier: NSManagedObject] = [:]
    /// What a save replaces before anything else.
    private var unreadReplacements: [UnreadReplacement] = []

    /// Whether a save may begin: none is running, and none has called this code.
    var canBegin: Bool { phase == .idle && !isWriting }

    /// Whether the changes of a child may come in: no object is being checked or written.
    var canTakeChanges: Bool { (phase == .idle || phase == .savingHooks) && !isValidating }

    // MARK: Errors

    /// Notes what keeps delete rules from being applied; of several errors the first one counts.
    mutating func noteDeletionError(_ error: NSError) { deletionError = deletionError ?? error }

    /// Forgets what kept delete rules from being applied, which are tried again.
    mutating func forgetDeletionError() { deletionError = nil }

    /// The error that could not be reported where it came up; it is reported once.
    mutating func takeError() -> NSError? {
        let error = faultingError ?? deletionError
        (faultingError, deletionError) = (nil, nil)
        return error
    }

    // MARK: Hooks

    /// Notes what an event has changed, if hooks are being called.
    mutating func noteChanges(of event: EventObjects) {
        guard phase == .savingHooks else { return }
        changedWhileSaving += event.inserted + event.updated + event.deleted
    }

    /// Begins the first round of hooks, which all changed objects get.
    ///
    /// - Returns: objects to let go of.
    mutating func beginRounds() -> [NSManagedObject] {
        let changed = changedWhileSaving
        changedWhileSaving = []
        return changed
    }

    /// What the hooks have changed since they were last called, each object once.
    mutating func takeChangedByHooks() -> [NSManagedObject] {
        let changed = changedWhileSaving.uniqued
        changedWhileSaving = []
        return changed
    }

    // MARK: Resolved conflicts

    /// Whether a save is writing, or resolving what kept it from that.
    var isWriting: Bool { resolutionSteps != nil }

    mutating func beginWriting() { resolutionSteps = [] }

    /// Notes what resolving a conflict changes, if a save is writing.
    mutating func note(_ step: ResolutionStep) { resolutionSteps?.append(step) }

    /// What resolving conflicts has changed since this was asked last.
    ///
    /// - Parameter isComplete: false when the save goes on with other stores.
    mutating func takeResolutionSteps(isComplete: Bool) -> [ResolutionStep] {
        let steps = resolutionSteps ?? []
        resolutionSteps = isComplete ? nil : []
        return steps
    }

    // MARK: Watched objects

    var watchedObjects: [NSManagedObject] { Array(watched.values) }

    mutating func watch(_ object: NSManagedObject) { watched[ObjectIdentifier(object)] = object }

    mutating func stopWatching(_ object: NSManagedObject) { watched[ObjectIdentifier(object)] = nil }

    /// Ends the watch of the objects that a store has which was saved.
    ///
    /// - Parameter stores: which ones; nil for all.
    /// - Returns: objects to let go of.
    mutating func stopWatching(in stores: [any ObjectStore]?) -> [NSManagedObject] {
        let former = watchedObjects
        watched =
            if let stores {
                watched.filter { entry in !stores.contains { $0 === entry.value.home.store } }
            } else {
                [:]
            }
        return former
    }

    // MARK: Unread replacements

    /// Has the next save replace destinations that cannot be read yet.
    mutating func keep(_ replacement: UnreadReplacement) { unreadReplacements.append(replacement) }

    /// What the save has to replace before anything else, which it does now.
    mutating func takeUnreadReplacements() -> [UnreadReplacement] {
        let replacements = unreadReplacements
        unreadReplacements = []
        return replacements
    }

    /// Forgets what was to be replaced of an object.
    ///
    /// - Parameter slot: in which relationship; nil for all.
    /// - Returns: what holds objects to let go of.
    mutating func forgetReplacements(of object: NSManagedObject, at slot: Int? = nil) -> [UnreadReplacement] {
        guard !unreadReplacements.isEmpty else { return [] }
        let former = unreadReplacements
        unreadReplacements = former.filter { $0.object !== object || slot != nil && $0.slot != slot }
        return former
    }

    // MARK: Discarding

    /// Forgets what the next save would report or do, because there are no longer any changes.
    ///
    /// - Returns: what holds objects to let go of.
    mutating func abandon() -> (watched: [NSManagedObject], replacements: [UnreadReplacement]) {
        (faultingError, deletionError) = (nil, nil)
        return (stopWatching(in: nil), takeUnreadReplacements())
    }
}
