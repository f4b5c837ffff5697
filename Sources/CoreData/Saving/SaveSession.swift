import Foundation

/// What the running save of a context needs to know, and what the next one has to report or to do.
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
    /// What the hooks of the running save have changed since they were last called.
    var changedWhileSaving: [NSManagedObject] = []
    /// What resolved conflicts of the running save have changed, to be taken back if it fails; nil when no save writes.
    var resolutionSteps: [ResolutionStep]?
    /// Objects that the next save compares with the store though they have no changes.
    var watched: [ObjectIdentifier: NSManagedObject] = [:]
    /// What went wrong where no error could be thrown, while a fault was loaded; the next save reports it.
    var faultingError: NSError?
    /// What kept delete rules from being applied the last time; a save tries again.
    var deletionError: NSError?
    /// What a save replaces before anything else.
    var unreadReplacements: [UnreadReplacement] = []

    /// Whether a save may begin: none is running, and none has called this code.
    var canBegin: Bool { phase == .idle && resolutionSteps == nil }

    /// The error that could not be reported where it came up; it is reported once.
    mutating func takeError() -> NSError? {
        let error = faultingError ?? deletionError
        (faultingError, deletionError) = (nil, nil)
        return error
    }

    /// What the hooks have changed since they were last called, each object once.
    mutating func takeChangedByHooks() -> [NSManagedObject] {
        let changed = changedWhileSaving.uniqued
        changedWhileSaving = []
        return changed
    }

    /// Forgets what the next save would report or do, because there are no changes any more.
    ///
    /// - Returns: the objects that it would have compared.
    mutating func abandon() -> [NSManagedObject] {
        let objects = Array(watched.values)
        watched = [:]
        (faultingError, deletionError, unreadReplacements) = (nil, nil, [])
        return objects
    }
}
