/// What a change in the persistent history did to its object. The raw values are Apple's.
public enum NSPersistentHistoryChangeType: Int, Sendable {
    /// The object was new.
    case insert
    /// Values or relationships of the object changed.
    case update
    /// The object was deleted.
    case delete
}
