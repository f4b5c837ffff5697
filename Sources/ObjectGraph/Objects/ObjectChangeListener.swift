/// Notified before any change of an object.
package protocol ObjectChangeListener: AnyObject {
    /// Called before a property changes; once for all of them when the object is refreshed or rolled back.
    func objectWillChange()
}

extension NSManagedObject {
    /// The listener that is notified before the object changes; one for each object.
    package final var changeListener: (any ObjectChangeListener)? {
        get { extras?.changeListener }
        set { madeExtras.changeListener = newValue }
    }
}
