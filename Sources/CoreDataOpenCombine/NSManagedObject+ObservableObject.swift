import CoreData
import OpenCombine

extension NSManagedObject: ObservableObject {
    /// Fires before a property of the object changes: by an accessor, key-value coding or `willChangeValue(forKey:)`, by
    /// undo, a merge, a refresh or a rollback. Subscribe on the queue of the object's context.
    public var objectWillChange: ObservableObjectPublisher {
        if let announcer = changeListener as? ChangeAnnouncer { return announcer.publisher }
        let announcer = ChangeAnnouncer()
        changeListener = announcer
        return announcer.publisher
    }
}

private final class ChangeAnnouncer: ObjectChangeListener {
    let publisher = ObservableObjectPublisher()

    func objectWillChange() { publisher.send() }
}
