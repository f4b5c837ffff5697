/// What a change did to an object.
public enum NSPersistentHistoryChangeType: Int, Sendable {
    /// The object was new.
    case insert
    /// Values or relationships of the object changed.
    case update
    /// The object was deleted.
    case delete
}
